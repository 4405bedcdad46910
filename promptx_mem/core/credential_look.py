"""A first look for credentials: our forms, each compiled when its marks are in a text; whether to ask the library.

Most texts hold no mark of any form, and cost a search for some hundred substrings.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from promptx_mem.core.credential_prefixes import PREFIXES, Prefix, expression
from promptx_mem.core.credential_shapes import SHAPES, UNMARKED
from promptx_mem.core.credential_words import FORMS, Form

_LONG_RUN = r"[\dA-Za-z_-]{27}"
_SHAPES = (
    r"(?:gh[oprsu]_|[rs]k_live_|SG\.|xox[a-z]-)[0-9A-Za-z_-]{12}"
    r"|(?:A3T[0-9A-Z]|ABIA|ACCA|AKIA|ASIA)[0-9A-Z]{16}|eyJ[0-9A-Za-z_=-]{0,200}\.|eyJ"
    r"[0-9A-Za-z_=-]{200}"
    r"|BEGIN[ 0-9A-Z]{0,48}PRIVATE KEY|PuTTY-User-Key|sq0csp-|(?i:xox[a-z]-\d"
    r"|://hooks\.slack\.com/)"
    r"|://[^\s/]*@|[0-9a-z]{32}-us[0-9]|(?:AC|SK)[0-9a-z]{32}"
    r"|\.[\dA-Za-z_-]{6}\.[\dA-Za-z_-]{27}|(?i:aws.{0,20}?(?:key|pw|pass|token).{0,20}?"
    r"[0-9a-z/+]{40})"
)
_SHAPE_MARKS = (
    *("gho_", "ghp_", "ghr_", "ghs_", "ghu_", "k_live_", "sg.", "xox", "a3t", "abia", "acca", "akia", "asia", "eyj"),
    *("private key", "putty", "sq0csp-", "hooks.slack", "://", "-us", "aws"),
)
"""What credentials that the library knows look like, loosely, and a piece of each."""

_INVISIBLE = (
    "[\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\U000e0000-\U000e0fff]"
)
_PICTURE = r"data:[\w/+.-]{1,80};base64,[0-9A-Za-z+/=]+"
_CROSSES = "[xX]{6,}"
_SAMPLE = (
    r"(?i:://(?:user(?:name)?|usr|my_?user|<[^>\s]{0,30}>)?:(?:password|passwd"
    r"|my_?password|your_?password|p(?:ass)?w)@"
    r"|://(?:([a-z]{2,20}):\1|user(?:name)?:pass|root:(?:password|example)|"
    r"[a-z]{2,20}:password)@(?=localhost|127\.|\[::1|(?:[a-z-]{1,40}\.)?example\.))"
)
"""What stands for a credential in documentation: `user:password@`, and a user's own name on this machine."""

_SHORT, _BEFORE, _AFTER = 2_000, 400, 1_000
"""Characters: of a longer text, what stands around a mark is read; each form is shorter than that."""
_SHORTEST = 2
_SEED_LENGTH, _SEED_MOST = 12, 48
"""Words: the shortest phrase, and two of the longest; a word or two again and again is no phrase."""
_WORD_LENGTHS = range(3, 9)


def plain(text: str) -> str:
    """A text as it would be typed: half-width, without what cannot be seen, pictures and sample addresses."""
    if not text.isascii():
        text = re.sub(_INVISIBLE, "", unicodedata.normalize("NFKC", text))
    if ";base64," in text:
        text = re.sub(_PICTURE, "", text)
    if "xxxxxx" in text.casefold():
        text = re.sub(_CROSSES, "x", text)
    if "://" in text and "@" in text:
        text = re.sub(_SAMPLE, "://", text)
    return text


class Rows(NamedTuple):
    """What a look goes through: our forms, the beginnings of vendors, and the marks of what the library knows.

    `form_marks` and `beginnings` are those of all forms and prefixes, each once.
    """

    forms: tuple[Form, ...]
    prefixes: tuple[Prefix, ...]
    marks: tuple[str, ...]
    form_marks: tuple[str, ...]
    beginnings: tuple[str, ...]


def _rows(forms: tuple[Form, ...], prefixes: tuple[Prefix, ...], marks: tuple[str, ...]) -> Rows:
    form_marks = dict.fromkeys(mark for _, some, _ in forms for mark in some)
    return Rows(forms, prefixes, marks, tuple(form_marks), tuple(dict.fromkeys(b for row in prefixes for b in row[1])))


ALL = _rows((*FORMS, *SHAPES), PREFIXES, _SHAPE_MARKS)


def rows_of(texts: Iterable[str]) -> Rows:
    """The rows with a mark in any of some texts: these alone have to be looked for in each of them."""
    whole = plain("\n".join(texts))
    folded, joined = whole.casefold(), _joined(whole)
    return _rows(
        tuple(
            (kind, present, form)
            for kind, marks, form in ALL.forms
            if (present := tuple(mark for mark in marks if mark in folded))
        ),
        tuple(row for row in ALL.prefixes if any(beginning in joined for beginning in row[1])),  # no space is in one
        tuple(mark for mark in ALL.marks if mark in folded),
    )


def may_hold_credential(text: str, rows: Rows = ALL) -> bool:
    """Say whether to load the detector: true wherever credentials.find_credentials finds something.

    `rows` may be those of several texts, this one among them.
    """
    text = plain(text)
    if next(our_kinds(text, rows), None) is not None:
        return True
    folded = text.casefold()
    marked = any(mark in folded for mark in rows.marks) or _has_long_run(text)
    return marked and re.search(_SHAPES, text) is not None


def our_kinds(text: str, rows: Rows = ALL) -> Iterator[str]:
    """The kinds of credentials in a plain text that our forms know; some may come twice."""
    folded = text.casefold()  # as `re` sees it: it takes ſ for s
    present = {mark for mark in rows.form_marks if mark in folded}  # mostly none: then no form is looked at
    for kind, marks, form in rows.forms if present else ():
        if not present.isdisjoint(marks) and _holds(form, text, _places(text, folded, marks)):
            yield kind
    for whole in dict.fromkeys((text, _joined(text))):
        present = {beginning for beginning in rows.beginnings if beginning in whole}
        for row in rows.prefixes if present else ():
            kind, beginnings, _ = row
            if not present.isdisjoint(beginnings) and _holds(expression(row), whole, _places(whole, whole, beginnings)):
                yield kind
    if _has_long_run(text):
        for kind, form in UNMARKED:
            if _holds(form, text, [(0, len(text))]):
                yield kind
    if _has_seed_phrase(text):
        yield "Seed Phrase"


def _places(text: str, folded: str, marks: tuple[str, ...]) -> list[tuple[int, int]]:
    """The stretches of a text around its marks, in order; all of a short one."""
    if len(text) <= _SHORT or len(folded) != len(text):
        return [(0, len(text))]
    places = []
    for mark in marks:
        at = folded.find(mark)
        while at >= 0:
            places.append((max(0, at - _BEFORE), at + _AFTER))
            at = folded.find(mark, at + _BEFORE)
    merged: list[tuple[int, int]] = []
    for start, end in sorted(places):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _holds(form: str, text: str, places: list[tuple[int, int]]) -> bool:
    """Whether a form has a match that is no placeholder; its value is its one group that took part, else all of it."""
    pattern = _compiled(form)
    return any(
        not is_placeholder(match[match.lastindex or 0])
        for start, end in places
        for match in pattern.finditer(text, start, end)
    )


@lru_cache(maxsize=256)
def _compiled(form: str) -> re.Pattern[str]:
    return re.compile(form)


def is_placeholder(value: str) -> bool:
    """Whether a value stands for another: `xxxx…`, `your-key-here`, `<token>`, `${TOKEN}`."""
    folded = value.casefold()
    return (
        any(piece in folded for piece in ("xxxx", "****", "....", "your-", "your_", "yourt", "yourk", "yours", "yourp"))
        or folded in ("password", "passwd", "secret")
        or len(value) < _SHORTEST
        or value[0] + value[-1] in ("<>", "{}")
        or (value[:2] == "${" and value[-1] == "}")
        or set(value) <= set("xX*.0-_")
    )


def _joined(text: str) -> str:
    """A text whose lines are joined, since a key may be broken: only beginnings of vendors are sought in it."""
    return "".join(line.strip().removesuffix("\\") for line in text.split("\n"))


def _has_long_run(text: str) -> bool:
    return len(text) > 26 and re.search(_LONG_RUN, text) is not None


def _has_seed_phrase(text: str) -> bool:
    """Whether twelve words in a row are such as seed phrases are made of, numbers and signs between them left out."""
    if len(text) < _SEED_LENGTH * 4:
        return False
    pieces = text.replace(",", " ").casefold().split()
    if len(pieces) < _SEED_LENGTH:
        return False
    row: list[str] = []
    for piece in pieces:
        word = piece.strip(".,;:()[]{}\"'`0123456789、，。：；“”|*-")
        if len(word) in _WORD_LENGTHS and word.isascii() and word.isalpha():
            row.append(word)
        elif word:
            if _is_seed(row):
                return True
            row = []
    return _is_seed(row)


def _is_seed(row: list[str]) -> bool:
    if len(row) < _SEED_LENGTH:
        return False
    from promptx_mem.core.seed_words import WORDS

    length = 0
    for word in [*row, ""]:
        if word in WORDS:
            length += 1
        elif _SEED_LENGTH <= length <= _SEED_MOST:
            return True
        else:
            length = 0
    return False
