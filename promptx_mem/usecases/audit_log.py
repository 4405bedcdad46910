"""audit: what happened, newest first; and the way to lift a block."""

import datetime
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, TypedDict

from promptx_mem import session
from promptx_mem.core.dates import parse_since
from promptx_mem.core.json_text import load_object
from promptx_mem.errors import NotFoundError, StoreError, UsageError
from promptx_mem.result import Result
from promptx_mem.store import audit as log
from promptx_mem.store import planted, violations
from promptx_mem.store.writer import Writer

if TYPE_CHECKING:
    from promptx_mem.usecases.context import Context

DEFAULT_COUNT = 20
MAX_COUNT = 10_000


class Filters(NamedTuple):
    """Which records to list. `since` is a date as `recall` takes it; `handouts`: instead what hooks gave unasked."""

    session: str | None = None
    verdict: str | None = None
    since: str | None = None
    violations: bool = False
    count: int = DEFAULT_COUNT  # type: ignore[assignment] # tuples have a method of that name
    handouts: bool = False


class Attempted(TypedDict):
    """A record of the log. People edit the file: what is of another type than it should be is null.

    `words` are the first of what was stored, as the store has it now: the log holds no text of an attempt. Of a write
    that went past the gate it holds the `tool`, the `file`, some `lines` without credentials, and the command advised.
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
    """What is wrong in a store, where, and how to mend it: `command` is to be pasted, where there is one."""

    check: str
    where: str
    what: str
    mend: str
    command: str


class Checked(TypedDict, total=False):
    """How much of a store was looked at."""

    archives: int
    memories: int
    lines: int
    events: int


class Allowed(TypedDict):
    """A session whose block was lifted."""

    session: str
    violations: int
    was_blocked: bool


class Handout(TypedDict):
    """A memory that a hook put before a model, and why: the index, words, a topic or a date of the message.

    `words` are its first ones as they are now; without an `id` it was no memory, but a question.
    """

    at: str | None
    session: str
    hook: str
    why: str
    id: str | None
    words: str | None


class Undo(TypedDict):
    """A command that takes back one write, and the memory it acts on."""

    command: str
    id: str
    text: str


class Audit(TypedDict, total=False):
    """What audit answers: the log, or `problems`, `allowed`, `handouts` or `undo`."""

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
    handouts: list[Handout] | None
    undo: list[Undo] | None


def audit(context: "Context", filters: Filters) -> Result[Audit]:
    """List attempts, newest first; `blocked` names the sessions that may not store now."""
    if not 1 <= filters.count <= MAX_COUNT:
        raise UsageError(f"-n {filters.count} is not a number of records", hint=f"1 to {MAX_COUNT}")
    now = context.now()
    since = _since(filters.since, now)
    data = log.read(context.layout)
    total, verdicts = log.tally(data)
    if filters == Filters(count=filters.count):
        page, matching = list(islice(log.newest(data), filters.count)), total
    else:
        matches = [record for record in log.newest(data) if _matches(record, filters, since)]
        page, matching = matches[: filters.count], len(matches)
    return Result(
        "audit",
        {
            "store": context.layout.display(),
            "count": len(page),
            "total": total,
            "left_out": matching - len(page),
            "records": [described(record) for record in page],
            "verdicts": verdicts,
            "blocked": blocked(data, now),
        },
        context.config_warnings(),
    )


def allow(context: "Context", blocked_session: str) -> Result[Audit]:
    """Lift the block of a session: its violations count from the start again. Raises Refused without a person."""
    session.demand_person("lifting a block", context.command("audit", "--allow", blocked_session))
    context.demand_config()
    now = context.now()
    if context.layout.exists():
        planted.demand_own(context.layout)
    every = _names_with(blocked_session, log.read(context.layout))
    if not every:
        names = blocked(log.read(context.layout), now)
        raise NotFoundError(
            f"the log knows no session {blocked_session!r}",
            hint="blocked now: " + ", ".join(names) if names else "no session is blocked now",
        )

    def note(writer: Writer) -> int:
        before = violations.count(log.read(writer.layout), every, now)
        record = {"at": now.isoformat(timespec="seconds"), "s": blocked_session, "cmd": "audit"}
        by = {} if every == [blocked_session] else {"by": every}
        writer.note([{**record, "verdict": "allowed", "allow": 1, **by}], now)
        # The log never fails a command, but here it is what was asked for.
        if violations.count(log.read(writer.layout), every, now):
            raise StoreError("audit.jsonl could not be written", hint="look at its permissions and at the free space")
        return before

    before = context.store.write(note)
    allowed: Allowed = {"session": blocked_session, "violations": before, "was_blocked": before >= violations.MOST}
    return Result("audit", {"store": context.layout.display(), "allowed": allowed})


def blocked(data: bytes, now: datetime.datetime) -> list[str]:
    """Return the sessions that may not store now, each by the name that its refusals show."""
    names = {violations.names_of(record)[0] for record in _violations(data)}
    return [name for name in sorted(names) if violations.count(data, [name], now) >= violations.MOST]


def time_of(record: log.Record) -> datetime.datetime | None:
    """When a record was written; None where that cannot be read."""
    try:
        at = datetime.datetime.fromisoformat(str(record.get("at")))
    except ValueError:
        return None
    return at if at.tzinfo else None


def described(record: log.Record) -> Attempted:
    """A record as the JSON answer shows it; the same keys for every one."""
    score, adjust, said = record.get("score"), record.get("adjust"), record.get("lines")
    return {
        "at": _text(record, "at"),
        "session": _text(record, "s"),
        "command": _text(record, "cmd"),
        "verdict": _text(record, "verdict"),
        "why": _text(record, "why"),
        "id": _text(record, "id"),
        "score": score if isinstance(score, int | float) else None,
        "basis": _text(record, "basis"),
        "length": _number(record, "len"),
        "hash": _text(record, "hash"),
        "count": _number(record, "count"),
        "violation": record.get("x") == 1,
        "adjustments": [by for by in adjust if isinstance(by, int | float)] if isinstance(adjust, list) else [],
        "allowed": bool(record.get("allow")),
        "words": None,
        "tool": _text(record, "tool"),
        "file": _text(record, "file"),
        "lines": [line for line in said if isinstance(line, str)] if isinstance(said, list) else [],
        "advice": _text(record, "advice"),
    }


def _text(record: log.Record, key: str) -> str | None:
    value = record.get(key)
    return value if isinstance(value, str) else None


def _number(record: log.Record, key: str) -> int | None:
    value = record.get(key)
    return value if isinstance(value, int) else None


def _violations(data: bytes) -> list[log.Record]:
    """Return the records of violations that name a session."""
    lines = (line.decode("utf-8", "replace") for line in data.split(b"\n") if violations.is_in(line))
    return [record for record in map(load_object, lines) if record is not None and violations.names_of(record)]


def _names_with(name: str, data: bytes) -> list[str]:
    """Return all names of the violations that count for one name, that one first; none if there are none."""
    lists = [names for record in _violations(data) if name in (names := violations.names_of(record))]
    return list(dict.fromkeys([name, *(one for names in lists for one in names)])) if lists else []


def _since(text: str | None, now: datetime.datetime) -> float | None:
    if text is None:
        return None
    try:
        return parse_since(text, now)
    except ValueError as error:
        raise UsageError(f"--since {error}") from None


def _matches(record: log.Record, filters: Filters, since: float | None) -> bool:
    if filters.session is not None and record.get("s") != filters.session:
        return False
    if filters.verdict is not None and record.get("verdict") != filters.verdict:
        return False
    if filters.violations and record.get("x") != 1:
        return False
    if since is None:
        return True
    at = time_of(record)
    return at is not None and at.timestamp() >= since
