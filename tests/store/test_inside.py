"""Names inside a store: what they may be, how they are reached, and what is said where something else is there."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.api import StoreError
from tests.inside import Inside, files, inside

if TYPE_CHECKING:
    from collections.abc import Callable

WAYS = [True, False]
"""By descriptors, and by paths that are looked at first, where Python has no descriptors for it."""


@pytest.fixture(params=WAYS)
def folder(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Inside:
    monkeypatch.setattr(inside, "_DESCRIPTORS", request.param)
    (tmp_path / "archive" / "conversations").mkdir(parents=True)
    (tmp_path / "beyond").mkdir()
    (tmp_path / "beyond" / "x").write_bytes(b"beyond")
    return Inside(str(tmp_path), ("archive",))


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "/etc/passwd", "../x", "a\0b"])
def test_a_path_is_no_name(name: str) -> None:
    with pytest.raises(StoreError):
        Inside("/s", ("archive",)) / name


def test_what_is_written_is_read(folder: Inside) -> None:
    for place in (folder / "x", folder / "conversations" / "x"):
        files.replace(place, b"one", 0o640, durable=True)
        assert files.read(place) == b"one"
        assert os.stat(str(place)).st_mode & 0o777 == 0o640
        with files.opened(place, os.O_RDWR | os.O_APPEND) as fd:
            os.write(fd, b" two")
        assert files.read(place, 4) == b"two"
        files.unlink(place)
        assert (files.read(place), files.identity(place), files.status(place)) == (None, None, None)
    files.make_directory(folder / "new", 0o750)
    assert os.stat(str(folder / "new")).st_mode & 0o777 == 0o750
    assert sorted(files.names(folder)) == ["conversations", "new"]
    files.sync_directory(folder / "new")


@pytest.mark.parametrize("below", [0, 1])
def test_a_folder_that_is_a_link_holds_nothing(folder: Inside, below: int, tmp_path: Path) -> None:
    link = Path(str(folder / "conversations" if below else folder))
    link.rename(tmp_path / "aside")
    link.symlink_to(tmp_path / "beyond")
    place = folder / "conversations" / "x" if below else folder / "x"
    assert (files.read(place), files.names(Inside(place.root, place.names[:-1]))) == (None, [])
    acts: list[Callable[[], None]] = [
        lambda: files.replace(place, b"new", 0o600),
        lambda: files.unlink(place),
        lambda: files.make_directory(place, 0o700),
        lambda: files.sync_directory(Inside(place.root, place.names[:-1])),
    ]
    for act in acts:
        with pytest.raises(StoreError, match="is a symbolic link") as caught:
            act()
        assert caught.value.code == "link"
    with pytest.raises(StoreError), files.opened(place, os.O_RDWR | os.O_APPEND):
        pass
    assert [path.name for path in (tmp_path / "beyond").iterdir()] == ["x"]


def test_a_link_in_the_place_of_a_file_is_not_replaced(folder: Inside, tmp_path: Path) -> None:
    os.symlink(tmp_path / "beyond" / "x", str(folder / "x"))
    with pytest.raises(StoreError, match=r"archive/x is a symbolic link \(to /.*\) and is not followed"):
        files.replace(folder / "x", b"new", 0o600)
    assert os.path.islink(str(folder / "x"))
    assert files.load(str(folder / "x"), follow=True) == b"beyond"


def test_what_nobody_may_open_is_no_file(folder: Inside, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(str(folder / "x"))
    real = os.open

    def refuse(path: str, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        if path.endswith("x"):
            raise PermissionError(13, "Permission denied", path)
        return real(path, flags, mode, dir_fd=dir_fd)

    monkeypatch.setattr(os, "open", refuse)
    assert files.read(folder / "x") is None
    with pytest.raises(StoreError, match="not a regular file"):
        files.load(folder / "x")
