"""What the gate takes for a credential, over tables of made-up texts; the halves of each are counted apart.

The first half was looked at while the forms were written, the second only afterwards.
"""

import pytest

from promptx_mem.core.credential_look import may_hold_credential
from promptx_mem.core.privacy import personal_data
from promptx_mem.credentials import find_credentials
from tests.detector.credential_rows import CHINESE, HIDDEN, SAID, VENDORS
from tests.detector.harmless_rows import HARMLESS

ENGLISH = [*VENDORS, *SAID, *HIDDEN]
HALVES = pytest.mark.parametrize("half", [0, 1], ids=["first", "second"])


@HALVES
@pytest.mark.parametrize(("rows", "share"), [(ENGLISH, 0.94), (CHINESE, 0.9)], ids=["credentials", "chinese"])
def test_most_credentials_are_found(rows: list[str], share: float, half: int) -> None:
    missed = [text for text in rows[half::2] if not find_credentials(text)]
    assert len(missed) <= (1 - share) * len(rows[half::2]), missed


@HALVES
def test_hardly_any_technical_sentence_is_taken_for_one(half: int) -> None:
    taken = [text for text in HARMLESS[half::2] if find_credentials(text)]
    assert len(taken) <= 0.02 * len(HARMLESS[half::2]), taken


def test_the_same_words_again_and_again_are_no_seed_phrase() -> None:
    assert find_credentials("long story " * 80) == ()
    assert find_credentials("abandon " * 11 + "about") == ("Seed Phrase",)


def test_hardly_any_technical_sentence_is_taken_for_personal_data() -> None:
    taken = [text for text in HARMLESS if personal_data(text)]
    assert len(taken) <= 0.02 * len(HARMLESS), taken


@pytest.mark.parametrize("text", [*ENGLISH, *CHINESE])
def test_the_first_look_lets_none_pass_that_is_found(text: str) -> None:
    assert may_hold_credential(text) or not find_credentials(text)


def test_the_tables_are_large_enough() -> None:
    assert (len(set(ENGLISH)) >= 120, len(set(CHINESE)) >= 40, len(set(HARMLESS)) >= 200) == (True, True, True)


@pytest.mark.parametrize("text", [*VENDORS[:40:4], *CHINESE[:20:4]])
def test_a_credential_is_found_wherever_it_stands_in_a_long_text(text: str) -> None:
    for before, after in ((0, 5_000), (4_000, 0), (2_500, 2_500)):
        assert find_credentials("plain words, " * (before // 13) + "\n" + text + "\n" + "普通的话。" * (after // 5))
