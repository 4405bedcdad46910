"""Who counts as a person: three terminals, no variable of a host, and no host above that has called a hook."""

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests import terminal
from tests.inside import processes

_ASK = "from promptx_mem import session; print('person' if session.is_person() else 'agent')"
_EVENT = json.dumps({"hook_event_name": "SessionStart", "session_id": "s"})
_HOOK = [sys.executable, "-m", "promptx_mem", "hook", "start", "claude"]


def _asked(cwd: Path, program: str = _ASK, env: dict[str, str] | None = None) -> str:
    status, shown = terminal.run_program([sys.executable, "-c", program], cwd, env=env)
    assert status == 0, shown
    return shown.split()[-1]


def test_a_command_in_a_terminal_is_a_persons(tmp_path: Path) -> None:
    assert _asked(tmp_path) == "person"


@pytest.mark.parametrize("stream", ["<", ">", "2>"])
def test_each_of_the_three_streams_must_be_a_terminal(tmp_path: Path, stream: str) -> None:
    ask = f"import sys; from promptx_mem import session; open({str(tmp_path / 'said')!r}, 'w').write(str(session.is_person()))"
    terminal.run_program(["/bin/sh", "-c", f'exec {sys.executable} -c "{ask}" {stream} /dev/null'], tmp_path)
    assert (tmp_path / "said").read_text() == "False"


@pytest.mark.parametrize("name", ["AI_AGENT", "CLAUDE_CODE", "CODEX_THREAD_ID"])
def test_a_hosts_variable_makes_it_an_agents(tmp_path: Path, name: str) -> None:
    assert _asked(tmp_path, env={name: "1"}) == "agent"


def test_a_person_who_tries_a_hook_in_a_shell_stays_a_person(tmp_path: Path) -> None:
    (tmp_path / "event").write_text(_EVENT)
    commands = f'{" ".join(_HOOK)} < event; {sys.executable} -c "{_ASK}"\nexit\n'
    _, shown = terminal.run_program(["/bin/sh", "-i"], tmp_path, commands)
    assert "person" in shown.split()


def test_without_proc_a_process_is_read_by_ps(monkeypatch: pytest.MonkeyPatch) -> None:
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
