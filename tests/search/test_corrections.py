"""For a question about the present, a later correction ranks before the best match; other memories do not."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from benchmarks.recall.ablation import without
from tests.api import Cues
from tests.tables import rows
from tests.world import World

UNRELATED = (
    "Search has been moved from Meilisearch to Tantivy.",
    "林溪换了工作，去了一家做绘本的出版社。",
    "Standup moved to Wednesdays at half past nine.",
    "客服电话只在工作日有人接。",
    "Tobias returned to the platform group.",
)


def order(root: Path, texts: Sequence[str], question: str) -> list[str]:
    """Return the texts in recall's order; they are recorded a day apart, among unrelated memories."""
    world = World(root / ".memory")
    for text in (texts[0], *UNRELATED, *texts[1:]):
        world.later(days=1).remember(text)
    return [text for text in world.recall(question) if text in texts]


@pytest.mark.parametrize(("old", "new", "question"), rows(__file__, "corrections.jsonl"))
def test_correction_ranks_first(quick: Path, old: str, new: str, question: str) -> None:
    assert order(quick, (old, new), question) == [new, old]


@pytest.mark.parametrize(("texts", "question", "first", "why"), rows(__file__, "not_corrections.jsonl"))
def test_other_memories_do_not_move_up(quick: Path, texts: list[str], question: str, first: int, why: str) -> None:
    assert order(quick, texts, question)[:1] == [texts[first]], why


def test_ablation_leaves_out_corrections(quick: Path) -> None:
    with without("corrects"):
        assert order(quick, ("We live in Graz.", "I moved to Linz."), "where do we live now?") == ["We live in Graz."]


def test_correction_is_not_weak_and_is_explained(quick: Path) -> None:
    world = World(quick / ".memory")
    for text in ("We live in Graz.", *UNRELATED, "I moved to Linz last month."):
        world.later(days=1).remember(text)
    (best, *_) = world.memory.recall(Cues(text="where do we live now?", explain=True)).data["memories"]
    assert best["text"] == "I moved to Linz last month."
    assert best["weak"] is False
    assert best["via"] == ["words"]
    assert best["why"]["corrects"] > 0


@pytest.mark.parametrize(
    ("old", "new", "question"),
    [
        ("Kwame is on call in week 41.", "Kwame and Lucie swapped, so week 41 is hers.", "who's on call in week 41"),
        (
            "Two approvals are required before merging into main.",
            "A single approval is enough to merge into main.",
            "How many approvals does a merge into main need?",
        ),
    ],
)
def test_later_memory_of_the_same_minute_comes_first(tmp_path: Path, old: str, new: str, question: str) -> None:
    world = World(tmp_path / ".memory")
    world.remember(old)
    world.later(seconds=5).remember(new)
    assert world.recall(question)[:2] == [new, old]


def test_attributes_of_one_thing_keep_their_order(tmp_path: Path) -> None:
    world = World(tmp_path / ".memory")
    world.remember("爱德华·兹威克 职业：导演")
    world.later(seconds=5).remember("爱德华·兹威克 毕业院校：美国电影学院")
    assert world.recall("爱德华·兹威克")[0].endswith("导演")
