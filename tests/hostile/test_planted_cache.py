"""Files planted in place of the cache: they are not opened, run or removed, and block no command."""

import os
import pickle
import signal
import sqlite3
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests import caches
from tests.api import Plan
from tests.inside import search_build, session
from tests.world import World

pytestmark = pytest.mark.usefixtures("person")

SECONDS = 60
OTHER_USER = 54_321
MAGIC = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"
TEXTS = ("the coffee machine is on the third floor", "用户喜欢绿茶", "deploys run on fridays")


def hot_journal(database: Path, victim: Path) -> None:
    """Write a journal that names a super-journal. After a rollback, SQLite removes the file of that name."""
    name = str(victim).encode()
    trailer = struct.pack(">I", 1) + name + struct.pack(">II", len(name), sum(name)) + MAGIC
    header = (MAGIC + struct.pack(">IIIII", 0, 0, 1, 512, 4096)).ljust(512, b"\0")
    database.with_name(f"{database.name}-journal").write_bytes(header + trailer)


def planted_database(path: Path, *statements: str) -> None:
    path.unlink(missing_ok=True)
    with sqlite3.connect(path) as db:
        for statement in statements:
            db.execute(statement)
    db.close()


def rollback(path: Path, victim: Path) -> None:
    """Plant a database with a journal that SQLite would roll back."""
    planted_database(path, "CREATE TABLE meta(key, value)")
    hot_journal(path, victim)


def endless(path: Path, _victim: Path) -> None:
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT '' AS key, i AS value FROM n"
    planted_database(path, f"CREATE VIEW meta AS {endless} WHERE i < 0")


def zeroblob(path: Path, _victim: Path) -> None:
    planted_database(path, "CREATE VIEW meta AS SELECT 'key' AS key, hex(zeroblob(900000000)) AS value")


def trigger(path: Path, _victim: Path) -> None:
    planted_database(
        path, "CREATE TABLE meta(key, value)", "CREATE TRIGGER t AFTER INSERT ON meta BEGIN DELETE FROM meta; END"
    )


def symlink(path: Path, victim: Path) -> None:
    path.unlink(missing_ok=True)
    path.symlink_to(victim)


def hard_link(path: Path, victim: Path) -> None:
    path.unlink(missing_ok=True)
    os.link(victim, path)


def directory(path: Path, _victim: Path) -> None:
    path.unlink(missing_ok=True)
    path.mkdir()


def pipe(path: Path, _victim: Path) -> None:
    path.unlink(missing_ok=True)
    os.mkfifo(path)


def other_owner(path: Path, _victim: Path) -> None:
    """Give our own cache file to another user. The stamp stays ours."""
    if os.geteuid() != 0:
        pytest.skip("only root may change the owner of a file")
    os.chown(path, OTHER_USER, OTHER_USER)


PLANTS = (rollback, endless, zeroblob, trigger, symlink, hard_link, directory, pipe, other_owner)
COMMANDS: dict[str, Callable[[World], Any]] = {
    "recall": lambda world: sorted(world.recall()),
    "recall words": lambda world: world.recall("coffee"),
    "remember": lambda world: world.remember("a new fact")["verdict"],
    "remember again": lambda world: world.remember(TEXTS[0])["verdict"],
    "boost": lambda world: world.memory.boost(ident(world, 1)).data["lives"],
    "verify": lambda world: world.memory.verify(ident(world, 1)).data["verified"],
    "forget": lambda world: world.memory.forget(ident(world, 2)).data["lives"],
    "restore": lambda world: world.memory.restore(ident(world, 2)).data["lives"],
    "review": lambda world: world.memory.reviews().data["count"],
    "index": lambda world: world.memory.index().data["shown"],
    "check": lambda world: world.memory.check_index().exit_status,
    "audit": lambda world: world.memory.audit_verify().data["problems"],
    "decay": lambda world: world.memory.decay(Plan()).exit_status,
    "compact": lambda world: world.memory.decay(Plan(compact=True)).exit_status,
    "purge": lambda world: world.memory.forget(ident(world, 0), purge=True).data["end"],
    "recall at the end": lambda world: sorted(world.recall()),
}


def ident(world: World, number: int) -> str:
    from tests.api import make_id

    return make_id(TEXTS[number])


def filled(root: Path) -> World:
    world = World(root / ".memory")
    for text in TEXTS:
        world.remember(text)
    return world


def answers(world: World, before: Callable[[], object] = lambda: None) -> dict[str, Any]:
    """Return the result of every command, each after `before`, from a process with a time limit."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        session.is_person = lambda: True
        signal.alarm(SECONDS)
        status = 1
        try:
            said = {}
            for name, command in COMMANDS.items():
                before()
                said[name] = command(world)
            with os.fdopen(writing, "wb") as file:
                pickle.dump(said, file)
            status = 0
        except BaseException as error:  # noqa: BLE001 - it is reported to the parent
            os.write(2, f"{name}: {error!r}\n".encode())
        finally:
            os._exit(status)
    os.close(writing)
    with os.fdopen(reading, "rb") as file:
        data = file.read()
    _, status = os.waitpid(child, 0)
    assert status == 0, "a command failed, or took longer than a minute"
    outcome: dict[str, Any] = pickle.loads(data)
    return outcome


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return the result of every command without a cache."""
    world = filled(tmp_path_factory.mktemp("bare"))

    def without() -> None:
        for path in Path(str(world.memory.context.layout.cache_directory)).iterdir():
            path.unlink()

    return answers(world, without)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("plant", PLANTS, ids=lambda plant: plant.__name__)
@pytest.mark.parametrize("named", ["current name", "former name"])
def test_planted_cache_is_neither_used_nor_changed(
    named: str, plant: Callable[[Path, Path], None], tmp_path: Path, expected: dict[str, Any]
) -> None:
    world = filled(tmp_path)
    victim = tmp_path / "victim"
    victim.write_bytes(b"the reader's own file\n")
    ours = caches.file_of(world.memory.context.layout)
    target = ours if named == "current name" else ours.with_name("cache.db")
    if plant is other_owner and target != ours:
        target.write_bytes(ours.read_bytes())
    plant(target, victim)
    beside = {path: os.lstat(path) for path in target.parent.iterdir() if path.name.startswith(target.name)}
    assert answers(world) == expected
    assert victim.read_bytes() == b"the reader's own file\n"
    for path, status in beside.items():
        if named != "current name" or path != target:
            assert os.lstat(path).st_mtime_ns == status.st_mtime_ns


def test_recall_does_not_use_a_symlinked_cache_directory(tmp_path: Path) -> None:
    """Reading uses a cache elsewhere; writing is refused (test_links)."""
    world = filled(tmp_path)
    folder, outside = Path(str(world.memory.context.layout.cache_directory)), tmp_path / "outside"
    folder.rename(outside)
    folder.symlink_to(outside)
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in outside.iterdir()}
    for _ in range(2):
        assert sorted(world.recall()) == sorted(TEXTS)
        assert world.recall("coffee") == [TEXTS[0]]
    assert world.memory.audit_verify().data["notes"]
    assert {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in outside.iterdir()} == before


def test_cache_directory_loses_write_access_of_others(tmp_path: Path) -> None:
    world = filled(tmp_path)
    folder = Path(str(world.memory.context.layout.cache_directory))
    folder.chmod(0o777)
    assert len(world.recall()) == len(TEXTS)
    assert folder.stat().st_mode & 0o777 == 0o755


def test_cache_without_a_secret_is_in_the_users_cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("promptx_mem.machine.secret", lambda: "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    world = filled(tmp_path)
    (note,) = world.memory.audit_verify().data["notes"]
    assert str(tmp_path / "caches" / "promptx-mem") in note
    assert not world.file(".cache").exists()
    assert [path.suffix for path in sorted((tmp_path / "caches" / "promptx-mem").iterdir())] == [
        ".db",
        ".stamp",
        ".path",
    ]


def test_cache_is_in_memory_if_no_folder_is_safe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_build, "is_ours", lambda *_: False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    world = filled(tmp_path)
    assert len(world.recall()) == len(TEXTS)
    assert "cannot be saved" in world.memory.audit_verify().data["notes"][0]
    assert list(tmp_path.rglob("*.db*")) == []


def test_purge_removes_older_caches(tmp_path: Path) -> None:
    world = filled(tmp_path)
    ours = caches.file_of(world.memory.context.layout)
    other = ours.with_name(f"{'0' * 10}-{'1' * 20}.db")
    other.write_bytes(ours.read_bytes())
    world.memory.forget(ident(world, 0), purge=True)
    assert not other.exists()
    assert TEXTS[0].encode() not in b"".join(path.read_bytes() for path in ours.parent.iterdir())
