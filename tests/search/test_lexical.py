"""The index: add, remove, search, with a small `memories` table instead of the cache's; near duplicates."""

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from promptx_mem.search import candidates, postings, ranking
from promptx_mem.search.index_write import Doc
from promptx_mem.search.memories import around
from promptx_mem.search.query import parse_query
from promptx_mem.search.tokens import IRREGULAR
from tests.search.store import Store
from tests.tables import rows
from tests.world import World

TEXTS = (
    "I like green tea in the morning", "coffee is better than tea", "用户喜欢绿茶和咖啡",
    "Java 项目 uses user_id and getUserName since v2.3.1", "see https://example.com/a/b.html and src/app/main.py",
    "the iPhone15 手机 came on 2026-05-01", "cats love fish", "the cat sat", "ＦＵＬＬ ｗｉｄｔｈ ＡＰＩ＿ＵＲＬ", "what is it", "😀",
    "每週二同步", "每星期五不发版",
)  # fmt: skip


@pytest.mark.parametrize(("query", "found"), rows(__file__, "lexical_words.jsonl"))
def test_search_finds_any_word_of_the_query(store: Store, query: str, found: list[int]) -> None:
    assert sorted(store.find(query)[: len(found)]) == found


@pytest.mark.parametrize(("query", "found"), rows(__file__, "lexical_phrases.jsonl"))
def test_phrases_and_exclusions_limit_the_results(store: Store, query: str, found: list[int]) -> None:
    assert set(store.find(query)) == set(found)


def test_literal_query_treats_marks_as_text(store: Store) -> None:
    query = parse_query('"tea green" -coffee', literal=True)
    assert {hit.rowid for hit in candidates.search(store.db, query, limit=9)} == {1, 2}


def test_memory_equal_to_the_query_ranks_first(empty: Store) -> None:
    empty.texts(["deploy deploy the the server", *["deploy the server now"] * 300, "Deploy the server"])
    hits = candidates.search(empty.db, parse_query("deploy the server"), limit=3)
    assert hits[0].rowid == 302
    assert hits[0].score > hits[1].score + 0.9 * ranking.WHOLE.weight


def test_tags_topic_and_year_are_found(empty: Store) -> None:
    empty.put([Doc(1, "nothing much", ("用户偏好", "2026"), "project->partner", day="2026-11-03"), Doc(2, "something")])
    assert empty.find("偏好") == empty.find("partner") == [1]
    (hit,) = candidates.search(empty.db, parse_query("partner 2026"), limit=1)
    assert hit.score == pytest.approx(sum(hit.terms.values())), "the parts of `2026` and `@2026` are added up"


def test_newest_of_equal_matches_ranks_first(empty: Store) -> None:
    empty.put([Doc(rowid, f"{word} tea", session=str(rowid)) for rowid, word in enumerate("bcefghj", 1)])
    assert empty.find("tea", 3) == [7, 6, 5]


def test_candidates_are_the_memories_with_the_greatest_weights_for_their_length(empty: Store) -> None:
    """Of equal weights, the shorter memory is first, then the newer one, also among memories of over 200 words."""
    any_ = random.Random(5)
    words = [any_.sample(["tea", "milk", "rice"], any_.randint(1, 3)) for _ in range(300)]
    lengths = [any_.choice((1, 1, 2, 30, 300, 500)) for _ in words]
    texts = [" ".join([*own, *["x"] * length]) for own, length in zip(words, lengths, strict=True)]
    empty.put([Doc(rowid, text, session=str(rowid)) for rowid, text in enumerate(texts, 1)])
    empty.remove(range(1, 300, 7))
    drawn = candidates.Candidates(empty.db, parse_query("tea milk rice"))
    kept = [rowid for rowid in range(1, 301) if rowid % 7 != 1]

    def key(rowid: int) -> tuple[float, int, int]:
        weight = sum(drawn.weights[term] for term in words[rowid - 1])
        return round(-weight / (1 + candidates.norm(drawn.length(rowid))), 9), drawn.length(rowid), -rowid

    for some in (kept, kept[::5]):
        for most in (1, 20, 100, 400):
            assert drawn.draw(most, None if some is kept else set(some)) == sorted(some, key=key)[:most]


def test_neighbours_share_words_only_within_a_session(empty: Store) -> None:
    lines = ["we talked of the Alps", "it rained for two days", "a quiet week", "it rained for two days"]
    empty.put([Doc(rowid, text, session="a" if rowid < 4 else "b") for rowid, text in enumerate(lines, 1)])
    hits = candidates.search(empty.db, parse_query("rain in the Alps"), limit=4)
    assert [hit.rowid for hit in hits][:2] == [2, 1]
    assert hits[0].terms.keys() == {"rain", "alps"}
    assert next(hit for hit in hits if hit.rowid == 4).terms.keys() == {"rain"}


def test_filtered_search_still_reaches_the_limit(empty: Store) -> None:
    empty.texts([f"tea number {n}" for n in range(1500)])
    empty.db.execute("UPDATE memories SET live = 0 WHERE rowid > 5")
    assert sorted(empty.find("tea", 4, where="live = ?", params=(1,))) == [2, 3, 4, 5]
    assert empty.find("tea", 4, where="live = 7") == []


@pytest.mark.parametrize("first", [True, False])
def test_every_word_finds_its_memory_among_similar_words(empty: Store, *, first: bool) -> None:
    """The stem of a word may be a word with another stem: deployment, thoughts, founded."""
    plain = sorted(word for word in ranking.COMMON_WORDS | IRREGULAR.keys() if word.isascii())
    words = [
        word + ending for word in [*plain, "deploy", "enjoy", "employ"] for ending in ("s", "ed", "ment", "er", "")
    ]
    documents = [Doc(rowid, word, session=str(rowid)) for rowid, word in enumerate(words, 1)]
    for some in [documents] if first else [documents[:1], documents[1:]]:
        empty.put(some)
    lost = []
    for rowid, word in enumerate(words, 1):
        ((term, _, _), *_) = parse_query(word, literal=True).terms
        if rowid not in postings.rowids(empty.db, term):
            lost.append(word)
    assert lost == []


def test_word_is_found_if_a_tag_is_its_prefix(empty: Store) -> None:
    empty.put([Doc(1, "Deployment uses ArgoCD", ("deploy",)), Doc(2, "the train leaves at 7", session="b")])
    assert empty.find("deployment") == empty.find("how do we deploy") == [1]
    assert empty.find("when does the train leave") == [2]


def test_words_of_asking_count_less_than_the_subject(empty: Store) -> None:
    empty.texts(["they keep a list of different names in order", "the move to Porto is in May"])
    query = parse_query("can you list the different parts of my move to Porto, in order?")
    assert [hit.rowid for hit in candidates.search(empty.db, query, limit=2)] == [2, 1]
    asking = {word for _, weight, word in query.terms if weight == ranking.ASKING.weight}
    assert asking == {"list", "different", "order"}
    assert {weight for _, weight, _ in parse_query("what we discussed in detail").terms} == {1.0}


def alike(world: World, text: str) -> list[tuple[str, float]]:
    with world.memory.context.cache() as cache:
        return [(state.entry.text, likeness) for state, likeness in around(cache, text)]


def test_near_duplicates_are_found(world: World) -> None:
    base = "The deployment of the billing service needs a restart of the message queue each Monday"
    texts = [base, base.replace("Monday", "Friday"), "用户喜欢在早上喝绿茶并且听音乐", "unrelated words only"]
    world.import_texts(*texts)
    found = alike(world, base.replace("each", "every"))
    assert [text for text, _ in found] == texts[:2]
    assert found[0][1] > found[1][1] > 0.5
    [(text, likeness)] = alike(world, "用户喜欢在早上喝绿茶并且听广播")
    assert (text, likeness >= 0.6) == (texts[2], True)
    assert alike(world, base)[0] == (base, 1.0)
    assert alike(world, "entirely different") == alike(world, "") == []
    world.import_texts("tea", "😀")
    assert alike(world, "😀") == [("😀", 1.0)]


WORDS = st.lists(
    st.sampled_from(["tea", "teas", "绿茶", "茶", "咖啡", "run", "ran", "user_id", "v1.2", "2026-05-01", "the"]),
    min_size=1,
    max_size=6,
)
MEMORIES = st.lists(st.tuples(WORDS, st.sampled_from(["2026-01-01", "2026-01-02", None])), min_size=1, max_size=12)


def indexed_in_parts(memories: list[tuple[list[str], str | None]], order: list[int], parts: int) -> Store:
    store = Store()
    docs = [Doc(rowid, " ".join(memories[rowid][0]), ("tag",), day=memories[rowid][1]) for rowid in order]
    size = -(-len(docs) // parts)
    for start in range(0, len(docs), size):
        store.put(docs[start : start + size])
    return store


@settings(deadline=None)
@given(MEMORIES, st.integers(1, 5), st.randoms(use_true_random=False), WORDS)
def test_order_of_additions_does_not_change_the_results(
    memories: list[tuple[list[str], str | None]], parts: int, random: Any, query: list[str]
) -> None:
    order = list(range(len(memories)))
    at_once = indexed_in_parts(memories, order, 1)
    random.shuffle(order)
    bit_by_bit = indexed_in_parts(memories, order, parts)
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
