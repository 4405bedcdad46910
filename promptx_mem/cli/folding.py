"""The wrapping of lines to a terminal's width, and the cutting of answers to their limits."""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Iterator

from promptx_mem import session
from promptx_mem.cli.commands import COMMANDS
from promptx_mem.core.shell import quote
from promptx_mem.core.text import NO_COMMAND
from promptx_mem.record import Any
from promptx_mem.result import Result

_NARROW, _ZERO = 1, ("Mn", "Me", "Cf")
_CLOSING = frozenset(",.;:!?)]}%，。、；：！？）】》」』〉”’…—～·")
"""Characters before which a line is wrapped only at a space."""

_OPENING = frozenset("([{#（【《「『〈“‘")
"""Characters after which a line is wrapped only at a space."""

_COMMAND = re.compile(r"(?:^ *|: |：|→ | (?=\())(?=\(?(?:promptx-mem|git (?:add|rm)|pip|rm|mv|cp|ls|cd|echo) )")
"""The start of a command. A command extends to the end of its line and is never wrapped, so that it can be pasted."""

_PRINTED = re.compile(r"\bpromptx-mem ([a-z]+)\b(?=((?:(?! && |\n).)*))")
_COMPLETE = ("--memory-dir", "--scope", "--user", "--help", "--guide")
"""Options of printed commands that name a store or need none."""

_LEAST = 8
"""Minimum width of a terminal, in cells, for wrapping lines."""


def cells(text: str) -> int:
    """Return the width of a text in terminal cells. A CJK character has two cells, and a combining mark has none."""
    return len(text) if text.isascii() else sum(map(_cells, text))


def aligned(rows: list[list[str]]) -> list[str]:
    """Return a line for each row, with columns aligned by display width."""
    widths = [max(map(cells, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell + " " * (width - cells(cell)) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def located(text: str, store: str) -> str:
    """In a message, add --memory-dir to each promptx-mem command that needs a store and names none."""

    def named(match: "re.Match[str]") -> str:
        is_complete = match[1] not in COMMANDS or match[1] == "setup" or any(map(match[2].__contains__, _COMPLETE))
        return match[0] if is_complete else f"{match[0]} --memory-dir {quote(store)}"

    return _PRINTED.sub(named, text)


def of_person(text: str) -> str:
    """Return a message without placeholders for a tag and a score if a person runs the command, who may omit both."""
    if session.is_person():
        text = re.sub(r"(?: (?:-t )?'#?<tag>')? (?:--score '|'score:)<0-10>'", "", text)
    return text if "<" in text else text.replace("usage: ", "for example: ")


def fold(text: str, columns: int) -> str:
    """Wrap each line that is too wide. Its continuation lines are indented further."""
    return "\n".join(
        line.removeprefix(NO_COMMAND) if len(line) <= columns // 2 else "\n".join(fold_line(line, columns))
        for line in text.split("\n")
    )


def fold_line(line: str, columns: int) -> list[str]:
    """Return the parts into which one line is wrapped."""
    commands, line = not line.startswith(NO_COMMAND), line.removeprefix(NO_COMMAND)
    indent = " " * min(len(line) - len(line.lstrip()) + 2, columns // 2)
    first, *rest = (line[start:end] for start, end in spans(line, columns, len(indent), commands=commands))
    return [first, *(indent + part for part in rest)]


def spans(line: str, columns: int, indent: int, *, commands: bool = True) -> list[tuple[int, int]]:
    """Return the start and end of each part of a wrapped line. The parts after the first leave room for `indent` cells.

    With `commands`, a command in the line is not wrapped. The last part contains it, and can be too wide.
    """
    if columns < _LEAST or cells(line) <= columns:
        return [(0, len(line))]
    match = _COMMAND.search(line) if commands else None
    if match is None:
        return list(broken(line, columns, indent))
    out = list(broken(line, columns, indent, match.end()))
    start, end = out[-1]
    is_first = not start and not line[:end].strip(" →")  # only an arrow precedes the command
    if is_first or cells(line[start:]) <= columns - (indent if start else 0):
        return [*out[:-1], (start, len(line))]
    return [*out, (match.end(), len(line))]


def broken(line: str, columns: int, indent: int, stop: int | None = None) -> Iterator[tuple[int, int]]:
    """Yield the ranges of the lines into which `line` (up to `stop`) is wrapped. A word that is too wide is cut."""
    start, width, last, room, end = 0, 0, 0, columns, len(line) if stop is None else stop
    lead = len(line) - len(line.lstrip(" "))
    place = 0
    while place < end:
        if place > max(start, lead) and _may_break(line[place - 1], line[place]):
            last = place
        width += _cells(line[place])
        if width > room and line[place] != " " and place > start:
            cut = last if last > start else place
            yield start, start + len(line[start:cut].rstrip(" "))
            start = place = end - len(line[cut:end].lstrip(" "))
            width, room = 0, columns - indent
            continue
        place += 1
    yield start, end if end == len(line) else start + len(line[start:end].rstrip(" "))


def _may_break(before: str, after: str) -> bool:
    if before == " " or after == " ":
        return before == " " != after
    if _cells(before) == _NARROW == _cells(after):
        return False
    return _cells(after) > 0 and before not in _OPENING and after not in _CLOSING


def _cells(character: str) -> int:
    if character.isascii():
        return 1
    if unicodedata.east_asian_width(character) in "WF":
        return 2
    return 0 if unicodedata.category(character) in _ZERO else 1


_WITH_COUNT = ("recall", "list", "audit")


def cut(result: Result[Any], text: str, render: Callable[[Result[Any]], str], most: int) -> tuple[str, str]:
    """Return the text with as many items as fit into `most` tokens, or with a part of one; and a note or ''."""
    from promptx_mem.core.prompt_block import tokens

    items = result.data.get(result.cut) or []
    if tokens(text) <= most or not items:
        return text, ""

    def rendered(part: list[Any]) -> str:
        return render(result._replace(data={**result.data, result.cut: part}))

    def largest(size: int, part: Callable[[int], list[Any]]) -> list[Any]:
        """Return the largest `part(n)` with n < `size` that fits, or `part(0)`."""
        return part(bisect_left(range(1, size), True, key=lambda many: tokens(rendered(part(many))) > most))

    shown = largest(len(items), lambda count: items[:count])
    if not shown:  # one item, with as much of its text as fits
        whole = str(items[0].get("text", ""))
        shown = largest(len(whole), lambda length: [{**items[0], "text": f"{whole[:length]}…"}])
    more = len(items) - len(shown) + (result.data.get("more") or 0) + result.data.get("left_out", 0)
    has_count = result.command in _WITH_COUNT and result.cut not in ("undo", "problems")
    way = f"-n {len(shown) + more}" if has_count else "--json"
    note = f"{more} more; the output has at most {most} tokens; {way} shows them\n"
    if not more:
        ident = items[0].get("id")
        note = f"cut to {most} tokens; all of it: {f'promptx-mem show {ident}' if ident else '--json'}\n"
    return rendered(shown), note
