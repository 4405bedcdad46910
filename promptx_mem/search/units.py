"""Cut a question into the words and phrases that a dictionary has, each with what it may be in the other language."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from promptx_mem.core.text import pattern
from promptx_mem.search import floor, tokens
from promptx_mem.search.lexicon import FUNCTION_PHRASES, STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from promptx_mem.search.dictionary import Dictionary

LONGEST = 200
"""Characters of a question that is translated: a longer one has words enough to be found by."""

LONGEST_WORD, MOST_WORDS = 8, 3
"""Characters of a Chinese word, and words of an English phrase."""

DULL = "-"
"""Begins a translation that says little: of common words alone, or a common character."""

_RUN = "[0-9a-z]+|[\u4e00-\u9fff]+"
_FUNCTION = frozenset(FUNCTION_PHRASES)

Terms = tuple[str, ...]


class Unit(NamedTuple):
    """A word or phrase of a question: its weight, the terms it is indexed by, and its translations, likeliest first."""

    weight: float
    own: Terms
    translations: tuple[str, ...]


def phrase(words: Iterable[str]) -> str:
    """Return the form in which a phrase is looked up, plural or not."""
    return " ".join(word.rstrip("s") or word for word in words)


def read(text: str, dictionary: Dictionary) -> list[Unit]:
    """Cut a question into what the dictionary has; words that say nothing are left out."""
    runs = pattern(_RUN).findall(tokens.fold(text[: LONGEST + 1]).lower()) if len(text) <= LONGEST else []
    latin = [run for run in runs if run.isascii()]
    stems = tokens.stems(latin)
    keys = {stems.get(word, word) for word in latin}
    keys.update(phrase(latin[i : i + n]) for n in range(2, MOST_WORDS + 1) for i in range(len(latin) - n + 1))
    keys.update(part for run in runs if not run.isascii() for part in _substrings(run))
    table = dictionary.look_up(keys)
    units: list[Unit] = []
    for run in _grouped(runs):
        units += _of_chinese(run, table) if isinstance(run, str) else _of_english(run, stems, table)
    return units


def _grouped(runs: list[str]) -> Iterator[str | list[str]]:
    """Yield Chinese runs, and lists of the other words between them."""
    words: list[str] = []
    for run in runs:
        if run.isascii():
            words.append(run)
            continue
        if words:
            yield words
        words = []
        yield run
    if words:
        yield words


def _substrings(run: str) -> Iterator[str]:
    for start in range(len(run)):
        for end in range(start + 1, min(len(run), start + LONGEST_WORD) + 1):
            yield run[start:end]


def _of_chinese(run: str, table: dict[str, list[str]]) -> Iterator[Unit]:
    """Cut a run into the longest words, from its beginning."""
    start = 0
    while start < len(run):
        ends = range(min(len(run), start + LONGEST_WORD), start, -1)
        word = next(part for end in ends if (part := run[start:end]) in table or part in _FUNCTION or len(part) == 1)
        start += len(word)
        lines = table.get(word, [])
        if word in _FUNCTION:
            continue
        is_common = lines[:1] == [""] or floor.is_common_character(word)
        yield Unit(floor.COMMON if is_common else 1.0, terms_of(word), tuple(filter(None, lines)))


def _of_english(words: list[str], stems: dict[str, str], table: dict[str, list[str]]) -> Iterator[Unit]:
    start = 0
    while start < len(words):
        for size in range(min(MOST_WORDS, len(words) - start), 0, -1):
            part = words[start : start + size]
            terms = tuple(stems.get(word, word) for word in part)
            if size == 1 or (phrase(part) in table and STOP_WORDS.isdisjoint((part[0], part[-1]))):
                break
        start += size
        if size == 1 and part[0] in STOP_WORDS:
            continue
        weight = max(floor.share(term, word) for term, word in zip(terms, part, strict=True))
        translations = table.get(terms[0] if size == 1 else phrase(part), ())
        yield Unit(weight * size**0.5 if weight == 1 else weight, terms, tuple(translations))


def terms_of(text: str) -> Terms:
    """Return the terms by which the index has a word of the dictionary."""
    if text.isascii():
        return tuple(text.split(" "))
    return tuple(text[i : i + 2] for i in range(len(text) - 1)) or (text,)
