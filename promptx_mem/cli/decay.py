"""Memories fade without it too; it prints nothing if there was nothing to do."""

import datetime

from promptx_mem.cli.folding import cells
from promptx_mem.cli.options import NONE_GIVEN, Common, DryRun, Option
from promptx_mem.cli.progress import progress
from promptx_mem.errors import UsageError
from promptx_mem.places import named_duration
from promptx_mem.record import TYPE_CHECKING, Annotated
from promptx_mem.result import Result
from promptx_mem.usecases.decay import Decay, Plan

if TYPE_CHECKING:
    from rich.console import Console


def command(
    compact: Annotated[bool, Option("--compact", help="Archive ended memories even in a small store.")] = False,
    schedule: Annotated[bool, Option("--schedule", help="Show the crontab line and the systemd timer.")] = False,
    now: Annotated[
        str | None, Option(metavar="TIME", help="Pretend it is TIME (ISO); a future time only with --dry-run.")
    ] = None,
    dry_run: DryRun = False,
    common: Common = NONE_GIVEN,
) -> Result[Decay]:
    if schedule and (compact or dry_run or now is not None):
        raise UsageError(
            "--schedule only prints, and does not go together with the options of a run",
            hint="promptx-mem decay --help",
        )
    moment = _moment(now)
    memory = common.memory()
    if schedule:
        return memory.schedule()
    if moment and not dry_run and moment > memory.context.now():
        raise UsageError(
            "a real run cannot use a future time: it would archive active memories",
            hint=f"promptx-mem decay --dry-run --now {moment:%Y-%m-%dT%H:%M} shows its effect at that time",
        )
    with progress(show=not common.json):
        return memory.decay(Plan(compact=compact, dry_run=dry_run, now=moment))._replace(cut="plan")


def _moment(text: str | None) -> datetime.datetime | None:
    if text is None:
        return None
    try:
        return datetime.datetime.fromisoformat(text).astimezone()
    except (ValueError, OverflowError, OSError):
        raise UsageError(f"--now {text!r} is not a time", hint="such as 2026-12-31 or 2026-12-31T04:17") from None


def as_text(data: Decay) -> str:
    if data["running"]:
        return "another decay is running; this one does nothing\n"
    if data["schedule"]:
        return f"# crontab -e\n{data['schedule']['cron']}\n\n{data['schedule']['systemd']}"
    rows, rest = _rows(data)
    return _table(rows) + rest


def draw(data: Decay, console: "Console") -> None:
    if data["running"] or data["schedule"]:
        console.out(as_text(data), end="", highlight=False)
        return
    from promptx_mem.cli.terminal import put, put_table

    rows, rest = _rows(data)
    if rows:
        put_table(console, rows)
    for line in rest.splitlines():
        put(console, line)


def _rows(data: Decay) -> tuple[list[tuple[str, ...]], str]:
    """Return a table with its head, if there is one, and the line below it."""
    if not data["dry_run"]:
        return [], f"decay: {'; '.join(data['done'])}\n" if data["done"] else ""
    if not data["plan"]:
        return [], "no ended memories and no pending reviews\n"
    later = "" if data["archiving"] else "ended memories are archived when the store passes 8 MB, or with --compact\n"
    return _plan(data), later


def _plan(data: Decay) -> list[tuple[str, ...]]:
    rows = [
        (i["action"], i["id"], i["category"], named_duration(i["duration"]), f"{i['importance']:.2f}", i["text"])
        for i in data["plan"]
    ]
    return [("state", "id", "category", "duration", "importance", "text"), *rows]


def _table(rows: list[tuple[str, ...]]) -> str:
    """Return columns aligned by display width: a CJK character takes two cells."""
    widths = [max(cells(row[column]) for row in rows) for column in range(len(rows[0]) - 1)] if rows else []
    out = []
    for row in rows:
        padded = [cell + " " * (width - cells(cell)) for cell, width in zip(row, widths, strict=False)]
        out.append("  ".join([*padded, row[-1]]))
    return "".join(line + "\n" for line in out)
