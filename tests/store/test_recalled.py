""".recalled: once a day and memory, never an error, and nothing appended meanwhile is lost."""

import os
import threading
from pathlib import Path

import pytest

from promptx_mem.store import files, layout, recalled
from promptx_mem.store.layout import Layout

A, B, C = "m_aaaaaaaaaa", "m_bbbbbbbbbb", "m_cccccccccc"


@pytest.fixture
def where(tmp_path: Path) -> Layout:
    root = tmp_path / ".memory"
    root.mkdir(mode=0o700)
    return layout.at(str(root))


def test_a_memory_is_noted_once_a_day(where: Layout) -> None:
    recalled.note(where, "2026-11-20", [A, B, A])
    recalled.note(where, "2026-11-20", [B, C])
    recalled.note(where, "2026-11-20", [A])
    recalled.note(where, "2026-11-21", [A])
    data = Path(where.recalled).read_text()
    assert data == f"2026-11-20 {A} {B}\n2026-11-20 {C}\n2026-11-21 {A}\n"
    assert recalled.read(where) == ([("2026-11-20", (A, B, C)), ("2026-11-21", (A,))], len(data))
    assert os.stat(where.recalled).st_mode & 0o777 == 0o600


def test_what_is_not_understood_is_passed_over(where: Layout) -> None:
    data = f"junk\n2026-11-20 {A} ../x m_ {B}\n\0\0\n2026-99 {C}\n2026-11-20\n2026-11-21 {C}"
    Path(where.recalled).write_bytes(data.encode() + b"\xff")
    days, size = recalled.read(where)
    assert days == [("2026-11-20", (A, B))]
    assert size == data.rindex("\n") + 1
    recalled.note(where, "2026-11-22", [C])
    assert recalled.read(where)[0][-1] == ("2026-11-22", (C,))


@pytest.mark.parametrize("thing", ["directory", "pipe", "link", "no store", "file as store"])
def test_noting_is_never_an_error(tmp_path: Path, where: Layout, thing: str) -> None:
    target = tmp_path / "target"
    target.write_text("x")
    if thing == "directory":
        os.mkdir(where.recalled)
    elif thing == "pipe":
        os.mkfifo(where.recalled)
    elif thing == "link":
        os.symlink(target, where.recalled)
    elif thing == "no store":
        where = Layout(str(tmp_path / "none"))
    else:
        where = Layout(str(target))
    recalled.note(where, "2026-11-20", [A])
    assert target.read_text() == "x"
    assert not (tmp_path / "none").exists()


def test_a_failing_disk_is_no_error(where: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(fd: int, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files, "write_all", full)
    recalled.note(where, "2026-11-20", [A])


def test_it_stops_at_its_greatest_size(where: Layout) -> None:
    Path(where.recalled).write_bytes(b"x" * recalled.MAX_BYTES)
    recalled.note(where, "2026-11-20", [A])
    assert os.path.getsize(where.recalled) == recalled.MAX_BYTES


def test_only_the_end_of_a_large_file_is_read(where: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    Path(where.recalled).write_bytes(b"2026-11-19 m_0000000000\n" * 20_000)
    asked: list[int] = []
    pread = os.pread

    def counted(fd: int, size: int, at: int) -> bytes:
        asked.append(size)
        return pread(fd, size, at)

    monkeypatch.setattr(os, "pread", counted)
    recalled.note(where, "2026-11-20", [A])
    assert sum(asked) <= recalled.LOOK_BACK
    assert Path(where.recalled).read_bytes().endswith(f"\n2026-11-20 {A}\n".encode())


def test_dropping_takes_only_what_was_read(where: Layout) -> None:
    recalled.note(where, "2026-11-20", [A])
    _, size = recalled.read(where)
    recalled.note(where, "2026-11-20", [B])
    recalled.drop(where, size)
    assert recalled.read(where)[0] == [("2026-11-20", (B,))]
    recalled.drop(where, recalled.read(where)[1])
    assert recalled.read(where) == ([], 0)
    recalled.drop(where, 0)
    assert os.listdir(where.root) == []


def test_who_still_writes_to_the_moved_file_writes_again(where: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file is taken away between an append's opening and its writing."""
    recalled.note(where, "2026-11-19", [A])
    write_all = files.write_all
    calls: list[bytes] = []

    def taken_meanwhile(fd: int, data: bytes) -> None:
        calls.append(data)
        if len(calls) == 1:
            recalled.drop(where, recalled.read(where)[1])
        write_all(fd, data)

    monkeypatch.setattr(files, "write_all", taken_meanwhile)
    recalled.note(where, "2026-11-20", [B])
    assert recalled.read(where)[0] == [("2026-11-20", (B,))]


@pytest.mark.parametrize("new", [b"", f"2026-11-21 {C}\n".encode()])
def test_a_crash_while_dropping_is_finished_by_the_next(where: Layout, new: bytes) -> None:
    first, second = f"2026-11-20 {A}\n".encode(), f"2026-11-20 {B}"
    Path(f"{where.recalled}.{len(first)}.old").write_bytes(first + second.encode())
    if new:
        Path(where.recalled).write_bytes(new)
    recalled.recover(where)
    expected = [("2026-11-20", (B,)), *([("2026-11-21", (C,))] if new else [])]
    assert recalled.read(where)[0] == expected
    assert os.listdir(where.root) == [".recalled"]


def test_no_note_is_lost_while_many_write_and_one_drops(where: Layout) -> None:
    alphabet = "0123456789abcdefghjkmnpqrstvwxyz"
    idents = [f"m_{a}{b}00000000" for a in alphabet[:8] for b in alphabet[:25]]
    seen: set[str] = set()

    def write(part: list[str]) -> None:
        for ident in part:
            recalled.note(where, "2026-11-20", [ident])

    writers = [threading.Thread(target=write, args=(idents[start::4],)) for start in range(4)]
    for writer in writers:
        writer.start()
    while any(writer.is_alive() for writer in writers):
        days, size = recalled.read(where)
        seen.update(ident for _, ids in days for ident in ids)
        recalled.drop(where, size)
    seen.update(ident for _, ids in recalled.read(where)[0] for ident in ids)
    assert seen == set(idents)
