"""What a judge printed, read: nothing of the prompt in it counts, and nothing in it is an error to raise."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from promptx_mem.core.ids import digest
from promptx_mem.core.json_text import LENIENT
from promptx_mem.core.paths import format_path, parse_path
from promptx_mem.core.text import shorten
from promptx_mem.core.topics import DEFAULT_PROFILE, Profile
from promptx_mem.judge.failure import JudgeError

MAX_SUMMARY = 300
MAX_TOPIC = 200
MAX_RELATED = 5
_LONELY = 0.05
_UNRELATED_DIFFUSION = 0.45
_BEYOND = 1e9
_NUMBER = re.compile(r"[+-]?[0-9]{0,9}\.?[0-9]{1,9}")
_OPENING = re.compile(r"[{\[]")
_TRIES = 2_000
"""Braces that begin nothing, after which a text is taken for none that holds an answer."""

_KEPT = re.compile(r"\[(KEEP|DROP)[:：][ ]?(m_[0-9a-z]{10})\]", re.IGNORECASE)


class RecallProfile(NamedTuple):
    """What a judge says of a conversation's slice: its summary, where it belongs, how easily it comes to mind."""

    summary: str
    topic: str | None = None
    related: tuple[str, ...] = ()
    profile: Profile | None = None


def sealed(prompt: str) -> str:
    """A prompt with a last line that no text in it can hold, so that one that comes back is known as such."""
    body = prompt.rstrip("\n")
    return f"{body}\n(end of the question {digest(body.encode('utf-8', 'replace'), 6)})\n"


def without_prompt(answer: str, prompt: str) -> str:
    """The answer alone: what comes before the prompt's last line, and lines of the prompt, are the prompt's."""
    lines = {line.strip() for line in prompt.split("\n")}
    seal = prompt.rstrip("\n").rpartition("\n")[2].strip()
    own = answer.rpartition(seal)[2] if seal else answer
    return "\n".join(line for line in own.split("\n") if line.strip() not in lines).strip()


def recall_profile(answer: str, messages: int) -> RecallProfile | None:
    """Read the JSON object with which a slice of so many messages is summarised; None where there is none."""
    return read_profile(_object(answer), messages)


def demand_profile(answer: str, messages: int) -> RecallProfile:
    """The same. Raises JudgeError where there is none."""
    profile = recall_profile(answer, messages)
    if profile is None:
        raise JudgeError("the judge gave no summary", code="judge_garbage")
    return profile


def read_profile(fields: Mapping[str, Any], messages: int) -> RecallProfile | None:
    """Read the object's fields; None where it has no summary.

    Weights are clamped to 0-1; without a related path the diffusion is at most 0.45; one message alone has 0.05 less
    activation (source 004).
    """
    summary = fields.get("summary")
    if not isinstance(summary, str) or not summary.strip():
        return None
    topic = _path(fields.get("topic"))
    items = fields.get("related")
    paths = [path for item in (items if isinstance(items, list) else []) if (path := _path(item)) and path != topic]
    related = tuple(dict.fromkeys(paths))[:MAX_RELATED]
    profile = None
    if topic is not None or related:
        weights = Profile(*(_weight(fields, name) for name in ("activation", "diffusion", "context_independence")))
        profile = Profile(
            round(weights.activation - (_LONELY if messages == 1 else 0.0), 3),
            weights.diffusion if related else min(weights.diffusion, _UNRELATED_DIFFUSION),
            weights.context_independence,
        )
    return RecallProfile(shorten(summary, MAX_SUMMARY), topic, related, profile)


def read_verdicts(answer: str, ids: set[str]) -> dict[str, bool]:
    """Which of `ids` an answer keeps (True) or drops; what it names twice, once each way, is kept."""
    verdicts: dict[str, bool] = {}
    for match in _KEPT.finditer(answer):
        ident = match[2].lower()
        if ident in ids:
            verdicts[ident] = match[1].upper() == "KEEP" or verdicts.get(ident, False)
    return verdicts


def objects(text: str) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects in a text, also those in lists, whatever stands around them."""
    stop = tries = 0
    for mark in _OPENING.finditer(text):
        if mark.start() < stop:
            continue
        try:
            value, stop = LENIENT.raw_decode(text, mark.start())
        except (ValueError, RecursionError) as error:
            tries += 1
            if tries > _TRIES or isinstance(error, RecursionError):
                return
            continue
        yield from (one for one in (value if isinstance(value, list) else [value]) if isinstance(one, dict))


def _object(answer: str) -> dict[str, Any]:
    """The last JSON object in a text that has a summary: a model thinks before it answers."""
    summaries = [fields for fields in objects(answer) if isinstance(fields.get("summary"), str)]
    return summaries[-1] if summaries else {}


def _path(value: Any) -> str | None:
    if not isinstance(value, str) or not 0 < len(value) <= MAX_TOPIC:
        return None
    return format_path(parse_path(" ".join(value.split()))) or None


def _weight(fields: Mapping[str, Any], name: str) -> float:
    """A weight as given, or its default; inside `activation_profile` as well as beside it."""
    nested = fields.get("activation_profile")
    value: Any = fields.get(name, nested.get(name) if isinstance(nested, dict) else None)
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        value = float(value)
    if not isinstance(value, int | float) or isinstance(value, bool) or not abs(value) < _BEYOND:
        return float(getattr(DEFAULT_PROFILE, name))
    return min(max(float(value), 0.0), 1.0)
