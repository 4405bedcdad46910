"""No banned phrase in messages, help, docstrings and pages (tests/words.py has the list)."""

import pytest

from tests import words


def test_no_banned_phrase_is_left() -> None:
    assert words.findings() == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ('def f() -> str:\n    """Return it.\n\n    At that\n    moment."""\n', [(2, "at that moment")]),
        ('print(f"the rest goes round {x}")\n', [(1, "goes round")]),
        ("# a comment may use all else\nx = 'other'\n", []),
    ],
)
def test_strings_of_modules_are_searched(source: str, found: list[tuple[int, str]]) -> None:
    assert list(words.in_module(source)) == found


def test_pages_are_searched_outside_their_code() -> None:
    page = "A\n\n```text\nall else\n```\n\n`all else`\nAll\nelse.\nRead\nanew.\n"
    assert list(words.in_page(page)) == [(8, "all else"), (11, "anew")]
