"""Find by what a question's words are in the other language, where nobody can ask again with the translation.

A memory must have enough of what the question says, as asked or in translation, and some of that in words that are not
everywhere. A translation of one character counts where it is a word by itself: 龙 is none in 龙井.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from promptx_mem.search import blocks, memories, postings, tokens
from promptx_mem.search.conditions import Conditions
from promptx_mem.search.hit import Hit
from promptx_mem.search.units import DULL, read, terms_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from promptx_mem.search.cache import Cache
    from promptx_mem.search.criteria import Condition
    from promptx_mem.search.dictionary import Dictionary
    from promptx_mem.search.query import Query
    from promptx_mem.search.units import Unit

FEW_HITS, TRANSLATIONS = 3, 5
"""A word that so many memories have at most is translated, by so many of the translations that the store has."""

FLOOR = 0.36
"""So much of what a question says a memory must have."""

SURE, STEP, LITTLE = 0.9, 0.02, 0.4
"""What the likeliest translation of a word counts of it, what each further one counts less, and of that a dull one."""

WEIGHT = 0.6
"""What such a match is worth beside one that was found as asked; it stands below those in any case."""

COMMON_SHARE, COMMON_LEAST = 0.1, 20
"""A translation that a greater share of the memories have, and more than so many, finds nothing."""

_WINDOW = 4
_DRAWN = 30


class Found(NamedTuple):
    """A memory, and what share of the question it has."""

    rowid: int
    share: float


class Search:
    """One question put to one store through the dictionary."""

    def __init__(self, cache: Cache, dictionary: Dictionary, query: Query, where: Condition) -> None:
        self._cache = cache
        self._db = cache.db
        self._dictionary = dictionary
        self._conditions = Conditions(cache.db, query, *where)

    def add(self, hits: dict[int, Hit], words: str, count: int) -> list[Hit]:
        """Mark those hits that the dictionary says are no weak ones, and return what it finds besides."""
        matches = self.find(words, count)
        new = [match.rowid for match in matches if match.rowid not in hits]
        more = {rowid: Hit(rowid, state) for rowid, state in memories.those_at(self._cache, new).items()}
        for match in matches:
            hit = more.get(match.rowid) or hits[match.rowid]
            if match.rowid in more or hit.weak:
                hit.weak, hit.is_translated = False, True
                hit.terms["dictionary"] = WEIGHT * match.share
                hit.via.append("dictionary")
        return list(more.values())

    def find(self, text: str, limit: int) -> list[Found]:
        """Return the best `limit` memories that meet the conditions and have enough of the question."""
        units = read(text, self._dictionary)
        if not any(unit.weight >= 1 and unit.translations for unit in units):
            return []
        candidates = self._candidates(units)
        bounds = {rowid: candidate.share() for rowid, candidate in candidates.items()}
        best = sorted((rowid for rowid in bounds if bounds[rowid] >= FLOOR), key=lambda r: (-bounds[r], -r))
        passed = self._conditions.passing(best[: max(_DRAWN, 4 * limit)])
        self._check(passed, candidates)
        out = [Found(rowid, share) for rowid in passed if (share := candidates[rowid].share()) >= FLOOR]
        return sorted(out, key=lambda found: (-found.share, -found.rowid))[:limit]

    def _candidates(self, units: Sequence[Unit]) -> dict[int, _Candidate]:
        """Return every memory that has a translation, with all that it has of the question."""
        every = {term for unit in units for text in unit.translations for term in terms_of(text.lstrip(DULL))}
        counts = postings.frequencies(self._db, every.union(*(unit.own for unit in units)))
        lengths = blocks.read(self._db)
        most = max(COMMON_LEAST, COMMON_SHARE * lengths.docs)
        wanted: list[list[tuple[float, str]]] = []
        for unit in units:
            have = min(counts.get(term, 0) for term in unit.own)
            wanted.append(list(_present(unit, counts, most))[:TRANSLATIONS] if have <= FEW_HITS else [])
        terms = {term for some in wanted for _, text in some for term in terms_of(text)}
        rowids = self._rowids(terms)
        full = sum(unit.weight for unit in units)
        out: dict[int, _Candidate] = {}
        for number, some in enumerate(wanted):
            for part, text in some:
                for rowid in set.intersection(*(rowids[term] for term in terms_of(text))):
                    if rowid not in out:
                        length = lengths.of(rowid)
                        out[rowid] = _Candidate(units, full, min(1.0, (blocks.LONG / max(length, 1)) ** 0.5))
                    out[rowid].texts[number].append((part, text))
        self._add_own(units, counts, out)
        return out

    def _rowids(self, terms: Iterable[str]) -> dict[str, set[int]]:
        out: dict[str, set[int]] = defaultdict(set)
        for segment in postings.read(self._db, terms):
            base = segment.page * postings.PAGE
            out[segment.term].update(base + offset for offset in segment.docs)
        return out

    def _add_own(self, units: Sequence[Unit], counts: dict[str, int], out: dict[int, _Candidate]) -> None:
        """Note which words the candidates have as they were asked."""
        own = {term for unit in units if all(counts.get(term) for term in unit.own) for term in unit.own}
        have: dict[int, set[str]] = defaultdict(set)
        for segment in postings.read(self._db, own) if out else ():
            for rowid in out:
                page, offset = divmod(rowid, postings.PAGE)
                place = bisect_left(segment.docs, offset) if page == segment.page else len(segment.docs)
                if place < len(segment.docs) and segment.docs[place] == offset:
                    have[rowid].add(segment.term)
        for rowid, terms in have.items():
            out[rowid].own = {number for number, unit in enumerate(units) if terms.issuperset(unit.own)}

    def _check(self, rowids: Sequence[int], candidates: dict[int, _Candidate]) -> None:
        """Take out translations that stand in no text as a word."""
        texts = {}
        windows: set[str] = set()
        for rowid in rowids:
            row = self._db.execute("SELECT text FROM memories WHERE rowid = ?", (rowid,)).fetchone()
            texts[rowid] = tokens.fold(row[0]).lower()
            for _, word in (pair for pairs in candidates[rowid].texts.values() for pair in pairs):
                if len(word) == 1:
                    windows.update(part for parts in _around(texts[rowid], word) for part in parts)
        words = self._dictionary.look_up(windows).keys() if windows else set()
        for rowid, text in texts.items():
            for number, pairs in candidates[rowid].texts.items():
                candidates[rowid].texts[number] = [pair for pair in pairs if _stands(pair[1], text, words)]


class _Candidate:
    """What a memory has of a question: `texts` are translations by the number of their unit, `own` units as asked."""

    def __init__(self, units: Sequence[Unit], full: float, trust: float) -> None:
        self._units = units
        self._full = full
        self._trust = trust
        self.own: set[int] = set()
        self.texts: dict[int, list[tuple[float, str]]] = defaultdict(list)

    def share(self) -> float:
        """Return the share that it has; 0 where that is in words that are everywhere, or no translation is among it."""
        parts = {number: max(part for part, _ in pairs) for number, pairs in self.texts.items() if pairs}
        has_strong = any(self._units[number].weight >= 1 and part > LITTLE for number, part in parts.items())
        if not parts or not (has_strong or any(self._units[number].weight >= 1 for number in self.own)):
            return 0.0
        parts |= dict.fromkeys(self.own, 1.0)
        return self._trust * sum(self._units[number].weight * part for number, part in parts.items()) / self._full


def _present(unit: Unit, counts: dict[str, int], most: float) -> Iterator[tuple[float, str]]:
    """Yield the translations whose words some memories have, each with what it counts."""
    for place, line in enumerate(unit.translations):
        text = line.lstrip(DULL)
        fewest = min(counts.get(term, 0) for term in terms_of(text))
        if 0 < fewest <= most:
            yield (SURE - STEP * place) * (LITTLE if line.startswith(DULL) else 1.0), text


def _around(text: str, character: str) -> Iterator[set[str]]:
    """Yield for each place of a character the runs of two to four that hold it."""
    start = text.find(character)
    while start >= 0:
        yield {
            text[begin:end]
            for begin in range(max(start - _WINDOW + 1, 0), start + 1)
            for end in range(max(start + 1, begin + 2), begin + _WINDOW + 1)
        }
        start = text.find(character, start + 1)


def _stands(word: str, text: str, words: Iterable[str]) -> bool:
    """Tell whether a translation stands in a folded text as a word; of English words the index knows."""
    if word.isascii():
        return True
    if len(word) > 1:
        return word in text
    return any(parts.isdisjoint(words) for parts in _around(text, word))
