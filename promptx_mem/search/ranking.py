"""The signals of the ranking: one table of names and weights, which the other modules apply.

`docs/design.md` has it as a page (`python tests/ranking_table.py`), `recall --explain` prints its names, and
`python -m benchmarks.recall.ablation` leaves out one signal after the other.
"""


class Signal:
    """One thing that counts in the ranking.

    At the weight `neutral` it changes nothing (`word`: k1 is as usual elsewhere). `source` is "required", "004" for the
    formula of that source, or "measured": such a signal stays only if without it the figures fall. `loss` is the change
    of nDCG@10 without it, in points: the mean of the sets, and the set that loses most.
    """

    __slots__ = ("loss", "name", "neutral", "reason", "source", "weight")

    def __init__(self, name: str, weight: float, neutral: float, reason: str, source: str, loss: str = "") -> None:
        self.name = name
        self.weight = weight
        self.neutral = neutral
        self.reason = reason
        self.source = source
        self.loss = loss


MEASURED = "measured"
REQUIRED = "required"

WORD = Signal("word", 0.7, 1.2, "k1 of BM25: how much further occurrences of a word count", REQUIRED)
HUGE = Signal("length", 2.0, 0.0, "at most so much for a length over 200 words", MEASURED)
LENGTH = Signal("relative length", 0.15, 0.0, "a memory longer than the mean counts less, up to 1.5 times", MEASURED)
PASSAGE = Signal("passage", 1.0, 0.0, "a memory of over 60 words counts by its best 40", MEASURED)
NEAR = Signal("near words", 15.0, 0.0, "a long memory with all words within so many pays nothing for length", MEASURED)
LENT = Signal("lent", 0.5, 0.0, "share of a word that the memory recorded just before has", MEASURED)
LENT_AFTER = Signal("lent by the next", 0.25, 0.0, "share of a word that the memory recorded next has", MEASURED)
LENT_SECOND = Signal("lent by the second", 0.5, 0.0, "share of those that the second before or after lends", MEASURED)
BEGINNING = Signal("beginning", 0.25, 0.0, "a word with which a memory begins counts more: its subject", MEASURED)
WHOLE = Signal("whole text", 1.0, 0.0, "added where the whole text is the query", MEASURED)
ASKING = Signal("asking", 0.5, 1.0, "list, explain, order: how something is asked", MEASURED)
DATE = Signal("date", 1.5, 0.0, "a day, month or year that the query names", REQUIRED)
ANY_YEAR = Signal("date of any year", 1.0, 0.0, "the same day where a text names no year", MEASURED)
DATE_WORD = Signal("date words", 0.3, 0.0, "the words of a date that was understood", MEASURED)
SPELLING = Signal("spelling", 0.8, 0.0, "k8s for kubernetes, and the user's own abbreviations", MEASURED)
SYNONYM = Signal("synonym", 0.6, 0.0, "an English word of the same meaning", MEASURED)
COMMON_SYNONYM = Signal("synonym of a common word", 0.5, 1.0, "share of it if over 3 memories have the word", MEASURED)
LATIN = Signal("latin word", 3.0, 1.0, "a Latin word among Chinese ones, of which each character counts", MEASURED)
TOPIC = Signal("topic", 1.0, 0.0, "source 004's five terms, divided by their greatest sum", "004")
MESSAGES = Signal("messages", 0.75, 1.0, "a message beside a memory with the same words", MEASURED)
THEN = Signal("then", 0.2, 0.0, 'share of its score for a memory of the time that 上次 or "last time" names', MEASURED)
STANDING = Signal("standing", 0.3, 0.0, "share of its own words for the best 3 rules and preferences", MEASURED)
NEWER = Signal("newer", 0.35, 0.0, "asked how it is now: share of the best score, by age among the near best", MEASURED)
CORRECTS = Signal("corrects", 0.01, 0.0, "put above the memory that it replaces in other words", MEASURED)
COPIES = Signal("near copies", 0.6, 9.0, "the newest of near copies first if it has this share of the score", REQUIRED)
IMPORTANCE = Signal("importance", 0.05, 0.0, "importance now, full from 3", REQUIRED)
RECENCY = Signal("recency", 0.002, 0.0, "halved after 30 days: breaks ties", REQUIRED)
LASTING = Signal("lasting", 0.003, 0.0, "long and permanent before short: breaks ties", REQUIRED)
WEAK = Signal("weak", 0.085, 0.0, "below this share of the question a memory is last, and never injected", MEASURED)
LEAST = Signal("weak: least", 0.3, 0.0, "a memory with less of the question's weight is weak", MEASURED)
ALL = Signal("weak: all", 0.9, 9.0, "a memory with this share of the question is never weak", MEASURED)
COMMON = Signal("weak: common word", 0.3, 1.0, "share of a common word or a pair with a particle", MEASURED)
CHARACTER = Signal("weak: character", 0.45, 1.0, "share of a single character", MEASURED)
COMMON_CHARACTER = Signal("weak: common character", 0.05, 0.45, "share of one of the commonest characters", MEASURED)

SIGNALS = tuple(value for value in globals().values() if isinstance(value, Signal))
