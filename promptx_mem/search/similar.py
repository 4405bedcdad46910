"""Near duplicates: memories that share a text's rarest words, compared by their character trigrams.

The words' postings serve as the index: a table of trigram hashes of its own would double the time of a rebuild.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from heapq import nlargest
from typing import TYPE_CHECKING

from promptx_mem.search import blocks, postings, tokens

if TYPE_CHECKING:
    import sqlite3

WORDS = 32
"""Rarest words by which candidates are found; one that is nowhere else cannot find any."""

BUDGET = 8_000
"""Postings read to find them; the newest count where the rarest word alone has more."""

COMPARED = 16
"""Candidates, those that share most words first, whose trigrams are compared."""


def near(db: sqlite3.Connection, text: str, *, threshold: float) -> list[tuple[int, float]]:
    """Return rowid and similarity (Jaccard of character trigrams, 0-1) of memories like `text`, most alike first.

    0.85 is a near duplicate, 0.5 related. A memory that shares none of the rarest words is not found.
    """
    shingles = tokens.shingles(text)
    out = []
    for rowid in _candidates(db, text):
        row = db.execute("SELECT text FROM memories WHERE rowid = ?", (rowid,)).fetchone()
        if row and (alike := tokens.jaccard(shingles, tokens.shingles(row[0]))) >= threshold:
            out.append((rowid, alike))
    return sorted(out, key=lambda pair: (-pair[1], -pair[0]))


def _candidates(db: sqlite3.Connection, text: str) -> list[int]:
    folded = tokens.fold(text)
    words = dict.fromkeys(tokens.plain_terms(folded.lower()))
    stems = tokens.stems(words)
    counts = postings.frequencies(db, {stems.get(word, word) for word in words})
    terms: list[str] = []
    spent = 0
    for term in sorted(counts, key=lambda t: counts[t])[:WORDS]:
        spent += counts[term]
        if terms and spent > BUDGET:
            break
        terms.append(term)
    pages: defaultdict[int, Counter[int]] = defaultdict(Counter)
    for rowid in blocks.whole(db, tokens.text_key(folded)):
        pages[rowid // postings.PAGE][rowid % postings.PAGE] = WORDS
    for segment in postings.read(db, terms):
        pages[segment.page].update(segment.docs[-BUDGET:])  # a loop of ours takes five times as long
    most = max((max(shared.values()) for shared in pages.values()), default=0)
    likely = [
        (count, page * postings.PAGE + offset)
        for page, shared in pages.items()
        for offset, count in shared.items()
        if count * 2 >= most
    ]
    return [rowid for _, rowid in nlargest(COMPARED, likely)]
