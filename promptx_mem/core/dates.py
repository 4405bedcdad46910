"""Dates in queries and texts (`2026-01-03`, `上周三`, `3 days ago`, `7d`), read as time spans.

`now` is an aware datetime, and days are local dates in its time zone. With a zoneinfo zone, days after a clock change
begin at the right time. A fixed offset applies to all days.
"""

import re
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta

from promptx_mem.core.durations import amount_seconds, canonical, number_of
from promptx_mem.core.text import HALF_WIDTH, narrowed, pattern
from promptx_mem.core.times import DATE_HINTS
from promptx_mem.record import NamedTuple

SECONDS = {"minute": 60, "hour": 3600, "day": 86400, "week": 7 * 86400}


class DateSpan(NamedTuple):
    """The time span of a date: `start` is included, `end` is not.

    `instant` is the exact time if the text names one: a time of day, an hour ago, `7d`.
    """

    start: datetime
    end: datetime
    instant: datetime | None = None

    @property
    def since(self) -> float:
        """Return the exact time, else the start, in epoch seconds."""
        return (self.instant or self.start).timestamp()

    @property
    def until(self) -> float:
        """Return the exact time, else the end (not included), in epoch seconds."""
        return (self.instant or self.end).timestamp()


def _between(first: date, after: date, now: datetime) -> DateSpan:
    start = datetime(first.year, first.month, first.day, tzinfo=now.tzinfo)
    return DateSpan(start, datetime(after.year, after.month, after.day, tzinfo=now.tzinfo))


def _days(first: date, count: int, now: datetime) -> DateSpan:
    """Return the span of `count` local days that begins with the day `first`."""
    return _between(first, first + timedelta(days=count), now)


def _first_of(number: int, month: int) -> date:
    """Return the first day of a month. Month 1 is January of the year `number`, month 0 is the December before."""
    years, index = divmod(month - 1, 12)
    return date(number + years, index + 1, 1)


def _dated(number: int, month: int, day: str | None, now: datetime) -> DateSpan:
    """Return the span of a day, or of a whole month if `day` is None. `number` is the year."""
    if day:
        return _days(date(number, month, _number(day)), 1, now)
    return _between(date(number, month, 1), _first_of(number, month + 1), now)


def unit_span(step: int, name: str, now: datetime) -> DateSpan:
    """Return the span of the current day, week, month or year, moved by `step` units. `name` is the unit."""
    today = now.date()
    if name == "day":
        return _days(today + timedelta(days=step), 1, now)
    if name == "week":
        return _days(today + timedelta(days=7 * step - today.weekday()), 7, now)
    months = 12 if name == "year" else 1
    first = _first_of(today.year, (1 if name == "year" else today.month) + step * months)
    return _between(first, _first_of(first.year, first.month + months), now)


def _in_week(step: int, weekday: int, count: int, now: datetime) -> DateSpan:
    """Return the span of `count` days that begins with a `weekday`, in the week that is `step` weeks after this one."""
    return _days(unit_span(step, "week", now).start.date() + timedelta(days=weekday), count, now)


def _latest(month: int, day: str | None, now: datetime) -> DateSpan:
    """Return the span of the latest `month` that has begun, or of the latest date up to today with this `day`."""
    for number in range(now.year, now.year - 9, -1):  # 29 February can be eight years ago
        with suppress(ValueError):
            if date(number, month, _number(day) if day else 1) <= now.date():
                return _dated(number, month, day, now)
    raise ValueError(month, day)


def _since(moment: datetime, now: datetime) -> DateSpan:
    """Return the span from a time to the end of today."""
    return DateSpan(moment, unit_span(0, "day", now).end, moment)


def back(seconds: float, now: datetime) -> datetime:
    """Return the time that is `seconds` seconds before `now`, regardless of clock changes."""
    return (now.astimezone(UTC) - timedelta(seconds=seconds)).astimezone(now.tzinfo).replace(tzinfo=now.tzinfo)


def _ago(count: int, name: str, now: datetime) -> DateSpan:
    """Return the span that is `count` units ago.

    The span is a whole day, week, month or year. For hours and minutes, it is one unit around the exact time.
    """
    if name not in ("hour", "minute"):
        return unit_span(-count, name, now)
    moment, half = back(count * SECONDS[name], now), SECONDS[name] / 2
    return DateSpan(back(half, moment), back(-half, moment), moment)


def _within(count: int, name: str, now: datetime) -> DateSpan:
    """Return the span of the last `count` units: from `count` units ago to the end of today."""
    if seconds := SECONDS.get(name):
        return _since(back(count * seconds, now), now)
    first = _first_of(now.year, now.month - count * (12 if name == "year" else 1))
    day = min(now.day, (_first_of(first.year, first.month + 1) - first).days)
    return _since(now.replace(year=first.year, month=first.month, day=day), now)


FLAGS = re.ASCII | re.IGNORECASE

_ABSOLUTE = (
    r"(?<![A-Za-z0-9_./:-])(?P<y>[0-9]{4})"
    r"(?:(?P<sep>[-/])(?P<m>[0-9]{1,2})(?:(?P=sep)(?P<d>[0-9]{1,2}))?"
    r"|\s?年(?:\s?(?P<zm>[0-9]{1,2}|[一二三四五六七八九十]{1,3})\s?月份?"
    r"(?:\s?(?P<zd>[0-9]{1,2}|[一二三四五六七八九十]{1,3})\s?[日号])?)?)"
    r"(?:(?:T|\s{1,2})(?P<time>[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?)"
    r"(?:\s?(?P<zone>Z|[+-][0-9]{2}:?[0-9]{2}))?)?"
    r"(?(sep)(?![A-Za-z0-9_]|[-/.:][A-Za-z0-9]))"
)

_N = "(?:[0-9]{1,4}|[一二两三四五六七八九十百零]{1,5}|(?<!个)半)"
_D = "(?:[0-9]{1,2}|[一二三四五六七八九十]{1,3})"
_ALONE = "(?<![0-9.一二两三四五六七八九十百零几])"
_WEEK = "(?:周|星期|礼拜)"
_WEEKDAY = "[一二三四五六日天末1-7](?![0-9次天个场遍回件位])"
_UNIT = "(?:天|日|周|个?星期|个?礼拜|个月|年|个?小时|个?钟头|分钟)"
_WHICH = "上上个?|(?<!以)上个?|这个?|(?<!日)本|下个?"
# The lookarounds exclude words that only look similar: 以前天天, 目前, 日本周边, 以上周期, 一周三次, 五月天.
_CHINESE = (
    rf"(?P<day>大?(?<![以之目从])前[天日]|昨[天日晚夜]|今[天日早晨晚夜]|明[天日]|大?后天)"
    rf"|{_ALONE}(?P<ago>{_N})\s?(?P<ago_unit>{_UNIT})[之以]?前"
    rf"|(?:最近|过去|近|这)的?\s?(?P<last>{_N})\s?(?P<last_unit>{_UNIT})"
    rf"|(?P<which_week>{_WHICH}){_WEEK}(?:(?P<of_week>{_WEEKDAY})|(?![期边围岁年密到长刊转]))"
    rf"|(?<![0-9一二两三四五六七八九十百半几每整多上下这本个]){_WEEK}(?P<weekday>{_WEEKDAY})"
    rf"|(?P<which_month>{_WHICH})月(?![亮球饼光])(?:\s?(?P<d>{_D})\s?[日号])?"
    rf"|(?P<year>大前年|(?<![以之目从])前年|去年|今年|明年|后年)"
    rf"(?:的?\s?(?P<m>{_D})\s?月份?(?:\s?(?P<d2>{_D})\s?[日号])?)?"
    rf"|{_ALONE}(?P<m2>{_D})\s?月(?!天)份?(?:\s?(?P<d3>{_D})\s?[日号])?"
)

# `may` counts as a month only if it is written May.
_MONTH = (
    "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|(?-i:May)|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    "|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_DAYNAME = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_COUNT = "(?:[0-9]{1,4}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
_ENGLISH = (
    r"\b(?:(?P<day>(?:(?:the )?day before )?yesterday|today|tonight|last night|this (?:morning|afternoon|evening)"
    r"|tomorrow)"
    rf"|(?P<ago>{_COUNT}) (?P<ago_unit>minute|hour|day|week|month|year)s? ago"
    rf"|(?:last|past|previous) (?P<last>{_COUNT}) (?P<last_unit>minute|hour|day|week|month|year)s?"
    rf"|(?P<which>last|previous|past|this|next) (?P<what>weekend|week|month|year|{_DAYNAME})"
    rf"|(?P<weekday>{_DAYNAME})"
    rf"|(?P<m>{_MONTH})\.? (?P<d>[0-9]{{1,2}})(?:st|nd|rd|th)?(?:,? (?P<y>[0-9]{{4}}))?"
    rf"|(?P<d2>[0-9]{{1,2}})(?:st|nd|rd|th)? (?:of )?(?P<m2>{_MONTH})(?:\.?,? (?P<y2>[0-9]{{4}}))?"
    rf"|(?P<m3>{_MONTH})\.?,? (?P<y3>[0-9]{{4}})"
    rf"|(?:in|(?P<before>last)) (?P<m4>{_MONTH}))\b"
).replace(" ", r"\s{1,3}")

_DAYS = {
    "大前": -3, "前": -2, "昨": -1, "今": 0, "明": 1, "后": 2, "大后": 3,
    "day before yesterday": -2, "yesterday": -1, "last night": -1, "tomorrow": 1,
}  # fmt: skip
_STEPS = {"上上": -2, "上": -1, "这": 0, "本": 0, "下": 1, "last": -1, "previous": -1, "this": 0, "next": 1}
_YEARS = {"大前年": -3, "前年": -2, "去年": -1, "今年": 0, "明年": 1, "后年": 2}
_UNITS = {"天": "day", "日": "day", "周": "week", "星期": "week", "礼拜": "week", "月": "month", "年": "year"}
_UNITS |= {"小时": "hour", "钟头": "hour", "分钟": "minute"}
_HALVES = {"year": (6, "month"), "month": (2, "week"), "day": (12, "hour"), "hour": (30, "minute")}
_WORDS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
WEEKDAYS = ("周", "星期", "礼拜", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
"""Beginnings of a date that is only a weekday. It also occurs in facts about every week."""


def absolute(match: re.Match[str], now: datetime) -> DateSpan:
    """Read a date that begins with the year, with or without a time of day."""
    parts = match.groupdict()
    number, month, day = int(parts["y"]), parts["m"] or parts["zm"], parts["d"] or parts["zd"]
    if parts["time"] is None:
        return _dated(number, _number(month), day, now) if month else unit_span(number - now.year, "year", now)
    if day is None:
        raise ValueError(match[0])
    zone = datetime.strptime(parts["zone"].upper(), "%z").tzinfo if parts["zone"] else now.tzinfo
    start = datetime(number, _number(month), _number(day), tzinfo=zone)
    clock, _, fraction = parts["time"].partition(".")
    hour, minute, *second = (int(part) for part in clock.split(":"))
    moment = start.replace(hour=hour, minute=minute, second=sum(second), microsecond=int(fraction[:6].ljust(6, "0")))
    return DateSpan(moment, back(-1 if second else -60, moment), moment)


def relative(match: re.Match[str], now: datetime) -> DateSpan:
    """Read any other Chinese or English date: relative to now, or with a month."""
    found = match.groupdict().items()
    parts = {name.rstrip("234"): " ".join(value.lower().split()) for name, value in found if value}
    if word := parts.get("day"):
        return unit_span(_DAYS.get(word.removeprefix("the "), _DAYS.get(word[:-1], 0)), "day", now)
    for name, read in (("ago", _ago), ("last", _within)):
        if count := parts.get(name):
            return read(*_amount(count, parts[f"{name}_unit"]), now)
    if unit := parts.get("what"):
        return _english_unit(parts["which"], unit, now)
    if word := parts.get("weekday"):
        return _latest_weekday(word, now)
    if direction := parts.get("which_week"):
        step, weekday = _step(direction), parts.get("of_week")
        return _in_week(step, *_weekday(weekday), now) if weekday else unit_span(step, "week", now)
    return _month_of(parts, now)


def _month_of(parts: dict[str, str], now: datetime) -> DateSpan:
    """Read a month or a day of a month, or a year that is relative to now."""
    day, name = parts.get("d"), parts.get("m")
    if direction := parts.get("which_month"):
        month = unit_span(_step(direction), "month", now).start
        return _dated(month.year, month.month, day, now)
    years = _YEARS.get(parts.get("year", ""))
    if name is None:
        return unit_span(years or 0, "year", now)
    number = _MONTHS.index(name[:3]) + 1 if name[:3] in _MONTHS else _number(name)
    if years is None and "y" not in parts:
        return _latest(number, day, unit_span(-1, "month", now).start if "before" in parts else now)
    return _dated(int(parts["y"]) if years is None else now.year + years, number, day, now)


def _step(word: str) -> int:
    """Return the number of weeks, months or quarters that 上个, 本 or `next` means."""
    return _STEPS[word.lower().removesuffix("个")]


def _amount(count: str, unit: str) -> tuple[int, str]:
    unit = _UNITS.get(unit.removeprefix("个"), unit)
    if count != "半":
        return _number(count), unit
    if unit not in _HALVES:
        raise ValueError(unit)
    return _HALVES[unit]


def _weekday(name: str) -> tuple[int, int]:
    """Return the number of a weekday (Monday is 0) and the number of days; a weekend has 2 days."""
    if name in ("末", "weekend"):
        return 5, 2
    if name[:3] in _WEEKDAYS:
        return _WEEKDAYS.index(name[:3]), 1
    return ("一二三四五六日".index(name.replace("天", "日")) if not name.isdecimal() else int(name) - 1), 1


def _latest_weekday(name: str, now: datetime, *, before_today: bool = False) -> DateSpan:
    """Return the span of the latest weekday or weekend that has begun. With `before_today`: not today."""
    weekday, count = _weekday(name)
    return _in_week(-(now.weekday() < weekday + before_today), weekday, count, now)


def _english_unit(direction: str, unit: str, now: datetime) -> DateSpan:
    if unit in ("week", "month", "year"):
        return _within(1, unit, now) if direction == "past" else unit_span(_STEPS[direction], unit, now)
    step, (weekday, count) = _STEPS.get(direction, -1), _weekday(unit)
    if unit == "weekend" or not step:
        return _in_week(step, weekday, count, now)
    if step < 0:
        return _latest_weekday(unit, now, before_today=True)
    return _in_week(now.weekday() >= weekday, weekday, count, now)


def _number(text: str) -> int:
    """Read a number: digits, a Chinese numeral below 1000 or an English numeral up to twelve."""
    if text.isascii() and not text.isdecimal():
        return 1 if text in ("a", "an") else _WORDS.index(text)
    return number_of(text)


FAMILIES = tuple(zip((_ABSOLUTE, _CHINESE, _ENGLISH), DATE_HINTS, (absolute, relative, relative), strict=True))
"""For each kind of date (absolute, Chinese, English): the expression, a quick test that misses no date, the reader."""

_PIECES = {
    name: (number, len(parts))
    for parts in (
        ("上半年|上半月|first half", "下半年|下半月|second half"),
        ("初|上旬|beginning|start|early", "中旬|中|middle|mid", "底|末|下旬|end|late"),
        (
            *("一季度|1季度|first quarter|q1", "二季度|2季度|second quarter|q2"),
            *("三季度|3季度|third quarter|q3", "四季度|4季度|fourth quarter|q4"),
        ),
    )
    for number, names in enumerate(parts)
    for name in names.split("|")
}
"""Parts of a year or month: the number of the part, and the number of equal parts."""

_PIECE = "|".join(_PIECES)
_PERIOD = (
    rf"\b(?:(?:in|at) )?(?:the )?(?P<piece>{_PIECE})\b(?:-| of)?"
    rf"(?: ?(?P<whole>(?:the|this|last|next) (?:year|month)|{_MONTH}(?:,? [0-9]{{4}})?|[0-9]{{4}})\b)?"
    rf"|\b(?P<which>last|previous|this|next) quarter\b|(?P<zwhich>{_WHICH})季度"
    rf"|(?P<zwhole>(?:[0-9]{{4}}\s?年?|大?[前去今明后]年|年)?(?:的?\s?{_D}\s?月份?)?|(?:{_WHICH})?月)"
    rf"的?\s?第?(?P<zpiece>{_PIECE})"
)


def _period(match: re.Match[str], now: datetime) -> DateSpan:
    """Read a quarter, or a part of a year or month. In a longer text, such words can have other meanings."""
    if which := match["which"] or match["zwhich"]:
        quarter = (now.month - 1) // 3 + _step(which)
        return _between(_first_of(now.year, 3 * quarter + 1), _first_of(now.year, 3 * quarter + 4), now)
    name = (match["piece"] or match["zpiece"]).lower()
    number, parts = _PIECES[name]
    whole = (match["whole"] or match["zwhole"] or "").replace("the ", "this ")
    if not whole and parts == 3:
        raise ValueError(match[0])
    whole = {"": "本月" if name.endswith("月") else "今年", "年": "今年", "月": "本月"}.get(whole, whole)
    period = parse_date(whole, now)
    first, after = period.start.date(), period.end.date()
    months = (after.year - first.year) * 12 + after.month - first.month
    if months not in (1, 12):
        raise ValueError(match[0])
    start, end = (
        _first_of(first.year, 1 + 12 * place // parts) if months == 12 else first + timedelta(days=30 * place // parts)
        for place in (number, number + 1)
    )
    return _between(start, after if number + 1 == parts else end, now)


_HINT = r"季|[年月份].?[初中上下底末]|[上下]半|q[1-4]|quarter|half|\b(?:early|mid|late|end|start|beginning)"
PERIODS = (_PERIOD, _HINT, _period)

_TO = "[-–—~～到至]"
_ON = rf"^on (?:the )?(?={_DAYNAME}|{_MONTH}|[0-9])"
_PART_OF_DAY = "(?:morning|noon|afternoon|evening|night)"
_THE_PAST = rf"^the(?= (?:last|past) (?:{_COUNT} )?(?:minute|hour|day|week|month|year)s?$)"
SIMPLIFICATIONS = (
    ("bcglnprvy", rf"(?i)(^|\b(?:since|until|till|before|after) +)(?={_MONTH}\W*$)", r"\1in "),
    ("/", r"(?<![A-Za-z0-9_./])(?<![0-9]{4}-)([0-9]{1,2})/([0-9]{1,2})(?![A-Za-z0-9_./])", r"\1月\2日"),
    ("日号", rf"({_D} ?月 ?)({_D}) ?[日号]? ?{_TO} ?(?={_D} ?[日号])", r"\1\2日到\1"),
    ("月", rf"{_ALONE}(?<!月)({_D}) ?{_TO} ?(?={_D} ?月)", r"\1月到"),
    ("周期拜", rf"((?:{_WHICH})?{_WEEK})([一二三四五六]) ?{_TO} ?(?=[二三四五六日天])", r"\1\2到\1"),
    ("季", "个季度", "季度"),
    ("年月", r"([年月])(?=\1)", ""),
    ("内", rf"((?:[0-9]{{4}}|[今去前明])年|(?:{_WHICH})(?:月|{_WEEK}|季度))[之以]?内", r"\1"),
    ("内", rf"(?:最近|过去|近|这)?的?\s?({_N}\s?{_UNIT})[之以]?内", r"最近\1"),
    (
        "午晨早晚夜",
        "(?<![今昨明])的? ?(?:凌晨|清[晨早]|早[上晨]|[上中下]午|午后|傍晚|晚[上间]|夜[里间晚]|[半深午]夜)",
        "",
    ),
    ("早晚", "(?<=[早晚])上", ""),
    ("h", rf"(?i)\b(?:within(?: the)?|(?:in|over|during) the(?= last| past)|{_THE_PAST})(?: last| past)? ", "past "),
    ("n", rf"(?i){_ON}|(?<!last)(?<!this)(?: in the| at)?(?: early| late)? {_PART_OF_DAY}\b", ""),
)
"""Everyday forms of dates: characters of which a form has one, an expression, and its replacement.

A part of a day means the whole day.
"""


def simplified(text: str) -> str:
    """Return a text that could be only a date, with its everyday forms replaced."""
    for some, form, instead in SIMPLIFICATIONS:
        if not set(some).isdisjoint(text.lower()):
            text = pattern(narrowed(form, text)).sub(instead, text)
    return text


_EXAMPLES = "2026-01-03, yesterday, 3 days ago, last week, 2026-01 or 7d"
_SHOWN = 40
_SENTENCE_YEARS, _YEAR_GROUPS = range(1900, 2200), ("y", "y2", "y3")
_WIDTH = HALF_WIDTH | {0x3000: " "}


class Mention(NamedTuple):
    """A date inside a text: its position, and the time span that it means, from `start` to `end` (not included)."""

    span: tuple[int, int]
    start: datetime
    end: datetime


def find_dates(
    text: str, now: datetime, *, future: bool = False, periods: bool = False
) -> tuple[list[Mention], list[str]]:
    """Return the dates in a text, and the words that only look like a date (`2026-13-45`).

    Dates after now (unless `future`) and years outside 1900-2199 are omitted. `periods`: also parts of a year or month.
    """
    plain = text.translate(_WIDTH)
    matches: list[tuple[int, int, DateSpan | None]] = []
    for form, hint, read in (*FAMILIES, PERIODS) if periods else FAMILIES:
        # most texts contain no date, and compiling a family takes milliseconds
        is_possible = re.search(narrowed(hint, plain), plain, FLAGS)
        for match in re.finditer(narrowed(form, plain), plain, FLAGS) if is_possible else ():
            number = next((value for name, value in match.groupdict().items() if value and name in _YEAR_GROUPS), None)
            if number is None or int(number) in _SENTENCE_YEARS:
                matches.append((*match.span(), _valid_cue(read, match, now)))
    mentions: list[Mention] = []
    wrong: list[str] = []
    last = 0
    for start, end, cue in sorted(matches, key=lambda item: (item[0], -item[1])):
        if start < last:
            continue
        last = end
        if cue is None:
            wrong.append(text[start:end])
        elif future or cue.start.timestamp() <= now.timestamp():
            mentions.append(Mention((start, end), cue.start, cue.end))
    return mentions, wrong


def parse_date(text: str, now: datetime) -> DateSpan:
    """Return the time span of a text that is only a date. Raises ValueError with examples.

    A time of day means the span of that minute or second. `7d` gives the time from seven days ago to the end of today.
    """
    words = simplified(" ".join(text.translate(_WIDTH).split()))
    words = re.sub(r"^([0-9]{4})\.([0-9]{1,2})\.([0-9]{1,2})\b", r"\1-\2-\3", words)
    excerpt = repr(text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…")
    for form, hint, read in (*FAMILIES, PERIODS):
        if not re.search(narrowed(hint, words), words, FLAGS):
            continue
        form = narrowed(form, words)  # noqa: PLW2901 - it finds the same
        # the expression needs a capital letter in May
        if match := re.fullmatch(form, words, FLAGS) or re.fullmatch(form, words.title(), FLAGS):
            if cue := _valid_cue(read, match, now):
                return cue
            raise ValueError(f"{excerpt} is not a valid date; write it, for example, as {_EXAMPLES}")
    if cue := _whole_text_date(words, now):
        return cue
    raise ValueError(f"{excerpt} is not a date; write it, for example, as {_EXAMPLES}")


def _whole_text_date(words: str, now: datetime) -> DateSpan | None:
    """Read a word such as `7d`, `2026` or `may`, which is a date only if the text has no other words."""
    if words.lower() in ("now", "现在"):
        return _since(now, now)
    amount = canonical(words)
    if amount and (seconds := amount_seconds(amount)) is not None:
        return _since(back(seconds, now), now)
    if re.fullmatch("[0-9]{4}", words) and "0000" < words < "9999":
        return unit_span(int(words) - now.year, "year", now)
    if re.fullmatch(f"{_DAYNAME}|mon|tues?|wed|thu(?:rs?)?|fri|sat|sun", words, FLAGS):
        return _latest_weekday(words.lower(), now)
    is_month = re.fullmatch(_MONTH, words.title(), FLAGS)
    return _latest(_MONTHS.index(words[:3].lower()) + 1, None, now) if is_month else None


def _valid_cue(
    read: Callable[[re.Match[str], datetime], DateSpan], match: re.Match[str], now: datetime
) -> DateSpan | None:
    try:
        cue = read(match, now)
        cue.start.timestamp()  # a local time of the year 1 cannot be converted
    except (ValueError, OverflowError):
        return None
    return cue
