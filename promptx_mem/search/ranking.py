"""The table of ranking signals, the hits, and the order of similar hits. A hit's score is the sum of its signals.

`python tests/ranking_table.py` writes the table into `docs/design.md`. `recall --explain` prints the names of signals.
`python -m benchmarks.recall.ablation` measures the search without each signal.
"""

from collections.abc import Iterable
from heapq import nlargest
from math import log

from promptx_mem.core.state import OWN, State, is_unverified, may_go_first
from promptx_mem.record import TYPE_CHECKING
from promptx_mem.search import tokens
from promptx_mem.search.tokens import STOP_WORDS, fold, is_dense, is_sign, jaccard, plain_terms, shingles, word_list
from promptx_mem.search.tokens import WORD as UNIT

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping


class Signal:
    """A signal of the ranking: one part of a memory's score.

    At the weight `neutral`, the signal has no effect (for `word`, this is the usual k1). `source` is the reason for
    the signal: "required", "measured" (results are worse without the signal), or "004" (the formula of source 004, see
    docs/design.md). `loss` is the change of nDCG@10 without the signal, in points: the mean of all data sets, and the
    set that loses most.
    """

    __slots__ = ("loss", "name", "neutral", "reason", "source", "weight")

    def __init__(
        self, name: str, weight: float, reason: str, loss: str = "", *, neutral: float = 0.0, source: str = "measured"
    ) -> None:
        self.name = name
        self.weight = weight
        self.neutral = neutral
        self.reason = reason
        self.source = source
        self.loss = loss


REQUIRED = "required"

WORD = Signal(
    "word", 0.7, "k1 of BM25: the weight of repeated occurrences", "-0.17; long -1.4", neutral=1.2, source=REQUIRED
)
HUGE = Signal("length", 2.0, "limit of the penalty for memories over 200 words", "-1.02; beam-all -15.8")
PASSAGE = Signal("passage", 1.0, "a memory over 60 words is scored by its best 40", "-2.47; beam-all -19.5")
NEAR = Signal("near words", 15.0, "no penalty for length if all query words are this close", "-1.30; long -14.6")
LENT = Signal("lent", 0.5, "share of the score for words of the memory before it", "-1.12; locomo-turns -5.2")
LENT_AFTER = Signal(
    "lent by the next", 0.25, "share of the score for words of the memory after it", "-0.05; beam-all -1.2"
)
LENT_SECOND = Signal(
    "lent by the second", 0.5, "factor of both for the second memory before or after", "-0.22; kdconv -1.3"
)
BEGINNING = Signal("beginning", 0.25, "a query word at the beginning of a memory counts more", "-0.78; kdconv -5.5")
WHOLE = Signal("whole text", 1.0, "added if the memory is equal to the query")
ASKING = Signal(
    "asking", 0.5, "words about the form of the answer, such as list or order", "-0.22; beam-user -1.5", neutral=1.0
)
DATE = Signal("date", 1.5, "a day, month or year that the query names", "-0.23; our small set -1.4", source=REQUIRED)
ANY_YEAR = Signal("date of any year", 1.0, "the same day in a memory without a year", "-0.11; own -1.0")
DATE_WORD = Signal("date words", 0.3, "the words of a recognised date", "-0.21; our small set -1.3")
SPELLING = Signal("spelling", 0.8, "k8s for kubernetes, own abbreviations, a misspelled word", "-0.24; own -2.3")
SYNONYM = Signal("synonym", 0.6, "an English word of the same meaning", "-0.09; own -0.9")
TOPIC = Signal("topic", 1.0, "source 004's five terms, divided by their greatest sum", source="004")
MESSAGES = Signal("messages", 0.75, "a message, relative to a memory with the same words", neutral=1.0)
STANDING = Signal("standing", 0.3, "the best 3 rules get this share of their word score", "-0.25; beam-user -2.0")
NEWER = Signal(
    "newer", 0.35, "added to newer memories if a question is about the present", "-0.27; contradictions -1.8"
)
CORRECTS = Signal("corrects", 0.01, "puts a correction above the memory that it corrects", "-0.34; contradictions -3.4")
COPIES = Signal(
    "near copies",
    0.6,
    "a newer near copy with this share of the score is first",
    "-0.05; contradictions -0.7",
    neutral=9.0,
    source=REQUIRED,
)
IMPORTANCE = Signal("importance", 0.05, "current importance, up to 3", "+0.03; long -0.5", source=REQUIRED)
RECENCY = Signal("recency", 0.002, "for own memories; halved after 30 days", "-0.09; long -0.5", source=REQUIRED)
LASTING = Signal("lasting", 0.003, "for own memories: long and permanent before short", "0", source=REQUIRED)
WEAK = Signal(
    "weak", 0.087, "a match with a smaller share of the question's weight is last and never injected", "-0.05; own -0.3"
)
COMMON = Signal(
    "weak: common word", 0.3, "weight of a common word, or a pair with a particle", "-0.07; own -0.7", neutral=1.0
)
CHARACTER = Signal("weak: character", 0.45, "weight of a single character", "+0.02; kdconv -0.1", neutral=1.0)
COMMON_CHARACTER = Signal(
    "weak: common character", 0.05, "weight of a very common character", "-0.02; kdconv -0.1", neutral=0.45
)

SIGNALS = tuple(value for value in globals().values() if isinstance(value, Signal))

OWN_WORD = f"{WORD.name} "
"""Name prefix of score parts for words of the memory itself."""

ALIAS = "alias "
"""Name prefix of score parts for words that occur only in the memory's aliases."""

LENT_WORD = f"{LENT.name} "
"""Name prefix of score parts for words that occur only in the memory's neighbours."""


class Hit:
    """A found memory: the parts of its score (`terms`), and how it was found (`via`)."""

    __slots__ = ("message", "rowid", "see", "state", "terms", "via", "weak")

    def __init__(
        self, rowid: int, state: State, terms: dict[str, float] | None = None, via: Iterable[str] = ()
    ) -> None:
        self.rowid = rowid
        self.state = state
        self.terms = terms or {}
        self.via = list(via)
        self.weak = False
        """True if the memory has too few of the question's words to be injected."""
        self.see: dict[str, bool] = {}
        """Ids of memories that could contradict this memory. True: the other memory is newer and may rank above it."""
        self.message: int | None = None
        """Number of the matching message, if the hit is a conversation."""

    def add(self, signal: Signal, part: float) -> None:
        """Set the part of the score that comes from a signal."""
        self.terms[signal.name] = part

    @property
    def score(self) -> float:
        return sum(self.terms.values())

    @property
    def own(self) -> float:
        """Return the score without the parts for words that only the memory's neighbours have."""
        return sum(part for name, part in self.terms.items() if not name.startswith(LENT_WORD))


LONG_WORDS, PASSAGE_WORDS = 60, 40
LONG, PASSAGE_LENGTH = LONG_WORDS * UNIT, PASSAGE_WORDS * UNIT
"""Lengths in words, and in fifths of one. A memory longer than LONG is scored by its best passage of PASSAGE_LENGTH."""

Parts = dict[int, dict[str, float]]
"""For each memory's rowid: the memory's terms, each with its part of the score."""


def greater(own: dict[str, float], lent: dict[str, float] | None) -> dict[str, float]:
    """Return for each term the larger score: the memory's `own` score, or the score `lent` by its neighbours."""
    return {**own, **{term: part for term, part in lent.items() if part > own.get(term, 0.0)}} if lent else {**own}


FUNCTION = 0.1
"""Weight of short numbers and function words. Function words count only if the query has no other words."""

_SHORT_NUMBER = 3

COMMON_WORDS = frozenset(word_list("common words"))
"""Very common words, which also occur in prompts that are unrelated to any memory."""

_COMMON_CHARACTERS = frozenset("".join(word_list("common characters")))
"""The most common characters. They make up two thirds of Chinese text."""

_PARTICLES = frozenset("的了着得地吗呢吧啊呀么之其以而且是和与及或于把被给我你他她它这那就都也还又再很不")


class Measure:
    """A test for weak matches. A match is weak if it has too few of the question's specific words, by weight.

    `terms` and `added` are those of a query. `weights` maps terms to weights. `docs` is the number of memories.
    """

    def __init__(
        self,
        terms: "Collection[tuple[str, float, str]]",
        added: "Collection[str]",
        weights: "Mapping[str, float]",
        docs: int,
    ) -> None:
        self.shares = {term: specificity(term, word, added) for term, _, word in terms if term in weights}
        if all(_is_single(term) for term in self.shares):  # the query has only single characters
            self.shares = dict.fromkeys(self.shares, 1.0)
        named = {term for term, weight, _ in terms if term[0] != "@" and weight > DATE_WORD.weight}
        words = {term for term in named if self.shares.get(term, 0.0) >= COMMON.weight}
        is_dated = any(term[0] == "@" for term in self.shares)
        own = (
            term for term in words - {*added} if self.shares[term] == 1.0 and not _COMMON_CHARACTERS.issuperset(term)
        )
        self._words = words if is_dated and any(own) else None
        full = sum(weights[term] * share for term, share in self.shares.items() if term not in added)
        self._full, self._whole = full or 1.0, log(1 + docs)

    def is_weak(self, parts: "Mapping[str, float]") -> bool:
        """Return whether a memory with these score parts is a weak match, such as one that has only the date."""
        if self._words is not None and self._words.isdisjoint(parts):
            return True
        says = sum(self.shares[term] * part for term, part in parts.items())
        return says / self._full * says / self._whole < WEAK.weight


def specificity(term: str, word: str, added: "Collection[str]" = ()) -> float:
    """Return a term's factor in `Measure`: below 1 for function and common words, short numbers and single characters.

    The term was made from `word`.
    """
    if word in STOP_WORDS or (word.isdecimal() and len(word) <= _SHORT_NUMBER):
        return FUNCTION
    if _is_single(term):
        if is_sign(term) or term in added:
            return 1.0
        return (COMMON_CHARACTER if term in _COMMON_CHARACTERS else CHARACTER).weight
    has_particle = len(term) == 2 and is_dense(term) and not _PARTICLES.isdisjoint(term)
    return COMMON.weight if has_particle or term in COMMON_WORDS or word in COMMON_WORDS else 1.0


def _is_single(term: str) -> bool:
    return len(term) == 1 and is_dense(term)


ALIKE = 0.7
"""Minimum similarity (Jaccard of trigrams) of memories that are listed together."""

LOOKED_AT = 30
"""Number of best hits that are compared with each other."""

_HEAD = 500
"""Number of characters of a text that are compared."""

_CHINESE_NOW = ("目前", "如今", "当前", "眼下")
_BEFORE_IN = frozenset("出呈表体实发浮")
"""The first characters of words such as 出现, after which 现在 does not mean "now", but the end of a word and 在."""

_ENGLISH_NOW = (
    *("now", "currently", "current", "nowadays", "presently", "today"),
    *("at present", "these days", "at the moment"),
)


def wants_current(words: str) -> bool:
    """Return whether a question is about the present."""
    lower = fold(words).lower()
    spaced = f" {' '.join(plain_terms(lower))} "
    if any(word in lower for word in _CHINESE_NOW):
        return True
    if any(before[-1:] not in _BEFORE_IN for before in lower.split("现在")[:-1]):
        return True
    return any(f" {word} " in spaced for word in _ENGLISH_NOW)


def age(hit: Hit, noted: "Callable[[Hit], float]") -> tuple[bool, float]:
    """Return the sort key for age. Unverified, imported and other people's memories count as the oldest."""
    return hit.state.origin == OWN and not is_unverified(hit.state), noted(hit)


_FEW, _DAY, _SHORT, _SUBJECT = 5, 86_400, 80, 2
"""Limits for `lift_later`: the maximum number of compared hits, the seconds after which a shared subject is enough, the
maximum characters of a text, and the minimum number of words (or pairs of Chinese characters) that both texts have.
"""
_SHARES = ((1.0, 0.8), (0.5, 0.4))
"""The minimum share of the older hit's query words, by weight, and of its score that the newer hit has; the same for a
text with a word of change.
"""
_ALIKE = 0.5
"""The minimum share of the words of the shorter text that both texts have, if they are of one day."""


def lift_later(hits: "list[Hit]", noted: "Callable[[Hit], float]") -> None:
    """Among the best hits, put a short memory above older short memories on the same subject."""
    best: list[Hit] = []
    for hit in hits[:_FEW]:
        place = next((n for n, older in enumerate(best) if _updates(hit, older, noted)), len(best))
        best.insert(place, hit)
    hits[:_FEW] = best


def _updates(newer: Hit, older: Hit, noted: "Callable[[Hit], float]") -> bool:
    """Return whether `newer` can rank above `older`: later, both short, on one subject, with the words of the query.

    Of one day, texts with a colon, such as "name: value", can be about one thing and different attributes.
    """
    texts = older.state.entry.text, newer.state.entry.text
    passed, is_talk = noted(newer) - noted(older), "episode" in (older.state.category, newer.state.category)
    if newer.weak or is_talk or passed <= 0 or max(map(len, texts)) > _SHORT:
        return False
    standing = older.terms.get(STANDING.name, 0.0)
    asked = {name: part for name, part in older.terms.items() if name.startswith(OWN_WORD)}
    known = sum(part for name, part in asked.items() if name in newer.terms)
    score = older.score - standing
    has = [asked and known >= words * sum(asked.values()) and newer.score >= part * score for words, part in _SHARES]
    is_lesser = standing and STANDING.name not in newer.terms
    if not any(has):
        return False
    one, two = (plain_terms(fold(text).lower()) for text in texts)
    if not has[0] or is_lesser:
        changes = tokens.word_list("words of change")
        if set(two).isdisjoint(changes) and not any(word in texts[1] for word in changes if not word.isascii()):
            return False
    form = tokens.stems({*one, *two})
    old, new = ({form.get(word, word) for word in words} - STOP_WORDS for words in (one, two))
    least = max(_SUBJECT, _ALIKE * min(len(old), len(new)) if passed < _DAY else 0)
    is_table = passed < _DAY and any(mark in text for text in texts for mark in ":：")
    return len(old & new) >= least and not is_table and may_go_first(newer.state, older.state)


def together(hits: "list[Hit]", noted: "Callable[[Hit], float]") -> "list[Hit]":
    """Move nearly equal memories together, the newest of them first."""
    looked_at, rest = hits[:LOOKED_AT], hits[LOOKED_AT:]
    scores = [hit.score for hit in looked_at]
    texts = [shingles(hit.state.entry.text[:_HEAD]) for hit in looked_at]
    out: list[Hit] = []
    numbers: set[int] = set()
    for number, hit in enumerate(looked_at):
        if number not in numbers:
            later = (n for n in range(number + 1, len(texts)) if n not in numbers)
            near = (n for n in later if scores[n] >= COPIES.weight * scores[number])
            same = [n for n in near if jaccard(texts[number], texts[n]) >= ALIKE]
            numbers.update(same)
            out += sorted([hit, *(looked_at[n] for n in same)], key=lambda one: age(one, noted), reverse=True)
    return out + rest


RULES = 3
"""Number of rules whose scores are raised. It is small, so that facts keep their ranks."""


def lift_rules(hits: Iterable[Hit], rowids: "Collection[int]") -> None:
    """Raise the scores of the user's best rules and preferences. `rowids` are those of all rules and preferences."""
    rules = [hit for hit in hits if hit.rowid in rowids and hit.state.origin == OWN]
    for rule in nlargest(RULES, rules, key=_word_score):
        rule.add(STANDING, STANDING.weight * _word_score(rule))


def _word_score(hit: Hit) -> float:
    return sum(part for name, part in hit.terms.items() if name.startswith(OWN_WORD))
