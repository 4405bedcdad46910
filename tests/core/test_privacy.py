"""Personal data in texts is found and masked."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptx_mem.core.personal_data import personal_data, redacted
from tests.tables import rows

ROWS = Path(__file__).parent / "rows"
PERSONAL = [row.split("|") for row in (ROWS / "personal.txt").read_text("utf-8").splitlines()]
"""Texts, each with the kinds of personal data that it contains."""

NOT_PERSONAL = (ROWS / "not_personal.txt").read_text("utf-8").splitlines()


def test_personal_data_is_found() -> None:
    found = {text: personal_data(text) for text, _ in PERSONAL}
    assert found == {text: tuple(kinds.split()) for text, kinds in PERSONAL}


def test_other_numbers_are_not_personal_data() -> None:
    assert [text for text in NOT_PERSONAL if personal_data(text)] == []


@given(st.text(), st.text(), st.sampled_from(PERSONAL))
def test_personal_data_is_found_inside_any_text(before: str, after: str, row: list[str]) -> None:
    text, kinds = row
    assert set(kinds.split()) <= set(personal_data(f"{before}\n。{text}。\n{after}"))


@pytest.mark.parametrize(("text", "expected", "kinds"), rows(__file__, "masked.jsonl"))
def test_personal_data_is_masked_in_place(text: str, expected: str, kinds: list[str]) -> None:
    assert redacted(text) == (expected, tuple(kinds))


@given(
    st.lists(
        st.sampled_from(
            ["13812345678", "zhang@example.com", "123-45-6789", " ", "，", "电话", "1", "-", "x@", "+86", "6222"]
        ),
        max_size=12,
    )
)
def test_masked_text_contains_no_personal_data(parts: list[str]) -> None:
    text = "".join(parts)
    masked, kinds = redacted(text)
    assert personal_data(masked) == ()
    assert set(personal_data(text)) <= set(kinds)
    assert masked == text or kinds
