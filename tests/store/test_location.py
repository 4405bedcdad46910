"""Where the stores lie: the project's found by walking up, the user's in its one place, and never one for the other."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from promptx_mem import places
from promptx_mem.core.state import PROJECT, USER
from promptx_mem.errors import PromptxMemError, StoreError, UsageError
from promptx_mem.places import store_in_use
from promptx_mem.store import location, writer
from promptx_mem.store.layout import Layout


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with a repository, a plain folder, a project below another; a repository outside of it."""
    root = tmp_path / "home"
    for folder in ("repo/deep", "plain/deep", "outer/inner", "../away"):
        (root / folder).mkdir(parents=True)
    for folder in ("repo", "../away"):
        subprocess.run(["git", "init", "-q"], cwd=root / folder, check=True)
    for folder in ("outer", "outer/inner"):
        (root / folder / ".memory").mkdir()
    monkeypatch.setenv("HOME", str(root))
    monkeypatch.chdir(root)
    return root


def stores(folder: Path | str, given: str | None = None, scope: str | None = None) -> tuple[str, str | None, str]:
    """The store of a folder, the one beside it, the first one's scope; the guard knows the same one."""
    os.chdir(folder)
    found = location.locate(given, scope)
    if given is None and scope is None:
        assert store_in_use(os.getcwd()) == (found.layout.root if found.layout.exists() else None)
    return found.layout.root, found.other.root if found.other else None, found.layout.scope


PLACES: tuple[tuple[str, str, str], ...] = (
    # a working directory below home; its store without a user store; its store with one, "~" where that is the one
    ("repo", "repo/.memory", "repo/.memory"),
    ("repo/deep", "repo/.memory", "repo/.memory"),
    ("plain", "plain/.memory", "~"),
    ("plain/deep", "plain/deep/.memory", "~"),
    (".", ".memory", "~"),
    ("outer", "outer/.memory", "outer/.memory"),
    ("outer/inner", "outer/inner/.memory", "outer/inner/.memory"),
    ("../away", "../away/.memory", "../away/.memory"),
)


@pytest.mark.parametrize(("folder", "alone", "both"), PLACES)
@pytest.mark.parametrize("by", ["home", "variable", "link"])
def test_every_place_has_its_stores(
    folder: str, alone: str, both: str, by: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def path(below: str) -> str:
        return os.path.normpath(home / below)

    user = home / ".memory"
    if by == "variable":
        user = home.parent / "mine"
        monkeypatch.setenv(places.USER_STORE, str(user))
    assert stores(home / folder) == (path(alone), None, PROJECT)
    if by == "link":
        (home.parent / "dotfiles").mkdir()
        user.symlink_to(home.parent / "dotfiles")
    else:
        user.mkdir()
    expected = (str(user), None, USER) if both == "~" else (path(both), str(user), PROJECT)
    assert stores(home / folder) == expected
    assert stores(home / folder, scope=USER) == (str(user), None, USER)
    assert stores(home / folder, given=str(user)) == (str(user), None, USER)
    assert stores(home / folder, given=path("repo/.memory")) == (path("repo/.memory"), str(user), PROJECT)
    if both != "~":
        assert stores(home / folder, scope=PROJECT) == (path(both), None, PROJECT)


def test_a_home_that_is_a_repository_is_no_project(home: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=home, check=True)
    assert stores(home / "plain") == (str(home / "plain/.memory"), None, PROJECT)
    (home / ".memory").mkdir()
    assert stores(home / "plain") == (str(home / ".memory"), None, USER)


def test_a_projects_link_to_the_user_store_is_refused(home: Path) -> None:
    """Whoever made a clone could make it write there."""
    (home / ".memory").mkdir()
    (home / "repo/.memory").symlink_to(home / ".memory")
    with pytest.raises(StoreError, match="symbolic link"):
        stores(home / "repo")


@pytest.mark.parametrize("value", [None, "", "relative"])
def test_without_a_home_there_is_none(value: str | None, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if value is None:
        monkeypatch.delenv("HOME")
    else:
        monkeypatch.setenv("HOME", value)
    assert stores(home / "repo") == (str(home / "repo/.memory"), None, PROJECT)
    with pytest.raises(UsageError) as caught:
        location.locate(None, USER)
    assert caught.value.code == "no_home"
    with pytest.raises(UsageError, match="no user store"):
        location.locate_user()


def test_another_users_is_left_out_unless_it_is_named(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / ".memory").mkdir()
    real = os.stat

    def stat(path: str, **more: bool) -> os.stat_result:
        status = list(real(path, **more))
        if str(path) == str(home / ".memory"):
            status[4] = 54_321
        return os.stat_result(status)

    monkeypatch.setattr(os, "stat", stat)
    assert stores(home / "repo") == (str(home / "repo/.memory"), None, PROJECT)
    assert "belongs to another user" in location.locate().warning
    with pytest.raises(StoreError, match="another user"):
        location.locate_user()
    monkeypatch.setenv(places.USER_STORE, str(home / ".memory"))
    assert stores(home / "repo")[1] == str(home / ".memory")


def test_the_settings_can_leave_it_out(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = home.parent / "settings.yaml"
    monkeypatch.setenv("PROMPTX_MEM_CONFIG", str(settings))
    (home / ".memory").mkdir()
    for text, expected in (("user_store: true\n", True), ("user_store: false\n", False), ("llm: {}\n", True)):
        settings.write_text(text, encoding="utf-8")
        assert (stores(home / "repo")[1] is not None) == expected
    settings.write_text("user_store: perhaps\n", encoding="utf-8")
    assert stores(home / "repo")[1] is None
    assert "user_store" in location.locate().warning
    assert stores(home / "repo", scope=USER)[2] == USER
    settings.write_text("user_store: false\n", encoding="utf-8")
    os.chdir(home / "plain")  # the guard, which reads no settings, knows the user store all the same
    assert location.locate() == location.Stores(Layout(str(home / "plain/.memory")))


MAKERS: tuple[tuple[str, Callable[[], Layout]], ...] = (
    ("found", lambda: location.locate().layout),
    ("a scope", lambda: location.locate(None, USER).layout),
    ("named", lambda: location.locate(os.path.expanduser("~/.memory")).layout),
    ("a project's", lambda: location.locate(None, PROJECT).layout),
)


@pytest.mark.parametrize(("how", "find"), MAKERS)
def test_only_who_says_so_makes_it(how: str, find: Callable[[], Layout], home: Path) -> None:
    os.chdir(home)
    with pytest.raises(UsageError) as caught:
        writer.create(find())
    assert caught.value.code == "user_store", how
    assert not (home / ".memory").exists()
    writer.create(location.locate_user().layout)
    assert (home / ".memory/.gitignore").read_text(encoding="utf-8") == "*\n"


def test_a_new_store_in_home_would_be_lost(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the variable names another place, walking up passes over ~/.memory all the same."""
    monkeypatch.setenv(places.USER_STORE, str(home.parent / "mine"))
    os.chdir(home)
    with pytest.raises(UsageError, match="your user store is"):
        writer.create(location.locate().layout)
    assert not location.displaced()
    (home / ".memory").mkdir()
    (home / ".memory/declarative.md").touch()
    assert str(home / ".memory") in location.displaced()


def test_a_refused_project_keeps_nobody_from_the_user_store(home: Path) -> None:
    (home / "repo/.memory").symlink_to("/")
    os.chdir(home / "repo")
    assert location.locate_user() == location.Stores(Layout(str(home / ".memory"), named=True, is_user=True), None)
    with pytest.raises(PromptxMemError):
        location.locate()


def test_without_a_user_store_finding_costs_one_call(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    real = os.stat
    (home / "repo/.memory").mkdir()
    os.chdir(home / "repo")

    def stat(path: str, **more: bool) -> os.stat_result:
        asked.append(str(path))
        return real(path, **more)

    monkeypatch.setattr(os, "stat", stat)
    location.locate()
    assert asked.count(str(home / ".memory")) == 1
    assert set(asked) == {str(home / ".memory"), str(home / "repo/.memory")}


STRANGER = 54_321


@pytest.fixture
def below(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory below a folder, as /tmp is one, into which a stranger has put a store."""
    (tmp_path / ".memory").mkdir()
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.delenv("SUDO_UID", raising=False)
    return tmp_path


def owned(monkeypatch: pytest.MonkeyPatch, by: int, me: int) -> None:
    """As the system would tell it; chown is for root alone."""
    real = os.stat

    def stat(path: str, **more: bool) -> os.stat_result:
        found = list(real(path, **more))
        if str(path).endswith(".memory"):
            found[4] = by
        return os.stat_result(found)

    monkeypatch.setattr(os, "geteuid", lambda: me)
    monkeypatch.setattr(os, "stat", stat)


@pytest.mark.parametrize(("by", "me", "sudo"), [(1000, 1000, ""), (0, 1000, ""), (0, 0, ""), (1000, 0, "1000")])
def test_ones_own_store_is_found(by: int, me: int, sudo: str, below: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    owned(monkeypatch, by, me)
    monkeypatch.setenv("SUDO_UID", sudo)
    assert location.locate(None).layout.root == store_in_use(os.getcwd()) == str(below / ".memory")


@pytest.mark.parametrize(("me", "sudo"), [(1000, ""), (1000, str(STRANGER)), (0, ""), (0, "1000")])
def test_a_strangers_store_is_refused(me: int, sudo: str, below: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    owned(monkeypatch, STRANGER, me)
    monkeypatch.setenv("SUDO_UID", sudo)
    with pytest.raises(StoreError, match="belongs to another user") as caught:
        location.locate(None)
    assert caught.value.code == "other_user"
    assert f"PROMPTX_MEM_DIR={below}/.memory" in caught.value.hint
    assert store_in_use(os.getcwd()) is None


@pytest.mark.parametrize("by_variable", [False, True])
def test_who_names_it_may_use_it(by_variable: bool, below: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    owned(monkeypatch, STRANGER, 1000)
    named = str(below / ".memory")
    if by_variable:
        monkeypatch.setenv("PROMPTX_MEM_DIR", named)
    assert location.locate(None if by_variable else named).layout.root == named
