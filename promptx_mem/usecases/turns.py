"""Turns of stored conversations that no monitor has seen (source 003): each is asked about once.

A judge is asked by `decay`, which also runs at a session's end and after turns that came over MCP. Without a judge the
prompt of `review` lists them for the calling agent. `conversations/turns.json` has the last message seen of each unit.
"""

import contextlib
import json
import sys
from collections.abc import Sequence

from promptx_mem.core.json_text import load_object
from promptx_mem.core.slices import PAUSE, PURGED, Message, Reference, Unit
from promptx_mem.core.state import DECIDED
from promptx_mem.core.times import DAY
from promptx_mem.errors import NotFoundError, PromptxMemError, UsageError
from promptx_mem.judge.judge import CallingAgent, appointed
from promptx_mem.record import TYPE_CHECKING
from promptx_mem.search import current
from promptx_mem.store import conversations, files

if TYPE_CHECKING:
    from promptx_mem.result import Result
    from promptx_mem.search.cache import Cache
    from promptx_mem.store.layout import Layout
    from promptx_mem.store.writer import Writer
    from promptx_mem.usecases.context import Context
    from promptx_mem.usecases.monitor import Monitor

DAYS = 14
"""Days after which a turn is no longer asked about."""

MOST = 100
"""Turns that one run asks a judge about."""

NAME = "turns.json"

Turn = tuple[Reference, list[Message]]
"""A user's message with the answer, under its unit and the number of its last message."""


def unseen(context: "Context", most: int) -> list[Turn]:
    """Return up to `most` finished turns that no monitor has seen, the oldest conversations first.

    Turns of forgotten conversations are left out.
    """
    where, now = context.layout, context.now().timestamp()
    names = [] if where.is_user else _recent(where, now)
    seen, found = _seen(where) if names else {}, list[Turn]()
    with contextlib.ExitStack() as stack:
        cache = None
        for name in (name for name in names if conversations.has_after(where, name, seen.get(name, 0))):
            unit = conversations.read(where, name)
            if turns := _turns(unit, seen.get(name, 0), now):
                cache = cache or stack.enter_context(current.open_current(where))
                hidden = _hidden(unit, cache)
                found += [turn for turn in turns if turn[0].number not in hidden]
            if len(found) >= most:
                break
    return found[:most]


def ask(context: "Context") -> tuple[int, str]:
    """Ask the judge about unseen turns, and apply its answers; return how many, and why it stopped."""
    if not _is_judged(context):
        return 0, ""
    from promptx_mem.usecases.judging import MAX_FAILURES
    from promptx_mem.usecases.monitor import ask as ask_about

    asked, failures, trouble = 0, 0, ""
    for reference, messages in unseen(context, MOST):
        try:
            ask_about(context, messages)
            _note(context, reference)
            asked, failures = asked + 1, 0
        except PromptxMemError as error:
            failures, trouble = failures + 1, error.message
            if failures == MAX_FAILURES:
                break
    return asked, trouble


def ask_later(context: "Context", wait: float = 0.0) -> None:
    """Run decay in the background if a judge has turns to see; wait at most so many seconds for its end."""
    if not _is_judged(context) or not unseen(context, 1):
        return
    import subprocess

    nowhere = subprocess.DEVNULL
    process = subprocess.Popen(  # noqa: S603 - this program
        [sys.executable, "-m", "promptx_mem", "--memory-dir", context.layout.root, "decay"],
        stdin=nowhere, stdout=nowhere, stderr=nowhere, start_new_session=True,
    )  # fmt: skip
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(wait)


def _is_judged(context: "Context") -> bool:
    """Return whether a judge is asked: never about words from another's store."""
    return context.origin.is_own and not isinstance(appointed(), CallingAgent)


def waiting(context: "Context", most: int) -> list[Turn]:
    """Return up to `most` turns for the calling agent; none if a judge is asked about them."""
    return unseen(context, most) if isinstance(appointed(), CallingAgent) else []


def answer(context: "Context", reference: Reference, directives: Sequence[str]) -> str:
    """Apply the calling agent's directives about a turn, which counts as seen.

    Raises NotFoundError if no such turn waits, UsageError if no directive could be applied.
    """
    from promptx_mem.usecases.monitor import monitor

    if all(turn != reference for turn, _ in unseen(context, sys.maxsize)):
        raise NotFoundError(f"no turn {reference} is pending")
    data = monitor(context, directives).data
    if data["failed"] and not data["done"]:
        raise UsageError(next(item["message"] for item in data["items"] if item["outcome"] == "failed"))
    _note(context, reference)
    return f"{data['done']} done" if data["done"] else "skip"


def seen_by_host(context: "Context", result: "Result[Monitor]") -> "Result[Monitor]":
    """Record that a host's own monitor has seen the finished turns of its session; return its result."""
    from promptx_mem.core.slices import unit_of

    where, name = context.layout, unit_of(context.session)
    unit = conversations.read(where, name)
    if unit.messages and (turns := _turns(unit, _seen(where).get(name, 0), context.now().timestamp())):
        _note(context, turns[-1][0])
    return result


def _recent(where: "Layout", now: float) -> list[str]:
    """Return the units written in the last days, the oldest first."""
    written = {name: identity[3] for name, identity in files.identities(where.conversations).items()}
    units = conversations.named(name for name, at in written.items() if at / 1e9 >= now - DAYS * DAY)
    return sorted(units, key=lambda unit: written[unit + conversations.SUFFIX])


def _turns(unit: Unit, after: int, now: float) -> list[Turn]:
    """Return the recent finished turns behind a message.

    A turn is finished if it has an answer or if four hours have passed since.
    """
    turns: list[Turn] = []
    for number, message in sorted(unit.messages.items()):
        if number <= after or message.text == PURGED or message.times()[1] < now - DAYS * DAY:
            continue
        said = turns.pop()[1] if turns and not (message.role == "user" and _is_answered(turns[-1])) else []
        turns.append((Reference(unit.id, number), [*said, message]))
    if turns and not _is_answered(turns[-1]) and turns[-1][1][-1].times()[1] + PAUSE > now:
        turns.pop()
    return turns


def _is_answered(turn: Turn) -> bool:
    return any(message.role == "assistant" for message in turn[1])


def _hidden(unit: Unit, cache: "Cache") -> set[int]:
    """Return the numbers of the messages whose episode somebody has ended."""
    ended = (
        number
        for number, ident in unit.episodes.items()
        if number in unit.slices and (state := cache.state(ident)) is not None and state.end in DECIDED
    )
    return {message for number in ended for message in unit.numbers(unit.slices[number])}


def _seen(where: "Layout") -> dict[str, int]:
    """Return the number of the last message seen of each unit."""
    data = files.read(where.conversations / NAME) or b""
    fields = load_object(data.decode("utf-8", "replace").strip()) or {}
    return {unit: number for unit, number in fields.items() if isinstance(number, int)}


def _note(context: "Context", reference: Reference) -> None:
    """Record, under the lock, that a turn was seen; forget units that are too old to be asked about."""

    def write(writer: "Writer") -> None:
        where = writer.layout
        seen, recent = _seen(where), {*_recent(where, context.now().timestamp()), reference.unit}
        seen[reference.unit] = max(reference.number, seen.get(reference.unit, 0))
        kept = {unit: number for unit, number in seen.items() if unit in recent}
        files.replace(where.conversations / NAME, f"{json.dumps(kept)}\n".encode(), where.mode)

    context.store.write(write)
