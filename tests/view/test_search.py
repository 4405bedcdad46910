"""The page's search splits text as the program does: it uses the program's tables, and its code is compared here."""

import random
import unicodedata
from typing import TYPE_CHECKING, Any

import pytest

from promptx_mem.search import tokens
from promptx_mem.search.query import parse_query
from promptx_mem.search.tokens import FUNCTION_PHRASES, STOP_WORDS
from promptx_mem.view.page import ASSETS, tables
from tests.hostile.strings import STRINGS

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

KNOWN = [char for char in map(chr, range(0x20, 0x30000)) if unicodedata.category(char) not in ("Cs", "Cn", "Co")]
"""Characters of Python's Unicode; the browser's may be newer."""

ALPHABETS = (
    KNOWN,
    list("用户偏好喜欢的是什么咖啡我們繁體簡体測試カタカナひらがな한국어ไทยမြန်မာ"),
    list("abcXYZ019 _-./#ÀéñßİıŞǆﬁＡ１（），。：ΣςОЁé"),
    list("㍿①Ⅷ½ℌ㌔ﾊﾞ𠮷𝒜🇨🇳👩‍👩‍👧\u3000\u00a0\u200d\t\n"),
)
COMMON = [*FUNCTION_PHRASES, *sorted(STOP_WORDS)[:40], "用户", "偏好", "coffee", "部署"]
TEXTS = 1_500


def random_texts() -> list[str]:
    """Return texts of random pieces, each from one alphabet; the same every time."""
    chance = random.Random(2026)
    texts = [
        "".join(
            "".join(chance.choices(chance.choice(ALPHABETS), k=chance.randrange(12)))
            for _ in range(chance.randrange(6))
        )
        for _ in range(TEXTS)
    ]
    return _storable([*texts, *STRINGS.values()])


def queries() -> list[str]:
    chance = random.Random(2027)
    return [chance.choice(("", " ")).join(chance.choices(COMMON, k=chance.randrange(7))) for _ in range(TEXTS)]


@pytest.fixture(scope="module")
def blank_page(browser: "Browser") -> "Page":
    page = browser.new_page()
    with open(f"{ASSETS}/search.js", encoding="utf-8") as file:
        page.evaluate(f"(tables) => {{ {file.read()}; window.search = makeSearch(tables); }}", tables())
    return page


def ask(page: "Page", name: str, texts: list[str]) -> list[Any]:
    values = page.evaluate("([name, texts]) => texts.map((text) => search[name](text))", [name, texts])
    assert isinstance(values, list)
    return values


def test_page_folds_text_as_the_program_does(blank_page: "Page") -> None:
    texts = random_texts()
    for text, folded in zip(texts, ask(blank_page, "fold", texts), strict=True):
        assert folded == _folded(text), repr(text)


def test_page_searches_only_content_words_of_a_query(blank_page: "Page") -> None:
    texts = [*random_texts(), *queries()]
    for text, words in zip(texts, ask(blank_page, "ask", texts), strict=True):
        asked = {term for word in words for term in word.get("pairs") or [word["word"]]}
        every = set(tokens.plain_terms(_folded(text)))
        kinds = {term for term in every if len(term) > 1 or not tokens.is_dense(term)}
        stems = tokens.stems(asked)
        terms = parse_query(text, literal=True).terms
        content = {term for term, _, word in terms if word in kinds}
        assert asked <= every | {char for term in every for char in term}, repr(text)
        dated = any(term[0] == "@" for term, _, _ in terms)  # a date is not read word by word
        if content and not dated:  # else only an identifier counts, as in a/a/a: it is found by its letters
            assert {stems.get(term, term) for term in asked & kinds} == content, repr(text)


def _folded(text: str) -> str:
    return tokens.fold(_storable([text])[0]).lower()


def _storable(texts: list[str]) -> list[str]:
    """Return the texts as a store contains them: without lone surrogates."""
    return [text.encode("utf-8", "replace").decode() for text in texts]
