""".recalled: one record per day and memory, no errors, and no lost records."""

import datetime
import json
import os
import threading
from pathlib import Path

import pytest

from tests.api import Layout
from tests.inside import files, recalled, rewrite

HOST = "e83e82"
A, B, C = "m_aaaaaaaaaa", "m_bbbbbbbbbb", "m_cccccccccc"


def note(where: Layout, day: str, ids: list[str]) -> None:
    recalled.note(where, datetime.datetime.fromisoformat(f"{day}T09:00:00+00:00"), ids, HOST)


def days(where: Layout) -> list[tuple[str, tuple[str, ...]]]:
    """Return the recorded days with their ids."""
    out: dict[str, dict[str, None]] = {}
    for event in recalled.parse(recalled.read(where)):
        out.setdefault(event.at[:10], {}).update(dict.fromkeys(event.ids))
    return sorted((day, tuple(ids)) for day, ids in out.items())


def test_recall_of_a_memory_is_recorded_once_a_day(where: Layout) -> None:
    note(where, "2026-11-20", [A, B, A])
    note(where, "2026-11-20", [B, C])
    note(where, "2026-11-20", [A])
    note(where, "2026-11-21", [A])
    lines = [json.loads(line) for line in Path(where.recalled).read_text().splitlines()]
    assert [line.get("ids") or line["id"] for line in lines] == [[A, B], C, A]
    assert (lines[0]["host"], lines[0]["at"], lines[0]["e"]) == (HOST, "2026-11-20T09:00:00+00:00", "recalled")
    assert [line["k"] for line in lines] == [1_795_165_200_000_000] * 2 + [1_795_251_600_000_000]
    assert days(where) == [("2026-11-20", (A, B, C)), ("2026-11-21", (A,))]
    assert os.stat(where.recalled).st_mode & 0o777 == 0o600


@pytest.mark.parametrize("thing", ["directory", "pipe", "link", "no store", "file as store"])
def test_recording_a_recall_never_fails(tmp_path: Path, where: Layout, thing: str) -> None:
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
    note(where, "2026-11-20", [A])
    assert target.read_text() == "x"
    assert not (tmp_path / "none").exists()


def test_record_written_to_a_moved_file_is_written_again(where: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file is moved between opening and writing."""
    note(where, "2026-11-19", [A])
    write_all = files.write_all
    calls: list[bytes] = []

    def moved_before_the_write(fd: int, data: bytes) -> None:
        calls.append(data)
        if len(calls) == 1:
            rewrite.drop_recalls(where, len(recalled.read(where)))
        write_all(fd, data)

    monkeypatch.setattr(files, "write_all", moved_before_the_write)
    note(where, "2026-11-20", [B])
    assert days(where) == [("2026-11-20", (B,))]


@pytest.mark.parametrize("new", [[], [C]])
def test_interrupted_removal_of_records_is_finished(where: Layout, new: list[str]) -> None:
    note(where, "2026-11-20", [A])
    size = os.path.getsize(where.recalled)
    note(where, "2026-11-20", [B])
    os.rename(where.recalled, f"{where.recalled}.{size}.old")
    if new:
        note(where, "2026-11-21", new)
    rewrite.recover_recalled(where)
    assert days(where) == [("2026-11-20", (B,)), *([("2026-11-21", (C,))] if new else [])]
    assert os.listdir(where.root) == [".recalled"]


def test_no_record_is_lost_while_others_are_written_and_dropped(where: Layout) -> None:
    alphabet = "0123456789abcdefghjkmnpqrstvwxyz"
    idents = [f"m_{a}{b}00000000" for a in alphabet[:8] for b in alphabet[:25]]
    seen: set[str] = set()

    def write(part: list[str]) -> None:
        for ident in part:
            note(where, "2026-11-20", [ident])

    writers = [threading.Thread(target=write, args=(idents[start::4],)) for start in range(4)]
    for writer in writers:
        writer.start()
    while any(writer.is_alive() for writer in writers):
        data = recalled.read(where)
        seen.update(ident for event in recalled.parse(data) for ident in event.ids)
        rewrite.drop_recalls(where, len(data))
    seen.update(ident for _, ids in days(where) for ident in ids)
    assert seen == set(idents)


def test_recall_on_another_day_is_recorded_separately(where: Layout) -> None:
    note(where, "2026-11-20", [A])
    note(where, "2026-11-21", [A, B])
    note(where, "2026-11-20", [A, B])  # the clock was put back
    assert days(where) == [("2026-11-20", (A, B)), ("2026-11-21", (A, B))]
    assert [len(event.ids) for event in recalled.parse(recalled.read(where))] == [1, 2, 1]


def test_recall_dated_in_the_future_does_not_keep_later_ones(where: Layout) -> None:
    for day in ("2099-01-01", "2026-11-20", "2026-11-21"):
        note(where, day, [A])
    assert [event.at[:10] for event in rewrite.past_recalls(where, "2026-11-21")[0]] == ["2099-01-01", "2026-11-20"]
