"""Search terms and positions of the dates in a query. A memory is stored without this module."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta

from promptx_mem.core.text import narrowed, pattern
from promptx_mem.search.days import ALONE, DIGITS, SHORT_NAMES, dates_in, parts_of, terms_of
from promptx_mem.search.ranking import ANY_YEAR, DATE

_WHEN = "in ", "during "  # before the month of an event; elsewhere, as in "figures of May", a month can be the subject
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


def query_dates(lower: str, today: str | None) -> tuple[dict[str, float], list[Span]]:
    """Return the terms of a query's dates with their weights, and the positions of times and periods in the text.

    `today` (ISO) defines "yesterday".
    """
    size = len(lower)
    if "月" in lower or "号" in lower:
        lower = pattern(_NUMERAL_DATE).sub(lambda m: _NUMERAL.get(m[0], m[0]), lower)
    dates = dates_in(lower)
    out: dict[str, float] = {}
    spans: list[Span] = []
    rest = lower
    moved = len(lower) != size  # a numeral was replaced by digits of another length, so positions differ
    for words in dates:
        parts = parts_of(words)
        # the most exact term; for a full date, also the term without the year
        for term, weight in zip(terms_of(*parts)[: 1 + all(parts)], (DATE.weight, ANY_YEAR.weight), strict=False):
            out[term] = max(weight, out.get(term, 0.0))
        at = lower.find(words)
        if not moved and (parts[2] or words[4:5] == "-" or lower[:at].endswith(_WHEN)):
            spans.append((at, at + len(words)))
        rest = rest.replace(words, " " * len(words))
    if any(map(rest.__contains__, (*DIGITS, *SHORT_NAMES))):
        alone = pattern(ALONE).findall(rest)
        out |= {terms[0]: DATE.weight for parts in map(parts_of, alone) if (terms := terms_of(*parts))}
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
