"""Run the command line in a forked child with its output in files, without a new interpreter."""

import os
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

LIMIT_SECONDS = 20


@dataclass(frozen=True)
class Run:
    status: int
    out: str
    err: str

    def is_clean(self) -> bool:
        """Return whether there was no traceback, bug or hang; an error is one line and one with the fix."""
        quiet = "Traceback" not in self.err and "please report" not in self.err and self.status >= 0
        return quiet and len([line for line in self.err.splitlines() if not line.startswith("warning")]) <= 2


def run(folder: Path, *arguments: str, before: Callable[[], object] = lambda: None) -> Run:
    """Run one command line in a folder; the child calls `before` first."""
    out, err = folder / "stdout", folder / "stderr"
    out.touch()
    err.touch()
    pid = os.fork()
    if pid == 0:
        status = 70
        try:
            status = _child(folder, out, err, arguments, before)
        finally:
            os._exit(status)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return Run(status, out.read_text(), err.read_text())


def _child(folder: Path, out: Path, err: Path, arguments: tuple[str, ...], before: Callable[[], object]) -> int:
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(LIMIT_SECONDS)
    for name, number in ((out, 1), (err, 2)):
        os.dup2(os.open(name, os.O_WRONLY | os.O_TRUNC), number)
    sys.stdout, sys.stderr = (os.fdopen(number, "w", encoding="utf-8") for number in (1, 2))
    os.chdir(folder)
    os.environ["PROMPTX_MEM_SESSION"] = "a test"
    before()
    from tests.api import run as main

    return main(list(arguments))
