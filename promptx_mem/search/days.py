"""Search terms for dates, such as `@2026-05-01`, `@-05-01`, `@2026-05`, `@-05` and `@2026`.

These terms come from the date of a memory, from dates in its text, and from dates in a query.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache

from promptx_mem.core.text import narrowed, pattern

_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_MONTH = {name[:size]: place for place, name in enumerate(_MONTHS, 1) for size in (3, len(name))} | {"sept": 9}
_SHORT = tuple({name[:3] for name in _MONTH})
_NAME = rf"(?:{'|'.join(sorted(_MONTH, key=len, reverse=True))})\b\.?"
_YEAR = r"(?:19|20)[0-9]{2}(?![0-9])"
_MONTH_DAY = r" ?月(?: ?[0-3]?[0-9] ?[日号])?"

# Dates that begin with a digit, or with the name of a month. Each pattern begins with a single set, or is used only
# where a month is named, so that prose is searched quickly.
_NUMBER_FIRST = (
    r"[0-9](?<![0-9.][0-9])(?:(?<=[12])[0-9]{3}[-/.][01]?[0-9][-/.][0-3]?[0-9](?![0-9])"
    r"|(?:(?<=1)9|(?<=2)0)[0-9]{2}-[01][0-9](?![-0-9])"
    rf"|[0-9]{{3}} ?年 ?[01]?[0-9]{_MONTH_DAY}|[0-9]?{_MONTH_DAY}"
    rf"|[0-9]?(?:st|nd|rd|th)? (?:of )?{_NAME}(?:,? {_YEAR})?)"
)
_NAME_FIRST = rf"\b{_NAME} [0-3]?[0-9](?:st|nd|rd|th)?(?![0-9])(?:,? {_YEAR})?|\b{_NAME},? {_YEAR}"
_ALONE = rf"(?<![0-9]){_YEAR}|(?<![0-9])[0-9]{{4}} ?年|\b(?:{'|'.join(m for m in _MONTHS if len(m) > 3)})\b"
_WHEN = "in ", "during "  # before the month of an event; elsewhere, as in "figures of May", a month can be the subject
_DIGITS = frozenset("0123456789")
_PARTS = r"[0-9]+|[a-z]{3,}"
_NUMERAL = {
    tens + unit: str(10 * i + j)
    for i, tens in enumerate(("", "十", "二十", "三十"))
    for j, unit in enumerate(("", *"一二三四五六七八九"))
}
_NUMERAL_DATE = r"[一二三四五六七八九十]{1,3}(?=[月日号])"
_NEAR = {"today": 0, "tonight": 0, "今天": 0, "今日": 0, "今晚": 0, "yesterday": 1, "last night": 1}
_NEAR |= dict.fromkeys(("昨天", "昨日", "昨晚", "昨夜"), 1)

# Other days relative to today. The text is first searched for these words, since `find_dates` takes milliseconds.
_WEEK = "(?:周|星期|礼拜)"
_FAR = (
    rf"[上本这]个?(?:{_WEEK}|月)|(?:[0-9一二两三四五六七八九十百半]|[0-9] )个?(?:[天日月年]|{_WEEK})[之以]?前"
    r"|[去今前]年|最近|过去|近[ 0-9一二两三四五六七八九十半]|前[天日]"
    r"|\bago\b|before yesterday|\b(?:last|past|previous|this) (?:[a-z0-9]+ )?(?:[a-z]*day|week|month|year)"
)
_FAR_HINTS = (
    "周", "星期", "礼拜", "月", "前", "去年", "今年", "过去", "近",
    "ago", "last ", "past ", "previous ", "this ", "before ",
)  # fmt: skip
Span = tuple[int, int]
"""A range of characters: start (included) and end (excluded)."""

_MOST_DAYS = 31
_MOST_MONTHS = 12
_LONGEST = 3_660
"""Maximum length, in days, of a period in a query. A longer period gives no search terms."""


def _read(date: str) -> tuple[int, int, int]:
    """Return year, month and day of a matched date: 0 for a missing part, three zeros if month > 12 or day > 31."""
    parts = pattern(_PARTS).findall(date)
    year = next((int(p) for p in parts if len(p) == 4 and p.isdigit()), 0)
    named = [_MONTH[p] for p in parts if p in _MONTH]
    month, day, *_ = [*named, *(int(p) for p in parts if p.isdigit() and len(p) < 3), 0, 0]
    return (year, month, day) if month <= 12 and day <= 31 else (0, 0, 0)


def _terms(year: int, month: int, day: int) -> list[str]:
    """Return the terms of a date, the most exact first."""
    terms = {
        f"@{year:04}-{month:02}-{day:02}": year and month and day,
        f"@-{month:02}-{day:02}": month and day,
        f"@{year:04}-{month:02}": year and month,
        f"@-{month:02}": month,
        f"@{year:04}": year,
    }
    return [term for term, is_known in terms.items() if is_known]


@lru_cache(maxsize=4096)
def day_terms(day: str | None) -> tuple[str, ...]:
    """Return the terms of a memory's local ISO date; none if the date is missing or not ISO."""
    parts = day.split("-") if day else []
    is_iso = list(map(len, parts)) == [4, 2, 2] and "".join(parts).isdecimal()
    return tuple(_terms(*map(int, parts))) if is_iso else ()


def _dates(lower: str) -> list[str]:
    """Return the dates in a folded, lower-case text. A year alone, or an English month alone, is left out."""
    has_name = any(name in lower for name in _SHORT)
    if _DIGITS.isdisjoint(lower) or not (has_name or "月" in lower or any(map(lower[:-1].__contains__, "-/."))):
        return []
    dates = pattern(_NUMBER_FIRST).findall(lower)
    if has_name:
        dates += pattern(_NAME_FIRST).findall(pattern(_NUMBER_FIRST).sub(" ", lower))
    return dates


def text_terms(lower: str) -> list[str]:
    """Return the terms of days in a memory's folded, lower-case text, such as `@-05-01`. Months are left out."""
    if not (dates := _dates(lower)):
        return []
    days = map(_read, dates)
    return [term for year, month, day in days if day for term in _terms(year, month, day) if term.count("-") == 2]


def query_dates(lower: str, today: str | None) -> tuple[dict[str, float], list[Span]]:
    """Return the terms of a query's dates with their weights, and the positions of times and periods in the text.

    `today` (ISO) defines "yesterday".
    """
    from promptx_mem.search.ranking import ANY_YEAR, DATE  # not needed to store a memory

    size = len(lower)
    if "月" in lower or "号" in lower:
        lower = pattern(_NUMERAL_DATE).sub(lambda m: _NUMERAL.get(m[0], m[0]), lower)
    dates = _dates(lower)
    out: dict[str, float] = {}
    spans: list[Span] = []
    rest = lower
    moved = len(lower) != size  # a numeral was replaced by digits of another length, so positions differ
    for words in dates:
        parts = _read(words)
        # the most exact term; for a full date, also the term without the year
        for term, weight in zip(_terms(*parts)[: 1 + all(parts)], (DATE.weight, ANY_YEAR.weight), strict=False):
            out[term] = max(weight, out.get(term, 0.0))
        at = lower.find(words)
        if not moved and (parts[2] or words[4:5] == "-" or lower[:at].endswith(_WHEN)):
            spans.append((at, at + len(words)))
        rest = rest.replace(words, " " * len(words))
    if not _DIGITS.isdisjoint(rest) or any(name in rest for name in _SHORT):
        alone = pattern(_ALONE).findall(rest)
        out |= {terms[0]: DATE.weight for parts in map(_read, alone) if (terms := _terms(*parts))}
        for words in alone:
            at = lower.find(words)
            spans += [(at, at + len(words))] if lower[:at].endswith(_WHEN) and not moved else ()
            rest = rest.replace(words, " " * len(words))
    if today:
        terms, relative = _relative(rest, date.fromisoformat(today))
        out |= dict.fromkeys(terms, DATE.weight)
        spans += () if moved else relative
    return out, spans


def _relative(lower: str, today: date) -> tuple[list[str], list[Span]]:
    if not any(hint in lower for hint in _FAR_HINTS) or not pattern(narrowed(_FAR, lower)).search(lower):
        near = {word: ago for word, ago in _NEAR.items() if word in lower}
        spans = [(lower.find(word), lower.find(word) + len(word)) for word in near]
        return [f"@{today - timedelta(days=ago)}" for ago in near.values()], spans
    from promptx_mem.core.dates import WEEKDAYS, find_dates

    mentions, _ = find_dates(lower, datetime.combine(today, time.max, UTC))
    out: dict[str, None] = {}
    spans = []
    for mention in mentions:
        if not lower[slice(*mention.span)].startswith(WEEKDAYS):  # weekdays also occur in facts about every week
            out |= dict.fromkeys(_span_terms(mention.start.date(), mention.end.date()))
            spans.append(mention.span)
    return list(out), spans


def _span_terms(first: date, end: date) -> list[str]:
    """Return the terms of the days from `first` to `end` (excluded). Whole months or many days give months or years."""
    if (end - first).days > _LONGEST:
        return []
    days = [first + timedelta(days=number) for number in range(max((end - first).days, 1))]
    months = list(dict.fromkeys(f"@{day:%Y-%m}" for day in days))
    if len(months) > _MOST_MONTHS or (len(days) > _MOST_DAYS and first.day == first.month == end.day == end.month == 1):
        return list(dict.fromkeys(f"@{day:%Y}" for day in days))
    whole = first.day == end.day == 1 or len(days) > _MOST_DAYS
    return months if whole and len(days) > 1 else [f"@{day}" for day in days]
