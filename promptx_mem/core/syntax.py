"""The syntax `text #tag … score:9 duration:长期`, in an argument of `remember` and in a line of a memory file."""

from functools import lru_cache

from promptx_mem.core.labels import normalise_tag, unique
from promptx_mem.core.text import HALF_WIDTH, format_score, printable, shorten

TYPE_CHECKING = False  # a denial by the guard loads this module; to import typing would take longer than the rest
if TYPE_CHECKING:
    from typing import Any

_NUMERALS = {numeral: str(number) for number, numeral in enumerate("零一二三四五六七八九十")}
_NAMED = {"score": "score", "评分": "score", "評分": "score", "duration": "duration", "有效期": "duration"}

_STEADY = frozenset({"短期", "中期", "长期", "永久"})
"""The durations of most lines. Others are read by core.durations, which is loaded only then."""

_BEGINS = "#＃sSſdD评評有"
"""Characters with which a token (a tag, score or duration) begins. `ſ` counts as `s` if case is ignored."""

_KEPT = 64
"""Maximum length, in characters, of a word whose parsed token is cached."""


class Parsed:
    """A parsed argument, or the visible part of a line. `problems` are messages about wrong or repeated values."""

    __slots__ = ("duration", "problems", "score", "tags", "text")

    def __init__(
        self,
        text: str,
        tags: tuple[str, ...] = (),
        score: float | None = None,
        duration: str | None = None,
        problems: tuple[str, ...] = (),
    ) -> None:
        self.text, self.tags, self.score, self.duration, self.problems = text, tags, score, duration, problems


_Token = tuple[str, float | str | None, str]
"""A parsed word: its kind ("tag", "score" or "duration"), its value, and a message if the value is wrong."""


def is_token(word: str) -> bool:
    """Return whether a word at the end of a text would be read as a tag, a score or a duration."""
    return _token(word) is not None


def _token(word: str) -> _Token | None:
    if word[:1] not in _BEGINS:
        return None
    # A store repeats the same few tokens. A long word is hardly ever a token, so it is not cached.
    return _read_token(word) if len(word) <= _KEPT else _read_token.__wrapped__(word)


@lru_cache(maxsize=4096)
def _read_token(word: str) -> _Token | None:
    at = next((place for place, char in enumerate(word) if char in ":=："), 0)
    name, value = _NAMED.get(word[:at].removeprefix("#").casefold()), word[at + 1 :]
    if name == "score":
        try:
            return "score", parse_score(value), ""
        except ValueError as error:
            return "score", None, str(error)
    if name == "duration":
        if value in _STEADY:
            return "duration", value, ""
        from promptx_mem.core.durations import canonical

        duration = canonical(value)
        return "duration", duration, "" if duration else bad_duration(value)
    if word[:1] in ("#", "＃") and (tag := normalise_tag(word)) is not None:
        return "tag", tag, ""
    return None


def parse_argument(argument: str) -> Parsed:
    """Parse one argument of `remember`, or the visible part of a line. Both have the same syntax.

    Words are separated by U+0020. Tokens (tags, score, duration) are read backwards from the end, up to the first word
    that is not a token. If this word is a token after a backslash, only the backslash is removed. `<br>` is a
    newline.
    """
    tags: list[str] = []
    problems: list[str] = []
    fields: dict[str, Any] = {"score": None, "duration": None}
    text, end = "", len(argument)
    while end > 0:
        start = argument.rfind(" ", 0, end) + 1
        if word := argument[start:end]:
            token = _token(word)
            if token is None:
                is_escaped = word[0] == "\\" and is_token(word.lstrip("\\"))
                text = argument[:start] + word[is_escaped:]
                break
            kind, value, problem = token
            if kind == "tag":
                tags.append(value)  # type: ignore[arg-type]
            else:
                if fields[kind] is not None:
                    problems.append(f"the {kind} is given twice: remove one")
                if problem:
                    problems.append(problem)
                if value is not None or kind == "duration":
                    fields[kind] = value
        end = start - 1
    tags.reverse()
    text = text.strip(" ").replace("<br>", "\n").replace("&lt;!--", "<!--")
    return Parsed(text, unique(tags), fields["score"], fields["duration"], tuple(problems))


def bad_duration(value: str) -> str:
    return (
        f"duration {shorten(value, 40)!r} is not one of short|短期, medium|中期, long|长期, permanent|永久, "
        "an amount (36h, 30d, 2w, 6mo, 1y, 半年) or a date (2026-12-31)"
    )


def format_visible(text: str, tags: tuple[str, ...], score: float, duration: str) -> str:
    """Return the visible part of a line. As an argument of `remember`, it usually stores the same memory."""
    tokens = [*(f"#{tag}" for tag in tags), f"score:{format_score(score)}", f"duration:{duration}"]
    return " ".join([escape_visible(text), *tokens])


def escape_visible(text: str) -> str:
    """Return a text as one printable line. From this line, `parse_argument` restores the text as far as possible."""
    line = printable(text.replace("<!--", "&lt;!--").replace("\n", "<br>"))
    body = line.rstrip(" ")
    head, space, last = body.rpartition(" ")
    return f"{head}{space}\\{last}{line[len(body) :]}" if is_token(last.lstrip("\\")) else line


def parse_score(text: str) -> float:
    """Read a score of 0-10 (8, 8.5, 8分, 八), rounded half up to one decimal. Raises ValueError for any other text."""
    number = text.strip().removesuffix("分")
    tenths = decimal(_NUMERALS.get(number, number).translate(HALF_WIDTH), 10)
    if tenths is None:
        raise ValueError(f"score {quoted_value(text)} is not a number from 0 to 10, such as 8 or 8.5")
    return tenths / 10


def decimal(text: str, unit: int) -> int | None:
    """Read a number of 0-10 in units of 1/unit, rounded half up: 85 for `8.5` and unit 10. None for any other text."""
    before, point, after = text.partition(".")
    is_number = text.isascii() and (before + after).isdecimal() and bool(point) == bool(after)
    if not is_number or len(before) not in (1, 2):
        return None
    whole, places = int(before), len(str(unit)) - 1
    fraction = after.ljust(places + 1, "0")
    if whole > 10 or (whole == 10 and fraction.strip("0")):
        return None
    return whole * unit + int(fraction[:places]) + (fraction[places] >= "5")


def quoted_value(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:39] + "…")
