"""Terms of a text (memories and queries have the same kinds of terms), folding, and similarity of texts by trigrams.

Folding unifies variants of a text: compatibility forms, accents, traditional characters. Latin words are in lower case
and stemmed (by SQLite's Porter tokenizer). In runs of Chinese, Japanese, Korean and Thai, every character and every
pair of neighbours is a term. Identifiers are indexed as a whole and in parts.
"""

from __future__ import annotations

import sqlite3
from _thread import allocate_lock
from functools import cache, lru_cache
from itertools import groupby
from operator import add
from unicodedata import is_normalized, normalize

from promptx_mem.core.text import DIGITS, LETTERS, keeping, pattern, runs
from promptx_mem.data import traditional_characters, word_lists
from promptx_mem.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def word_list(name: str) -> list[str]:
    """Return the words of a named list of `words.txt`."""
    return word_lists("search/words.txt")[name].split()


def word_lines(name: str) -> list[str]:
    """Return the lines of a named list of `words.txt`. A line has words, separated by a comma and a space."""
    return word_lists("search/words.txt")[name].splitlines()


STOP_WORDS = frozenset(word_list("function words"))
"""English function words. A query ignores these words, unless it has no other words."""

ASKING = frozenset(word_list("asking"))
"""English words that only phrase a question or describe the form of the answer.

For example: "can you list the different aspects of my move that we discussed, in order?".
"""

FUNCTION_PHRASES = tuple(word_list("Chinese function words"))
"""Chinese function words. A query ignores the characters and pairs of characters inside these words."""

IRREGULAR = {
    form: base for base, *forms in (line.split(", ") for line in word_lines("irregular forms")) for form in forms
}
"""Irregular English forms, each with its base form: "go" for "went"."""

# Sets of one or two ranges: a larger set takes a millisecond to compile.
_ACCENTED = "[\u00c0-\u024f\u1e00-\u1eff]+"
_MARKS = "[\u0300-\u036f]+"
_ACCENT_BYTES = bytes((*range(0xC3, 0xCA), 0xE1))
"""First bytes, in UTF-8, of the characters of `_ACCENTED` and of a few others."""

# The lookarounds exclude 两个星期一次, 这星期天气 and 一周天天.
_WEEKDAY = (
    "(?:(?<![一两二三四五六七八九十几半0-9]个)(?:星期|礼拜)|(?<![一两二三四五六七八九十几半整大小0-9])周(?=天))"
    "(?:([一二三四五六日])(?![次个天])|天(?![气天子]))"
)
_WIDE_MARKS = tuple(zip("，：；！？（）", ",:;!?()", strict=True))


def fold(text: str) -> str:
    """Convert `text` to NFKC, simplified Chinese and one name of each weekday. Remove Latin accents, and keep case."""
    if text.isascii():
        return text
    # Replacing these marks is ten times as fast as NFKC. Most Chinese text then needs no NFKC.
    for wide, mark in _WIDE_MARKS:
        text = text.replace(wide, mark)
    if not is_normalized("NFKC", text):
        text = normalize("NFKC", text)
    if _has_bytes(text, _ACCENT_BYTES) and pattern(_ACCENTED).search(text):
        text = pattern(_ACCENTED).sub(lambda m: pattern(_MARKS).sub("", normalize("NFD", m[0])), text)
    return simplified(text)


def _has_bytes(text: str, some: bytes) -> bool:
    """Return whether a text contains one of these bytes in UTF-8. Unlike an expression, this needs no module `re`."""
    data = text.encode("utf-8", "surrogatepass")
    return len(data.translate(None, some)) < len(data)


def simplified(text: str) -> str:
    """Convert `text` to simplified Chinese characters, and to one name of each weekday."""
    if text.isascii():
        return text
    traditional, table = traditional_characters()
    text = text if traditional.isdisjoint(text) else text.translate(table)
    if "星期" in text or "礼拜" in text or "周天" in text:
        text = pattern(_WEEKDAY).sub(lambda m: f"周{m[1] or '日'}", text)
    return text


def normalise(text: str) -> str:
    """Return `text` in the form in which texts are compared: folded, in lower case, with single spaces."""
    return " ".join(fold(text).lower().split())


def is_dense(term: str) -> bool:
    """Return whether a term begins with a character of a script without spaces: Thai to Burmese, or CJK (≥ U+2E80)."""
    first = term[0]
    return first >= _EAST_ASIAN or "\u0e00" <= first <= "\u109f"


def contains(text: str, phrase: str) -> bool:
    """Return whether a normalised text contains a normalised phrase. In scripts with spaces, whole words must match."""
    start = -1
    while (start := text.find(phrase, start + 1)) >= 0:
        if not (_inside_word(text, start) or _inside_word(text, start + len(phrase))):
            return True
    return False


def _inside_word(text: str, place: int) -> bool:
    around = text[max(place - 1, 0) : place + 1]
    return len(around) == 2 and around.isalnum() and not any(map(is_dense, around))


VERSION = 3
"""Version of the terms. Increase it when a text's terms change, so that data made from terms is rebuilt."""

LONGEST_TERM = 200
WORD, CHARACTER = 5, 2
"""Length of a word, and length of a character in a script without spaces, both in fifths of a word."""

_EAST_ASIAN = "\u2e80"
"""The first character of East Asian scripts. A pattern for them would take a millisecond to compile."""
_VOWELS = frozenset("aeiou")
ALPHANUMERIC = keeping(DIGITS + LETTERS)

# A possible identifier: letters, digits, and the marks that join its parts.
_CHUNK = r"[0-9A-Za-z_./@:\\+#?&=%~$-]+"

# Finds identifiers. The pattern begins with one set. In plain prose, this is several times faster than alternatives.
_HINT = (
    r"[A-Z0-9_./@:\\+#?&=%~$-](?:(?<=[a-z][A-Z])|(?<=[A-Za-z][0-9])|(?<=[0-9])(?=[A-Za-z])|(?<=_)(?=[A-Za-z])"
    r"|(?<=[A-Za-z][+#])|(?<=[0-9A-Za-z][_./@:\\+#?&=%~$-])(?=[0-9A-Za-z]))"
)
_COMPONENT = r"[^/\\@:?&=#]+"
_VERSION = r"[vV][0-9]+\."
_HUMP = r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+"
_SIGN_BYTES = b"\xe2\xf0"
"""First bytes, in UTF-8, of emoji and of other characters."""
_EDGES = "./@:\\?&=%~$-"


def plain_terms(lower: str) -> list[str]:
    """Return the words of a folded, lower-case text.

    In scripts without spaces, the terms of a run are all pairs of adjacent characters, and its last character.
    """
    return counted_terms(lower)[0]


def counted_terms(lower: str) -> tuple[list[str], int]:
    """Return the words of a text as `plain_terms` does, and how many of them are in scripts without spaces."""
    if lower.isascii():
        return runs(lower, ALPHANUMERIC), 0
    out: list[str] = []
    count = 0
    for run in "".join([char if char.isalnum() else " " for char in lower]).split():
        if run.isascii():
            out.append(run)
            continue
        for part in (run,) if min(run) >= _EAST_ASIAN else _parts(run):
            if is_dense(part):
                single = list(part)
                out += map(add, single, (*single[1:], ""))
                count += len(single)
            else:
                out.append(part)
    return out, count


def _parts(run: str) -> list[str]:
    """Split a run of characters where ASCII, or a script with spaces, meets other characters."""
    out = []
    for part in ("".join(same) for _, same in groupby(run, str.isascii)):
        if part.isascii() or min(part) >= _EAST_ASIAN:
            out.append(part)
        else:
            out += ["".join(same) for _, same in groupby(part, is_dense)]
    return out


def pairs_by_first_character(terms: Iterable[str]) -> dict[str, list[str]]:
    """Return the terms that are pairs of characters (scripts without spaces), by their first character."""
    out: dict[str, list[str]] = {}
    for term in terms:
        if len(term) == 2 and is_dense(term):
            out.setdefault(term[0], []).append(term)
    return out


def raw_terms(folded: str) -> list[str]:
    """Return the terms of a folded text, as often as they occur: words, identifiers and emoji, not stemmed."""
    return plain_terms(folded.lower()) + identifiers(folded) + signs(folded)


def signs(folded: str) -> list[str]:
    """Return the emoji in a folded text."""
    is_possible = not folded.isascii() and _has_bytes(folded, _SIGN_BYTES)
    return list(filter(is_sign, folded)) if is_possible else []


def is_sign(term: str) -> bool:
    """Return whether a term is an emoji."""
    return len(term) == 1 and ("\u2600" <= term <= "\u27bf" or "\U0001f000" <= term <= "\U0001faff")


def identifiers(folded: str) -> list[str]:
    """Return the terms of the identifiers in a folded text. Plain terms are left out."""
    out: list[str] = []
    rest = folded[1:].rstrip(".。?!")
    if folded[:1].isalpha() and rest == rest.lower() and rest.replace(" ", "").replace(",", "").isalpha():
        return out
    if pattern(_HINT).search(folded):
        for chunk in pattern(_CHUNK).findall(folded):
            if pattern(_HINT).search(chunk):
                out += identifier_terms(chunk)
    return out


def identifier_terms(chunk: str) -> list[str]:
    """Return the terms of an identifier, path, URL or address, without its plain words: the whole and the parts.

    For `src/getUserName.py`: itself, `getusername.py`, `get`, `user` and `name`.
    """
    whole = chunk.strip(_EDGES)[:LONGEST_TERM]
    terms = dict.fromkeys([whole.lower(), *(part.strip(_EDGES).lower() for part in pattern(_COMPONENT).findall(whole))])
    if pattern(_VERSION).match(whole):
        terms[whole[1:].lower()] = None
    for word in pattern("[0-9A-Za-z]+").findall(whole):
        terms.pop(word.lower(), None)
        humps = pattern(_HUMP).findall(word)
        if len(humps) > 1:
            if len(humps[0]) == 1 and humps[0].islower() and humps[1].isalpha():
                humps[:2] = [humps[0] + humps[1]]
            terms |= dict.fromkeys(h.lower() for h in humps if (len(h) > 1 or h.isdigit()) and h != word)
    terms.pop("", None)
    return list(terms)


class _Stemmer:
    """SQLite's Porter stemmer, called for many words at once."""

    def __init__(self) -> None:
        self._lock = allocate_lock()
        self._db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self._db.execute("CREATE VIRTUAL TABLE stems USING fts5(word, content='', tokenize='porter ascii')")
        self._db.execute("CREATE VIRTUAL TABLE vocabulary USING fts5vocab(stems, instance)")

    def stem(self, words: list[str]) -> list[str]:
        """Return the stems of `words`, which must contain only ASCII letters."""
        out = list(words)
        with self._lock:  # a server calls this from several threads
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
        return None  # without FTS5 in SQLite, words are found only in the form in which they are written


def _ended(stem: str) -> str:
    """Replace a final y by i, so that related words share a stem.

    The Porter stemmer returns "deploi" for `deploy`, but "deploy" for `deployment`.
    """
    return f"{stem[:-1]}i" if stem[-1] == "y" and not _VOWELS.isdisjoint(stem[:-1]) else stem


def stems(words: Iterable[str]) -> dict[str, str]:
    """Return the indexed form of each word. Words that are indexed unchanged are left out."""
    base = {word: IRREGULAR.get(word, word) for word in words}
    plain = [word for word in set(base.values()) if len(word) > 2 and word.isascii() and word.isalpha()]
    stemmer = _stemmer()
    if stemmer and (new := [word for word in plain if word not in _known]):
        if len(_known) > _REMEMBERED:
            _known.clear()
            new = plain
        _known.update(zip(new, map(_ended, stemmer.stem(new)), strict=True))
    table = {word: _known[word] for word in plain} if stemmer else {}
    return {word: stem for word in base if (stem := table.get(base[word], base[word])) != word}


_REMEMBERED = 20_000
_known: dict[str, str] = {}
"""Cached stems, since a long-lived process needs the same stems repeatedly."""


def initial(word: str) -> str:
    """Return the first character of a word's indexed form. Stemming does not change this character."""
    return IRREGULAR.get(word, word)[0]


LONGEST_TEXT = 100_000
"""Number of compared and indexed characters of a text. The rest is stored and shown, but cannot be found."""


@lru_cache(maxsize=512)  # a process that answers several calls reads the same texts again
def shingles(text: str) -> frozenset[str]:
    """Return the character trigrams of the first LONGEST_TEXT characters, normalised, with a space at both ends."""
    plain = normalise(text[:LONGEST_TEXT])
    if not plain:
        return frozenset()
    ended = f" {plain} "
    return frozenset(map("".join, zip(ended, ended[1:], ended[2:], strict=False)))


def jaccard(a: frozenset[str], b: frozenset[str]) -> float:
    """Return the Jaccard index of two sets (common members divided by all members); 1 if both are empty."""
    if not a and not b:
        return 1.0
    common = len(a & b)
    return common / (len(a) + len(b) - common)
