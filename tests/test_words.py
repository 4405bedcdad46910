"""No banned phrase in messages, help, docstrings and pages (tests/words.py has the list)."""

from tests import words


def test_package_and_pages_contain_no_banned_phrase() -> None:
    assert words.findings() == []
