"""Thirty wrong command lines, at a terminal and through a pipe: every command printed in answer runs."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests import terminal
from tests.api import Memory, Request, layout

LINES = (
    "remember",
    "remember We use Postgres #db score:9",
    "remember 'We use Postgres' '#db'",
    "remember 'We use Postgres' score:8",
    "remember 'We use Postgres' '#db' score:11",
    "remember 'We use Postgres' '#db' score:8 duration:soon",
    "remember 'We use Postgres' '#db' score:3",
    "remember 'We use Postgres' '#my db' score:8",
    "remember '#db' score:8 We use Postgres",
    "remember 'We use Postgres #db' --score 8",
    "remember 'We use Postgres' '#db' --scroe 8",
    "--score 8 remember 'We use Postgres' '#db'",
    "remember 'my key is ghp_0123456789abcdefghijABCDEFGHIJ012345' '#db' score:8",
    "remember 'We use Postgres' '#db' score:8 --update m_zzzz",
    "remember 'We use Postgres' '#db' score:8 --topic project->partner",
    "add 'We use Postgres' '#db' score:8",
    "recall -n five",
    "recall --date someday",
    "forget tea",
    "forget m_zzzz",
    "review m_",
    "get m_zzzz",
    "tags tea",
    "restore --last",
    "remember --file notes.md",
    "setup Clade",
    "audit --session nobody --undo",
)
_PRINTED = re.compile(r"(?:^|(?<!usage): |→ )\s*((?:promptx-mem|echo|printf) .+)$")
_PROGRAM = f'promptx-mem() {{ {sys.executable} -m promptx_mem "$@"; }}\n'


def _run(line: str, folder: Path, *, on_terminal: bool) -> tuple[int, str]:
    """Run a line of bash in a folder."""
    command = ["bash", "-c", f"{_PROGRAM}{line}"]
    if on_terminal:
        return terminal.run_program(command, folder, env={"COLUMNS": "400"})
    done = subprocess.run(
        command,
        cwd=folder,
        input="",
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "LC_ALL": "C.UTF-8"},
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.one_in(5)
@pytest.mark.parametrize("on_terminal", [True, False], ids=["terminal", "pipe"])
@pytest.mark.parametrize("line", LINES)
def test_every_printed_command_runs(tmp_path: Path, line: str, on_terminal: bool) -> None:
    memory = Memory(layout.at(str(tmp_path / ".memory")), "test")
    for number in range(8):
        memory.remember(Request(f"fact number {number} likes tea", ("tea",), "8"))
    status, shown = _run(f"promptx-mem {line}", tmp_path, on_terminal=on_terminal)
    assert status < 5, shown
    assert not re.search(r"\b(?:TAG|SCORE|TEXT|DURATION)\?", shown)
    for command in [match[1] for text in shown.split("\n") if (match := _PRINTED.search(text.rstrip()))]:
        status, again = _run(command, tmp_path, on_terminal=on_terminal)
        assert status in (0, 1), (shown, command, again)
