"""Printable and unprintable characters, and text that is safe in a line, in a comment or on a screen."""

import re

TYPE_CHECKING = False  # a denial by the guard loads this module; to import typing would take longer than the rest
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

REPLACEMENT = "\ufffd"

# Controls, bidi marks, line separators, invisible formatters and fillers, noncharacters, surrogates, tag characters. An
# explicit class, so that every Python version has the same rule.
_UNPRINTABLE = (
    "\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164"
    "\ud800-\udfff\ufdd0-\ufdef\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"
) + "".join(chr(plane << 16 | 0xFFFE) + "-" + chr(plane << 16 | 0xFFFF) for plane in range(17))
_JOINERS, _MONGOLIAN, _SELECTOR = "\u200c\u200d", "\u180b-\u180d\u180f", "\ufe00-\ufe0f\U000e0100-\U000e01ef"
"""Characters that are printable only in some contexts: joiners and variation selectors."""

_Ranges = tuple[tuple[str, str], ...]
_JOINING: _Ranges = (
    ("\u0600", "\u0dff"), ("\u0f00", "\u109f"), ("\u1700", "\u18af"), ("\u1900", "\u1cff"), ("\ua800", "\uabff"),
    ("\ufb50", "\ufdcf"), ("\ufdf0", "\ufdff"), ("\ufe70", "\ufefe"), ("\U00010a00", "\U00010fff"),
    ("\U00011000", "\U00011fff"), ("\U0001e900", "\U0001e95f"),
)  # fmt: skip
"""Scripts in which a joiner changes the shape of a letter, for example those of Persian and Hindi."""

_PICTURES: _Ranges = (
    *((char, char) for char in "©®‼⁉™ℹ〰〽"), ("\u2190", "\u2bff"), ("\u3297", "\u3299"), ("\U0001f000", "\U0001faff")
)  # fmt: skip
_IDEOGRAPHS: _Ranges = (("\u3400", "\u9fff"), ("\uf900", "\ufaff"), ("\U00020000", "\U0003ffff"))
_SELECTING: _Ranges = (("\ufe00", "\ufe0f"), ("\U000e0100", "\U000e01ef"))
_SELECTORS = "(\U0001f3f4?|[^\ufe00-\ufe0f\U000e0000-\U000e0fff]?)([\ufe00-\ufe0f\U000e0000-\U000e0fff]+)"
_FLAG = "[\U000e0030-\U000e0039\U000e0061-\U000e007a]{2,6}\U000e007f"
_SELECTOR_LEADS = (b"\xef\xb8", b"\xf3\xa0")
"""First bytes of U+FE00 to U+FE3F and U+E0000 to U+E0FFF, for a fast test: few texts contain these characters."""

_LEADS = (
    *_SELECTOR_LEADS,
    *(char.encode()[:-1] for char in "\u180b\u1160\u17b4\u3164\uffa0"),
    "\u034f".encode(),
)
"""First bytes of unprintable characters that `str.isprintable` accepts."""
_ANY = f"[{_UNPRINTABLE}{_JOINERS}{_MONGOLIAN}{_SELECTOR}]"
_patterns: dict[str, re.Pattern[str]] = {}
_FOR_JSON = {ord(char): f"\\u{ord(char):04x}" for char in "<>&"}


def unprintable() -> re.Pattern[str]:
    """Return the pattern of a character that is never printable, or is printable only in some contexts (see `spelled`).

    The pattern is compiled on first use, since compiling it takes long.
    """
    return pattern(_ANY)


def is_printable(text: str) -> bool:
    """Return whether every character of a text is printable where it is."""
    return is_plain(text) or all(map(_is_in_place, unprintable().finditer(text)))


def is_plain(text: str) -> bool:
    """Return whether a fast test shows that a text is printable. It returns False for a few printable texts, too."""
    if not text.isprintable() or text.isascii():
        return text.isprintable()
    data = text.encode()  # printable text has no surrogates
    return not any(lead in data for lead in _LEADS)


def spelled(text: str, spell: "Callable[[str], str]") -> str:
    """Replace each unprintable character by the result of `spell`.

    Joiners count as printable in scripts that need them and inside an emoji. Variation selectors count as printable
    after a character that has variants.
    """
    if is_plain(text):
        return text
    return unprintable().sub(lambda match: match[0] if _is_in_place(match) else spell(match[0]), text)


def _is_in_place(match: re.Match[str]) -> bool:
    """Return whether a matched joiner or selector has a visible effect where it is."""
    char, before = match[0], match.string[match.start() - 1 : match.start()]
    after = match.string[match.end() : match.end() + 1]
    if char in _JOINERS:
        joined = (
            char == "\u200d" and _is_among(after, _PICTURES) and (before == "\ufe0f" or _is_among(before, _PICTURES))
        )
        return joined or _is_among(before, _JOINING) or _is_among(after, _JOINING)
    if "\u180b" <= char <= "\u180f":
        return char != "\u180e" and ("\u1820" <= before <= "\u18aa" or before == "\u1807")
    if _is_among(char, _SELECTING):
        if _is_among(before, _IDEOGRAPHS):  # one selector chooses a variant; several can hide a text
            return not _is_among(after, _SELECTING)
        is_keycap = before != "" and before in "0123456789#*" and after == "\u20e3"
        return char in "\ufe00\ufe0e\ufe0f" and (is_keycap or _is_among(before, _PICTURES))
    return False


def _is_among(char: str, ranges: _Ranges) -> bool:
    return any(first <= char <= last for first, last in ranges)


def printable(text: str) -> str:
    """Replace unprintable characters by U+FFFD. This is done in every text that is shown to people or a model."""
    return text if is_plain(text) else spelled(text, lambda _: REPLACEMENT)


def printable_text(text: str) -> str:
    """Replace unprintable characters as `printable` does, but keep newlines and tabs. For text in files."""
    lines = text.split("\n")
    return "\n".join("\t".join(map(printable, line.split("\t"))) if "\t" in line else printable(line) for line in lines)


def printable_lines(text: str) -> str:
    """Replace unprintable characters as `printable` does, but keep newlines, and replace each tab by four spaces."""
    return printable_text(text).replace("\t", "    ")


def printable_values(value: "Any") -> "Any":
    """Apply `printable_lines` to every string, keys included, in nested dicts, lists and tuples."""
    if isinstance(value, str):
        return value if is_plain(value) else printable_lines(value)
    if isinstance(value, dict):
        return {printable_values(key): printable_values(item) for key, item in value.items()}
    return [printable_values(item) for item in value] if isinstance(value, list | tuple) else value


def unicode(text: str) -> str:
    """Replace lone surrogates by U+FFFD, since files and databases reject them. Surrogate pairs become characters."""
    return text if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def clean(text: str) -> str:
    """Return a text as it is stored: valid Unicode, LF line ends, no blank lines or spaces at either end.

    Variation selectors without a visible effect are removed. Texts that earlier versions stored keep these selectors
    and their ids.
    """
    return with_glyphs(unicode(decoded(text.replace("\r\n", "\n")))).strip()


def with_glyphs(text: str) -> str:
    """Remove variation selectors and tag characters that have no visible effect. Several of them can hide a text.

    One selector stays after a CJK ideograph, a symbol or a keycap. The tag characters of a flag stay after a black
    flag.
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
        import unicodedata

        stays = first in "\ufe00\ufe0e\ufe0f" and (base in "‼⁉〰ℹ" or unicodedata.category(base)[:1] == "S")
    return base + first if base and stays else base


def decoded(text: str) -> str:
    """Decode bytes that Python has read as U+DC80 to U+DCFF, since the locale is not UTF-8.

    If the bytes are not valid UTF-8, return the text unchanged.
    """
    if text.isascii():
        return text
    try:
        return text.encode("utf-8", "surrogateescape").decode()
    except UnicodeError:
        return text


def escape_json(encoded: str) -> str:
    """Escape `<`, `>`, `&` and unprintable characters of a JSON text, so that it is safe inside an HTML comment."""
    if "<" in encoded or ">" in encoded or "&" in encoded:
        encoded = encoded.translate(_FOR_JSON)
    return spelled(encoded, _u_escape)


def _u_escape(char: str) -> str:
    code = char.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{code[at : at + 4]}" for at in range(0, len(code), 4))


def byte_size(text: str) -> int:
    """Return the number of bytes of a text in UTF-8."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def plural(number: int, noun: str, many: str = "") -> str:
    """Return a count with its noun: `1 line`, `2 lines`."""
    return f"{number} {noun if number == 1 else many or noun + 's'}"


PROSE = "\x02"
"""A prefix of output lines that is not printed. Such a line is wrapped, since its command is not for pasting."""


def shorten(text: str, limit: int) -> str:
    """Return one line of at most `limit` characters, with an ellipsis at the end if it was cut."""
    line = printable(" ".join(text.split()))
    return line if len(line) <= limit else printable(line[: limit - 1].rstrip() + "…")


def format_score(score: float) -> str:
    """Return a score as people write it: `8`, `7.5`."""
    return f"{score:.1f}".removesuffix(".0")


def pattern(text: str) -> re.Pattern[str]:
    """Return a compiled regular expression. It is compiled on first use, since most processes need few of them."""
    if (found := _patterns.get(text)) is None:
        found = _patterns[text] = re.compile(text)
    return found
