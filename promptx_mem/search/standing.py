"""What a person wants always, or prefers: it goes before what was merely said with the same words.

"Always name the source when I ask about figures" says nothing of figures that other memories do not; who asks about
figures needs it first.
"""

from collections.abc import Iterable
from heapq import nlargest

from promptx_mem.core.origin import OWN
from promptx_mem.core.text import pattern
from promptx_mem.search.hit import Hit

SHARE = 0.3
"""What such a memory gains, as a share of what its own words are worth."""

MOST = 3
"""So many of the best gain: many rules may not leave the facts without a place."""

_LOOKED_AT = 300
"""Characters of a text that are looked at."""

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


def lift(hits: Iterable[Hit], *, own: bool) -> None:
    """Let the best of what stands gain; of what is not one's own nothing does. `own`: whether the store is."""
    mine = (hit for hit in hits if own and hit.state.origin == OWN and is_standing(hit.state.entry.text))
    for hit in nlargest(MOST, mine, key=lambda hit: hit.own):
        hit.terms["standing"] = SHARE * hit.own


def is_standing(text: str) -> bool:
    """Tell whether a memory begins with what is to be done always or never, or says what its user prefers."""
    head = text[:_LOOKED_AT]
    begin = head.lstrip().lower()
    for word in _POLITE:
        begin = begin.removeprefix(word)
    if begin.startswith(_BEGINNINGS):
        return pattern(_NARRATES).match(head.lstrip()) is None
    return any(mark in head for mark in _MARKS) and pattern(_PREFERS).search(head) is not None
