"""audit --stats: attempts by day, verdict and score; the store against its limits."""

import contextlib
import datetime
from collections import Counter
from typing import TYPE_CHECKING

from promptx_mem import session
from promptx_mem.core.digest import MAX_BYTES as INDEX_BYTES
from promptx_mem.core.digest import MAX_LINES as INDEX_LINES
from promptx_mem.result import Result
from promptx_mem.store import audit as log
from promptx_mem.store import files
from promptx_mem.usecases import limits
from promptx_mem.usecases.audit_log import Audit, Day, Limit, Scores, Stats, blocked, time_of

if TYPE_CHECKING:
    from promptx_mem.usecases.context import Context

_TOP_SCORE = 10


def stats(context: "Context") -> Result[Audit]:
    """Count what the log holds: days from the first to today, scores by whole points of what was scored."""
    now = context.now()
    data = log.read(context.layout)
    records = log.records(data)
    days: dict[str, Day] = {day: {"day": day, "attempts": 0, "violations": 0} for day in _days(records, now)}
    scores: Scores = {"stored": [0] * (_TOP_SCORE + 1), "refused": [0] * (_TOP_SCORE + 1)}
    for record in records:
        at = time_of(record)
        day = days.get(at.astimezone(now.tzinfo).date().isoformat()) if at else None
        if day is not None:
            day["attempts"] += 1
            day["violations"] += record.get("x") == 1
        score = record.get("score")
        if isinstance(score, int | float) and not isinstance(score, bool) and 0 <= score <= _TOP_SCORE:
            scores["refused" if record.get("verdict") == "refused" else "stored"][int(score)] += 1
    numbers: Stats = {
        "days": list(days.values()),
        "verdicts": dict(Counter(str(record.get("verdict")) for record in records).most_common()),
        "scores": scores,
        "limits": _limits(context, data, now),
    }
    answer: Audit = {"store": context.layout.display(), "total": len(records), "blocked": blocked(data, now)}
    return Result("audit", {**answer, "stats": numbers}, context.config_warnings())


def _days(records: list[log.Record], now: datetime.datetime) -> list[str]:
    """Every day from the first in the log to today, at most 30."""
    times = [at for record in records if (at := time_of(record)) is not None]
    today = now.date()
    first = min((at.astimezone(now.tzinfo).date() for at in times), default=today)
    back = min(max((today - first).days, 0), log.MAX_DAYS - 1)
    return [(today - datetime.timedelta(days=days)).isoformat() for days in range(back, -1, -1)]


def _limits(context: "Context", data: bytes, now: datetime.datetime) -> list[Limit]:
    """What is limited, how much of it is used, and how much there is."""
    index = b""
    with contextlib.suppress(OSError):
        index = files.read(context.layout.memory_md) or b""
    return [
        _limit("store", context.store.size(), limits.sizes_told().most, "bytes"),
        _limit("audit.jsonl", len(data), log.MAX_BYTES, "bytes"),
        _limit("MEMORY.md", len(index), INDEX_BYTES, "bytes"),
        _limit("MEMORY.md lines", index.count(b"\n"), INDEX_LINES, "lines"),
        _limit("scorings today", log.scorings(data, now), log.MAX_SCORINGS, "texts"),
        _limit(
            f"violations of {context.session}",
            log.violations(data, session.answerable(context.session), now),
            log.MAX_VIOLATIONS,
            "violations",
        ),
    ]


def _limit(name: str, used: int, limit: int, unit: str) -> Limit:
    return {"name": name, "used": used, "limit": limit, "unit": unit}
