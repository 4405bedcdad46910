"""Properties of the fold: it depends on the set of lines and events, not on order or copies."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from promptx_mem.core.entry import Entry
from promptx_mem.core.fold import fold_all
from promptx_mem.core.ids import make_id
from promptx_mem.core.journal import KINDS, Event
from promptx_mem.core.life import fold, pending_review
from promptx_mem.core.line import micros
from promptx_mem.core.state import importance_at, lives
from promptx_mem.core.times import DAY, epoch

pytestmark = pytest.mark.thorough

TEXTS = ("one", "two", "three")
IDS = tuple(map(make_id, TEXTS))
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
DURATIONS = ["短期", "中期", "长期", "永久", "36h", "30d", "2026-02-01"]

days = st.one_of(st.integers(0, 90).map(float), st.floats(0, 90))
zones = st.sampled_from([UTC, timezone(timedelta(hours=8)), timezone(timedelta(hours=-9, minutes=-30))])
times = st.builds(lambda day, zone: (BEGIN + timedelta(days=day)).astimezone(zone).isoformat(), days, zones)
scores = st.integers(0, 100).map(lambda n: n / 10)
ids = st.sampled_from(IDS)
id_tuples = st.lists(ids, max_size=3, unique=True).map(tuple)


@st.composite
def lines(draw: st.DrawFn) -> Entry:
    index = draw(st.integers(0, 2))
    return Entry(
        text=draw(st.sampled_from([TEXTS[index], TEXTS[index], TEXTS[index] + ", edited"])),
        id=IDS[index],
        tags=draw(st.lists(st.sampled_from("abc"), max_size=2).map(tuple)),
        score=draw(scores),
        duration=draw(st.sampled_from(DURATIONS)),
        category=draw(st.sampled_from(["fact", "fact", "fact", "episode", "core", "system"])),
        at=draw(times),
        supersedes=draw(st.one_of(st.none(), st.none(), ids)),
        k=draw(st.one_of(st.none(), st.integers(1, 5))),
    )


@st.composite
def events(draw: st.DrawFn) -> Event:
    at = draw(times)
    # A clock that was set back: `k` goes on, `at` does not.
    k = draw(
        st.one_of(
            st.just(micros(at)), st.integers(1, 4), st.integers(0, 90).map(lambda d: micros(at) + d * 86_400 * 10**6)
        )
    )
    return Event(
        k=k,
        host=draw(st.sampled_from(["a", "b"])),
        at=at,
        kind=draw(st.sampled_from([*KINDS, "unheard-of"])),
        ids=draw(st.lists(ids, min_size=1, max_size=3, unique=True).map(tuple)),
        score=draw(st.one_of(st.none(), scores)),
        duration=draw(st.sampled_from([None, *DURATIONS])),
        tags=draw(st.lists(st.sampled_from("bcd"), max_size=2, unique=True).map(tuple)),
        supersedes=draw(id_tuples),
        gain=draw(st.sampled_from([None, None, 0.05, 1.0])),
        verified=draw(st.sampled_from([None, True, False])),
    )


stores = st.tuples(st.lists(lines(), max_size=5), st.lists(events(), max_size=14))


@given(stores, st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_order_and_copies_do_not_change_the_fold(store: tuple[list[Entry], list[Event]], random: object) -> None:
    entries, happened = store
    expected = fold_all(entries, happened)
    mixed, more = entries + entries[:2], happened + happened[::2]
    random.shuffle(mixed)  # type: ignore[attr-defined]
    random.shuffle(more)  # type: ignore[attr-defined]
    assert fold_all(mixed, more) == expected
    assert fold_all(tuple(reversed(entries)), iter(happened[::-1])) == expected


@given(stores)
@settings(max_examples=40, deadline=None)
def test_fold_all_equals_fold_of_each_memory(store: tuple[list[Entry], list[Event]]) -> None:
    entries = [entry._replace(supersedes=None) for entry in store[0]]
    happened = [event._replace(supersedes=()) for event in store[1]]
    for id_, state in fold_all(entries, happened).items():
        own = [entry for entry in entries if entry.id == id_]
        assert state == fold(own, [event for event in happened if id_ in event.ids])
        assert state == fold([*own, own[0]], [event for event in happened if id_ in event.ids])


@given(stores, days)
@settings(max_examples=40, deadline=None)
def test_state_is_consistent(store: tuple[list[Entry], list[Event]], day: float) -> None:
    now = BEGIN.timestamp() + day * DAY
    for state in fold_all(*store).values():
        assert state.importance >= 0
        assert state.first_at <= state.accessed
        assert (state.end is None) == (state.ends_at == float("inf"))
        assert importance_at(state, now) <= state.importance
        found = pending_review(state, now)
        if found is not None:
            assert lives(state, now)
            assert found.opened <= now
            assert state.category not in ("core", "system")
            if now >= state.accessed:  # a state is valid for later times
                assert (importance_at(state, now) < 0.5) == (found.kind == "fading")
        if lives(state, now) and not lives(state, now - DAY):
            assert state.ends_at > now


@given(stores, ids, st.integers(0, 60))
@settings(max_examples=40, deadline=None)
def test_restored_memory_is_active(store: tuple[list[Entry], list[Event]], id_: str, after: int) -> None:
    """A `remember` that restores with exit 0 makes its memory active after any events."""
    entries, happened = store
    entries = [*entries, Entry(TEXTS[IDS.index(id_)], id=id_, at=BEGIN.isoformat(), score=8.0)]
    now = BEGIN + timedelta(days=200 + after)
    back = Event(micros(now.isoformat()), "a", now.isoformat(), "restored", (id_,), score=8.0, duration="长期")
    assert lives(fold_all(entries, [*happened, back])[id_], now.timestamp())


weird_times = st.one_of(
    times, st.sampled_from(["", "x", "0001-01-01T00:00:00", "9999-12-31T23:59:59-14:00", "2026-01-01"])
)
weird = st.builds(
    Event,
    k=st.integers(-(2**70), 2**70),
    host=st.text(st.characters(), max_size=3),
    at=weird_times,
    kind=st.one_of(st.sampled_from(KINDS), st.text(max_size=3)),
    ids=st.lists(ids, max_size=2).map(tuple),
    score=st.one_of(st.none(), st.floats()),
    duration=st.one_of(st.none(), st.text(max_size=4), st.sampled_from(["9999-12-31", "99999w", "0d", "Long"])),
    tags=st.lists(st.text(st.characters(), max_size=3), max_size=2).map(tuple),
    supersedes=id_tuples,
    gain=st.one_of(st.none(), st.floats()),
)


@given(st.lists(lines(), min_size=1, max_size=3), st.lists(weird, max_size=8))
@settings(max_examples=60, deadline=None)
def test_no_event_makes_the_fold_fail(entries: list[Entry], happened: list[Event]) -> None:
    states = fold_all(entries, happened)
    assert states.keys() == {entry.id for entry in entries}
    for entry in entries:
        assert entry.at is not None
        pending_review(states[entry.id], epoch(entry.at) + 30 * DAY)
