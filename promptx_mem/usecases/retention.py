"""Limits of stored conversations: the oldest slices (summarised messages) are removed with their ended memories.

The removal runs once a day, after idle conversations were summarised. Messages not yet summarised, slices younger than
30 days and active memories are never removed. Before a removal, the time up to which slices are removed is recorded
(see store/conversations), so that the next run finishes an interrupted removal. Removed messages that are still in a
host's transcript are not stored again.
"""

import contextlib
import datetime
from collections.abc import Iterator, Mapping
from functools import partial

from promptx_mem.core.entry import Entry
from promptx_mem.core.journal import Event
from promptx_mem.core.slices import PAUSE, Slice, Unit, parse_reference
from promptx_mem.core.state import lives
from promptx_mem.core.text import plural
from promptx_mem.core.times import DAY, epoch
from promptx_mem.errors import StoreError
from promptx_mem.record import TYPE_CHECKING, NamedTuple
from promptx_mem.search import current, history, messages, pairs
from promptx_mem.search.cache import Cache
from promptx_mem.store import conversations, disk, episodes, parsing, settings
from promptx_mem.store.conversations import Kept
from promptx_mem.store.disk import disk_errors
from promptx_mem.store.layout import Layout
from promptx_mem.store.settings import Settings
from promptx_mem.store.writer import Writer
from promptx_mem.usecases import index
from promptx_mem.usecases.lookup import Lookup

if TYPE_CHECKING:
    from promptx_mem.usecases.context import Context

_STAMP = "looked.txt"
_SLACK = 60.0


def has_unsummarised(context: "Context") -> bool:
    """Return whether a recent conversation has messages to be summarised now."""
    now = context.moment
    with contextlib.suppress(OSError, StoreError):
        return any(is_over(unit, now) or unit.unfinished() for unit in _recent(context))
    return False


def is_over(unit: Unit, now: float) -> bool:
    """Return whether a conversation has messages without a summary and has been idle for four hours."""
    waiting = unit.waiting()
    return bool(waiting) and waiting[max(waiting)].times()[1] + PAUSE <= now


def check_conversations(context: "Context", *, everywhere: bool = False) -> list[str]:
    """Return the conversations that could have messages without a summary, and record the time of this check."""
    units = [unit.id for unit in _recent(context, everywhere=everywhere)]
    with contextlib.suppress(OSError, StoreError):
        if disk.names(context.layout.conversations):
            disk.replace(context.layout.conversations / _STAMP, b"", context.layout.mode)
    return units


def _recent(context: "Context", *, everywhere: bool = False) -> list[Unit]:
    """Return the recent conversations (with `everywhere`, all) that could have messages without a summary.

    Recent means: written later than four hours before the last check. Earlier checks have handled all others.
    """
    identities = conversations.identities(context.layout.conversations)
    stamp = identities.get(_STAMP)
    horizon = 0.0 if stamp is None or everywhere else stamp[3] / 1e9 - PAUSE - _SLACK
    named = conversations.named(name for name, identity in identities.items() if identity[3] / 1e9 >= horizon)
    units = (unit for unit in named if not conversations.has_no_waiting_messages(context.layout, unit))
    return [conversations.read(context.layout, unit) for unit in units]


YOUNG = settings.LEAST_DAYS * DAY
"""Minimum age, in seconds, of messages that are removed."""

AT_ONCE = 256
"""Maximum number of ids in one `purged` event, because an event is always read as a whole."""

_AROUND = 100
"""Approximate number of bytes in a message's line besides the text."""

Units = Mapping[str, Unit]


class Piece(NamedTuple):
    """A slice that could be removed, with the arrival time of its last message and its approximate size in bytes."""

    came: float
    unit: str
    number: int
    size: int


def keep_within(context: "Context", now: datetime.datetime, *, everywhere: bool = False) -> str:
    """Remove slices (summarised runs of messages) that exceed the limits. Return a line about this, or ''.

    Do this once a day, or at every call with `everywhere`. Raises ConfigError, StoreError, BusyError. After an error,
    the next run removes the rest.
    """
    with disk_errors():
        if not disk.names(context.layout.conversations) and not conversations.shelved_units(context.layout):
            return ""
        keep = settings.of("keep")
        note, moment = conversations.read_kept(context.layout), now.timestamp()
        if not everywhere and note.looked <= moment < note.looked + DAY:
            return ""
        return context.store.write(partial(_locked, context, now, keep))


def _locked(context: "Context", now: datetime.datetime, keep: Settings, writer: Writer) -> str:
    where = writer.layout
    note, moment = conversations.read_kept(where), now.timestamp()
    units, pieces, until = _over_limits(where, moment, keep)
    gone = [piece for piece in pieces if piece.came <= until]
    until = max(until, min(note.until, moment - YOUNG))
    if gone:
        conversations.write_kept(where, Kept(until, note.looked), durable=True)
    ended = _end_episodes(context, writer, units, until, now)
    for name, unit in units.items():
        _clear(where, unit, {piece.number for piece in gone if piece.unit == name}, until)
    conversations.write_kept(where, Kept(until, moment), durable=False)
    messages.catch_up_index(where)  # even after an interrupted run
    if not gone and not ended:
        return ""
    day = datetime.datetime.fromtimestamp(until, now.tzinfo).date()
    words = f"deleted {plural(len(gone), 'part')} of conversations up to {day}: "
    words += f"older than {keep.keep_days:g} days, or over {keep.keep_megabytes:g} MB in total"
    context.note(writer, "decay", verdict="done", why=words)
    return words


def horizon(where: Layout, now: float) -> float:
    """Return the time, in epoch seconds, up to which messages of a transcript are too old to be stored.

    The limits of conversations would remove them at once.
    """
    aged = max(conversations.read_kept(where).until, now - settings.of("keep").keep_days * DAY)
    return min(aged, now - YOUNG)  # a wrong clock can have recorded a time in the future


def due_for_removal(where: Layout, now: datetime.datetime) -> list[tuple[Piece, Slice]]:
    """Return the slices (summarised runs of messages) that would be removed now. Raises ConfigError, StoreError."""
    with disk_errors():
        units, pieces, until = _over_limits(where, now.timestamp(), settings.of("keep"))
        return [(piece, units[piece.unit].slices[piece.number]) for piece in pieces if piece.came <= until]


def _over_limits(where: Layout, moment: float, keep: Settings) -> tuple[Units, list[Piece], float]:
    """Return all conversations, their removable slices (oldest first), and the time up to which they are removed, or 0.

    All slices older than the limit in days are removed. If the rest is too large, further slices are removed, the
    oldest first, except young ones.
    """
    units = {name: conversations.read(where, name) for name in conversations.every_unit(where)}
    pieces = sorted(_pieces(units))
    aged = horizon(where, moment)
    excess = conversations.size(where) - keep.keep_megabytes * 1_000_000
    until = 0.0
    for piece in pieces:
        if piece.came > aged and (excess <= 0 or piece.came > moment - YOUNG):
            break
        until = piece.came
        excess -= piece.size
    return units, pieces, until


def _pieces(units: Units) -> Iterator[Piece]:
    """Yield every slice (a summarised run of messages) whose memory is stored."""
    for name, unit in units.items():
        for number, part in unit.slices.items():
            if number in unit.episodes:
                size = sum(_AROUND + len(message.text.encode("utf-8", "replace")) for message in unit.of(part))
                yield Piece(_last_arrival(unit, part), name, number, size)


def _last_arrival(unit: Unit, part: Slice) -> float:
    return max((message.times()[1] for message in unit.of(part)), default=0.0) or epoch(part.at)


def _clear(where: Layout, unit: Unit, slices: set[int], until: float) -> None:
    """Remove slices, and old summarised messages outside other slices; also an empty conversation without memories."""
    held = {number for key, part in unit.slices.items() if key not in slices for number in unit.numbers(part)}
    going = {number for key in slices for number in unit.numbers(unit.slices[key])}
    rolled = unit.rolled()
    old = (number for number, message in unit.messages.items() if 0 < message.times()[1] <= until)
    going |= {number for number in old if number <= rolled}
    going -= held
    if slices or going:
        conversations.remove_parts(where, unit, slices, going)
    if slices >= unit.slices.keys() and going >= unit.messages.keys() and not unit.problems and unit.gone != (0, 0):
        named = (parse_reference(entry.slice or "") for entry, _, _ in episodes.parse(episodes.read(where)))
        if not any(reference is not None and reference.unit == unit.id for reference in named):
            conversations.remove(where, unit.id)


def _end_episodes(context: "Context", writer: Writer, units: Units, until: float, now: datetime.datetime) -> int:
    """Remove the lines of ended memories whose conversations are removed. Return the number of memories."""
    where = writer.layout
    ids = {entry.id for entry, _, _ in episodes.parse(episodes.read(where)) if _is_due(entry, units, until)}
    if not ids:
        return 0
    with current.open_current(where) as cache:
        ids = {ident for ident in ids if _has_ended(cache, ident, now.timestamp())}
        fresh = [ident for ident in sorted(ids) if (state := cache.state(ident)) and state.end != "purged"]
        if fresh:
            writer.add_events(purges(Lookup(context, cache), fresh))
    if ids and episodes.take_out(where, ids):
        with current.open_current(where) as cache:
            index.refresh(context, cache)
    return len(ids)


def purges(lookup: Lookup, idents: list[str], reason: str | None = None) -> list[Event]:
    """Return `purged` events for memories, so that no other copy or old cache restores their texts.

    The memories that they had superseded stay superseded without their lines. `adopted` events precede: if a merge
    brings a line back, it must be older than the purge.
    """
    heirs = {ident: pairs.superseded_ids(lookup.cache, ident) for ident in idents}
    alone = [ident for ident in idents if not heirs[ident]]
    parts = [(*alone[start : start + AT_ONCE],) for start in range(0, len(alone), AT_ONCE)]
    parts += [(ident,) for ident in idents if heirs[ident]]
    adoptions = lookup.adoptions()
    rows = ((ids, {"supersedes": heirs[ids[0]], "reason": reason}) for ids in parts)
    return adoptions + lookup.events("purged", rows, after=adoptions[-1].k if adoptions else 0)


def _has_ended(cache: Cache, ident: str, now: float) -> bool:
    """Return whether a conversation's memory has ended, and all its lines are in the file of episodes."""
    if any(name != parsing.EPISODES for _, _, name in history.line_places(cache, ident)):
        return False
    state = cache.state(ident)
    return state is None or not lives(state, now)


def _is_due(entry: Entry, units: Units, until: float) -> bool:
    """Return whether a memory is not newer than `until`, and its messages are missing or not newer than `until`."""
    reference = parse_reference(entry.slice or "")
    if reference is None or not entry.at or epoch(entry.at) > until:
        return False
    unit = units.get(reference.unit)
    part = unit and unit.slices.get(reference.number)
    return not (unit and part) or _last_arrival(unit, part) <= until
