"""Only the user can set a judge: the settings of a store never run a command, with or without git."""

import os
import shutil
import stat
from pathlib import Path

import pytest

from tests.api import COMMAND, ConfigError
from tests.cli import program
from tests.git import git
from tests.inside import ENVIRONMENT, settings


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A repository whose store names a judge; each run of the judge creates the file `ran`."""
    root = tmp_path / "clone"
    root.mkdir()
    git(root, "init", "-q")
    assert program.run("init", "--shared", cwd=root).status == 0
    assert program.run("remember", "喜欢喝龙井茶", "#偏好", "score:9", cwd=root).status == 0
    judge = root / "judge.sh"
    judge.write_text(f"#!/bin/sh\nPATH=/usr/bin:/bin\ncat >/dev/null\ntouch {root}/ran\necho '[SKIP]'\n", "utf-8")
    judge.chmod(0o755)
    (root / ".memory" / "config.yaml").write_text(f"llm:\n  command: [{judge}]\n  timeout: 5\n", "utf-8")
    return root


def ask(root: Path, env: dict[str, str] | None = None) -> tuple[bool, program.Ran]:
    (root / "ran").unlink(missing_ok=True)
    said = program.run("monitor", "--ask", cwd=root, env=env, stdin="茶")
    return (root / "ran").exists(), said


@pytest.mark.parametrize("git_is", ["there", "tracking", "damaged", "gone"])
def test_no_command_of_a_store_is_run(git_is: str, store: Path) -> None:
    empty = store / "empty"
    empty.mkdir()
    if git_is == "tracking":
        git(store, "add", "-f", ".memory/config.yaml")
    elif git_is == "damaged":
        (store / ".git" / "HEAD").unlink()
    elif git_is == "gone":
        shutil.rmtree(store / ".git")
    for env in ({}, {"PATH": str(empty)}):
        ran, said = ask(store, env)
        assert not ran
        assert said.status == 0
        assert "config.yaml: llm is ignored" in said.err


def test_judge_in_user_settings_is_run(store: Path, tmp_path: Path) -> None:
    (store / ".memory" / "config.yaml").unlink()
    judge = store / "judge.sh"
    assert ask(store, {COMMAND: str(judge)})[0]
    config = tmp_path / "config" / "promptx-mem"
    config.mkdir(parents=True)
    (config / "config.yaml").write_text(f"llm:\n  command: [{judge}]\n", "utf-8")
    env = {"XDG_CONFIG_HOME": str(tmp_path / "config")}
    assert ask(store, env)[0]
    assert not ask(store, {**env, COMMAND: ""})[0]
    home = tmp_path / "home"
    home.mkdir()
    (home / ".config").symlink_to(tmp_path / "config")
    assert ask(store, {"HOME": str(home), "XDG_CONFIG_HOME": "config"})[0]  # a relative one does not count


@pytest.mark.one_in(5)
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("llm: {command: 5}", "llm.command: 5"),
        ("llm: [", "parsing"),
        ("policy: strict", "unknown key policy"),
        ("llm:\n  timeout: 5\n  command: x\n  timeout: 6", "line 2: a key is given twice"),
        ("a: &a [x]\nb: *a", "aliases"),
        ("llm: {timeout: 0x" + "F" * 60_000 + "}", ""),
    ],
)
def test_invalid_user_settings_are_reported(store: Path, tmp_path: Path, text: str, said: str) -> None:
    user = tmp_path / "user.yaml"
    user.write_text(text, "utf-8")
    env = {ENVIRONMENT: str(user)}
    assert program.run("recall", "茶", cwd=store, env=env).status == 0  # not read unless a judge is asked
    for words in (("monitor", "--ask"), ("decay",)):
        ran = program.run(*words, cwd=store, env=env, stdin="茶")
        assert ran.status == 2, ran
        assert str(user) in ran.err
        assert said in ran.err
    judged = program.run("recall", "茶", "--judge", cwd=store, env=env)
    assert judged.status == 0
    assert str(user) in judged.err


def test_settings_of_another_user_are_rejected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    user = tmp_path / "user.yaml"
    user.write_text("llm: {command: judge}", "utf-8")
    monkeypatch.setenv(ENVIRONMENT, str(user))
    assert settings.of().llm_command == ("judge",)
    real = os.fstat

    def fstat(fd: int) -> os.stat_result:
        status = real(fd)
        fields = list(status)
        fields[stat.ST_UID] = 54_321
        return os.stat_result(fields) if stat.S_ISREG(status.st_mode) else status

    monkeypatch.setattr(os, "fstat", fstat)
    with pytest.raises(ConfigError, match="another user"):
        settings.of()
