"""Lines that only the old cache contains are saved once, before a new cache replaces it."""

import contextlib
import os
from pathlib import Path

import pytest

from promptx_mem.search import build, current
from promptx_mem.search.build import save_vanished
from promptx_mem.store import archive
from promptx_mem.store.append import Lock
from promptx_mem.store.writer import Writer
from tests import caches
from tests.world import World

pytestmark = pytest.mark.usefixtures("person")


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A store whose file lacks one line that its cache contains."""
    world = World(tmp_path / ".memory")
    world.remember("kept")
    before = world.read("declarative.md")
    world.remember("lost")
    world.file("declarative.md").write_text(before, "utf-8")
    return world


def lost(world: World) -> list[str]:
    return archive.lost_lines(world.memory.context.layout, archive.LINES)


def rebuild(world: World) -> None:
    current.open_current(world.memory.context.layout).close()


def test_two_readers_save_a_lost_line_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    save = save_vanished

    def other_first(*args: object) -> bool:
        monkeypatch.setattr(build, "save_vanished", save)
        rebuild(world)
        return save(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(build, "save_vanished", other_first)
    rebuild(world)
    assert len(lost(world)) == 1
    assert len(archive.names(world.memory.context.layout, lost=True)) == 1


def test_lost_line_is_saved_once_after_a_crash(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    replace = os.replace

    def crash(source: str, target: str, **folders: int | None) -> None:
        if target.endswith(".db"):
            raise KeyboardInterrupt
        replace(source, target, **folders)

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", crash)
        with pytest.raises(KeyboardInterrupt):
            rebuild(world)
    assert len(lost(world)) == 1
    rebuild(world)
    assert len(archive.names(world.memory.context.layout, lost=True)) == 1


@pytest.mark.parametrize("failure", [OSError(28, "no space left"), PermissionError(13, "no")])
def test_old_cache_stays_if_saving_fails(world: World, monkeypatch: pytest.MonkeyPatch, failure: OSError) -> None:
    def fail(*_: object) -> str:
        raise failure

    cache_file = caches.file_of(world.memory.context.layout)
    old = cache_file.read_bytes()
    with monkeypatch.context() as patched:
        patched.setattr(archive, "write", fail)
        assert world.recall() == ["kept"]
    assert cache_file.read_bytes() == old
    assert set(os.listdir(world.file(".cache"))) == {cache_file.name, cache_file.with_suffix(".stamp").name}
    assert world.recall() == ["kept"]
    assert len(lost(world)) == 1


def test_lost_line_is_saved_by_the_first_reader_after_the_lock(world: World) -> None:
    where = world.memory.context.layout
    pid = os.fork()
    if pid == 0:
        with contextlib.suppress(BaseException), Lock(where.lock, 0o600).hold():
            (world.root / "held").touch()
            while not (world.root / "done").exists():
                os.sched_yield()
        os._exit(0)
    while not (world.root / "held").exists():
        os.sched_yield()
    try:
        assert world.recall() == ["kept"]
        assert lost(world) == []
    finally:
        (world.root / "done").touch()
        os.waitpid(pid, 0)
    assert world.recall() == ["kept"]
    assert len(lost(world)) == 1


def test_line_dropped_by_an_editor_during_a_write_is_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The new line gives the file its old length: the writer must not treat its cache as current."""
    world = World(tmp_path / ".memory")
    world.remember("alpha beta gamma")
    before = world.read("declarative.md")
    world.remember("zebra yacht xenon")
    add = Writer.add_lines

    def save_first(writer: Writer, lines: list[str]) -> None:
        size = world.file("declarative.md").stat().st_size
        world.file("declarative.md").write_text(before, "utf-8")
        add(writer, lines)
        assert world.file("declarative.md").stat().st_size == size

    with monkeypatch.context() as patched:
        patched.setattr(Writer, "add_lines", save_first)
        world.remember("mango kiwis lemon")
    assert set(world.recall()) == {"alpha beta gamma", "mango kiwis lemon"}
    assert len(lost(world)) == 1


@pytest.mark.parametrize("damage", [b"", b"garbage" * 500])
def test_no_line_is_saved_from_a_damaged_cache(world: World, damage: bytes) -> None:
    caches.file_of(world.memory.context.layout).write_bytes(damage)
    assert world.recall() == ["kept"]
    assert lost(world) == []
