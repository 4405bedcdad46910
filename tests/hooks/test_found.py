"""Requirements of a host besides our entries: accepted hooks, and a shell that finds the program."""

import json
import os
from pathlib import Path

import pytest

from promptx_mem.cli import setup as cli
from promptx_mem.hooks import entries as found
from promptx_mem.hooks import setup
from promptx_mem.hooks.hosts import BY_PATH

ENTRIES = {
    "PreToolUse": [{"hooks": [{"type": "command", "command": "promptx-mem guard codex", "timeout": 5}]}],
    "SessionStart": [
        {"matcher": "startup", "hooks": [{"type": "command", "command": "other"}]},
        {"hooks": [{"type": "command", "command": "promptx-mem hook start codex", "additionalContextLimit": 8000}]},
    ],
    "SessionEnd": [{"hooks": [{"type": "command", "command": "promptx-mem hook end codex", "timeout": 10}]}],
    "UserPromptSubmit": [
        {"matcher": "x", "hooks": [{"type": "command", "command": "promptx-mem hook prompt codex", "timeout": 10}]}
    ],
}
NAMES = ("pre_tool_use:0:0", "session_start:0:0", "session_start:1:0", "session_end:0:0", "user_prompt_submit:0:0")
"""The hooks by event and position, as Codex 0.169.0 lists them (`hooks/list` of its app server)."""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("CODEX_HOME", raising=False)
    monkeypatch.setattr(found, "in_login_shell", lambda: True)
    (tmp_path / "home" / ".codex").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "home"


def _accept(home: Path, *names: str, also: str = "") -> None:
    """Write the config.toml of a user who accepted these hooks."""
    states = [f'[hooks.state."{home}/.codex/hooks.json:{name}"]\ntrusted_hash = "sha256:ab"\n{also}' for name in names]
    (home / ".codex" / "config.toml").write_text('model = "m"\n' + "".join(states))


def _status(host: str = "codex") -> str:
    data = cli.command().data
    entries = [entry for entry in data["entries"] if entry["host"] == host]
    return cli.as_text({**data, "entries": entries + [one for one in data["entries"] if one["host"] != host]})


def _untrusted(home: Path) -> list[str]:
    (home / ".codex" / "hooks.json").write_text(json.dumps({"hooks": ENTRIES}))
    return next(one["untrusted"] for one in setup.state()[0] if one["host"] == "codex")


def test_status_lists_hooks_that_are_not_accepted_in_codex(home: Path) -> None:
    assert _untrusted(home) == ["PreToolUse", "SessionEnd", "SessionStart", "UserPromptSubmit"]
    assert "start codex and accept the hooks of promptx-mem (/hooks)" in _status()


def test_accepted_hooks_are_not_listed_unless_disabled(home: Path) -> None:
    _accept(home, *NAMES)
    assert _untrusted(home) == []
    assert "accept the hooks" not in _status()
    _accept(home, *(name for name in NAMES if name != "session_start:1:0"))
    assert _untrusted(home) == ["SessionStart"]
    _accept(home, *NAMES, also="enabled = false\n")
    assert len(_untrusted(home)) == len(ENTRIES)


@pytest.mark.parametrize(
    "config", ["", "[hooks", "hooks = 1", "[hooks]\nstate = 1", '[hooks.state."x"]\ntrusted_hash = 1', "\0"]
)
def test_unreadable_codex_config_accepts_no_hooks(home: Path, config: str) -> None:
    (home / ".codex" / "config.toml").write_text(config)
    assert len(_untrusted(home)) == len(ENTRIES)


def test_entries_that_are_no_objects_are_skipped(home: Path) -> None:
    ours = {"hooks": [{"command": "promptx-mem hook stop codex"}]}
    text = json.dumps({"hooks": {"Stop": ["x", {"hooks": 1}, ours], "PreToolUse": 2}})
    assert found.untrusted(text, str(home / ".codex" / "hooks.json"), "") == ["Stop"]


@pytest.mark.usefixtures("home")
def test_setup_explains_how_to_accept_hooks_in_codex() -> None:
    note = "".join(setup.set_up("codex", write=True).data["notes"])
    assert 'prefix_rule(pattern=["promptx-mem", ["recall", "list", "show", "remember"]], decision="allow")' in note
    assert "start codex and accept the hooks of promptx-mem (/hooks)" in note
    assert "codex exec" in note


class TestLoginShell:
    """Hosts run commands in a login shell, which may not find a program that is only on the PATH of the host."""

    @pytest.fixture
    def home(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        """Return a home with a profile that sets the PATH. The program is in another folder."""
        home = tmp_path / "home"
        (home / ".codex").mkdir(parents=True)
        self._profile(home, "/usr/bin:/bin", "echo welcome")
        program = tmp_path / "venv" / "bin" / "promptx-mem"
        program.parent.mkdir(parents=True)
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
        monkeypatch.setenv("HOME", str(home))
        monkeypatch.setenv("SHELL", "/bin/bash")
        monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
        monkeypatch.delenv("CODEX_HOME", raising=False)
        monkeypatch.setattr("sys.argv", [str(program)])
        monkeypatch.chdir(tmp_path)
        return home

    @staticmethod
    def _profile(home: Path, path: str, more: str = "") -> None:
        (home / ".bash_profile").write_text(f"{more}\nexport PATH={path}\n")

    @staticmethod
    def _warnings(host: str = "codex") -> tuple[str, ...]:
        notes = setup.set_up(host, write=True).data["notes"]
        return tuple(note for note in notes if "login shell" in note)

    @staticmethod
    def _text(home: Path) -> str:
        return (home / ".codex" / "hooks.json").read_text()

    def test_unfound_program_is_reported_and_hooks_use_its_path(self, home: Path) -> None:
        [warning] = self._warnings()
        assert "login shell, which does not find promptx-mem" in warning
        assert "pipx" in warning
        assert self._text(home).count(BY_PATH) == len(json.loads(self._text(home))["hooks"])
        assert "does not find promptx-mem" in _status()

    def test_found_program_gives_no_warning(self, home: Path, tmp_path: Path) -> None:
        self._profile(home, f"{tmp_path}/venv/bin:/usr/bin:/bin", "echo welcome")
        assert self._warnings() == ()
        assert BY_PATH not in self._text(home)
        assert "login shell" not in _status()

    def test_slow_login_shell_is_not_waited_for(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(found, "SECONDS", 0.3)
        self._profile(home, "/usr/bin:/bin", "sleep 60")
        assert self._warnings() == ()
