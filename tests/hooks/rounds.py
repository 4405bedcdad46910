"""Tool calls that change a store without promptx-mem, and harmless calls, for `test_rounds.py`.

They are in rows/, one per line. A string step is a command of the host's shell. `{root}` is the project, `{home}` the
home with the user store, `{id}` and `{line}` belong to one stored memory. The last step of each row is checked.
"""

from typing import Any

from tests.tables import rows

FILES = {
    "README.md": "# Demo\n\nThe office is in Berlin.\n",
    "docs/office.md": "Our office: Berlin, Torstrasse.\n",
    "src/app.py": 'CITY = "Berlin"\n\n\ndef greet():\n    return f"hello from {CITY}"\n',
    "src/test_app.py": "from app import greet\n\nassert greet()\n",
    "package.json": '{"name": "demo", "scripts": {"note": "sh tools/note.sh", "lint": "echo fine"}}\n',
    "tools/note.sh": "echo '- by a script #x score:9' >> .memory/declarative.md\n",
    "tools/lint.sh": "grep -rn TODO src || true\n",
    "Makefile": "all:\n\t@echo built\n\nnote:\n\t@sed -i s/Berlin/Hamburg/ .memory/declarative.md\n\nbackup:\n\t@cp -r .memory build.bak\n",
    "data.json": '{"city": "Berlin", "port": 8080}\n',
    "memory.md": "# Notes of the design\n",
    ".memory-notes/declarative.md": "- mine, no store\n",
}
"""Files of each project outside its store."""

SESSION = "5f0e6d0a-0c0e-4b55-9d6e-6a1d0c7e3b11"


class Outside:
    """A command that a person or cron runs between two calls or during one."""

    def __init__(self, command: str) -> None:
        self.command = command


class Call:
    """A tool call. `does` is a command with the same effect, if the driver cannot make the call itself."""

    def __init__(
        self,
        tool: str,
        given: dict[str, Any],
        does: str = "",
        during: "Step | None" = None,
        cwd: str = "",
        session: str = SESSION,
    ) -> None:
        self.tool, self.given, self.does, self.during = tool, given, does, during
        self.cwd, self.session = cwd, session


class Crossed:
    """Overlapping calls: all begin before the first ends."""

    def __init__(self, *calls: Call) -> None:
        self.calls = calls


Step = Outside | Call | Crossed


def bash(command: str, during: Step | None = None, cwd: str = "", session: str = SESSION) -> Call:
    """Return a call of the shell."""
    return Call("Bash", {"command": command, "description": "x"}, command, during, cwd, session)


class Row:
    """One case: its steps, its project, the programs that it needs and a word that the report must contain."""

    def __init__(self, *steps: str | Step, project: str = "private", needs: str = "", names: str = "") -> None:
        self.steps = tuple(bash(step) if isinstance(step, str) else step for step in steps)
        self.project, self.needs, self.names = project, needs.split(), names

    def __str__(self) -> str:
        """Return the last step, for the test's name."""
        last = self.steps[-1]
        given = last.given if isinstance(last, Call) else {"command": "several at once"}
        text = " ".join(str(value) for value in given.values() if value != "x")
        return "".join(c if c.isprintable() and c.isascii() and c not in "[]" else "?" for c in text)[:70]


POWERSHELL = (
    "Add-Content -Path .memory\\declarative.md -Value '- x #y'",
    "(Get-Content .memory/declarative.md) -replace 'Berlin','Bonn' | Set-Content .memory/declarative.md",
    "Remove-Item -Recurse -Force .memory",
    "'- x #y' >> .memory/declarative.md",
)
"""Writes in PowerShell, which is not run here: the guard must deny them before the call."""


def _step(given: Any) -> Step:
    if isinstance(given, str):
        return bash(given)
    if "outside" in given:
        return Outside(given["outside"])
    if "crossed" in given:
        return Crossed(*map(_call, given["crossed"]))
    return _call(given)


def _call(given: Any) -> Call:
    if isinstance(given, str):
        return bash(given)
    during = _step(given["during"]) if "during" in given else None
    more = {"during": during, "cwd": given.get("cwd", ""), "session": given.get("session", SESSION)}
    if "command" in given:
        return bash(given["command"], **more)
    return Call(given["tool"], given["given"], given.get("does", ""), **more)


def _rows(name: str) -> tuple[Row, ...]:
    return tuple(Row(*map(_step, row.pop("steps")), **row) for row in rows(__file__, name))


WRITES, HARMLESS = _rows("writes.jsonl"), _rows("harmless.jsonl")
