"""Git decides whether a store is tracked; this check runs no program of the repository."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.cli import program
from tests.git import git
from tests.inside import tracks


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


def test_store_is_tracked_if_git_tracks_one_of_its_files_or_links(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = clone / ".memory"
    assert not tracks(str(store))
    git(clone, "add", "-f", ".memory/audit.jsonl")  # any of its files
    assert tracks(str(store))
    assert tracks(str(clone / ".Memory"))  # as on a case-insensitive file system
    git(clone, "rm", "-q", "--cached", ".memory/audit.jsonl")
    assert not tracks(str(store))
    (clone / "link").symlink_to(".memory")
    assert not tracks(str(clone / "link"))
    git(clone, "add", "link")
    assert tracks(str(clone / "link"))  # the link itself
    git(clone, "rm", "-q", "--cached", "link")
    git(clone, "add", "-f", ".memory/config.yaml")
    assert tracks(str(clone / "link"))  # its target
    monkeypatch.setenv("GIT_DIR", str(clone / "nowhere"))
    assert tracks(str(store))
    monkeypatch.delenv("GIT_DIR")
    git(clone, "rm", "-q", "--cached", ".memory/config.yaml")
    assert not tracks(str(store))
    (clone / ".git").rename(clone / "elsewhere")
    (clone / ".git").write_text("gitdir: nowhere\n", "utf-8")
    assert tracks(str(store)) is None


def test_store_that_is_a_repository_is_tracked_if_it_has_tracked_files(tmp_path: Path) -> None:
    store = tmp_path / ".memory"
    assert program.run("init", "--shared", cwd=tmp_path).status == 0
    git(store, "init", "-q")
    assert not tracks(str(store))
    git(store, "add", ".gitignore")
    assert tracks(str(store))


def test_tracking_check_runs_no_program_of_the_repository(clone: Path) -> None:
    mark = clone / "mark"
    hook = clone / ".git" / "hook.sh"
    hook.write_text(f"#!/bin/sh\ntouch {mark}\n", "utf-8")
    hook.chmod(0o755)
    for key in ("core.fsmonitor", "core.pager", "pager.ls-files", "alias.ls-files", "core.sshCommand"):
        git(clone, "config", key, f"!{hook}" if key.startswith("alias") else str(hook))
    git(clone, "-c", "core.fsmonitor=false", "add", "-f", ".memory/config.yaml")
    mark.unlink(missing_ok=True)
    assert tracks(str(clone / ".memory"))
    assert not mark.exists()
    subprocess.run(["git", "status"], cwd=clone, check=True, capture_output=True, env=dict(os.environ))
    assert mark.exists()  # an unprotected git command runs it
