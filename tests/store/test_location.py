"""Locations of stores: the project store is found by walking up, the user store is in one fixed place."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from promptx_mem import places
from promptx_mem.core.state import PROJECT, USER
from promptx_mem.errors import PromptxMemError, StoreError, UsageError
from promptx_mem.hooks import store_in_use
from promptx_mem.store import location, writer
from promptx_mem.store.layout import Layout


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with a repository, a plain folder and a project inside another; a repository outside."""
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
    """Return a folder's store, the second store and the scope of the first; the guard finds the same store."""
    os.chdir(folder)
    found = location.locate(given, scope)
    if given is None and scope is None:
        assert store_in_use(os.getcwd()) == (found.layout.root if found.layout.exists() else None)
    return found.layout.root, found.other.root if found.other else None, found.layout.scope


OTHER_USER = 54_321


def owned(monkeypatch: pytest.MonkeyPatch, by: int, me: int) -> None:
    """Fake the owner of stores and the current user, since only root can chown."""
    real = os.stat

    def stat(path: str, **more: bool) -> os.stat_result:
        found = list(real(path, **more))
        if str(path).endswith(".memory"):
            found[4] = by
        return os.stat_result(found)

    monkeypatch.setattr(os, "geteuid", lambda: me)
    monkeypatch.setattr(os, "stat", stat)


PLACES: tuple[tuple[str, str, str], ...] = (
    # a working directory below home; its store without a user store; its store with one ("~": the user store)
    ("repo", "repo/.memory", "repo/.memory"),
    ("repo/deep", "repo/.memory", "repo/.memory"),
    ("plain", "plain/.memory", "~"),
    ("plain/deep", "plain/deep/.memory", "~"),
    (".", ".memory", "~"),
    ("outer", "outer/.memory", "outer/.memory"),
    ("outer/inner", "outer/inner/.memory", "outer/inner/.memory"),
    ("../away", "../away/.memory", "../away/.memory"),
)


@pytest.mark.parametrize(("folder", "without_user", "with_user"), PLACES)
@pytest.mark.parametrize("by", ["home", "variable", "link"])
def test_each_folder_finds_its_project_store_and_the_user_store(
    folder: str, without_user: str, with_user: str, by: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def path(below: str) -> str:
        return os.path.normpath(home / below)

    user = home / ".memory"
    if by == "variable":
        user = home.parent / "mine"
        monkeypatch.setenv(places.USER_STORE, str(user))
    assert stores(home / folder) == (path(without_user), None, PROJECT)
    if by == "link":
        (home.parent / "dotfiles").mkdir()
        user.symlink_to(home.parent / "dotfiles")
    else:
        user.mkdir()
    expected = (str(user), None, USER) if with_user == "~" else (path(with_user), str(user), PROJECT)
    assert stores(home / folder) == expected
    assert stores(home / folder, scope=USER) == (str(user), None, USER)
    assert stores(home / folder, given=str(user)) == (str(user), None, USER)
    assert stores(home / folder, given=path("repo/.memory")) == (path("repo/.memory"), str(user), PROJECT)
    if with_user != "~":
        assert stores(home / folder, scope=PROJECT) == (path(with_user), None, PROJECT)


def test_home_that_is_a_repository_is_not_a_project(home: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=home, check=True)
    assert stores(home / "plain") == (str(home / "plain/.memory"), None, PROJECT)
    (home / ".memory").mkdir()
    assert stores(home / "plain") == (str(home / ".memory"), None, USER)


def test_project_link_to_the_user_store_is_rejected(home: Path) -> None:
    """Otherwise a clone could write to the user store."""
    (home / ".memory").mkdir()
    (home / "repo/.memory").symlink_to(home / ".memory")
    with pytest.raises(StoreError, match="symbolic link"):
        stores(home / "repo")


@pytest.mark.parametrize("value", [None, "", "relative"])
def test_there_is_no_user_store_without_a_home(value: str | None, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_user_store_of_another_user_is_used_only_if_it_is_named(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / ".memory").mkdir()
    owned(monkeypatch, OTHER_USER, 1000)
    assert stores(home / "repo") == (str(home / "repo/.memory"), None, PROJECT)
    assert "belongs to another user" in location.locate().warning
    with pytest.raises(StoreError, match="another user"):
        location.locate_user()
    monkeypatch.setenv(places.USER_STORE, str(home / ".memory"))
    assert stores(home / "repo")[1] == str(home / ".memory")


def test_settings_can_disable_the_user_store(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
    os.chdir(home / "plain")  # the guard reads no settings and still finds the user store
    assert location.locate() == location.Stores(Layout(str(home / "plain/.memory")))


LOOKUPS: tuple[tuple[str, Callable[[], Layout]], ...] = (
    ("found", lambda: location.locate().layout),
    ("a scope", lambda: location.locate(None, USER).layout),
    ("named", lambda: location.locate(os.path.expanduser("~/.memory")).layout),
    ("a project's", lambda: location.locate(None, PROJECT).layout),
)


@pytest.mark.parametrize(("how", "find"), LOOKUPS)
def test_user_store_is_created_only_on_explicit_request(how: str, find: Callable[[], Layout], home: Path) -> None:
    os.chdir(home)
    with pytest.raises(UsageError) as caught:
        writer.create(find())
    assert caught.value.code == "user_store", how
    assert not (home / ".memory").exists()
    writer.create(location.locate_user().layout)
    assert (home / ".memory/.gitignore").read_text(encoding="utf-8") == "*\n"


def test_store_in_home_is_refused_if_the_user_store_is_elsewhere(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the variable names another place, walking up still ignores ~/.memory."""
    monkeypatch.setenv(places.USER_STORE, str(home.parent / "mine"))
    os.chdir(home)
    with pytest.raises(UsageError, match="your user store is"):
        writer.create(location.locate().layout)


def test_rejected_project_store_does_not_block_the_user_store(home: Path) -> None:
    (home / "repo/.memory").symlink_to("/")
    os.chdir(home / "repo")
    assert location.locate_user() == location.Stores(Layout(str(home / ".memory"), named=True, is_user=True), None)
    with pytest.raises(PromptxMemError):
        location.locate()


def test_missing_user_store_costs_one_system_call(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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


@pytest.fixture
def below(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory below a shared folder, such as /tmp, that contains a store."""
    (tmp_path / ".memory").mkdir()
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.delenv("SUDO_UID", raising=False)
    return tmp_path


@pytest.mark.parametrize(("by", "me", "sudo"), [(1000, 1000, ""), (0, 1000, ""), (0, 0, ""), (1000, 0, "1000")])
def test_own_or_root_store_is_found(by: int, me: int, sudo: str, below: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    owned(monkeypatch, by, me)
    monkeypatch.setenv("SUDO_UID", sudo)
    assert location.locate(None).layout.root == store_in_use(os.getcwd()) == str(below / ".memory")


@pytest.mark.parametrize(("me", "sudo"), [(1000, ""), (1000, str(OTHER_USER)), (0, ""), (0, "1000")])
def test_store_of_another_user_is_rejected(me: int, sudo: str, below: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    owned(monkeypatch, OTHER_USER, me)
    monkeypatch.setenv("SUDO_UID", sudo)
    with pytest.raises(StoreError, match="belongs to another user") as caught:
        location.locate(None)
    assert caught.value.code == "other_user"
    assert f"PROMPTX_MEM_DIR={below}/.memory" in caught.value.hint
    assert store_in_use(os.getcwd()) is None


@pytest.mark.parametrize("by_variable", [False, True])
def test_other_users_store_is_used_if_named(by_variable: bool, below: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    owned(monkeypatch, OTHER_USER, 1000)
    named = str(below / ".memory")
    if by_variable:
        monkeypatch.setenv("PROMPTX_MEM_DIR", named)
    assert location.locate(None if by_variable else named).layout.root == named
