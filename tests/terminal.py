"""Run a command as a person does: in a new terminal, with no parent process that called a hook."""

import fcntl
import os
import pty
import signal
import struct
import subprocess
import sys
import termios
import time
from multiprocessing.connection import wait
from pathlib import Path

from tests import warm

SECONDS = 60
PROGRAM = [sys.executable, "-m", "promptx_mem"]


def run(arguments: list[str], cwd: Path, answers: str = "", env: dict[str, str] | None = None) -> tuple[int, str]:
    """Run promptx-mem in a new terminal, type `answers`, and return its exit status and its output."""
    return run_program([*PROGRAM, *arguments], cwd, answers, env)


def run_program(
    command: list[str], cwd: Path, answers: str = "", env: dict[str, str] | None = None, columns: int = 200
) -> tuple[int, str]:
    """Run any command in a new terminal, type `answers`, and return its exit status and its output."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    environment = {**os.environ, "TERM": "dumb", **(env or {})}
    environment.pop("COLUMNS", None)  # the terminal has the width
    if command[: len(PROGRAM)] == PROGRAM and warm.is_usable(environment):
        server = warm.ask(warm.TERMINAL, command[len(PROGRAM) :], environment, cwd, (follower, follower, follower))
        os.close(follower)
        try:
            os.write(leader, answers.encode())
            shown = _read(leader)
        finally:
            os.close(leader)
        return warm.wait(server), _text(shown)
    adopt = [sys.executable, "-c", _ADOPT, *command]
    with subprocess.Popen(
        adopt, stdin=follower, stdout=follower, stderr=follower, cwd=cwd, env=environment, start_new_session=True
    ) as process:
        os.close(follower)
        try:
            os.write(leader, answers.encode())
            shown = _read(leader)
            status = process.wait(SECONDS)
        finally:
            os.close(leader)
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
    return status, _text(shown)


def _text(shown: bytes) -> str:
    return shown.decode("utf-8", "replace").replace("\r\n", "\n")


_ADOPT = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execvp(sys.argv[1], sys.argv[1:])
"""


def _read(leader: int) -> bytes:
    shown, end = b"", time.monotonic() + SECONDS
    while time.monotonic() < end:
        ready = wait([leader], 1)
        if ready:
            try:
                data = os.read(leader, 65536)
            except OSError:  # no process has the terminal open any more
                return shown
            if not data:
                return shown
            shown += data
    raise TimeoutError(shown)
