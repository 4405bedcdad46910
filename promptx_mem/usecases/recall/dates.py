"""Dates of a recall: the caller's time zone, dates as spans, the time of `--as-of`. Loaded only if needed."""

import contextlib
import datetime
from collections.abc import Iterable, Iterator

from promptx_mem.core import dates
from promptx_mem.core.text import narrowed, pattern
from promptx_mem.core.times import epoch
from promptx_mem.errors import UsageError
from promptx_mem.record import TYPE_CHECKING
from promptx_mem.search import days, tokens
from promptx_mem.search.query import Span
from promptx_mem.search.query_days import query_dates

if TYPE_CHECKING:
    from promptx_mem.search.cache import Cache, Progress
    from promptx_mem.search.query import Criteria
    from promptx_mem.store.layout import Layout

_AROUND = " \t\n,.;:!?，。；：！？、"
_TO = (*"-–—~～到至", "to", "until", "till", "through")
_FROM = ("between", "from", "从", "自")
_WITHIN = ("之间", "期间")
"""Words between, before and after the two dates of a range."""
_OPEN = (
    (r"\b(?:ever )?since *\0|\0 ?(?:以来|至今)|(?:自从?|从) ?\0 ?(?:以来|至今|起|开始|到现在)?", "start", ""),
    (r"\bafter *\0|\0 ?[之以]后", "end", ""),
    (r"\bbefore *\0|\0 ?[之以]?前", "", "start"),
    (r"\b(?:until|till|up to) *\0|(?:直到|截至|截止到?|到) ?\0 ?(?:为止)?|\0 ?为止", "", "end"),
)
"""Periods without a start or an end: a pattern (\\0 is the date), and which limit of the date is their start or end."""
_YEARLY = r"[\d一二三四五六七八九十]{1,3} ?月|.*(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
"""A date that occurs once a year. A date with a year can also match."""


def zoned(now: datetime.datetime) -> datetime.datetime:
    """Return `now` without a zone if its UTC offset is that of the caller's zone, else unchanged.

    A time without a zone follows the rules of the caller's zone, such as summer time. Loading zoneinfo would be slower.
    """
    return now.replace(tzinfo=None) if now.astimezone().utcoffset() == now.utcoffset() else now


def span(text: str, now: datetime.datetime) -> Span:
    """Return a date or range of dates as a span of epoch seconds, whose end is excluded. Raises UsageError."""
    if found := only_a_date(text, now):
        return found
    with of_option("--date"):
        date = dates.parse_date(text, now)
        return date.start.timestamp(), date.end.timestamp()


def moment(text: str, now: datetime.datetime) -> float:
    """Return the time that `--as-of` means: the end of a day or month, the present for today, or an exact time."""
    with of_option("--as-of"):
        found = dates.parse_date(text, now)
        first, last = found.since, found.until
    if first == last:
        return first
    # the end is excluded, because midnight belongs to the next day
    return now.timestamp() if first <= now.timestamp() < last else last - 1e-6


Times = tuple[str | None, str | None, str | None]
"""The options --since, --until and --as-of."""


def dated(
    criteria: "Criteria", given: Iterable[str], text: str, times: Times, clock: datetime.datetime, *, lenient: bool
) -> "tuple[Criteria, tuple[str, ...], str, bool]":
    """Add to the criteria the dates that are `given`, a text that is only a date, and the limits in `times`.

    Also return the last three fields of `Question`. Raises UsageError; if `lenient`, skip invalid `given` dates.
    """
    now = zoned(clock)
    found, skipped = [], []
    for date in given:
        try:
            found.append(span(date, now))
        except UsageError as error:
            if not lenient:
                raise
            skipped.append(error.message)
    skipped += (f"{wrong} is not a valid date" for wrong in dates.find_dates(text, now)[1])
    as_words, is_date = "", False
    if (alone := only_a_date(text, now)) is not None:
        # memories contain 2026-01-03, `next week`, and usual words such as 周一 and Q2, but hardly `上周`
        found.append(alone)
        lower, is_later = text.lower(), alone[0] > clock.timestamp()
        is_date = is_later or bool(query_dates(lower, now.date().isoformat())[0])
        as_words = text if is_later or not is_date or query_dates(lower, None)[0] else ""
    since, until, time = limits(*times, clock)
    criteria = criteria._replace(
        now=time,
        words="" if alone else criteria.words,
        spans=tuple(found) or criteria.spans,
        since=since,
        until=until,
        talks=criteria.talks or (bool(found) and not criteria.scored),
    )
    return criteria, tuple(skipped), as_words, is_date


def limits(
    since: str | None, until: str | None, as_of: str | None, clock: datetime.datetime
) -> tuple[float | None, float | None, float]:
    """Return the times of `--since`, `--until` and `--as-of`. Raises UsageError."""
    now = zoned(clock)
    with of_option("--since"):
        first = None if since is None else dates.parse_date(since, now).since
    with of_option("--until"):
        end = None if until is None else dates.parse_date(until, now)
        last = None if end is None else end.until
    # Exact times can be equal. If --until is the day before --since, `last` equals `first`, as an end is excluded.
    if first is not None and end is not None and end.until <= first and end.since < first:
        raise UsageError(f"--since {since} is later than --until {until}", hint="swap the two dates")
    return first, last, clock.timestamp() if as_of is None else moment(as_of, now)


def only_a_date(text: str, now: datetime.datetime) -> Span | None:
    """Return the span of a text that is only a date (`昨天`, `2026-01-03`) or a range of dates, else None."""
    found = span_in(text, now, future=True)
    return None if found is None or found[1].strip(_AROUND) else found[0]


def span_in(text: str, now: datetime.datetime, *, future: bool = False) -> tuple[Span, str] | None:
    """Return the span of the only date or range of dates in a text, and the rest of the text; else None.

    A range is written `May 3 to May 5`, `between May 3 and May 5`, `5月3日到5月5日`, `2026-05-03..2026-05-05`, `since
    May`, `五月以前`. It can end after now. It can also begin after now if `future` is True.
    """
    text = dates.simplified(text.replace("..", " to "))
    mentions, wrong = dates.find_dates(text, now, future=True, periods=True)
    if not 1 <= len(mentions) <= 2 or wrong or (mentions[0].start.timestamp() > now.timestamp() and not future):
        return None
    first, last = mentions[0], mentions[-1]
    before, between, after = text[: first.span[0]], text[first.span[1] : last.span[0]], text[last.span[1] :]
    if len(mentions) == 2:
        start = next((word for word in _FROM if before.rstrip().casefold().endswith(word)), "")
        end = next((word for word in _WITHIN if after.lstrip().startswith(word)), "")
        is_range = between.strip().casefold() in _TO or (start == "between" and between.strip().casefold() == "and")
        is_range = is_range or (bool(end) and between.strip() in ("和", "与"))
        last = _after(first, last, text)
        if not is_range or first.start.timestamp() >= last.end.timestamp():
            return None
        before, after = before.rstrip()[: -len(start) or None], after.lstrip()[len(end) :]
    rest = f"{before}\0{after}"
    for form, since, until in _OPEN if len(mentions) == 1 else ():
        if (other := pattern(f"(?i){narrowed(form, rest)}").sub("\0", rest)) != rest:
            limits = {"start": first.start.timestamp(), "end": first.end.timestamp()}
            return (limits.get(since, 0.0), limits.get(until, float("inf"))), other.replace("\0", " ").strip()
    return (first.start.timestamp(), last.end.timestamp()), f"{before} {after}".strip()


def _after(first: "dates.Mention", last: "dates.Mention", text: str) -> "dates.Mention":
    """Return the second date of a range. A weekday or a date without a year is the next one after the first date."""
    begin, words = (text[slice(*one.span)].casefold() for one in (first, last))
    is_weekday = words.startswith(dates.WEEKDAYS)
    is_of_week = (first.end - first.start).days == 1 and any(day in begin for day in dates.WEEKDAYS)
    is_before = first.start.timestamp() >= last.end.timestamp()
    if not pattern(_YEARLY).match(words) and not (is_weekday and (is_of_week or is_before)):
        return last
    later = first.start + datetime.timedelta(days=6 if is_weekday else 364)
    found = dates.parse_date(words, later)
    return last._replace(start=found.start, end=found.end)


def mentions_date(text: str, date: str) -> bool:
    """Return whether a text contains a date, in the same or other words."""
    lower, asked = tokens.normalise(text), tokens.normalise(date)
    named, terms = set(days.text_terms(lower)), query_dates(asked, None)[0]
    if any(term[1] != "-" for term in terms):  # with a year: the same day of another year is another date
        named -= {f"@{term[5:]}" for term in named if term[1] != "-"}
    return tokens.contains(lower, asked) or not named.isdisjoint(terms)


@contextlib.contextmanager
def of_option(option: str) -> Iterator[None]:
    """Turn a ValueError about a date into a UsageError that names the option."""
    try:
        yield
    except ValueError as error:
        message, _, hint = str(error).partition("; ")
        raise UsageError(f"{option}: {message}", code="bad_date", hint=hint) from None


def cache_at(where: "Layout", moment: float, progress: "Progress | None" = None) -> "Cache":
    """Build a cache, in memory, of the lines and events up to the time `moment` (epoch seconds).

    A hand-edited line always has its present text, because its former text is not stored.
    """
    from promptx_mem.search import build
    from promptx_mem.store import sources

    everything = sources.read(where)
    # A purged memory is missing at every time, even before the purge, or if a merge has brought its line back.
    events = tuple(event for event in everything.events if event.kind == "purged" or _by(event.at, moment))
    # a line without a time counts only if an event had recorded its time by `moment`: the file's time can be later
    adopted = {ident for event in events if event.kind == "adopted" for ident in event.ids}
    lines = tuple(
        line
        for line in everything.lines
        if _by(line.entry.at or "", moment) or (not line.has_time and line.entry.id in adopted)
    )
    stamps = dict.fromkeys(("declarative", "journal", "archive", "recalled", "episodes"), "") | {
        "seen_at": sources.modified(where.declarative)
    }
    return build.in_memory(where, everything._replace(lines=lines, events=events), stamps, progress)


def _by(at: str, moment: float) -> bool:
    try:
        return epoch(at) <= moment
    except ValueError:
        return False
