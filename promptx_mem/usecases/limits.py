"""The limits of the gate (SPEC 2.4): violations in a session, scorings in a day, the size of the store."""

import datetime
from typing import TYPE_CHECKING

from promptx_mem.errors import Refused
from promptx_mem.store import audit, store
from promptx_mem.store.store import Writer

if TYPE_CHECKING:
    from promptx_mem.memory import Memory

VIOLATIONS = frozenset({"score_too_low"})
LINE_EXTRA = 1_000
"""Bytes that a line, its intent and its audit record take besides the text; generous."""


def check_day(count: int, now: datetime.datetime) -> None:
    """Refuse the 1,001st scoring of a local day."""
    if count >= audit.MAX_SCORINGS:
        midnight = (now + datetime.timedelta(days=1)).strftime("%Y-%m-%d 00:00")
        raise Refused(
            f"{audit.MAX_SCORINGS} texts have been scored today, which is the limit",
            code="daily_limit",
            hint=f"the count restarts at {midnight}",
        )


def check_block(log: bytes, session: str, now: datetime.datetime, *, explicit: bool) -> None:
    """Refuse what comes from a session with 3 violations, but for explicit instructions."""
    if explicit or audit.violations(log, session, now) < audit.MAX_VIOLATIONS:
        return
    raise Refused(
        f"this session ({session}) is blocked after {audit.MAX_VIOLATIONS} violations",
        code="session_blocked",
        hint="--explicit, where the user asks for it; a person lifts the block with: "
        f"promptx-mem audit --allow {session}",
    )


def escalate(error: Refused, log: bytes, session: str, now: datetime.datetime, corrected: str) -> None:
    """The first violation warns, the second shows the corrected command, the third blocks the session."""
    count = audit.violations(log, session, now) + 1
    error.data["violations"] = count
    if count == 1:
        error.hint = f"violation 1 of {audit.MAX_VIOLATIONS} in this session; {error.hint}"
    elif count < audit.MAX_VIOLATIONS:
        error.hint = f"violation {count} of {audit.MAX_VIOLATIONS}; if the user has asked for it: {corrected}"
    else:
        error.hint = (
            f"violation {count}: storing is now blocked for this session ({session}) until it ends or a person runs "
            f"promptx-mem audit --allow {session}"
        )


def check_size(memory: "Memory", writer: Writer, more: int) -> None:
    """Refuse what would take the store over 10 MB, after compaction has tried to make room."""
    if memory.store.size() + more <= store.MAX_BYTES:
        return
    memory.compact(writer)
    size = memory.store.size()
    if size + more > store.MAX_BYTES:
        raise Refused(
            f"the store has {size / 1e6:.1f} MB of {store.MAX_BYTES / 1e6:.0f} MB, and nothing more has ended",
            code="store_full",
            hint="promptx-mem forget ID ends what is not needed; promptx-mem decay --compact makes room",
        )


def size_warnings(memory: "Memory") -> tuple[str, ...]:
    size = memory.store.size()
    if size < store.WARN_BYTES:
        return ()
    share = size * 100 // store.MAX_BYTES
    return (f"the store is {share} % full ({size / 1e6:.1f} MB of {store.MAX_BYTES / 1e6:.0f} MB)",)
