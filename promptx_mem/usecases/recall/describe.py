"""How a memory is described to whoever asked: its fields, its age, and the raw messages of a slice."""

import datetime
from typing import TYPE_CHECKING

from promptx_mem.core import freshness
from promptx_mem.core.decay import NEVER
from promptx_mem.core.description import Activation, Description, Turn
from promptx_mem.core.state import State, importance_at, lives
from promptx_mem.core.times import epoch

if TYPE_CHECKING:
    from promptx_mem.store.layout import Layout

LONGEST_MESSAGE = 2_000
"""Characters of one raw message that are shown; the file holds all of it."""


def describe(state: State, now: float, config: freshness.Freshness, origin: str) -> Description:
    """A memory as every JSON answer shows it."""
    entry = state.entry
    note = freshness.sentence(state.fresh_at, freshness.threshold_for(config, entry.type), now)
    return {
        "id": entry.id,
        "text": entry.text,
        "tags": list(state.tags),
        "score": state.score,
        "duration": state.duration,
        "at": _noted(state),
        "category": state.category,
        "type": entry.type,
        "topic": entry.topic,
        "origin": origin,
        "source": entry.source,
        "verified": state.verified,
        "session": entry.session,
        "importance": round(importance_at(state, now), 3),
        "lives": lives(state, now),
        "ends_at": None if state.ends_at == NEVER else iso(state.ends_at),
        "end": None if lives(state, now) else state.end,
        "superseded_by": list(state.superseded_by),
        "supersedes": entry.supersedes,
        "age": freshness.age_text(now - state.fresh_at),
        "freshness": note or None,
        "slice": None,
    }


def activate(where: "Layout", reference: str, *, messages: bool) -> Activation:
    """An *ActivatedMemorySlice*: summary, date, time and raw messages; over 10: the first 2, middle 4 and last 2.

    `left_out` gives how many messages are missing in each gap. What cannot be read has `missing` and no messages:
    the memory itself is still an answer.
    """
    from promptx_mem.core.slices import parse_reference
    from promptx_mem.core.topics import excerpt
    from promptx_mem.errors import StoreError
    from promptx_mem.store import conversations

    shown: Activation = {
        "ref": reference, "date": None, "time": None, "summary": None, "messages": [], "left_out": [], "missing": True,
    }  # fmt: skip
    named = parse_reference(reference)
    try:
        found = conversations.read_slice(where, named) if named else None
    except (OSError, StoreError):
        found = None
    if found is None:
        return shown
    part, raw = found
    chosen = excerpt(len(raw))
    whole: list[Turn] = [{"role": raw[i].role, "text": _bounded(raw[i].text), "at": raw[i].at} for i in chosen.shown]
    return {
        **shown,
        "date": part.at[:10],
        "time": part.at[11:16],
        "summary": part.summary,
        "messages": whole if messages else [],
        "left_out": list(chosen.left_out) if messages else [len(raw)],
        "missing": False,
    }


def without_messages(memory: Description) -> Description:
    """The same memory with all raw messages left out."""
    part = memory["slice"]
    if part is None:
        return memory
    return {**memory, "slice": {**part, "messages": [], "left_out": [len(part["messages"]) + sum(part["left_out"])]}}


def iso(moment: float) -> str:
    """Epoch seconds as RFC 3339 in this host's zone; what lies beyond the calendar as its last day."""
    try:
        return datetime.datetime.fromtimestamp(moment).astimezone().isoformat(timespec="seconds")
    except (ValueError, OverflowError, OSError):
        return "9999-12-31T23:59:59+00:00"


def _noted(state: State) -> str:
    """When it was first stored: the line's own time, unless an older line or an adoption says earlier."""
    at = state.entry.at or ""
    return at if at and epoch(at) - state.first_at < 1.0 else iso(state.first_at)


def _bounded(text: str) -> str:
    return text if len(text) <= LONGEST_MESSAGE else text[: LONGEST_MESSAGE - 1] + "…"
