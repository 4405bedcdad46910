"""The marker lines that a merge leaves around what it could not unite: git's styles merge, diff3 and zdiff3.

What stands between them are lines like any other: a store is a set of lines, and both sides of a conflict belong to it.
"""

import re
from collections.abc import Iterable

WHAT = "the conflict markers of a merge"
LOOSE = "a conflict marker of a merge without its others"
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


def groups(marks: Iterable[tuple[int, str]]) -> tuple[list[tuple[int, ...]], list[int]]:
    """Return the marker lines of each conflict, and those left over that have a label.

    `marks` are lines that look like markers, with their numbers, in order.
    """
    conflicts: list[tuple[int, ...]] = []
    loose: list[int] = []
    stack: list[_Open] = []
    for number, line in marks:
        kind, size = line[0], len(line) - len(line.lstrip(line[0]))
        own = [number] if len(line) > size else []
        if kind == "<":
            stack.append(_Open(size, number, own))
            continue
        fits = {"|": "<", "=": "<|", ">": "="}[kind]
        depth = next((d for d, block in enumerate(reversed(stack), 1) if block.size == size and block.stage in fits), 0)
        if not depth:
            loose += own
        elif kind == ">":
            loose += [label for block in stack[len(stack) - depth + 1 :] for label in block.labelled]
            conflicts.append((*stack[-depth].lines, number))
            del stack[-depth:]
        else:
            stack[-depth].stage = kind
            stack[-depth].lines.append(number)
            stack[-depth].labelled += own
    loose += [label for block in stack for label in block.labelled]
    return sorted(conflicts), sorted(loose)


def ranges(data: bytes) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Where marker lines lie in a file of one line each: those of conflicts, and those left over."""
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
    whole, loose = groups(marks)
    return [places[number] for group in whole for number in group], [places[number] for number in loose]
