"""Incomplete requests to remember: the correction of misspelled tokens, and the command to paste.

A message that refuses a request shows this command.
"""

import re
import unicodedata
from collections.abc import Mapping

from promptx_mem.core.durations import ENGLISH, NAMES, canonical
from promptx_mem.core.entry import FIELDS
from promptx_mem.core.labels import normalise_tag, tag_of, unique
from promptx_mem.core.request import END, MARK, STORE_AT, Request, is_complete, parse, split_tokens, without_marker
from promptx_mem.core.shell import PROGRAM, SCORE, TAG, TEXT, join
from promptx_mem.core.syntax import Parsed, decimal, escape_visible, is_token, parse_argument
from promptx_mem.core.text import format_score, pattern
from promptx_mem.record import Any, NamedTuple

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


_NEAR = (
    r"(?i)(?:#?(?:(score|评分|評分|分数|分數|rating)|(duration|有效期|[时時][长長])|(?:tags?|标签)(?= ?:))( ?: ?| ))?"
    r"(?:([0-9]{1,2}(?:\.[0-9]+)?)(?:分|/10)?|(\S+))"
)
"""A value with or without a name: `8`, `8分`, `8/10`, `score : 8`, `score 8`, `duration 1y`, `tag: x`."""


class _Piece(NamedTuple):
    """The last words of a text that are meant as a token (tags, a score or duration), or punctuation.

    `words`: number of words. `token`: correct spelling, '' for punctuation. `bare`: without a colon,
    so the words are a token only after another token.
    """

    words: int
    token: str
    bare: bool = False


def near_miss(text: str, *, named: bool = False) -> Parsed | None:
    """Parse a text with corrected tokens (tags, score, duration) at its end. None if this changes nothing or fails.

    A number or `score 8` is a token only after another token. With `named` (for messages), `score 8` is always a token.
    """
    text = split_tokens(text)
    words = text.split(" ")
    pieces: list[_Piece] = []
    end = len(words)
    while end and (piece := _piece(words[:end])):
        pieces.append(piece)
        end -= piece.words
    while pieces and pieces[-1].bare and not (named and pieces[-1].words > 1):  # no token is before it
        end += pieces.pop().words
    body = split_tokens(" ".join(words[:end]).strip(" "))
    tokens = [piece.token for piece in reversed(pieces) if piece.token]
    whole = " ".join([body, *tokens])
    if not body or not tokens or whole == " ".join(text.split()):
        return None
    parsed = parse_argument(whole)
    return None if parsed.problems else parsed


def _piece(words: list[str]) -> _Piece | None:
    """Return the last words of a text as a piece, or None."""
    last = words[-1].rstrip(END) if words[-1] not in MARK else words[-1]
    if not last or is_token(last):
        return _Piece(1, last)
    if last[:1] in MARK and len(tags := [tag for tag in re.split(r"[,，;；、#＃]+", last) if tag]) > 1:
        return _Piece(1, " ".join(f"#{tag}" for tag in tags)) if all(map(normalise_tag, tags)) else None
    if len(words) > 1 and words[-2] in MARK and (tag := normalise_tag(last)):
        return _Piece(2, f"#{tag}")
    for count in range(min(3, len(words)), 0, -1):
        phrase = unicodedata.normalize("NFKC", " ".join([*words[-count:-1], last])).replace("=", ":")
        if (match := pattern(_NEAR).fullmatch(phrase)) and (token := _token_of(match)):
            return _Piece(count, token, bare=":" not in (match[3] or ""))
    return None


def _token_of(match: "re.Match[str]") -> str:
    """Return the token that a value and its name mean; '' if they mean none."""
    is_score, is_duration, is_named, number, word = match.groups()
    if number and decimal(number, 10) is not None and (is_score or not is_named):
        return f"score:{number}"
    value = word or number
    if is_duration or not is_named:  # without a name, 一年 is a word of a text
        is_clear = is_named or value.isascii() or value in NAMES
        return f"duration:{value}" if is_clear and canonical(value) else ""
    return f"#{tag}" if not is_score and (tag := tag_of(value)) else ""


def possible_token(parsed: Parsed) -> str:
    """Return the last words of a text if they could mean a score or duration, such as `score 8`; else ''."""
    words = parsed.text.split(" ")
    piece = _piece(words)
    return " ".join(words[-piece.words :]) if piece is not None and piece.bare and piece.words < len(words) else ""


def read(request: Request, *, person: bool = False) -> Parsed:
    """Parse a request's text. Correct misspelled tokens only if this makes an incomplete request complete.

    `person`: a person makes the request. It can stay incomplete if it had no correct tag.
    """
    parsed = parse(request)
    near = None if is_complete(request, parsed) else near_miss(request.text)
    if near is None or not (is_complete(request, near) or (person and not parsed.tags)):
        return parsed
    near.text = without_marker(near.text.strip())
    return near


def command(request: Request, *, spelled: str = "", most: int = MAX_TEXT, **changes: Any) -> str:
    """Return the command for `request` with `changes`. The command works in every shell if the text has no NUL.

    Tags, score and duration follow the text, or become options if the text would be read differently. Wrong
    values in the text are left out. A wrong tag option becomes `<tag>`. Characters in `spelled` become byte escapes.
    If the text is longer than `most`, only describe `changes`.
    """
    request = _with_options(request)._replace(**changes)
    if len(request.text) > most:
        return _only_changes(changes)
    tags = unique(tag_of(tag) or TAG for tag in request.tags)
    request = request._replace(tags=tags, duration=ENGLISH.get(request.duration or "", request.duration))
    tokens, rest = _tokens(request), _options(request)
    visible = escape_visible(request.text)
    read = without_marker(parse_argument(split_tokens(visible)).text)
    if request.text not in (read, TEXT):
        visible, tokens = request.text, []
        rest = [*(word for tag in tags for word in ("-t", tag)), *_options(request, ("score", "duration")), *rest]
    if visible == "-":
        visible = "- "  # a single - would read stdin
    if request.text.startswith("-"):
        return join([PROGRAM, "remember", *rest, "--", visible, *tokens], spelled)
    return join([PROGRAM, "remember", visible, *tokens, *rest], spelled)


def usage(request: Request) -> str:
    """Return the usage line of a request: its values, or placeholders such as `<tag>` if missing or over MAX_TEXT."""
    whole = _with_options(request)
    changes: dict[str, Any] = {"tags": whole.tags or (() if whole.update else (TAG,))}
    changes["score"] = whole.score if _is_judged(whole) else SCORE
    changes["text"] = whole.text if whole.text and len(whole.text) <= MAX_TEXT else TEXT
    return f"usage: {command(whole, **changes)}"


def completed(request: Request, label: str, least: float) -> str:
    """Return a line with `label` and the complete command of a request. A missing score becomes `least`.

    If the text reports a decision ("we agreed"), it becomes at least 7. If the text or a needed tag is missing,
    return the usage line. Misspelled tags, scores and durations are corrected.
    """
    whole = _with_options(request)
    if not request.literal and (near := near_miss(request.text, named=True)):
        whole = _with_fields(request, near)
    if not whole.text or not (whole.tags or whole.update):
        return usage(whole)
    if _is_judged(whole):
        return f"{label}: {command(whole)}"
    lowest = format_score(max(least, STORE_AT) if pattern(_DECISION).search(request.text) else least)
    return f"{label} (raise the score if it is more important): {command(whole, score=lowest)}"


def _is_judged(request: Request) -> bool:
    return request.score is not None or request.explicit or request.dims is not None or request.update is not None


def _only_changes(changes: Mapping[str, Any]) -> str:
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
    return request if request.literal else _with_fields(request, read(request))


def _with_fields(request: Request, parsed: Parsed) -> Request:
    score = None if parsed.score is None else f"{parsed.score:g}"
    return request._replace(text=parsed.text, tags=parsed.tags, score=score, duration=parsed.duration)


def _options(request: Request, names: tuple[str, ...] = _OPTIONS) -> list[str]:
    """Return the words of those options in `names` that a request sets: `--user --topic api`."""
    words: list[str] = []
    for name in names:
        value = getattr(request, name)
        values = value if isinstance(value, tuple) else (value,)
        words += [word for one in values if one or one == "" for word in (_option(name), one) if word is not True]
    return words


def _option(name: str) -> str:
    return "--" + name.replace("_", "-")
