"""Quoted words are read back unchanged by bash, zsh and fish in any locale."""

import os
import shutil
import subprocess
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from promptx_mem.core import shell
from promptx_mem.core.text import is_printable
from tests import strategies
from tests.tables import rows

Run = Callable[..., bytes]

TEXTS = st.one_of(strategies.texts, st.text(st.characters(exclude_categories=()), max_size=20))


SHELLS = {"bash": ["bash", "-c"], "zsh": ["zsh", "-fc"], "fish": ["fish", "--no-config", "-c"], "sh": ["sh", "-c"]}


@pytest.fixture(params=SHELLS)
def run(request: pytest.FixtureRequest) -> Run:
    """Run a line in a shell and return its output."""
    if shutil.which(request.param) is None:
        pytest.skip(f"{request.param} is not installed: apt-get install {request.param}")

    def run(line: str, locale: str = "C.UTF-8") -> bytes:
        environment = {"PATH": os.environ["PATH"], "LC_ALL": locale, "HOME": "/nowhere"}
        return subprocess.run([*SHELLS[request.param], line], capture_output=True, check=True, env=environment).stdout

    return run


@given(
    words=st.lists(TEXTS.map(lambda text: text.rstrip("\n")), min_size=1, max_size=4),
    escaped=st.sampled_from(["", shell.MARKS]),
    locale=st.sampled_from(["C", "C.UTF-8"]),
)
@example(
    words=["", "it's", "a\\nb\n'", "$(x) `y` !z", "\\", "\\\\'\\", "=ls", "%self", '"'], escaped=shell.MARKS, locale="C"
)
@example(words=["\x01a", "\u202ebc", '"$x" `y` (z) !\n\\'], escaped="", locale="C")
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_quoted_words_are_read_back(run: Run, words: list[str], escaped: str, locale: str) -> None:
    line = shell.join(words, escaped)
    assert is_printable(line)
    assert not any(mark in line for mark in escaped)
    said = run(f"env printf '%s\\0' {line}", locale).split(b"\0")[:-1]
    assert said == [_stored(word.replace("\0", "").rstrip("\n")) for word in words]


@pytest.mark.parametrize("run", ["bash"], indirect=True)
def test_undecodable_byte_of_a_path_is_read_back(run: Run) -> None:
    assert run(f"env printf %s {shell.quote(chr(0xDCFF) + '0')}", "C") == b"\xff0"


@pytest.mark.parametrize(("word", "quoted"), rows(__file__, "quoted.jsonl"))
def test_word_is_quoted_only_as_needed(word: str, quoted: str) -> None:
    assert shell.quote(word) == quoted


def _stored(word: str) -> bytes:
    """Return the bytes of a word: undecodable bytes unchanged, other surrogates as U+FFFD."""
    halves = [char if "\udc80" <= char <= "\udcff" else char.encode("utf-16", "surrogatepass") for char in word]
    return b"".join(
        half.encode("utf-8", "surrogateescape") if isinstance(half, str) else half.decode("utf-16", "replace").encode()
        for half in halves
    )
