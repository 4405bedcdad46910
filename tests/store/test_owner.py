"""Whose store it is: one that nobody named must be ours, root's, or of who called sudo."""

import os
from pathlib import Path

import pytest

from tests.api import StoreError
from tests.inside import location, store_in_use

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
