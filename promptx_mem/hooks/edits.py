"""What an edit would make of the store's lines: loaded only when the guard denies one, and the store is read then."""

import os
from collections import Counter

from promptx_mem.core.ids import make_id
from promptx_mem.core.line import is_line
from promptx_mem.core.shell import TEXT
from promptx_mem.errors import PromptxMemError
from promptx_mem.hooks import remedy
from promptx_mem.hooks.remedy import Fact
from promptx_mem.store import files, layout

Edit = tuple[str, str | None, str]
"""What is replaced, by what (None: its lines go), and where: `once`, `all`, or `line` for once in each line."""


def facts(edits: list[Edit], path: str, root: str | None) -> list[Fact] | None:
    """The memories that edits of the store's file change, end or add; None where that cannot be told."""
    before = _stored(path, root)
    after = before
    for edit in edits:
        if after is None or not edit[0] or edit[0] not in after:
            return None
        after = _edited(after, edit)
    if before is None or after is None:
        return None
    old, new = before.split("\n"), after.split("\n")
    removals, additions = _without(old, new), _without(new, old)
    if any(line[:2] not in ("- ", "* ") for line in [*removals, *additions] if line.strip()):
        return [Fact(TEXT)]  # a part of an entry of several lines, which no single line tells
    return _paired(removals, additions)


def _stored(path: str, root: str | None) -> str | None:
    """The text of the store's file, if it is that which is edited."""
    if root is None or os.path.basename(os.path.realpath(path)) != "declarative.md":
        return None
    try:
        data = files.read(layout.at(root).declarative)
    except (OSError, PromptxMemError):
        return None
    return None if data is None else data.decode("utf-8", "replace").replace("\r\n", "\n")


def _edited(text: str, edit: Edit) -> str:
    old, new, where = edit
    if new is None:
        return "\n".join(line for line in text.split("\n") if old not in line)
    if where == "line":
        return "\n".join(_within(line, old, new) for line in text.split("\n"))
    return text.replace(old, new, 1 if where == "once" else -1)


def _within(line: str, old: str, new: str) -> str:
    """A line with its visible part edited: what is meant is the memory, not its comment."""
    cut = line.rfind(" <!-- ") if is_line(line) else len(line)
    return line[:cut].replace(old, new, 1) + line[cut:]


def _without(lines: list[str], exclusions: list[str]) -> list[str]:
    """Lines that are not among the others, in order; one that is there twice counts twice."""
    counts = Counter(exclusions)
    out = []
    for line in lines:
        if counts[line] > 0:
            counts[line] -= 1
        elif line.strip():
            out.append(line)
    return out


def _paired(removals: list[str], additions: list[str]) -> list[Fact]:
    """A line that keeps its id, or as many lines for as many, are updates; what is left is forgotten, or new."""
    before = {fact.ident or make_id(fact.text): fact for fact in map(_fact, removals)}
    after = [_fact(line) for line in additions]
    free = [ident for ident in before if ident not in {fact.ident for fact in after}]
    new = [fact for fact in after if fact.ident not in before]
    alike = len(free) == len(new)
    for fact in new:
        fact.ident = free.pop(0) if alike else None
    for fact in after:
        before.pop(fact.ident or "", None)
    for ident, fact in before.items():
        fact.ident, fact.gone = ident, True
    return [fact for fact in [*after, *before.values()] if fact.text or fact.gone]


def _fact(line: str) -> Fact:
    return remedy.parse(line[2:])
