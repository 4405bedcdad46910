"""Two people share a store through git for a month: whoever merges whom, every copy says the same."""

import datetime
import random
from pathlib import Path

import pytest

from tests.api import Event, Plan
from tests.copies import month
from tests.copies.clones import Clone, exchange
from tests.copies.sayings import Facts, afresh, facts, sayings

pytestmark = pytest.mark.thorough

SLOW, FAST = datetime.timedelta(hours=-3, minutes=-7), datetime.timedelta(minutes=11)


def test_a_month(quick: Path, all_faults: bool) -> None:
    for seed in range(1, 13 if all_faults else 2):
        folder = quick / str(seed)
        folder.mkdir()
        a_month(folder, seed, 9 if all_faults else 3)


def a_month(folder: Path, seed: int, steps: int) -> None:
    draw = random.Random(seed)
    first = Clone.first(folder, "ada", SLOW)
    second = first.clone("ben", FAST)
    away = first.clone("cleo")
    lives = [month.Life(clone, random.Random(f"{seed} {clone.name}")) for clone in (first, second)]
    late = month.Life(away, random.Random(f"{seed} late"))
    for day in range(28):
        for life in lives:
            life.clone.time = max(life.clone.time, first.time) + datetime.timedelta(hours=20)
            for _ in range(steps):
                life.step()
        if day % 3 == 0:
            late.clone.time = first.time
            late.step()
        if day % 7 == 6:
            merge_and_compare(draw, first, second)
    merge_and_compare(draw, first, second, away)


def merge_and_compare(draw: random.Random, *clones: Clone) -> None:
    now = max(clone.time for clone in clones) + datetime.timedelta(days=1)
    for clone in clones:
        clone.time += datetime.timedelta(days=1)
        clone.memory.decay(Plan())  # cron: what was typed, and recalled on days that are over, is shared
    before = [facts(clone) for clone in clones]
    exchange(*clones)
    wanted = kept(before)
    for clone in clones:
        assert kept([facts(clone)]) == wanted
        clone.time = now
    asked = month.cues(draw, now)
    said = [sayings(clone, asked, now) for clone in clones]
    for clone in clones:
        afresh(clone)
    again = [sayings(clone, asked, now) for clone in clones]
    for other in (*said[1:], *again):
        for key in said[0].keys() - {"problems"}:
            assert other[key] == said[0][key], key
    for one in again:
        assert [problem for problem in one["problems"] if problem["check"] != "purged"] == []


def kept(found: list[Facts]) -> tuple[set[str], set[Event]]:
    """Everything that some copies hold together and no purge has destroyed."""
    ids = {line.id for lines, _ in found for line in lines}
    events = {event for _, events in found for event in events}
    purged = {ident for event in events if event.kind == "purged" for ident in event.ids}
    words = {event for event in events if event.reason and purged.issuperset(event.ids)}
    return ids - purged, events - words
