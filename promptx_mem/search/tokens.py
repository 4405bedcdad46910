"""Cut text into terms, the same way for memories and queries.

Latin words are lower-cased and stemmed (by SQLite's own Porter tokenizer); runs of Chinese, Japanese, Korean and
Thai give every character and every pair of neighbours; identifiers are kept whole and in parts.
"""

from __future__ import annotations

import re
import sqlite3
from _thread import allocate_lock
from binascii import crc32
from functools import cache
from itertools import groupby
from operator import add
from struct import unpack
from typing import TYPE_CHECKING

from promptx_mem.core.text import pattern
from promptx_mem.search.folding import contains, fold, is_dense, normalise
from promptx_mem.search.lexicon import IRREGULAR
from promptx_mem.search.shingles import jaccard, shingles

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

__all__ = [
    "characters",
    "contains",
    "fold",
    "identifier_terms",
    "identifiers",
    "is_dense",
    "is_sign",
    "jaccard",
    "normalise",
    "pair_term",
    "paired_terms",
    "plain_terms",
    "raw_terms",
    "shingles",
    "signs",
    "stems",
    "text_key",
]

VERSION = 2
"""Goes up with every change of the terms that a text gives: what others have made of older ones is then made anew."""

LONGEST_TERM = 200
WORD, CHARACTER = 5, 2
"""What a word and a character of an unspaced script add to the length of a text."""

_GAP = "\u3000"
"""Stands between runs of unspaced scripts; no run holds it."""
_FIRST_DENSE = "\u2f00"
"""From here on every letter is of an unspaced script; so are few before, which are seen to by `is_dense`."""

_RUN = r"[^\W_]+"
_MIXED = "[0-9a-z]+|[^0-9a-z]+"
_VOWELS = frozenset("aeiou")
_SPACED = bytes(code if chr(code) in "0123456789abcdefghijklmnopqrstuvwxyz" else 32 for code in range(256))
"""Leaves of ASCII text what its words are made of: cut by a table, and at spaces, it takes a quarter of the time."""

# What may hold an identifier, and the marks that join its parts.
_CHUNK = r"[0-9A-Za-z_./@:\\+#?&=%~$-]+"
# One set, then what stands around it: several times faster over plain prose than alternatives that each scan.
_HINT = (
    r"[A-Z0-9_./@:\\+#?&=%~$-](?:(?<=[a-z][A-Z])|(?<=[A-Za-z][0-9])|(?<=[0-9])(?=[A-Za-z])|(?<=_)(?=[A-Za-z])"
    r"|(?<=[A-Za-z][+#])|(?<=[0-9A-Za-z][_./@:\\+#?&=%~$-])(?=[0-9A-Za-z]))"
)
_COMPONENT = r"[^/\\@:?&=#]+"
_VERSION = r"[vV][0-9]+\."
_HUMP = r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+"
_SIGN = "[\u2600-\u27bf\U0001f000-\U0001faff]"
_EDGES = "./@:\\?&=%~$-"


def plain_terms(lower: str) -> list[str]:
    """Return the words of folded, lower-case text, and of its unspaced runs every pair and the last character.

    Every other character begins a pair, so that what holds it need not be listed: see `characters`.
    """
    if lower.isascii():
        return lower.encode().translate(_SPACED).decode().split()
    out: list[str] = []
    for run in pattern(_RUN).findall(lower):
        if run.isascii():
            out.append(run)
            continue
        for part in (run,) if min(run) >= "\u2e80" else _parts(run):
            if is_dense(part):
                out += map(add, part, part[1:])
                out.append(part[-1])
            else:
                out.append(part)
    return out


def _parts(run: str) -> list[str]:
    """Cut a run where scripts with and without spaces meet."""
    out = []
    for part in pattern(_MIXED).findall(run):
        if part.isascii() or min(part) >= "\u2e80":
            out.append(part)
        else:
            out += ["".join(same) for _, same in groupby(part, is_dense)]
    return out


def paired_terms(lower: str) -> tuple[list[str], tuple[int, ...], int]:
    """Return `plain_terms` for an index: words, pairs as numbers (see `pair_term`), and the text's length.

    A number is made in a third of the time of a text; some stand for no term. The length is in fifths of a word: a
    character of an unspaced script is two.
    """
    if lower.isascii():
        words = plain_terms(lower)
        return words, (), WORD * len(words)
    runs = pattern(_RUN).findall(lower)
    words = []
    pairs = _pairs(runs)
    if pairs is None:
        dense = []
        for run in runs:
            if run.isascii():
                words.append(run)
            elif min(run) >= _FIRST_DENSE and max(run) <= "\uffff":
                dense.append(run)
            else:
                words += plain_terms(run)
        runs, pairs = dense, _pairs(dense) or ()
    inside = sum(map(is_dense, words))
    return words, pairs, CHARACTER * (sum(map(len, runs)) + inside) + WORD * (len(words) - inside)


def _pairs(runs: list[str]) -> tuple[int, ...] | None:
    """Return every pair of neighbours, None where a character is of another script or takes more than 16 bits."""
    data = _GAP.join([*runs, ""]).encode("utf-16-le")
    size = sum(map(len, runs)) + len(runs)
    if len(data) != 2 * size or min(data[1::2], default=0) << 8 < ord(_FIRST_DENSE):
        return None
    even, odd = size // 2, (size - 1) // 2
    return unpack(f"<{even}I", data[: 4 * even]) + unpack(f"<{odd}I", data[2 : 2 + 4 * odd])


def pair_term(pair: int) -> str:
    """Return the term that a number stands for: two characters, or the last of a run; `""` where it stands for none."""
    first, second = chr(pair & 0xFFFF), chr(pair >> 16)
    return "" if first == _GAP else (first + second).rstrip(_GAP)


def pairs_of(pairs: Iterable[int], terms: Collection[str]) -> list[int]:
    """Return those pairs that give one of these terms: the pair itself, or the character that it begins with."""
    whole = {ord(term[0]) | ord(term[1]) << 16 for term in terms if len(term) == 2}
    first = {ord(term) for term in terms if len(term) == 1}
    return [pair for pair in pairs if pair in whole or pair & 0xFFFF in first]


def characters(terms: Iterable[str]) -> dict[str, list[str]]:
    """Return the characters of unspaced scripts with which some of these pairs begin, each with its pairs."""
    out: dict[str, list[str]] = {}
    for term in terms:
        if len(term) == 2 and is_dense(term):
            out.setdefault(term[0], []).append(term)
    return out


def raw_terms(folded: str) -> list[str]:
    """Return the terms of folded text, repeated as they occur: its plain terms, identifiers and signs, not stemmed."""
    return plain_terms(folded.lower()) + identifiers(folded) + signs(folded)


def signs(folded: str) -> list[str]:
    """Return the emoji of folded text."""
    return [] if folded.isascii() else pattern(_SIGN).findall(folded)


def is_sign(term: str) -> bool:
    """Tell whether a term is an emoji."""
    return pattern(_SIGN).fullmatch(term) is not None


def identifiers(folded: str) -> list[str]:
    """Return what all identifiers of folded text add to its plain terms."""
    out: list[str] = []
    if folded.islower() and folded.replace(" ", "").isalpha():
        return out
    if pattern(_HINT).search(folded):
        for chunk in pattern(_CHUNK).findall(folded):
            if pattern(_HINT).search(chunk):
                out += identifier_terms(chunk)
    return out


def text_key(folded: str) -> int:
    """Return the number under which a whole text is indexed: 32 bits of checksum and the length."""
    plain = folded.lower().strip()
    return crc32(plain.encode("utf-8", "surrogatepass")) | len(plain) << 32


def identifier_terms(chunk: str) -> list[str]:
    """Return what an identifier, path, URL or address adds to its plain words: itself, its components, its humps.

    `src/getUserName.py` gives itself, `getusername.py`, `get`, `user` and `name`.
    """
    whole = chunk.strip(_EDGES)[:LONGEST_TERM]
    terms = dict.fromkeys([whole.lower(), *(part.strip(_EDGES).lower() for part in pattern(_COMPONENT).findall(whole))])
    if pattern(_VERSION).match(whole):
        terms[whole[1:].lower()] = None
    for word in re.findall(r"[0-9A-Za-z]+", whole):
        terms.pop(word.lower(), None)
        humps = pattern(_HUMP).findall(word)
        if len(humps) > 1:
            if len(humps[0]) == 1 and humps[0].islower() and humps[1].isalpha():
                humps[:2] = [humps[0] + humps[1]]
            terms |= dict.fromkeys(h.lower() for h in humps if (len(h) > 1 or h.isdigit()) and h != word)
    terms.pop("", None)
    return list(terms)


class _Stemmer:
    """SQLite's Porter tokenizer, driven as a function over many words at once."""

    def __init__(self) -> None:
        self._lock = allocate_lock()
        self._db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self._db.execute("CREATE VIRTUAL TABLE stems USING fts5(word, content='', tokenize='porter ascii')")
        self._db.execute("CREATE VIRTUAL TABLE vocabulary USING fts5vocab(stems, instance)")

    def stem(self, words: list[str]) -> list[str]:
        """Return the stems of `words`, each of ASCII letters only."""
        out = list(words)
        with self._lock:  # a server asks from several threads
            try:
                self._db.execute("INSERT INTO stems(rowid, word) VALUES (1, ?)", (" ".join(words),))
                for stem, offset in self._db.execute("SELECT term, offset FROM vocabulary"):
                    out[offset] = stem
            finally:
                self._db.execute("INSERT INTO stems(stems) VALUES ('delete-all')")
        return out


@cache
def _stemmer() -> _Stemmer | None:
    try:
        return _Stemmer()
    except sqlite3.Error:
        return None  # an SQLite without FTS5: words are then found only as they are written


def _ended(stem: str) -> str:
    """Porter makes deploi of `deploy` and deploy of `deployment`: the same of both."""
    return f"{stem[:-1]}i" if stem[-1] == "y" and not _VOWELS.isdisjoint(stem[:-1]) else stem


def stems(words: Iterable[str]) -> dict[str, str]:
    """Return what each of `words` is indexed as, only where that differs from the word."""
    base = {word: IRREGULAR.get(word, word) for word in words}
    plain = [word for word in set(base.values()) if len(word) > 2 and word.isascii() and word.isalpha()]
    stemmer = _stemmer()
    table = _stems_of(stemmer, plain) if stemmer and plain else {}
    return {word: stem for word in base if (stem := table.get(base[word], base[word])) != word}


_REMEMBERED, _FEW = 20_000, 100
_known: dict[str, str] = {}
"""Stems of words that were asked for: who answers one call after the other meets them again."""


def _stems_of(stemmer: _Stemmer, plain: list[str]) -> dict[str, str]:
    if len(plain) > _FEW:  # of texts that are indexed
        return dict(zip(plain, map(_ended, stemmer.stem(plain)), strict=True))
    out = {word: stem for word in plain if (stem := _known.get(word))}
    if new := [word for word in plain if word not in out]:
        if len(_known) > _REMEMBERED:
            _known.clear()
        fresh = dict(zip(new, map(_ended, stemmer.stem(new)), strict=True))
        _known.update(fresh)
        out |= fresh
    return out


def initial(word: str) -> str:
    """Return the first character of what a word is indexed as: a stem keeps its word's."""
    return IRREGULAR.get(word, word)[0]
