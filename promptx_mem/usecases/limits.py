"""The limits of the gate: violations in a session, scorings in a day, the size of the store."""

import datetime
from typing import TYPE_CHECKING

from promptx_mem.core.request import Request
from promptx_mem.errors import Refused, StoreError
from promptx_mem.store import audit, store
from promptx_mem.store.store import Writer
from promptx_mem.usecases.request import pasteable

if TYPE_CHECKING:
    from promptx_mem.usecases.context import Context

VIOLATIONS = frozenset({"score_too_low"})
LINE_EXTRA = 1_000
"""Bytes that a line, its intent and its audit record take besides the text; generous."""


def check_day(count: int, now: datetime.datetime, *, explicit: bool = False) -> None:
    """Refuse the 1,001st scoring of a local day, but for explicit instructions: those are stored at once."""
    if count >= audit.MAX_SCORINGS and not explicit:
        midnight = (now + datetime.timedelta(days=1)).strftime("%Y-%m-%d 00:00")
        raise Refused(
            f"{audit.MAX_SCORINGS} texts have been scored today, which is the limit",
            code="daily_limit",
            hint=f"the count restarts at {midnight}; until then: promptx-mem recall",
        )


def check_block(context: "Context", log: bytes, request: Request) -> None:
    """Refuse what comes from a session with 3 violations, but for explicit instructions."""
    if not request.explicit and _is_blocked(context, log):
        raise _blocked(context.session, f"if the user has asked for it: {pasteable(request, explicit=True)}\n")


def demand_unblocked(context: "Context") -> None:
    """Refuse whatever a session with 3 violations wants to store."""
    if _is_blocked(context, audit.read(context.layout)):
        raise _blocked(context.session)


def _is_blocked(context: "Context", log: bytes) -> bool:
    return _violations(context, log) >= audit.MAX_VIOLATIONS


def _violations(context: "Context", log: bytes) -> int:
    """Those of the session in the log of the store, and in that of the one beside it."""
    if context.beside is not None:
        log = audit.of_session(context.session, log, audit.read(context.beside.layout))
    return audit.violations(log, context.session, context.now())


def _blocked(session: str, hint: str = "") -> Refused:
    return Refused(
        f"this session ({session}) is blocked after {audit.MAX_VIOLATIONS} violations",
        code="session_blocked",
        hint=f"{hint}{_lift(session)}",
    )


def check_doubted(log: bytes, record: audit.Record, request: Request) -> None:
    """Refuse a text that was found not credible when it comes again without its dimensions."""
    mark = f'"hash":"{record["hash"]}"'.encode()
    if request.explicit or request.dims is not None or mark not in log:
        return
    same = audit.records(b"\n".join(line for line in log.split(b"\n") if mark in line))
    if same and same[-1].get("why") == "not_credible":
        raise Refused(
            f"this text was found not credible ({str(same[-1].get('at'))[:16]}): no --dims does not change that",
            code="not_credible",
            hint="with six new dimensions, if it has been confirmed: --dims; "
            f"as unverified, if the user has asked for it: {pasteable(request, explicit=True)}",
        )


def escalate(context: "Context", error: Refused, log: bytes) -> None:
    """Count a violation and say how many there were; the third blocks the session, but not what the user asks for."""
    session, count = context.session, _violations(context, log) + 1
    error.data = {**error.data, "violations": count}
    if count < audit.MAX_VIOLATIONS:
        warning = f"violation {count} of {audit.MAX_VIOLATIONS} in this session; the third blocks it"
    else:
        warning = f"violation {count}: this session ({session}) is blocked from now on\n{_lift(session)}"
    error.hint = f"{error.hint}\n{warning}"


def _lift(session: str) -> str:
    from promptx_mem.core.shell import quote

    idle = f"the block ends after {audit.SESSION_IDLE_HOURS} hours without a command"
    return f"{idle}, or when a person lifts it: promptx-mem audit --allow {quote(session)}"


_MUCH = 200_000
"""Bytes that are more than a memory or a conversation: an import's."""


def check_size(context: "Context", writer: Writer, more: int) -> None:
    """Refuse what would take the store over 10 MB, after compaction has tried to make room."""
    if context.store.size() + more <= store.MAX_BYTES:
        return
    from promptx_mem.usecases.compact import compact

    compact(context, writer)
    size = context.store.size()
    if size + more > store.MAX_BYTES:
        full = f"the store has {size / 1e6:.1f} MB of {store.MAX_BYTES / 1e6:.0f} MB, and nothing more has ended"
        if more >= _MUCH:
            raise Refused(
                f"{more / 1e6:.1f} MB do not fit, and nothing of them was stored: {full}",
                code="store_full",
                hint="a part of them fits, or a store of their own: --memory-dir DIR\n"
                "to make room: promptx-mem forget ID, then promptx-mem decay --compact",
            )
        raise Refused(
            full,
            code="store_full",
            hint="end what is not needed: promptx-mem forget ID\nthen make room: promptx-mem decay --compact",
        )


def size_warnings(context: "Context") -> tuple[str, ...]:
    try:
        size = context.store.size()
    except (OSError, StoreError):  # it is asked when all is done
        return ()
    if size < store.WARN_BYTES:
        return ()
    share = size * 100 // store.MAX_BYTES
    full = f"the store is {share} % full ({size / 1e6:.1f} MB of {store.MAX_BYTES / 1e6:.0f} MB)"
    return (f"{full}; what has ended makes room: promptx-mem decay --compact",)
