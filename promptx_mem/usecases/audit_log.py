"""The use cases that read logs: attempts, blocked sessions, injected memories, undo and `forget --last`."""

import contextlib
import datetime
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from operator import itemgetter

from promptx_mem import session
from promptx_mem.core.dates import parse_date
from promptx_mem.core.journal import ALIASED
from promptx_mem.core.json_text import objects
from promptx_mem.core.state import lives
from promptx_mem.core.text import shorten
from promptx_mem.core.times import epoch
from promptx_mem.errors import NotFoundError, StoreError, UsageError
from promptx_mem.record import TYPE_CHECKING, Any, NamedTuple, TypedDict, cast
from promptx_mem.result import Result
from promptx_mem.search import history, pairs
from promptx_mem.search.cache import DAMAGE, Cache
from promptx_mem.store import audit as log
from promptx_mem.store import hosts, violations
from promptx_mem.store.audit import Record
from promptx_mem.store.writer import Writer, check_files
from promptx_mem.usecases.context import Context
from promptx_mem.usecases.limits import demand_config
from promptx_mem.usecases.recall.question import choice

if TYPE_CHECKING:
    from promptx_mem.usecases.change import Change, Forget

_LENGTH = 40


def words_of(context: Context, idents: Iterable[str]) -> dict[str, str]:
    """Return the first words of each memory by id, except purged ones. Empty if the store cannot be read."""
    if (every := set(idents)) and context.layout.exists():
        with contextlib.suppress(OSError, StoreError, *DAMAGE), context.cache() as cache:
            found = {ident: state for ident in every if (state := cache.state(ident)) and state.end != "purged"}
            return {ident: shorten(state.entry.text, _LENGTH) for ident, state in found.items()}
    return {}  # the log can be shown without these words


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
    """A record of the log. A value of the wrong type becomes None or [], because people can edit the file.

    `words` are the first words of the stored memory, read from the store because the log has no texts. Only the record
    of a denied write, or one that bypassed scoring, has `tool`, `file`, `lines` (without credentials) and
    `advice`, the suggested command.
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
    """A session whose violations were reset; their number before."""

    session: str
    violations: int
    was_blocked: bool


class Injection(TypedDict):
    """A memory that a hook injected, and the reason (`why`): it is in the index, or how it was found.

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

    `blocked` names the sessions that are blocked now.
    """
    if not 1 <= filters.count <= MAX_COUNT:
        raise UsageError(f"-n {filters.count} is out of range", hint=f"give 1 to {MAX_COUNT}")
    if filters.injected:
        return injected(context, filters.session, filters.count)
    data = log.load(context.layout)
    records, now = objects(data), context.now()
    tally = log.tally(records)
    choice("verdict", filters.verdict, dict.fromkeys((*_LISTED, *_VERDICTS, ALIASED, *tally)))
    try:
        since = None if filters.since is None else parse_date(filters.since, now).since
    except ValueError as error:
        raise UsageError(f"--since {error}") from None
    matches = [
        record
        for record in reversed(records)
        if filters.session in (None, record.get("s"))
        and filters.verdict in (None, record.get("verdict"))
        and (not filters.violations or record.get("x") == 1)
        and (since is None or _time_of(record) >= since)
    ]
    page = list(map(described, matches[: filters.count]))
    idents = [record["id"] if record["verdict"] not in _NOTHING_STORED else None for record in page]
    words = words_of(context, filter(None, idents))
    answer: Audit = {
        "store": context.path,
        "count": len(page),
        "total": len(records),
        "left_out": len(matches) - len(page),
        "records": [{**record, "words": words.get(ident or "")} for record, ident in zip(page, idents, strict=True)],
        "verdicts": tally,
        "blocked": blocked(data, now),
    }
    return Result("audit", answer, context.config_warnings())


def allow(context: Context, blocked_session: str) -> Result[Audit]:
    """Lift the block of a session by resetting its violations. Raises NotFoundError, or Refused without a person."""
    session.demand_person("unblocking a session", context.command("audit", "--allow", blocked_session))
    demand_config(context)
    now = context.now()
    if context.layout.exists():
        check_files(context.layout)
    data = log.load(context.layout)
    every = list(
        dict.fromkeys(name for names in _named(data) if blocked_session in names for name in [blocked_session, *names])
    )
    if not every:
        names = blocked(data, now)
        hint = "blocked now: " + ", ".join(names) if names else "no session is blocked now"
        raise NotFoundError(f"session {blocked_session!r} has no violations", hint=hint)

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
    return Result("audit", {"store": context.path, "allowed": allowed})


def blocked(data: bytes, now: datetime.datetime) -> list[str]:
    """Return the names of the sessions that are blocked now. The message of a refusal shows the same name."""
    named = _named(data)
    counts = Counter(name for names in named for name in names)  # a count of each session would read all data again
    return [
        name
        for name in sorted({names[0] for names in named})
        if counts[name] >= violations.MOST <= violations.count(data, [name], now)
    ]


_KEYS = {"session": "s", "command": "cmd", "length": "len", "adjustments": "adjust"}
"""Keys of an answer that have another name in a record."""
_KINDS: dict[str, Any] = {
    "score": int | float, "length": int, "count": int, "adjustments": list, "lines": list,
}  # fmt: skip


def described(record: log.Record) -> Attempted:
    """Return a record in the format of the JSON answer, in which every record has the same keys."""
    data: dict[str, Any] = {}
    for key in Attempted.__annotations__:
        value = record.get(_KEYS.get(key, key))
        data[key] = value if isinstance(value, _KINDS.get(key, str)) else None
    data |= {"violation": record.get("x") == 1, "allowed": bool(record.get("allow")), "words": None}
    data["adjustments"] = [value for value in data["adjustments"] or () if isinstance(value, int | float)]
    data["lines"] = [value for value in data["lines"] or () if isinstance(value, str)]
    return cast("Attempted", data)


def _named(data: bytes) -> list[list[str]]:
    """Return, for each violation in the log, the names of its session."""
    lines = b"\n".join(line for line in data.split(b"\n") if b'"x":1' in line)
    return list(filter(None, map(violations.names_of, objects(lines))))


_NOTHING_STORED = ("refused", "denied", "dry-run")


QUESTION = "question"
"""The reason (`why`) of an injected question. The question asks whether there is a fact to store."""


def injected(context: Context, session: str | None, count: int) -> Result[Audit]:
    """List the memories and questions that hooks injected, newest first, in one session or all of about 30 days."""
    own = [member for member in context.both() if member.layout.exists() and member.origin.is_own]
    steps: list[tuple[tuple[str, int], list[Injection]]] = []
    for one in own:
        named = hosts.sessions(one.layout) if session is None else [(session, hosts.events(one.layout, session))]
        steps += (step for name, records in named for step in _steps(name, records))
    every = [item for _, items in sorted(steps, key=itemgetter(0), reverse=True) for item in items]
    page = every[:count]
    idents = {item["id"] for item in page if item["id"]}
    words = {ident: text for member in own for ident, text in words_of(member, idents).items()}
    data: Audit = {
        "store": context.path,
        "count": len(page),
        "left_out": len(every) - len(page),
        "handouts": [{**item, "words": words.get(item["id"] or "")} for item in page],
    }
    warnings = context.config_warnings()
    if session is not None and not every:
        nothing = f"no session is named {shorten(session, 40)!r}, or nothing was injected in it"
        warnings += (f"{nothing}; to list all sessions: promptx-mem audit --given",)
    return Result("audit", data, warnings)


def _steps(session: str, records: list[Record]) -> Iterator[tuple[tuple[str, int], list[Injection]]]:
    """Yield a key (time, number) and the injections, for each record of injected memories or a question."""
    for number, record in enumerate(records):
        event, at, hook = record.get("e"), str(record.get("at", "")), str(record.get("hook", ""))
        common: Injection = {"at": at, "session": session, "hook": hook, "why": "", "id": None, "words": None}
        if event == hosts.ASKED:
            yield (at, number), [{**common, "hook": "prompt", "why": QUESTION}]
        elif event == hosts.GIVEN and isinstance(ids := record.get("ids"), dict):
            ways = via if isinstance(via := record.get("via"), dict) else {}
            usual = "index" if hook == "start" else "recall"
            yield (at, number), [{**common, "why": str(ways.get(one, usual)), "id": str(one)} for one in ids]


_STORED = ("stored", "restored", "changed")
_ENDED = ("forgotten", "deleted")
_NO_WRITES = ("refused", "denied", "dry-run", "scored", "known", "done", "failed", "allowed", "unscored")
"""Verdicts of records that changed no memory."""

_LISTED = ("stored", "restored", "newer", "older", *_ENDED, *_NO_WRITES)
"""Verdicts that need no note, because a command undoes the write, or nothing was written."""

_VERDICTS = (
    "changed", "repeated", "boosted", "verified", "kept", "promoted", "both", "confirmed", "purged", "summarised",
)  # fmt: skip

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


def undo(context: Context, session: str | None) -> Result[Audit]:
    """List the commands that undo a session's writes, the newest write first. The commands must run in this order."""
    name = session or context.session
    steps: list[Step] = []
    others: Counter[str] = Counter()
    for member, records in _logs(context):
        own = [record for record in records if record.get("s") == name]
        found, imported = _undone(member, records, own)
        steps += found
        others.update(log.tally(own))
        others["imported"] += sum(map(_count, own)) - imported
    steps.sort(key=lambda step: step.at, reverse=True)
    listed: list[Undo] = [
        {"command": one.context.command(one.action, one.target), "id": one.target, "text": one.text} for one in steps
    ]
    notes = [] if listed else ["the session has no writes to undo"]
    if rest := ", ".join(f"{count} {verdict}" for verdict, count in others.items() if count and verdict not in _LISTED):
        notes.append(f"these changes cannot be undone: {rest}")
    data: Audit = {"store": context.path, "count": len(listed), "undo": listed}
    return Result("audit", data, (*context.config_warnings(), *notes))


def _logs(context: Context) -> list[tuple[Context, list[Record]]]:
    """Return each store with the records of its log."""
    return [(one, objects(log.load(one.layout))) for one in context.both() if one.layout.exists()]


def forget_last(context: Context, reason: str | None) -> "Result[Forget]":
    """Undo the last write of this session: end the memory that it stored, and restore the memory that it replaced.

    Raises NotFoundError if there is no write, or if the last one cannot be undone, such as an import.
    """
    every = [write for store in _logs(context) for write in _writes(*store)]
    writes = sorted(every, key=lambda write: _time_of(write[2]))
    undo_all = context.command("audit", "--undo", "--session", context.session)
    hint = f"to list the commands that undo the session: {undo_all}"
    if not writes:
        raise NotFoundError("this session stored no memory that is still active", hint=hint)
    member, records, record = writes[-1]
    is_storing = record["verdict"] in ("stored", "restored") and record.get("cmd") not in ("import", "restore")
    steps, _ = _undone(member, records, [record]) if is_storing else ([], 0)
    if not steps:
        act = "an import" if _count(record) else f"{record['verdict']} {record.get('id')}"
        raise NotFoundError(f"--last cannot undo the last write of this session: {act}", hint=hint)
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
    note = f"{', '.join(back)} is active again"
    data: Forget = {
        "id": written,
        "text": words_of(member, [written]).get(written, ""),
        "note": note,
        "lives": False,
        "end": "superseded",
    }
    return Result("forget", cast("Forget", {**done.data, **data}), done.warnings)


def _writes(context: Context, records: list[Record]) -> list[tuple[Context, list[Record], Record]]:
    """Return the records of this session's writes in a store, each with the store and its whole log.

    Leave out writes by `forget --last` or `sync`, and stored memories that have ended.
    """
    now = context.moment
    with context.cache() as cache:
        return [
            (context, records, record)
            for record in records
            if record.get("s") == context.session
            and record.get("cmd") != "sync"
            and record.get("why") != _LAST
            and record.get("verdict") not in (None, *_NO_WRITES)
            and (record["verdict"] not in _STORED or _count(record) or _is_active(cache, str(record.get("id")), now))
        ]


def _is_active(cache: Cache, ident: str, now: float) -> bool:
    state = cache.state(ident)
    return state is not None and lives(state, now)


def _undone(context: Context, records: list[Record], own: list[Record]) -> tuple[list[Step], int]:
    """Return the steps that undo the net effect of the records `own`, and the number of imported memories found.

    The steps are newest first. No step ends or replaces a memory of another session.
    """
    now = context.moment
    steps: dict[str, Step] = {}
    replaced: set[str] = set()
    with context.cache() as cache:
        effects, imported = _effects(cache, records, own)
        new = {ident for ident, (is_active, _) in effects.items() if is_active}
        for action in ("restore", "forget"):  # restoring a memory also ends its replacements
            for ident, (is_active, at) in reversed(effects.items()):
                state = cache.state(ident)
                if state is None or is_active != (action == "forget") or lives(state, now) != is_active:
                    continue
                if ident in replaced or state.end == "purged":
                    continue
                if action == "restore":
                    chain = pairs.chain(cache, state)
                    if any(_is_active(cache, one, now) and one not in new for one in chain):
                        continue
                    replaced.update(chain)
                steps[ident] = Step(context, at, action, ident, shorten(state.entry.text, _LENGTH))
    return [steps[ident] for ident in reversed(effects) if ident in steps], imported


def _effects(cache: Cache, records: list[Record], own: list[Record]) -> tuple[dict[str, tuple[bool, float]], int]:
    """Return the memories that the records `own` have ended or made active: whether active, and the last write's time.

    Leave out memories that a later record of another session has changed. Also return the number of imported memories.
    """
    effects: dict[str, tuple[bool, float]] = {}
    before: dict[str, bool] = {}
    mine, imported = set(map(id, own)), 0
    for record in records:
        ids = _imported(cache, record) if id(record) in mine else []
        imported += len(ids)
        for ident, is_active in [(one, True) for one in ids] or _activity_changes(cache, record):
            last = effects.pop(ident, None)
            if id(record) in mine:
                before[ident] = before[ident] if last else not is_active
                effects[ident] = is_active, _time_of(record)
    return {ident: effect for ident, effect in effects.items() if effect[0] != before[ident]}, imported


def _activity_changes(cache: Cache, record: Record) -> list[tuple[str, bool]]:
    """Return each memory that a write has ended or made active, and whether the memory was active after the write."""
    verdict, ident = record.get("verdict"), record.get("id")
    state = cache.state(ident) if isinstance(ident, str) and verdict in (*_STORED, *_ENDED) else None
    if state is None or verdict in _ENDED:
        return [] if state is None else [(state.entry.id, False)]
    over = tuple(filter(None, [state.entry.supersedes]))
    if verdict != "stored":
        at, ident = _time_of(record), state.entry.id
        near = [
            event
            for event in history.events(cache, ident)
            if event.kind == "restored"
            and ident in event.ids  # else it restored another memory
            and 0 <= at - epoch(event.at) <= _AT_ONCE
        ]
        if not near:  # a lost line was written again
            return []
        over = max(near, key=lambda event: event.k).supersedes
    # A memory that another one in `over` replaced had ended before.
    ended = [one for one in over if (old := cache.state(one)) and set(over).isdisjoint(old.superseded_by)]
    return [*((one, False) for one in ended), *([(state.entry.id, True)] if verdict != "changed" else [])]


def _count(record: Record) -> int:
    """Return the number of memories that an import stored; 0 for any other record."""
    count = record.get("count") if record.get("cmd") == "import" and record.get("verdict") == "stored" else 0
    return count if isinstance(count, int) else 0


def _imported(cache: Cache, record: Record) -> list[str]:
    """Return the ids of the memories that an import stored. The record has them, or else `imported` events."""
    if not (count := _count(record)):
        return []
    if isinstance(ids := record.get("ids"), list):  # only of an import with --mine
        return [ident for ident in ids if isinstance(ident, str)]
    why, at = str(record.get("why")), _time_of(record)
    events = [
        event
        for event in pairs.events_of_kind(cache, "imported")
        if 0 <= at - epoch(event.at) <= _AT_ONCE and why.startswith(f"{shorten(event.reason or '', sys.maxsize)}: ")
    ]
    return [ident for event in sorted(events, key=lambda event: event.k) for ident in event.ids][-count:]


def _time_of(record: Record) -> float:
    at = violations.time_of(record)
    return at.timestamp() if at else 0.0
