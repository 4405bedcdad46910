"""Long memories are ranked by their best passage; the beginning of a memory counts more."""

import pytest

from promptx_mem.search import passages, tokens
from tests.search.store import Store

FILLER = "the quick brown fox jumps over the lazy dog while seven grey wizards mix purple potions near a frozen lake"
ZH = "我们在会议上讨论了很多事情其中包括预算人员安排以及下一年的目标大家都同意先做调查再决定怎样继续下去"


@pytest.mark.parametrize(
    ("filler", "fact", "query"),
    [
        (f"{FILLER}. ", "The spare key of the boathouse hangs behind the third oar. ", "boathouse spare key third oar"),
        (f"{ZH}。", "船库的备用钥匙挂在第三支桨后面。", "船库的备用钥匙在哪里"),
    ],
)
def test_long_memory_is_found_by_one_of_its_sentences(empty: Store, filler: str, fact: str, query: str) -> None:
    scattered = " ".join(f"{word} {filler}" for word in tokens.plain_terms(tokens.fold(fact).lower()))
    empty.texts([*[f"{filler} {n}" for n in range(30)], scattered, filler * 8 + fact + filler * 8, filler * 20])
    assert empty.find(query, 2) == [32, 31]


def test_lengthened_memory_ranks_right_after_the_short_one(empty: Store) -> None:
    empty.texts(
        [f"{FILLER} {n}" for n in range(20)] + ["the heron nests in March", "the heron nests in March. " + FILLER * 9]
    )
    assert empty.find("when does the heron nest", 2) == [21, 22]


def test_beginning_of_a_memory_counts_more(empty: Store) -> None:
    empty.texts(["we met Clara in Porto last year", "Clara lives in Porto with us", "in Porto we saw a Clara once"])
    assert empty.find("Clara", 1) == [2]
    assert empty.find("where does clara live", 1) == [2]


@pytest.mark.parametrize(("gap", "both"), [(3, 2), (400, 1)])
def test_two_words_count_together_only_if_they_are_close(gap: int, both: int) -> None:
    values = {term: [float(n > 0) for n in range(passages.MOST + 1)] for term in ("tea", "cup")}
    text = passages.read(f"tea {'x' * gap} cup", 40 / (gap + 8), passages.heads(values))
    assert sum(passages.best(text, values, passages.forms([text])).values()) == both


@pytest.mark.parametrize("together", [True, False])
def test_long_memory_ranks_first_only_if_it_has_all_words_together(empty: Store, *, together: bool) -> None:
    words = ["engaging", "audiobook", "series", "winter"]
    gap = " " if together else f" {FILLER} "
    short = [f"{one} and {other}, {number}" for number in range(5) for one in words for other in words if one < other]
    empty.texts(
        [*short, f"{FILLER} " * 14 + gap.join(words) + f" {FILLER}" * 14, *[f"{FILLER} {n}" for n in range(30)]]
    )
    assert (empty.find("engaging winter audiobook series", 5)[0] == len(short) + 1) is together


def test_short_memory_with_all_words_ranks_before_a_long_one(empty: Store) -> None:
    sentence = "an engaging audiobook series for winter"
    empty.texts([f"{FILLER} " * 14 + sentence + f" {FILLER}" * 14, f"we wished for {sentence}, did we not"])
    assert empty.find("engaging winter audiobook series", 2) == [2, 1]
