"""The use cases of `audit` that read the log: attempts, blocked sessions, injected memories and undo."""

import contextlib
import datetime
from collections.abc import Iterable, Iterator
from operator import itemgetter

from promptx_mem import session
from promptx_mem.core.dates import parse_since
from promptx_mem.core.journal import Event
from promptx_mem.core.json_text import load_object
from promptx_mem.core.state import State, lives
from promptx_mem.core.text import plural, shorten
from promptx_mem.core.times import epoch
from promptx_mem.errors import NotFoundError, StoreError, UsageError
from promptx_mem.record import TYPE_CHECKING, Any, NamedTuple, TypedDict, cast
from promptx_mem.result import Result
from promptx_mem.search import current, history
from promptx_mem.search.cache import DAMAGE, Cache
from promptx_mem.store import audit as log
from promptx_mem.store import hosts, violations
from promptx_mem.store.audit import Record
from promptx_mem.store.writer import Writer
from promptx_mem.usecases.context import Context
from promptx_mem.usecases.lookup import Lookup

if TYPE_CHECKING:
    from promptx_mem.usecases.change import Change, Forget

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
_NO_WRITES = ("refused", "denied", "dry-run", "scored", "known", "done", "failed", "allowed", "unscored")
"""Verdicts of records after which every memory is the same as before."""

_VERBS = {
    "repeated": "confirmed", "aliased": "changed", "forgotten": "ended", "deleted": "ended"
}  # fmt: skip
"""Verdicts of writes that store no memory, each with a verb for a message. Other verdicts are verbs."""

_LAST = "--last"
"""The reason in the record of a write by `forget --last`."""

_AT_ONCE = 60
"""Maximum number of seconds between an event and its record in the log."""


class Step(NamedTuple):
    """The `action` (forget or restore) on `target` that undoes the effect of writes, and the time of the last write.

    `text` is the beginning of the target's text.
    """

    context: Context
    at: float
    action: str
    target: str
    text: str


class _Effect(NamedTuple):
    """The net effect of writes on a memory: whether it was active before the first and after the last one, at `at`."""

    before: bool
    after: bool
    at: float


class _Undone(NamedTuple):
    """The steps that undo writes in a store, newest first. `imported` counts the imported memories that were found.

    `kept` are memories that no step restores, because an active memory of another session has replaced them.
    """

    steps: list[Step]
    kept: list[str]
    imported: int


def undo(context: Context, session: str | None) -> Result[Audit]:
    """List the commands that undo a session's writes, the newest write first. The commands must run in this order."""
    name = session or context.session
    steps: list[Step] = []
    own: list[Record] = []
    kept: list[str] = []
    unknown = 0
    for member in (one for one in context.both() if one.layout.exists()):
        records = log.records(log.read(member.layout))
        of_session = [record for record in records if record.get("s") == name]
        undone = _undone(member, records, of_session)
        own += of_session
        steps += undone.steps
        kept += undone.kept
        unknown += sum(map(_count, of_session)) - undone.imported
    steps.sort(key=lambda step: step.at, reverse=True)
    listed: list[Undo] = [
        {"command": one.context.command(one.action, one.target), "id": one.target, "text": one.text} for one in steps
    ]
    verdicts = log.tally(own)
    notes = [] if listed or kept else ["the session has no writes to undo"]
    if repeated := verdicts.pop("repeated", 0):
        many = plural(repeated, "repeated text", "repeated texts")
        notes.append(f"{many} changed score, tags or importance of known memories; no command undoes this")
    if unknown > 0:
        many = plural(unknown, "imported memory or conversation is", "imported memories or conversations are")
        notes.append(f"{many} not in this list, because no record has the ids")
    if kept:
        notes.append(f"not restored, because memories of other sessions have replaced them: {', '.join(kept)}")
    listable = ("stored", "restored", "newer", "older", *_ENDED, *_NO_WRITES)
    if others := ", ".join(f"{count} {verdict}" for verdict, count in verdicts.items() if verdict not in listable):
        notes.append(f"no command undoes the other changes of memories: {others}")
    data: Audit = {"store": context.layout.display(), "count": len(listed), "undo": listed}
    return Result("audit", data, (*context.config_warnings(), *notes))


def forget_last(context: Context, reason: str | None) -> "Result[Forget]":
    """Undo the last write of this session: end the memory that it stored, and restore the memory that it replaced.

    Raises NotFoundError if there is none, or if the last write did not store a memory.
    """
    writes = _writes(context)
    if not writes:
        hint = f"to list the writes of the session: {context.command('audit', '--session', context.session)}"
        raise NotFoundError("this session stored no memory that is still active", hint=hint)
    member, records, record = writes[0]
    steps = _undone(member, records, [record]).steps if _is_storing(record) else []
    if not steps:
        raise _cannot_undo(context, writes)
    from promptx_mem.usecases import change

    place, written = member.alone(), str(record["id"])
    for step in steps:
        if step.action == "forget":
            done = cast("Result[Change]", change.forget(place, step.target, reason, why=_LAST))
        else:
            done = change.restore(place, step.target, why=_LAST)
    back = [step.target for step in steps if step.action == "restore"]
    if not back:
        return cast("Result[Forget]", done)
    note = f"{', '.join(back)}, which it had replaced, is active again"
    text = words_of(member, [written])[written] or ""
    data: Forget = {"id": written, "text": text, "note": note, "lives": False, "end": "superseded"}
    return Result("forget", cast("Forget", {**done.data, **data}), done.warnings)


def _cannot_undo(context: Context, writes: list[tuple[Context, list[Record], Record]]) -> NotFoundError:
    """Return the error for a last write that `--last` does not undo, with the commands that do."""
    member, _, record = writes[0]
    verdict, ident = str(record["verdict"]), str(record.get("id"))
    if _count(record):
        hint = f"to list the commands that undo it: {context.command('audit', '--undo', '--session', context.session)}"
        return NotFoundError("the last write of this session is an import, which --last cannot undo", hint=hint)
    text = words_of(member, [ident]).get(ident)
    named = f"{ident} ({text})" if text else ident
    message = f"the last write of this session only {_VERBS.get(verdict, verdict)} {named}, which --last cannot undo"
    hints = [f"to end that memory: {member.command('forget', ident)}"]
    if verdict in _ENDED:
        hints = [f"to make it active again: {member.command('restore', ident)}"]
    elif verdict == "purged":
        hints = []
    before = next((one for one in writes[1:] if _is_storing(one[2]) and one[2].get("id") != ident), None)
    if before and (steps := _undone(before[0], before[1], [before[2]]).steps):
        ways = " && ".join(step.context.command(step.action, step.target) for step in steps)
        hints.append(f"to undo the write before it ({steps[0].text}): {ways}")
    return NotFoundError(message, hint="\n".join(hints))


def _is_storing(record: Record) -> bool:
    return record.get("verdict") in ("stored", "restored") and record.get("cmd") not in ("import", "restore")


def _writes(context: Context) -> list[tuple[Context, list[Record], Record]]:
    """Return the records of this session's writes in both stores, newest first, each with its store and whole log.

    Leave out writes by `forget --last`, and stored memories that have ended.
    """
    found: list[tuple[Context, list[Record], Record]] = []
    for member in (one for one in context.both() if one.layout.exists()):
        records, now = log.records(log.read(member.layout)), member.now().timestamp()
        with current.open_current(member.layout) as cache:
            for record in reversed(records):
                verdict, ident = record.get("verdict"), record.get("id")
                is_write = verdict not in (None, *_NO_WRITES) and record.get("cmd") != "sync"
                if record.get("s") != context.session or not is_write or record.get("why") == _LAST:
                    continue
                state = cache.state(ident) if isinstance(ident, str) else None
                has_ended = verdict not in (*_ENDED, "purged") and not (state and lives(state, now))
                if _count(record) or (isinstance(ident, str) and not has_ended):
                    found.append((member, records, record))
    return sorted(found, key=lambda one: _time_of(one[2]), reverse=True)


def _undone(context: Context, records: list[Record], own: list[Record]) -> _Undone:
    """Return the steps that undo the net effect of the records `own` of a log. No step ends a memory of others."""
    now = context.now().timestamp()
    steps: dict[str, Step] = {}
    kept: list[str] = []
    replaced: set[str] = set()
    with current.open_current(context.layout) as cache:
        lookup = Lookup(context, cache)
        imports = _imports(cache, records, own)
        effects = _effects(cache, records, own, imports, now)
        new = {ident for ident, effect in effects.items() if effect.after and not effect.before}
        for action in ("restore", "forget"):  # restoring a memory also ends the ones that had replaced it
            for ident, effect in reversed(effects.items()):
                state = cache.state(ident)
                if state is None or effect.before == effect.after or effect.after != (action == "forget"):
                    continue
                if lives(state, now) != effect.after or ident in replaced:
                    continue
                if action == "restore":
                    chain = lookup.chain(state)
                    if state.end not in (*_ENDED, "superseded"):
                        continue
                    if any((heir := cache.state(one)) and lives(heir, now) and one not in new for one in chain):
                        kept.append(ident)
                        continue
                    replaced.update(chain)
                steps[ident] = Step(context, effect.at, action, ident, shorten(state.entry.text, _LENGTH))
    ordered = [steps[ident] for ident in reversed(effects) if ident in steps]
    return _Undone(ordered, kept, sum(map(len, imports.values())))


def _effects(
    cache: Cache, records: list[Record], own: list[Record], imports: dict[int, list[str]], now: float
) -> dict[str, _Effect]:
    """Return the net effect of the records `own` on each memory that no later record of others has changed."""
    known: dict[str, bool] = {}
    effects: dict[str, _Effect] = {}
    mine = set(map(id, own))
    for record in records:
        changes = [(ident, False, True) for ident in imports.get(id(record), ())] or _changes(cache, record, known, now)
        for ident, before, after in changes:
            known[ident] = after
            last = effects.pop(ident, None)
            if id(record) in mine:
                effects[ident] = _Effect(last.before if last else before, after, _time_of(record))
    return effects


def _changes(cache: Cache, record: Record, known: dict[str, bool], now: float) -> list[tuple[str, bool, bool]]:
    """Return each memory that a write has ended or made active: its id, and whether it was active before and after."""
    verdict, ident = record.get("verdict"), record.get("id")
    if not isinstance(ident, str):
        return []
    if verdict in _ENDED:
        return [(ident, True, False)]
    state = cache.state(ident) if verdict in _STORED else None
    if state is None:
        return []
    time, over = _time_of(record), tuple(filter(None, [state.entry.supersedes]))
    if verdict != "stored":
        events = [event for event in _restorations(cache, ident) if time - _AT_ONCE <= epoch(event.at) <= time]
        if not events:  # a lost line was written again
            return []
        over = max(events, key=lambda event: event.k).supersedes
    ended = [one for one in over if one != ident and _was_active(cache, known, one, over, time, now)]
    return [*((one, True, False) for one in ended), *([(ident, False, True)] if verdict != "changed" else [])]


def _was_active(
    cache: Cache, known: dict[str, bool], ident: str, replaced: tuple[str, ...], time: float, now: float
) -> bool:
    """Return whether a memory was active at `time`, when it was `replaced`, maybe with memories that replaced it."""
    state = cache.state(ident)
    if state is None or ident in known:
        return state is not None and known[ident]
    if not set(replaced).isdisjoint(state.superseded_by):
        return False
    came_back = (epoch(event.at) >= time for event in _restorations(cache, ident))
    return state.end == "superseded" or lives(state, now) or any(came_back)


def _restorations(cache: Cache, ident: str) -> list[Event]:
    """Return the events that restored a memory, but not those that restored another one instead of it."""
    return [event for event in history.events(cache, ident) if event.kind == "restored" and ident in event.ids]


def _count(record: Record) -> int:
    """Return the number of memories that an import stored; 0 for any other record."""
    count = record.get("count") if record.get("cmd") == "import" and record.get("verdict") == "stored" else 0
    return count if isinstance(count, int) else 0


def _imports(cache: Cache, records: list[Record], own: list[Record]) -> dict[int, list[str]]:
    """Return the ids of imported memories by the identity of each record in `own`.

    They are in the record, or else in the `imported` events.
    """
    if not any(map(_count, own)):
        return {}
    events = sorted(history.events_of_kind(cache, "imported"), key=lambda event: event.k)
    found: dict[int, list[str]] = {}
    last: dict[str, float] = {}
    for record in filter(_count, records):
        why, time = str(record.get("why")), _time_of(record)
        start, last[source] = last.get(source := why.rpartition(": ")[0], 0.0), time
        ids = (event.ids for event in events if start <= epoch(event.at) <= time and _source_of(event) == source)
        own_ids = record.get("ids")  # of an import with --mine
        every = own_ids if isinstance(own_ids, list) else [ident for some in ids for ident in some]
        found[id(record)] = [ident for ident in every if isinstance(ident, str)][-_count(record) :]
    return {id(record): found[id(record)] for record in own if id(record) in found}


def _source_of(event: Event) -> str:
    """Return the format and the file of an import, as in the reason of its record in the log."""
    form, _, file = (event.reason or "").partition(": ")
    return f"{form}: {shorten(file, 60)}"


def _time_of(record: Record) -> float:
    at = log.time_of(record)
    return at.timestamp() if at else 0.0
