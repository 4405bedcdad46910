"""Checks of every write: settings, violations in a session, scored texts per day, size of the store; warnings."""

import datetime
import os

from promptx_mem import session
from promptx_mem.core.json_text import objects
from promptx_mem.core.request import Request
from promptx_mem.errors import PromptxMemError, Refused, StoreError
from promptx_mem.record import TYPE_CHECKING, cast
from promptx_mem.result import Payload, Result
from promptx_mem.store import audit, store
from promptx_mem.store.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Callable

    from promptx_mem.usecases.context import Context

LINE_EXTRA = 1_000
"""High estimate of the bytes that a memory needs besides its text: line, write-ahead copy and audit record."""

_UUID = 36, 4
"""The length of a UUID in characters, and the number of its dashes."""


def demand_config(context: "Context") -> None:
    """Raise an error if config.yaml is invalid or the session's name contains a credential."""
    name = context.session
    if not name.startswith(("day:", "tty:")) and (len(name), name.count("-")) != _UUID:  # only a host makes a UUID
        from promptx_mem.core.credentials import demand_no_credential

        demand_no_credential("--session", name)
    if (problem := context.config.problem) is not None:
        raise type(problem)(problem.message, hint=problem.hint)


def run_write(context: "Context", work: "Callable[[], Result[Payload]]") -> Result[Payload]:
    """Run a write. Add warnings to its result, and the path of the store if the write created the store."""
    for one in filter(None, (context, context.other)):
        one.store.is_new = False  # only a store created by this call counts
    try:
        result = work()
    except PromptxMemError as error:
        error.data = {**error.data, **_new_store(context)}
        raise
    data = cast("Payload", {**result.data, **_new_store(context)})
    where = context.layout
    is_slip = context.store.is_new and where.named and not where.is_user
    note = f"there was no store at {context.path}; it was created" if is_slip else ""
    warnings = filter(None, (*result.warnings, *context.config_warnings(), note))
    return result._replace(data=data, warnings=tuple(dict.fromkeys(warnings)))


def _new_store(context: "Context") -> dict[str, str]:
    """Return `made_store`, the path of the store that this call created; an empty dict if it created none."""
    made = next((one for one in (context, context.other) if one and one.store.is_new), None)
    return {"made_store": os.path.abspath(made.layout.root)} if made else {}


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
    """Refuse a write of a session with 3 or more violations, unless the user explicitly asked for it."""
    if not (request is not None and request.explicit) and (count := violations(context, log)):
        from promptx_mem.usecases import advice

        advice.refuse_blocked(context, count, request)


def violations(context: "Context", log: bytes) -> int:
    """Count the session's violations in the logs of both stores."""
    logs = [log] if context.other is None else [log, audit.read(context.other.layout)]
    if not any(b'"x":1' in one for one in logs):  # most logs have none: then the module is not loaded
        return 0
    from promptx_mem.store import violations

    names = session.violation_names(context.session)
    return violations.count(violations.of_session(names, *logs), names, context.now())


def check_refused_before(log: bytes, record: audit.Record, request: Request) -> None:
    """Refuse a text without --dims if its last attempt was refused as not credible. Explicit requests are exempt."""
    mark = f'"hash":"{record["hash"]}"'.encode()
    if request.explicit or request.dims is not None or mark not in log:
        return
    same = objects(b"\n".join(line for line in log.split(b"\n") if mark in line))
    if same and same[-1].get("why") == "not_credible":
        from promptx_mem.usecases import advice

        raise advice.refused_before(same[-1], request)


def check_size(context: "Context", writer: Writer | None, more: int) -> None:
    """Archive ended memories if `more` bytes do not fit into the store. Raise Refused if they still do not fit.

    Without a writer, do nothing if there are memories to archive.
    """
    if _fits(context.store.size(), more):
        return
    from promptx_mem.search import current, pairs

    with current.open_current((writer or context).layout) as cache:
        has_ended = pairs.is_any_to_archive(cache, context.moment)
    if writer is None and has_ended:
        return
    if writer is not None and has_ended:  # compaction reads the whole store: skip it if it cannot help
        from promptx_mem.store import rewrite

        rewrite.compact(writer.layout, writer.take_out, context.now())
    size = context.store.size()
    if not _fits(size, more):
        from promptx_mem.usecases import advice

        raise advice.store_full(size, more)


def _fits(size: int, more: int) -> bool:
    if not more or size + more <= store.MAX_BYTES:
        return True
    from promptx_mem.store import settings

    return size + more <= settings.most_bytes()


def size_warnings(context: "Context") -> tuple[str, ...]:
    try:
        size = context.store.size()
    except (OSError, StoreError):  # the command has already succeeded
        return ()
    if size < store.WARN_BYTES:
        return ()
    from promptx_mem.store import settings

    if not settings.is_nearly_full(size):
        return ()
    most = settings.most_bytes(lenient=True)
    full = f"the store is {size * 100 // most} % full ({size / 1e6:.1f} MB of {most / 1e6:.0f} MB)"
    return (f"{full}; to archive ended memories: promptx-mem decay --compact",)
