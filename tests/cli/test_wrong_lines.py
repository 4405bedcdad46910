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
    "remember 'We use Postgres' 8",
    "remember 'We use Postgres' '#db' score:11",
    "remember 'We use Postgres' '#db' --score high",
    "remember 'We use Postgres' '#db' score:8 duration:soon",
    "remember 'We use Postgres' '#db' score:8 duration:2020-01-01",
    "remember 'We use Postgres' '#db' score:3",
    "remember 'We use Postgres' '#my db' score:8",
    "remember 'We use Postgres' -t 'my db' --score 8",
    "remember 'We use Postgres' -t '!' --score 8",
    "remember '#db' score:8 We use Postgres",
    "remember 'We use Postgres #db' --score 8",
    "remember 'We use Postgres' -- -t db --score 8",
    "remember 'We use Postgres' '#db' --scroe 8",
    "remember 'We use Postgres' '#db' --importance 8",
    "--score 8 remember 'We use Postgres' '#db'",
    "remember -We use Postgres '#db' score:8",
    "remember 'my key is ghp_0123456789abcdefghijABCDEFGHIJ012345' '#db' score:8",
    "remember 'call 13812345678' '#phone' score:5",
    "remember 'We use Postgres' '#db' score:8 --update m_zzzz",
    "remember 'We use Postgres' '#db' score:8 --update nonsense",
    "remember 'We use Postgres' '#db' score:8 --topic project->partner",
    "remember 'We use Postgres' '#db' score:8 --type users",
    "remember 'We use Postgres' '#db' score:9 --dims 5,5,5,5,5,5",
    "add 'We use Postgres' '#db' score:8",
    "rember 'We use Postgres'",
    "recall -n five",
    "recall --limt 5 tea",
    "recall --date someday",
    "recall nothing of that",
    "forget tea",
    "forget m_zzzz",
    "verify m_",
    "review m_",
    "boost",
    "delete m_zzz",
    "rm tea",
    "get m_zzzz",
    "frget m_zzzz",
    "forget tea --prge",
    "help remember",
    "tags tea",
    "list --oldest",
    "show m_",
    "restore --last",
    "review m_ maybe",
    "remember 'We use Postgres' '#db' score:9/10",
    "remember --file notes.md",
    "setup --remove",
    "setup Clade",
    "sync push",
    "sync admin",
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


@pytest.mark.parametrize(
    ("line", "printed"),
    [
        ("rm tea", "usage: promptx-mem forget <id>"),
        ("delete m_zzz", "usage: promptx-mem forget <id>"),
        ("get m_99", "usage: promptx-mem show <id>"),
        ("tags tea", "unexpected argument: tea"),
        ("setup --remove", "usage: promptx-mem setup --remove <host>"),
        ("sync push", "promptx-mem sync --help"),
        ("sync admin", "the task is missing"),
    ],
)
def test_a_line_that_cannot_be_guessed_gets_its_usage(tmp_path: Path, line: str, printed: str) -> None:
    status, shown = _run(f"promptx-mem {line}", tmp_path, on_terminal=False)
    assert (status, printed in shown) == (2, True), shown


def test_a_command_of_other_programs_is_named_with_an_id_that_is_stored(tmp_path: Path) -> None:
    ident = Memory(layout.at(str(tmp_path / ".memory")), "test").remember(Request("tea", ("x",), "8")).data["id"]
    assert (
        f"did you mean: promptx-mem forget {ident}\n" in _run(f"promptx-mem rm {ident}", tmp_path, on_terminal=False)[1]
    )


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
