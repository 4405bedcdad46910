"""Terms: what a memory is found by."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptx_mem.search import index_write, tokens


def terms(text: str) -> set[str]:
    found = tokens.raw_terms(tokens.fold(text))
    return {*found, *tokens.characters(found)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Green Tea", {"green", "tea"}),
        ("猫", {"猫"}),
        ("绿茶", {"绿", "茶", "绿茶"}),
        ("喝绿茶。", {"喝", "绿", "茶", "喝绿", "绿茶"}),
        ("Java 项目", {"java", "项", "目", "项目"}),
        ("ＡＰＩ＿ＵＲＬ", {"api", "url", "api_url"}),
        ("Café naïve", {"cafe", "naive"}),
        ("user_id", {"user", "id", "user_id"}),
        ("getUserName", {"getusername", "get", "user", "name"}),
        ("iPhone15", {"iphone15", "iphone", "15"}),
        ("v2.3.1", {"v2", "3", "1", "v2.3.1", "2.3.1", "2"}),
        ("src/app/main.py", {"src", "app", "main", "py", "main.py", "src/app/main.py"}),
        ("joe.doe@mail.com", {"joe", "doe", "mail", "com", "joe.doe", "mail.com", "joe.doe@mail.com"}),
        ("C++ C#", {"c", "c++", "c#"}),
        ("使用user_id字段", {"使", "用", "使用", "user", "id", "user_id", "字", "段", "字段"}),
        ("カメラ 한국어", {"カ", "メ", "ラ", "カメ", "メラ", "한", "국", "어", "한국", "국어"}),
        ("Привет мир", {"привет", "мир"}),
        ("!!! —— 😀", {"😀"}),
    ],
)
def test_terms(text: str, expected: set[str]) -> None:
    assert terms(text) == expected


def test_url_is_found_whole_and_by_part() -> None:
    found = terms("see https://example.com/a/b.html?q=1#top.")
    assert {"https://example.com/a/b.html?q=1#top", "example.com", "b.html", "html", "top"} <= found


@given(st.text(max_size=200))
def test_any_text_gives_terms_that_are_found_again(text: str) -> None:
    folded = tokens.fold(text)
    found = tokens.raw_terms(folded)
    assert all(found)
    assert set(tokens.plain_terms(folded.lower())) <= set(found)


SCRIPTS = st.text("ab1_ -，。é中文茶ㄅカ한ไทကคПр\u2e2f\u2e80\u3000\u3005𠀀𠮷\uffee\ud800", max_size=40)


@given(st.one_of(SCRIPTS, st.text(max_size=60)))
def test_an_index_gets_the_plain_terms(text: str) -> None:
    lower = tokens.fold(text).lower()
    words, pairs, length = index_write.paired_terms(lower)
    expected = tokens.plain_terms(lower)
    assert sorted([*words, *filter(None, map(index_write.pair_term, pairs))]) == sorted(expected)
    assert length == sum(tokens.CHARACTER if tokens.is_dense(term) else tokens.WORD for term in expected)


def test_stems_are_of_the_stemmer_and_of_the_irregular_forms() -> None:
    found = tokens.stems(["adopted", "children", "went", "studies", "user_id", "tea", "项目"])
    assert found == {"adopted": "adopt", "children": "child", "went": "go", "studies": "studi"}
    assert tokens.stems([]) == {}


def test_without_a_stemmer_words_are_found_as_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "_stemmer", lambda: None)
    assert tokens.stems(["adopted", "children"]) == {"children": "child"}


def test_a_word_asked_for_has_the_stem_that_it_is_indexed_by() -> None:
    words = [f"{word}{end}" for word in ("deploy", "walk", "stud", "naviga", "run") for end in _ENDS] * 5
    whole = tokens.stems(f"{word}{letter}" for word in words for letter in ("", "s"))
    assert len(set(words)) * 2 > tokens._FEW
    for word in dict.fromkeys(words):
        for _ in range(2):  # the second time it is remembered
            assert tokens.stems([word]) == ({word: whole[word]} if word in whole else {})


_ENDS = ("", "ing", "ed", "er", "ment", "ation", "y", "ies", "ive", "ness", "able", "ful", "ically")
