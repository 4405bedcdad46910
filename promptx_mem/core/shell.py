"""Words and texts as bash, zsh and fish read them: the only code that quotes text to be pasted."""

import re

from promptx_mem.core.text import REPLACEMENT, is_printable, unicode, unprintable

TYPE_CHECKING = False  # a denial of the guard loads this module
if TYPE_CHECKING:
    from collections.abc import Iterable

PROGRAM = "promptx-mem"
SCORE, TAG, TEXT = "<0-10>", "<tag>", "<text>"
"""Placeholders of a usage line: `remember` refuses each."""

USAGE = f"usage: {PROGRAM} remember '{TEXT}' '#{TAG}' 'score:{SCORE}'"
REASON = "<why>"
GUIDE = f"the questions behind a score: {PROGRAM} score --guide"
"""The usage line, with placeholders only: a pasted example would be stored."""

MARKS = "<>&"
"""Characters that could open or close a tag if a command is inside a prompt."""

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./-_")
_SPECIAL_FIRST = ("=", "%")
"""Characters that begin a path or a process in zsh and fish."""


def quote(word: str, spelled: str = "") -> str:
    """Quote a word; unprintable characters and those in `spelled` are spelled out, in any locale.

    A word of a command cannot contain a NUL: it is left out (`with_text` pipes a text that has one). A byte of a path
    that is not UTF-8 is returned unchanged; any other half of a character is U+FFFD, as it is in stored texts. Final
    newlines of a word are lost.
    """
    if not is_printable(word) or any(char in word for char in spelled):
        return f'"$(printf %b {_codes(word.replace(chr(0), ""), spelled)})"'
    if word and _PLAIN.issuperset(word) and not word.startswith(_SPECIAL_FIRST):
        return word
    # Inside quotes fish reads a backslash as an escape before a backslash and before the quote: these go outside.
    return "".join(map(_part, re.split(r"(\\{2,}|\\+(?='|\Z)|')", word))) or "''"


def join(words: "Iterable[str]", spelled: str = "") -> str:
    """Return one line that a shell splits into these words."""
    return " ".join(quote(word, spelled) for word in words)


def with_text(words: "Iterable[str]", text: str, spelled: str = "") -> str:
    """Return a command with a text after its options, one of which must accept the text unchanged."""
    command = join(words, spelled)
    if "\0" in text:
        return f"printf %b {_codes(unicode(text), spelled)} | {command} -"
    return f"{command} -- {quote('- ' if text == '-' else text, spelled)}"  # a single - would read stdin


def _part(text: str) -> str:
    if not text:
        return ""
    if text == "'":
        return '"\'"'
    return f"'{text}'" if text.strip("\\") else "\\\\" * len(text)


def _codes(text: str, spelled: str) -> str:
    """Return a text for `printf %b`, in quotes; characters that shells read inside quotes are spelled out too."""
    return "'" + "".join(_code(char, spelled) for char in text) + "'"


def _code(char: str, spelled: str) -> str:
    if char in "\n\0":
        return r"\n" if char == "\n" else r"\0000"
    if char not in "\\'!" and char not in spelled and not unprintable().match(char):
        return char
    try:
        return "".join(f"\\x{byte:02x}" for byte in char.encode("utf-8", "surrogateescape"))
    except UnicodeEncodeError:
        return REPLACEMENT
