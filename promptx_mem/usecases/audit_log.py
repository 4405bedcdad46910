"""audit: what happened, newest first; and the way to lift a block (SPEC 6)."""

import datetime
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from promptx_mem.core.dates import parse_since
from promptx_mem.core.line import load_object
from promptx_mem.errors import NotFoundError, StoreError, UsageError
from promptx_mem.result import Result
from promptx_mem.store import audit as log
from promptx_mem.store.store import Writer

if TYPE_CHECKING:
    from promptx_mem.memory import Memory

DEFAULT_COUNT = 20
MAX_COUNT = 10_000

_KEYS = {
    "at": "at", "session": "s", "command": "cmd", "verdict": "verdict", "why": "why", "id": "id", "score": "score",
    "basis": "basis", "length": "len", "hash": "hash", "count": "count",
}  # fmt: skip
"""What a record of the log is called in the JSON answer, and in the file; people edit files."""
_TYPES: dict[str, type | tuple[type, ...]] = {"score": (int, float), "length": int, "count": int}


class Wanted(NamedTuple):
    """Which records to list. `since` is a date as `recall` takes it."""

    session: str | None = None
    verdict: str | None = None
    since: str | None = None
    violations: bool = False
    count: int = DEFAULT_COUNT  # type: ignore[assignment] # tuples have a method of that name


def audit(memory: "Memory", wanted: Wanted) -> Result:
    """List attempts, newest first; `blocked` names the sessions that may not store now."""
    if not 1 <= wanted.count <= MAX_COUNT:
        raise UsageError(f"-n {wanted.count} is not a number of records", hint=f"1 to {MAX_COUNT}")
    now = memory.now()
    since = _since(wanted.since, now)
    data = log.read(memory.layout)
    everything = log.records(data)
    found = [record for record in reversed(everything) if _matches(record, wanted, since)]
    shown = found[: wanted.count]
    return Result(
        "audit",
        {
            "store": memory.layout.shown(),
            "count": len(shown),
            "total": len(everything),
            "left_out": len(found) - len(shown),
            "records": [described(record) for record in shown],
            "verdicts": dict(Counter(str(record.get("verdict")) for record in everything)),
            "blocked": blocked(data, now),
        },
        memory.config_warnings(),
    )


def allow(memory: "Memory", blocked_session: str) -> Result:
    """Lift the block of a session: its violations count from the start again."""
    memory.demand_config()
    now = memory.now()
    if blocked_session not in _sessions(log.read(memory.layout)):
        names = blocked(log.read(memory.layout), now)
        raise NotFoundError(
            f"the log knows no session {blocked_session!r}",
            hint="blocked now: " + ", ".join(names) if names else "no session is blocked now",
        )

    def note(writer: Writer) -> int:
        before = log.violations(log.read(writer.layout), blocked_session, now)
        record = {"at": now.isoformat(timespec="seconds"), "s": blocked_session, "cmd": "audit"}
        writer.note([{**record, "verdict": "allowed", "allow": 1}], now)
        # The log never fails a command, but here it is what was asked for.
        if log.violations(log.read(writer.layout), blocked_session, now):
            raise StoreError("audit.jsonl could not be written", hint="look at its permissions and at the free space")
        return before

    before = memory.store.write(note)
    allowed = {"session": blocked_session, "violations": before, "was_blocked": before >= log.MAX_VIOLATIONS}
    return Result("audit", {"store": memory.layout.shown(), "allowed": allowed})


def blocked(data: bytes, now: datetime.datetime) -> list[str]:
    """The sessions that may not store now."""
    return [name for name in sorted(_sessions(data)) if log.violations(data, name, now) >= log.MAX_VIOLATIONS]


def time_of(record: log.Record) -> datetime.datetime | None:
    """When a record was written; None where that cannot be read."""
    try:
        at = datetime.datetime.fromisoformat(str(record.get("at")))
    except ValueError:
        return None
    return at if at.tzinfo else None


def described(record: log.Record) -> dict[str, Any]:
    """A record as the JSON answer shows it; the same keys for every one."""
    adjust = record.get("adjust")
    values = {name: record.get(key) for name, key in _KEYS.items()}
    return {name: value if isinstance(value, _TYPES.get(name, str)) else None for name, value in values.items()} | {
        "violation": record.get("x") == 1,
        "adjustments": [by for by in adjust if isinstance(by, int | float)] if isinstance(adjust, list) else [],
        "allowed": bool(record.get("allow")),
    }


def _sessions(data: bytes) -> set[str]:
    """Every session in the log that has done something against the rules."""
    names = set()
    for line in data.split(b"\n"):
        if b'"x":1' in line and (record := load_object(line.decode("utf-8", "replace"))) is not None:
            names.add(str(record.get("s")))
    return names


def _since(given: str | None, now: datetime.datetime) -> float | None:
    if given is None:
        return None
    try:
        return parse_since(given, now)
    except ValueError as error:
        raise UsageError(f"--since {error}") from None


def _matches(record: log.Record, wanted: Wanted, since: float | None) -> bool:
    if wanted.session is not None and record.get("s") != wanted.session:
        return False
    if wanted.verdict is not None and record.get("verdict") != wanted.verdict:
        return False
    if wanted.violations and record.get("x") != 1:
        return False
    if since is None:
        return True
    at = time_of(record)
    return at is not None and at.timestamp() >= since
