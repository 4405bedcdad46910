"""Memories for the moment of action: a file is read, a command is called, or a call failed.

A small file in the store's `.cache` has hashes of the files, names and commands that memories are about, so that the
guard finds out at once that nothing applies. It contains no text, and is rebuilt when the store has changed.
"""

import contextlib
import os
from collections.abc import Callable, Iterable, Sequence

from promptx_mem.core import acts, citations
from promptx_mem.core.description import Description, describe
from promptx_mem.core.state import OWN, State, is_unscored, lives
from promptx_mem.errors import PromptxMemError
from promptx_mem.record import TYPE_CHECKING
from promptx_mem.search import current, memories
from promptx_mem.store import files

if TYPE_CHECKING:
    from promptx_mem.search.cache import Cache
    from promptx_mem.usecases.context import Context

NAME = "act"
LEAST = 8.0
"""The least score of a memory that may hold a call."""

READ, NAMED, WARNED, WRITTEN = "read:", "name:", "warn:", "write:"
"""Prefixes of the keys: a cited file or folder, a code name, a command or file with a warning."""

_MOST = 50
_CANDIDATES = 12


def build(context: "Context", stamp: bytes) -> None:
    """Write the hash file of a store."""
    keys: set[bytes] = set()
    if context.origin.is_own:
        with current.open_current(context.layout) as cache:
            now = context.now().timestamp()
            for state in memories.citing(cache, now):
                keys |= acts.hashes(_cited(state))
            for state in memories.warning(cache, LEAST, now):
                programs, names = acts.warned_of(state.entry.text)
                keys |= acts.hashes([*(WARNED + one for one in programs), *(WRITTEN + one for one in names)])
    with contextlib.suppress(OSError, PromptxMemError):
        files.replace(
            context.layout.cache_directory / NAME, stamp + b"\n" + b"".join(sorted(keys)), context.layout.mode
        )


def _cited(state: State) -> set[str]:
    cites = citations.read(state.entry.cites)
    names = {NAMED + name for cite in cites for name in cite["names"]}
    return names | {READ + os.path.basename(cite["path"]).casefold() for cite in cites}


def citing(context: "Context", paths: Sequence[str], names: Iterable[str] = ()) -> list[Description]:
    """Return the own memories that cite one of these absolute paths, a file name, a folder or a code name."""
    wanted = [os.path.realpath(path) for path in paths if os.sep in path]
    sought = set(names)

    def rank(context: "Context", state: State) -> float:
        from promptx_mem.usecases.citations import Tree

        tree = Tree.around(context.layout)
        best = 0.0
        for cite in citations.read(state.entry.cites) if tree else ():
            whole = os.path.join(tree.top, cite["path"]) if tree else ""
            if whole in wanted or os.path.basename(whole) in paths:
                best = max(best, 3.0)
            elif any(path.startswith(f"{whole}{os.sep}") for path in wanted):
                best = max(best, 1.0)
            elif sought.intersection(cite["names"]):
                best = max(best, 2.0)
        return best

    return _chosen(context, memories.citing, rank)


def forbidding(context: "Context", commands: Sequence[list[str]], written: Sequence[str]) -> list[Description]:
    """Return the own memories that warn against one of these commands, or against writing one of these paths."""

    def rank(_: "Context", state: State) -> float:
        text = state.entry.text
        found = any(acts.forbids(text, command) for command in commands)
        return float(found or any(acts.forbids_file(text, path) for path in written))

    return _chosen(context, lambda cache, now: memories.warning(cache, LEAST, now), rank)


def curing(context: "Context", error: str) -> list[Description]:
    """Return the own memories that share rare words with an error."""
    from promptx_mem.usecases.recall import Cues, recall

    words = " ".join(acts.rare_words(error))
    if not words:
        return []
    cues = Cues(text=words, count=_CANDIDATES, touch=False, lenient=True, unasked=True, messages=False)
    found = recall(context, cues).data["memories"]
    return [one for one in found if one["origin"] == OWN and one["lives"] and acts.is_about(_words(one), error)]


def _words(memory: Description) -> str:
    return " ".join([memory["text"], *memory["tags"]])


def _chosen(
    context: "Context",
    candidates: "Callable[[Cache, float], list[State]]",
    rank: "Callable[[Context, State], float]",
) -> list[Description]:
    """Return the candidates that are own, active and scored, the closest first, with the states of their citations."""
    ranked: list[tuple[float, float, Description]] = []
    for member in context.both():
        if not (member.layout.exists() and member.origin.is_own):
            continue
        now = member.now().timestamp()
        with current.open_current(member.layout) as cache:
            for state in candidates(cache, now):
                origin = member.origin.of(state.origin)
                if origin != OWN or not lives(state, now) or is_unscored(state, now):
                    continue
                if worth := rank(member, state):
                    shown = describe(state, now, member.config.freshness, origin, member.scope)
                    ranked.append((worth, state.score, shown))
    ranked.sort(key=lambda one: (-one[0], -one[1], one[2]["id"]))
    found = [shown for _, _, shown in ranked[:_MOST]]
    if any(one["cites"] for one in found):
        from promptx_mem.usecases.citations import check

        check(context, found)
    return sorted(found, key=lambda one: bool(citations.failures(one)))
