"""Errors while the cache is in use: a command is tried again without it."""

import random
import sqlite3
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.hostile.test_planted_cache import answers, expected, filled
from tests.inside import memories
from tests.inside import search_cache as cache

pytestmark = pytest.mark.thorough

__all__ = ["expected"]


class Failing(sqlite3.Connection):
    """A connection that fails with a disk error after some statements."""

    left = 0

    def execute(self, *given: Any) -> sqlite3.Cursor:
        Failing.left -= 1
        if Failing.left < 0:
            raise sqlite3.OperationalError("disk I/O error")
        return super().execute(*given)


@pytest.mark.parametrize("trial", range(3))
def test_commands_give_the_same_results_if_the_disk_fails(
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


def test_bug_in_the_program_is_retried_only_a_few_times(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = filled(tmp_path)
    tries: list[int] = []

    def fail(*_given: object) -> None:
        tries.append(1)
        raise ValueError("of the program")

    monkeypatch.setattr(memories, "with_hash", fail)
    with pytest.raises(ValueError, match="of the program"):
        world.remember("another fact")
    assert 2 <= len(tries) <= 4
