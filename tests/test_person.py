"""A command is from a person with three terminals, no variable of a host, and no parent that called a hook."""

import datetime
import fcntl
import json
import os
import pty
import subprocess
import sys
import termios
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests import terminal
from tests.api import Memory, Message, layout
from tests.inside import processes, session

_ASK = "from promptx_mem import session; print('person' if session.is_person() else 'agent')"
_EVENT = json.dumps({"hook_event_name": "SessionStart", "session_id": "s"})
_HOOK = [sys.executable, "-m", "promptx_mem", "hook", "start", "claude"]


def _answer(cwd: Path, program: str = _ASK, env: dict[str, str] | None = None) -> str:
    status, shown = terminal.run_program([sys.executable, "-c", program], cwd, env=env)
    assert status == 0, shown
    return shown.split()[-1]


def test_command_in_a_terminal_is_from_a_person(tmp_path: Path) -> None:
    assert _answer(tmp_path) == "person"


@pytest.mark.parametrize("stream", ["<", ">", "2>"])
def test_command_without_three_terminals_is_not_from_a_person(tmp_path: Path, stream: str) -> None:
    ask = f"import sys; from promptx_mem import session; open({str(tmp_path / 'said')!r}, 'w').write(str(session.is_person()))"
    terminal.run_program(["/bin/sh", "-c", f'exec {sys.executable} -c "{ask}" {stream} /dev/null'], tmp_path)
    assert (tmp_path / "said").read_text() == "False"


@pytest.mark.parametrize("name", ["AI_AGENT", "CLAUDE_CODE", "CODEX_THREAD_ID"])
def test_command_with_a_hosts_variable_is_from_an_agent(tmp_path: Path, name: str) -> None:
    assert _answer(tmp_path, env={name: "1"}) == "agent"


def test_person_who_runs_a_hook_in_a_shell_is_still_a_person(tmp_path: Path) -> None:
    (tmp_path / "event").write_text(_EVENT)
    commands = f'{" ".join(_HOOK)} < event; {sys.executable} -c "{_ASK}"\nexit\n'
    _, shown = terminal.run_program(["/bin/sh", "-i"], tmp_path, commands)
    assert "person" in shown.split()


def test_process_is_read_with_ps_without_proc(monkeypatch: pytest.MonkeyPatch) -> None:
    line = b"  501 Ss+  ttys003  Mon Nov 23 10:04:05 2026     /opt/homebrew/bin/zsh\n"
    monkeypatch.setattr(processes, "open", _absent, raising=False)
    monkeypatch.setattr(os.path, "isdir", lambda _path: False)
    monkeypatch.setattr(subprocess, "run", lambda *_arguments, **_more: SimpleNamespace(stdout=line))
    process = processes.read(7)
    assert process is not None
    assert (process.number, process.parent, process.name, process.started) == (7, 501, "zsh", "MonNov231004052026")
    assert process.leads_terminal


def _absent(*_arguments: object, **_more: object) -> None:
    raise FileNotFoundError


START = datetime.datetime(2026, 3, 1, 21, 30, tzinfo=datetime.UTC)


@pytest.fixture(autouse=True)
def _no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Find no terminal, so that it names no session."""
    monkeypatch.setattr(session, "terminal_name", lambda: None)
    monkeypatch.setattr(session, "host_terminal_name", lambda: None)


def test_conversation_past_midnight_is_split_into_two_days(tmp_path: Path) -> None:
    root = str(tmp_path / ".memory")
    for hours in (0, 2, 3.5, 7):
        memory = Memory(layout.at(root), clock=lambda hours=hours: START + datetime.timedelta(hours=hours))  # type: ignore[misc]
        data = memory.converse([Message("user", f"at {hours}")]).data
        assert data["session"] == ("day:2026-03-01" if hours < 2.5 else "day:2026-03-02")
    shown = memory.working_memory().data["messages"]
    assert [one["text"] for one in shown or []] == ["at 3.5", "at 7"]


NAME = "import datetime; from promptx_mem import session; print(session.name(None, datetime.datetime.now()))"
CALL = f"import subprocess, sys; print(subprocess.check_output([sys.executable, '-c', {NAME!r}], start_new_session=True, text=True))"


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_agents_in_two_terminals_have_different_sessions() -> None:
    """Each tool call of an agent runs in a new process session, without a terminal."""
    env = {name: value for name, value in os.environ.items() if name not in session.VARIABLES}

    def agent(calls: int) -> list[str]:
        leader, follower = pty.openpty()

        def take_terminal() -> None:
            os.setsid()
            fcntl.ioctl(follower, termios.TIOCSCTTY, 0)

        code = f"for _ in range({calls}):\n    {CALL}"
        done = subprocess.run(
            [sys.executable, "-c", code], preexec_fn=take_terminal, env=env, capture_output=True, text=True, check=True
        )
        os.close(leader)
        os.close(follower)
        return done.stdout.split()

    one, other = agent(2), agent(1)
    assert one[0] == one[1] != other[0]
    assert one[0].startswith("tty:")
