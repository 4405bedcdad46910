"""The first ten minutes: from an empty machine to a second session that recalls, by README.md and docs/agents.md.

python -m benchmarks.beginning [--json]

For each language: commands to type, their seconds, lines of the pages to read, and printed lines. It uses a new clone,
home directory and project, and both set-up commands, the second one without its tests.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
PAGES = {"en": ("README.md", "docs/agents.md"), "zh": ("README.zh-CN.md", "docs/zh-CN/agents.md")}
FACT = "the user prefers tabs"
"""The memory that the first session of docs/agents.md stores and a second one must recall."""

LIMIT_SECONDS = 20.0
"""Both set-up commands together."""


class Step(NamedTuple):
    """A command of a page: the mark above it, and the line at which it ends."""

    command: str
    line: int


class Ran(NamedTuple):
    """The time and the output of a command."""

    seconds: float
    out: str


def steps(page: str, mark: str) -> list[Step]:
    """Return the fenced blocks below a mark, each as one command."""
    blocks = re.finditer(rf"(?m)^<!-- {mark} -->\n+```\w+\n((?:.*\n)*?)```$", page)
    return [Step(block[1].strip(), page.count("\n", 0, block.end()) + 1) for block in blocks]


def measure(language: str) -> dict[str, Any]:
    """Follow the pages of a language on a machine that has only Python."""
    readme, agents = (ROOT.joinpath(name).read_text("utf-8") for name in PAGES[language])
    (first,), (second,) = steps(readme, "run-command"), steps(readme, "test-command")
    session = steps(agents, "runs")[0]
    with tempfile.TemporaryDirectory() as folder:
        machine = _Machine(Path(folder))
        machine.clone("first")
        machine.clone("second")
        ready = machine.run(first.command, "first")
        tests = machine.run(second.command.rpartition("&&")[0], "second")
        machine.project("first")
        told = machine.run(session.command, "project")
        later = machine.run("promptx-mem recall tabs --format context", "project", session="second")
        if FACT not in later.out:
            sys.exit(f"the second session does not recall {FACT!r}: {later.out}")
    ran = [ready, told, later]
    return {
        "commands": len(_lines(first.command)) + len(_lines(session.command)) + 1,
        "set_up_seconds": round(ready.seconds + tests.seconds, 1),
        "met": ready.seconds + tests.seconds <= LIMIT_SECONDS,
        "seconds": round(sum(one.seconds for one in ran), 1),
        "lines_to_read": first.line + session.line,
        "lines_printed": sum(one.out.count("\n") for one in ran),
    }


def _lines(command: str) -> list[str]:
    return [line for line in command.split("\n") if line.strip()]


class _Machine:
    """A home directory, clones and a project in one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = os.environ["PATH"]
        (folder / "home").mkdir()

    def clone(self, name: str) -> None:
        subprocess.run(["git", "clone", "-q", str(ROOT), str(self.folder / name)], check=True)

    def project(self, clone: str) -> None:
        """Create a project in which the program of a clone is on the PATH."""
        (self.folder / "project").mkdir()
        self.path = f"{self.folder / clone / '.venv' / 'bin'}:{self.path}"

    def run(self, command: str, place: str, session: str = "first") -> Ran:
        settings = {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "LC_", "LANG"))}
        env = {**settings, "HOME": str(self.folder / "home"), "PATH": self.path, "PROMPTX_MEM_SESSION": session}
        begun = time.perf_counter()
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", command],
            cwd=self.folder / place, env=env, capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode:
            sys.exit(f"{command}\n{done.stdout}{done.stderr}")
        return Ran(time.perf_counter() - begun, done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows = {language: measure(language) for language in PAGES}
    if options.json:
        print(json.dumps(rows))
        return
    for language, row in rows.items():
        verdict = "met" if row["met"] else "not met"
        print(
            f"{language}: {row['commands']} commands, {row['seconds']} s, {row['lines_to_read']} lines to read,"
            f" {row['lines_printed']} printed; both set-ups {row['set_up_seconds']} s (at most {LIMIT_SECONDS:g}: {verdict})"
        )


if __name__ == "__main__":
    main()
