"""Nothing was found: what comes near, each with the command that shows it."""

import difflib
import shlex
from typing import TYPE_CHECKING

from promptx_mem.core.paths import format_path, parse_path
from promptx_mem.core.state import State, lives
from promptx_mem.core.text import printable, shorten
from promptx_mem.search import lexical, rows

if TYPE_CHECKING:
    from promptx_mem.core.paths import Path
    from promptx_mem.search.cache import Cache
    from promptx_mem.usecases.recall_ask import Ask
    from promptx_mem.usecases.recall_find import Finder

MOST = 3
_LOOK = 20


def near_misses(cache: "Cache", ask: "Ask", finder: "Finder") -> list[str]:
    """A tag or a topic in another spelling, what filters keep out, and ended memories that match."""
    misses = [miss for tag in ask.tags for miss in _tags(cache, tag)]
    for path in ask.paths:
        misses += _below(cache, path) if finder.knows_topic(path) else _topics(cache, path)
    if ask.words:
        misses += _words(cache, ask)
    if not (ask.words or ask.paths) or not misses:
        misses += _ended(cache, ask)
    return misses


def _tags(cache: "Cache", tag: str) -> list[str]:
    wanted = tag.casefold()
    if cache.db.execute("SELECT 1 FROM tags WHERE tag = ?", (wanted,)).fetchone():
        return []
    known = [row[0] for row in cache.db.execute("SELECT DISTINCT tag FROM tags")]
    near = difflib.get_close_matches(wanted, known, MOST, 0.5)
    near += [other for other in known if other not in near and (wanted in other or other in wanted)][:MOST]
    there = "; there is " + ", ".join(f"'#{other}'" for other in near[:MOST]) if near else ""
    return [f"no memory has #{tag}{there}"]


def _topics(cache: "Cache", path: "Path") -> list[str]:
    wanted = format_path(path)
    known = [row[0] for row in cache.db.execute("SELECT DISTINCT path FROM topics")]
    folded: dict[str, str] = {}
    for other in known:
        folded.setdefault(other.casefold(), other)
    near = [other for other in known if other.casefold() == wanted.casefold()]
    # the same leaf elsewhere: the beginning of a path is easily forgotten
    near += [other for other in known if parse_path(other)[-1:] == path[-1:] and other not in near]
    near += [folded[other] for other in difflib.get_close_matches(wanted.casefold(), folded, MOST, 0.6)]
    near = list(dict.fromkeys(near))[:MOST]
    there = "; there is " + ", ".join(shlex.quote(printable(other)) for other in near) if near else ""
    return [f"there is no topic {printable(wanted)}{there}"]


def _below(cache: "Cache", path: "Path") -> list[str]:
    """A topic that only has topics below it; a cue does not spread to those (source 004)."""
    begin = format_path(path) + "->"
    sql = "SELECT DISTINCT path FROM topics WHERE path > ? AND path < ? AND bound = 1 LIMIT ?"
    found = [row[0] for row in cache.db.execute(sql, (begin, begin + "\U0010ffff", MOST))]
    return [f"below {printable(format_path(path))} there is " + ", ".join(map(shlex.quote, found))] if found else []


def _words(cache: "Cache", ask: "Ask") -> list[str]:
    """Memories that hold the words: ended, or kept out by a filter."""
    where, params = ask.where(alive=False, filtered=False)
    query = lexical.parse_query(ask.words, today=ask.today)
    found = [
        _state(cache, hit.rowid) for hit in lexical.search(cache.db, query, limit=_LOOK, where=where, params=params)
    ]
    ended = [state for state in found if not lives(state, ask.now)]
    kept_out = len(found) - len(ended)
    misses = [_told(state) for state in ended[:MOST]]
    if kept_out and (ask.filters or ask.spans):
        some = "1 memory matches" if kept_out == 1 else f"{kept_out} memories match"
        misses.append(f"{some if len(found) < _LOOK else 'many match'} the words, but not the filters")
    return misses


def _ended(cache: "Cache", ask: "Ask") -> list[str]:
    """What meets the filters, but has ended."""
    if not (ask.filters or ask.spans):
        return []
    where, params = ask.where(alive=False)
    sql = f"SELECT * FROM memories WHERE {where} ORDER BY ends_at DESC LIMIT {MOST}"  # noqa: S608 - conditions of ours
    states = [rows.to_state(row) for row in cache.db.execute(sql, params)]
    return [_told(state) for state in states if not lives(state, ask.now)]


def _told(state: State) -> str:
    after = f" by {state.superseded_by[-1]}" if state.superseded_by else ""
    text = shorten(state.entry.text, 30)
    return f"{state.entry.id} ({text}) matches, but has ended ({state.end}{after}); --archived shows it"


def _state(cache: "Cache", rowid: int) -> State:
    return rows.to_state(cache.db.execute("SELECT * FROM memories WHERE rowid = ?", (rowid,)).fetchone())
