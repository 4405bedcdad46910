"""The most important memories and their number: a few cache rows give the same as a full ranking."""

import datetime
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from promptx_mem.core import state as order
from promptx_mem.core.entry import Entry
from promptx_mem.core.ids import make_id
from promptx_mem.core.journal import Event, format_event
from promptx_mem.core.line import format_line
from promptx_mem.core.state import OWN, State, importance_at, lives
from promptx_mem.search import cues, current, importance
from promptx_mem.search.cache import Cache, to_state
from promptx_mem.search.query import Criteria
from promptx_mem.store import layout

NOW = datetime.datetime(2026, 11, 21, 12, tzinfo=datetime.UTC)
Kind = Callable[[random.Random], dict[str, object]]

DURATIONS = ("短期", "中期", "长期", "永久", "30d", "36h", "2026-01-31", "2026-11-21", "2027-06-01")
KINDS: dict[str, Kind] = {
    "one score, one day": lambda _: {"score": 8.0, "days": 1.0},
    "one score, two years": lambda any_: {"score": 8.0, "days": any_.random() * 700},
    "many scores": lambda any_: {"score": any_.randint(50, 100) / 10, "days": any_.random() * 700},
    "every duration": lambda any_: {
        "score": any_.randint(5, 10),
        "days": any_.random() * 400,
        "duration": any_.choice(DURATIONS),
    },
    "every category": lambda any_: {
        "score": any_.randint(5, 10),
        "days": any_.random() * 30,
        "category": any_.choice(("fact", "core", "episode", "system")),
    },
    "mostly expired": lambda any_: {"score": 9.0, "days": any_.random() * 300, "duration": "30d"},
    "all expired": lambda _: {"score": 9.0, "days": 100.0, "duration": "2026-01-31"},
}


def write(root: Path, kind: str, count: int) -> list[Entry]:
    root.mkdir(mode=0o700, exist_ok=True)
    any_ = random.Random(kind)
    entries = []
    for number in range(count):
        chosen = KINDS[kind](any_)
        at = NOW - datetime.timedelta(days=float(str(chosen["days"])))
        entries.append(
            Entry(
                text=f"fact {number}",
                tags=("t", "u")[: 1 + number % 2],
                score=float(str(chosen["score"])),
                duration=str(chosen.get("duration", "长期")),
                id=make_id(f"fact {number}"),
                at=at.isoformat(timespec="seconds"),
                category=str(chosen.get("category", "fact")),
            )
        )
    (root / "declarative.md").write_text("".join(format_line(entry) + "\n" for entry in entries), "utf-8")
    return entries


def write_events(root: Path, entries: list[Entry]) -> None:
    """Forget, recall, boost or mark as imported a third of the memories."""
    any_ = random.Random(7)
    lines = []
    for number, entry in enumerate(entries):
        if number % 3 == 0:
            at = NOW - datetime.timedelta(days=any_.random() * 60)
            event = Event(
                k=int(at.timestamp() * 1e6) + number,
                host="h",
                at=at.isoformat(timespec="seconds"),
                kind=any_.choice(("forgotten", "recalled", "boosted", "imported")),
                ids=(entry.id,),
            )
            lines.append(format_event(event) + "\n")
    (root / "journal.jsonl").write_text("".join(lines), "utf-8")


def opened(root: Path) -> Cache:
    return current.open_current(layout.at(str(root)))


def ranked_in_full(cache: Cache, now: float) -> list[str]:
    states = [to_state(row) for row in cache.db.execute("SELECT * FROM memories")]
    alive = [state for state in states if lives(state, now)]

    def key(one: State) -> order.Place:
        last = one.origin != OWN, -one.accessed, -one.first_at, one.entry.id
        return order.band(one), -importance_at(one, now), *last

    return [state.entry.id for state in sorted(alive, key=key)]


@pytest.mark.parametrize("events", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_ranking_by_importance_equals_a_full_ranking(tmp_path: Path, kind: str, events: bool) -> None:
    entries = write(tmp_path, kind, 300)
    if events:
        write_events(tmp_path, entries)
    with opened(tmp_path) as cache:
        for days in (0, 1, 3, 40, 400, -30):
            now = NOW.timestamp() + days * 86_400
            wanted = ranked_in_full(cache, now)
            for count in (1, 10, 200):
                found = [
                    *importance.facts(cache, now, 600),
                    *importance.best(cache, importance.TALKS, (now, now), 600, now, own=True),
                ]
                facts = importance.facts(cache, now, count)
                assert [one.state.entry.id for one in found] == wanted
                assert facts == found[: min(count, len(found) - importance.active_talks(cache, now))]
            assert importance.active(cache, now) == len(wanted)


@pytest.mark.parametrize("events", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_memories_with_a_tag_are_counted_at_any_time(tmp_path: Path, kind: str, events: bool) -> None:
    entries = write(tmp_path, kind, 300)
    if events:
        write_events(tmp_path, entries)
    tags = {entry.id: {*entry.tags} for entry in entries}
    with opened(tmp_path) as cache:
        for days in (0, 3, 400, -30):
            now = NOW.timestamp() + days * 86_400
            active = ranked_in_full(cache, now)
            for some in (("t",), ("U",), ("t", "u"), ("t", "none")):
                wanted = sum({tag.lower() for tag in some} <= tags[ident] for ident in active)
                assert cues.count(cache, Criteria(now, tags=some)) == wanted
                for more in ({"talks": True}, {"scored": True}, {"category": "fact"}, {"ended": True}):
                    criteria = Criteria(now, tags=some)._replace(**more)
                    where, params = criteria.where()
                    [found] = cache.db.execute(f"SELECT count(*) FROM memories WHERE {where}", params).fetchone()
                    assert cues.count(cache, criteria) == found


@pytest.mark.parametrize("kind", ["many scores", "all expired"])
def test_memories_with_a_tag_are_counted_without_their_rows_if_few_are_inactive(tmp_path: Path, kind: str) -> None:
    write(tmp_path, kind, 300)
    plans: list[str] = []
    with opened(tmp_path) as cache:
        cache.db.set_trace_callback(plans.append)
        cues.count(cache, Criteria(NOW.timestamp(), tags=("u",)))
        cache.db.set_trace_callback(None)
        steps = [row[3] for plan in plans for row in cache.db.execute(f"EXPLAIN QUERY PLAN {plan}")]
    assert any("USING INTEGER PRIMARY KEY" in step for step in steps) is (kind == "all expired")


@pytest.mark.parametrize("own", [True, False])
def test_lines_ahead_of_the_clock_are_listed_once(tmp_path: Path, own: bool) -> None:
    tmp_path.chmod(0o700)
    at = NOW.isoformat(timespec="seconds")
    lines = [
        format_line(
            Entry(
                text=f"fact {number}", tags=("t",), score=8.0, duration="长期", id=make_id(f"fact {number}"), at=at,
                k=int(NOW.timestamp() * 1e6) + number, behind=True,
            )
        )
        for number in range(12)
    ]  # fmt: skip
    (tmp_path / "declarative.md").write_text("\n".join(lines) + "\n", "utf-8")
    with opened(tmp_path) as cache:
        ranked = importance.facts(cache, NOW.timestamp() - 86_400, 100, own=own)
    assert sorted(one.state.entry.id for one in ranked) == sorted(make_id(f"fact {number}") for number in range(12))
