"""Chinese translations of messages for people, for a Chinese locale or PROMPTX_MEM_LANG=zh.

The translations are in `chinese.txt`. JSON, files, `--help` and rare errors stay in English.
"""

import re
from collections.abc import Iterable
from functools import cache

from promptx_mem.core.durations import ENGLISH
from promptx_mem.data import word_lists

_MARGIN = re.compile(r"[^\w🧠<'`(-]*")
_DURATION = re.compile(rf"""'[^']*'|"[^"]*"|(?<= duration:)({"|".join(ENGLISH.values())})(?= |$)""")
"""A quoted word of a command, which stays, or the name of a duration (group 1)."""
_NAMES = {english: chinese for chinese, english in ENGLISH.items()}
_PLACES = {"{}": "(.*)", "{~}": "(.*?)", "{_}": r"(\S+)", "{#}": r"([\d,.]+)", "{,}": "([^;:]*)", "…": ".*"}
_PLACE = re.compile("|".join(map(re.escape, _PLACES)))


@cache
def translations() -> dict[str, str]:
    """Return the translation of each message in `chinese.txt`.

    `…` matches text that is dropped. `{}`, `{_}` and `{#}` match text, a word or a number, which are kept. `{,}`
    matches a list of names, whose commas become Chinese. `{~}` matches the shortest text, which must have a
    translation too, or no Latin letters. The first match is used, so messages with a user's text come before general
    ones, such as `{~}; {~}`.
    """
    return dict(line.split("\t") for line in word_lists("cli/chinese.txt")["messages"].splitlines())


@cache
def _rows() -> list[tuple[list[str], list[str], str]]:
    """Return the constant parts of each message, the placeholders between them, and the translation."""
    return [(_PLACE.split(row), _PLACE.findall(row), chinese) for row, chinese in translations().items()]


def translated(text: str) -> str:
    """Translate each line that has a translation, and the durations in commands. Indents and symbols stay."""
    return "\n".join(map(_line, text.split("\n")))


def _line(line: str) -> str:
    if "promptx-mem " in line:
        line = _DURATION.sub(lambda found: _NAMES.get(found[1], found[0]), line)
    match = _MARGIN.match(line)
    margin = match[0] if match else ""
    found = _translation(line.removeprefix(margin))
    return line if found is None else margin + found


@cache
def _translation(text: str) -> str | None:
    if not re.search("[A-Za-z]", text):
        return text
    for parts, places, chinese in _rows():
        # Most rows are excluded without an expression, because it takes long to compile hundreds of expressions.
        if not (text.startswith(parts[0]) and text.endswith(parts[-1]) and all(part in text for part in parts)):
            continue
        pattern = re.escape(parts[0]) + "".join(
            _PLACES[place] + re.escape(part) for place, part in zip(places, parts[1:], strict=True)
        )
        if (found := re.fullmatch(pattern, text)) and (values := _values(places, found.groups())) is not None:
            return chinese.format(*values)
    return None


def _values(places: list[str], found: Iterable[str]) -> list[str] | None:
    """Return the texts for the placeholders of a message; None if a text for `{~}` has no translation."""
    values = []
    for place, text in zip((place for place in places if place != "…"), found, strict=True):
        value = _translation(text) if place == "{~}" else text.replace(", ", "、") if place == "{,}" else text
        if value is None:
            return None
        values.append(value)
    return values
