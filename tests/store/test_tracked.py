"""Whether git tracks a file is asked of git alone, and nothing of the repository is run by it."""

import os
import subprocess
from pathlib import Path

import pytest

from promptx_mem.store.tracked import is_tracked
from tests.cli import program


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A repository with a store in it."""
    root = tmp_path / "clone"
    root.mkdir()
    git(root, "init", "-q")
    assert program.run("init", "--shared", cwd=root).status == 0
    assert program.run("remember", "喜欢喝龙井茶", "#偏好", "score:9", cwd=root).status == 0
    (root / ".memory" / "config.yaml").write_text("policy: standard\n", "utf-8")
    return root


def git(root: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=root, check=True, capture_output=True)


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
