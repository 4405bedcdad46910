"""What is quoted comes back from bash as it was, in any locale."""

import os
import subprocess

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from promptx_mem.core import shell
from promptx_mem.core.text import is_printable, unicode
from tests import strategies

TEXTS = st.one_of(strategies.texts, st.text(st.characters(exclude_categories=()), max_size=20))


def _bash(line: str, locale: str) -> bytes:
    environment = {"PATH": os.environ["PATH"], "LC_ALL": locale}
    return subprocess.run(["bash", "-c", line], capture_output=True, check=True, env=environment).stdout


@given(
    words=st.lists(TEXTS, min_size=1, max_size=4),
    spelled=st.sampled_from(["", shell.MARKS]),
    locale=st.sampled_from(["C", "C.UTF-8"]),
)
@example(words=["", "it's", "a\\nb\n'", "$(x) `y` !z"], spelled=shell.MARKS, locale="C")
@example(words=["\x01a", "\u202ebc", "\udcff0"], spelled="", locale="C")
@settings(max_examples=60, deadline=None)
def test_words_come_back(words: list[str], spelled: str, locale: str) -> None:
    line = shell.join(words, spelled)
    assert is_printable(line)
    assert not any(mark in line for mark in spelled)
    said = _bash(f"printf '%s\\0' {line}", locale).split(b"\0")[:-1]
    assert said == [_stored(word.replace("\0", "")) for word in words]


@given(text=TEXTS, spelled=st.sampled_from(["", shell.MARKS]))
@example(text="alpha\0beta", spelled="")
@example(text="\0", spelled="")
@example(text="100%\\0000\0\\c\n-", spelled=shell.MARKS)
@settings(max_examples=60, deadline=None)
def test_a_text_comes_back_whole_nul_and_all(text: str, spelled: str) -> None:
    line = shell.with_text(["f", "-t", "a"], text, spelled)
    assert is_printable(line)
    catch = 'f() { if [ "${@: -1}" = - ]; then cat; else printf %s "${@: -1}"; fi; }\n'
    said = _bash(catch + line, "C.UTF-8")
    assert said == (unicode(text).encode() if "\0" in text else _stored("- " if text == "-" else text))


@pytest.mark.parametrize(
    ("word", "quoted"),
    [
        ("plain-1.0", "plain-1.0"),
        ("", "''"),
        ("two words", "'two words'"),
        ("偏好", "'偏好'"),
        ("it's", """'it'"'"'s'"""),
        ("a\nb", r"$'a\nb'"),
        ("\x1b[2J", r"$'\x1b[2J'"),
        ("a\0b", "$'ab'"),
    ],
)
def test_a_word_is_quoted_no_more_than_it_needs(word: str, quoted: str) -> None:
    assert shell.quote(word) == quoted


def _stored(word: str) -> bytes:
    """Bytes that were no UTF-8 come back as they were, any other half of a character as U+FFFD."""
    halves = [char if "\udc80" <= char <= "\udcff" else char.encode("utf-16", "surrogatepass") for char in word]
    return b"".join(
        half.encode("utf-8", "surrogateescape") if isinstance(half, str) else half.decode("utf-16", "replace").encode()
        for half in halves
    )
