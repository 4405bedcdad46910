"""Two people share a store through git for a month: in any order of merges, all copies are equal."""

import datetime
import random
from pathlib import Path

import pytest

from tests.api import Event, Plan
from tests.copies import month
from tests.copies.clones import Clone, exchange
from tests.copies.sayings import Facts, all_output, facts, remove_cache

pytestmark = pytest.mark.thorough

SLOW, FAST = datetime.timedelta(hours=-3, minutes=-7), datetime.timedelta(minutes=11)


def test_all_copies_are_equal_after_a_month(quick: Path, all_faults: bool) -> None:
    for seed in range(1, 13 if all_faults else 2):
        folder = quick / str(seed)
        folder.mkdir()
        run_month(folder, seed, 9 if all_faults else 2)


def run_month(folder: Path, seed: int, steps: int) -> None:
    draw = random.Random(seed)
    first = Clone.first(folder, "ada", SLOW)
    second = first.clone("ben", FAST)
    away = first.clone("cleo")
    users = [month.User(clone, random.Random(f"{seed} {clone.name}")) for clone in (first, second)]
    late = month.User(away, random.Random(f"{seed} late"))
    for day in range(28):
        for user in users:
            user.clone.time = max(user.clone.time, first.time) + datetime.timedelta(hours=20)
            for _ in range(steps):
                user.step()
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
        clone.memory.decay(Plan())  # cron shares hand-written lines and recalls of past days
    before = [facts(clone) for clone in clones]
    exchange(*clones)
    expected = kept(before)
    for clone in clones:
        assert kept([facts(clone)]) == expected
        clone.time = now
    queries = month.cues(draw, now)[:: 7 - 2 * len(clones)]  # more of them at the end
    outputs = [all_output(clone, queries, now) for clone in clones]
    for clone in clones:
        remove_cache(clone)
    again = [all_output(clone, queries, now) for clone in clones]
    for other in (*outputs[1:], *again):
        for key in outputs[0].keys() - {"problems"}:
            assert other[key] == outputs[0][key], key
    for one in again:
        assert [problem for problem in one["problems"] if problem["check"] != "purged"] == []


def kept(found: list[Facts]) -> tuple[set[str], set[Event]]:
    """Return the ids and events of all copies together, without those that were purged."""
    ids = {line.id for lines, _ in found for line in lines}
    events = {event for _, events in found for event in events}
    purged = {ident for event in events if event.kind == "purged" for ident in event.ids}
    words = {event for event in events if event.reason and purged.issuperset(event.ids)}
    return ids - purged, events - words
