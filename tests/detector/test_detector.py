"""Texts that the gate treats as credentials, from tables of invented texts; each half is counted separately.

The first half was read while the patterns were written, the second only afterwards.
"""

from collections.abc import Callable

import pytest

from promptx_mem.core.credentials import find_credentials
from promptx_mem.core.personal_data import personal_data
from tests.detector import fresh_rows
from tests.detector.fresh_rows import table

ENGLISH, CHINESE, HARMLESS = map(table, ("credentials", "chinese", "harmless"))
HALVES = pytest.mark.parametrize("half", [0, 1], ids=["first", "second"])


@HALVES
@pytest.mark.parametrize(("rows", "share"), [(ENGLISH, 0.94), (CHINESE, 0.9)], ids=["credentials", "chinese"])
def test_most_credentials_are_found(rows: list[str], share: float, half: int) -> None:
    missed = [text for text in rows[half::2] if not find_credentials(text)]
    assert len(missed) <= (1 - share) * len(rows[half::2]), missed


@HALVES
def test_technical_sentences_are_rarely_credentials(half: int) -> None:
    taken = [text for text in HARMLESS[half::2] if find_credentials(text)]
    assert len(taken) <= 0.02 * len(HARMLESS[half::2]), taken


@pytest.mark.parametrize(
    ("rows", "share", "find"),
    [
        (fresh_rows.CREDENTIALS, 0.94, find_credentials),
        (fresh_rows.CHINESE, 0.9, find_credentials),
        (fresh_rows.PERSONAL, 0.95, personal_data),
    ],
    ids=["credentials", "chinese", "personal data"],
)
def test_most_of_the_second_table_is_found(rows: list[str], share: float, find: Callable[[str], object]) -> None:
    missed = [text for text in rows if not find(text)]
    assert len(missed) <= (1 - share) * len(rows), missed


@pytest.mark.parametrize("find", [find_credentials, personal_data])
def test_harmless_texts_of_the_second_table_are_rarely_found(find: Callable[[str], object]) -> None:
    taken = [text for text in fresh_rows.HARMLESS if find(text)]
    assert len(taken) <= 0.019 * len(fresh_rows.HARMLESS), taken


def test_repeated_words_are_not_a_seed_phrase() -> None:
    assert find_credentials("long story " * 80) == ()
    assert find_credentials("abandon " * 11 + "about") == ("Seed Phrase",)


def test_technical_sentences_are_rarely_personal_data() -> None:
    taken = [text for text in HARMLESS if personal_data(text)]
    assert len(taken) <= 0.02 * len(HARMLESS), taken


@pytest.mark.parametrize("rows", [fresh_rows.VENDOR_KEYS, fresh_rows.LATER_VENDOR_KEYS], ids=["first", "later"])
def test_credentials_of_todays_vendors_are_found(rows: list[str]) -> None:
    missed = [text for text in rows if not find_credentials(text)]
    assert len(missed) <= 0.02 * len(rows), missed


@pytest.mark.parametrize("rows", [fresh_rows.HARMLESS_KEYS, fresh_rows.LATER_HARMLESS_KEYS], ids=["first", "later"])
def test_identifiers_hashes_and_keys_of_databases_are_not_credentials(rows: list[str]) -> None:
    assert [text for text in rows if find_credentials(text)] == []


@pytest.mark.parametrize("kind", ["pk_live_", "pk_test_", "phc_", "sb_publishable_", "pk-lf-"])
def test_publishable_keys_are_not_credentials(kind: str) -> None:
    value = kind + fresh_rows.fill_in("<A40>")[0]
    for text in (f"the key is {value}", f"{value} is in the page", f"NEXT_PUBLIC_KEY={value}"):
        assert find_credentials(text) == ()
