"""Whatever became of the cache, a recall says what the files say; and it reads little of them."""

import json
import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests import caches
from tests.api import Cues, Memory, Request, format_event, format_line, layout
from tests.inside import current, trust
from tests.inside import search_build as build
from tests.inside import search_cache as cache
from tests.usecases.recall_store import NOW, ago, entry, event, found, reopened, store

ENTRIES = [entry(f"coffee 咖啡 number {number}", 5 - number / 10, topic="a->b") for number in range(40)]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    memory = store(tmp_path, ENTRIES)
    assert len(found(memory, "coffee", count=100)) == len(ENTRIES)
    return tmp_path


def database(root: Path) -> Path:
    return caches.file_of(layout.at(str(root / ".memory")))


def delete(root: Path) -> None:
    shutil.rmtree(database(root).parent)


def truncate(root: Path) -> None:
    os.truncate(database(root), 5000)


def empty(root: Path) -> None:
    os.truncate(database(root), 0)


def garbage(root: Path) -> None:
    database(root).write_bytes(os.urandom(50_000))


def garbage_within(root: Path) -> None:
    """The first page, which holds the tables' names, stays; all others are garbage."""
    data = bytearray(database(root).read_bytes())
    with sqlite3.connect(database(root)) as db:
        meta = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'meta'").fetchone()[0]
    size = 4096
    for page in range(2, len(data) // size + 1):
        if page != meta:
            data[(page - 1) * size : page * size] = b"\x5a" * size
    database(root).write_bytes(data)


def broken_rows(root: Path) -> None:
    """A cache that SQLite finds whole, with nonsense in it."""
    with sqlite3.connect(database(root)) as db:
        db.execute("UPDATE memories SET extra = '['")
        db.execute("UPDATE lex_postings SET docs = x'00'")


def other_version(root: Path) -> None:
    with sqlite3.connect(database(root)) as db:
        db.execute("UPDATE meta SET value = '0 another' WHERE key = 'key'")
        db.execute("DELETE FROM memories")


def directory(root: Path) -> None:
    database(root).unlink()
    database(root).mkdir()


def unreadable_name(root: Path) -> None:
    shutil.rmtree(database(root).parent)
    database(root).parent.write_text("not a directory")


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    "harm",
    [delete, truncate, empty, garbage, garbage_within, broken_rows, other_version, directory, unreadable_name],
    ids=lambda harm: harm.__name__,
)
@pytest.mark.parametrize("cues", [{"text": "coffee"}, {"topics": ("a->b",)}, {"dates": ("2026-11-18",)}, {}], ids=str)
def test_a_harmed_cache_gives_right_answers(root: Path, harm: Callable[[Path], None], cues: dict[str, Any]) -> None:
    expected = found(reopened(root), **cues)
    assert expected
    harm(root)
    for _ in range(2):
        assert found(reopened(root), **cues) == expected


def declarative(root: Path) -> Path:
    return root / ".memory/declarative.md"


def by_hand(root: Path) -> set[str]:
    with declarative(root).open("a", encoding="utf-8") as file:
        file.write("- coffee by hand #标签 score:9\n")
    return {"coffee by hand"}


def by_hand_without_newline(root: Path) -> set[str]:
    with declarative(root).open("a", encoding="utf-8") as file:
        file.write("- coffee by hand")
    return {"coffee by hand"}


def edited(root: Path) -> set[str]:
    text = declarative(root).read_text("utf-8")
    declarative(root).write_text(text.replace("number 7 ", "number seven "), "utf-8")
    return {"coffee 咖啡 number seven"}


def deleted(root: Path) -> set[str]:
    lines = declarative(root).read_text("utf-8").splitlines(keepends=True)
    declarative(root).write_text("".join(lines[1:]), "utf-8")
    return set()


def same_size(root: Path) -> set[str]:
    """The size stays, so only the time tells."""
    data = declarative(root).read_bytes()
    declarative(root).write_bytes(data.replace(b"number 7 ", b"number x "))
    return {"coffee 咖啡 number x"}


def journal_replaced(root: Path) -> set[str]:
    lines = "".join(format_event(event("forgotten", one.id, 1)) + "\n" for one in ENTRIES[1:])
    (root / ".memory/journal.jsonl").write_text(lines, "utf-8")
    return {ENTRIES[0].text}


def store_replaced(root: Path) -> set[str]:
    new = root / ".memory/new"
    new.write_text(format_line(entry("coffee alone")) + "\n", "utf-8")
    os.replace(new, declarative(root))
    return {"coffee alone"}


@pytest.mark.parametrize(
    ("change", "gone"),
    [
        (by_hand, set()),
        (by_hand_without_newline, set()),
        (edited, {ENTRIES[7].text}),
        (deleted, {ENTRIES[0].text}),
        (same_size, {ENTRIES[7].text}),
        (journal_replaced, {one.text for one in ENTRIES[1:]}),
        (store_replaced, {one.text for one in ENTRIES}),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_change_by_another_hand_is_seen(root: Path, change: Callable[[Path], set[str]], gone: set[str]) -> None:
    new = change(root)
    expected = ({one.text for one in ENTRIES} - gone) | new
    for _ in range(2):
        assert set(found(reopened(root), "coffee", count=100)) == expected


def test_a_read_only_store_is_read(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    delete(root)
    (root / ".memory/.recalled").unlink()

    def refuse(path: str, flags: int, mode: int = 0o777, **options: Any) -> int:
        if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT) and ".memory" in str(path):
            raise OSError(30, "Read-only file system", path)
        return opened(path, flags, mode, **options)

    def no_directory(path: str, mode: int = 0o777, **options: Any) -> None:
        raise OSError(30, "Read-only file system", path)

    opened = os.open
    monkeypatch.setattr(os, "open", refuse)
    monkeypatch.setattr(os, "mkdir", no_directory)
    assert len(found(reopened(root), "coffee", count=100)) == len(ENTRIES)
    monkeypatch.undo()
    assert sorted(os.listdir(root / ".memory")) == [".own", "declarative.md"]


def plans_and_steps(memory: Memory, monkeypatch: pytest.MonkeyPatch, cues: Cues) -> tuple[list[str], int]:
    """The query plans of all that a recall asks of a current cache, and the steps SQLite takes, in thousands."""
    memory.recall(cues)
    asked: list[str] = []
    plans: list[str] = []
    steps: list[int] = []
    opener = current.open_current

    def traced(*arguments: Any) -> cache.Cache:
        opened = opener(*arguments)
        opened.db.set_trace_callback(asked.append)
        opened.db.set_progress_handler(lambda: steps.append(1), 1000)
        return opened

    monkeypatch.setattr(current, "open_current", traced)
    assert memory.recall(cues).data["count"]
    monkeypatch.undo()
    db = sqlite3.connect(f"file:{caches.file_of(memory.context.layout)}?mode=ro", uri=True)
    for statement in asked:
        if statement.lstrip().upper().startswith("SELECT"):
            plans += [row[3] for row in db.execute("EXPLAIN QUERY PLAN " + statement)]
    db.close()
    return plans, len(steps)


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of 20,000 memories: 4 MB."""
    root = tmp_path_factory.mktemp("large")
    texts = (f"coffee 咖啡 {'word ' * (number % 8)}number {number} {'说明' * 6}" for number in range(20_000))
    store(
        root,
        [
            entry(
                text,
                30 - number / 1000,
                topic=f"t->{number % 900}",
                tags=(f"g{number % 800}",),
                session=f"s{number // 40}",
            )
            for number, text in enumerate(texts)
        ],
    )
    reopened(root).recall(Cues())
    return root


@pytest.mark.thorough
@pytest.mark.parametrize(
    "cues",
    [
        Cues(),
        Cues(text="coffee 19999"),
        Cues(text="咖啡"),
        Cues(text="#g7"),
        Cues(topics=("t->7",)),
        Cues(dates=("2026-11-03",), count=5),
        Cues(session="s7"),
        Cues(text="coffee", topics=("t->7",)),
    ],
    ids=lambda cues: str(cues)[5:60],
)
def test_no_recall_goes_through_all_memories(large: Path, monkeypatch: pytest.MonkeyPatch, cues: Cues) -> None:
    trust.note(layout.at(str(large / ".memory")), trust.PRIVATE)  # the notes of the fixture are another test's
    plans, thousands = plans_and_steps(reopened(large), monkeypatch, cues)
    assert plans
    assert not [plan for plan in plans if plan.startswith("SCAN memories") and "USING INDEX" not in plan]
    assert not [plan for plan in plans if plan.startswith(("SCAN tags", "SCAN topics", "SCAN lines", "SCAN events"))]
    # one walk through 20,000 rows takes 150,000 steps at least
    assert thousands < 100


@pytest.mark.thorough
@pytest.mark.parametrize("text", ["coffee", "咖啡说明", "number 19999", ""])
def test_a_recall_after_a_remember_reads_little(large: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """The bytes of all reads of the two files, and the pages that SQLite reads of its own."""
    memory = reopened(large)
    memory.remember(Request(f"coffee 咖啡 noted just now {text}", ("新",), "9"))
    read: list[int] = []
    os_read, os_pread = os.read, os.pread
    monkeypatch.setattr(os, "read", lambda fd, size: _counted(os_read(fd, size), read))
    monkeypatch.setattr(os, "pread", lambda fd, size, at: _counted(os_pread(fd, size, at), read))
    before = rchar()
    data = memory.recall(Cues(text=text)).data
    spent = rchar() - before
    assert data["count"]
    assert os.path.getsize(memory.context.layout.declarative) > 3_000_000
    assert sum(read) < 40_000
    assert spent < 2_000_000


def _counted(data: bytes, read: list[int]) -> bytes:
    read.append(len(data))
    return data


def rchar() -> int:
    """Bytes that this process has read by any call; 0 where the system does not count them."""
    try:
        with open("/proc/self/io", encoding="ascii") as file:
            return int(file.readline().split()[1])
    except OSError:
        return 0


def test_a_locked_cache_is_gone_round(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "_BUSY_SECONDS", 0.01)
    expected = found(reopened(root), "coffee")
    holder = sqlite3.connect(database(root), isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    assert found(reopened(root), "coffee") == expected
    holder.close()


def test_what_is_recalled_is_noted_unless_asked_not_to(root: Path) -> None:
    recalled = root / ".memory/.recalled"
    recalled.unlink()
    memory = reopened(root)
    for cues in (
        Cues("coffee", touch=False),
        Cues("coffee", explain=True),
        Cues("coffee", as_of=ago(1)),
        Cues("nothing here"),
    ):
        memory.recall(cues)
    assert not recalled.exists()
    memory.recall(Cues("coffee", count=2))
    memory.recall(Cues("coffee", count=2))
    (line,) = recalled.read_text().splitlines()
    event = json.loads(line)
    assert (event["at"], len(event["ids"])) == (NOW.isoformat(), 2)


def test_a_fault_in_a_rebuilt_cache_is_not_hidden(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.inside import finder

    def wrong(*arguments: Any) -> None:
        raise ValueError("a fault of ours")

    built: list[int] = []
    rebuild = build.rebuild

    def counted(*arguments: Any) -> cache.Cache:
        built.append(1)
        return rebuild(*arguments)

    monkeypatch.setattr(build, "rebuild", counted)
    monkeypatch.setattr(finder.Finder, "find", wrong)
    with pytest.raises(ValueError, match="a fault of ours"):
        reopened(root).recall(Cues("coffee"))
    assert len(built) <= 3, "and is not tried for ever"


def test_what_killed_rebuilds_left_is_removed_in_time(tmp_path: Path) -> None:
    memory = store(tmp_path, [entry("咖啡")])
    folder = Path(str(memory.context.layout.cache_directory))
    folder.mkdir()
    old, new = folder / "cache.db.1.2", folder / "cache.db.3.4"
    for path in (old, new):
        path.write_bytes(b"half")
    os.utime(old, (1, 1))
    assert found(memory, "咖啡") == ["咖啡"]
    assert (old.exists(), new.exists()) == (False, True)
