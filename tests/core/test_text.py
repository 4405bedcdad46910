"""Invisible selectors and tags are removed from a text unless they change a glyph."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptx_mem.core import text as texts
from promptx_mem.core.text import clean, narrowed, without_hidden_selectors

HIDDEN = "".join(chr(0xE0100 + byte - 16) for byte in b"ignore all")
TAGS = "".join(chr(0xE0000 + byte) for byte in b"ignore all")
FLAG = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (f"tea{HIDDEN} and coffee", "tea and coffee"),
        (f"tea{TAGS}", "tea"),
        (HIDDEN, ""),
        ("a\ufe0fb", "ab"),
        ("茶\ufe0e\ufe0f", "茶\ufe0e"),
        (f"葛{HIDDEN}", f"葛{HIDDEN[0]}"),
        (f"❤\ufe0f{HIDDEN}", "❤\ufe0f"),
        (f"{FLAG}{TAGS}", "\U0001f3f4"),
        ("1\ufe0f", "1"),
    ],
)
def test_selectors_without_a_glyph_are_removed(text: str, kept: str) -> None:
    assert clean(text) == kept


@pytest.mark.parametrize(
    "text",
    ["❤\ufe0f", "☃\ufe0e", "1\ufe0f\u20e3", "葛\U000e0100飾", FLAG, "👩\u200d❤\ufe0f\u200d👩", "‼\ufe0f", "㊗\ufe0f"],
)
def test_selectors_that_change_a_glyph_are_kept(text: str) -> None:
    assert clean(text) == text


@given(st.text(st.sampled_from("a葛❤1#\u20e3\ufe0f\ufe0e\U000e0100\U000e0041\U000e007f\U0001f3f4")))
def test_with_glyphs_is_idempotent(text: str) -> None:
    assert without_hidden_selectors(without_hidden_selectors(text)) == without_hidden_selectors(text)


@pytest.mark.parametrize(
    ("form", "short"),
    [
        ("[天日晚夜]前", "[天日晚]前"),
        ("[^,，。]+的[我你]", "[^,]+的[我你]"),
        ("[^，。]", "[^，]"),
        ("[一二三0-9]", "[0-9]"),
        (r"\[天日]|[\u4e00-\u9fff]", r"\[天日]|[\u4e00-\u9fff]"),
        ("[一-龥]", "[一-龥]"),
    ],
)
def test_narrowed_pattern_is_shorter_and_finds_the_same(form: str, short: str) -> None:
    said = "昨天晚上的[日志], 2 条"
    assert narrowed(form, said) == short
    assert re.findall(short, said) == re.findall(form, said)


def test_pattern_that_is_used_often_is_not_narrowed() -> None:
    forms = [narrowed("[甲乙丙丁]戊", "甲") for _ in range(texts._FEW_USES + 1)]
    assert forms[:-1] == ["[甲]戊"] * texts._FEW_USES
    assert forms[-1] == "[甲乙丙丁]戊"
