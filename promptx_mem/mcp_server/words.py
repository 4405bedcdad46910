"""What a tool says: one object, which is its text too, and errors that name the argument to change."""

import json
import re
from collections.abc import Mapping
from typing import Any

from promptx_mem.core.description import Description, Recall, references, warnings
from promptx_mem.core.origin import NOTICE, OWN, USER
from promptx_mem.core.text import is_printable, printable_lines
from promptx_mem.errors import PromptxMemError
from promptx_mem.result import Result
from promptx_mem.usecases.review import UNSCORED, Review

Answer = dict[str, Any]

LOST = "lost"
"""An id for `change`: all memories that are missing from the files."""

RESTORE_LOST = f". To restore: change with id {LOST} and action restore; if the user deleted them: action forget"

_TAG = re.compile(r"<(?=[/!?A-Za-z])")
_OPTION = re.compile(r"--([a-z][a-z-]*)")
_ARCHIVED = re.compile("--(?=archived shows it$)")
_FIXES = {
    "score_too_low": "store it only if it is worth 5 or more; what the user asked for is given with explicit",
    "missing_score": "give score, 0 to 10, or explicit if the user asked for it",
    "no_tokens": "give tags and score",
    "tokens_first": "give tags and score as arguments",
    "missing_tag": "give tags: one word at least to find it by",
    "session_blocked": "store nothing more in this session but what the user asks for (explicit); the user can lift it",
    "credential": "leave the credential out of the text; only a person can store one",
    "too_long": "give several shorter facts in facts",
    "not_found": "find the id with recall or list",
    "below_strict": "store it only if it is worth 7 or more; what the user asked for is given with explicit",
    "no_store": "store a fact first: remember makes the memory",
    "no_review": "call review without arguments to see what waits",
    "ambiguous": "give more of the id",
    "no_text": "give text",
    "no_basis": "give reason or dims beside score",
    "score_mismatch": "give a score that dims bear out, or other dims",
    "not_credible": "store it only with explicit, if the user asked for it",
    "lasting": "leave it to the user: what never fades is not ended here",
    "ended": "bring it back first: change with action restore",
    "superseded": "act on the memory that took its place: get shows it",
    "daily_limit": "store nothing more today but what the user asks for (explicit)",
    "store_full": "end memories that no longer apply: change with action forget",
    "user_store": "give scope: user if it holds in every project",
    "both_scopes": "give scope: project or user",
}
_MESSAGES = {
    "no_store": "there is no memory yet",
    "no_tokens": "only the text arrived, no tags and no score",
    "tokens_first": "tags and score stand in the text, where they are words of it",
    "missing_tag": "tags are missing",
    "missing_score": "a score is missing: from 0 to 10, how much is it worth to remember this?",
}
"""Where the usual message is of what a shell does, or of a folder as a shell sees it."""

_ARGUMENTS = {"t": "tags", "tag": "tags", "since": "since", "n": "count", "allow-secret": "", "split": "facts"}


def text(value: Answer) -> str:
    """The object as the one text that a client may pass on instead."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def clean(value: Any) -> Any:
    """The same value with nothing in it that does not print or could open or close a tag around it."""
    return value if _is_clean(text(value)) else _clean(value)


def clean_text(value: Answer) -> str:
    """The text of the object as it is when it is clean."""
    whole = text(value)
    return whole if _is_clean(whole) else text(_clean(value))


def _is_clean(whole: str) -> bool:
    """Tell of nearly every answer at once, as JSON, that nothing is to be done."""
    return is_printable(whole) and "\\" not in whole and "<" not in whole


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return _TAG.sub("&lt;", printable_lines(value))
    if isinstance(value, Mapping):
        return {_clean(key): _clean(item) for key, item in value.items()}
    return [_clean(item) for item in value] if isinstance(value, list | tuple) else value


def memory(description: Description, *, whole: bool = False) -> Answer:
    """A memory as a model needs it: what differs from the usual, with absolute times."""
    out: Answer = {
        "id": description["id"],
        "text": description["text"],
        "tags": description["tags"],
        "score": description["score"],
        "at": description["at"],
    }
    if not description["lives"]:
        out["ended"] = description["end"]
    usual = {"category": "fact", "origin": OWN, "source": "user", "scope": "project"}
    for key in ("topic", "type", "category", "origin", "source", "scope", "supersedes", "superseded_by", "verified"):
        value = description.get(key)
        if value and value != usual.get(key):
            out[key] = value
    marks = {
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
        out |= {
            key: description[key]
            for key in ("duration", "importance", "last_access", "ends_at", "session")
            if description[key] is not None
        }
        if aliases := description.get("aka"):
            out["aka"] = aliases
    return out


HOW = "Give all answers at once to review, in answers."


def waiting(data: Review) -> Answer:
    """Return the pending reviews that an agent may answer: as many as one prompt holds, and how many more there are."""
    items = [item for item in data["reviews"] if item["review"] != UNSCORED and item["scope"] != USER]
    out: Answer = {"reviews": [{"id": item["id"], "review": item["review"]} for item in items[: data["asked"]]]}
    if data["prompt"]:
        out["prompt"] = data["prompt"]
    if hidden := len(items) - data["asked"] + data["more"]:
        out["not_shown"] = hidden
    return out


def answered(item: Answer) -> Answer:
    """What became of one answer of several."""
    out: Answer = {key: item[key] for key in ("id", "ok", "decision") if key in item}
    return out if item["ok"] else out | {"error": in_words(item["error"])}


def memories(result: Result[Recall]) -> Answer:
    """An answer of recall: the memories, and what the caller must know beside them."""
    data = result.data
    out: Answer = {"memories": [memory(item) for item in data["memories"]]}
    if hidden := data["left_out"] + (data["more"] or 0):
        out["not_shown"] = hidden
    if not data["memories"] and data["near_misses"]:
        out["near_misses"] = [_ARCHIVED.sub("", miss) for miss in data["near_misses"]]
    noted = [note for warning in result.warnings if (note := warning if warning == NOTICE else in_words(warning))]
    if noted := [*([data["hint"]] if data["hint"] else []), *noted]:
        out["notes"] = noted
    return out


def error(problem: PromptxMemError) -> Answer:
    """What went wrong, and which argument to change; never a shell command."""
    fix = _FIXES.get(problem.code) or in_words(problem.hint)
    message = _MESSAGES.get(problem.code) or in_words(problem.message)
    details = {"code": problem.code, "message": message or problem.code.replace("_", " ")}
    answer = {"error": {**details, **({"fix": fix} if fix else {})}, **new_store(problem.data)}
    return clean(answer)  # type: ignore[no-any-return] # an object stays one


def new_store(data: Mapping[str, Any]) -> Answer:
    """The store that a call made, in full; nothing where it made none."""
    return {"made_store": data["made_store"]} if data.get("made_store") else {}


def in_words(message: str) -> str:
    """A message without shell commands, its options as arguments."""
    lines = [line for part in message.split("\n") for line in re.split(r"; (?=.*promptx-mem )", part)]
    rest = (line for line in lines if "promptx-mem " not in line)
    return "; ".join(_OPTION.sub(lambda match: _argument(match[1]), line).strip() for line in rest if line.strip())


def _argument(option: str) -> str:
    return _ARGUMENTS.get(option, option.replace("-", "_"))
