"""What a person wants always, or prefers: it goes before what was merely said with the same words.

"Always name the source when I ask about figures" says nothing of figures that other memories do not; who asks about
figures needs it first.
"""

from collections.abc import Iterable, Sequence
from heapq import nlargest
from math import inf
from typing import TYPE_CHECKING

from promptx_mem.core.origin import OWN
from promptx_mem.core.text import pattern
from promptx_mem.search.hit import OWN_WORD, Hit

if TYPE_CHECKING:
    from promptx_mem.search.query import Query

SHARE = 0.3
"""What such a memory gains, as a share of what its own words are worth."""

MOST = 3
"""So many of the best gain: many rules may not leave the facts without a place."""

ANSWERS = 0.75
"""What has so much of what can be found of a question answers it: a rule with less of it does not pass it."""

BOUNDS = frozenset(
    ("before", "after", "between", "below", "above", "during", "than", "under", "until", "till", "within", "without",
     "since", "except")
)  # fmt: skip
"""Function words that bound what is asked for: they are not looked for, but say which of two is meant."""

_BELOW = 0.001

_LOOKED_AT = 300
"""Characters of a text that are looked at; what is longer has a question's words by chance."""

_BEGINNINGS = (
    "always ", "never ", "do not ", "make sure ", "from now on", "whenever ", "every time ", "when i ask", "when i say",
    "总是", "始终", "永远", "每次", "一律", "从现在起", "今后", "以后", "务必", "禁止", "不要",
    "别再", "别忘", "别把", "别用", "别在",
)  # fmt: skip
_POLITE = ("please ", "请")
_NARRATES = r"(?:Always|Never) (?:[A-Z]|had|been|was|were|mind|got|heard|seen|on )|以后(?:的|再)"
"""What begins alike and asks for nothing: a title, or what has happened."""

_MARKS = ("prefer", "rather", "favor", "favour", "喜欢", "偏好", "偏爱", "宁愿", "习惯", "更爱", "最爱")
_PREFERS = (
    r"(?i)\b(?:i|user)(?:'d| would| do| really|'ve| always| much)? ?(?:prefers?|rather|favou?rs?)\b|"
    r"(?:我|用户)(?:更|比较|最)(?:喜欢|爱)|(?:我|用户)(?:更|比较|最)?(?:偏好|偏爱|宁愿|习惯)"
)


def lift(hits: Iterable[Hit], queries: "Iterable[Query]", text: str, *, own: bool) -> None:
    """Let the best of what stands gain; of what is not one's own nothing does. `own`: whether the store is.

    None is lifted above an answer: see `_Answers`. `text` is the question as it was asked.
    """
    every = list(hits)
    rules = [hit for hit in every if own and hit.state.origin == OWN and is_standing(hit.state.entry.text)]
    if not rules:
        return
    answers = _Answers(every, rules, queries, text)
    for rule in nlargest(MOST, rules, key=_worth_of_words):
        gain = min(SHARE * _worth_of_words(rule), answers.above(rule) - rule.score - _BELOW)
        if gain > 0:
            rule.terms["standing"] = gain


def _worth_of_words(hit: Hit) -> float:
    return sum(part for name, part in hit.terms.items() if name.startswith(OWN_WORD))


class _Answers:
    """What a rule does not pass: a short memory that has most of the question, and more of it than the rule.

    More is a further word, or, of what was noted later than the rule, a bound: "until when may we deploy on Friday" is
    not answered by "Never deploy on Fridays" if somebody has said since until when.
    """

    def __init__(self, hits: Sequence[Hit], rules: Sequence[Hit], queries: "Iterable[Query]", text: str) -> None:
        self._bounds = BOUNDS.intersection(text.lower().split())
        found = {word for hit in hits for word in _words(hit)}
        self._asked = [found & query.content() for query in queries]
        short = (hit for hit in hits if len(hit.state.entry.text) <= _LOOKED_AT)
        self._hits = [hit for hit in short if hit not in rules and self._has_most(hit)]

    def _has_most(self, hit: Hit) -> bool:
        words = _words(hit)
        return any(asked and len(asked & words) >= ANSWERS * len(asked) for asked in self._asked)

    def above(self, rule: Hit) -> float:
        """Return the score of the least of those that stand above a rule and answer better than it does."""
        scores = [hit.score for hit in self._hits if hit.score > rule.score and self._is_more(hit, rule)]
        return min(scores, default=inf)

    def _is_more(self, hit: Hit, rule: Hit) -> bool:
        for asked in self._asked:
            has, rule_has = asked & _words(hit), asked & _words(rule)
            if has > rule_has:
                return True
            if has == rule_has and hit.state.first_at > rule.state.first_at:
                return self._bounds_in(hit) > self._bounds_in(rule)
        return False

    def _bounds_in(self, hit: Hit) -> frozenset[str]:
        return self._bounds.intersection(hit.state.entry.text.lower().split()) if self._bounds else self._bounds


def _words(hit: Hit) -> set[str]:
    return {name.removeprefix(OWN_WORD) for name, part in hit.terms.items() if part and name.startswith(OWN_WORD)}


def is_standing(text: str) -> bool:
    """Tell whether a memory begins with what is to be done always or never, or says what its user prefers."""
    head = text[:_LOOKED_AT]
    begin = head.lstrip().lower()
    for word in _POLITE:
        begin = begin.removeprefix(word)
    if begin.startswith(_BEGINNINGS):
        return pattern(_NARRATES).match(head.lstrip()) is None
    return any(mark in head for mark in _MARKS) and pattern(_PREFERS).search(head) is not None
