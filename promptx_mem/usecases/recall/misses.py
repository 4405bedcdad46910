"""Near misses: if a recall found nothing, similar tags, topics and memories, with commands that show them."""

import difflib

from promptx_mem.core.ids import names_id
from promptx_mem.core.labels import Path, format_path, parse_path
from promptx_mem.core.shell import quote
from promptx_mem.core.state import State, lives
from promptx_mem.core.text import plural, printable, shorten
from promptx_mem.record import TYPE_CHECKING, NamedTuple
from promptx_mem.search import cues

if TYPE_CHECKING:
    from promptx_mem.search.cache import Cache
    from promptx_mem.search.query import Criteria

MOST = 3
_LOOK = 20
_LONGEST = 80
"""Maximum length, in characters, of a tag or topic that a message quotes."""

KEPT_OUT = "kept out"


class Miss(NamedTuple):
    """A near miss of one cue. If `is_bare`, nothing similar was found for the cue in this store.

    If `is_absent`, the tag or topic is not in this store. If the line is empty, it is in this store.
    """

    cue: str
    line: str
    is_bare: bool = False
    is_absent: bool = False


def united(misses: list[Miss]) -> list[str]:
    """Return the lines of all misses without repetition.

    Omit a bare miss if its cue has a near miss elsewhere, and each tag or topic that is only in another store.
    """
    near = {miss.cue for miss in misses if not miss.is_bare}
    present = {miss.cue for miss in misses if not miss.line}
    kept: dict[str, str] = {}
    for miss in misses:
        if miss.line and not (miss.is_bare and miss.cue in near) and not (miss.is_absent and miss.cue in present):
            kept.setdefault(KEPT_OUT if miss.cue == KEPT_OUT else miss.line, miss.line)
    return list(kept.values())


def misses(cache: "Cache", criteria: "Criteria") -> list[Miss]:
    """Return similar tags or topics, matches that the filters exclude, and matches that have ended."""
    out = [miss for tag in criteria.tags for miss in _tags(cache, tag)]
    for path in criteria.paths:
        out += _topic(cache, criteria, path, exists=cues.has_topic(cache, path))
    if criteria.words:
        some = _missed(criteria, cues.missed_by_words(cache, criteria, _LOOK), criteria.words, "words")
        if names_id(criteria.words):
            line = f"no memory has an id that begins with {criteria.words.lower()}"
            some.append(Miss(criteria.words, line, is_bare=True))
        out += sorted(some, key=lambda miss: miss.cue == KEPT_OUT)  # excluded by filters: last
    elif not criteria.paths and (criteria.is_narrowed() or criteria.spans):
        states = cues.missed_in_filters(cache, criteria, MOST)
        out += [Miss("", _describe(state)) for state in states if not lives(state, criteria.now)]
    return out


def _tags(cache: "Cache", tag: str) -> list[Miss]:
    name = tag.casefold()
    if cues.has_tag(cache, tag):
        return [Miss("#" + name, "")]
    every = cues.tags(cache)
    # half of the characters must match in a Chinese word, but more than half of the letters in an English one
    near = difflib.get_close_matches(name, every, MOST, 0.6 if name.isascii() else 0.5)
    near += [candidate for candidate in every if candidate not in near and (name in candidate or candidate in name)]
    suggestion = "; similar: " + ", ".join(f"'#{candidate}'" for candidate in near[:MOST]) if near else ""
    return [Miss("#" + name, f"no memory has #{shorten(tag, _LONGEST)}{suggestion}", not suggestion, is_absent=True)]


def _topic(cache: "Cache", criteria: "Criteria", path: "Path", *, exists: bool) -> list[Miss]:
    """Return, for a topic without results, ended or excluded memories, else similar topics."""
    name = format_path(path)
    shown = shorten(printable(name), _LONGEST)
    in_topic = cues.missed_in_topic(cache, criteria, name, _LOOK) if exists else []
    if near_by := _missed(criteria, in_topic, name, "topic"):
        return [Miss(name, ""), *near_by]
    near = _quoted(_near(path, cues.topics_of(cache, criteria)))
    message = f"no memory has the topic {shown}" if exists else f"there is no topic {shown}"
    return [Miss(name, f"{message}; similar: {near}" if near else message, not near, is_absent=True)]


def _near(path: "Path", bound: list[str]) -> list[str]:
    """Return paths similar to `path`. A similar path without memories is replaced by the paths below it."""
    name = format_path(path)
    folded: dict[str, str] = {}
    for parts in map(parse_path, bound):
        for node in (format_path(parts[:length]) for length in range(1, len(parts) + 1)):
            folded.setdefault(node.casefold(), node)
    nodes = list(folded.values())
    near = [node for node in nodes if node.casefold() == name.casefold()]
    # the same last part elsewhere, because the beginning of a path is easily forgotten
    near += [node for node in nodes if parse_path(node)[-1:] == path[-1:]]
    near += [folded[label] for label in difflib.get_close_matches(name.casefold(), folded, MOST, 0.6)]
    return list(dict.fromkeys(label for node in near for label in _at_or_below(node, bound)))


def _at_or_below(node: str, bound: list[str]) -> list[str]:
    """Return the path `node` itself if a memory has it, else the paths below it."""
    return [node] if node in bound else [path for path in bound if path.startswith(node + "->")]


def _quoted(paths: list[str]) -> str:
    return ", ".join(quote(printable(path)) for path in paths[:MOST])


def _missed(criteria: "Criteria", states: list[State], cue: str, kind: str) -> list[Miss]:
    """Return matches that a recall does not show: ended memories, and the number of memories that filters exclude."""
    ended = [state for state in states if not lives(state, criteria.now)]
    misses = [Miss(cue, _describe(state)) for state in ended[:MOST]]
    count, is_narrowed = len(states) - len(ended), criteria.is_narrowed()
    if count and (is_narrowed or criteria.spans):
        some = plural(count, "memory matches", "memories match") if len(states) < _LOOK else "many match"
        misses.append(Miss(KEPT_OUT, f"{some} the {kind}, but not the {'filters' if is_narrowed else 'date'}"))
    return misses


def _describe(state: State) -> str:
    after = f" by {state.superseded_by[-1]}" if state.superseded_by else ""
    text = shorten(state.entry.text, 30)
    return f"{state.entry.id} ({text}) matches, but has ended ({state.end}{after}); --archived shows it"
