"""A linked worktree uses the main worktree's store; an unregistered `.git` file is ignored."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.git import git
from tests.inside import location, store_in_use


@pytest.fixture
def main(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one commit, away from home."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    root = tmp_path / "main"
    root.mkdir()
    git(root, "init", "-q")
    git(root, "commit", "-q", "--allow-empty", "-m", "x")
    return root


@pytest.fixture
def tree(main: Path, tmp_path: Path) -> Path:
    git(main, "worktree", "add", "-q", str(tmp_path / "tree"))
    (tmp_path / "tree" / "deep").mkdir()
    return tmp_path / "tree"


def located(folder: Path) -> str:
    """Return the store of a folder; the guard finds the same store if it exists."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        where = location.locate(None).layout
    finally:
        os.chdir(before)
    assert store_in_use(str(folder)) == (where.root if where.exists() else None)
    return where.root


def test_linked_worktree_shares_the_store(main: Path, tree: Path) -> None:
    for exists in (False, True):
        if exists:
            (main / ".memory").mkdir()
        for folder in (main, tree, tree / "deep"):
            assert located(folder) == str(main / ".memory")


def test_store_in_the_linked_worktree_goes_first(main: Path, tree: Path) -> None:
    (main / ".memory").mkdir()
    (tree / ".memory").mkdir()
    assert located(tree / "deep") == str(tree / ".memory")
    assert located(main) == str(main / ".memory")


def test_store_is_searched_above_the_main_worktree_not_the_linked_one(main: Path, tree: Path) -> None:
    aside = main.parent / "aside"
    aside.mkdir()
    (aside / ".memory").mkdir()
    git(main, "worktree", "move", str(tree), str(aside / "tree"))
    assert located(aside / "tree") == str(main / ".memory")
    (main.parent / ".memory").mkdir()
    assert located(aside / "tree") == located(main) == str(main.parent / ".memory")


def _other_registration(main: Path, tree: Path) -> None:
    (main / ".git" / "worktrees" / "tree" / "gitdir").write_text(str(main.parent / "another" / ".git") + "\n")


def _no_registration(main: Path, tree: Path) -> None:
    (main / ".git" / "worktrees" / "tree" / "gitdir").unlink()


def _into_the_repository(main: Path, tree: Path) -> None:
    (tree / ".git").write_text(f"gitdir: {main}/.git\n")


def _missing_target(main: Path, tree: Path) -> None:
    (tree / ".git").write_text("gitdir: /nowhere\n")


def _binary_content(main: Path, tree: Path) -> None:
    (tree / ".git").write_bytes(b"gitdir: \0\xff" + b"x" * 100_000)


def _other_repository(main: Path, tree: Path) -> None:
    (main.parent / "other").mkdir()
    git(main.parent / "other", "init", "-q")
    (main / ".git" / "worktrees" / "tree" / "commondir").write_text(str(main.parent / "other" / ".git"))


def _a_link(main: Path, tree: Path) -> None:
    (tree / ".git").rename(tree / "git")
    (tree / ".git").symlink_to("git")


def _a_pipe(main: Path, tree: Path) -> None:
    (tree / ".git").unlink()
    os.mkfifo(tree / ".git")


@pytest.mark.parametrize(
    "plant",
    [
        _other_registration,
        _no_registration,
        _into_the_repository,
        _missing_target,
        _binary_content,
        _other_repository,
        _a_link,
        _a_pipe,
    ],
)
def test_planted_git_file_is_ignored(plant: Callable[[Path, Path], None], main: Path, tree: Path) -> None:
    (main / ".memory").mkdir()
    plant(main, tree)
    assert located(tree / "deep") == str(tree / ".memory")


def test_main_worktree_of_another_user_is_ignored(main: Path, tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.lstat

    def lstat(path: str, **more: Any) -> os.stat_result:
        fields = list(real(path, **more))
        if str(path) == str(main):
            fields[4] = 54_321
        return os.stat_result(fields)

    monkeypatch.setattr(os, "lstat", lstat)
    assert located(tree) == str(tree / ".memory")


def test_submodule_is_a_separate_project(main: Path, tmp_path: Path) -> None:
    above = tmp_path / "above"
    above.mkdir()
    git(above, "init", "-q")
    git(above, "submodule", "add", "-q", str(main), "part")
    assert (above / "part" / ".git").is_file()
    assert located(above / "part") == str(above / "part" / ".memory")
    git(above / "part", "worktree", "add", "-q", str(tmp_path / "aside"))
    assert located(tmp_path / "aside") == str(tmp_path / "aside" / ".memory")


@pytest.mark.parametrize("top", ["home", "."])
def test_repository_of_home_or_above_is_no_project(top: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work = tmp_path / "home" / "notes" / "deep"
    work.mkdir(parents=True)
    (tmp_path / "link").symlink_to("home")
    git(tmp_path / top, "init", "-q")
    monkeypatch.setenv("HOME", str(tmp_path / "link"))  # compared by inode, not by name
    assert located(work) == str(work / ".memory")
    assert located(tmp_path) == str(tmp_path / ".memory")
    monkeypatch.delenv("HOME")
    assert located(work) == str(tmp_path / top / ".memory")
