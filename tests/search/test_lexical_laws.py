"""What holds of the index for any memories and any query."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from promptx_mem.search import candidates, index_write, postings
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


@given(st.lists(st.integers(0, postings.PAGE - 1) | st.integers(0, 9), min_size=1, max_size=60))
def test_postings_are_packed_as_they_are_counted(rowids: list[int]) -> None:
    rowids.sort()
    counts = Counter(rowids)
    store = Store()
    index_write.write_postings(store.db, {"tea": rowids}, first=True)
    (found,) = postings.read(store.db, ["tea"])
    assert found.docs.tolist() == list(counts)
    assert postings.pairs(found.repeats) == {offset: count for offset, count in counts.items() if count > 1}
    store.db.close()


@given(
    st.dictionaries(
        st.sampled_from(["绿茶", "绿色", "绿豆", "绿"]),
        st.lists(st.integers(0, 9), min_size=1, max_size=index_write.RARE + 3),
        min_size=1,
    ),
    st.sets(st.integers(0, 9)),
)
def test_pairs_that_share_a_row_are_found_as_those_that_have_their_own(
    terms: dict[str, list[int]], gone: set[int]
) -> None:
    terms = {term: sorted(rowids) for term, rowids in terms.items()}
    found = []
    for rare in (0, index_write.RARE):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(index_write, "RARE", rare)
            store = Store()
            index_write.write_postings(store.db, terms, first=True)
        rows = store.db.execute("SELECT count(*) FROM lex_postings WHERE typeof(term) = 'integer'").fetchone()[0]
        assert bool(rows) == any(len(term) == 2 and len(rowids) <= rare for term, rowids in terms.items())
        before = postings.frequencies(store.db, terms), sorted(postings.read(store.db, terms))
        index_write.erase(store.db, gone, terms)
        found.append((before, sorted(postings.read(store.db, terms))))
        index_write.erase(store.db, range(10), None)
        assert store.tables()[0] == []
        store.db.close()
    assert found[0] == found[1]
    assert found[0][0][0] == {term: len(set(rowids)) for term, rowids in terms.items()}
