"""decay, the maintenance for cron. Memories fade and end without it.

It records the recalls of past days, archives ended memories if the store is over 80 % full, trims the audit log and
updates MEMORY.md. Then it summarises idle conversations, and asks the judge about pending reviews.
"""

import contextlib
import datetime
import os
import sys

from promptx_mem.core import document as conflicts
from promptx_mem.core.fold import fold_all
from promptx_mem.core.ids import short_hash
from promptx_mem.core.journal import CONTRADICTED
from promptx_mem.core.labels import unique
from promptx_mem.core.life import pending_review as open_review
from promptx_mem.core.shell import join
from promptx_mem.core.state import OWN, importance_at, lives
from promptx_mem.core.text import is_printable, plural, shorten
from promptx_mem.errors import BusyError, StoreError, UsageError
from promptx_mem.judge.judge import appointed
from promptx_mem.record import NamedTuple, TypedDict
from promptx_mem.result import Result
from promptx_mem.search import build, current, pairs
from promptx_mem.search.cache import Cache
from promptx_mem.store import rewrite, settings, sources, store
from promptx_mem.store.append import Lock
from promptx_mem.store.disk import disk_errors
from promptx_mem.store.writer import Writer
from promptx_mem.usecases import index, stores
from promptx_mem.usecases.context import Context
from promptx_mem.usecases.limits import demand_config
from promptx_mem.usecases.lookup import Lookup
from promptx_mem.usecases.purge import destroy_again

MAX_COMPARED = 50
"""Number of the newest memories that a run compares with similar ones."""

MAX_REVIEWS = 20
"""Maximum number of pending reviews, and of conversations, about which the judge is asked in one run."""


class Plan(NamedTuple):
    """Options of a run of decay. `now` replaces the clock of a dry run."""

    compact: bool = False
    dry_run: bool = False
    now: datetime.datetime | None = None


class Planned(TypedDict):
    """An item of a dry run: a memory, or a slice of a conversation. A slice has the `id` CONVERSATION:NUMBER."""

    action: str
    id: str
    category: str
    duration: str
    importance: float
    text: str


class Schedule(TypedDict):
    """The crontab line and the systemd units that run decay once a day."""

    cron: str
    systemd: str


class Decay(TypedDict, total=False):
    """The answer of `decay`. `size` is the store's size in bytes. `reviews` counts the reviews pending after a run."""

    store: str
    done: list[str]
    running: bool
    dry_run: bool
    now: str | None
    plan: list[Planned]
    archiving: bool
    size: int | None
    reviews: int
    schedule: Schedule | None


def decay(context: Context, plan: Plan) -> Result[Decay]:
    """Run all due tasks, or list them for a dry run. If another decay is running, report this and do nothing."""
    demand_config(context)
    now = context.now()
    if not (context.layout.exists() or context.layout.named or context.gone()):
        return Result("decay", {"store": context.path, "done": [], "dry_run": plan.dry_run})
    stores.demand_store(context)
    if plan.dry_run:
        return _preview(context, plan.now or now, archiving=plan.compact or _is_to_be_compacted(context))
    appointed()  # report a wrong judge command before doing anything
    with disk_errors(), contextlib.ExitStack() as stack:
        try:
            stack.enter_context(Lock(context.layout.decay_lock, context.layout.mode).hold(0))
        except BusyError:
            return Result("decay", {"store": context.path, "running": True})
        steps = context.store.write(lambda writer: _run(context, writer, now, force=plan.compact))
        with contextlib.suppress(OSError):
            os.utime(context.layout.decay_lock)  # `status` shows this time as that of the last run
        build.sweep_deleted()
        return _after_lock(context, steps, now)


def schedule(context: Context) -> Result[Decay]:
    """Return the crontab line and the systemd units that run decay once a day."""
    program = [sys.executable, "-m", "promptx_mem", "--memory-dir", context.layout.root, "decay"]
    if not all(map(is_printable, program)):  # a newline would begin another crontab entry
        hint = "rename the folder"
        raise UsageError("the store's path has unprintable characters, which a crontab cannot contain", hint=hint)
    command = join(program)
    cron = f"17 4 * * * {command}".replace("%", r"\%")
    words = ['"' + word.replace("\\", "\\\\").replace('"', r"\"").replace("%", "%%") + '"' for word in program]
    words[1:] = [word.replace("$", "$$") for word in words[1:]]  # systemd expands variables, except in the program
    units: Schedule = {"cron": cron, "systemd": _units(" ".join(words), context.layout.root)}
    return Result("decay", {"store": context.path, "schedule": units})


def _run(context: Context, writer: Writer, now: datetime.datetime, *, force: bool) -> list[str]:
    steps: list[str] = []
    if destroyed := destroy_again(writer):
        steps.append(f"{plural(destroyed, 'purged memory', 'purged memories')} erased again after a merge")
    with current.open_current(writer.layout) as cache:
        Lookup(context, cache).adopt(writer)
        noted = writer.carry_over(now.date().isoformat())
        current.catch_up(cache, writer)
        if noted:
            steps.append(f"{plural(noted, 'recall')} recorded in the journal")
        if suspected := _suspect(context, writer, cache, now):
            steps.append(f"{plural(suspected, 'possible contradiction')} found")
            current.catch_up(cache, writer)
        archiving = force or (_is_to_be_compacted(context) and pairs.is_any_to_archive(cache, now.timestamp()))
    if archiving:
        steps += _archive(writer, now, force=force)
    rewrite.rotate_audit(writer.layout, now)
    with current.open_current(writer.layout) as cache:
        if index.refresh(context, cache, now):
            steps.append("MEMORY.md updated")
    if steps:
        context.note(writer, "decay", verdict="done", why="; ".join(steps))
    return steps


def _suspect(context: Context, writer: Writer, cache: Cache, now: datetime.datetime) -> int:
    """Record the newest memories' contradictions without an event, as after an import. Return their number."""
    if not context.origin.is_own:
        return 0
    found = pairs.missed(cache, MAX_COMPARED, now.timestamp(), lambda state: context.origin.of(state.origin) == OWN)
    rows = (((pair.newer.entry.id, pair.older.entry.id), {"reason": pair.reason}) for pair in found)
    if found:
        writer.add_events(Lookup(context, cache).events(CONTRADICTED, rows))
    return len(found)


def _archive(writer: Writer, now: datetime.datetime, *, force: bool) -> list[str]:
    """Archive ended memories, and return a report. If a newer version wrote lines, archive none; with `force`, fail."""
    try:
        gain = rewrite.compact(writer.layout, writer.take_out, now)
    except StoreError as error:
        if force or error.code != "newer":
            raise
        return [f"nothing archived: {error.message}"]
    steps = [f"{conflicts.CONFLICT} removed (the lines between them stay)"] if gain.markers else []
    if (size := gain.size - gain.markers) > 0:
        steps.append(f"{plural(size, 'byte')} of ended memories archived")
    return steps


def _after_lock(context: Context, steps: list[str], now: datetime.datetime) -> Result[Decay]:
    """Run the slow steps after the write: summarise and delete conversations, ask the judge about reviews and turns."""
    from promptx_mem.usecases import monitor, retention, rollup
    from promptx_mem.usecases.review import ask_judge, count

    problems: list[str] = []
    if rolled := rollup.roll_idle(context, now, everywhere=True, problems=problems):
        steps.append(f"{plural(len(rolled), 'piece')} of idle conversations summarised")
    if gone := retention.keep_within(context, now, everywhere=True):
        steps.append(gone)
    steps += ask_judge(context, MAX_REVIEWS)
    seen, trouble = monitor.ask_unseen(context)
    steps += [f"the judge decided about {plural(seen, 'turn')} of conversations"] if seen else []
    problems += [f"the judge has not seen all turns: {trouble}"] if trouble else []
    if not problems:
        summarised, trouble = rollup.ask(context, MAX_REVIEWS)
        steps += [f"{plural(summarised, 'conversation')} summarised by the judge"] if summarised else []
        problems += [f"conversations were not summarised: {trouble}"] if trouble else []
    with context.cache():  # bring the cache up to date
        pending = count(context)
    if waiting := pending.reviews + pending.of_person:
        steps.append(f"{plural(waiting, 'pending review')} (promptx-mem review --list)")
    data: Decay = {"store": context.path, "done": steps, "size": context.store.size(), "reviews": waiting}
    return Result("decay", data, (*context.config_warnings(), *unique(problems), *index.update(context)))


def _preview(context: Context, now: datetime.datetime, *, archiving: bool) -> Result[Decay]:
    from promptx_mem.usecases import retention

    everything = sources.read(context.layout)
    states = fold_all((line.entry for line in everything.lines), everything.events)
    live = {line.entry.id for line in everything.lines if not line.archived}
    moment = now.timestamp()
    items: list[Planned] = []
    for ident, state in states.items():
        question = open_review(state, moment)
        if ident in live and state.end != "purged" and (question is not None or not lives(state, moment)):
            ended = f"{'archive' if archiving else 'ended'} ({state.end})"
            action = f"review ({question.kind})" if question else ended
            items.append({
                "id": ident, "text": shorten(state.entry.text, 60), "category": state.category,
                "duration": state.duration, "importance": round(importance_at(state, moment), 3), "action": action,
            })  # fmt: skip
    items.sort(key=lambda item: (item["action"], item["id"]))
    for piece, part in retention.due_for_removal(context.layout, now):
        items.append({
            "id": f"{piece.unit}:{piece.number}", "text": shorten(part.summary, 60), "category": "episode",
            "duration": "", "importance": 0.0, "action": f"delete conversation of {part.at[:10]}",
        })  # fmt: skip
    data: Decay = {
        "store": context.path, "dry_run": True, "now": now.isoformat(timespec="seconds"), "plan": items,
        "archiving": archiving, "size": context.store.size(),
    }  # fmt: skip
    return Result("decay", data)


def _units(command: str, root: str) -> str:
    """Return two systemd units and the command that starts them. The units' names contain a hash of the path."""
    name = f"promptx-mem-{short_hash(os.fsencode(os.path.realpath(root)), 3)}"
    service = f"[Unit]\nDescription=promptx-mem decay\n\n[Service]\nType=oneshot\nExecStart={command}\n"
    timer = "[Unit]\nDescription=promptx-mem decay, once a day\n\n[Timer]\nOnCalendar=daily\nPersistent=true\n"
    timer += "\n[Install]\nWantedBy=timers.target\n"
    return (
        f"# ~/.config/systemd/user/{name}.service\n{service}\n# ~/.config/systemd/user/{name}.timer\n{timer}\n"
        f"# then: systemctl --user enable --now {name}.timer\n"
    )


def _is_to_be_compacted(context: "Context") -> bool:
    """Return whether the store exceeds 80 % of the maximum, so that `decay` archives ended memories."""
    size = context.store.size()
    return size > store.COMPACT_BYTES and size > store.COMPACT_BYTES * settings.most_bytes() // store.MAX_BYTES
