"""The memories that hooks inject when an agent reads a file or runs a command, and after a call has failed.

`build` writes these memories to a file in the store's `.cache` (`store/act_file`). The file is rebuilt after the store
has changed.
"""

import contextlib
import os
import re

from promptx_mem import __version__
from promptx_mem.core import acts, citations, failures, prohibitions, warnings
from promptx_mem.core.ids import text_mark
from promptx_mem.core.prompt_block import of_memory, tokens
from promptx_mem.core.state import NEVER, OWN, PROJECT, State, is_unscored
from promptx_mem.core.text import shorten
from promptx_mem.errors import PromptxMemError
from promptx_mem.record import TYPE_CHECKING
from promptx_mem.search import importance, pairs
from promptx_mem.search.cache import LIVING
from promptx_mem.store import act_file, disk
from promptx_mem.store.append import Lock

if TYPE_CHECKING:
    from typing import Any

    from promptx_mem.usecases.context import Context

DENY_SCORE = 8.0
"""Minimum score of a memory that can deny a tool call."""

_MAX_FACTS = 5_000
"""Number of the most important facts in the file, besides those with citations or prohibitions."""

_MAX_TEXT, _MAX_TOKENS = 300, 270


def build(context: "Context", stamp: bytes) -> None:
    """Write the file, without memories for an untrusted store. Skip this if the store is locked or `stamp` is old."""
    found: dict[str, State] = {}
    now = context.moment
    if context.origin.is_own:
        with context.cache() as cache:
            if cache.total() <= _MAX_FACTS:
                states = cache.states_where(f"{LIVING} AND category <> 'episode'", now)
            else:
                states = [*pairs.citing(cache, now), *pairs.with_words(cache, prohibitions.WORDS, DENY_SCORE, now)]
                states += [one.state for one in importance.facts(cache, now, _MAX_FACTS)]
            found = {state.entry.id: state for state in states if state.origin == OWN}
    where = context.layout
    kept = act_file.reusable_records(where.root) if found else {}
    data = act_file.file_content(stamp, (_packed(context, state, kept, now) for state in found.values()))
    # Under the writers' lock, since a purge can have destroyed texts meanwhile.
    with contextlib.suppress(OSError, PromptxMemError), Lock(where.lock, where.mode).hold(0):
        if act_file.stamp(where.root) == stamp:
            disk.replace(where.act, data, where.mode)


def build_for_hook(context: "Context", stamp: bytes) -> None:
    """Call `build`, or `rebuild` in a background process for a large store, because a hook must not take long."""
    if disk.is_large(context.layout):
        from promptx_mem.search import build as rebuilding

        rebuilding.start(context.layout)
    else:
        build(context, stamp)


def rebuild(root: str) -> None:
    """As a background process, update the cache and the file of `build`. Hooks read them."""
    from promptx_mem.places import is_user_store
    from promptx_mem.store import layout
    from promptx_mem.usecases.context import Context, finish_purges

    context = Context(layout.at(root)._replace(is_user=is_user_store(root)))
    finish_purges([context])
    build(context, act_file.stamp(root))


def _packed(context: "Context", state: State, kept: "dict[bytes, act_file.Packed]", now: float) -> "act_file.Packed":
    """Return the record of a memory: the one in `kept` if the memory has not changed."""
    lasting = state._replace(importance=0.0, accessed=0.0, fading_at=0.0, promotion_at=0.0)  # not in a record
    mark = act_file.fingerprint(
        __version__, context.scope, is_unscored(state, now), tuple(state.entry), tuple(lasting)[1:]
    )
    return kept[mark] if mark in kept else act_file.record_line(mark, *_record(context, state))


def _record(context: "Context", state: State) -> "tuple[dict[str, Any], set[str]]":
    """Return a memory's record for the file that `build` writes, and the keys under which it is looked up."""
    shown = context.describe(state, context.moment)
    record: dict[str, Any] = {"id": shown["id"], "mark": text_mark(shown["text"], shown["tags"])}
    record |= {"score": state.score, "at": shown["at"]}
    record |= {} if state.ends_at == NEVER else {"until": state.ends_at}
    record |= {"from": state.unscored_until} if state.unscored_until else {}
    keys = {
        acts.WORD + word for word in failures.index_keys(" ".join([state.entry.text, *state.tags, *state.entry.aka]))
    }
    cites = citations.read(state.entry.cites) if context.scope == PROJECT else []
    if cites:
        record["cites"] = cites
        keys |= {acts.READ + os.path.basename(cite["path"]).casefold() for cite in cites}
        keys |= {acts.NAMED + name for cite in cites for name in cite["names"]}
    if context.scope == PROJECT and (paths := _uncited(state.entry.text, {cite["path"] for cite in cites})):
        record["paths"] = paths
        keys |= {acts.READ + os.path.basename(path).casefold() for path in paths}
    if state.score >= DENY_SCORE and (clauses := prohibitions.clauses(state.entry.text)):
        record["warns"] = clauses
        keys |= warnings.keys(clauses)
    length = _MAX_TEXT
    while True:
        shown |= {"text": shorten(state.entry.text, length), "freshness": None}
        record["part"] = of_memory(shown, is_brief=True)
        record["tokens"] = tokens(record["part"])
        if record["tokens"] <= _MAX_TOKENS:
            return record, keys
        length = length * 2 // 3


def _uncited(text: str, cited: set[str]) -> list[str]:
    """Return files that a text names but does not cite. Common names without a folder are left out."""
    if not re.search(r"[\w-][./]\w", text):
        return []
    files = [path for path in citations.paths(text) if "." in os.path.basename(path) and citations.is_inside(path)]
    is_exact = (path for path in files if " " not in path and ("/" in path or not citations.is_common(path)))
    return [path for path in is_exact if path not in cited][: citations.MAX_PATHS]
