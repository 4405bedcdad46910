"""Changes of the search index: memories are added or removed. BM25 uses our own table of postings (docs/decisions.md).

All functions work in the caller's connection and transaction, on the tables of SCHEMA. The index has postings.
For each text, it also has the length and the context, packed by 4,096 rowids. The context is a number that memories of
one session and day share. A bit of the length is set if the previous memory has the same context.
"""

from __future__ import annotations

from array import array
from binascii import crc32
from bisect import bisect_left
from collections import Counter, defaultdict
from functools import lru_cache
from itertools import chain, compress, islice
from operator import eq, lt

from promptx_mem.core.text import pattern
from promptx_mem.record import TYPE_CHECKING, Any, NamedTuple, TypeVar
from promptx_mem.search import days, tokens
from promptx_mem.search.cache import Progress, select
from promptx_mem.search.postings import BLOCK, FOLLOWS, LONGEST, PAGE, RULE, SEGMENTS
from promptx_mem.search.tokens import CHARACTER, WORD, word_list

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Mapping, Sequence


Item = TypeVar("Item")

_RULE_HEAD = 300
"""Number of characters, from the beginning of a text, by which a rule is recognised."""


def _beginnings(name: str) -> tuple[str, ...]:
    """Return the beginnings of texts in a word list. In the file, `_` stands for a space."""
    return tuple(word.replace("_", " ") for word in word_list(name))


_BEGINNINGS = _beginnings("beginnings of rules")
_FIRST_TWO = frozenset(word[:2] for word in _BEGINNINGS)
_ADDRESSES = _beginnings("addresses")
_TO_ONE = _beginnings("beginnings of rules after an address")
"""Words that begin a rule only after an address, for example "you must" or 请. Alone, 一直 describes the past."""

_OF_USER = ("the user ", "user ", "用户")
_LIKES = _beginnings("likes of the user")
"""Words after "the user" that mark a preference. After "I", these words are too common."""
_PLANS = _beginnings("plans of the user")

_WISHES = ("prefer", "rather", "favo", "喜欢", "偏好", "偏爱", "宁愿", "习惯", "更爱", "最爱", "希望")
_PREFERS = (
    r"(?i)\b(?:i|we|user)(?:'d| would| do| really|'ve| always| much)? ?(?:prefers?|rather|favou?rs?)\b|"
    r"\b(?:my|our|user's) (?:preference|preferred|favou?rite (?:\w+ ){1,3}(?:is|are))\b|"
    "(?:我们?|用户)的?(?:更|比较|最)(?:喜欢|爱)|(?:我们?|用户)的?(?:更|比较|最)?(?:偏好|偏爱|宁愿|习惯)|"
    "我们?希望(?:以后|今后|每次|所有|始终|总是|一直|一律|尽量|都|回答|回复|输出|结果|代码|文档|用[中英]文)"
)


def is_standing(text: str) -> bool:
    """Return whether a text begins with a standing instruction (always, never), or states a preference of the user."""
    head = text[:_RULE_HEAD].lstrip().replace("\u2019", "'")
    rest = lower = head.lower()
    for word in _ADDRESSES if lower.startswith(_ADDRESSES) else ():
        rest = rest.removeprefix(word)
    if (rest[:2] in _FIRST_TWO and rest.startswith(_BEGINNINGS)) or (rest != lower and rest.startswith(_TO_ONE)):
        return True
    if lower.startswith(_OF_USER):
        rest = lower.removeprefix("the ").removeprefix("user ").removeprefix("用户")
        if rest.startswith(_LIKES) and not rest.startswith(_PLANS):
            return True
    return any(map(head.__contains__, _WISHES)) and pattern(_PREFERS).search(head) is not None


SCHEMA = """
CREATE TABLE IF NOT EXISTS lex_postings(
  term TEXT NOT NULL, segment INTEGER NOT NULL, docs BLOB NOT NULL, repeats BLOB NOT NULL,
  PRIMARY KEY(term, segment)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS lex_blocks(
  block INTEGER PRIMARY KEY, docs INTEGER NOT NULL, lengths BLOB NOT NULL, contexts BLOB NOT NULL);
"""


def _write_postings(db: sqlite3.Connection, postings: Mapping[str, list[int]], *, first: bool) -> None:
    """Add each term's postings: its rowids in ascending order, one per occurrence. If `first`, the index is empty."""
    stored = "SELECT term, docs, repeats FROM lex_postings WHERE term IN ({}) AND segment = ?"
    for segment, terms in _by_segment(postings, first=first).items():
        old = {} if first else {term: row for term, *row in select(db, stored, terms, [segment])}
        # in the order of the table, so that rows are appended
        packed = [(term, segment, *map(bytearray, _pack(terms[term], old.get(term)))) for term in sorted(terms)]
        db.executemany("INSERT OR REPLACE INTO lex_postings VALUES (?, ?, ?, ?)", packed)


def _by_segment(postings: Mapping[str, list[int]], *, first: bool) -> dict[int, Mapping[str, list[int]]]:
    low = _segment(min(rowids[0] for rowids in postings.values()), first=first)
    if low == _segment(max(rowids[-1] for rowids in postings.values()), first=first):
        return {low: postings}
    out: dict[int, dict[str, list[int]]] = {}
    for term, rowids in postings.items():
        for rowid in rowids:
            out.setdefault(_segment(rowid, first=first), {}).setdefault(term, []).append(rowid)
    return {**out}


def _segment(rowid: int, *, first: bool) -> int:
    return rowid // PAGE * SEGMENTS + (0 if first else 1 + rowid % PAGE // BLOCK)


def _pack(rowids: list[int], old: list[bytes] | None) -> tuple[array[int], array[int]]:
    base = rowids[0] // PAGE * PAGE
    offsets = [rowid - base for rowid in rowids] if base else rowids
    docs = array("H", list(dict.fromkeys(offsets)))
    repeats = array("H")
    if len(docs) < len(offsets):  # equal offsets are neighbours, and few offsets have an equal neighbour
        again = Counter(compress(offsets, map(eq, offsets, islice(offsets, 1, None))))
        repeats.extend([number for o, n in again.items() for number in (o, min(n + 1, PAGE - 1))])
    if old is None:
        return docs, repeats
    old_docs, old_repeats = (array("H", column) for column in old)
    counts = sorted({**_pairs(old_repeats), **_pairs(repeats)}.items())
    docs = old_docs + docs if old_docs[-1] < docs[0] else array("H", sorted({*old_docs, *docs}))
    return docs, array("H", chain.from_iterable(counts))


def _pairs(repeats: array[int]) -> dict[int, int]:
    """Return a dict from offset to count. In `repeats`, offsets and counts alternate."""
    return dict(zip(repeats[::2], repeats[1::2], strict=True))


def _erase(db: sqlite3.Connection, rowids: Iterable[int], terms: Iterable[str]) -> None:
    """Remove `rowids` from the postings of these terms."""
    offsets: dict[int, set[int]] = {}
    for rowid in rowids:
        offsets.setdefault(rowid // PAGE, set()).add(rowid % PAGE)
    changed: list[tuple[array[int], array[int], Any, int]] = []
    query = "SELECT term, segment, docs, repeats FROM lex_postings WHERE term IN ({})"
    for term, segment, docs, repeats in select(db, query, terms):
        lost = offsets.get(segment // SEGMENTS)
        if lost and (row := _without(array("H", docs), array("H", repeats), lost)) is not None:
            changed.append((*row, term, segment))
    db.executemany("UPDATE lex_postings SET docs = ?, repeats = ? WHERE term = ? AND segment = ?", changed)
    db.executemany("DELETE FROM lex_postings WHERE term = ? AND segment = ? AND docs = x''", (c[2:] for c in changed))


def _without(docs: array[int], repeats: array[int], offsets: set[int]) -> tuple[array[int], array[int]] | None:
    """Return a row of postings without `offsets`; None if the row contains none of them."""
    lost = [o for o in offsets if (place := bisect_left(docs, o)) < len(docs) and docs[place] == o]
    if not lost:
        return None
    counts = _pairs(repeats)
    for offset in lost:
        docs.pop(bisect_left(docs, offset))
        counts.pop(offset, None)
    return docs, array("H", chain.from_iterable(counts.items()))


class Stored(NamedTuple):
    """The stored length and context of one memory (see `context_of`). A length of 0 means that the rowid is unused."""

    length: int
    context: int = 0


def _read_some(db: sqlite3.Connection, rowids: Iterable[int]) -> dict[int, Stored]:
    """Return the stored values of those `rowids` that are indexed. Lengths include the FOLLOWS bit."""
    out: dict[int, Stored] = {}
    for block, some in _by_block(rowids).items():
        row = db.execute("SELECT lengths, contexts FROM lex_blocks WHERE block = ?", (block,)).fetchone()
        if row is not None:
            columns = [array(kind, blob) for kind, blob in zip("HI", row, strict=True)]
            stored = {rowid: Stored(*(column[rowid % BLOCK] for column in columns)) for rowid in some}
            out.update((rowid, block) for rowid, block in stored.items() if block.length)
    return out


def reported(items: Sequence[Item], progress: Progress | None, step: int) -> Iterator[Item]:
    """Yield the items, and report the progress every `step` items."""
    for number, item in enumerate(items):
        if progress is not None and number % step == 0:
            progress(number, len(items))
        yield item


def _by_block(rowids: Iterable[int]) -> dict[int, list[int]]:
    parts: dict[int, list[int]] = {}
    for rowid in rowids:
        parts.setdefault(rowid // BLOCK, []).append(rowid)
    return parts


def _write_blocks(db: sqlite3.Connection, changed: Mapping[int, Stored]) -> None:
    """Set the stored values of memories. Lengths include the FOLLOWS bit. The length 0 removes a memory."""
    for block, rowids in _by_block(changed).items():
        query = "SELECT docs, lengths, contexts FROM lex_blocks WHERE block = ?"
        docs, *blobs = db.execute(query, (block,)).fetchone() or (0, bytes(2 * BLOCK), bytes(4 * BLOCK))
        lengths, contexts = (array(kind, blob) for kind, blob in zip("HI", blobs, strict=True))
        for rowid in rowids:
            place = rowid % BLOCK
            is_stored = lengths[place] > 0
            lengths[place], contexts[place] = changed[rowid]
            docs += (lengths[place] > 0) - is_stored
        row = (block, docs, lengths.tobytes(), contexts.tobytes())
        db.execute("INSERT OR REPLACE INTO lex_blocks VALUES (?, ?, ?, ?)", row)
    db.execute("DELETE FROM lex_blocks WHERE docs = 0")


@lru_cache(maxsize=64)  # most neighbours have the same context
def context_of(session: str | None, day: str | None) -> int:
    """Return a number that is the same for all memories of a session and day; 0 if both are unknown."""
    if not (session or day):
        return 0
    return crc32(f"{session or ''}\n{day or ''}".encode("utf-8", "surrogatepass"))


class Doc(NamedTuple):
    """A memory to be indexed. `day` is its local ISO date. Rowids increase in the order of recording."""

    rowid: int
    text: str
    tags: tuple[str, ...] = ()
    topic: str | None = None
    day: str | None = None
    session: str | None = None
    aka: tuple[str, ...] = ()


def add(db: sqlite3.Connection, docs: Iterable[Doc]) -> None:
    """Index memories with new rowids. One call fills an empty index several times faster than many calls.

    `docs` is read once, in order, so a generator can report progress. Ascending rowids are fastest.
    Raises ValueError if a rowid is already indexed.
    """
    first = db.execute("SELECT 1 FROM lex_blocks LIMIT 1").fetchone() is None
    collector = Collector()
    new = {doc.rowid: Stored(collector.add(doc), context_of(doc.session, doc.day)) for doc in docs}
    if not new:
        return
    if not first and (rows := _read_some(db, new)):
        raise ValueError(f"rowids {sorted(rows)} are already indexed")
    in_order = all(map(lt, new, islice(new, 1, None)))
    if terms := collector.completed(in_order=in_order):
        _write_postings(db, terms, first=first)
    _write_blocks(db, _linked(db, new, first=first))


@lru_cache(maxsize=4096)  # many memories have the same tags and topic
def _label_terms(labels: str) -> list[str]:
    return tokens.raw_terms(tokens.fold(labels))


class Collector:
    """The terms of the added memories, each with its rowids."""

    def __init__(self) -> None:
        self.words: defaultdict[str, list[int]] = defaultdict(list)

    def add(self, doc: Doc) -> int:
        """Record the terms of a memory. Return its length in fifths of a word, which is at least 1."""
        folded = tokens.fold(doc.text)
        lower = folded.lower()
        words, inside = tokens.counted_terms(lower)
        length = CHARACTER * inside + WORD * (len(words) - inside)
        words += tokens.identifiers(folded)
        words += tokens.signs(folded)
        words += days.text_terms(lower)
        words += _label_terms("\n".join((*doc.tags, doc.topic or "", *doc.aka)))
        words += days.day_terms(doc.day)
        if is_standing(folded):
            words.append(RULE)
        rowid = doc.rowid
        for rowids in map(self.words.__getitem__, words):
            rowids.append(rowid)
        return min(max(length, 1), LONGEST)

    def completed(self, *, in_order: bool = True) -> dict[str, list[int]]:
        """Return the rowids of each term. Stems replace words, and first characters of pairs are added as terms."""
        terms = self.words
        if not in_order:
            for rowids in terms.values():
                rowids.sort()
        for char, held in tokens.pairs_by_first_character(terms).items():
            terms[char] = sorted(set().union(terms.get(char, ()), *map(terms.__getitem__, held)))
        stemmed = [(stem, terms.pop(word)) for word, stem in tokens.stems(terms).items()]
        for stem, rowids in stemmed:  # only now, since a stem can be equal to another word that has another stem
            terms[stem] = sorted(terms[stem] + rowids) if stem in terms else rowids
        return terms


def _linked(db: sqlite3.Connection, new: dict[int, Stored], *, first: bool) -> dict[int, Stored]:
    """Return `new`, and the memory directly after each new memory.

    In these, set FOLLOWS if the memory before has the same context.
    """
    around = {} if first else _read_some(db, {r + step for r in new for step in (-1, 1)} - new.keys())
    changed = new | {r: block for r, block in around.items() if r - 1 in new}
    contexts = {r: block.context for r, block in (around | new).items()}
    return {
        r: Stored(length & LONGEST | (FOLLOWS if contexts.get(r - 1) == context else 0), context)
        for r, (length, context) in changed.items()
    }


def remove(db: sqlite3.Connection, docs: Iterable[Doc]) -> None:
    """Remove memories from the index. `docs` must be the same as when they were added."""
    targets = {doc.rowid: doc for doc in docs}
    collector = Collector()
    for rowid in _read_some(db, targets):
        collector.add(targets[rowid])
    _erase(db, targets, collector.completed())
    after = _read_some(db, [r + 1 for r in targets])
    changed = {r: block._replace(length=block.length & LONGEST) for r, block in after.items()}
    _write_blocks(db, changed | dict.fromkeys(targets, Stored(0)))
