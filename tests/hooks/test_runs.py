"""`status` shows when the hooks of a host last ran, and why they last failed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from promptx_mem.cli.status import _last_run
from promptx_mem.hooks import run
from promptx_mem.judge import judge


def test_the_last_run_and_the_last_error_are_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr("sys.stdin", None)
    assert _last_run("gemini") is None
    monkeypatch.setattr(run, "reply", lambda *_: {})
    run.main("start", "gemini")
    assert str(_last_run("gemini")).endswith(" start")
    assert _last_run("gemini.error") is None

    def fail(*_: object) -> None:
        raise ValueError("two\nlines")

    monkeypatch.setattr(run, "reply", fail)
    run.main("prompt", "gemini")
    assert str(_last_run("gemini")).endswith(" prompt")
    assert str(_last_run("gemini.error")).endswith(" prompt ValueError: two lines")
    assert _last_run("claude") is None


def test_a_private_session_records_no_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("PROMPTX_MEM_OFF", "1")
    monkeypatch.setattr("sys.stdin", None)
    run.main("start", "gemini")
    assert not (tmp_path / "promptx-mem" / run.RUNS).exists()


def test_status_shows_when_the_guard_last_ran(tmp_path: Path) -> None:
    """It is the time of a file that the guard writes anyway."""
    home, project = tmp_path / "home", tmp_path / "project"
    project.mkdir()
    environment = {**os.environ, "HOME": str(home)}

    def call(*words: str, given: str = "") -> str:
        command = [sys.executable, "-m", "promptx_mem", *words]
        done = subprocess.run(
            command, cwd=project, env=environment, input=given, capture_output=True, text=True, check=True
        )
        return done.stdout

    call("remember", "the build runs on Fridays", "#ops", "score:8")
    assert "guard last ran" not in call("status")
    for name in ("PreToolUse", "PostToolUse"):
        event = {"session_id": "s", "hook_event_name": name, "tool_name": "Bash", "tool_input": {"command": "make"}}
        call("guard", given=json.dumps({**event, "cwd": str(project)}))
    assert "guard last ran: 20" in call("status")
    [store] = json.loads(call("status", "--json"))["stores"]
    assert store["last_guard"].startswith("20")


def test_hooks_are_silent_inside_a_judge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run.JUDGING == judge.INSIDE
    event = json.dumps({"hook_event_name": "UserPromptSubmit", "prompt": "记住：我喜欢茶", "session_id": "s"}).encode()
    assert run.reply("prompt", event) != {}
    monkeypatch.setenv(judge.INSIDE, "1")
    assert not any(run.reply(action, event) for action in run.ACTIONS)
