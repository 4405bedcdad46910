"""What holds of the index for any memories and any query."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from promptx_mem.search import candidates
from promptx_mem.search.index_write import Doc
from promptx_mem.search.query import parse_query
from tests.search.store import Store

WORDS = st.lists(
    st.sampled_from(["tea", "teas", "绿茶", "茶", "咖啡", "run", "ran", "user_id", "v1.2", "2026-05-01", "the"]),
    min_size=1,
    max_size=6,
)
MEMORIES = st.lists(st.tuples(WORDS, st.sampled_from(["2026-01-01", "2026-01-02", None])), min_size=1, max_size=12)


def in_one_store(memories: list[tuple[list[str], str | None]], order: list[int], parts: int) -> Store:
    store = Store()
    docs = [Doc(rowid, " ".join(memories[rowid][0]), ("tag",), day=memories[rowid][1]) for rowid in order]
    size = -(-len(docs) // parts)
    for start in range(0, len(docs), size):
        store.put(docs[start : start + size])
    return store


@settings(deadline=None)
@given(MEMORIES, st.integers(1, 5), st.randoms(use_true_random=False), WORDS)
def test_the_way_of_adding_does_not_matter(
    memories: list[tuple[list[str], str | None]], parts: int, random: Any, query: list[str]
) -> None:
    order = list(range(len(memories)))
    at_once = in_one_store(memories, order, 1)
    random.shuffle(order)
    bit_by_bit = in_one_store(memories, order, parts)
    extra = Doc(len(memories), "tea 茶 2026-05-01", day="2026-01-01")
    bit_by_bit.put([extra])
    bit_by_bit.remove([extra.rowid])
    words = parse_query(" ".join(query))
    expected = candidates.search(at_once.db, words, limit=50)
    found = candidates.search(bit_by_bit.db, words, limit=50)
    assert [hit.rowid for hit in found] == [hit.rowid for hit in expected]
    assert [hit.score for hit in found] == pytest.approx([hit.score for hit in expected])
    at_once.db.close()
    bit_by_bit.db.close()


@settings(deadline=None)
@given(st.text(max_size=60))
def test_no_query_is_an_error_and_every_text_finds_itself(text: str) -> None:
    store = Store()
    clean = text.encode("utf-8", "replace").decode()
    store.texts(["other tea", clean or "x", "绿茶"])
    store.find(text)
    literal = parse_query(clean or "x", literal=True)
    assert candidates.search(store.db, literal, limit=1)[0].rowid == 2
    store.db.close()
