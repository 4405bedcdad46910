"""Search for credentials in texts.

First the text is searched for marks: strings such as "key" or "://". Every credential has a mark in it or near it. The
tables of credentials are loaded only for a text with a mark; most texts have no mark.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache
from itertools import islice

from promptx_mem.core.text import is_plain
from promptx_mem.data import word_lists
from promptx_mem.errors import Refused

CODE = "credential"
"""Error code of a text that is refused because of a credential."""

MARKS = (  # noqa: SIM905 - one string is easier to read than eighty
    "key|token|secret|pass|pwd|pw|psw|psk|cred|code|number|otp|pin|cvv|cvc|2fa|mfa|seed|bearer|basic |cookie"
    "|_auth|authorization|ssws|sessid|sessdata|sessionid|connect.sid|login|log in|log-in|sign in|sign-in|signin"
    "|curl|http|wget|lftp|mysql|maria|mongo|sqlcmd|redis|ldap|zip|7z|mosquitto|openssl|ngrok|net use|smbclient"
    "|rpcclient|mount|sudo -s|://|:543|:643|:*:|sig=|q~|a3-|$2|$1$|$5$|$6$|$y$|$gy$|$7$|$apr1$|$argon2|pbkdf2_sha"
    '|sha}|sha256}|sha512}|"auth"|密|口令|权码|權碼|证码|證碼|校验码|动态码|提取码|解压码|访问码|恢复码|备用码|备份码|安全码|通行码|登录码|解锁码|秘钥|私钥|私鑰|令牌|凭证'
    "|凭据|助记词|助記詞|flyv1|vault|登录"
).split("|")
"""Case-folded strings. A row of the tables can match only a text with a mark or a long run of letters and digits."""

_LONG_RUN, _RUN = r"[0-9A-Za-z_+/=.~%:-]{20}", r"[\dA-Za-z_-]{27}"
_SHORT, _BEFORE, _AFTER = 2_000, 400, 1_000
"""In a text above _SHORT characters, only _BEFORE characters before and _AFTER characters after a mark are searched."""
_SEED_LENGTH, _SEED_MOST = 12, 48
"""Minimum and maximum number of words in a seed phrase. The maximum allows for two phrases in a row."""
_WORD_LENGTHS = range(3, 9)
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
"""Expression for logins that are only examples (`user:password@`) or only local (`root:password@localhost`)."""


_Row = tuple[str, tuple[str, ...], str]


class Rows:
    """Rows of the tables of credential patterns. `marks` and `beginnings` are the marks and prefixes of all rows."""

    def __init__(self, forms: tuple[_Row, ...], prefixes: tuple[_Row, ...]) -> None:
        self.forms, self.prefixes = forms, prefixes
        self.marks = tuple(dict.fromkeys(mark for _, row, _ in forms for mark in row))
        self.beginnings = tuple(dict.fromkeys(one for _, row, _ in prefixes for one in row))


def _rows(forms: Iterable[tuple[str, Iterable[str], str]], prefixes: Iterable[tuple[str, Iterable[str], str]]) -> Rows:
    some = tuple((kind, tuple(marks), form) for kind, marks, form in forms)
    vendors = tuple((kind, tuple(beginnings), tail) for kind, beginnings, tail in prefixes)
    return Rows(some, vendors)


def find_credentials(text: str, rows: Rows | None = None) -> tuple[str, ...]:
    """Return the sorted kinds of credentials in a text, never the credentials themselves.

    To search several texts faster, pass the result of `rows_of` as `rows`. The function needs no network, writes
    nothing and keeps no state, so several threads can call it.
    """
    text = plain(text)
    found = {"Seed Phrase"} if _has_seed_phrase(text) else set()
    if may_hold(text):
        from promptx_mem.core.credential_forms import by_context

        found.update(kinds(text, rows))
        if not found:
            found.update(islice(by_context(text), 1))
    return tuple(sorted(found))


def credentials_in(parts: Iterable[tuple[str, str | None]], rows: Rows | None = None) -> tuple[str, ...]:
    """Return a message for each text with a credential. It names the text and the kinds of credentials only."""
    found = ((place, find_credentials(text, rows)) for place, text in parts if text)
    return tuple(f"{place} contains a credential ({', '.join(kinds)})" for place, kinds in found if kinds)


def demand_no_credential(place: str, text: str | None) -> None:
    """Raise Refused if a text contains a credential. `place` is the name of the text in the message."""
    for found in credentials_in([(place, text)]):
        raise Refused(
            f"{found}, and memories are stored as plain text; nothing was changed",
            code=CODE,
            hint=f"remove the credential from {place}, or omit {place}",
        )


def rows_of(texts: Iterable[str]) -> Rows:
    """Return the table rows that can match any of the texts: a mark or prefix of the row occurs in the texts."""
    text = plain("\n".join(texts))
    folded, whole = text.casefold(), joined(text)
    forms = ((kind, [mark for mark in marks if mark in folded], form) for kind, marks, form in _all().forms)
    # no prefix contains a space
    vendors = (row for row in _all().prefixes if any(beginning in whole for beginning in row[1]))
    return _rows((row for row in forms if row[1]), vendors)


def plain(text: str) -> str:
    """Convert a text to half-width characters, and remove invisible characters, embedded images and sample logins."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
        text = text if is_plain(text) else re.sub(_INVISIBLE, "", text)
        text = text.replace("密 码", "密码").replace("口 令", "口令")
    if ";base64," in text:
        text = re.sub(_PICTURE, "", text)
    if "xxxxxx" in text.casefold():
        text = re.sub(_CROSSES, "x", text)
    if "://" in text and "@" in text:
        text = re.sub(_SAMPLE, "://", text)
    return text


def joined(text: str) -> str:
    """Return a text with its lines joined, so that a vendor's key is found even if it was split across lines."""
    return "".join(line.strip().removesuffix("\\") for line in text.split("\n")) if "\n" in text else text


def may_hold(text: str) -> bool:
    """Return whether a text (from `plain`) has a mark or a long run of letters. Otherwise no row can match."""
    folded = text.casefold()  # not `lower()`, since `re` also treats ſ as s
    return bool([mark for mark in MARKS if mark in folded]) or re.search(_LONG_RUN, joined(text)) is not None


@lru_cache(maxsize=1)
def _all() -> Rows:
    from promptx_mem.core.credential_forms import FORMS, PREFIXES

    return _rows(
        ((kind, marks.split("|"), form) for kind, marks, form in FORMS),
        ((kind, beginnings.split(), tail) for kind, beginnings, tail in PREFIXES),
    )


def kinds(text: str, rows: Rows | None) -> Iterator[str]:
    """Yield the kind of each table row that matches a text (from `plain`). A kind can be yielded twice."""
    from promptx_mem.core.credential_forms import UNMARKED, expression, is_drawn

    folded = text.casefold()
    rows = rows or _all()
    present = {mark for mark in rows.marks if mark in folded}
    for kind, marks, form in rows.forms if present else ():
        if not present.isdisjoint(marks) and _holds(form, text, _places(text, folded, marks)):
            yield kind
    for whole in dict.fromkeys((text, joined(text))):
        present = {beginning for beginning in rows.beginnings if beginning in whole}
        for row in rows.prefixes if present else ():
            kind, beginnings, tail = row
            if not present.isdisjoint(beginnings):
                test = is_drawn if tail[0] == "R" else None
                if _holds(expression(beginnings, tail), whole, _places(whole, whole, beginnings), test):
                    yield kind
    if re.search(_RUN, text):
        for kind, form in UNMARKED:
            if _holds(form, text, [(0, len(text))]):
                yield kind


def _places(text: str, folded: str, marks: tuple[str, ...]) -> list[tuple[int, int]]:
    """Return the ranges of a text around its marks, in order. A short text is one range."""
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


def _holds(form: str, text: str, places: list[tuple[int, int]], test: Callable[[str], bool] | None = None) -> bool:
    """Return whether a regular expression matches a value that is not a placeholder.

    The value is the match's group or the whole match. Only `places` are searched. `test` must be True for the value.
    """
    from promptx_mem.core.credential_forms import is_placeholder
    from promptx_mem.core.text import pattern

    return any(
        not is_placeholder(value := match[match.lastindex or 0]) and (test is None or test(value))
        for start, end in places
        for match in pattern(form).finditer(text, start, end)
    )


def _has_seed_phrase(text: str) -> bool:
    """Return whether twelve consecutive words of a text are seed words. Numbers and punctuation are ignored."""
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


@cache
def _seed_words() -> frozenset[str]:
    """Return the English words (BIP 39) that form the seed phrases of cryptocurrency wallets."""
    return frozenset(word_lists("core/seed_words.txt")["seed words"].split())


def _is_seed(row: list[str]) -> bool:
    if len(row) < _SEED_LENGTH:
        return False
    words = _seed_words()
    length = 0
    for word in [*row, ""]:
        if word in words:
            length += 1
        elif _SEED_LENGTH <= length <= _SEED_MOST:
            return True
        else:
            length = 0
    return False
