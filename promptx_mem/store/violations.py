"""Violations: the guard's records in audit.jsonl (the guard checks tool calls), and their number in a session.

This module is separate from `audit`, because a denial must be quick. The guard must not import code that reads a store
or compiles regular expressions.
"""

import os
import stat
import time

from promptx_mem.core import json_text
from promptx_mem.core.text import escape_json, lines_at, plural, printable, shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    import datetime
    from collections.abc import Iterable
    from typing import Any

    Record = dict[str, Any]

MOST = 3
"""Number of violations after which a session can store only facts that the user asked for."""

IDLE_HOURS = 4
"""Hours without a command after which a session has ended."""

MAX_LINES, MAX_CHARACTERS = 5, 600
"""Maximum number of changed lines, and of all their characters, in a report and in an audit record."""

HIDDEN = "[a credential]"


def note(root: str, names: "tuple[str, ...]", fields: "Record") -> int:
    """Record in the audit log that a tool call was denied, or that it changed the store. The lock is not needed.

    The record counts for each of `names` (see `session.violation_names`). The last of `names` is the session's name.
    Returns the session's number of violations; 0 if this is not one or was not written. Raises OSError, StoreError.
    """
    from promptx_mem.store import acknowledged

    offset = time.strftime("%z")
    record: Record = {"at": f"{time.strftime('%Y-%m-%dT%H:%M:%S')}{offset[:3]}:{offset[3:]}", "s": names[-1]}
    record |= {"cmd": "guard", **{key: value for key, value in fields.items() if value}}
    data = json_text.as_line({**record, "by": list(names)} if len(names) > 1 else record)
    log = os.path.join(root, acknowledged.AUDIT)
    acknowledged.note_audit(root, data)
    is_noted = acknowledged.append_unlocked(log, data, stat.S_IMODE(os.stat(root).st_mode) & 0o666 | 0o600)
    if not is_noted or not fields.get("x"):
        return 0
    fd = os.open(log, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        return count(os.pread(fd, os.fstat(fd).st_size, 0), names)
    finally:
        os.close(fd)


def count(data: bytes, names: "Iterable[str]", now: "datetime.datetime | None" = None) -> int:
    """Count a session's violations since the session began, or since the user lifted its block.

    A session ends after 4 hours without a record. `names` are all names under which its violations are recorded.
    """
    every = set(names)
    lines = [line for _, line in lines_of(every, data)]
    if not any(b'"x":1' in line for line in lines):
        return 0
    import datetime

    found = 0
    last: datetime.datetime | None = None
    idle = datetime.timedelta(hours=IDLE_HOURS)
    for line in lines:
        record = json_text.load_object(line)
        at = time_of(record)
        if record is None or at is None or every.isdisjoint(names_of(record)):
            continue
        if record.get("allow") or (last is not None and at - last > idle):
            found = 0
        found += 1 if record.get("x") == 1 else 0
        last = at
    now = now or datetime.datetime.now().astimezone()
    return 0 if last is not None and now - last > idle else found


BLOCKED = "it can store only facts that the user asks for"
"""The part of a message that describes a blocked session."""


def message(session: str, number: int) -> list[str]:
    """Return the lines of a message about a session's number of violations; empty if the number is 0."""
    if not number:
        return []
    if number < MOST:
        return [f"This is violation {number} of session {session}; after three, {BLOCKED}."]
    from promptx_mem.core.shell import join

    allowing = join(["promptx-mem", "audit", "--allow", session])
    return [f"This is violation {number} of session {session}: {BLOCKED}. The user can unblock it: {allowing}"]


def names_of(record: "Record") -> list[str]:
    """Return the names in a record's fields `by` and `s`. The record counts for each name. Messages show the first."""
    by = record.get("by")
    named = [name for name in by if isinstance(name, str)] if isinstance(by, list) else []
    return [*named, *([record["s"]] if isinstance(record.get("s"), str) else [])]


def lines_of(names: "Iterable[str]", data: bytes) -> list[tuple[int, bytes]]:
    """Return the lines that contain one of the names, each with its offset, in file order."""
    found: dict[int, bytes] = {}
    for name in names:
        # A session's name is quoted as in records.
        found |= lines_at(escape_json(json_text.dumps(name, ascii_only=False)).encode(), data)
    return sorted(found.items())


def has_credential(text: str) -> bool:
    """Return whether a text contains a credential."""
    from promptx_mem.core.credentials import find_credentials

    return bool(find_credentials(text))


def escaped(text: str) -> str:
    """Return a text for a report or the audit log: escaped and short, without credentials."""
    if has_credential(text):
        return HIDDEN
    return printable(shorten(text.encode("utf-8", "replace").decode(), 200)).replace("<", "&lt;")


def truncated(lines: list[str]) -> list[str]:
    """Return the first lines, up to MAX_LINES and MAX_CHARACTERS, and a line with the number of any omitted lines."""
    out: list[str] = []
    room = MAX_CHARACTERS
    for line in lines[:MAX_LINES]:
        out.append(shorten(line, max(room, 20)))
        room -= len(out[-1])
        if room <= 20:
            break
    more = len(lines) - len(out)
    return [*out, f"({plural(more, 'more change')})"] if more else out


def of_session(names: "Iterable[str]", *logs: bytes) -> bytes:
    """Return the lines with one of these session names, in file order. Lines of several logs are sorted by time."""
    every = list(names)
    lines = [line for log in logs for _, line in lines_of(every, log)]

    def moment(line: bytes) -> float:
        at = time_of(json_text.load_object(line))
        return 0.0 if at is None else at.timestamp()

    return b"\n".join(lines if len(logs) == 1 else (line for _, line in sorted((moment(one), one) for one in lines)))


def time_of(record: "Record | None") -> "datetime.datetime | None":
    """Return the time of a record; None if the time is missing, invalid or without a UTC offset."""
    import datetime

    try:
        at = datetime.datetime.fromisoformat(str(record["at"])) if record else None
    except (ValueError, KeyError):
        return None
    return at if at is not None and at.tzinfo is not None else None
