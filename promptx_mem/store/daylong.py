"""The session of who has no other name, `day:` and a date: it goes on over midnight as long as it is used."""

import contextlib
import datetime
from collections.abc import Iterator

from promptx_mem.core.slices import PAUSE, unit_of
from promptx_mem.core.times import epoch
from promptx_mem.errors import StoreError
from promptx_mem.store import audit, conversations, files
from promptx_mem.store.layout import Layout

PREFIX = "day:"
_DAYS = 7
_TAIL = 16_384


def going_on(layout: Layout, now: datetime.datetime) -> str | None:
    """The `day:` session that was used last, within the last four hours; None where none was."""
    moment = now.timestamp()
    with contextlib.suppress(OSError, StoreError):
        uses = [(time, name) for time, name in _uses(layout, now) if moment - PAUSE < time <= moment]
        return max(uses)[1] if uses else None
    return None


def _uses(layout: Layout, now: datetime.datetime) -> Iterator[tuple[float, str]]:
    """When such sessions were used last, by what they said and by what they tried."""
    for back in range(_DAYS + 1):
        name = f"{PREFIX}{now.date() - datetime.timedelta(days=back)}"
        for raw in reversed(_tail(layout, unit_of(name))):
            fields = conversations.fields_of(raw)
            if fields is not None and fields[0] == "message":
                yield _time(fields[2].get("in") or fields[2].get("at")), name
                break
    for record in audit.newest(audit.read(layout)[-_TAIL:]):
        session = record.get("s")
        if isinstance(session, str) and session.startswith(PREFIX):
            yield _time(record.get("at")), session
            break


def _tail(layout: Layout, unit: str) -> list[bytes]:
    path = conversations.path(layout, unit)
    identity = files.identity(path)
    data = files.read(path, max(identity[2] - _TAIL, 0)) if identity else None
    return (data or b"").split(b"\n")


def _time(at: object) -> float:
    try:
        return epoch(at) if isinstance(at, str) else 0.0
    except ValueError:
        return 0.0
