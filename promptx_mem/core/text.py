"""Characters: what prints, what does not, and how text is made safe for a line, a comment or a screen."""

import re
import unicodedata
from functools import cache

REPLACEMENT = "\ufffd"

# Controls, bidi marks, line separators, invisible formatters, surrogates, tag characters. Kept: ZWNJ and ZWJ,
# which Persian and emoji need. An explicit class, so that every Python version draws the same line.
_UNPRINTABLE = (
    "\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f"
)
_SELECTORS = "(\U0001f3f4?|[^\ufe00-\ufe0f\U000e0000-\U000e0fff]?)([\ufe00-\ufe0f\U000e0000-\U000e0fff]+)"
_FLAG = "[\U000e0030-\U000e0039\U000e0061-\U000e007a]{2,6}\U000e007f"
_SELECTOR_LEADS = (b"\xef\xb8", b"\xf3\xa0")
"""Bytes with which U+FE00 to FE3F and U+E0000 to E0FFF begin: looked for first, since hardly a text has one."""
_FOR_JSON = f"[<>&{_UNPRINTABLE}]"


@cache
def unprintable() -> re.Pattern[str]:
    """One character that does not print. Compiled when a text may hold one: that takes longer than most commands may.

    All of them are among those that `str.isprintable` says no to, which asks at once.
    """
    return re.compile(f"[{_UNPRINTABLE}]")


def is_printable(text: str) -> bool:
    """Whether every character prints."""
    return text.isprintable() or not unprintable().search(text)


def printable(text: str) -> str:
    """Replace what does not print by U+FFFD."""
    return text if text.isprintable() else unprintable().sub(REPLACEMENT, text)


def printable_lines(text: str) -> str:
    """Like `printable`, with newlines and tabs kept: for text shown as a block."""
    return "\n".join(printable(line.replace("\t", "    ")) for line in text.split("\n"))


def unicode(text: str) -> str:
    """Replace lone surrogates by U+FFFD: no file and no database takes them. Pairs become their character."""
    return text if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def clean(text: str) -> str:
    """Text as it enters the store: valid Unicode, LF line ends, no blank lines or spaces at either end.

    Selectors without a glyph are taken out; a text that is stored already keeps them, and with them its id.
    """
    return with_glyphs(unicode(decoded(text.replace("\r\n", "\n")))).strip()


def with_glyphs(text: str) -> str:
    """Take out variation selectors and tag characters that change no glyph: a row of them hides a text in a text.

    One selector stays behind a CJK ideograph (its variant), a symbol or a keycap (its presentation), and the tags of a
    flag behind their black flag.
    """
    if text.isascii():
        return text
    data = text.encode("utf-8", "surrogatepass")
    if not any(lead in data for lead in _SELECTOR_LEADS):
        return text
    return re.sub(_SELECTORS, _glyph, text)


def _glyph(match: re.Match[str]) -> str:
    base, selectors = match[1], match[2]
    if base == "\U0001f3f4" and re.fullmatch(_FLAG, selectors):
        return base + selectors
    first, after = selectors[0], match.string[match.end() : match.end() + 1]
    if "\u3400" <= base <= "\u9fff" or "\uf900" <= base <= "\ufaff" or "\U00020000" <= base <= "\U0003ffff":
        stays = "\ufe00" <= first <= "\ufe0f" or "\U000e0100" <= first <= "\U000e01ef"
    elif base in "0123456789#*":
        stays = first == "\ufe0f" and after == "\u20e3"
    else:
        stays = first in "\ufe00\ufe0e\ufe0f" and (base in "‼⁉〰" or unicodedata.category(base)[:1] == "S")
    return base + first if base and stays else base


def decoded(text: str) -> str:
    """Undo what Python makes of arguments under a locale that is not UTF-8: a byte it cannot read is U+DC80 to DCFF."""
    if text.isascii():
        return text
    try:
        return text.encode("utf-8", "surrogateescape").decode()
    except UnicodeError:
        return text


def escape_json(encoded: str) -> str:
    r"""Make an encoded JSON text safe inside an HTML comment: `<`, `>`, `&`, non-printing become \u escapes."""
    if encoded.isprintable() and not ("<" in encoded or ">" in encoded or "&" in encoded):
        return encoded
    return re.sub(_FOR_JSON, _u_escape, encoded)


def _u_escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"


def plural(number: int, noun: str, many: str = "") -> str:
    """Say how many: `1 line`, `2 lines`."""
    return f"{number} {noun if number == 1 else many or noun + 's'}"


PROSE = "\x02"
"""Begins a line in which a memory's text is shown: what looks like a command there is none to paste. Never printed."""


def shorten(text: str, limit: int) -> str:
    """One line of at most `limit` characters, the last an ellipsis where something was left out."""
    line = printable(" ".join(text.split()))
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def format_score(score: float) -> str:
    """Return a score as people write it: `8`, `7.5`."""
    return f"{score:.1f}".removesuffix(".0")


@cache
def pattern(text: str) -> re.Pattern[str]:
    """Return a regular expression, compiled where it is first needed: a process needs few of them."""
    return re.compile(text)
