"""The command's own syntax: `text #tag … score:9 duration:长期`, in an argument and in a line of the file."""

import re
from functools import lru_cache
from typing import Any, NamedTuple

from promptx_mem.core.tags import normalise_tag, unique
from promptx_mem.core.text import format_score, printable, shorten

_SCORE = r"(?is)#?(?:score|评分)[:=：](.*)"
_DURATION = r"(?is)#?(?:duration|有效期)[:=：](.*)"
"""Compiled when a word may be one of them: a `recall` has none."""

_BEGINS = "#＃sSſdD评有"
"""Characters with which a token begins; `ſ` is an `s` where case does not count."""

_FEW = 8
"""Words that are cut off the end of an argument at first: few have more tokens, and a text may be long."""

_KEPT = 64
"""Characters of the longest word that is remembered with its reading."""


class Parsed(NamedTuple):
    """What the words of one argument, or of a visible line, say. `problems`: tokens with a wrong or second value."""

    text: str
    tags: tuple[str, ...] = ()
    score: float | None = None
    duration: str | None = None
    problems: tuple[str, ...] = ()


class _Token(NamedTuple):
    """What one word says: a tag, a score or a duration; `problem` where its value is wrong."""

    kind: str
    value: float | str | None
    problem: str = ""


def is_token(word: str) -> bool:
    """Whether a word at the end of a text would be read as a tag, a score or a duration."""
    return _token(word) is not None


def _token(word: str) -> _Token | None:
    if word[:1] not in _BEGINS:
        return None
    # Most tokens of a store's lines are the same few; a long word is none, and not worth remembering.
    return _read_token(word) if len(word) <= _KEPT else _read_token.__wrapped__(word)


@lru_cache(maxsize=4096)
def _read_token(word: str) -> _Token | None:
    if match := re.fullmatch(_SCORE, word):
        from promptx_mem.core.scoring import parse_score

        try:
            return _Token("score", parse_score(match[1]))
        except ValueError as error:
            return _Token("score", None, str(error))
    if match := re.fullmatch(_DURATION, word):
        from promptx_mem.core.durations import canonical

        duration = canonical(match[1])
        return _Token("duration", duration, "" if duration else bad_duration(match[1]))
    if word[:1] in ("#", "＃") and (tag := normalise_tag(word)) is not None:
        return _Token("tag", tag)
    return None


def parse_argument(argument: str) -> Parsed:
    """Read one argument of `remember`, or the visible part of a line; they are the same language.

    Words are separated by U+0020. Tokens are taken from the end up to the first word that is none. One backslash
    before a last word that looks like a token is taken away; `<br>` is a newline.
    """
    tags: list[str] = []
    problems: list[str] = []
    fields: dict[str, Any] = {"score": None, "duration": None}
    words = argument.rsplit(" ", _FEW)
    all_cut = len(words) <= _FEW
    while words:
        if len(words) == 1 and not all_cut:
            words, all_cut = words[0].split(" "), True
        word = words[-1]
        if word:
            token = _token(word)
            if token is None:
                words[-1] = _unguard(word)
                break
            kind, value, problem = token
            if kind == "tag":
                tags.append(str(value))
            else:
                if fields[kind] is not None:
                    problems.append(f"the {kind} is given twice")
                if problem:
                    problems.append(problem)
                if value is not None or kind == "duration":
                    fields[kind] = value
        words.pop()
    tags.reverse()
    text = unescape_visible(" ".join(words).strip(" "))
    return Parsed(text, unique(tags), fields["score"], fields["duration"], tuple(problems))


def bad_duration(value: str) -> str:
    return (
        f"duration {shorten(value, 40)!r} is none of 短期|short, 中期|medium, 长期|long, 永久|permanent, "
        "an amount (36h, 30d, 2w, 6mo, 1y, 半年) or a date (2026-12-31)"
    )


def format_visible(text: str, tags: tuple[str, ...], score: float, duration: str) -> str:
    """The visible part of a line: what `remember` would accept as one argument to store the same."""
    tokens = [*(f"#{tag}" for tag in tags), f"score:{format_score(score)}", f"duration:{duration}"]
    return " ".join([escape_visible(text), *tokens])


def escape_visible(text: str) -> str:
    """One printable line; `parse_argument` gives the text back unless it held what a line cannot show."""
    line = printable(text.replace("<!--", "&lt;!--").replace("\n", "<br>"))
    body = line.rstrip(" ")
    head, space, last = body.rpartition(" ")
    return f"{head}{space}\\{last}{line[len(body) :]}" if is_token(last.lstrip("\\")) else line


def unescape_visible(line: str) -> str:
    return line.replace("<br>", "\n").replace("&lt;!--", "<!--")


def _unguard(word: str) -> str:
    return word[1:] if word[0] == "\\" and is_token(word.lstrip("\\")) else word
