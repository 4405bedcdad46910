"""The command line, run in this process: fast enough to try the whole table of strings."""

import io
import os
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from tests.cli import program
from tests.inside import app

DOCUMENTED = (0, 1, 2, 3, 4, 5)

# Independent of the program: controls, bidi marks, line separators, the BOM, surrogates, tags.
RAW = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff\U000e0000-\U000e007f]"
)


def without_usage(text: str) -> str:
    """Return a text without the placeholders of the program's own usage lines."""
    return re.sub("<(?:text|tag|0-10|words)>", "", text)


@dataclass(frozen=True)
class Ran(program.Ran):
    """The output of one run of the program."""

    words: tuple[str, ...]


def run(*words: str, stdin: bytes = b"", env: dict[str, str] | None = None) -> Ran:
    """Run one command line in the working directory and check its output."""
    out, err = io.StringIO(), io.StringIO()
    source = io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8")
    given = {"PROMPTX_MEM_SESSION": "hostile", "HOME": f"{os.getcwd()}-home", "COLUMNS": "100"} | (env or {})
    with (
        mock.patch.object(sys, "stdin", source),
        mock.patch.object(sys, "stdout", out),
        mock.patch.object(sys, "stderr", err),
        mock.patch.dict(os.environ, given),
    ):
        status = app.run(list(words))
    ran = Ran(status, out.getvalue(), err.getvalue(), words)
    check(ran)
    return ran


def check(ran: Ran, allowed: Iterable[int] = DOCUMENTED) -> None:
    """Check for a documented status, no traceback, no unprintable characters, and a JSON object with --json."""
    shown = (tuple(word[:80] for word in ran.words), ran.status, ran.out[:300], ran.err[:500])
    assert ran.status in allowed, shown
    for text in (ran.out, ran.err):
        assert "Traceback" not in text, shown
        assert "please report" not in text, shown
        assert (found := RAW.search(text)) is None, (found, shown)
    if "--json" in ran.words[: ran.words.index("--")] if "--" in ran.words else "--json" in ran.words:
        assert ran.object["exit"] == ran.status, shown


def memories(*words: str) -> dict[str, dict[str, Any]]:
    """Return every memory of the store by its id, also ended ones."""
    found = run("recall", "--json", "--archived", "--no-touch", "-n", "10000", *words).object["memories"]
    return {one["id"]: one for one in found}


def check_store(root: Path, *, clean: bool = True) -> None:
    """Check that no file contains a raw control character and `audit --verify` finds no problem."""
    for path in root.rglob("*"):
        if (
            path.is_file()
            and not path.is_symlink()
            and path.suffix in (".md", ".jsonl", "")
            and ".cache" not in path.parts
        ):
            found = RAW.search(path.read_bytes().decode("utf-8"))
            assert found is None, (path, found)
    if clean:
        said = run("audit", "--verify", "--json")
        assert said.status == 0, said.object["problems"][:5]


def check_place(folder: Path) -> None:
    """Check that nothing was written outside the store, in this folder or above."""
    here = sorted(path.name for path in folder.iterdir())
    assert here in ([], [".memory"])
    for above in list(folder.parents)[:6]:
        assert [path.name for path in above.iterdir() if path not in (folder, *folder.parents)] == []
