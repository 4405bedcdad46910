"""Characters without a glyph, and the places where they are printable. Few texts have any (see `text.is_plain`)."""

import re
from functools import cache

TYPE_CHECKING = False  # the guard loads this module, and typing loads slowly
if TYPE_CHECKING:
    from collections.abc import Callable

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
_ANY = f"[{_UNPRINTABLE}{_JOINERS}{_MONGOLIAN}{_SELECTOR}]"


@cache
def unprintable() -> re.Pattern[str]:
    """Return the pattern of characters that are never printable or not everywhere (`text.replace_unprintable`)."""
    return re.compile(_ANY)


def respelled(text: str, spell: "Callable[[str], str]") -> str:
    """Replace each character that is not printable where it is by the result of `spell`."""
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


def visible(text: str) -> str:
    """Remove variation selectors and tag characters without a visible effect (see `text.without_hidden_selectors`)."""
    return re.sub(_SELECTORS, _glyph, text)


def _glyph(match: re.Match[str]) -> str:
    base, selectors = match[1], match[2]
    if base == "\U0001f3f4" and re.fullmatch(_FLAG, selectors):
        return base + selectors
    first, after = selectors[0], match.string[match.end() : match.end() + 1]
    if _is_among(base, _IDEOGRAPHS):
        stays = _is_among(first, _SELECTING)
    elif base in "0123456789#*":
        stays = first == "\ufe0f" and after == "\u20e3"
    else:
        import unicodedata

        stays = first in "\ufe00\ufe0e\ufe0f" and (base in "‼⁉〰ℹ" or unicodedata.category(base)[:1] == "S")
    return base + first if base and stays else base
