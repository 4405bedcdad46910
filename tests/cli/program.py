"""Run the program as a shell does: with an empty home, inheriting only PATH."""

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from promptx_mem.__main__ import main
from tests import warm
from tests.api import layout
from tests.faults import faulty_os
from tests.inside import trust

PROGRAM = [sys.executable, "-m", "promptx_mem"]


@dataclass(frozen=True)
class Ran:
    """The exit status and output of one run of the program."""

    status: int
    out: str
    err: str

    @property
    def object(self) -> dict[str, Any]:
        """Return the only JSON object of stdout."""
        assert self.out.endswith("}\n"), self.out[:500]
        assert self.out.count("\n") == 1
        value = json.loads(self.out, parse_constant=lambda name: f"no JSON: {name}")
        assert isinstance(value, dict)
        return value


def run(
    *arguments: str,
    cwd: Path,
    env: dict[str, str] | None = None,
    stdin: str | bytes = "",
    session: str | None = "test",
    person: bool = False,
) -> Ran:
    kind = warm.PERSON if person else warm.PROGRAM
    given = stdin.encode() if isinstance(stdin, str) else stdin
    status, out, err = warm.run(kind, list(arguments), cwd, environment(cwd, session) | (env or {}), given)
    return Ran(status, out.decode(), err.decode())


def run_python(code: str, *, cwd: Path, env: dict[str, str] | None = None) -> Ran:
    words, whole = [sys.executable, "-c", code], environment(cwd) | (env or {})
    done = subprocess.run(words, cwd=cwd, env=whole, input="", text=True, capture_output=True, timeout=60, check=False)
    return Ran(done.returncode, done.stdout, done.stderr)


def forked(words: list[str], cwd: Path, env: dict[str, str], stdin: bytes, cpu_seconds: int = 600) -> Ran:
    """Run the program in a fork of this process, whose modules are loaded."""
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(stdin)
        given.seek(0)

        def work() -> None:
            resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds))
            os.chdir(cwd)
            os.environ.clear()
            os.environ.update(env)
            for number, file in enumerate((given, out, err)):
                os.dup2(file.fileno(), number)
            sys.argv[1:] = words
            with open(0, encoding="utf-8") as sys.stdin, open(1, "w") as sys.stdout, open(2, "w") as sys.stderr:
                main()

        status = faulty_os.forked(work)
        for file in (out, err):
            file.seek(0)
        return Ran(status, out.read().decode(), err.read().decode())


def environment(folder: Path, session: str | None = "test") -> dict[str, str]:
    """Return the environment of the program in a folder, with an empty home elsewhere."""
    env = {"HOME": f"{folder}-home", "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "COLUMNS": "100"}
    env |= {name: os.environ[name] for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME") if name in os.environ}
    return env if session is None else env | {"PROMPTX_MEM_SESSION": session}


def own_copy(folder: Path, to: Path) -> Path:
    """Copy a folder with stores of the user, and trust the copies."""
    shutil.copytree(folder, to)
    for store in to.rglob(".memory"):
        trust.record(layout.at(str(store)), trust.PRIVATE)
    return to
