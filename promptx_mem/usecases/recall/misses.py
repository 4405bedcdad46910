"""Near misses: if a recall found nothing, similar tags and topics, and memories that have ended."""

import difflib

from promptx_mem.core.shell import quote
from promptx_mem.core.state import lives
from promptx_mem.core.text import printable, shorten
from promptx_mem.core.topics import format_path
from promptx_mem.record import TYPE_CHECKING
from promptx_mem.search import cues
from promptx_mem.search.finder import Finder
from promptx_mem.search.tokens import simplified

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from promptx_mem.usecases.recall.question import StoreQuery

MOST = 3
_LONGEST = 80
"""Maximum length, in characters, of an unknown tag or topic in a message."""


def misses(queries: "Sequence[StoreQuery]") -> list[str]:
    """Return, for a recall without results, lines about unknown tags and topics and about ended matches."""
    criteria = queries[0].finder.criteria
    out = []
    if criteria.tags:
        tags = {tag for query in queries for tag in cues.labels(query.cache, cues.TAGS)}
        out += [f"no memory has {miss}" for tag in criteria.tags for miss in _unknown(tag, tags, "#")]
    if criteria.paths:
        paths = {path for query in queries for path in cues.labels(query.cache, cues.PATHS)}
        out += [f"there is no topic {miss}" for path in criteria.paths for miss in _unknown(format_path(path), paths)]
    if not criteria.ended and (criteria.words or criteria.paths or criteria.spans or criteria.is_narrowed()):
        for query in queries:
            finder = Finder(query.cache, query.finder.criteria._replace(ended=True), own=query.context.origin.is_own)
            for state in (hit.state for hit in finder.find(MOST, MOST) if not lives(hit.state, criteria.now)):
                named = f"{state.entry.id} ({shorten(state.entry.text, 30)})"
                why = f"{state.end} by {state.superseded_by[-1]}" if state.superseded_by else state.end
                out.append(f"{named} matches, but has ended ({why}); --archived shows it")
    return list(dict.fromkeys(out))


def _unknown(name: str, known: "Collection[str]", mark: str = "") -> list[str]:
    """Return an unknown tag or topic with similar ones; nothing for a known one. Stored tags are case-folded."""
    if name in known or (mark and simplified(name.casefold()) in known):
        return []
    folded = {one.casefold(): one for one in known}
    key = name.casefold()
    # half of the characters must match in a Chinese word, but 60 % of the letters in an English one
    near = difflib.get_close_matches(key, folded, MOST, 0.6 if key.isascii() else 0.5)
    near += [one for one in folded if one not in near and (key in one or one in key)]
    similar = ", ".join(quote(printable(mark + folded[one])) for one in near[:MOST])
    return [mark + shorten(printable(name), _LONGEST) + (f"; similar: {similar}" if near else "")]
