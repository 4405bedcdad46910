"""monitor: apply a judge's directives on a turn, one per line (source 003)."""

from collections.abc import Sequence

from promptx_mem.core.directives import Directive, directives, parse_directive
from promptx_mem.core.ids import ID
from promptx_mem.core.request import Request
from promptx_mem.core.slices import Message
from promptx_mem.core.state import CORE_MINIMUM, LASTING, State, importance_at, lives
from promptx_mem.core.syntax import escape_visible
from promptx_mem.core.text import format_score, shorten
from promptx_mem.errors import BusyError, ConfigError, PromptxMemError, Refused, StoreError
from promptx_mem.record import TYPE_CHECKING, TypedDict
from promptx_mem.result import Result
from promptx_mem.search import current
from promptx_mem.usecases import credential_check
from promptx_mem.usecases.change import Change, LockedStore, boost, hold
from promptx_mem.usecases.gate import Remember
from promptx_mem.usecases.remember import remember

if TYPE_CHECKING:
    from promptx_mem.usecases.context import Context

RECALLED = 10
"""Memories in the prompt of a turn."""

_CUE = 400
"""Characters of the user's and the assistant's words used to find them."""

_SHOWN = 200
_WITHHELD = "(a line that contains a credential)"


class Outcome(TypedDict, total=False):
    """The result of one directive."""

    line: str
    op: str | None
    outcome: str
    id: str | None
    text: str | None
    message: str


class Monitor(TypedDict, total=False):
    """The answer of `monitor`: one outcome per line, or the prompt for a judge."""

    store: str
    made_store: str | None
    items: list[Outcome]
    done: int
    skipped: int
    ignored: int
    failed: int
    prompt: str | None


def monitor(context: "Context", lines: Sequence[str], *, ids: frozenset[str] | None = None) -> Result[Monitor]:
    """Apply directives in order; a bad one does not stop the rest. Exit status 1 if any failed.

    Only `ids` may be changed, if the judge was shown some. Raises ConfigError; StoreError and BusyError only if nothing
    has been done yet.
    """
    context.demand_config()
    items: list[Outcome] = []
    for line in (part for whole in lines for part in directives(whole)):
        item: Outcome = {
            "line": shorten(line, _SHOWN), "op": None, "outcome": "failed", "id": None, "text": None, "message": "",
        }  # fmt: skip
        try:
            item |= _apply(context, parse_directive(line), ids)
        except (StoreError, BusyError, ConfigError) as error:
            missing = error.code == "no_store"
            if not missing and not any(outcome["outcome"] == "done" for outcome in items):
                raise
            message = error.message if missing else "the store could not be written"
            item |= {"op": parse_directive(line).op, "message": message}
        except PromptxMemError as error:
            item |= {"op": parse_directive(line).op, "message": error.message}
            if error.code == credential_check.CODE:
                item["line"] = _WITHHELD
        items.append(item)
    outcomes = [item["outcome"] for item in items]
    data: Monitor = {
        "store": context.layout.display(),
        "items": items,
        "done": outcomes.count("done"),
        "skipped": outcomes.count("skipped"),
        "ignored": outcomes.count("ignored"),
        "failed": outcomes.count("failed"),
    }
    return Result("monitor", data, exit_status=1 if data["failed"] else 0)


def ask(context: "Context", turn: Sequence[Message]) -> Result[Monitor]:
    """Ask the judge which changes a turn needs, and apply them. Without a judge the result contains the prompt.

    Raises JudgeError if it gave no answer; then nothing was changed.
    """
    from promptx_mem.judge import prompts
    from promptx_mem.judge.judge import JudgeError, appointed
    from promptx_mem.usecases.judging import note_failure

    context.demand_config()
    memories = _recalled(context, turn)
    prompt = prompts.monitor(turn, memories)
    try:
        answer = appointed().ask(prompt)
    except JudgeError as error:
        note_failure(context, error)
        raise
    if answer is None:
        return Result("monitor", {"store": context.layout.display(), "prompt": prompt}, context.config_warnings())
    return monitor(context, answer.split("\n"), ids=frozenset(ident for ident, _ in memories))


def _apply(context: "Context", directive: Directive, ids: frozenset[str] | None) -> Outcome:
    """Apply one line; return a note on it. Raises the errors of the use cases."""
    op = directive.op
    if op in ("error", "ignored", "skip"):
        outcome = {"error": "failed", "ignored": "ignored", "skip": "skipped"}[op]
        return {"op": op, "outcome": outcome, "message": directive.why or directive.text}
    if ids is not None and op != "add" and directive.id not in ids:
        message = f"{shorten(directive.id or '', 20)} is not one of the memories that were shown"
        return {"op": op, "outcome": "failed", "message": message}
    ident = directive.id or ""
    if op in ("update", "delete") and not ID.fullmatch(ident.lower()):
        message = f"{shorten(ident, 20)} is not a whole id, which is needed to end a memory"
        return {"op": op, "outcome": "failed", "message": message}
    if op == "update":
        _demand_fading(context, ident)
    if op in ("add", "update"):
        stored = remember(context, _request(directive))
        verdict = stored.data["verdict"]
        if stored.data["superseded"]:
            verdict = f"supersedes {stored.data['superseded']}"
        return _success(op, stored.data, "; ".join((verdict, *stored.warnings)))
    if op == "boost":
        result = boost(context, ident)
        note = f": {result.data['note']}" if result.data["note"] else ""
        return _success(op, result.data, f"importance {result.data['importance']:g}{note}")
    return _success(op, _delete(context, ident, directive.text).data, "archived; restore brings it back")


def _success(op: str, data: Remember | Change, message: str) -> Outcome:
    return {"op": op, "outcome": "done", "id": data["id"], "text": data["text"], "message": message}


def _request(directive: Directive) -> Request:
    """Return the request of a directive: from the background, not verified."""
    score = None if directive.score is None else format_score(directive.score)
    literal = bool(directive.tags) or score is not None or directive.duration is not None
    return Request(
        # Without options the text would be parsed for tokens again.
        text=directive.text if literal else escape_visible(directive.text),
        tags=directive.tags,
        score=score,
        duration=directive.duration,
        category=directive.category,
        source="background_ai",
        update=directive.id,
        proposed=True,
    )


def _delete(context: "Context", ident: str, reason: str) -> Result[Change]:
    """End a memory as a review's DELETE does. Raises Refused for core, system and ended memories."""

    def work(store: LockedStore) -> Result[Change]:
        state = store.lookup.by_id(ident)
        _refuse_lasting(state, context.now().timestamp(), f"promptx-mem forget {state.entry.id}")
        if not lives(state, context.now().timestamp()):
            raise Refused(f"{state.entry.id} has ended before ({state.end})", code="ended")
        credential_check.demand_none("the reason", reason)
        event = store.event("deleted", state, reason=shorten(reason, _SHOWN) or None)
        store.commit("monitor", [event], verdict="deleted", id=state.entry.id)
        return Result("monitor", {"id": state.entry.id, "text": state.entry.text})

    return hold(context, work)


def _demand_fading(context: "Context", ident: str) -> None:
    """Refuse to replace a memory that never fades; `remember` reports an unknown id."""
    with current.open_current(context.layout) as cache:
        state = cache.state(ident.lower())
    if state is not None:
        _refuse_lasting(state, context.now().timestamp(), f"promptx-mem remember --update {ident} --explicit")


def _refuse_lasting(state: State, now: float, by_hand: str) -> None:
    importance = importance_at(state, now)
    if lives(state, now) and (state.category in LASTING or importance >= CORE_MINIMUM):
        why = f"is {state.category}" if state.category in LASTING else f"has importance {importance:.1f}"
        raise Refused(
            f"{state.entry.id} {why}: a directive cannot end it; to do it yourself: {by_hand}",
            code="lasting",
        )


def _recalled(context: "Context", turn: Sequence[Message]) -> list[tuple[str, str]]:
    """Return ids and texts of memories for a turn; not recorded, since being shown is not being used."""
    from promptx_mem.usecases.recall import Cues, recall

    words = _plain(" ".join(message.text[:_CUE] for message in turn))
    if not words or not context.layout.exists():
        return []
    cues = Cues(text=words, count=RECALLED, messages=False, touch=False, lenient=True, unasked=True)
    memories = recall(context.alone(), cues).data["memories"]
    return [(memory["id"], memory["text"]) for memory in memories]


def _plain(text: str) -> str:
    """Return words without operators of recall: a turn is not a query."""
    words = (word.strip("\"'-+#＃()（）“”") for word in text.split())
    return " ".join(word for word in words if word)
