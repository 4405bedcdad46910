"""The use cases of `audit` that read the log: attempts, blocked sessions, injected memories and undo."""

import contextlib
import datetime
from collections.abc import Iterable, Iterator
from operator import itemgetter

from promptx_mem import session
from promptx_mem.core.dates import parse_since
from promptx_mem.core.entry import Entry
from promptx_mem.core.json_text import load_object
from promptx_mem.core.state import State, lives
from promptx_mem.core.text import plural, shorten
from promptx_mem.errors import NotFoundError, StoreError, UsageError
from promptx_mem.record import TYPE_CHECKING, Any, NamedTuple, TypedDict, cast
from promptx_mem.result import Result
from promptx_mem.search import current
from promptx_mem.search.cache import DAMAGE, Cache
from promptx_mem.store import audit as log
from promptx_mem.store import hosts, violations
from promptx_mem.store.audit import Record
from promptx_mem.store.writer import Writer
from promptx_mem.usecases.context import Context

if TYPE_CHECKING:
    from promptx_mem.usecases.change import Forget

_LENGTH = 40


def words_of(context: Context, idents: Iterable[str]) -> dict[str, str | None]:
    """Return the first words of each memory by id; None for a purged one. Empty if the store cannot be read."""
    states: dict[str, State | None] = {}
    if (every := set(idents)) and context.layout.exists():
        with contextlib.suppress(OSError, StoreError, *DAMAGE), current.open_current(context.layout) as cache:
            states = {ident: cache.state(ident) for ident in every}  # the log can be shown without these words
    return {
        ident: shorten(state.entry.text, _LENGTH) if state and state.end != "purged" else None
        for ident, state in states.items()
    }


DEFAULT_COUNT = 20
MAX_COUNT = 10_000


class Filters(NamedTuple):
    """Filters of the log. `since` is a date as in `recall`. With `injected`, injected memories are listed instead."""

    session: str | None = None
    verdict: str | None = None
    since: str | None = None
    violations: bool = False
    count: int = DEFAULT_COUNT  # type: ignore[assignment] # tuples have a method of that name
    injected: bool = False


class Attempted(TypedDict):
    """A record of the log. A value of the wrong type becomes None, because people can edit the file.

    `words` are the first words of the stored memory, read from the store because the log has no texts. Only the record
    of a write that bypassed scoring has `tool`, `file`, `lines` (without credentials) and `advice`, the suggested
    command.
    """

    at: str | None
    session: str | None
    command: str | None
    verdict: str | None
    why: str | None
    id: str | None
    score: float | None
    basis: str | None
    length: int | None
    hash: str | None
    count: int | None
    violation: bool
    adjustments: list[float]
    allowed: bool
    words: str | None
    tool: str | None
    file: str | None
    lines: list[str]
    advice: str | None


class Finding(TypedDict):
    """A problem in a store, its place, and the fix (`mend`). `command` is a command to paste, or empty."""

    check: str
    where: str
    what: str
    mend: str
    command: str


class Checked(TypedDict, total=False):
    """The number of items of each kind that were checked in a store."""

    archives: int
    memories: int
    lines: int
    events: int


class Allowed(TypedDict):
    """A session whose block was lifted."""

    session: str
    violations: int
    was_blocked: bool


class Injection(TypedDict):
    """A memory that a hook injected, and the reason: it is in the index, or matches words, a topic or a date.

    `words` are the first words of the memory's present text. If `id` is None, the hook injected a question instead.
    """

    at: str | None
    session: str
    hook: str
    why: str
    id: str | None
    words: str | None


class Undo(TypedDict):
    """A command that undoes one write, and the memory on which the command acts."""

    command: str
    id: str
    text: str


class Audit(TypedDict, total=False):
    """The answer of `audit`: records of the log, or `problems`, `allowed`, `handouts` (injected memories) or `undo`."""

    store: str
    count: int
    total: int
    left_out: int
    records: list[Attempted]
    verdicts: dict[str, int]
    blocked: list[str]
    problems: list[Finding] | None
    notes: list[str]
    checked: Checked
    allowed: Allowed | None
    handouts: list[Injection] | None
    undo: list[Undo] | None


def audit(context: Context, filters: Filters) -> Result[Audit]:
    """List the attempts in the log, newest first. With `filters.injected`, list the injected memories.

    In the answer, `blocked` names the sessions that currently cannot store memories.
    """
    if not 1 <= filters.count <= MAX_COUNT:
        raise UsageError(f"-n {filters.count} is out of range", hint=f"give 1 to {MAX_COUNT}")
    if filters.injected:
        return injected(context, filters.session, filters.count)
    now = context.now()
    try:
        since = None if filters.since is None else parse_since(filters.since, now)
    except ValueError as error:
        raise UsageError(f"--since {error}") from None
    data = log.read(context.layout)
    records = log.records(data)
    matches = [record for record in reversed(records) if _matches(record, filters, since)]
    page = matches[: filters.count]
    answer: Audit = {
        "store": context.layout.display(),
        "count": len(page),
        "total": len(records),
        "left_out": len(matches) - len(page),
        "records": _with_words(context, list(map(described, page))),
        "verdicts": log.tally(records),
        "blocked": blocked(data, now),
    }
    return Result("audit", answer, context.config_warnings())


def allow(context: Context, blocked_session: str) -> Result[Audit]:
    """Lift the block of a session by resetting its violations. Raises Refused unless a person runs the command."""
    session.demand_person("unblocking a session", context.command("audit", "--allow", blocked_session))
    context.demand_config()
    now = context.now()
    if context.layout.exists():
        from promptx_mem.store.writer import demand_own

        demand_own(context.layout)
    data = log.read(context.layout)
    every = list(
        dict.fromkeys(name for names in _named(data) if blocked_session in names for name in [blocked_session, *names])
    )
    if not every:
        names = blocked(data, now)
        hint = "blocked now: " + ", ".join(names) if names else "no session is blocked now"
        raise NotFoundError(f"the log has no session {blocked_session!r}", hint=hint)

    def note(writer: Writer) -> int:
        before = violations.count(log.read(writer.layout), every, now)
        by = {} if every == [blocked_session] else {"by": every}
        context.note(writer, "audit", s=blocked_session, verdict="allowed", allow=1, **by)
        # Other commands ignore errors of the log, but without the log this command has no effect.
        if violations.count(log.read(writer.layout), every, now):
            hint = "check the permissions of audit.jsonl and the free space on the disk"
            raise StoreError("audit.jsonl could not be written", hint=hint)
        return before

    before = context.store.write(note)
    allowed: Allowed = {"session": blocked_session, "violations": before, "was_blocked": before >= violations.MOST}
    return Result("audit", {"store": context.layout.display(), "allowed": allowed})


def blocked(data: bytes, now: datetime.datetime) -> list[str]:
    """Return the names of the sessions that are blocked now. The message of a refusal shows the same name."""
    return [
        name
        for name in sorted({names[0] for names in _named(data)})
        if violations.count(data, [name], now) >= violations.MOST
    ]


def described(record: log.Record) -> Attempted:
    """Return a record in the format of the JSON answer, in which every record has the same keys."""

    def one(key: str, kind: Any) -> Any:
        return value if isinstance(value := record.get(key), kind) else None

    def several(key: str, kind: Any) -> Any:
        return [value for value in one(key, list) or () if isinstance(value, kind)]

    return {
        "at": one("at", str),
        "session": one("s", str),
        "command": one("cmd", str),
        "verdict": one("verdict", str),
        "why": one("why", str),
        "id": one("id", str),
        "score": one("score", int | float),
        "basis": one("basis", str),
        "length": one("len", int),
        "hash": one("hash", str),
        "count": one("count", int),
        "violation": record.get("x") == 1,
        "adjustments": several("adjust", int | float),
        "allowed": bool(record.get("allow")),
        "words": None,
        "tool": one("tool", str),
        "file": one("file", str),
        "lines": several("lines", str),
        "advice": one("advice", str),
    }


def _named(data: bytes) -> list[list[str]]:
    """Return the names of the session in each record of a violation."""
    lines = (line.decode("utf-8", "replace") for line in data.split(b"\n") if violations.is_in(line))
    records = (record for record in map(load_object, lines) if record is not None)
    return list(filter(None, map(violations.names_of, records)))


def _matches(record: log.Record, filters: Filters, since: float | None) -> bool:
    return (
        filters.session in (None, record.get("s"))
        and filters.verdict in (None, record.get("verdict"))
        and (not filters.violations or record.get("x") == 1)
        and (since is None or ((at := log.time_of(record)) is not None and at.timestamp() >= since))
    )


_NOTHING_STORED = ("refused", "denied", "dry-run")


def _with_words(context: Context, records: list[Attempted]) -> list[Attempted]:
    """Add the first words of the stored memory to each record, if the memory can still be read."""
    idents = [record["id"] if record["verdict"] not in _NOTHING_STORED else None for record in records]
    words = words_of(context, filter(None, idents))
    return [{**record, "words": words.get(ident or "")} for record, ident in zip(records, idents, strict=True)]


QUESTION = "question"
"""The reason (`why`) of an injected question. The question asks whether there is a fact to store."""


def injected(context: Context, session: str | None, count: int) -> Result[Audit]:
    """List the memories that hooks injected, newest first, in one session or in all sessions of the last 30 days."""
    own = [member for member in context.both() if member.layout.exists() and member.origin.is_own]
    named = (
        hosts.sessions(one.layout) if session is None else [(session, hosts.events(one.layout, session))] for one in own
    )
    steps = [step for sessions in named for name, records in sessions for step in _steps(name, records)]
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
    warnings = context.config_warnings()
    if session is not None and not every:
        nothing = f"no session is named {shorten(session, 40)!r}, or nothing was injected in it"
        warnings += (f"{nothing}; to list all sessions: promptx-mem audit --given",)
    return Result("audit", data, warnings)


def used(context: Context) -> int:
    """Count the injected memories that agents used in the last 30 days. A memory counts once per session."""
    records = (records for _, records in hosts.sessions(context.layout)) if context.origin.is_own else ()
    ids = ({ident for one in own if one.get("e") == hosts.USED for ident in one.get("ids", ())} for own in records)
    return sum(map(len, ids))


def _steps(session: str, records: list[Record]) -> Iterator[tuple[tuple[str, int], list[Injection]]]:
    """For each record, yield a sort key (time, number), and the memories or the question that a hook injected."""
    for number, record in enumerate(records):
        event, at, hook = record.get("e"), str(record.get("at", "")), str(record.get("hook", ""))
        if event == hosts.ASKED:
            yield (at, number), [_injection(at, session, "prompt", QUESTION, None)]
        elif event == hosts.GIVEN and isinstance(ids := record.get("ids"), dict):
            ways = via if isinstance(via := record.get("via"), dict) else {}
            usual = "index" if hook == "start" else "recall"
            given = [_injection(at, session, hook, str(ways.get(ident, usual)), str(ident)) for ident in ids]
            yield (at, number), given


def _injection(at: str, session: str, hook: str, why: str, ident: str | None) -> Injection:
    return {"at": at, "session": session, "hook": hook, "why": why, "id": ident, "words": None}


_STORED = ("stored", "restored", "changed")
_ENDED = ("forgotten", "deleted")


class Step(NamedTuple):
    """A write, and the `action` on `target` that undoes it. `written` is the memory that the write stored, if any.

    `text` is the beginning of the target's text.
    """

    context: Context
    at: str
    action: str
    target: str
    text: str
    written: str = ""


def undo(context: Context, session: str | None) -> Result[Audit]:
    """List the commands that undo a session's writes, the newest write first. The commands must run in this order."""
    name = session or context.session
    listed: list[Undo] = [
        {"command": one.context.command(one.action, one.target), "id": one.target, "text": one.text}
        for one in _steps_of(context, name)
    ]
    every = (record for member in context.both() for record in log.records(log.read(member.layout)))
    records = [record for record in every if record.get("s") == name]
    stored = (record for record in records if record.get("verdict") == "stored")
    counts = (record.get("count") for record in stored if record.get("cmd") == "import")
    imported = sum(count for count in counts if isinstance(count, int))
    many = plural(imported, "imported memory is", "imported memories are")
    notes = [f"{many} not in this list; to list imports: promptx-mem audit"] if imported else []
    if repeated := sum(record.get("verdict") == "repeated" for record in records):
        many = plural(repeated, "repeated text", "repeated texts")
        notes.append(f"{many} changed score, tags or importance of known memories; no command undoes this")
    data: Audit = {"store": context.layout.display(), "count": len(listed), "undo": listed}
    return Result("audit", data, (*context.config_warnings(), *notes))


_KEPT = {
    "repeated": "confirmed", "changed": "changed", "aliased": "changed", "boosted": "boosted", "verified": "verified"
}  # fmt: skip
"""Verdicts of writes that store no memory, each with a verb. No command undoes these writes."""


def forget_last(context: Context, reason: str | None) -> "Result[Forget]":
    """End the memory that this session stored last, and restore the memory that it replaced.

    Raises NotFoundError if there is none, or if the session's last write is one of `_KEPT`.
    """
    step = next((one for one in _steps_of(context, context.session) if one.written), None)
    for member in context.both():
        kept = _kept_after(step, member, context.session) if member.layout.exists() else None
        if kept is None:
            continue
        verdict, entry = kept
        hint = f"to end that memory: {member.command('forget', entry.id)}"
        if step is not None and step.written != entry.id:
            hint += f"\nto undo the write before it ({step.text}): {step.context.command(step.action, step.target)}"
        message = f"the last write of this session only {_KEPT[verdict]} {entry.id} ({shorten(entry.text, _LENGTH)})"
        raise NotFoundError(f"{message}, which cannot be undone", hint=hint)
    if step is None:
        hint = f"to list the writes of the session: {context.command('audit', '--session', context.session)}"
        raise NotFoundError("this session stored no memory that is still active", hint=hint)
    from promptx_mem.usecases import change

    if step.action == "forget":
        return change.forget(step.context.alone(), step.target, reason)
    done = change.restore(step.context.alone(), step.target)
    note = f"{step.target}, which it had replaced, is active again"
    text = words_of(step.context, [step.written])[step.written] or ""
    data: Forget = {"id": step.written, "text": text, "note": note, "lives": False, "end": "superseded"}
    return Result("forget", cast("Forget", {**done.data, **data}), done.warnings)


def _kept_after(step: Step | None, context: Context, session: str) -> tuple[str, Entry] | None:
    """Return the verdict and the memory of the session's last write after `step` that is one of `_KEPT`.

    Writes to memories that have ended do not count. Return None if there is no such write. Raises NotFoundError after
    an import.
    """
    is_here = step is not None and step.context is context
    with current.open_current(context.layout) as cache:
        for record in log.newest(log.read(context.layout)):
            if record.get("s") != session:
                continue
            ident, verdict = str(record.get("id")), str(record.get("verdict"))
            is_step = is_here and step and ident == step.written and verdict in ("stored", "restored")
            if step and (str(record.get("at")) < step.at or (is_step and record.get("cmd") != "restore")):
                return None
            if verdict == "stored" and record.get("cmd") == "import":
                hint = f"to list imports: {context.command('audit', '--session', session)}"
                raise NotFoundError("the last write of this session is an import, which --last cannot undo", hint=hint)
            if verdict in _KEPT and (state := cache.state(ident)) and lives(state, context.now().timestamp()):
                return verdict, state.entry
    return None


def _steps_of(context: Context, session: str) -> list[Step]:
    """Return the steps that undo a session's writes in both stores, newest first. Omit writes already undone."""
    steps = [step for member in context.both() if member.layout.exists() for step in _of_store(member, session)]
    return sorted(steps, key=lambda step: step.at, reverse=True)


def _of_store(context: Context, session: str) -> Iterator[Step]:
    now = context.now().timestamp()
    seen: set[str] = set()
    active: dict[str, bool] = {}
    own = (record for record in log.newest(log.read(context.layout)) if record.get("s") == session)
    records = [record for record in own if record.get("verdict") in (*_STORED, *_ENDED)]
    first = {str(record.get("id")): record["verdict"] for record in records}
    written = [record for record in reversed(records) if record["verdict"] in ("stored", "changed")]
    stored_at = {record.get("id"): record.get("at") for record in written}
    with current.open_current(context.layout) as cache:
        for record in records:
            ident = record.get("id")
            state = cache.state(ident) if isinstance(ident, str) and ident not in seen else None
            if state is None or state.end == "purged":
                continue
            seen.add(ident := state.entry.id)
            is_active = active.get(ident, lives(state, now))
            was_restored = is_active and first[ident] in _ENDED  # the session itself has undone its end
            if was_restored or is_active != (record["verdict"] in _STORED):
                continue
            was_stored = first[ident] in _STORED  # by this session, so undoing its end would bring it back
            target = _replaced(cache, state.entry) if is_active or was_stored else ident
            if not (is_active or target):
                continue
            action = "restore" if target else "forget"
            active |= {ident: not (is_active or was_stored), target: True}
            undone = cache.state(target) if target else None
            text = shorten((undone or state).entry.text, _LENGTH)
            at = str((is_active and stored_at.get(ident)) or record.get("at"))  # a restored memory is not the last one
            yield Step(context, at, action, target or ident, text, ident if is_active else "")


def _replaced(cache: Cache, entry: Entry) -> str:
    """Return the id of the memory that this one replaced; empty if there is none or if it cannot be restored."""
    old = entry.supersedes or ""
    before = cache.state(old) if old else None
    return old if before is not None and entry.id in before.superseded_by and before.end != "purged" else ""
