"""Queries of use cases, one function each, and the search for near duplicates of a text.

Near duplicates are found by the rarest words of a text, and compared by character trigrams. The postings of words
are the only index for this, since a table of trigram hashes would double the time of a rebuild.
"""

from __future__ import annotations

from collections import defaultdict
from math import log

from promptx_mem.core.closeness import may_share_subject
from promptx_mem.core.state import DECIDED, MEMBER, OWN, State, is_unscored, lives
from promptx_mem.record import TYPE_CHECKING, NamedTuple
from promptx_mem.search import postings, tokens
from promptx_mem.search.cache import LIVING, UNDECIDED, Cache, indexed, row_of, to_state

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterable, Sequence

    from promptx_mem.core.entry import Entry


def matching(cache: Cache, prefix: str, limit: int = 10) -> list[str]:
    """Return up to `limit` ids that begin with `prefix`."""
    cursor = cache.db.execute(
        "SELECT DISTINCT id FROM lines WHERE id >= ? AND id < ? AND row IS NOT NULL ORDER BY id LIMIT ?",
        (prefix, prefix + "~", limit),
    )
    return [row[0] for row in cursor]


def with_hash(cache: Cache, text_hash: str) -> list[State]:
    """Return the memories whose current text has this hash, as `make_id` computes it."""
    # `hash` is NULL if it equals the id. Nearly every memory has an id that equals the hash.
    changed, own = cache.states_where("hash = ?", text_hash), row_of(cache.db, text_hash)
    return [*changed, *([to_state(own)] if own is not None and own["hash"] in (None, text_hash) else ())]


def purged(cache: Cache) -> list[str]:
    """Return the ids of purged memories whose lines a merge has brought back."""
    lines = "SELECT DISTINCT id FROM lines WHERE row IS NULL"  # `row` is also NULL for replaced lines
    purges = "SELECT 1 FROM acts JOIN events ON number = event WHERE id = ? AND kind = 'purged' LIMIT 1"
    return [ident for (ident,) in cache.db.execute(lines) if cache.db.execute(purges, (ident,)).fetchone()]


def unseen(cache: Cache) -> list[tuple[float, str]]:
    """Return time and id of the hand-written memories whose time is not in an `adopted` event, in rowid order."""
    query = (
        "SELECT first_at, id FROM memories WHERE rowid IN (SELECT row FROM lines WHERE seen = 0 AND archived = '') "
        "ORDER BY rowid"
    )
    return [tuple(row) for row in cache.db.execute(query)]


def is_any_recorded_between(cache: Cache, start: float, stop: float) -> bool:
    """Return whether any memory was recorded at `start` or later, and before `stop`."""
    return cache.has("memories WHERE first_at >= ? AND first_at < ?", start, stop)


def is_any_to_archive(cache: Cache, now: float) -> bool:
    """Return whether there is something to archive: a memory that has ended by `now`, or conflict markers."""
    ended = f"memories WHERE archived = 0 AND NOT ({UNDECIDED} AND ends_at > ?)"
    return cache.has_conflicts() or cache.has(ended, now)


def is_archived(cache: Cache, ident: str) -> bool:
    """Return whether the memory exists but has no line in declarative.md."""
    row = row_of(cache.db, ident)
    return row is not None and bool(row["archived"])


def superseded_ids(cache: Cache, ident: str) -> tuple[str, ...]:
    """Return the ids of the memories that a memory superseded."""
    cursor = cache.db.execute("SELECT id FROM memories WHERE instr(' ' || superseded_by || ' ', ?)", (f" {ident} ",))
    return tuple(row["id"] for row in cursor)


def unsummarised(cache: Cache, since: float, now: float) -> list[State]:
    """Return the active episodes that have no summary yet and were recorded at `since` or later, the oldest first."""
    recent = f"{UNDECIDED} AND category = 'episode' AND first_at >= ? AND ends_at > ?"
    is_missing = "instr(extra, '\"slice\"') AND NOT instr(extra, '\"profile\"')"
    states = cache.states_where(f"{recent} AND {is_missing} ORDER BY first_at, id", since, now)
    return [state for state in states if lives(state, now) and not is_unscored(state, now)]


def citing(cache: Cache, now: float) -> list[State]:
    """Return the active memories that cite files, the oldest first."""
    return cache.states_where(f"instr(extra, '\"cites\"') AND {LIVING} ORDER BY rowid", now)


def with_words(cache: Cache, words: Collection[str], score: float, now: float) -> list[State]:
    """Return the active memories with at least this score and one of the words, the oldest first.

    The words are in lower case. A word that begins with a space is also found at the beginning of a text.
    """
    any_word = " OR ".join(["instr(' ' || lower(text), ?)"] * len(words))
    return cache.states_where(f"score >= ? AND ({any_word}) AND {LIVING} ORDER BY rowid", score, *words, now)


def facts_at(cache: Cache, where: str, params: Sequence[object]) -> dict[str, tuple[int, State]]:
    """Return rowid and state of the memories that meet an SQL condition, by id. Conversations are left out."""
    sql = f"SELECT * FROM memories WHERE {where} AND category <> 'episode'"  # noqa: S608 - conditions of ours
    return {row["id"]: (row["rowid"], to_state(row)) for row in cache.db.execute(sql, params)}


def of_role(cache: Cache, role: str) -> list[State]:
    """Return the memories that a role of the team has sent."""
    return cache.states_where("origin = ? ORDER BY rowid", f"{MEMBER}{role}")


def around(cache: Cache, text: str, aka: Iterable[str] = ()) -> list[tuple[State, float]]:
    """Return up to COMPARED memories that share rare words with a text or aliases, and their similarity, best first.

    The similarity is the Jaccard index of character trigrams (0-1). A similarity of 0.85 means a near duplicate, 0.5 a
    related text. If only punctuation or spaces differ, the similarity is 1.
    """
    shingles, letters = tokens.shingles(text), _letters(text)
    found = cache.states_at(_sharing(cache.db, text, aka))
    alike: dict[int, float] = {}
    for rowid, state in found.items():
        other = state.entry.text
        alike[rowid] = 1.0 if _letters(other) == letters else tokens.jaccard(shingles, tokens.shingles(other))
    return [(found[rowid], alike[rowid]) for rowid in sorted(alike, key=lambda one: (-alike[one], -one))]


class Holder(NamedTuple):
    """The memory that already contains a text. If it has ended, `why` is a clause with the reason."""

    id: str
    why: str = ""
    origin: str = OWN


def by_text(cache: Cache, now: float) -> dict[str, Holder]:
    """Return all memories by the hash of their current text."""
    cursor = cache.db.execute(
        "SELECT coalesce(hash, id) AS text_id, id, end, ends_at, origin FROM memories ORDER BY id DESC"
    )
    return {
        row["text_id"]: Holder(
            row["id"],
            f"it has ended ({row['end']})" if row["end"] in DECIDED or row["ends_at"] <= now else "",
            row["origin"] or OWN,
        )
        for row in cursor
    }


RAREST = 32
"""Maximum number of words by which near duplicates are found, the rarest first."""

POSTINGS_READ = 2_000
"""Maximum number of postings read to find near duplicates. If the rarest word has more, only the newest are read."""

COMPARED = 12
"""Number of candidates whose trigrams are compared. They have the greatest weight of words shared with the text."""


_MARKS = dict.fromkeys(map(ord, " ,;:!\"'`()[]、。…·—「」『』《》【】“”‘’"))
"""Punctuation between words. Other signs can be part of a name, such as C# or v1.2."""


def _letters(text: str) -> str:
    return tokens.normalise(text).translate(_MARKS).rstrip(".")


def difference(newer: str, older: str, aliases: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())) -> str:
    """Return the reason why a text could replace an older one, or ''. Traditional equals simplified Chinese."""
    new, old = tokens.simplified(newer), tokens.simplified(older)
    if not (any(aliases) or may_share_subject(new, old)):
        return ""
    from promptx_mem.core.contradictions import reason

    own, other = (tuple(map(tokens.simplified, names)) for names in aliases)
    return reason(new, old, (own, other))


def _sharing(db: sqlite3.Connection, text: str, aka: Iterable[str]) -> list[int]:
    """Return the memories that share the most important words with a text and its aliases, at most `COMPARED`."""
    folded = tokens.fold(" ".join((text, *aka)))
    words = dict.fromkeys([*tokens.plain_terms(folded.lower()), *tokens.signs(folded)])
    stems = tokens.stems(words)
    counts = postings.frequencies(db, {stems.get(word, word) for word in words})
    weights: dict[str, float] = {}
    docs, spent = indexed(db), 0
    for term in sorted(counts, key=lambda t: counts[t])[:RAREST]:
        spent += counts[term]
        if weights and spent > POSTINGS_READ:
            break
        weights[term] = log(1 + docs / counts[term])
    found: defaultdict[int, float] = defaultdict(float)
    for segment in postings.read(db, weights):
        base, weight = segment.page * postings.PAGE, weights[segment.term]
        for offset in segment.docs[-POSTINGS_READ:]:
            found[base + offset] += weight
    least = min(sorted(found.values())[-COMPARED:], default=0.0)  # so that few pairs are sorted
    best = sorted(((weight, rowid) for rowid, weight in found.items() if weight >= least), reverse=True)
    return [rowid for _, rowid in best[:COMPARED]]


EDITED_FROM = 0.5
"""Minimum similarity at which a new hand-written line counts as the edited version of a missing line."""

_COMPARED, _RAREST = 64, 16
"""For each of its _RAREST rarest trigrams, a missing line is compared with the first _COMPARED lines that have it."""


def edited_forms(written: Iterable[Entry], missing: Iterable[Entry]) -> dict[str, Entry]:
    """Return the edited versions of missing memories among the `written` ones, by the ids of the missing memories."""
    holders: defaultdict[str, list[Entry]] = defaultdict(list)
    for one in written:
        for gram in tokens.shingles(one.text):
            holders[gram].append(one)
    best: dict[str, tuple[float, str, Entry]] = {}
    for entry in missing if holders else ():
        grams = tokens.shingles(entry.text)
        rarest = sorted(grams & holders.keys(), key=lambda gram: (len(holders[gram]), gram))[:_RAREST]
        near = {one.id: one for gram in rarest for one in holders[gram][:_COMPARED]}
        alike = [(tokens.jaccard(grams, tokens.shingles(one.text)), ident) for ident, one in near.items()]
        share, ident = max(alike, default=(0.0, ""))
        if share >= EDITED_FROM:
            best[ident] = max(best.get(ident, (0.0, "", entry)), (share, entry.id, near[ident]))
    return {ident: edited for _, ident, edited in best.values()}
