"""Stores created or trusted on this machine are recorded outside of them, per directory and user."""

import os
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests import instead
from tests.api import Layout, layout
from tests.inside import creation, trust


@pytest.fixture
def made(tmp_path: Path) -> Layout:
    return creation.create(layout.at(str(tmp_path / "project" / ".memory")))


def file() -> Path:
    path = trust.path()
    assert path is not None
    return Path(path)


def test_created_store_is_recorded_in_a_private_file(made: Layout) -> None:
    assert trust.is_recorded(made)
    assert file().stat().st_mode & 0o777 == 0o600
    assert file().parent.stat().st_mode & 0o777 == 0o700
    assert os.path.realpath(file()).startswith(made.root) is False


def test_moved_store_stays_recorded_and_a_copy_is_not(made: Layout) -> None:
    root = Path(made.root)
    root.rename(root.parent / "moved")
    assert trust.is_recorded(layout.at(str(root.parent / "moved")))  # the same directory elsewhere
    shutil.copytree(root.parent / "moved", root)
    assert not trust.is_recorded(layout.at(str(root)))
    shutil.rmtree(root)
    (root.parent / "moved").rename(root)
    assert trust.is_recorded(layout.at(str(root)))


def test_only_another_directory_replaces_a_store(made: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(trust, "read", lambda _: None)  # a process that creates the store at the same time
        trust.record(made, trust.PRIVATE)
    assert not creation.has_replaced(made)
    shutil.rmtree(made.root)
    assert creation.has_replaced(creation.create(made))


def test_directory_with_a_reused_inode_is_not_recorded(made: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    status = os.stat(made.root)
    root = Path(made.root)
    own = (root / ".own").read_bytes()
    shutil.rmtree(root)
    root.mkdir()
    real = os.stat

    def stat(path: str, **more: bool) -> os.stat_result:
        return status if str(path) == made.root else real(path, **more)

    monkeypatch.setattr(os, "stat", stat)
    assert not trust.is_recorded(made)
    (root / ".own").write_bytes(b"0" * 32 + b"\n")
    assert not trust.is_recorded(made)
    (root / ".own").write_bytes(own)
    assert trust.is_recorded(made)  # with the same inode and mark


@pytest.mark.parametrize("planted", [b"", b"0" * 32 + b"\n", b"x" * 100_000, b"\n" * 5_000, b"\0" * 32])
def test_planted_mark_is_ignored_and_does_not_prevent_trust(planted: bytes, made: Layout) -> None:
    own = Path(made.own)
    own.write_bytes(planted)
    assert not trust.is_recorded(made)
    assert trust.record(made, trust.PRIVATE)
    assert trust.is_recorded(made)


def test_stores_created_at_once_are_all_recorded(tmp_path: Path) -> None:
    stores = [layout.at(str(tmp_path / str(number) / ".memory")) for number in range(40)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(creation.create, stores))
    assert all(map(trust.is_recorded, stores))


def _writable_by_others(path: Path) -> None:
    path.chmod(0o666)


@pytest.mark.parametrize("spoil", [instead.link, instead.pipe, instead.folder, _writable_by_others])
def test_record_that_others_may_have_written_is_ignored(spoil: Callable[[Path], None], made: Layout) -> None:
    spoil(file())
    assert not trust.is_recorded(made)
    if spoil is not _writable_by_others:
        assert not trust.record(made, trust.PRIVATE)


def test_store_is_created_but_not_recorded_without_a_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", "relative")
    monkeypatch.chdir(tmp_path)
    made = creation.create(layout.at(str(tmp_path / ".memory")))
    assert not trust.is_recorded(made)
    assert not trust.record(made, trust.PRIVATE)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".memory"]
    monkeypatch.setenv("HOME", "/dev/null/home")
    assert not trust.record(made, trust.PRIVATE)


def test_home_of_another_user_stays_empty(tmp_path: Path, made: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setattr(os, "geteuid", lambda: 54_321)
    assert not trust.record(made, trust.PRIVATE)
    assert list(home.iterdir()) == []
