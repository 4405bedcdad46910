"""monitor: applies a judge's directives about a turn of a conversation, one per line (source 003).

A turn is a user's message with its answer. A judge or an agent is asked about each turn once. `decay` asks a judge
about unseen turns. `decay` also runs at the end of a session and after turns that came over MCP. If there is no judge,
the prompt of `review` lists unseen turns for the calling agent. For each conversation,
`conversations/turns.json` has the number of the last seen message.
"""

import json
import sys
from collections.abc import Sequence

from promptx_mem.core import credentials
from promptx_mem.core.directives import Directive, directives, parse_directive
from promptx_mem.core.ids import is_prefix
from promptx_mem.core.json_text import load_object
from promptx_mem.core.request import Request
from promptx_mem.core.slices import PAUSE, PURGED, Message, Reference, Unit, unit_of
from promptx_mem.core.state import CORE_MINIMUM, DECIDED, UNFADING, State, importance_at, lives
from promptx_mem.core.syntax import escape_visible
from promptx_mem.core.text import format_score, shorten
from promptx_mem.core.times import DAY
from promptx_mem.errors import BusyError, ConfigError, NotFoundError, PromptxMemError, Refused, StoreError, UsageError
from promptx_mem.judge import prompts
from promptx_mem.judge.judge import JudgeError, appointed, without_thinking
from promptx_mem.record import TYPE_CHECKING, TypedDict
from promptx_mem.result import Result
from promptx_mem.search import current
from promptx_mem.store import conversations, disk, files
from promptx_mem.usecases.change import Change, boost, forget
from promptx_mem.usecases.judging import MAX_FAILURES, note_failure
from promptx_mem.usecases.limits import demand_config
from promptx_mem.usecases.remember import remember
from promptx_mem.usecases.rollup import find

if TYPE_CHECKING:
    from promptx_mem.search.cache import Cache
    from promptx_mem.store.layout import Layout
    from promptx_mem.store.writer import Writer
    from promptx_mem.usecases.context import Context
    from promptx_mem.usecases.gate import Remember

RECALLED = 10
"""Maximum number of memories in the prompt about a turn."""

_QUERY_LENGTH = 400
"""Maximum number of characters of each message that are used to find memories."""

_BREAK = "\0\n"
_SHOWN = 200
_WITHHELD = "(a line that contains a credential)"


_UNDONE = {"error": "failed", "ignored": "ignored", "skip": "skipped"}
"""Outcomes of the directives that change nothing."""


class Outcome(TypedDict, total=False):
    """The result of one directive, for example `[ADD] text`."""

    line: str
    op: str | None
    outcome: str
    id: str | None
    text: str | None
    message: str


class Monitor(TypedDict, total=False):
    """The answer of `monitor`: an outcome for each directive, or the prompt if there is no judge."""

    store: str
    made_store: str | None
    items: list[Outcome]
    done: int
    failed: int
    prompt: str | None


def monitor(context: "Context", lines: Sequence[str], *, ids: frozenset[str] | None = None) -> Result[Monitor]:
    """Apply directives (for example `[ADD] text`) in order, even if one is invalid. The exit status is 1 if any failed.

    With `ids` (of the memories in the judge's prompt), only these memories can be changed. Raises ConfigError.
    Raises StoreError and BusyError only if no directive was applied before.
    """
    demand_config(context)
    items: list[Outcome] = []
    wholes = without_thinking(_BREAK.join(lines)).split(_BREAK) if lines else []
    for line in (part for whole in wholes for part in directives(whole)):
        directive = parse_directive(line)
        item: Outcome = {
            "line": shorten(line, _SHOWN), "op": directive.op, "outcome": "failed", "id": None, "text": None,
            "message": "",
        }  # fmt: skip
        try:
            item |= _apply(context, directive, ids)
        except PromptxMemError as error:
            item["message"] = error.message
            if isinstance(error, StoreError | BusyError | ConfigError) and error.code != "no_store":
                if not any(outcome["outcome"] == "done" for outcome in items):
                    raise
            elif error.code == credentials.CODE:
                item["line"] = _WITHHELD
        items.append(item)
    outcomes = [item["outcome"] for item in items]
    data: Monitor = {
        "store": context.path,
        "items": items,
        "done": outcomes.count("done"),
        "failed": outcomes.count("failed"),
    }
    return Result("monitor", data, exit_status=1 if data["failed"] else 0)


def ask(context: "Context", turn: Sequence[Message]) -> Result[Monitor]:
    """Ask the judge which changes a turn needs, and apply them.

    Without a judge, the result contains the prompt. If the judge fails, change no memory and raise JudgeError.
    """
    demand_config(context)
    memories = _recalled(context, turn)
    prompt = prompts.monitor(turn, memories)
    try:
        answer = judge.ask(prompt) if (judge := appointed()) else None
    except JudgeError as error:
        note_failure(context, error)
        raise
    if answer is None:
        return Result("monitor", {"store": context.path, "prompt": prompt}, context.config_warnings())
    return monitor(context, answer.split("\n"), ids=frozenset(ident for ident, _ in memories))


def _apply(context: "Context", directive: Directive, ids: frozenset[str] | None) -> Outcome:
    """Apply one directive and return the known fields of its outcome. Raises the errors of the use cases."""
    op, ident = directive.op, directive.id or ""
    if op in _UNDONE:
        return {"outcome": _UNDONE[op], "message": directive.why or directive.text}
    if ids is not None and op != "add" and directive.id not in ids:
        return {"message": f"{shorten(ident, 20)} was not in the judge's prompt"}
    if op in ("update", "delete") and not is_prefix(ident.lower()):
        return {"message": f"{shorten(ident, 20)!r} is not an id"}
    # `remember` and `forget` report an unknown id
    if op in ("update", "delete") and (state := find(context, ident)) is not None:
        by_hand = f"remember --update {ident} --explicit" if op == "update" else f"forget {state.entry.id}"
        _refuse_lasting(state, context.moment, f"promptx-mem {by_hand}")
    data: Remember | Change
    if op in ("add", "update"):
        stored = remember(context, _request(directive))
        data, ended = stored.data, stored.data["superseded"]
        message = "; ".join((f"supersedes {ended}" if ended else data["verdict"], *stored.warnings))
    elif op == "boost":
        data = boost(context, ident).data
        message = f"importance {data['importance']:g}" + (f": {data['note']}" if data["note"] else "")
    else:
        data = forget(context, ident, shorten(directive.text, _SHOWN)).data
        message = data["note"] or f"ended; promptx-mem restore {data['id']} brings it back"
    return {"outcome": "done", "id": data["id"], "text": data["text"], "message": message}


def _request(directive: Directive) -> Request:
    score = None if directive.score is None else format_score(directive.score)
    literal = bool(directive.tags) or score is not None or directive.duration is not None
    return Request(
        # If no option is given, the text is parsed for tokens, so it is escaped.
        text=directive.text if literal else escape_visible(directive.text),
        tags=directive.tags,
        score=score,
        duration=directive.duration,
        category=directive.category,
        source="background_ai",
        update=directive.id,
        proposed=True,
    )


def _refuse_lasting(state: State, now: float, by_hand: str) -> None:
    """Raise Refused if the memory is active and never fades."""
    importance = importance_at(state, now)
    if lives(state, now) and (state.category in UNFADING or importance >= CORE_MINIMUM):
        why = f"is {state.category}" if state.category in UNFADING else f"has importance {importance:.1f}"
        message = f"{state.entry.id} {why}, so a directive cannot end it; a person can: {by_hand}"
        raise Refused(message, code="lasting")


def _recalled(context: "Context", turn: Sequence[Message]) -> list[tuple[str, str]]:
    """Return ids and texts of the memories related to a turn, except conversations. This is not recorded."""
    from promptx_mem.usecases.recall import Cues, recall

    # Recall's operators (for example quotes) are removed, because a turn is not a query.
    parts = " ".join(message.text[:_QUERY_LENGTH] for message in turn).split()
    words = " ".join(filter(None, (part.strip("\"'-+#＃()（）“”") for part in parts)))
    if not words or not context.layout.exists():
        return []
    cues = Cues(text=words, count=2 * RECALLED, messages=False, touch=False, lenient=True, unasked=True)
    memories = recall(context.alone(), cues).data["memories"]
    return [(one["id"], one["text"]) for one in memories if one["category"] != "episode"][:RECALLED]


DAYS = 14
"""Maximum age in days of a turn about which a judge or an agent is asked."""

MOST = 100
"""Maximum number of turns about which one run asks the judge."""

TURNS_FILE = "turns.json"

Turn = tuple[Reference, list[Message]]
"""A reference (the conversation and the number of the last message), and a user's message with its answer."""


def unseen(context: "Context", most: int, without: str = "") -> list[Turn]:
    """Return at most `most` unseen finished turns, those of the oldest conversations first; none in the user store.

    Turns whose memory was ended by a decision, and those of the conversation `without`, are omitted.
    """
    where, now = context.layout, context.moment
    names = [] if where.is_user else [name for name in _recent(where, now) if name != without]
    seen, found = _seen(where) if names else {}, list[Turn]()
    for name in names:
        unit = conversations.read(where, name)
        if turns := _turns(unit, seen.get(name, 0), now):
            with current.open_current(where) as cache:
                hidden = _hidden(unit, cache)
            found += [turn for turn in turns if turn[0].number not in hidden]
        if len(found) >= most:
            break
    return found[:most]


def ask_unseen(context: "Context") -> tuple[int, str]:
    """Ask the judge about unseen turns, and apply the answers. Return the number of answers, and the last error."""
    if not _is_judged(context):
        return 0, ""
    asked, failures, trouble = 0, 0, ""
    for reference, messages in unseen(context, MOST):
        try:
            ask(context, messages)
            _mark_seen(context, reference)
            asked, failures = asked + 1, 0
        except PromptxMemError as error:
            failures, trouble = failures + 1, error.message
            if failures == MAX_FAILURES:
                break
    return asked, trouble


def ask_later(context: "Context", wait: float = 0.0) -> None:
    """Run decay in the background if there are turns for a judge. Wait up to `wait` seconds for it to finish."""
    if not _is_judged(context) or not unseen(context, 1):
        return
    from promptx_mem.processes import detach

    detach(["-m", "promptx_mem", "--memory-dir", context.layout.root, "decay"], wait=wait)


def _is_judged(context: "Context") -> bool:
    """Return whether a judge is asked about turns. A judge is never asked about the turns of an untrusted store."""
    return context.origin.is_own and appointed() is not None


def turns_for_agent(context: "Context", most: int) -> list[Turn]:
    """Return up to `most` unseen turns of other sessions for the calling agent; none if there is a judge."""
    return unseen(context, most, unit_of(context.session)) if appointed() is None else []


def answer(context: "Context", reference: Reference, directives: Sequence[str]) -> str:
    """Apply the calling agent's directives about a turn, and record the turn as seen. Return `2 done` or `skip`.

    Raises NotFoundError unless this is the next pending turn of its conversation, UsageError if a directive failed. If
    all failed, the turn stays pending.
    """
    following = next((turn for turn, _ in unseen(context, sys.maxsize) if turn.unit == reference.unit), None)
    if reference != following:
        hint = f"the next one is {following}; if it has no fact, give []" if following else ""
        raise NotFoundError(f"{reference} is not the next pending turn", hint=hint)
    data = monitor(context, directives).data
    failed = "; ".join(item["message"] for item in data["items"] if item["outcome"] == "failed")
    if data["done"] or not failed:
        _mark_seen(context, reference)
    if failed:
        raise UsageError(f"{data['done']} done, {data['failed']} failed: {failed}")
    return f"{data['done']} done" if data["done"] else "skip"


def seen_by_host(context: "Context", result: Result[Monitor]) -> Result[Monitor]:
    """Record that the host's own monitor has seen the finished turns of its session. Return `result`."""
    where, name = context.layout, unit_of(context.session)
    unit = conversations.read(where, name)
    if unit.messages and (turns := _turns(unit, _seen(where).get(name, 0), context.moment)):
        _mark_seen(context, turns[-1][0])
    return result


def _recent(where: "Layout", now: float) -> list[str]:
    """Return the conversations whose files were written in the last 14 days, oldest first."""
    written = conversations.identities(where.conversations)
    units = conversations.named(name for name, at in written.items() if at[3] / 1e9 >= now - DAYS * DAY)
    return sorted(units, key=lambda unit: written[unit + conversations.SUFFIX][3])


def _turns(unit: Unit, after: int, now: float) -> list[Turn]:
    """Return the recent finished turns of a conversation after the message with the number `after`.

    A turn is finished if it has an answer, or if four hours have passed since its last message.
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
    """Return the numbers of the messages whose memory was ended by a decision."""
    states = ((number, cache.state(ident)) for number, ident in unit.episodes.items() if number in unit.slices)
    ended = (number for number, state in states if state is not None and state.end in DECIDED)
    return {message for number in ended for message in unit.numbers(unit.slices[number])}


def _seen(where: "Layout") -> dict[str, int]:
    """Return, for each conversation, the number of the last message that a judge or an agent has seen."""
    data = files.read(where.conversations / TURNS_FILE) or b""
    fields = load_object(data.decode("utf-8", "replace").strip()) or {}
    return {unit: number for unit, number in fields.items() if isinstance(number, int)}


def _mark_seen(context: "Context", reference: Reference) -> None:
    """Record, under the lock, that a turn was seen. Remove the records of conversations that are too old."""

    def write(writer: "Writer") -> None:
        where = writer.layout
        seen, recent = _seen(where), {*_recent(where, context.moment), reference.unit}
        seen[reference.unit] = max(reference.number, seen.get(reference.unit, 0))
        kept = {unit: number for unit, number in seen.items() if unit in recent}
        disk.replace(where.conversations / TURNS_FILE, f"{json.dumps(kept)}\n".encode(), where.mode)

    context.store.write(write)
