"""Completion in real shells: keys typed into bash, zsh and fish, and the arguments that the program receives."""

import json
import os
import pty
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import wait
from pathlib import Path

import pytest

from tests.cli import program

pytestmark = pytest.mark.thorough

SHELLS = {
    "bash": ["bash", "--norc", "--noprofile", "-i"],
    "zsh": ["zsh", "-f", "-i"],
    "fish": ["fish", "--no-config", "-i"],
}
START = {
    "bash": 'PS1="READY> "; bind "set enable-bracketed-paste off"; source ./script\n',
    "zsh": 'PS1="READY> "; autoload -U compinit; compinit -u -D; source ./script\n',
    "fish": 'function fish_prompt; echo -n "READY> "; end; source ./script\n',
}
SECONDS = 60.0

WRAPPER = """#!{python}
import json, os, sys
if "_PROMPTX_MEM_COMPLETE" in os.environ:
    os.execv({program!r}[0], [*{program!r}, *sys.argv[1:]])
with open({log!r}, "a", encoding="utf-8") as file:
    file.write(json.dumps(sys.argv[1:]) + "\\n")
"""


class Terminal:
    """A shell in a new terminal."""

    def __init__(self, shell: str, folder: Path) -> None:
        self.log = folder / "calls"
        self.log.touch()
        binaries = folder / "bin"
        binaries.mkdir()
        (binaries / "promptx-mem").write_text(
            WRAPPER.format(python=sys.executable, program=program.PROGRAM, log=str(self.log)), encoding="utf-8"
        )
        (binaries / "promptx-mem").chmod(0o755)
        script = program.run(cwd=folder, env={"_PROMPTX_MEM_COMPLETE": f"source_{shell}"}).out
        (folder / "script").write_text(script, encoding="utf-8")
        environment = program.environment(folder) | {
            "TERM": "dumb" if shell == "bash" else "xterm",
            "LC_ALL": "C.UTF-8",
        }
        environment["PATH"] = f"{binaries}:{environment.get('PATH', os.defpath)}"
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.execvpe(SHELLS[shell][0], SHELLS[shell], environment)
        self.screen = b""
        self.type(START[shell])
        self.wait(lambda: self.screen.count(b"READY> ") > 1)

    def type(self, keys: str) -> None:
        os.write(self.fd, keys.encode())

    def wait(self, done: Callable[[], bool]) -> None:
        """Read the output of the terminal until `done`."""
        end = time.monotonic() + SECONDS
        while not done():
            assert time.monotonic() < end, self.screen.decode(errors="replace")
            if wait([self.fd], 0.05):
                self.screen += os.read(self.fd, 65_536)

    def called_with(self, keys: str) -> list[str]:
        """Type keys and Enter. Return the arguments that the program receives."""
        before = len(self._calls())
        self.type(f"{keys}\n\n")  # the first closes a menu of fish
        self.wait(lambda: len(self._calls()) > before)
        return self._calls()[-1]

    def _calls(self) -> list[list[str]]:
        return [json.loads(line) for line in self.log.read_text(encoding="utf-8").splitlines()]

    def close(self) -> None:
        os.close(self.fd)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


@pytest.fixture(params=SHELLS)
def terminal(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Terminal]:
    if shutil.which(request.param) is None:
        pytest.skip(f"{request.param} is not installed")
    made = Terminal(request.param, tmp_path)
    yield made
    made.close()


def _stored(folder: Path, *words: str) -> str:
    ident = program.run("remember", *words, "score:8", "--json", cwd=folder).object["id"]
    assert isinstance(ident, str)
    return ident


def test_completed_topic_is_quoted_and_not_a_redirection(terminal: Terminal, tmp_path: Path) -> None:
    _stored(tmp_path, "coffee is liked", "#drinks", "--topic", "alone->file")
    _stored(tmp_path, "tea is liked", "#tea")
    assert terminal.called_with("promptx-mem recall --topic alone-\t") == ["recall", "--topic", "alone->file"]
    assert not (tmp_path / "file").exists()


def test_completion_does_not_run_commands_in_texts(terminal: Terminal, tmp_path: Path) -> None:
    for evil in ("$(touch a)", "`touch b`", r"\$(touch c)", "'; touch d; '"):
        _stored(tmp_path, f"to run: {evil} \\", "#tea", "--topic", f"run {evil}->part")
    before = sorted(path.name for path in tmp_path.iterdir())
    living = program.run("recall", "#tea", "-n", "1", "--json", cwd=tmp_path).object["memories"][0]["id"]
    assert terminal.called_with(f"promptx-mem boost {living}\t") == ["boost", living]
    terminal.called_with("promptx-mem boost m\t\t")
    terminal.called_with("promptx-mem recall --topic ru\t\t")
    assert sorted(path.name for path in tmp_path.iterdir()) == before
