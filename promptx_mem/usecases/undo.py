"""Take back a session's writes: `forget --last` and `audit --undo`, from the records of the audit log."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from promptx_mem.core.state import lives
from promptx_mem.core.text import plural, shorten
from promptx_mem.errors import NotFoundError
from promptx_mem.result import Result
from promptx_mem.search import current
from promptx_mem.store import audit as log
from promptx_mem.usecases import change

if TYPE_CHECKING:
    from promptx_mem.search.cache import Cache
    from promptx_mem.usecases.audit_log import Audit, Undo
    from promptx_mem.usecases.change import Forget
    from promptx_mem.usecases.context import Context

_STORED = ("stored", "restored", "changed")
_ENDED = ("forgotten", "deleted")
_LENGTH = 40


class Step(NamedTuple):
    """One write to take back: restore `target`, or end it. `written` is the memory that the write stored."""

    context: "Context"
    at: str
    action: str
    target: str
    text: str
    written: str = ""

    def command(self) -> str:
        return self.context.command(self.action, self.target)


def undo(context: "Context", session: str | None) -> "Result[Audit]":
    """List the commands that take back a session's writes, newest first: to be run in this order."""
    name = session or context.session
    steps = _steps(context, name)
    listed: list[Undo] = [{"command": one.command(), "id": one.target, "text": one.text} for one in steps]
    imported = sum(
        count
        for member in context.both()
        for record in log.records(log.read(member.layout))
        if record.get("s") == name and record.get("cmd") == "import" and isinstance(count := record.get("count"), int)
    )
    many = plural(imported, "imported memory is", "imported memories are")
    warnings = (f"{many} not in this list; the imports: promptx-mem audit",) if imported else ()
    data: Audit = {"store": context.layout.display(), "count": len(listed), "undo": listed}
    return Result("audit", data, (*context.config_warnings(), *warnings))


def forget_last(context: "Context", reason: str | None) -> "Result[Forget]":
    """End the memory that this session stored last; one that it replaced is active again. Raises NotFoundError."""
    step = next((one for one in _steps(context, context.session) if one.written), None)
    if step is None:
        hint = context.command("audit", "--session", context.session)
        raise NotFoundError("this session has stored no memory that is active", hint=f"its writes: {hint}")
    if step.action == "forget":
        return change.forget(step.context.alone(), step.target, reason)
    done = change.restore(step.context.alone(), step.target)
    note = f"{step.target}, which it had replaced, is active again"
    data: Forget = {**done.data, **change.NO_TALK, "id": step.written, "text": step.text, "note": note}
    return Result("forget", {**data, "lives": False, "end": "superseded"}, done.warnings)


def _steps(context: "Context", session: str) -> list[Step]:
    """Return what takes back the session's writes that still hold, newest first, over both stores."""
    steps = [step for member in context.both() if member.layout.exists() for step in _of_store(member, session)]
    return sorted(steps, key=lambda step: step.at, reverse=True)


def _of_store(context: "Context", session: str) -> Iterator[Step]:
    now = context.now().timestamp()
    seen: set[str] = set()
    active: dict[str, bool] = {}
    with current.open_current(context.layout) as cache:
        for record in log.newest(log.read(context.layout)):
            ident, verdict = record.get("id"), record.get("verdict")
            if record.get("s") != session or not isinstance(ident, str) or ident in seen:
                continue
            state = cache.state(ident)
            if verdict not in (*_STORED, *_ENDED) or state is None or state.end == "purged":
                continue
            seen.add(ident)
            is_active = active.get(ident, lives(state, now))
            if is_active != (verdict in _STORED):
                continue
            target = _replaced(cache, ident) if is_active else ident
            action = "restore" if target else "forget"
            active |= {ident: not is_active, target: True}
            text = shorten(state.entry.text, _LENGTH)
            yield Step(context, str(record.get("at")), action, target or ident, text, ident if is_active else "")


def _replaced(cache: "Cache", ident: str) -> str:
    """Return the memory that this one replaced and that ended with it; empty if there is none."""
    state = cache.state(ident)
    old = state.entry.supersedes if state is not None else None
    before = cache.state(old) if old else None
    return old if old and before is not None and ident in before.superseded_by and before.end != "purged" else ""
