"""A judge's command that came with a git repository is not run; one that the user has set is."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from promptx_mem.judge.judge import COMMAND
from promptx_mem.store.tracked import is_tracked
from tests.cli import program


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A repository with a store in it that names a judge; each run of the judge leaves a mark."""
    root = tmp_path / "clone"
    root.mkdir()
    git(root, "init", "-q")
    assert program.run("init", "--shared", cwd=root).status == 0
    assert program.run("remember", "喜欢喝龙井茶", "#偏好", "score:9", cwd=root).status == 0
    judge = root / "judge.sh"
    judge.write_text(f"#!/bin/sh\nPATH=/usr/bin:/bin\ncat >/dev/null\ntouch {root}/ran\necho '[SKIP]'\n", "utf-8")
    judge.chmod(0o755)
    (root / ".memory" / "config.yaml").write_text(f"llm:\n  command: [{judge}]\n", "utf-8")
    return root


def git(root: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=root, check=True, capture_output=True)


def ask(root: Path, env: dict[str, str] | None = None) -> tuple[bool, program.Ran]:
    (root / "ran").unlink(missing_ok=True)
    said = program.run("monitor", "--ask", "--user", "茶", cwd=root, env=env)
    assert said.status == 0, said
    return (root / "ran").exists(), said


def test_a_command_that_git_tracks_is_not_run(clone: Path) -> None:
    git(clone, "add", "-f", ".memory/config.yaml")
    ran, said = ask(clone)
    assert not ran
    assert "llm.command is not run: git tracks" in said.err
    assert COMMAND in said.err
    turns = "\n".join(f'{{"role":"user","content":"turn {number}"}}' for number in range(40))
    for words, stdin in ((("recall", "茶", "--judge"), ""), (("decay",), ""), (("converse",), turns)):
        done = program.run(*words, cwd=clone, stdin=stdin)
        assert done.status == 0
        assert "llm.command is not run: git tracks" in done.err
        assert not (clone / "ran").exists()


def test_what_the_user_has_set_is_run(clone: Path) -> None:
    git(clone, "add", "-f", ".memory/config.yaml")
    ran, said = ask(clone, {COMMAND: str(clone / "judge.sh")})
    assert ran
    assert "not run" not in said.err
    ran, said = ask(clone, {COMMAND: ""})
    assert not ran
    assert "not run" not in said.err


def test_a_command_of_ones_own_is_run(clone: Path) -> None:
    assert ask(clone)[0]  # in a repository, not tracked
    shutil.rmtree(clone / ".git")
    assert ask(clone)[0]
    empty = clone / "empty"
    empty.mkdir()
    git(clone, "init", "-q")
    git(clone, "add", "-f", ".memory/config.yaml")
    assert ask(clone, {"PATH": str(empty)})[0]  # nobody is there to say otherwise


def test_every_way_in_which_git_may_track_it(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = clone / ".memory" / "config.yaml"
    assert not is_tracked(str(config))
    (clone / "settings").write_text("x", "utf-8")
    config.unlink()
    config.symlink_to("../settings")
    assert not is_tracked(str(config))
    git(clone, "add", "settings")
    assert is_tracked(str(config))  # what the link leads to
    git(clone, "rm", "-q", "--cached", "settings")
    git(clone, "add", "-f", ".memory/config.yaml")
    assert is_tracked(str(config))  # the link itself
    (clone / "link").symlink_to(".memory")
    assert is_tracked(str(clone / "link" / "config.yaml"))
    monkeypatch.setenv("GIT_DIR", str(clone / "nowhere"))
    assert is_tracked(str(config))
    git_directory = clone / ".git"
    monkeypatch.delenv("GIT_DIR")
    git_directory.rename(clone / "elsewhere")
    git_directory.write_text("gitdir: nowhere\n", "utf-8")
    assert is_tracked(str(config))  # nobody can say: not run


def test_asking_git_runs_nothing_of_the_repository(clone: Path) -> None:
    mark = clone / "mark"
    hook = clone / ".git" / "hook.sh"
    hook.write_text(f"#!/bin/sh\ntouch {mark}\n", "utf-8")
    hook.chmod(0o755)
    for key in ("core.fsmonitor", "core.pager", "pager.ls-files", "alias.ls-files", "core.sshCommand"):
        git(clone, "config", key, f"!{hook}" if key.startswith("alias") else str(hook))
    git(clone, "-c", "core.fsmonitor=false", "add", "-f", ".memory/config.yaml")
    mark.unlink(missing_ok=True)
    assert is_tracked(str(clone / ".memory" / "config.yaml"))
    assert not mark.exists()
    subprocess.run(["git", "status"], cwd=clone, check=True, capture_output=True, env=dict(os.environ))
    assert mark.exists()  # git alone would have run it
