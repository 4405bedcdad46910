"""Weak matches, variants of words, and matches by characters, dates and abbreviations."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from promptx_mem.search import candidates, query
from promptx_mem.search.index_write import Doc
from promptx_mem.search.query import parse_query
from promptx_mem.usecases.recall import Cues
from tests.search.store import Store
from tests.tables import rows
from tests.world import World

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = rows(__file__, "floor.txt")


def strong(store: Store, question: str) -> list[int]:
    """Return the matches that are not weak, best first."""
    hits = candidates.search(store.db, parse_query(question, today="2026-11-22"), limit=9)
    return [hit.rowid for hit in hits if not hit.weak]


@pytest.mark.parametrize(("question", "rowid"), rows(__file__, "asked.jsonl"))
def test_answer_ranks_first_and_is_not_weak(store: Store, question: str, rowid: int) -> None:
    assert strong(store, question)[:1] == [rowid]


@pytest.mark.parametrize("question", rows(__file__, "weak.txt"))
def test_unrelated_question_finds_only_weak_matches(store: Store, question: str) -> None:
    assert strong(store, question) == []


def test_memory_equal_to_the_query_is_never_weak(store: Store) -> None:
    store.put([Doc(90, "how are you")])
    assert strong(store, "How are you") == [90]


def test_variants_of_a_word_do_not_change_the_score_of_other_words(store: Store) -> None:
    with_more = candidates.search(store.db, parse_query("kubernetes nodes"), limit=1)[0]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("promptx_mem.search.query.variants", lambda _lower, _groups: ())
        plain = candidates.search(store.db, parse_query("kubernetes nodes"), limit=1)[0]
    assert with_more.score == pytest.approx(plain.score)


@pytest.mark.parametrize("word", ["k8s", "kubernetes", "双11", "pull request", "持续集成", "2025q3", "资料"])
def test_words_with_other_spellings_have_variants(word: str) -> None:
    assert list(query.variants(word))


def test_same_day_of_another_year_ranks_below_the_full_date(store: Store) -> None:
    store.put([Doc(50, "年会那天是2025年12月27日"), Doc(51, "等等", day="2024-12-27")])
    hits = candidates.search(store.db, parse_query("2025-12-27", today="2026-11-22"), limit=3)
    assert hits[0].rowid == 50
    assert {hit.rowid for hit in hits} == {7, 50, 51}


FACTS = (
    "新地址在滨江路 88 号。",
    "今年的口号是「少而稳」。",
    "我在看《三体》第二部。",
    "the boat lies in Kiel",
    "爷爷会包饺子。",
)


@pytest.mark.parametrize(
    ("question", "rowids"),
    [("住址是哪儿", [1]), ("用李白的口吻写四句话", []), ("什么是闭包", []), ("他们在看三体吗", [3])],
)
def test_rare_characters_match_and_common_ones_and_particles_do_not(question: str, rowids: list[int]) -> None:
    store = Store()
    with closing(store.db):
        store.texts([*FACTS, *TEXTS])
        assert strong(store, question) == rowids


def recalled(world: World, question: str) -> list[tuple[str, bool, float]]:
    memories = world.memory.recall(Cues(question, touch=False)).data["memories"]
    return [(memory["text"], memory["weak"], memory["relevance"] or 0.0) for memory in memories]


@pytest.mark.parametrize(
    ("question", "clear", "weak"),
    [
        ("how many k8s machines", "Kubernetes runs on three nodes at Hetzner", "On call: Tobias, 8 days, and 8 nights"),
        ("o11y stack", "Observability: Prometheus scrapes every 15 seconds", "Signed on 11 March for 11 weeks"),
    ],
)
def test_weak_match_ranks_below_a_clear_match(tmp_path: Path, question: str, clear: str, weak: str) -> None:
    world = World(tmp_path / ".memory")
    for text in (clear, "Clara lives in Porto", "the dentist is on Elm Street", weak):
        world.later(days=1).remember(text)
    first, second = recalled(world, question)[:2]
    assert (first[:2], second[:2]) == ((clear, False), (weak, True))
    assert second[2] > first[2]
