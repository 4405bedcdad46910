"""Run lines in bash, zsh and fish, with a program on the PATH that records its arguments and input."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

SHELLS = {"bash": ["bash", "-c"], "zsh": ["zsh", "-fc"], "fish": ["fish", "--no-config", "-c"]}

_PROGRAM = """#!/bin/sh
printf '%s\\0' "$@" > "$CAUGHT/$N.words"
for word do if [ "$word" = - ]; then cat > "$CAUGHT/$N.input"; fi; done
"""


class Call(NamedTuple):
    """The arguments and input of one call of the program."""

    words: list[str]
    input: bytes


def installed() -> list[str]:
    return [name for name in SHELLS if shutil.which(name) is not None]


def param(name: str) -> object:
    """Return a shell as a parameter of a test. The test is skipped if it is not installed."""
    missing = shutil.which(name) is None
    return pytest.param(
        name, marks=pytest.mark.skipif(missing, reason=f"{name} is not installed: apt-get install {name}")
    )


def calls(shell: str, lines: Sequence[str], folder: Path) -> list[Call | None]:
    """Run lines in one shell. Return the call of the program by each line, None if it was not called."""
    program, caught = folder / "bin" / "promptx-mem", folder / f"caught-{len(list(folder.glob('caught-*')))}"
    caught.mkdir()
    if not program.exists():
        program.parent.mkdir()
        program.write_text(_PROGRAM)
        program.chmod(0o755)
    environment = {
        "PATH": f"{program.parent}:{os.environ['PATH']}",
        "LC_ALL": "C.UTF-8",
        "HOME": "/nowhere",
        "CAUGHT": str(caught),
    }
    script = "".join(f"export N={number}\n{line}\n" for number, line in enumerate(lines))
    words = [*SHELLS[shell], script]
    done = subprocess.run(
        words, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    assert not done.stderr, done.stderr.decode()
    return [_call(caught, number) for number in range(len(lines))]


def _call(caught: Path, number: int) -> Call | None:
    words, text = caught / f"{number}.words", caught / f"{number}.input"
    if not words.exists():
        return None
    whole = words.read_bytes().decode("utf-8", "surrogateescape")
    return Call(whole.split("\0")[:-1], text.read_bytes() if text.exists() else b"")
