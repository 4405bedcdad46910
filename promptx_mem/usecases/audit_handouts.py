"""What hooks put before a model unasked: when, which hook, and why. Noted by the hooks themselves, without a text."""

from operator import itemgetter
from typing import TYPE_CHECKING

from promptx_mem.errors import UsageError
from promptx_mem.result import Result
from promptx_mem.store import hosts
from promptx_mem.usecases import audit_log
from promptx_mem.usecases.first_words import words_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from promptx_mem.store.audit import Record
    from promptx_mem.usecases.audit_log import Audit, Handout
    from promptx_mem.usecases.context import Context

QUESTION = "question"
"""Why something was put there that is no memory: whether there is something to keep."""


def handouts(context: "Context", session: str | None, count: int) -> "Result[Audit]":
    """List what a session, or every one of the last 30 days, was given; the newest first."""
    if not 1 <= count <= audit_log.MAX_COUNT:
        raise UsageError(f"-n {count} is not a number of records", hint=f"1 to {audit_log.MAX_COUNT}")
    own = [member for member in context.both() if member.layout.exists() and member.origin.is_own]
    steps = [step for member in own for name, records in _sessions(member, session) for step in _steps(name, records)]
    every = [item for _, items in sorted(steps, key=itemgetter(0), reverse=True) for item in items]
    page = every[:count]
    idents = {item["id"] for item in page if item["id"]}
    words = {ident: text for member in own for ident, text in words_of(member, idents).items() if text}
    data: Audit = {
        "store": context.layout.display(),
        "count": len(page),
        "left_out": len(every) - len(page),
        "handouts": [{**item, "words": words.get(item["id"] or "")} for item in page],
    }
    return Result("audit", data, context.config_warnings())


def used(context: "Context") -> int:
    """Return how many memories that were given in 30 days agents used, each once for a session."""
    records = (records for _, records in hosts.sessions(context.layout)) if context.origin.is_own else ()
    return sum(
        len({ident for one in own if one.get("e") == hosts.USED for ident in one.get("ids", ())}) for own in records
    )


def _sessions(context: "Context", session: str | None) -> "Iterator[tuple[str, list[Record]]]":
    if session is not None:
        yield session, hosts.events(context.layout, session)
    else:
        yield from hosts.sessions(context.layout)


def _steps(session: str, records: "list[Record]") -> "Iterator[tuple[tuple[str, int], list[Handout]]]":
    """What each record says was given, with its place in time."""
    for number, record in enumerate(records):
        event, at, hook = record.get("e"), str(record.get("at", "")), str(record.get("hook", ""))
        if event == hosts.ASKED:
            yield (at, number), [_handout(at, session, "prompt", QUESTION, None)]
        elif event == hosts.GIVEN and isinstance(ids := record.get("ids"), dict):
            via = record.get("via")
            ways = via if isinstance(via, dict) else {}
            usual = "index" if hook == "start" else "recall"
            yield (at, number), [_handout(at, session, hook, str(ways.get(ident, usual)), str(ident)) for ident in ids]


def _handout(at: str, session: str, hook: str, why: str, ident: str | None) -> "Handout":
    return {"at": at, "session": session, "hook": hook, "why": why, "id": ident, "words": None}
