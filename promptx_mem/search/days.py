"""Search terms for dates, such as `@2026-05-01`, `@-05-01`, `@2026-05`, `@-05` and `@2026`.

These terms come from the date of a memory, from dates in its text, and from dates in a query (`query_days`).
"""

from __future__ import annotations

from functools import lru_cache

from promptx_mem.core.text import pattern

_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_MONTH = {name[:size]: place for place, name in enumerate(_MONTHS, 1) for size in (3, len(name))} | {"sept": 9}
SHORT_NAMES = tuple({name[:3] for name in _MONTH})
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
ALONE = rf"(?<![0-9]){_YEAR}|(?<![0-9])[0-9]{{4}} ?年|\b(?:{'|'.join(m for m in _MONTHS if len(m) > 3)})\b"
DIGITS = "0123456789"
_PARTS = r"[0-9]+|[a-z]{3,}"


def parts_of(date: str) -> tuple[int, int, int]:
    """Return year, month and day of a matched date: 0 for a missing part, three zeros if month > 12 or day > 31."""
    parts = pattern(_PARTS).findall(date)
    year = next((int(p) for p in parts if len(p) == 4 and p.isdigit()), 0)
    named = [_MONTH[p] for p in parts if p in _MONTH]
    month, day, *_ = [*named, *(int(p) for p in parts if p.isdigit() and len(p) < 3), 0, 0]
    return (year, month, day) if month <= 12 and day <= 31 else (0, 0, 0)


def terms_of(year: int, month: int, day: int) -> list[str]:
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
    return tuple(terms_of(*map(int, parts))) if is_iso else ()


def dates_in(lower: str) -> list[str]:
    """Return the dates in a folded, lower-case text. A year alone, or an English month alone, is left out."""
    has_digit = any(map(lower.__contains__, DIGITS))
    has_name = has_digit and any(map(lower.__contains__, SHORT_NAMES))
    if not (has_name or (has_digit and ("月" in lower or any(map(lower[:-1].__contains__, "-/."))))):
        return []
    dates = pattern(_NUMBER_FIRST).findall(lower)
    if has_name:
        dates += pattern(_NAME_FIRST).findall(pattern(_NUMBER_FIRST).sub(" ", lower))
    return dates


def text_terms(lower: str) -> list[str]:
    """Return the terms of days in a memory's folded, lower-case text, such as `@-05-01`. Months are left out."""
    if not (dates := dates_in(lower)):
        return []
    days = map(parts_of, dates)
    return [term for year, month, day in days if day for term in terms_of(year, month, day) if term.count("-") == 2]
