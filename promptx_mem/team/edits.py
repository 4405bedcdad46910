"""What a person has edited since the last exchange: which line stands in the place of one that others hold."""

import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from promptx_mem.core.journal import REPLACED, Event
from promptx_mem.core.life import value_hash
from promptx_mem.team import records
from promptx_mem.team.copy import Copy, next_k
from promptx_mem.team.records import Taken

if TYPE_CHECKING:
    from promptx_mem.store.writer import Writer

_ALIKE = 0.5
"""Share of two texts' pairs of letters that are the same: where they stand says already that they belong together."""

_MANY = 1_000_000
"""Comparisons in one place: where more was changed than that nothing tells what belongs together."""

Edit = tuple[Taken, Taken]
"""The old line and the one in its place."""


def new_line(copy: Copy, old: Taken, sent: Collection[bytes]) -> Taken | None:
    """The line that was never sent among those of a memory of which another line has vanished."""
    new = [taken for taken in copy.ids.get(old.record.id, ()) if taken.record.hash not in sent]
    return max(new, key=lambda taken: (taken.record.k, taken.record.hash), default=None)


def by_place(before: Sequence[bytes], copy: Copy, vanished: Mapping[bytes, Taken]) -> dict[bytes, Taken]:
    """What stands in the place of lines by hand without a comment, whose ids are their texts', between the same others.

    `before`: all lines by hand, as they stood one after the other. As many as were there stand for each other in turn;
    of fewer or more those that are alike.
    """
    kept = set(before) & set(copy.hand)
    runs = {place: run for place, run in _runs(copy.hand, kept) if run}
    out: dict[bytes, Taken] = {}
    for place, run in _runs(before, kept):
        old = [vanished[key] for key in run if key in vanished and vanished[key].record.id not in copy.ids]
        new = [copy.records[key] for key in runs.get(place, ())]
        if len(run) == len(new) == len(old):
            out |= {one.record.hash: other for one, other in zip(old, new, strict=True)}
        elif new:
            out |= _alike(old, new)
    return out


def _runs(lines: Sequence[bytes], kept: Collection[bytes]) -> Iterator[tuple[bytes, list[bytes]]]:
    """Lines that are not kept, by the kept one before them."""
    place, run = b"", list[bytes]()
    for key in lines:
        if key in kept:
            yield place, run
            place, run = key, []
        else:
            run.append(key)
    yield place, run


def _alike(old: Sequence[Taken], new: Sequence[Taken]) -> dict[bytes, Taken]:
    if len(old) * len(new) > _MANY:
        return {}
    before, after = ([_pairs_of_letters(taken) for taken in every] for every in (old, new))
    pairs = sorted(
        (-2 * len(one & other) / max(len(one) + len(other), 1), place, row)
        for place, one in enumerate(before)
        for row, other in enumerate(after)
    )
    out: dict[bytes, Taken] = {}
    used = set[int]()
    for unlikeness, place, row in pairs:
        key = old[place].record.hash
        if unlikeness <= -_ALIKE and key not in out and row not in used:
            out[key] = new[row]
            used.add(row)
    return out


def _pairs_of_letters(taken: Taken) -> frozenset[str]:
    text = taken.entry.text if taken.entry is not None else ""
    return frozenset(map("".join, itertools.pairwise(text)))


def note(copy: Copy, writer: "Writer", edits: Sequence[Edit]) -> None:
    """Write an event for each, and count it as here."""
    context = copy.context
    now = context.now()
    k = next_k(context, now, [new.entry for _, new in edits if new.entry is not None])
    events = [
        Event(
            k + number, context.host(), now.isoformat(timespec="seconds"), REPLACED,
            tuple(dict.fromkeys((new.record.id, old.record.id))), line=value_hash(old.entry), by=value_hash(new.entry),
        )
        for number, (old, new) in enumerate(edits)
    ]  # fmt: skip
    writer.add_events(events)
    for event in events:
        if (taken := records.of_event(event)) is not None:
            copy.add(taken)
