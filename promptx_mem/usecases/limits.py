"""Limits for every write: violations in a session, scored texts in a day, and the size of the store."""

import datetime
import os

from promptx_mem import session
from promptx_mem.core.request import Request
from promptx_mem.errors import PromptxMemError, Refused, StoreError
from promptx_mem.record import TYPE_CHECKING
from promptx_mem.store import audit, files, store, violations
from promptx_mem.store.writer import Writer

if TYPE_CHECKING:
    from promptx_mem.usecases.context import Context

VIOLATIONS = frozenset({"score_too_low"})
LINE_EXTRA = 1_000
"""Generous estimate of the bytes that a memory needs besides its text: line, write-ahead copy and audit record."""


def check_day(count: int, now: datetime.datetime, *, explicit: bool = False) -> None:
    """Refuse a text if 1,000 texts were already scored today, unless the user explicitly asked to store it."""
    if count >= audit.MAX_SCORINGS and not explicit:
        midnight = (now + datetime.timedelta(days=1)).strftime("%Y-%m-%d 00:00")
        raise Refused(
            f"{audit.MAX_SCORINGS} texts have been scored today, which is the limit",
            code="daily_limit",
            hint=f"the count restarts at {midnight}; until then promptx-mem recall still works",
        )


def check_block(context: "Context", log: bytes, request: Request | None = None) -> None:
    """Refuse a write of a session with 3 violations, unless the user explicitly asked for it."""
    if (request is not None and request.explicit) or _violations(context, log) < violations.MOST:
        return
    from promptx_mem.core.pasteable import command

    name = session.answerable(context.session)[0]
    way = f"if the user has asked for it: {command(request, explicit=True)}\n" if request is not None else ""
    raise Refused(
        f"this session ({name}) is blocked after {violations.MOST} violations: {violations.BLOCKED}",
        code="session_blocked",
        hint=f"{way}{_lift(name)}",
    )


def _violations(context: "Context", log: bytes) -> int:
    """Count the session's violations in the logs of both stores."""
    logs = [log] if context.other is None else [log, audit.read(context.other.layout)]
    if not any(map(violations.is_in, logs)):
        return 0
    names = session.answerable(context.session)
    return violations.count(audit.of_session(names, *logs), names, context.now())


def check_doubted(log: bytes, record: audit.Record, request: Request) -> None:
    """Refuse a text without --dims if its last attempt was refused as not credible. Explicit requests are exempt."""
    mark = f'"hash":"{record["hash"]}"'.encode()
    if request.explicit or request.dims is not None or mark not in log:
        return
    same = audit.records(b"\n".join(line for line in log.split(b"\n") if mark in line))
    if same and same[-1].get("why") == "not_credible":
        from promptx_mem.core.pasteable import command

        raise Refused(
            f"this text was refused as not credible ({str(same[-1].get('at'))[:16]}); omitting --dims does not help",
            code="not_credible",
            hint="if the fact has been confirmed, give six new values with --dims; "
            f"if the user has asked for it, store it as unverified: {command(request, explicit=True)}",
        )


def escalate(context: "Context", error: Refused, log: bytes, record: audit.Record) -> None:
    """Count a violation, and add the number to the error's hint. The third violation blocks the session.

    A blocked session can still store texts that the user asked for.
    """
    count, names = _violations(context, log) + 1, session.answerable(context.session)
    if names != (context.session,):
        record["by"] = list(names)
    error.data = {**error.data, "violations": count}
    if count < violations.MOST:
        warning = f"violation {count} of {violations.MOST} in this session; after three, {violations.BLOCKED}"
    else:
        warning = f"violation {count}: session {names[0]} is blocked: {violations.BLOCKED}\n{_lift(names[0])}"
    error.hint = f"{error.hint}\n{warning}"


def _lift(name: str) -> str:
    from promptx_mem.core.shell import quote

    idle = f"the block ends after {violations.IDLE_HOURS} hours without a command"
    return f"{idle}; a person can end it now: promptx-mem audit --allow {quote(name)}"


_MUCH = 200_000
"""A size in bytes that no single memory or conversation reaches. So a larger write is an import."""


def check_size(context: "Context", writer: Writer, more: int) -> None:
    """Archive ended memories if `more` bytes do not fit into the store. Raise Refused if they still do not fit."""
    if _fits(context.store.size(), more):
        return
    from promptx_mem.search import current, memories

    with current.open_current(writer.layout) as cache:
        has_ended = memories.is_any_to_archive(cache, context.now().timestamp())
    if has_ended:  # compaction reads the whole store: skip it if it cannot help
        from promptx_mem.store import rewrite

        rewrite.compact(writer.layout, writer.take_out, context.now())
    size = context.store.size()
    if not _fits(size, more):
        raise _full(context, size, more)


def _fits(size: int, more: int) -> bool:
    return not more or size + more <= store.MAX_BYTES or size + more <= most_bytes()


_ROOM = (
    "to make room, end some memories; usage: promptx-mem forget <id>\nthen archive them: promptx-mem decay --compact"
)


def _full(context: "Context", size: int, more: int) -> Refused:
    full = (
        f"the store has {size / 1e6:.1f} MB of {most_bytes() / 1e6:.0f} MB, and has no more ended memories to archive"
    )
    if more < _MUCH:
        where = context.layout
        sizes = ((os.path.basename(path), files.identity(path)) for path in (where.declarative, where.journal))
        parts = ", ".join(f"{name} has {now[2] / 1e6:.1f} MB" for name, now in sizes if now is not None)
        hint = f"{_ROOM}\n{parts}; to find lines that are far too long: promptx-mem audit --verify"
        return Refused(full, code="store_full", hint=hint)
    from promptx_mem.store import settings

    line = settings.line_for(size + more)
    larger = f"to allow larger stores, which are slower: {line}\n" if line else ""
    return Refused(
        f"{more / 1e6:.1f} MB do not fit; nothing was stored: {full}",
        code="store_full",
        hint=f"{larger}import only a part, or import into another store: --memory-dir <folder>\n{_ROOM}",
    )


def most_bytes(*, lenient: bool = False) -> int:
    """Return the maximum size of a store in bytes.

    If the user's settings cannot be read, raise ConfigError or StoreError. With `lenient`, return the default instead.
    """
    from promptx_mem.store import settings

    try:
        chosen = settings.of("store").store_megabytes
        return store.MAX_BYTES if chosen is None else int(chosen * 1_000_000)
    except PromptxMemError:
        if not lenient:
            raise
        return store.MAX_BYTES


def is_nearly_full(size: int) -> bool:
    """Return whether a store of this size in bytes has reached nine tenths of the maximum."""
    return size >= store.WARN_BYTES and size >= store.WARN_BYTES * most_bytes(lenient=True) // store.MAX_BYTES


def size_warnings(context: "Context") -> tuple[str, ...]:
    try:
        size = context.store.size()
    except (OSError, StoreError):  # the command has already succeeded
        return ()
    if not is_nearly_full(size):
        return ()
    most = most_bytes(lenient=True)
    full = f"the store is {size * 100 // most} % full ({size / 1e6:.1f} MB of {most / 1e6:.0f} MB)"
    return (f"{full}; to archive ended memories: promptx-mem decay --compact",)


def is_to_be_compacted(context: "Context") -> bool:
    """Return whether `decay` must archive ended memories because the store is nearly full."""
    size = context.store.size()
    return size > store.COMPACT_BYTES and size > store.COMPACT_BYTES * most_bytes() // store.MAX_BYTES
