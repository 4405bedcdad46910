"""The command that setup gives to a host, and whether git ignores the settings file."""

import shutil
import subprocess
from pathlib import Path

import pytest

from promptx_mem.cli import setup as cli
from promptx_mem.errors import StoreError
from promptx_mem.hooks import setup
from promptx_mem.hooks.entries import TABLES, Setup
from tests.git import git


class TestCommand:
    """The command of a hook, in the shells that hosts use."""

    @staticmethod
    def _program(path: Path, text: str = "here") -> str:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'#!/bin/sh\necho "{text} $*"; cat; exit 3\n')
        path.chmod(0o755)
        return str(path)

    @staticmethod
    def _run(shell: str, command: str, home: Path) -> tuple[int, str, str]:
        words = [shutil.which(shell) or pytest.skip(f"{shell} is not installed"), "-c", command]
        env = {"HOME": str(home), "PATH": f"{home}/bin:/usr/bin:/bin"}
        done = subprocess.run(words, input="event", capture_output=True, text=True, check=False, env=env)
        return done.returncode, done.stdout, done.stderr

    @pytest.mark.parametrize("shell", ["sh", "bash", "zsh", "fish"])
    def test_command_is_silent_if_the_program_is_missing(self, shell: str, tmp_path: Path) -> None:
        for program in ("", str(tmp_path / "gone" / "promptx-mem")):
            command = Setup("claude", program=program).command(TABLES["claude"].hooks[0])
            assert self._run(shell, command, tmp_path) == (0, "", "")

    @pytest.mark.parametrize("shell", ["sh", "bash", "zsh", "fish"])
    @pytest.mark.parametrize("place", ["a 'b' \"c\" $d/promptx-mem", "bin/promptx-mem", ".local/bin/promptx-mem"])
    def test_command_finds_a_program_that_is_not_on_the_path(self, shell: str, place: str, tmp_path: Path) -> None:
        program = self._program(tmp_path / place)
        command = Setup("codex", program=program).command(TABLES["codex"].hooks[0])
        assert self._run(shell, command, tmp_path) == (0, "here hook start codex 8000\nevent", "")


class TestGit:
    """The user's own settings file is not committed by accident."""

    @pytest.fixture
    def repository(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        monkeypatch.setenv("HOME", str(tmp_path))
        monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
        root = tmp_path / "p"
        subprocess.run(["git", "init", "-q", str(root)], check=True)
        monkeypatch.chdir(root)
        return root

    @staticmethod
    def _seen(root: Path) -> str:
        words = ["git", "-C", str(root), "status", "--porcelain", "--untracked-files=all"]
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout

    def test_local_settings_are_ignored(self, repository: Path) -> None:
        exclude = repository / ".git" / "info" / "exclude"
        before = exclude.read_text()
        result = setup.set_up("claude", write=True)
        assert (repository / ".claude" / "settings.local.json").exists()
        assert self._seen(repository) == ""
        assert not result.warnings
        assert "+/.claude/settings.local.json\n" in result.data["files"][-1]["diff"]
        gone = setup.remove("claude", write=True).data
        assert [file["path"] for file in gone["files"] if not file["removed"]] == [str(exclude)]
        assert "it contains only entries of promptx-mem" in cli.as_text(gone)
        assert exclude.read_text() == before

    def test_local_settings_are_ignored_in_a_worktree(self, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        git(repository, "commit", "-q", "--allow-empty", "-m", "first")
        linked = repository.parent / "linked"
        git(repository, "worktree", "add", "-q", str(linked))
        monkeypatch.chdir(linked)
        result = setup.set_up("claude", write=True)
        assert (linked / ".claude" / "settings.local.json").exists()
        assert (self._seen(linked), result.warnings) == ("", ())

    def test_error_if_git_tracks_the_local_settings_file(self, repository: Path) -> None:
        (repository / ".claude").mkdir()
        (repository / ".claude" / "settings.local.json").write_text('{"a": 1}\n')
        subprocess.run(["git", "-C", str(repository), "add", "."], check=True)
        with pytest.raises(StoreError, match="git tracks") as error:
            setup.set_up("claude", write=True)
        assert error.value.hint.endswith(f"git rm --cached {repository}/.claude/settings.local.json")
