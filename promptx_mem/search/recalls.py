"""Recalls that were appended to `.recalled` since the cache was written, and memories without their last recalls."""

from collections.abc import Iterable

from promptx_mem.core.journal import RECALLED, Event
from promptx_mem.core.state import FADING_BELOW, MEMBER, NEVER, State, ending, faded, lives, review_after, rounded
from promptx_mem.core.times import epoch
from promptx_mem.search.cache import Cache, identity
from promptx_mem.search.writes import appended, file_meta, insert_events, or_empty
from promptx_mem.store import recalled


def catch_up_recalls(cache: Cache) -> bool:
    """Index the recalls appended to `.recalled`. Return False if `follow` is needed instead.

    For use in `write`. Raises sqlite3.Error, ValueError.
    """
    stamp = identity(cache.layout.recalled)
    data = recalled.read(cache.layout)
    if (new_data := appended(cache, "recalled", data)) is None:
        return False
    last, living = (int(cache.meta(key) or 0) for key in ("k", "living"))
    fresh = recalled.parse(new_data)
    used = cache.states_by_id({ident for event in fresh for ident in event.ids})
    for event in fresh:
        if event.k <= last:
            return False
        last = event.k
        for ident in event.ids:
            if ident not in used:
                return False
            rowid, old = used[ident]
            if (new := after_recall(old, epoch(event.at))) is None:
                return False
            living += lives(new, 0.0) - lives(old, 0.0)
            used[ident] = rowid, new
    columns = "importance=?, accessed=?, ends_at=?, end=?, fading_at=nullif(?, '')"
    cache.db.executemany(
        f"UPDATE memories SET {columns} WHERE rowid=?",  # noqa: S608 - a constant
        [(new.importance, new.accessed, new.ends_at, new.end, or_empty(new.fading_at), n) for n, new in used.values()],
    )
    insert_events(cache.db, fresh)
    cache.set_meta(k=last, living=living, **file_meta("recalled", stamp, data))
    return True


def after_recall(state: State, time: float) -> State | None:
    """Return the state after a recall at `time`, the same if it has ended; None if all events are needed for it."""
    if state.entry.behind or time < state.accessed or state.origin.startswith(MEMBER):
        return None
    if not lives(state, time):
        return state
    importance = rounded(faded(state.importance, state.category, state.duration, time - state.accessed))
    below = time + review_after(importance, state.category, state.duration)
    if state.fading_at <= time and importance < FADING_BELOW and below != NEVER:
        below = state.fading_at
    changed = state._replace(importance=importance, accessed=time, fading_at=below)
    if state.end == "expired":  # a date, an amount or an episode's life sets the end: a recall does not move it
        return changed
    ends_at, end = ending(importance, state.category, state.duration, accessed=time, since=time, due=None)
    return changed._replace(ends_at=ends_at, end=end)


def follow_recalls(cache: Cache, journal: list[Event]) -> list[Event] | None:
    """Return the events that are not in the cache yet: of `journal` (its appended events) and of `.recalled`.

    Return None if recalls have disappeared from `.recalled` and none was moved into the journal.
    """
    from promptx_mem.search.history import has_event

    fresh = [event for event in journal if event.kind != RECALLED or not has_event(cache, event)]
    stamp = identity(cache.layout.recalled)
    if stamp != cache.meta("recalled"):
        data = recalled.read(cache.layout)
        new = appended(cache, "recalled", data)
        if new is None and len(fresh) == len(journal):
            return None
        recalls = dict.fromkeys(recalled.parse(data if new is None else new))
        fresh += [event for event in recalls if event not in journal and not has_event(cache, event)]
        cache.set_meta(**file_meta("recalled", stamp, data))
    return fresh


class Before:
    """The memories that were recalled at `moment` or later, and their states without these recalls.

    A recall never lowers importance. So without the recalls, these memories can rank lower, but no other memory can.
    """

    def __init__(self, cache: Cache, moment: float) -> None:
        from promptx_mem.search import history

        recalls = history.parsed(cache, "SELECT raw FROM events WHERE recalled_at >= ?", moment)
        self.ids = frozenset(ident for event in recalls for ident in event.ids)
        self._cache, self._moment = cache, moment

    def states(self, ids: Iterable[str]) -> dict[str, State]:
        """For each memory of `ids` that was recalled at `moment` or later, return the state without these recalls."""
        wanted = [ident for ident in ids if ident in self.ids]
        if not wanted:
            return {}
        from promptx_mem.core.fold import fold_all
        from promptx_mem.search import history

        out = {}
        noted = history.senders(self._cache.layout, wanted)
        for ident, lines, events in history.lines_and_events(self._cache, wanted):
            kept = [one for one in events if one.kind != RECALLED or epoch(one.at) < self._moment]
            if state := fold_all((line.entry for line in lines), kept).get(ident):
                known = [line.entry for line in lines]
                out[ident] = state if noted is None else noted.mark({ident: state}, known)[ident]
        return out
