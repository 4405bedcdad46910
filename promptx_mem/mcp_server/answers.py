"""Answers of the MCP tools, in plain words and limited to a number of tokens (the budget)."""

import json
import re
from bisect import bisect_left
from collections.abc import Callable, Mapping

from promptx_mem.core.description import Description, Recall, references, warnings
from promptx_mem.core.prompt_block import tokens
from promptx_mem.core.state import NOTICE, OWN
from promptx_mem.core.text import printable_lines, shorten
from promptx_mem.errors import PromptxMemError, UsageError
from promptx_mem.record import Any, cast
from promptx_mem.result import Result
from promptx_mem.usecases.review import Review

Answer = dict[str, Any]

LOST = "lost"
"""If the tool `change` gets this value as `id`, it restores or forgets all memories that are missing from the files."""

RESTORE_LOST = f". To restore: change with id {LOST} and action restore; if the user deleted them: action forget"

_TAG = re.compile(r"<(?=[/!?A-Za-z])")
_OPTION = re.compile(r"--([a-z][a-z-]*)")
_ARCHIVED = re.compile("--(?=archived shows it$)")
_FIXES = {
    "score_too_low": "store the fact only if its score is 5 or more; if the user asked for it, set explicit",
    "missing_score": "give a score from 0 to 10; if the user asked for it, set explicit instead",
    "no_tokens": "give tags and score",
    "tokens_first": "give tags and score as arguments",
    "missing_tag": "give at least one tag, a word by which the fact can be found",
    "session_blocked": "in this session, store only facts that the user asked for (explicit); the user can unblock it",
    "credential": "leave the credential out of the text; only the user can store credentials",
    "too_long": "give several shorter facts in `facts`",
    "not_found": "find the id with `recall` or `list`",
    "below_strict": "store the fact only if its score is 7 or more; if the user asked for it, set explicit",
    "no_store": "store a fact first: `remember` creates the store",
    "no_review": "call `review` without arguments to list pending reviews",
    "ambiguous": "give more characters of the id",
    "no_basis": "give reason or dims together with score",
    "score_mismatch": "give a score that matches dims, or other dims",
    "not_credible": "store the fact only if the user asked for it, and set explicit",
    "lasting": "leave this to the user: only the user can end memories that never fade",
    "ended": "restore the memory first: call `change` with action `restore`",
    "superseded": "use the memory that replaced this one: call `get` to see it",
    "daily_limit": "until tomorrow, store only facts that the user asked for (explicit)",
    "store_full": "end memories that no longer apply: call `change` with action `forget`",
    "user_store": "set scope to user if the fact applies to every project",
    "both_scopes": "set scope to project or user",
    "needs_request": "omit scope to store a fact for this project; only the user can ask for all projects",
}
NO_FIX = "tell the user, and continue without this call"
_MESSAGES = {
    "no_store": "there is no memory yet",
    "no_tokens": "only a text was given, no tags and no score",
    "tokens_first": "tags and score are inside the text, where they are read as plain words",
    "missing_tag": "tags are missing",
    "missing_score": "a score is missing: how important is it, from 0 to 10?",
}
"""Messages for agents, by error code. They replace messages that mention the shell or its working directory."""

_ARGUMENTS = {"t": "tags", "tag": "tags", "since": "since", "n": "count", "allow-secret": "", "split": "facts"}


def text(value: Answer) -> str:
    """Return an answer as JSON text, since some clients pass only text to the model."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def clean(value: Any) -> Any:
    """Return a value with clean strings (not keys): unprintable characters, and each `<` of a tag, are replaced."""
    if isinstance(value, str):
        plain = printable_lines(value)
        return _TAG.sub("&lt;", plain) if "<" in plain else plain
    if isinstance(value, dict):
        return {key: clean(item) for key, item in value.items()}
    return [clean(item) for item in value] if isinstance(value, list | tuple) else value


def memory(description: Description, *, whole: bool = False) -> Answer:
    """Return a memory for a model, with absolute times. Leave out fields with usual values. `whole` adds fields."""
    out: Answer = {key: description[key] for key in ("id", "text", "tags", "score", "at")}
    if not description["lives"]:
        out["ended"] = description["end"]
    usual = {"category": "fact", "origin": OWN, "source": "user", "scope": "project"}
    keys = ("topic", "type", "category", "origin", "source", "scope", "supersedes", "superseded_by", "verified")
    marks = {
        **{key: value for key in keys if (value := description.get(key)) != usual.get(key)},
        "unverified": description["unverified"],
        "warnings": warnings(description),
        "may_be_outdated": bool(description["freshness"]),
        "weak": description.get("weak"),
        "note": ", ".join(references(description)),
    }
    out |= {key: value for key, value in marks.items() if value}
    if part := description["slice"]:
        out["messages"] = [{"role": message["role"], "text": message["text"]} for message in part["messages"]]
    if whole:
        more = {key: description[key] for key in ("duration", "importance", "last_access", "ends_at", "session")}
        out |= {key: value for key, value in more.items() if value is not None}
        if aliases := description.get("aka"):
            out["aka"] = aliases
    return out


HOW = "Give all answers in one call of review, as `answers`."


def waiting(data: Review) -> Answer:
    """Return the reviews that the prompt asks about, the prompt, and the number of other pending reviews."""
    reviews = [{"id": item["id"], "review": item["review"]} for item in data["reviews"][: data["asked"]]]
    more = {"prompt": data["prompt"], "not_shown": len(data["reviews"]) - data["asked"] + data["more"]}
    return {"reviews": reviews, **{key: value for key, value in more.items() if value}}


def answered(item: Answer) -> Answer:
    """Return the result for one of several answers to reviews."""
    out: Answer = {key: item[key] for key in ("id", "ok", "decision") if key in item}
    return out if item["ok"] else out | {"error": in_words(item["error"])}


def memories_in_words(result: Result[Recall]) -> Answer:
    """Return the result of a recall as an answer: the memories, and the notes for the caller."""
    data = result.data
    out: Answer = {"memories": [memory(item) for item in data["memories"]]}
    if hidden := data["left_out"] + (data["more"] or 0):
        out["not_shown"] = hidden
    if not data["memories"] and data["near_misses"]:
        out["near_misses"] = [_ARCHIVED.sub("", miss) for miss in data["near_misses"]]
    noted = [data["hint"], *(warning if warning == NOTICE else in_words(warning) for warning in result.warnings)]
    if notes := list(filter(None, noted)):
        out["notes"] = notes
    return out


def error(problem: PromptxMemError) -> Answer:
    """Return an error as an answer. Its fix names arguments of the tool instead of shell commands."""
    fix = _FIXES.get(problem.code) or in_words(problem.hint)
    fix = fix or ("correct what the message names" if isinstance(problem, UsageError) else NO_FIX)
    message = _MESSAGES.get(problem.code) or in_words(problem.message)
    details = {"code": problem.code, "message": message or problem.code.replace("_", " "), "fix": fix}
    answer: Answer = clean({"error": details, **new_store(problem.data)})
    return answer


def new_store(data: Mapping[str, Any]) -> Answer:
    """Return an answer with the full path of the store that a call created; `{}` if the call created none."""
    return {"made_store": data["made_store"]} if data.get("made_store") else {}


def in_words(message: str) -> str:
    """Return a message without shell commands. Options such as `--since` become names of arguments."""
    lines = [line for part in message.split("\n") for line in re.split(r"; (?=.*promptx-mem )", part)]
    rest = (line for line in lines if "promptx-mem " not in line)
    words = (_OPTION.sub(lambda one: _ARGUMENTS.get(one[1], one[1].replace("-", "_")), line).strip() for line in rest)
    return "; ".join(filter(None, words))


BUDGET = 2_000


def size(answer: Answer) -> int:
    """Return the number of tokens of an answer."""
    return tokens(text(answer))


def first_words(text: str) -> str:
    """Return the beginning of a text, which is enough to identify a memory."""
    return shorten(text, 100)


def memories(result: "Result[Recall]", budget: int) -> Answer:
    """Return the found memories, in order, as many as fit into the budget. Raises UsageError if none fits."""
    found = result.data["memories"]

    def build(many: int) -> Answer:
        hidden = result.data["left_out"] + len(found) - many
        data = cast("Recall", {**result.data, "memories": found[:many], "left_out": hidden})
        return memories_in_words(result._replace(data=data))

    return _fitting(build, len(found), budget, min(1, len(found)))


def one(memory: Answer, history: list[Answer], budget: int) -> Answer:
    """Return a memory with its history. To fit the budget, omit the history and the messages, and cut the text."""
    everything: Answer = clean({"memory": memory, **({"history": history} if history else {})})
    need = size(everything)
    if need <= budget:
        return everything
    brief = {name: value for name, value in memory.items() if name != "messages"}
    notes = [f"shortened; for the whole memory, call get with budget {need}"]
    text = memory["text"]
    return _fitting(lambda length: {"memory": {**brief, "text": text[:length]}, "notes": notes}, len(text), budget)


def stored(items: list[Answer], rest: Answer) -> Answer:
    """Return the results for several facts and `rest`. To fit the budget, leave out details, then stored facts."""
    if size(answer := {"items": items, **rest}) <= BUDGET:
        return answer
    less = [{key: value for key, value in item.items() if key not in ("alike", "score", "duration")} for item in items]
    is_less = any("alike" in item for item in items)
    notes = ["similar memories are left out; to see them, recall the text of a fact"] if is_less else []
    return outcomes(less, lambda item: "error" in item, {**rest, "notes": notes})


def outcomes(items: list[Answer], is_wrong: Callable[[Answer], bool], rest: Answer) -> Answer:
    """Return the results for many items and `rest`. If they exceed the budget, return only failures, as many as fit."""
    answer: Answer = {"items": items, **rest}
    if size(answer) <= BUDGET:
        return answer
    wrong = [{"number": number, **item} for number, item in enumerate(items, 1) if is_wrong(item)]
    notes = [
        *rest.get("notes", ()),
        f"{len(items)} results exceed the budget: only the failed ones are shown, each with its number",
    ]

    def build(many: int) -> Answer:
        hidden = {"not_shown": len(wrong) - many} if many < len(wrong) else {}
        return {**rest, "items": wrong[:many], **hidden, "notes": notes}

    return _fitting(build, len(wrong), BUDGET)


def questions(ask: "Callable[[int], Review]", budget: int) -> Answer:
    """Return pending reviews with a prompt, in at most `budget` tokens.

    `ask(tokens)` returns reviews with a prompt of at most that many tokens. It is called with smaller numbers until the
    answer fits.
    """
    room, before = budget, 0
    answer: Answer
    while (need := size(answer := clean(waiting(ask(room))))) > budget:
        if need == before or room <= need - budget:  # a smaller number does not make the answer smaller
            raise _too_small(budget, need)
        room, before = room - (need - budget), need
    return answer


def _fitting(build: Callable[[int], Answer], most: int, budget: int, least: int = 0) -> Answer:
    """Return `build(number)` for the greatest number from `least` to `most` with which the answer fits the budget."""
    many = bisect_left(range(1, most + 1), True, key=lambda number: size(clean(build(number))) > budget)
    answer: Answer = clean(build(max(many, least)))
    if size(answer) > budget:
        raise _too_small(budget, size(answer))
    return answer


def _too_small(budget: int, least: int) -> UsageError:
    return UsageError(f"budget {budget} is too small for an answer", hint=f"give a budget of {least} tokens or more")
