"""Printable and unprintable characters, and text that is safe in a line, in a comment or on a screen."""

TYPE_CHECKING = False  # a denial by the guard loads this module; to import typing would take longer than the rest
if TYPE_CHECKING:
    import re
    from collections.abc import Callable
    from typing import Any

REPLACEMENT = "\ufffd"
HALF_WIDTH = {wide: chr(wide - 0xFEE0) for wide in range(0xFF01, 0xFF5F)}
"""The ASCII characters of full-width characters, such as 8 for ８."""

_SELECTOR_LEADS = (b"\xef\xb8", b"\xf3\xa0")
"""First bytes of U+FE00 to U+FE3F and U+E0000 to U+E0FFF, for a fast test: few texts contain these characters."""

_HIDDEN = (*"\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0", *map(chr, range(0xFE00, 0xFE10)))
"""Characters below U+E0100 that `str.isprintable` accepts, although they are not always printable."""
_patterns: "dict[str, re.Pattern[str]]" = {}
_uses: dict[str, int] = {}
_FEW_USES = 4
_MARKUP = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_FOR_JSON = {ord(char): f"\\u{ord(char):04x}" for char in "<>&"}


def is_printable(text: str) -> bool:
    """Return whether a text has no unprintable character (see `replace_unprintable`)."""
    return printable(text) == text


def is_plain(text: str) -> bool:
    """Return whether a fast test shows that a text is printable. It also returns False for a few printable texts."""
    if not text.isprintable() or text.isascii():
        return text.isprintable()
    # printable text has no surrogates; to search for bytes is faster than to search for 240 characters
    return not any(map(text.__contains__, _HIDDEN)) and _SELECTOR_LEADS[1] not in text.encode()


def replace_unprintable(text: str, spell: "Callable[[str], str]") -> str:
    """Replace each unprintable character by the result of `spell`.

    Joiners count as printable in scripts that need them and inside an emoji. Variation selectors count as printable
    after a character that has variants.
    """
    if is_plain(text):
        return text
    from promptx_mem.core.glyphs import respelled

    return respelled(text, spell)


def printable(text: str) -> str:
    """Replace unprintable characters, also newlines, by U+FFFD, in every line that is shown to people or a model."""
    return replace_unprintable(text, lambda _: REPLACEMENT)


def printable_text(text: str) -> str:
    """Replace unprintable characters as `printable` does, but keep newlines and tabs. For text in files."""
    lines = text.split("\n")
    return "\n".join("\t".join(map(printable, line.split("\t"))) if "\t" in line else printable(line) for line in lines)


def printable_lines(text: str) -> str:
    """Replace unprintable characters as `printable` does, but keep newlines, and replace each tab by four spaces."""
    return text if is_plain(text) else printable_text(text).replace("\t", "    ")


def printable_values(value: "Any") -> "Any":
    """Apply `printable_lines` to every string, keys included, in nested dicts and lists. Tuples become lists."""
    if isinstance(value, str):
        return printable_lines(value)
    if isinstance(value, dict):
        return {printable_values(key): printable_values(item) for key, item in value.items()}
    return [printable_values(item) for item in value] if isinstance(value, list | tuple) else value


def replace_surrogates(text: str) -> str:
    """Replace lone surrogates by U+FFFD, since files and databases reject them. Surrogate pairs become characters."""
    return text if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def clean(text: str) -> str:
    """Return a text as it is stored: valid Unicode, LF for CRLF, no blank lines or spaces at either end.

    Variation selectors and tag characters without a visible effect are removed, but texts that earlier versions stored
    keep them and their ids.
    """
    return without_hidden_selectors(replace_surrogates(decoded(text.replace("\r\n", "\n")))).strip()


def without_hidden_selectors(text: str) -> str:
    """Remove variation selectors and tag characters that have no visible effect. Several of them can hide a text.

    One selector stays after a CJK ideograph, a symbol or a keycap. The tag characters of a flag stay after a black
    flag.
    """
    if text.isascii():
        return text
    data = text.encode("utf-8", "surrogatepass")
    if not any(lead in data for lead in _SELECTOR_LEADS):
        return text
    from promptx_mem.core.glyphs import visible

    return visible(text)


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


def lines_at(key: bytes, data: bytes) -> dict[int, bytes]:
    """Return the lines that contain `key`, by their offsets. This is faster than splitting the data into lines."""
    out = {}
    position = data.find(key)
    while position >= 0:
        stop = data.find(b"\n", position)
        stop = len(data) if stop < 0 else stop
        start = data.rfind(b"\n", 0, position) + 1
        out[start] = data[start:stop]
        position = data.find(key, stop)
    return out


def escape_json(encoded: str) -> str:
    """Escape `<`, `>`, `&` and unprintable characters of a JSON text, so that it is safe inside an HTML comment."""
    if "<" in encoded or ">" in encoded or "&" in encoded:
        encoded = encoded.translate(_FOR_JSON)
    return replace_unprintable(encoded, _u_escape)


def _u_escape(char: str) -> str:
    code = char.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{code[at : at + 4]}" for at in range(0, len(code), 4))


def escape_markup(text: str) -> str:
    """Escape `&`, `<` and `>`, so that a text cannot open or close a tag or a comment."""
    return text.translate(_MARKUP) if "<" in text or ">" in text or "&" in text else text  # to translate is slow


def byte_size(text: str) -> int:
    """Return the number of bytes of a text in UTF-8."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def plural(number: int, noun: str, many: str = "") -> str:
    """Return a count with its noun: `1 line`, `2 lines`."""
    return f"{number} {noun if number == 1 else many or noun + 's'}"


NO_COMMAND = "\x02"
"""An unprinted prefix of output lines. A command in such a line is wrapped too, since it is not for pasting."""


def shorten(text: str, limit: int) -> str:
    """Return one line of at most `limit` characters, with an ellipsis at the end if it was cut."""
    line = printable(" ".join(text.split()))
    # the cut can be after a joiner
    return line if len(line) <= limit else printable(line[: limit - 1].rstrip() + "…")


def format_score(score: float) -> str:
    """Return a score as people write it: `8`, `7.5`."""
    return f"{score:.1f}".removesuffix(".0")


LETTERS = "abcdefghijklmnopqrstuvwxyz"
DIGITS = "0123456789"


def keeping(kept: str) -> bytes:
    """Return the translation table for `runs` that keeps these ASCII characters."""
    return bytes(code if chr(code) in kept else 32 for code in range(256))


def runs(text: str, table: bytes) -> list[str]:
    """Return the parts of a text that contain only characters kept by a table. This is faster than a pattern."""
    return text.encode("ascii", "replace").translate(table).decode().split()


def pattern(text: str) -> "re.Pattern[str]":
    """Return a compiled regular expression. It is compiled on first use, since most processes need few of them.

    Most recalls need none. Then `re` is not loaded, which would take a tenth of a recall's time.
    """
    if (found := _patterns.get(text)) is None:
        import re

        found = _patterns[text] = re.compile(text)
    return found


def narrowed(form: str, text: str) -> str:
    """Remove the Chinese characters that a text lacks from the sets of a pattern: large sets compile slowly.

    A pattern that is used often is returned unchanged, since it is faster to compile it only once.
    """
    _uses[form] = _uses.get(form, 0) + 1
    if _uses[form] > _FEW_USES:
        return form
    head, *parts = form.split("[")
    for part in parts:
        chars, end, rest = part.partition("]")
        has_range = any(not chars[at - 1 : at + 2].isascii() for at, char in enumerate(chars) if char == "-")
        if end and head[-1:] != "\\" and not (chars.isascii() or has_range):
            kept = "".join([char for char in chars if char.isascii() or char in text])
            chars = kept if kept.strip("^") else chars[:2]  # a set cannot be empty
        head += f"[{chars}{end}{rest}"
    return head
