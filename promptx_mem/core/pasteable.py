"""A request to remember, as a shell command to paste. Every refusal to store a fact shows this command."""

from collections.abc import Mapping

from promptx_mem.core import request as near_misses
from promptx_mem.core.durations import ENGLISH
from promptx_mem.core.entry import FIELDS
from promptx_mem.core.labels import normalise_tag, unique
from promptx_mem.core.request import STORE_AT, Request
from promptx_mem.core.shell import PROGRAM, SCORE, TAG, TEXT, join
from promptx_mem.core.syntax import Parsed, escape_visible, parse_argument
from promptx_mem.core.text import format_score, pattern
from promptx_mem.record import Any

MAX_TEXT = 1_000
"""Maximum length, in characters, of a text that a message repeats."""

_DECISION = (
    r"(?i)\b(?:we|i|they|the team|the user)(?:['’]ve| have| has)? (?:just )?(?:decided|agreed|chose|settled)\b"
    r"|\b(?:let['’]?s|we['’]?ll|we will|we are going to) (?:go with|use|stick with|switch to|keep)\b"
    r"|\b(?:decision|decided):|\bfrom now on\b|决定|以后都|今后都|一律|就这么定|定了|敲定|约定"
)
_OWN = {kind: tuple(field.name for field in FIELDS if field.option == kind) for kind in ("value", "values", "flag")}
_OPTIONS = (
    *("explicit", *_OWN["flag"], "user", "split", "allow_secret", "dry_run"),
    *("dims", "profile", *_OWN["value"], "session", "update", "memory_dir", *_OWN["values"], "cite"),
)


def command(request: Request, *, spelled: str = "", most: int = MAX_TEXT, **changes: Any) -> str:
    """Return the command for `request`, with some fields changed. It works in every shell if the text has no NUL.

    Tags, score and duration follow the text. If the text would then be read differently, they become options. Wrong
    values in the text are left out. A wrong tag option becomes `<tag>`. Characters in `spelled` become byte escapes.
    If the text is longer than `most`, only describe `changes`.
    """
    request = _with_options(request)._replace(**changes)
    if len(request.text) > most:
        return _the_same(changes)
    tags = unique(normalise_tag(tag) or near_misses.tag_of(tag) or TAG for tag in request.tags)
    request = request._replace(tags=tags, duration=ENGLISH.get(request.duration or "", request.duration))
    tokens, rest = _tokens(request), _options(request)
    visible = escape_visible(request.text)
    read = near_misses.without_marker(parse_argument(near_misses.tidy(visible)).text)
    if request.text not in (read, TEXT):
        visible, tokens = request.text, []
        rest = [*(word for tag in tags for word in ("-t", tag)), *_options(request, ("score", "duration")), *rest]
    if visible == "-":
        visible = "- "  # a single - would read stdin
    if request.text.startswith("-"):
        return join([PROGRAM, "remember", *rest, "--", visible, *tokens], spelled)
    return join([PROGRAM, "remember", visible, *tokens, *rest], spelled)


def usage(request: Request) -> str:
    """Return the usage line of a request: its values, and a placeholder such as `<tag>` for each missing value."""
    whole = _with_options(request)
    changes: dict[str, Any] = {"tags": whole.tags or (() if whole.update else (TAG,))}
    changes["score"] = whole.score if _is_judged(whole) else SCORE
    changes["text"] = whole.text if whole.text and len(whole.text) <= MAX_TEXT else TEXT
    return f"usage: {command(whole, **changes)}"


def completed(request: Request, label: str, lowest: str) -> str:
    """Return a line with `label` and the complete command of a request. A missing score becomes `lowest`.

    If the text or a tag is missing, return the usage line. Misspelled tags, scores and durations are corrected.
    """
    whole = _with_options(request)
    if not request.literal and (near := near_misses.near_miss(request.text, named=True)):
        whole = _with_fields(request, near)
    if not whole.text or not (whole.tags or whole.update):
        return usage(whole)
    if _is_judged(whole):
        return f"{label}: {command(whole)}"
    return f"{label} (raise the score if it is more important): {command(whole, score=lowest)}"


def lowest_score(text: str, least: float) -> str:
    """Return the score for a printed command: 7 for a decision in the user's words, else the lowest accepted score."""
    return format_score(max(least, STORE_AT) if pattern(_DECISION).search(text) else least)


def _is_judged(request: Request) -> bool:
    return request.score is not None or request.explicit or request.dims is not None or request.update is not None


def _the_same(changes: Mapping[str, Any]) -> str:
    """Return a description such as "the same command with --user", for a text that is too long to repeat."""
    added = Request("", **{name: value for name, value in changes.items() if value and name != "text"})
    left = [_option(name) for name, value in changes.items() if not value]
    words = [*_tokens(added), *_options(added)]
    return "the same command" + f" with {join(words)}" * bool(words) + f" without {' '.join(left)}" * bool(left)


def _tokens(request: Request) -> list[str]:
    """Return tags, score and duration as they are written after a text."""
    fields = (("score", request.score), ("duration", request.duration))
    return [*(f"#{tag}" for tag in request.tags), *(f"{name}:{value}" for name, value in fields if value is not None)]


def _with_options(request: Request) -> Request:
    return request if request.literal else _with_fields(request, near_misses.read(request))


def _with_fields(request: Request, parsed: Parsed) -> Request:
    score = None if parsed.score is None else f"{parsed.score:g}"
    return request._replace(text=parsed.text, tags=parsed.tags, score=score, duration=parsed.duration)


def _options(request: Request, names: tuple[str, ...] = _OPTIONS) -> list[str]:
    """Return the words of the options with these names that the request has: flags, options, repeated options."""
    words: list[str] = []
    for name in names:
        value = getattr(request, name)
        values = value if isinstance(value, tuple) else (value,)
        words += [word for one in values if one or one == "" for word in (_option(name), one) if word is not True]
    return words


def _option(name: str) -> str:
    return "--" + name.replace("_", "-")
