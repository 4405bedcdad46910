"""A request as a shell command that can be pasted: what every refusal of the gate offers."""

from typing import Any

from promptx_mem.core import near_misses
from promptx_mem.core.entry import FIELDS
from promptx_mem.core.request import Request
from promptx_mem.core.shell import DURATION, PROGRAM, SCORE, TAG, TEXT, join, with_text
from promptx_mem.core.syntax import escape_visible, parse_argument
from promptx_mem.core.tags import normalise_tag, unique

MAX_TEXT = 1_000
"""Characters of a text that is still worth repeating in a message; a longer one comes from a file."""

_OWN = {kind: tuple(field.name for field in FIELDS if field.option == kind) for kind in ("value", "values", "flag")}
_OPTIONS = ("dims", "profile", *_OWN["value"], "session", "update", "memory_dir")
_FLAGS = ("explicit", *_OWN["flag"], "user", "split", "allow_secret", "dry_run")


def command(request: Request, *, spelled: str = "", most: int = MAX_TEXT, **changes: Any) -> str:
    """The command that makes `request` with some fields changed; a shell takes it as it stands, whatever the text.

    Tokens stand behind the text as a person would write them; they become options where that would not give the
    same text back. Tokens with a wrong value are left out. The characters in `spelled` stand nowhere in it.
    """
    request = _with_options(request)._replace(**changes)
    tags, rest = unique(normalise_tag(tag) or near_misses.tag_of(tag) or TAG for tag in request.tags), _options(request)
    tokens = [f"#{tag}" for tag in tags]
    tokens += [f"{name}:{value}" for name in ("score", "duration") if (value := getattr(request, name)) is not None]
    open_ends = TAG in tags or request.score == SCORE or request.duration == DURATION
    if len(request.text) > most and not open_ends:
        return join([PROGRAM, "remember", "-", *tokens, *rest], spelled) + " < FILE"
    visible = escape_visible(request.text)
    if open_ends or parse_argument(visible).text != request.text:
        visible, tokens = request.text, []
        rest = [*(word for tag in tags for word in ("-t", tag)), *_option_words(request, ("score", "duration")), *rest]
    if len(request.text) > most:
        return join([PROGRAM, "remember", "-", *rest], spelled) + " < FILE"
    if visible == "-":
        visible = "- "  # a single - would read stdin
    if "\0" in visible:
        return with_text([PROGRAM, "remember", *rest], visible, spelled)
    if request.text.startswith("-"):
        return join([PROGRAM, "remember", *rest, "--", visible, *tokens], spelled)
    return join([PROGRAM, "remember", visible, *tokens, *rest], spelled)


def completed(request: Request, *, bare: bool = False) -> str:
    """The command with a placeholder for each part that `remember` demands and the request does not have.

    What is nearly a token stands there as one, with `bare` also a number at the end of the text.
    """
    whole = _with_options(request)
    if not request.literal and (text := near_misses.mended(request.text, named=True, bare=bare)):
        whole = _with_options(request._replace(text=text))
    judged = whole.score is not None or whole.explicit or whole.dims is not None or whole.update is not None
    return command(
        whole,
        text=whole.text or TEXT,
        tags=whole.tags or (() if whole.update else (TAG,)),
        score=whole.score if judged else SCORE,
    )


def _with_options(request: Request) -> Request:
    """The same request with its tokens as fields."""
    if request.literal:
        return request
    parsed = near_misses.read(request)
    score = None if parsed.score is None else f"{parsed.score:g}"
    return request._replace(text=parsed.text, tags=parsed.tags, score=score, duration=parsed.duration)


def _options(request: Request) -> list[str]:
    several = [word for name in _OWN["values"] for value in getattr(request, name) for word in (_option(name), value)]
    flags = [_option(name) for name in _FLAGS if getattr(request, name)]
    return [*flags, *_option_words(request, _OPTIONS), *several]


def _option_words(request: Request, names: tuple[str, ...]) -> list[str]:
    return [word for name in names if (value := getattr(request, name)) is not None for word in (_option(name), value)]


def _option(name: str) -> str:
    return "--" + name.replace("_", "-")
