"""Quoting for bash, zsh and fish. Only this module quotes text that is to be pasted into a shell."""

from promptx_mem.core.text import REPLACEMENT, is_printable, pattern
from promptx_mem.errors import UsageError

TYPE_CHECKING = False  # a denial by the guard loads this module, and typing loads slowly
if TYPE_CHECKING:
    import re
    from collections.abc import Iterable

PROGRAM = "promptx-mem"
SCORE, TAG, TEXT = "<0-10>", "<tag>", "<text>"
"""Placeholders in a usage line. `remember` refuses each of them."""

USAGE = f"usage: {PROGRAM} remember '{TEXT}' '#{TAG}' 'score:{SCORE}'"
"""Usage line with placeholders only, since a pasted example would be stored."""

REASON = "<why>"
GUIDE = f"the questions that determine a score: {PROGRAM} score --guide"

MARKS = "<>&"
"""Characters that could be markup if a command is inside a prompt."""

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./-_")
_SPECIAL_FIRST = ("=", "%")
"""Characters that zsh or fish expand at the beginning of a word."""


def quote(word: str, spelled: str = "") -> str:
    """Quote a word for a shell. Write unprintable characters and those in `spelled` as byte escapes.

    NULs are left out, since no word of a command can contain a NUL. In paths, bytes that are not UTF-8 stay unchanged.
    A lone surrogate that is not one of these bytes becomes U+FFFD, as in stored texts. Newlines at the end are lost.
    """
    if not is_printable(word) or any(char in word for char in spelled):
        return f'"$(printf %b {_codes(word.replace(chr(0), ""), spelled)})"'
    if word and _PLAIN.issuperset(word) and not word.startswith(_SPECIAL_FIRST):
        return word
    if word and not {"'", "\\"} & set(word):
        return f"'{word}'"
    # Inside quotes, fish reads a backslash before a quote or backslash as an escape. So both are put outside of quotes.
    return "".join(map(_part, pattern(r"(\\{2,}|\\+(?='|\Z)|')").split(word))) or "''"


def join(words: "Iterable[str]", spelled: str = "") -> str:
    """Return one line that a shell splits into these words."""
    return " ".join(quote(word, spelled) for word in words)


def _part(text: str) -> str:
    if not text:
        return ""
    if text == "'":
        return '"\'"'
    return f"'{text}'" if text.strip("\\") else "\\\\" * len(text)


def _codes(text: str, spelled: str) -> str:
    """Return a text in single quotes for `printf %b`.

    Unprintable characters, those in `spelled`, backslashes, `'` and `!` become octal escapes, which dash reads too.
    """
    from promptx_mem.core.glyphs import unprintable

    special = unprintable()
    return "'" + "".join(_code(char, spelled, special) for char in text) + "'"


def _code(char: str, spelled: str, special: "re.Pattern[str]") -> str:
    if char == "\n":
        return r"\n"
    if char not in "\\'!" and char not in spelled and not special.match(char):
        return char
    try:
        return "".join(f"\\0{byte:03o}" for byte in char.encode("utf-8", "surrogateescape"))
    except UnicodeEncodeError:
        return REPLACEMENT


def no_extra(message: str, extra: str) -> UsageError:
    """Return the error for an optional part that is not installed. `extra` is its name for pip."""
    return UsageError(
        message,
        code="no_extra",
        hint=f"in a clone of the repository: pip install '.[{extra}]'\n"
        f"if pipx installed the program: pipx install --force '.[{extra}]'",
    )
