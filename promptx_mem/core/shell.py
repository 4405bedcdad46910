"""Words and texts as bash and zsh read them: the one place where something is quoted to be pasted."""

from collections.abc import Iterable

from promptx_mem.core.text import REPLACEMENT, is_printable, unicode, unprintable

PROGRAM = "promptx-mem"
SCORE, TAG, TEXT, DURATION = "SCORE?", "TAG?", "TEXT?", "DURATION?"
"""What stands in a printed command where the program cannot know: `remember` refuses each, so none is ever stored."""

MARKS = "<>&"
"""What could open or close a tag where a command stands inside a prompt."""

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./-_")


def quote(word: str, spelled: str = "") -> str:
    """Quote a word; what does not print, and the characters in `spelled`, stand there byte by byte, in any locale.

    No word of a command can hold a NUL: it is left out (`with_text` pipes a text that has one). A byte of a path that
    is no UTF-8 is given back as it was; any other half of a character is U+FFFD, as it is where texts are stored.
    """
    if is_printable(word) and not any(char in word for char in spelled):
        return word if word and _PLAIN.issuperset(word) else "'" + word.replace("'", "'\"'\"'") + "'"
    return "$'" + "".join(_spell(char, spelled) for char in word) + "'"


def join(words: Iterable[str], spelled: str = "") -> str:
    """One line that a shell takes apart into these words."""
    return " ".join(quote(word, spelled) for word in words)


def with_text(words: Iterable[str], text: str, spelled: str = "") -> str:
    """A command and a text behind its options, one of which must have the text taken as it is."""
    command = join(words, spelled)
    if "\0" in text:
        octal = unicode(text).replace("\\", "\\\\").replace("\0", r"\0000")
        return f"printf %b {quote(octal, spelled)} | {command} -"
    return f"{command} -- {quote('- ' if text == '-' else text, spelled)}"  # a single - would read stdin


def _spell(char: str, spelled: str) -> str:
    if char in "\\'":
        return "\\" + char
    if char in "\0\n":
        return r"\n" if char == "\n" else ""
    if char not in spelled and not unprintable().match(char):
        return char
    try:
        return "".join(f"\\x{byte:02x}" for byte in char.encode("utf-8", "surrogateescape"))
    except UnicodeEncodeError:
        return REPLACEMENT
