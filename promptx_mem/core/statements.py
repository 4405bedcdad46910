"""Statements: short texts, split into tokens. A token is a word of the subject, or a value such as a date."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from promptx_mem.core.closeness import is_zh
from promptx_mem.core.text import pattern
from promptx_mem.data import word_lists
from promptx_mem.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Sequence

HAN = r"[^\W\d_A-Za-z]"
"""Any non-ASCII letter, such as a Chinese character. An exact range would take a millisecond to compile."""

_FIGURE = r"(?:\d{1,2}|[一二三四五六七八九十]{1,3})"
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec"
_MONTH = (
    r"(?:[Jj]an(?:uary)?|[Ff]eb(?:ruary)?|[Mm]ar(?:ch)?|[Aa]pr(?:il)?|[Mm]ay|[Jj]une?|[Jj]uly?|[Aa]ug(?:ust)?"
    r"|[Ss]ept?(?:ember)?|[Oo]ct(?:ober)?|[Nn]ov(?:ember)?|[Dd]ec(?:ember)?)\.?"
)
_DAY_OF = r"\d{1,2}(?:st|nd|rd|th)?"
_NUMERALS = "一二两三四五六七八九十百千"
_DIGITS = "0123456789"
_PATH = (
    r"#[0-9a-fA-F]{6}\b|[\w.+-]{1,64}@[\w.-]{0,64}\w|https?://[\w./~:-]+"
    r"|(?:[~.]{0,2}|[\w.-]{1,64})/(?!\d)[\w./~-]{0,250}\w/?"
    r"|(?<![\w.])\.[a-z]\w+|[a-zA-Z_][\w-]{0,64}(?:\.[a-zA-Z][\w-]{0,64})+"
)
_NUMBER = (
    r"0x[0-9a-fA-F]+|\d+(?:\.\d+)?e-?\d+\b|(?!\d[A-Z][a-z])(?:[$£¥] ?|€ ?)?\d+(?:,\d{3})*"
    r"(?:-\d+|\.\d+(?= ?%))?(?: ?%|(?:st|nd|rd|th)\b)?"
)
_CHINESE_NUMBER = (
    r"(?<=第)[一二三四五六七八九十]+(?!方)|(?<!其中)[一二两三四五六七八九十百千]+(?:点(?:半|钟|[一三]刻)?|(?=[万个天次小时分秒名人周年块元位台条层号楼倍份只辆本张行项种岁晚顶片盒瓶杯碗颗套件枚期轮页间艘架袋包斤支]|左右)"
    rf"|(?:(?<=[一二两三四五六七八九][十百千])|(?<=[十百千][一二三四五六七八九]))(?=[了吧]|(?!{HAN})))"
)
_FORMS = (
    ("date", (_DIGITS, "-/."), r"\d{4}([-/.])\d\d?\1\d\d?(?!\d)"),
    ("date", ("月",), rf"(?:\d{{4}} ?年 ?)?{_FIGURE} ?月(?: ?{_FIGURE} ?[日号])?份?"),
    ("date", (_DIGITS, _MONTHS), rf"{_MONTH} {_DAY_OF}\b(?:,? 20\d\d)?|{_DAY_OF}(?: of)? {_MONTH}\b(?:,? 20\d\d)?"),
    ("time", (_DIGITS, ":m点"), r"\d{1,2}:\d\d(?: ?[ap]m\b)?|\d{1,2} ?(?:[ap]m\b|点半?)"),
    ("path", ("#@/.",), _PATH),
    ("version", (_DIGITS, "v."), r"v?\d+(?:\.\d+)+(?!e-?\d|\d| ?%)|v\d+\b"),
    ("number", (_DIGITS,), _NUMBER),
    ("spelled", (_NUMERALS,), _CHINESE_NUMBER),
    ("word", (), rf"\d?[A-Za-z][\w+]*(?:['-]\w+)*[+#]*|#\w+|{HAN}"),
    ("end", (), r"[.;,:!?()]"),
    ("end", ("。、",), "[。、]"),
)
"""Kind, groups, form. A text with such a token has a character of each group. At one place, the first match counts."""


def _units(text: str) -> list[_Unit]:
    """Split a text into its tokens, each with its kind."""
    has_month = any(month in text.lower() for month in _MONTHS.split())
    characters = frozenset(text.replace(". ", " ").rstrip("."))  # a point after a sentence begins no path
    # Expressions compile slowly, and plain words need only the last few.
    used = [
        (kind, pattern(form))
        for kind, needed, form in _FORMS
        if (_MONTHS not in needed or has_month) and not any(map(characters.isdisjoint, needed))
    ]
    units: list[_Unit] = []
    waiting = [form.search(text) for _, form in used]
    end = 0
    while any(waiting):
        waiting = [
            form.search(text, end) if match and match.start() < end else match
            for (_, form), match in zip(used, waiting, strict=True)
        ]
        if found := [(match.start(), number, match) for number, match in enumerate(waiting) if match]:
            _, number, match = min(found)
            units.append((used[number][0], match[0]))
            end = match.end()
    return units


_SPELLED = "one two three four five six seven eight nine ten twelve twenty thirty first second third fourth fifth"
_FIGURES = "1 2 3 4 5 6 7 8 9 10 12 20 30 1st 2nd 3rd 4th 5th"
NUMBERS = dict(zip(_SPELLED.split(), _FIGURES.split(), strict=True))
_TENS = {"十": 10, "百": 100, "千": 1000}
_ONES = "一二两三四五六七八九"
_ARABIC = str.maketrans(_ONES, "1223456789")
_DAY = 86_400
_UNITS = {
    "millisecond ms 毫秒": 0.001, "s second sec 秒": 1, "minute min 分钟": 60, "h hour hr 小时": 3600,
    "day 天": _DAY, "week 周": 7 * _DAY,
    "month 个月 月": 30 * _DAY, "quarter 季度": 90 * _DAY, "半年": 182 * _DAY, "year 年": 365 * _DAY,
    "kb kib": 1, "mb mib": 1 << 10, "gb gib": 1 << 20, "tb": 1 << 30,
}  # fmt: skip
"""Units of durations, in seconds, and of sizes, in KB."""
_AMOUNT = "*"
"""The end of a token that is an amount in seconds or KB."""


def words(text: str) -> frozenset[str]:
    """Return the words of a text as a set."""
    return frozenset(text.split())


COMMON = frozenset({"light", "whose"})
"""Kinds of common words, which show little about the subject of a text."""

WORDS = frozenset({"word", "name", "label"}) | COMMON
"""Kinds of tokens that are words. All other kinds are values."""

CHANGES = frozenset({"change", "moved", "adjusted"})
_MARKS = CHANGES | {"drop", "place", "now", "not", "off", "also", "past", "only", "month"}
"""Classes of words that become classes of the text, except "drop". Words of all other classes become tokens."""

TIMES = frozenset({"date", "weekday", "time", "daytime", "period", "number duration"})
"""Kinds of time values. A new text can change values of several kinds at once, or replace one kind by another."""

_SKIPPED = words("the a an our my your its their his her new own only dr mr mrs ms frau herr 了 的 我们")
"""Words that are skipped in the search for the word before a value, such as articles."""

_BE = words("is are be get gets")
_HEADS = words("is are was were has have 是 在 由 归 有")
_TO = words("to till until 到 至")
_REASONS = words("since because so 因为 由于 方便 以便")
_DUTIES = words(
    "owns owned lead leads led manages managed maintains maintained approves approved reviews reviewed chairs chaired"
    " teaches taught handles handled replaced does responsible pays paid runs drives driven cleans cleaned"
)
_LABELED = words("规则 工单 任务 需求 缺陷 步骤 阶段 迭代 议室 房间 教室 车间 产线 节点 分片 方案 订单")
"""Last two characters of Chinese nouns before a number that is a name, as in 工单 3."""

_INTERVALS = ("interval", "间隔", "频率", "一次")
_MEASURES = words("port version timeout limit level minimum maximum php cuda rails")
"""Nouns before a number that is a value, as in "port 80"."""

_IS = ("is", "are", "became", "take over", "takes over", "took over")
_TITLES = (["the"], ["our"], ["my"], ["responsible"], ["head"], ["lead"], ["owner"], ["on", "call"], ["in", "charge"])

_TITLE = r"\b(Dr|Mrs?|Ms|Prof|St)\. "
_SHORT = 3
"""A word with a hyphen is split only if each part has more letters than this: "opt-in" is one word, "read-only" two."""

_Unit = tuple[str, str]
_Class = tuple[str, int, str]


class Token(NamedTuple):
    """A word or a value. `before` is the word before it, without articles. `follows`: a token is directly before it."""

    kind: str
    text: str
    before: str = ""
    follows: bool = False


class Statement(NamedTuple):
    """A parsed text. `head`: the words before the verb. `denied`: the words to which a negation refers.

    `forbidden`: the words from a negation to the end of its clause. `later`: the words after the first clause.
    `said`: the original words of each token, since durations and sizes become amounts in one unit.
    """

    lower: str
    tokens: tuple[Token, ...]
    head: frozenset[str]
    classes: frozenset[str]
    denied: frozenset[str]
    forbidden: frozenset[str]
    later: frozenset[str]
    words: frozenset[str]
    said: dict[str, str]

    def of(self, kind: str) -> frozenset[str]:
        return frozenset(token.text for token in self.tokens if token.kind == kind)

    def without(self) -> frozenset[str]:
        """Return the texts of all tokens except those of common words."""
        return frozenset(token.text for token in self.tokens if token.kind not in COMMON)


_PERIODS = {
    "hourly": "hour", "daily": "day", "nightly": "day", "night": "day", "morning": "day", "weekly": "week",
    "monthly": "month", "quarterly": "quarter", "日": "天", "晚": "天", "早": "天",
    "半年一次": "半年", "个季度": "季度", "季": "季度", "个星期": "周",
}  # fmt: skip
"""The units of other words for periods, such as "daily"."""

_FILE = "core/statements.txt"


@lru_cache(maxsize=1)
def lexicon() -> dict[str, str]:
    """Map each word and phrase to its class. In the file, `_` joins the words of a phrase.

    In the list `choices`, each line is a group of alternatives. A subject has only one alternative of a group. In this
    list, `+` joins the words of a phrase, and `=` joins synonyms.
    """
    found: dict[str, str] = {}
    lists = word_lists(_FILE)
    for name, words in lists.items():
        if name == "choices":
            for number, group in enumerate(words.replace("=", " ").splitlines()):
                found |= dict.fromkeys(_joined(group, "+"), f"choice {number}")
        elif name != "same meaning":
            found |= dict.fromkeys(_joined(words, "_"), name)
    units = [*filter(str.isascii, lists["unit duration"].split()), "night", "morning"]
    found.update((f"{every} {unit}", "period") for every in ("every", "each") for unit in units)
    found.update((word, "number duration") for word in ("forever", "indefinitely", "永久", "永远"))
    found.update((which + word, "weekday") for which in _WHICH for word in lists["weekday"].split() if is_zh(word))
    return found


def _joined(words: str, mark: str) -> list[str]:
    """Split at white space. In each part, replace `mark` by a space."""
    return [word.replace(mark, " ") for word in words.split()]


_WHICH = "每上下这本"
"""Characters before a Chinese weekday, as in 下周二."""

_CHANGED = "投寄发找存走约喝吃坐骑开学写放在由名住买订穿听去"
"""Verbs that report a change if 改 precedes them, as in 改坐."""


@lru_cache(maxsize=1)
def _equal_words() -> tuple[dict[str, str], dict[str, str]]:
    """Map each word of the list `same meaning` to the first word of its line: stems in English, and Chinese words."""
    groups = [line.split() for line in word_lists(_FILE)["same meaning"].splitlines()]
    pairs = [(word, group[0]) for group in groups for word in group[1:]]
    english = {_stem(word): _stem(first) for word, first in pairs if word.isascii()}
    return english, {word: first for word, first in pairs if not word.isascii()}


@lru_cache(maxsize=1)
def _synonyms() -> dict[str, str]:
    """Map each word for a choice to the first word for the same choice."""
    groups = [synonyms.replace("+", " ").split("=") for synonyms in word_lists(_FILE)["choices"].split()]
    return {word: first for first, *others in groups for word in others}


@lru_cache(maxsize=1)
def _phrases() -> dict[str, int]:
    """Map the first word (or Chinese character) of phrases to the length of the longest phrase that begins with it."""
    found: dict[str, int] = {}
    for phrase in lexicon():
        is_ascii = phrase.isascii()
        first, size = (phrase.partition(" ")[0], phrase.count(" ") + 1) if is_ascii else (phrase[0], len(phrase))
        if size > found.get(first, 1):
            found[first] = size
    return found


def _class(units: Sequence[_Unit], at: int) -> _Class:
    """Return class (or ''), length and words of the longest known phrase that begins with the unit `at`."""
    if at >= len(units) or units[at][0] != "word":
        return "", 1, ""
    word = units[at][1].lower()
    join = "" if is_zh(word) else " "
    for size in range(_phrases().get(word, 0), 1, -1):
        if name := lexicon().get(key := join.join(some for _, some in units[at : at + size]).lower()):
            return name, len(units[at : at + size]), key
    if word == "改" and at + 1 < len(units) and units[at + 1][1] in _CHANGED:
        return "change", 2, f"改{units[at + 1][1]}"
    if join and not word.isascii():
        return "drop", 1, word  # a letter of another alphabet
    return lexicon().get(word) or ("" if word == "users" else lexicon().get(word.removesuffix("s"), "")), 1, word


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """Remove the endings of an English word. Replace a word in the list `same meaning` by the first of its line."""
    ending = _stem(word)
    return _equal_words()[0].get(ending, ending)


def _stem(word: str) -> str:
    word = word.removesuffix("'s")
    if not word.isascii() or len(word) < 4:
        return word
    word = word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word
    for end, least in (("ing", 6), ("ed", 5)):
        if word.endswith(end) and len(word) >= least:
            word = word[: -len(end)]
            word = word[:-1] if word[-1:] == word[-2:-1] and word[-1] not in "sl" else word
    if word.endswith(("ation", "ection")):
        word = word[: -len("ion")]
    elif word.endswith("ment") and len(word) > len("segment"):
        word = word[: -len("ment")]
    word = word[:-1] if word.endswith("e") and len(word) > 3 else word
    return word[:-1] + "i" if word.endswith("y") and len(word) > 3 else word


def _amount(number: str, unit: str) -> str:
    """Return a duration in seconds or a size in KB, so that 60 minutes and 1 hour are equal."""
    factor = next((_UNITS[names] for names in _UNITS if {unit, unit.removesuffix("s")}.intersection(names.split())), 0)
    try:
        return f"{float(number.replace(',', '')) * factor:.12g}{_AMOUNT}"
    except ValueError:  # a range
        return f"{number} {unit}"


@lru_cache(maxsize=512)  # a server compares the same memories again
def read(text: str) -> Statement:
    """Parse a text, after synonyms and other spellings are replaced."""
    text = unicodedata.normalize("NFKC", text).replace("’", "'")
    text = text.replace(",不过", ",").removeprefix("不过")  # "however"; elsewhere 不 denies 过敏 or 过期
    if not text.isascii():
        for word, same in _equal_words()[1].items():
            text = text.replace(word, same) if word in text else text
        if "部署在" in text:
            text = pattern(r"部署在(?=[周星每早晚凌下\d])").sub("部署的在", text)  # no place
    if ". " in text:
        text = pattern(_TITLE).sub(r"\1 ", text)
    if " thousand" in text or " million" in text:
        spelled = rf"(?i)\b(?:{'|'.join(NUMBERS)})(?= (?:thousand|million)\b)"
        text = pattern(spelled).sub(lambda match: NUMBERS[match[0].lower()], text)
    if not set(_DIGITS).isdisjoint(text):
        text = pattern(_THOUSANDS).sub(_whole_number, text)
    if text.lower().startswith(("since", "after", "as of", "from")):
        text = pattern("^[^,]{3,40}, ").sub(" 现在 ", text)
    return _Reader(text).read()


_THOUSANDS = r"(?<![\w.])(\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)(?: ?(k|thousand|million)\b)?(?![\w,])"
"""Expression for a number, so that 10,000, 10k and 10 thousand are equal."""


def _whole_number(match: re.Match[str]) -> str:
    digits = match[1].replace(",", "")
    return f"{float(digits) * (1e6 if match[2] == 'million' else 1e3):.12g}" if match[2] else digits


def common_clauses(new: str, old: str) -> str:
    """Return the clauses that a changed text has in common with the old one."""
    parts = [pattern(r"[,;，；。]|\.\s|\.$| and |和|并且?").split(text) for text in (new, old)]
    both = {part.strip() for part in parts[1]}
    return ", ".join(part.strip() for part in parts[0] if part.strip() and part.strip() in both)


def _date(said: str) -> str:
    """Return a date as `12-05`, with a year as `2026-12-05`, and a month without a day as `12`."""
    year = pattern(r"\d{4}").search(said)
    rest = said.replace(year[0], "", 1) if year else said
    if name := pattern(r"[a-z]{3}").search(pattern(r"\d(?:st|nd|rd|th)|of").sub(lambda match: match[0][0], rest)):
        parts = [str(_MONTHS.split().index(name[0]) + 1), *pattern(r"\d+").findall(rest)]
    else:
        parts = [_arabic(part) for part in pattern(r"\d+|[一二三四五六七八九十]+").findall(rest)]
    return "-".join([*([year[0]] if year else []), *(part.zfill(2) for part in parts)])


_MINUTES = {"半": 30, "一刻": 15, "三刻": 45}
_LATE = ("下午", "傍晚", "晚上")


def _clock(time: str, before: str) -> str:
    """Return a time of day as `9:00`. `before` is the word before it, such as 晚上."""
    hour, _, rest = time.replace("点", ":").replace("钟", "").partition(":")
    found = pattern(r"\d+").match(_arabic(hour) if not hour.isascii() else hour)
    if found is None:
        return time.replace(" ", "")
    minutes = pattern(r"\d\d").match(rest)
    number = int(found[0]) % 12 if time.endswith("m") else int(found[0])
    number += 12 * (number < 12 and (time.endswith("pm") or before in _LATE))
    return f"{number}:{int(minutes[0]) if minutes else _MINUTES.get(rest, 0):02}"


def _arabic(word: str) -> str:
    """Return a Chinese number below 10,000 in Arabic digits, as 400 for 四百.

    In any other word, replace each Chinese digit by an Arabic digit.
    """
    total, digit = 0, 0
    word += {"百": "十", "千": "百"}.get(word[-2:-1], "") if word[-1] in _ONES else ""  # 一百二 is 120
    for char in word:
        if char in _TENS:
            total, digit = total + (digit or 1) * _TENS[char], 0
        elif "1" <= char.translate(_ARABIC) <= "9":
            digit = int(char.translate(_ARABIC))
        else:
            return word.translate(_ARABIC)
    return word if word.isascii() else str(total + digit)


def _people(text: str) -> list[str]:
    """Return the lower-case words of a name that begins a text, if a duty or title follows, as in "Ann leads"."""
    said = pattern(r"[\w'-]+|\S").findall(text[:100])
    size = 0
    while size < 2 and said[size : size + 1] and said[size].isalpha() and said[size].istitle() and said[size].isascii():
        size += 1
    if not size:
        return []
    verb, *rest = said[size:] or [""]
    if rest[:1] == ["over"]:
        verb, rest = f"{verb} over", rest[1:]
    is_duty = verb in _DUTIES or verb == "took over" or (verb == "now" and not _DUTIES.isdisjoint(rest[:1]))
    rest = rest[rest[:1] in (["now"], ["also"]) :]
    is_title = verb in _IS and (rest[:1] in _TITLES or rest[:2] in _TITLES)
    return [name.lower() for name in said[:size]] if is_duty or is_title else []


class _Reader:
    """Reader of the tokens of one text."""

    def __init__(self, text: str) -> None:
        self.lower = text.lower()
        self.units: list[_Unit] = []
        for kind, whole in _units(text):
            parts = (
                whole.split("-")
                if kind == "word" and "-" in whole and whole.isascii() and whole.lower() not in lexicon()
                else []
            )
            is_compound = min(map(len, parts), default=0) > _SHORT
            self.units += [(kind, part) for part in parts] if is_compound else [(kind, whole)]
        self.people = _people(text)
        self.tokens: list[Token] = []
        self.classes: set[str] = {"now"} if text.rstrip("。.!").endswith("了") else set()
        self.denied: set[str] = set()
        self.forbidden: set[str] = set()
        self.said: dict[str, str] = {}
        self.head: frozenset[str] | None = None
        self.begins = True
        self.before = ""

    def read(self) -> Statement:
        waits = False  # after a negation, until its word
        at, last = 0, -1
        start, negated = 0, -1  # first token of the clause, and first one after a negation
        first = 0  # number of tokens in the first clause
        while at < len(self.units):
            kind, raw = self.units[at]
            if kind == "end":
                self.denied |= self._last() if waits else set()
                self._forbid(start if waits else negated)
                start, negated = len(self.tokens), -1
                first = first or (start if sum(token.kind not in COMMON for token in self.tokens) > 1 else 0)
                waits, self.before, self.begins, at = False, raw, raw not in ",:、", at + 1
                continue
            name, size, said = _class(self.units, at) if kind == "word" else ("", 1, raw.lower())
            if said in _REASONS and self.tokens:
                self.classes |= {"now"} if said == "since" else set()
                at = self._end_of_reason(at)
                continue
            kind, word, size = self._token(at, kind, name, size, said)
            is_verb = name in ("light", "place", "now") or name in CHANGES or said in _HEADS
            if self.head is None and is_verb:
                self.head = frozenset(token.text for token in self.tokens)
            if kind in _MARKS:
                is_state = kind in CHANGES and self.before in _BE
                self.classes |= {"not-not"} if kind == "not" and "not" in self.classes else set()
                self.classes |= set() if is_state else {kind} - {"drop"}
                self.denied |= self._last() if kind == "off" else set()
                waits = waits or kind == "not"
                negated = len(self.tokens) if kind == "not" and negated < 0 else start if kind == "off" else negated
            else:
                self._add(Token(kind, word, self.before, last == at), self.units[at : at + size])
                last = last if kind == "light" else at + size
                if kind not in COMMON:
                    self.denied |= {word} if waits else set()
                    waits = False
            if kind != "now" and not (kind == "drop" and said in _SKIPPED):
                self.before = said
            self.begins = False
            at += size
        self.denied |= self._last() if waits else set()
        self._forbid(start if waits else negated)
        tokens, words = tuple(self.tokens), frozenset(token.text for token in self.tokens)
        later = words - {token.text for token in tokens[: first or len(tokens)]}
        classes, denied, forbidden = map(frozenset, (self.classes, self.denied, self.forbidden))
        return Statement(self.lower, tokens, self._head(), classes, denied, forbidden, later, words, self.said)

    def _forbid(self, first: int) -> None:
        """Add the tokens from index `first` on to `forbidden`. If `first` is negative, add none."""
        if first >= 0:
            self.forbidden |= {token.text for token in self.tokens[first:] if token.kind not in COMMON}

    def _end_of_reason(self, at: int) -> int:
        """Return the end of the clause of a reason: a mark or, in Chinese, a word of change (因为场地问题改到十月)."""
        is_zh_reason = is_zh(self.units[at][1])
        ends = (
            n
            for n, (kind, _) in enumerate(self.units[at:], at)
            if kind == "end" or (is_zh_reason and kind == "word" and _class(self.units, n)[0] in CHANGES)
        )
        return next(ends, len(self.units))

    def _token(self, at: int, kind: str, name: str, size: int, said: str) -> tuple[str, str, int]:
        """Return kind, text and length of the token at a place."""
        if kind == "word":
            return self._word(at, name, size, said)
        if kind in ("number", "spelled") or (kind == "version" and _class(self.units, at + 1)[0].startswith("unit")):
            return self._number(at)
        if kind == "date":
            return kind, _date(said), size
        return kind, _clock(said, self.before) if kind == "time" else said.replace(" ", "").strip("/"), size

    def _add(self, token: Token, units: Sequence[_Unit]) -> None:
        if token.kind == "time" and self.tokens and self.tokens[-1].kind == "daytime":
            del self.tokens[-1]  # 晚上十点 is 22:00
        self.tokens.append(token)
        parts = [part for _, part in units]
        self.said[token.text] = parts[0] if len(parts) == 1 else ("" if all(map(is_zh, parts)) else " ").join(parts)

    def _word(self, at: int, name: str, size: int, said: str) -> tuple[str, str, int]:
        """Return kind, text and length of a word. The kind of a word in the lexicon is usually its class there."""
        raw = self.units[at][1]
        kind, following = self.units[at + 1] if at + 1 < len(self.units) else ("", "")
        is_capital = raw[0].isupper() and not self.begins
        is_first = len(raw) == 1 and raw[0].isupper() and is_zh(following)  # as in A 项目
        is_label = is_first or (len(raw) == 1 and is_capital and raw != "I")
        if (
            said in NUMBERS
            and following not in ("of", "is", "or")
            and (said != "second" or self.units[at - 1][1].lower() == "the")
        ):
            unit, length, named = _class(self.units, at + 1)
            if unit.startswith("unit"):
                return *self._quantity(NUMBERS[said], unit[5:], named), 1 + length
            return "label" if self._is_label(at) else "number", NUMBERS[said], 1
        if name == "month" or (raw == "May" and (is_capital or kind == "number")):
            return ("date", _date(f"{said} {following}"), 2) if kind == "number" else ("date", _date(said), 1)
        if name == "unit money" and not (len(said) == 1 and is_zh(said)):  # 元 alone is a part of 单元 or 元素
            return "currency", said, size
        is_proper = is_capital and (raw == "Go" or name in CHANGES)  # as Nintendo's Switch
        is_code = raw.isascii() and is_zh(self.before)  # as 使用 any
        is_proper = is_proper or (name == "drop" and ((raw.isupper() and len(raw) > 1) or is_code))  # as US
        if name and not (is_label or is_proper or name.startswith("unit")):
            one = said.removesuffix("s") if said.removesuffix("s") in lexicon() else said
            one = _synonyms().get(one, one).removeprefix("每")
            one = one.lstrip(_WHICH) if name == "weekday" else one
            if name == "period":
                unit = one.split()[-1]
                one = _amount("1", _PERIODS.get(unit, unit))
            return name, (stem(said) if name in COMMON else one), size
        is_person = said in self.people and len(self.tokens) < 3
        is_name = raw.isascii() and (is_capital or is_proper or is_first or is_person or is_zh(self.before))
        return ("name" if is_name else "word"), stem(said), size

    def _number(self, at: int) -> tuple[str, str, int]:
        word = _arabic(self.units[at][1])
        unit, length, said = _class(self.units, at + 1)
        if word[-1] in "点半钟刻":
            return "time", _clock(word, self.before), 1
        if unit.startswith("unit") or word[0] in "$€£¥":
            unit = unit[5:] if unit.startswith("unit") else ""
            return *self._quantity(word, unit, said), 1 + length * bool(unit)
        if unit == "month" or said == "may":
            return "date", _date(f"{said} {word}"), 1 + length
        other = self.units[at + 2 : at + 3]
        if said in _TO and other and other[0][0] == "number" and self._ends(at + 2) and not self.classes & CHANGES:
            return "number", f"{word}-{other[0][1]}", 3  # as in "from 9 to 17"
        kind = self.tokens[-1].kind if self.tokens else ""
        is_version = kind.startswith("choice") and self.tokens[-1].text == self.before and self._ends(at)
        is_label = not is_version and self._is_label(at)
        kind = "drop" if kind == "date" else "version" if is_version else "label" if is_label else "number"
        return kind, word, 1

    def _is_label(self, at: int) -> bool:
        """Return whether a number is part of the subject's name, as in "Ticket 3 is open" or 第 3 组负责搜索."""
        following = "".join(said for _, said in self.units[at + 1 : at + 3]).lower()
        if self.head is not None or not following:
            return False
        if not self.tokens or is_zh(self.before):
            noun = "".join(said for _, said in self.units[max(at - 2, 0) : at])
            is_place = following[:1] == "号" and following[1:] in tuple("楼会房车机线库门厅馆店院")  # as in 三号楼
            return is_place or noun in _LABELED or (self.before == "第" and following[0] != "个")
        noun, after, last = self.units[at - 1][1], self.units[at + 1][1].lower(), self.tokens[-1]
        if noun.lower() != self.before or last.kind not in ("word", "name") or last.text != stem(noun.lower()):
            return False
        if self.before in _MEASURES or not (noun[1:].islower() or noun.isupper()):  # iOS 17 is a version
            return False
        if noun.endswith("s") and not noun.endswith(("ss", "us")):  # a verb, as in "sleeps 4 people"
            return False
        return after not in (*".,;!?()", "times")

    def _quantity(self, number: str, unit: str, said: str) -> tuple[str, str]:
        """Return kind and text of a number with a unit. `unit` is the class of the unit, empty for a currency sign."""
        is_every = self.before in ("every", "each", "每", "隔")
        if unit == "duration" and (is_every or any(word in self.lower for word in _INTERVALS)):
            return "period", _amount(number, said)
        text = _amount(number, said) if unit in ("duration", "size") else number.lstrip("$€£¥ ")
        text = f"{float(text) * 10_000:g}" if said[:1] == "万" and text.isdigit() else text
        return f"number {unit or 'money'}", text

    def _ends(self, at: int) -> bool:
        """Return whether the unit `at` is the end of the subject, as 17 is in "React 17" and "React 17 since May"."""
        name = _class(self.units, at + 1)[0]
        is_word = at + 1 < len(self.units) and self.units[at + 1][0] == "word"
        return not is_word or name in TIMES or name.startswith(("drop", "now", "choice"))

    def _head(self) -> frozenset[str]:
        """Return the words before the verb. Without a known verb, return the first two words."""
        if self.head is not None:
            return self.head
        return frozenset(token.text for token in self.tokens[:2])

    def _last(self) -> set[str]:
        """Return the last word that shows the subject, as a set; empty if there is none."""
        return {token.text for token in [token for token in self.tokens if token.kind not in COMMON][-1:]}


def weight(words: Iterable[str]) -> float:
    """Return the number of words. A Chinese character counts 0.5, and a common word 0.3."""
    classes = lexicon()
    return sum(0.3 if classes.get(word) in COMMON else 0.5 if len(word) == 1 and is_zh(word) else 1 for word in words)
