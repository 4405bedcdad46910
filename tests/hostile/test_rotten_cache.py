"""A cache that goes bad below the file system, where no stamp tells: it costs a second try, never the command."""

import os
import random
import sqlite3
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests import caches
from tests.hostile.test_planted_cache import COMMANDS, answers, expected, filled
from tests.inside import Place, cache_file
from tests.inside import search_cache as cache

pytestmark = pytest.mark.thorough

__all__ = ["expected"]

PAGE = 4096
TRIALS, ALL_TRIALS = 4, 60


def inode_of(found: Place) -> int | None:
    """What `as_noted` says where the times and the size are as they were."""
    try:
        return os.lstat(found.path).st_ino
    except OSError:
        return None


def spoil(path: Path, chance: random.Random) -> None:
    """Change a bit, half a page or a whole one; of its bits the first ones matter most."""
    data = bytearray(path.read_bytes() if path.exists() else b"")
    if len(data) < PAGE:
        return
    start = chance.randrange(len(data) // PAGE) * PAGE
    kind = chance.choice(["bit", "half", "page"])
    if kind == "bit":
        data[start + chance.choice([chance.randrange(PAGE), chance.randrange(16)])] ^= 1 << chance.randrange(8)
    elif kind == "half":
        data[start + 100 : start + PAGE // 2] = chance.randbytes(PAGE // 2 - 100)
    else:
        data[start : start + PAGE] = bytes([chance.randrange(256)]) * PAGE
    path.write_bytes(data)


@pytest.mark.usefixtures("person")
def test_no_command_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, all_faults: bool) -> None:
    """A bit of a text may change what is said, and `audit --verify` finds it; a command that fails helps nobody."""
    monkeypatch.setattr(cache_file, "as_noted", inode_of)
    chance = random.Random(1122)
    for trial in range(ALL_TRIALS if all_faults else TRIALS):
        world = filled(tmp_path / f"{trial}")
        for name, command in COMMANDS.items():
            spoil(caches.file_of(world.memory.context.layout), chance)
            try:
                command(world)
            except Exception as error:
                error.add_note(f"{name}, trial {trial}")
                raise


class Failing(sqlite3.Connection):
    """A connection whose disk gives an error from one statement on."""

    left = 0

    def execute(self, *given: Any) -> sqlite3.Cursor:
        Failing.left -= 1
        if Failing.left < 0:
            raise sqlite3.OperationalError("disk I/O error")
        return super().execute(*given)


@pytest.mark.parametrize("trial", range(3))
def test_a_disk_that_fails_in_the_middle(
    trial: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, expected: dict[str, Any]
) -> None:
    chance = random.Random(trial)
    world = filled(tmp_path)

    def connect(*given: Any, **named: Any) -> sqlite3.Connection:
        return sqlite3.connect(*given, **named, factory=Failing)

    def before() -> None:
        Failing.left = chance.choice([chance.randrange(4, 20), chance.randrange(4, 200)])

    monkeypatch.setattr(cache, "sqlite3", SimpleNamespace(**{**vars(sqlite3), "connect": connect}))
    assert answers(world, before) == expected


def test_a_fault_of_the_program_is_not_tried_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = filled(tmp_path)
    tries: list[int] = []

    def fail(*_given: object) -> None:
        tries.append(1)
        raise ValueError("of the program")

    monkeypatch.setattr(cache.Cache, "with_hash", fail)
    with pytest.raises(ValueError, match="of the program"):
        world.remember("another fact")
    assert 2 <= len(tries) <= 4
