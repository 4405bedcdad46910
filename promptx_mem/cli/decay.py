"""What lives does not depend on it; it says nothing where nothing was to be done."""

import datetime
from typing import Annotated

from promptx_mem.cli.options import DryRun, Json, MemoryDir, Option, Session
from promptx_mem.errors import UsageError
from promptx_mem.memory import Memory
from promptx_mem.result import Result
from promptx_mem.usecases.decay import MAX_REVIEWS, Plan


def command(
    compact: Annotated[bool, Option("--compact", help="Archive what has ended, however small the store.")] = False,
    due: Annotated[bool, Option("--due", help="List memories whose score is older than 30 days.")] = False,
    schedule: Annotated[bool, Option("--schedule", help="Show the crontab line and the systemd timer.")] = False,
    now: Annotated[str | None, Option(metavar="TIME", help="As if it were this moment (ISO).")] = None,
    max_reviews: Annotated[
        int, Option(metavar="N", least=0, help="For how many open reviews the judge is asked.")
    ] = MAX_REVIEWS,
    dry_run: DryRun = False,
    memory_dir: MemoryDir = None,
    session: Session = None,
    json: Json = False,
) -> Result:
    memory = Memory.open(memory_dir, session)
    if schedule:
        return memory.schedule()
    if due:
        return memory.due()
    return memory.decay(Plan(compact=compact, dry_run=dry_run, now=_moment(now), max_reviews=max_reviews))


def _moment(given: str | None) -> datetime.datetime | None:
    if given is None:
        return None
    try:
        return datetime.datetime.fromisoformat(given).astimezone()
    except (ValueError, OverflowError, OSError):
        raise UsageError(f"--now {given!r} is not a time", hint="such as 2026-12-31 or 2026-12-31T04:17") from None
