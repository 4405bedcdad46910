"""The marker lines that a merge leaves around what it could not unite: git's styles merge, diff3 and zdiff3.

What stands between them are lines like any other: a store is a set of lines, and both sides of a conflict belong to it.
"""

import re
from collections.abc import Iterable

WHAT = "the conflict markers of a merge"
MEND = "take the markers out; what stands between them stays"
COMMAND = "promptx-mem decay --compact"

# A merge of several bases makes longer ones inside.
_MARKER = re.compile(r"(={7,})|(<{7,}|>{7,}|\|{7,})(?: .*)?")


class _Open:
    def __init__(self, size: int, number: int, labelled: list[int]) -> None:
        self.size = size
        self.stage = "<"
        self.lines = [number]
        self.labelled = labelled


def is_marker(line: str) -> bool:
    """Whether a line looks like a marker; alone, `=======` underlines a heading."""
    return line[:7] in ("<<<<<<<", "|||||||", "=======", ">>>>>>>") and _MARKER.fullmatch(line) is not None


def groups(marks: Iterable[tuple[int, str]]) -> list[tuple[int, ...]]:
    """Return the marker lines of each conflict.

    `marks` are lines that look like markers, with their numbers, in order. What a merge has left of a conflict that was
    mended in another copy is one too, each line by itself, if it has a label.
    """
    found: list[tuple[int, ...]] = []
    stack: list[_Open] = []

    def give_up(opened: list[_Open]) -> None:
        found.extend((number,) for one in opened for number in one.labelled)

    for number, line in marks:
        kind, size = line[0], len(line) - len(line.lstrip(line[0]))
        own = [number] if len(line) > size else []
        if kind == "<":
            stack.append(_Open(size, number, own))
            continue
        fits = {"|": "<", "=": "<|", ">": "="}[kind]
        depth = next((d for d, one in enumerate(reversed(stack), 1) if one.size == size and one.stage in fits), 0)
        if not depth:
            found.extend((number,) for number in own)
        elif kind == ">":
            give_up(stack[len(stack) - depth + 1 :])
            found.append((*stack[-depth].lines, number))
            del stack[-depth:]
        else:
            stack[-depth].stage = kind
            stack[-depth].lines.append(number)
            stack[-depth].labelled += own
    give_up(stack)
    return sorted(found)


def ranges(data: bytes) -> list[tuple[int, int]]:
    """Where the marker lines of conflicts lie in a file of one line each."""
    marks: list[tuple[int, str]] = []
    places: list[tuple[int, int]] = []
    start = 0
    for raw in data.split(b"\n"):
        stop = min(start + len(raw) + 1, len(data))
        line = raw.decode("utf-8", "replace").removesuffix("\r")
        if is_marker(line):
            marks.append((len(places), line))
            places.append((start, stop))
        start = stop
    return [places[number] for group in groups(marks) for number in group]
