"""Transcripts: `.console` files with commands and their output, run in bash in an empty directory.

A line `$ command` begins a command, `> ` continues it. Its stdout follows, then its stderr, each line after `! `, then
`[N]` if the exit status N is not 0. Blank lines of output are left out: a blank line ends it, and the lines between it
and the next command are a remark. One shell runs the whole file, so `cd` and `export` have a lasting effect.
"""

import datetime
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from tests import warm

SESSION = "transcript"
_ZONE = datetime.timezone(datetime.timedelta(hours=8))
_STAMP = re.compile(r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:[+-]\d\d:\d\d|Z)| \d\d:\d\d)")


@dataclass
class Step:
    """One command with the remarks before it and its output."""

    command: str
    remarks: list[str] = field(default_factory=list)
    output: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        first, *rest = self.command.split("\n")
        return [*self.remarks, f"$ {first}", *(f"> {line}" for line in rest), *self.output]


def parse(text: str) -> list[Step]:
    steps: list[Step] = []
    remarks: list[str] = []
    said = False
    for line in text.rstrip("\n").split("\n"):
        if line.startswith("$ "):
            steps.append(Step(line[2:], remarks))
            remarks, said = [], True
        elif not line or not said:
            remarks.append(line)
            said = False
        elif line.startswith("> ") and not steps[-1].output:
            steps[-1].command += "\n" + line[2:]
        else:
            steps[-1].output.append(line)
    return steps


def unparse(steps: list[Step]) -> str:
    return "".join(line + "\n" for step in steps for line in step.lines())


def run(steps: list[Step], folder: Path) -> list[Step]:
    """Run the commands in `folder` and return them with their current output."""
    home, work, said = folder / "home", folder / "here", folder / "said"
    for directory in (home, work, said):
        directory.mkdir()
    script = "".join(
        f'{{ {step.command}\n}} >"{said}/{number}.out" 2>"{said}/{number}.err" </dev/null\necho $? >"{said}/{number}.rc"\n'
        for number, step in enumerate(steps)
    )
    before = datetime.datetime.now(_ZONE).date()
    subprocess.run(["bash", "-c", script], cwd=work, env=environment(home), check=False, timeout=120)
    days = {before.isoformat(), datetime.datetime.now(_ZONE).date().isoformat()}
    return [Step(step.command, step.remarks, _said(said, number, folder, days)) for number, step in enumerate(steps)]


def environment(home: Path) -> dict[str, str]:
    return {
        "HOME": str(home),
        "PATH": os.pathsep.join(
            [warm.programs(), os.path.dirname(sys.executable), "/usr/local/bin", "/usr/bin", "/bin"]
        ),
        "LC_ALL": "C.UTF-8",
        "TZ": "CST-8",
        "COLUMNS": "100",
        "PROMPTX_MEM_SESSION": SESSION,
    }


def _said(said: Path, number: int, folder: Path, days: set[str]) -> list[str]:
    """Return the output of one command, with times and the paths of this run masked."""
    out, err = ((said / f"{number}.{stream}").read_text() for stream in ("out", "err"))
    status = (said / f"{number}.rc").read_text().strip()
    lines = [*out.splitlines(), *(f"! {line}".rstrip() for line in err.splitlines())]
    return masked("\n".join([*lines, *([f"[{status}]"] if status != "0" else [])]), folder, days)


def masked(text: str, folder: Path, days: Iterable[str] = ()) -> list[str]:
    """Return the lines of a text that are not blank, with times, these days and the paths of this run masked."""
    lines = [_STAMP.sub("TIME", line.replace(str(folder), "TMP")) for line in text.splitlines()]
    for day in days:
        lines = [line.replace(day, "TODAY") for line in lines]
    return [line.rstrip() for line in lines if line.rstrip()]
