"""Compaction while others change the files: their appended lines and edits are kept."""

import contextlib
import os
import shutil
import zlib
from pathlib import Path
from typing import Any

import pytest
from filelock import lock_descriptor

from tests.api import BusyError, layout
from tests.faults import scenes
from tests.faults.scenes import OLD, OTHER, SHORT_LIVED, active_texts, compact, memory_at, recalled, states
from tests.inside import archive, disk, rewrite


@pytest.fixture
def root(quick: Path) -> Path:
    scenes.make_template(quick / ".memory")
    return quick / ".memory"


def change_around_replacement(root: Path, act: bytes, patch: pytest.MonkeyPatch, *, before: bool) -> None:
    """Append to (or, with a line in `act` that begins with !, edit) declarative.md around its replacement."""
    kept = os.replace
    opened = os.open(root / "declarative.md", os.O_RDWR)

    def change() -> None:
        if act.startswith(b"!"):
            os.pwrite(opened, act[1:], 0)
        else:
            os.lseek(opened, 0, os.SEEK_END)
            os.write(opened, act)

    def replace(source: str, target: str, **folders: int | None) -> None:
        mine = target.endswith("declarative.md") and source.endswith(disk.TEMPORARY)
        if mine and before:
            change()
        kept(source, target, **folders)
        if mine and not before:
            change()

    patch.setattr(os, "replace", replace)


@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize("typed", [b"- typed #t\n", b"- typed #t"])
def test_lines_appended_during_a_replacement_are_carried_over(typed: bytes, before: bool, root: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        change_around_replacement(root, typed, patch, before=before)
        compact(memory_at(root))
    assert active_texts(root) == {OLD, OTHER, "typed"}
    assert SHORT_LIVED.encode() not in (root / "declarative.md").read_bytes()
    assert not list(root.glob(".*.old"))


def test_files_are_replaced_only_under_the_lock(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lock file is removed while the new file is written, so another writer could hold another lock."""
    lock, held = root / ".lock", []
    removed = iter((True, True))
    kept, link = os.replace, os.link

    def remove(*args: Any, **kwargs: Any) -> None:
        link(*args, **kwargs)
        if next(removed, False):
            lock.unlink()

    def replace(source: str, target: str, **folders: int | None) -> None:
        if target.endswith((".md", ".jsonl")) and "archive" not in target and "MEMORY" not in target:
            with lock.open("r+b") as file:
                held.append(not lock_descriptor(file.fileno(), blocking=False))
        kept(source, target, **folders)

    monkeypatch.setattr(os, "link", remove)
    monkeypatch.setattr(os, "replace", replace)
    compact(memory_at(root))
    assert held == [True, True]
    assert active_texts(root) == {OLD, OTHER}
    assert not list(root.glob(".*.old"))


@pytest.mark.parametrize("stopped_at", [1, 2, 3])
def test_interrupted_compaction_with_a_lost_archive_revives_nothing(
    stopped_at: int, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = memory_at(root)
    memory.forget(states(root)[OTHER].entry.id)
    replaced = []
    kept = os.replace

    def replace(source: str, target: str, **folders: int | None) -> None:
        if target.endswith((".md", ".jsonl")):
            replaced.append(target)
        if len(replaced) == stopped_at:
            raise KeyboardInterrupt
        kept(source, target, **folders)

    with monkeypatch.context() as patch, contextlib.suppress(KeyboardInterrupt):
        patch.setattr(os, "replace", replace)
        compact(memory)
    shutil.rmtree(root / "archive")
    assert active_texts(root) == recalled(root) == {OLD}


def test_edit_in_place_during_a_replacement_wins(root: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        change_around_replacement(root, b"!# a title", patch, before=True)
        with pytest.raises(BusyError, match="changed"):
            compact(memory_at(root))
    assert (root / "declarative.md").read_bytes().startswith(b"# a title")
    assert active_texts(root) == {OLD, OTHER}
    compact(memory_at(root))
    assert active_texts(root) == {OLD, OTHER}


@pytest.mark.parametrize("tail", [b"", b"- typed #t\n", b"- typed #t"])
def test_crash_after_a_replacement_loses_no_appended_line(tail: bytes, root: Path) -> None:
    data = (root / "declarative.md").read_bytes()
    old = root / f".declarative.md.{len(data)}.{zlib.crc32(data):08x}.old"
    (root / "declarative.md").rename(old)
    with old.open("ab") as file:
        file.write(tail)
    (root / "declarative.md").write_bytes(data)
    for _ in range(2):
        rewrite.recover(layout.at(str(root)))
        assert active_texts(root) == ({OLD, OTHER, "typed"} if tail else {OLD, OTHER})
    assert not old.exists()


def test_compaction_works_without_hard_links(root: Path) -> None:
    def link(*_args: object, **_kwargs: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "link", link)
        compact(memory_at(root))
    assert SHORT_LIVED.encode() not in (root / "declarative.md").read_bytes()
    assert active_texts(root) == {OLD, OTHER}


def test_damaged_archive_gives_only_complete_lines(root: Path) -> None:
    where = layout.at(str(root))
    lines = b"".join(b"- %d %s #t\n" % (n, os.urandom(20).hex().encode()) for n in range(200))
    path = Path(str(archive.write(where, "20261123", lines, archive.LINES)))
    whole = path.read_bytes()
    for size in range(0, len(whole), 97):
        path.write_bytes(whole[:size])
        data = archive.read(where, path.name)
        assert lines.startswith(data)
        assert not data or data.endswith(b"\n")


def test_old_temporary_files_are_removed(root: Path) -> None:
    for name, age in ((".MEMORY.md.0123456789ab.tmp", 7200), (".archive.0123456789ab.tmp", 60)):
        (root / name).write_bytes(b"x")
        at = (root / name).stat().st_mtime - age
        os.utime(root / name, (at, at))
    rewrite.recover(layout.at(str(root)))
    assert [path.name for path in root.glob(".*.tmp")] == [".archive.0123456789ab.tmp"]


def test_file_replaced_since_it_was_read_is_not_rewritten(root: Path) -> None:
    where = layout.at(str(root))
    data = (root / "declarative.md").read_bytes()
    (root / "theirs").write_bytes(b"- theirs #t\n")
    (root / "theirs").replace(root / "declarative.md")
    with pytest.raises(BusyError):
        rewrite.without(where, where.declarative, data, [(0, 5)], lambda: True)
    assert (root / "declarative.md").read_bytes() == b"- theirs #t\n"
    assert not [path for path in root.iterdir() if path.suffix in (".old", ".tmp")]
