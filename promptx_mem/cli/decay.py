"""Memories fade even if decay never runs. If there is nothing to do, decay prints nothing."""

import datetime

from promptx_mem.cli.folding import aligned
from promptx_mem.cli.options import NONE_GIVEN, Common, DryRun, Option, Word
from promptx_mem.cli.output import local
from promptx_mem.cli.terminal import progress
from promptx_mem.core.text import NO_COMMAND
from promptx_mem.errors import UsageError
from promptx_mem.machine import named_duration
from promptx_mem.record import Annotated
from promptx_mem.result import Result
from promptx_mem.usecases.decay import Decay, Plan


def command(
    compact: Annotated[bool, Option("Archive ended memories even in a small store.")] = False,
    schedule: Annotated[bool, Option("Print a crontab line and a systemd timer.")] = False,
    now: Annotated[Word, Option("With --dry-run: act as if it were TIME (ISO 8601).", metavar="TIME")] = None,
    dry_run: DryRun = False,
    common: Common = NONE_GIVEN,
) -> Result[Decay]:
    if schedule and (compact or dry_run or now is not None):
        message = "--schedule only prints, so it cannot be combined with --compact, --now or --dry-run"
        raise UsageError(message, hint="promptx-mem decay --help")
    moment = _moment(now)
    if moment and not dry_run:
        raise UsageError("--now needs --dry-run", hint=f"promptx-mem decay --dry-run --now {moment:%Y-%m-%dT%H:%M}")
    memory = common.memory()
    if schedule:
        return memory.schedule()
    with progress(show=not common.json):
        return memory.decay(Plan(compact=compact, dry_run=dry_run, now=moment))._replace(cut="plan")


def as_text(data: Decay) -> str:
    if data["running"]:
        return local("another decay of this store is running, so this one did nothing\n")
    if data["schedule"]:
        return f"# crontab -e\n{data['schedule']['cron']}\n\n{data['schedule']['systemd']}"
    if not data["dry_run"]:
        return local(f"decay: {'; '.join(data['done'])}\n") if data["done"] else ""
    if not data["plan"]:
        return local("decay would change nothing\n")
    later = "ended memories are archived when the store is larger than 8 MB, or with --compact\n"
    table = "".join(f"{NO_COMMAND}{line}\n" for line in aligned(_plan(data)))
    return table + ("" if data["archiving"] else local(later))


def _moment(text: str | None) -> datetime.datetime | None:
    if text is None:
        return None
    try:
        return datetime.datetime.fromisoformat(text).astimezone()
    except (ValueError, OverflowError, OSError):
        raise UsageError(f"--now {text!r} is not a time", hint="for example: 2026-12-31 or 2026-12-31T04:17") from None


def _plan(data: Decay) -> list[list[str]]:
    named = [list(map(local, ("state", "id", "category", "duration", "importance", "text")))]
    for item in data["plan"]:
        state, category = local(item["action"]), local(item["category"])
        duration, importance = named_duration(item["duration"]), f"{item['importance']:.2f}"
        named.append([state, item["id"], category, duration, importance, item["text"]])
    return named
