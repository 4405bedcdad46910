"""Date cues: `2026-01-03`, `上周三`, `3 days ago`, `7d` as spans of time, alone or inside a sentence.

`now` is aware; days are local dates in its zone. With a zone that has rules (zoneinfo) days beyond a change
of the clocks begin at the right moment too; with a fixed offset they keep that offset.
"""

import re
from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

from promptx_mem.core import date_spans as spans
from promptx_mem.core.date_words import FAMILIES, FLAGS, by_name
from promptx_mem.core.durations import amount_seconds, canonical

FORMS = (
    "a day (2026-01-03, 1月3日, yesterday, 昨天, 3 days ago, 3天前, last monday, 上周三), "
    "a week, month or year (2026-01, 2026, last week, 上个月, 去年), "
    "a time (2026-01-03 18:00, RFC 3339) or back from now (7d, 36h, 2w, 6mo, 1y)"
)
_SHOWN = 40
_AMOUNT_LENGTH = 6
_SENTENCE_YEARS = range(1900, 2200)
_WIDTH = str.maketrans("０１２３４５６７８９：／－\u3000", "0123456789:/- ")


class Mention(NamedTuple):
    """A date inside a text: where it stands, and the half-open span it names."""

    span: tuple[int, int]
    start: datetime
    end: datetime


def parse_date_cue(text: str, now: datetime) -> tuple[datetime, datetime]:
    """Read one date as a half-open span of aware datetimes; ValueError names the value and what is accepted.

    A time of day spans its minute or second, `7d` the time since then to the end of today.
    """
    cue = _read(text, now)
    return cue.start, cue.end


def parse_since(text: str, now: datetime) -> float:
    """Return epoch seconds at which a date begins, or of the exact time given; an amount (半年) is back from now."""
    cue = _in_characters(text, now) or _read(text, now)
    return (cue.instant or cue.start).timestamp()


def parse_until(text: str, now: datetime) -> float:
    """Return epoch seconds at which a date is over (exclusive), or of the exact time given, or amount back from now."""
    cue = _in_characters(text, now) or _read(text, now)
    return (cue.instant or cue.end).timestamp()


def find_dates(text: str, now: datetime) -> tuple[list[Mention], list[str]]:
    """Find the dates mentioned in a text, and the words that only look like one (`2026-13-45`).

    Dates that lie ahead are left out, since nothing was noted then, and years outside 1900-2199, which are
    other numbers.
    """
    plain = text.translate(_WIDTH)
    matches: list[tuple[int, int, spans.Cue | None]] = []
    for pattern, hint, read in FAMILIES:
        # most texts hold no date, and compiling a family takes milliseconds
        for match in re.finditer(pattern, plain, FLAGS) if re.search(hint, plain, FLAGS) else ():
            number = match.groupdict().get("y")
            if number is None or int(number) in _SENTENCE_YEARS:
                matches.append((*match.span(), _calendar(read, match, now)))
    mentions: list[Mention] = []
    wrong: list[str] = []
    last = 0
    for start, end, cue in sorted(matches, key=lambda item: (item[0], -item[1])):
        if start < last:
            continue
        last = end
        if cue is None:
            wrong.append(text[start:end])
        elif cue.start.timestamp() <= now.timestamp():
            mentions.append(Mention((start, end), cue.start, cue.end))
    return mentions, wrong


def _read(text: str, now: datetime) -> spans.Cue:
    words = " ".join(text.translate(_WIDTH).split())
    excerpt = repr(text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…")
    for pattern, hint, read in FAMILIES:
        if not re.search(hint, words, FLAGS):
            continue
        # a month stands there with a capital letter
        if match := re.fullmatch(pattern, words, FLAGS) or re.fullmatch(pattern, words.title(), FLAGS):
            if cue := _calendar(read, match, now):
                return cue
            raise ValueError(f"{excerpt} is not in the calendar; give {FORMS}")
    if cue := _alone(words, now):
        return cue
    raise ValueError(f"{excerpt} is not a date; give {FORMS}")


def _in_characters(text: str, now: datetime) -> spans.Cue | None:
    """Read an amount (半年), which beside nothing else is a date only as a bound."""
    amount = None if text.isascii() else canonical(text.strip())
    seconds = amount_seconds(amount) if amount else None
    return None if seconds is None else spans.since(spans.back(seconds, now), now)


def _alone(words: str, now: datetime) -> spans.Cue | None:
    """Read what is a date only where nothing else stands beside it."""
    if words.lower() in ("now", "现在"):
        return spans.since(now, now)
    amount = canonical(words) if words.isascii() else words
    if amount and (seconds := amount_seconds(amount)) is not None and len(amount) <= _AMOUNT_LENGTH:
        return spans.since(spans.back(seconds, now), now)
    if re.fullmatch("[0-9]{4}", words) and "0000" < words < "9999":
        return spans.year(int(words), now)
    return by_name(words, now)


def _calendar(
    read: Callable[[re.Match[str], datetime], spans.Cue], match: re.Match[str], now: datetime
) -> spans.Cue | None:
    try:
        return read(match, now)
    except (ValueError, OverflowError):
        return None
