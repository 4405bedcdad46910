"""Terms, by which memories are found."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptx_mem.search import tokens
from tests.tables import rows


def terms(text: str) -> set[str]:
    found = tokens.raw_terms(tokens.fold(text))
    return {*found, *tokens.pairs_by_first_character(found)}


@pytest.mark.parametrize(("text", "expected"), rows(__file__, "terms.jsonl"))
def test_text_is_split_into_terms(text: str, expected: list[str]) -> None:
    assert terms(text) == set(expected)


def test_url_is_found_whole_and_by_part() -> None:
    found = terms("see https://example.com/a/b.html?q=1#top.")
    assert {"https://example.com/a/b.html?q=1#top", "example.com", "b.html", "html", "top"} <= found


@given(st.text(max_size=200))
def test_plain_terms_of_any_text_are_among_its_terms(text: str) -> None:
    folded = tokens.fold(text)
    found = tokens.raw_terms(folded)
    assert all(found)
    assert set(tokens.plain_terms(folded.lower())) <= set(found)


def test_stems_come_from_the_stemmer_and_the_irregular_words() -> None:
    found = tokens.stems(["adopted", "children", "went", "studies", "user_id", "tea", "项目"])
    assert found == {"adopted": "adopt", "children": "child", "went": "go", "studies": "studi"}
    assert tokens.stems([]) == {}


def test_only_irregular_words_have_stems_without_a_stemmer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "_stemmer", lambda: None)
    assert tokens.stems(["adopted", "children"]) == {"children": "child"}


def test_word_of_a_query_has_the_same_stem_as_in_the_index() -> None:
    words = [f"{word}{end}" for word in ("deploy", "walk", "stud", "naviga", "run") for end in _ENDS] * 5
    whole = tokens.stems(f"{word}{letter}" for word in words for letter in ("", "s"))
    for word in dict.fromkeys(words):
        for _ in range(2):  # the second time from the stem cache
            assert tokens.stems([word]) == ({word: whole[word]} if word in whole else {})


_ENDS = ("", "ing", "ed", "er", "ment", "ation", "y", "ies", "ive", "ness", "able", "ful", "ically")
