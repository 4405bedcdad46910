"""For a question about the present, a later correction ranks before the best match; other memories do not."""

from pathlib import Path

import pytest

from tests.tables import rows
from tests.world import World

UNRELATED = (
    "Search has been moved from Meilisearch to Tantivy.",
    "林溪换了工作，去了一家做绘本的出版社。",
    "Standup moved to Wednesdays at half past nine.",
    "客服电话只在工作日有人接。",
    "Tobias returned to the platform group.",
)


def order(root: Path, texts: tuple[str, ...], question: str) -> list[str]:
    """Return the texts in recall's order; they are recorded a day apart, among unrelated memories."""
    world = World(root / ".memory")
    for text in (texts[0], *UNRELATED, *texts[1:]):
        world.later(days=1).remember(text)
    return [text for text in world.recall(question) if text in texts]


@pytest.mark.parametrize(
    ("old", "new", "question"),
    rows(__file__, "corrections.jsonl"),
)  # fmt: skip
def test_correction_ranks_first(quick: Path, old: str, new: str, question: str) -> None:
    assert order(quick, (old, new), question) == [new, old]


@pytest.mark.parametrize(
    ("texts", "question", "first"),
    [
        (("We live in Graz.", "Clara moved to Linz."), "where do we live now?", 0),  # another person
        (("Clara lives in Porto.", "I moved to Linz last month."), "where does Clara live now?", 0),
        (("我们住在格拉茨。", "小赵搬到了林茨。"), "我们现在住在哪里", 0),
        (("Our car is a red Golf.", "The Golf was washed and has new tyres."), "what car do we have now?", 0),
        (("We live in Graz.", "I moved my desk to Linz."), "where did we live then?", 0),  # not about the present
        (("装配线最早出现在秦朝。", "后来有人将装配线登记为专利。"), "装配线最早出现在什么时期", 0),
        (("I moved to Graz and left Linz.", "We live in Linz."), "where do we live now?", 1),  # it is older
        (("We live in Graz.", "I moved to Linz.", "We have moved to Wels."), "where do we live now?", 2),  # the newest
    ],
)
def test_other_memories_do_not_move_up(quick: Path, texts: tuple[str, ...], question: str, first: int) -> None:
    assert order(quick, texts, question)[:1] == [texts[first]]


def test_correction_is_not_weak_and_is_explained(quick: Path) -> None:
    world = World(quick / ".memory")
    for text in ("We live in Graz.", *UNRELATED, "I moved to Linz last month."):
        world.later(days=1).remember(text)
    from promptx_mem.usecases.recall import Cues

    (best, *_) = world.memory.recall(Cues(text="where do we live now?", explain=True)).data["memories"]
    assert best["text"] == "I moved to Linz last month."
    assert best["weak"] is False
    assert best["via"] == ["words"]
    assert best["why"]["corrects"] > 0
