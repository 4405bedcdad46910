"""No banned phrase in messages, help, docstrings and pages (tests/words.py has the list)."""

from tests import words


def test_no_banned_phrase_is_left() -> None:
    assert words.findings() == []
