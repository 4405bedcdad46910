"""A question finds memories by synonyms; memories with its own words rank first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from promptx_mem.search import candidates
from promptx_mem.search import query as synonyms
from promptx_mem.search.query import parse_query
from promptx_mem.search.ranking import SYNONYM
from promptx_mem.search.tokens import fold, word_lines
from tests.tables import rows

if TYPE_CHECKING:
    from tests.search.store import Store

TEXTS = (
    "My manager is Petra Lindqvist.",
    "The apartment on Calle Mayor costs 940 euros.",
    "Grandma's hearing aid needs batteries every ten days.",
    "Dad underwent surgery on his left knee.",
    "Marta resigned at the end of August.",
    "Flaky tests are quarantined by Jonas.",
    "The plumber's telephone is 555 0142.",
    "The pram is in the hall.",
)
GROUPS = [line.split(", ") for line in word_lines("synonyms")]


def found(question: str) -> dict[str, str]:
    return dict(synonyms.synonyms(question))


@pytest.mark.parametrize(("question", "rowid"), rows(__file__, "synonyms.jsonl"))
def test_match_by_a_synonym_ranks_first_and_is_not_weak(store: Store, question: str, rowid: int) -> None:
    first = candidates.search(store.db, parse_query(question), limit=3)[0]
    assert (first.rowid, first.weak) == (rowid, False)


@pytest.mark.parametrize(
    ("word", "known"),
    [("purchased", "buy"), ("bought", "purchase"), ("allergies", "allergic"), ("deciding", "decision"),
     ("children", "kid"), ("quitting", "resign"), ("boxes of cookies", "biscuit"), ("laid off", "layoff"),
     ("谁的 apartment", "flat")],
)  # fmt: skip
def test_inflected_words_have_synonyms(word: str, known: str) -> None:
    assert known in found(word)


def test_memory_with_the_words_of_the_question_ranks_first(store: Store) -> None:
    store.texts(["The boss of the bakery is Ines.", "The supervisor of the bakery is Olga."], first=20)
    assert store.find("who is the boss of the bakery")[:2] == [20, 21]


@pytest.mark.parametrize(
    "question",
    ["支付归谁管", "支付 owner", "支付出问题找谁", "whom do I ask about the relay", "who is to contact for the relay"],
)
def test_responsible_person_is_found_by_questions_in_other_words(store: Store, question: str) -> None:
    store.texts(["支付服务监听端口8024", "支付服务的负责人是高远", "支付服务每天4点备份"], first=20)
    store.texts(["The relay listens on port 25", "Bruno owns the relay", "The relay is backed up at 7"], first=30)
    assert store.find(question)[0] in (21, 31)


def test_weight_of_a_synonym_follows_the_word_of_the_query() -> None:
    query = parse_query("the boss")
    counts = {"boss": 2, "manag": 1}
    weights = candidates.weigh(query, counts, 100)
    assert weights["manag"] == pytest.approx(SYNONYM.weight * weights["boss"])
    unknown = candidates.weigh(query, {"manag": 1}, 100)
    assert unknown["manag"] > weights["manag"]


def test_every_word_of_the_synonym_table_gives_its_synonyms() -> None:
    for group in GROUPS:
        assert len(set(group)) == len(group) > 1, group
        for word in group:
            assert word == fold(word).lower()
            assert word.isascii()
            others = {other for other in group if " " not in other} - {word, *word.split()}
            if len(word) > 1:
                assert others <= found(word).keys() | {word}, word
