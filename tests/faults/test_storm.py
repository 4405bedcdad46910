"""Many writers at once, some killed, while others edit: each acknowledged text is stored once and complete."""

import contextlib
import datetime
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.api import BusyError, make_id
from tests.faults.scenes import active_texts, memory_at, recalled, remember
from tests.faults.weather import ended, meanwhile, start

WRITERS, EACH = 20, 2


def text(writer: int, number: int) -> str:
    return f"{random.Random(writer * 100 + number).randbytes(12).hex()} 第 {writer} 个进程的第 {number} 件事"


def write_all(root: Path, log: Path, writer: int) -> None:
    """Remember EACH texts and log each acknowledged one in one write."""
    with log.open("ab", buffering=0) as acknowledged:
        for number in range(EACH):
            with contextlib.suppress(BusyError):
                remember(memory_at(root), text(writer, number))
                acknowledged.write(f"{text(writer, number)}\n".encode())


def storm(root: Path, log: Path, *, kills: int) -> set[str]:
    """Run all writers at once, kill some of them, and return the acknowledged texts."""
    chance = random.Random(7)
    writers = [start(lambda w=writer: write_all(root, log, w)) for writer in range(WRITERS)]  # type: ignore[misc]
    killed = set(chance.sample(writers, kills))
    for pid in killed:
        time.sleep(chance.random() * 0.05)
        os.kill(pid, signal.SIGKILL)
    for pid in writers:
        status = ended(pid)
        assert status == 0 or (pid in killed and status == -signal.SIGKILL)
    return set(log.read_text().splitlines())


def lines_of(root: Path, what: str) -> int:
    return (root / "declarative.md").read_bytes().count(f'"id":"{make_id(what)}"'.encode())


def check(root: Path, acknowledged: set[str], others: Callable[[str], bool] = lambda _: False) -> None:
    """Check that each acknowledged text is active in one line, and that all other texts are complete."""
    possible = {text(writer, number) for writer in range(WRITERS) for number in range(EACH)}
    found = active_texts(root)
    assert acknowledged <= found
    assert {what for what in found - possible if not others(what)} == set()
    assert all(lines_of(root, what) == 1 for what in found & possible)
    assert recalled(root) <= found
    remember(memory_at(root), "after the storm")
    assert "after the storm" in active_texts(root)


def test_twenty_writers_lose_no_text_when_some_are_killed(tmp_path: Path) -> None:
    acknowledged = storm(tmp_path / ".memory", tmp_path / "log", kills=7)
    assert len(acknowledged) >= (WRITERS - 7) * EACH
    check(tmp_path / ".memory", acknowledged)


def test_twenty_writers_of_one_text_store_it_once(tmp_path: Path) -> None:
    root = tmp_path / ".memory"
    writers = [start(lambda: remember(memory_at(root), "the same")) for _ in range(WRITERS)]
    assert [os.waitpid(pid, 0)[1] for pid in writers] == [0] * WRITERS
    assert lines_of(root, "the same") == 1
    assert (root / "journal.jsonl").read_bytes().count(b'"repeated"') == WRITERS - 1
    assert active_texts(root) == {"the same"}


@pytest.mark.thorough
@pytest.mark.parametrize("end", ["", "\n"], ids=["without newline", "with newline"])
def test_lines_appended_by_a_person_during_a_storm_are_kept(end: str, tmp_path: Path) -> None:
    root = tmp_path / ".memory"
    remember(memory_at(root), "the first")
    notes = tmp_path / "theirs"
    notes.touch()

    def append() -> None:
        line = f"- 手写的第 {time.monotonic_ns()} 行 #t"
        with (root / "declarative.md").open("ab", buffering=0) as file:
            file.write(f"\n{line}{end}".encode())
        with notes.open("a") as mine:
            mine.write(f"{line}\n")
        time.sleep(0.03)

    with meanwhile(append):
        acknowledged = storm(root, tmp_path / "log", kills=4)
    check(root, acknowledged, lambda what: what.startswith("手写的第") or what == "the first")
    assert {line[2:].removesuffix(" #t") for line in notes.read_text().splitlines()} <= active_texts(root)


def test_twenty_command_lines_lose_no_acknowledged_text(tmp_path: Path) -> None:
    """Twenty command lines; five of them are killed."""
    root = tmp_path / ".memory"
    command = [sys.executable, "-m", "promptx_mem", "remember", "--memory-dir", str(root), "--score", "9", "-t", "t"]
    quiet = subprocess.DEVNULL
    running = [subprocess.Popen([*command, text(number, 0)], stdout=quiet, stderr=quiet) for number in range(WRITERS)]
    for number in (3, 7, 11, 13, 17):
        time.sleep(0.1)
        running[number].kill()
    statuses = [process.wait() for process in running]
    assert set(statuses) <= {0, -signal.SIGKILL}
    acknowledged = {text(number, 0) for number, status in enumerate(statuses) if status == 0}
    assert len(acknowledged) >= WRITERS - 5
    assert acknowledged <= active_texts(root, datetime.datetime.now(datetime.UTC))
    assert all(lines_of(root, what) == 1 for what in acknowledged)
