"""What a person wants always, or prefers: it goes before what was merely said with the same words.

"Always name the source when I ask about figures" says nothing of figures that other memories do not; who asks about
figures needs it first.
"""

from collections.abc import Iterable
from heapq import nlargest
from typing import TYPE_CHECKING

from promptx_mem.core.origin import OWN
from promptx_mem.core.text import pattern
from promptx_mem.search.hit import OWN_WORD, Hit
from promptx_mem.search.ranking import STANDING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from promptx_mem.search.query import Query

MOST = 3
"""So many of the best gain: many rules may not leave the facts without a place."""

MANY = 20
"""With more rules and preferences than these a store shows only those that rank among its memories."""

_LOOKED_AT = 300
"""Characters of a text that are looked at; what is longer has a question's words by chance."""

_BEGINNINGS = (
    "always ", "never ", "do not ", "don't ", "make sure ", "be sure to ", "ensure ", "from now on", "going forward",
    "henceforth", "whenever ", "every time ", "each time ", "any time ", "when i ask", "when i say", "if i ask",
    "if i say", "under no circumstances", "i want you to ", "i need you to ", "i expect you to ", "i'd like you to ",
    "i would like you to ",
    "总是", "始终", "永远", "每次", "每当", "一律", "从现在起", "从今以后", "今后", "以后", "往后", "务必", "必须",
    "禁止", "严禁", "切勿", "请勿", "绝不", "不要", "不得", "不许", "别再", "别忘", "别把", "别用", "别在", "当我问",
    "当我说", "如果我问", "我问到", "希望你", "希望您", "我希望你", "我希望您", "我要你", "我需要你", "我要求",
)  # fmt: skip
_ADDRESSES = (
    "please ", "you should ", "you must ", "you have to ", "you need to ",
    "请", "麻烦", "你应该", "你应当", "你必须", "你需要", "你要", "你", "您",
)  # fmt: skip
_TO_ONE = ("not ", "only ", "一直", "都要", "都用", "只")
"""What begins an instruction only where somebody is told: 一直 alone tells what has been."""

_OF_USER = ("the user ", "user ", "用户")
_LIKES = (
    "likes ", "loves ", "enjoys ", "hates ", "dislikes ", "wants ", "expects ", "would like ", "doesn't like ",
    "does not like ", "doesn't want ", "does not want ",
    "喜欢", "很喜欢", "不喜欢", "喜爱", "讨厌", "希望", "不希望", "要求", "想要", "不想要", "期望",
)  # fmt: skip
"""What makes a note of a user one of what they prefer; of themselves people say such things all day."""
_PLANS = ("wants to ", "would like to ", "希望去", "希望能去")

_MARKS = ("prefer", "rather", "favor", "favour", "喜欢", "偏好", "偏爱", "宁愿", "习惯", "更爱", "最爱", "希望")
_PREFERS = (
    r"(?i)\b(?:i|we|user)(?:'d| would| do| really|'ve| always| much)? ?(?:prefers?|rather|favou?rs?)\b|"
    r"\b(?:my|our|user's) (?:preference|preferred|favou?rite (?:\w+ ){1,3}(?:is|are))\b|"
    "(?:我们?|用户)的?(?:更|比较|最)(?:喜欢|爱)|(?:我们?|用户)的?(?:更|比较|最)?(?:偏好|偏爱|宁愿|习惯)|"
    "我们?希望(?:以后|今后|每次|所有|始终|总是|一直|一律|尽量|都|回答|回复|输出|结果|代码|文档|用[中英]文)"
)


def lift(hits: Iterable[Hit], *, own: bool) -> None:
    """Let the best of what stands gain; of what is not one's own nothing does. `own`: whether the store is."""
    rules = [hit for hit in hits if own and hit.state.origin == OWN and is_standing(hit.state.entry.text)]
    for rule in nlargest(MOST, rules, key=_worth_of_words):
        rule.add(STANDING, STANDING.weight * _worth_of_words(rule))


def about(rules: "Sequence[Hit]", queries: "Sequence[Query]") -> list[Hit]:
    """Return at most `MOST` of a store's rules that share a content word with a question, the likest first."""
    rules = [rule for rule in rules if rule.state.origin == OWN]
    if not rules or len(rules) > MANY:
        return []
    from promptx_mem.search import floor, tokens

    asked = {
        term for query in queries for term, _, word in query.terms if len(term) > 1 and floor.share(term, word) == 1.0
    }
    words = [set(tokens.plain_terms(tokens.fold(rule.state.entry.text).lower())) for rule in rules]
    stems = tokens.stems(set().union(*words))
    shared = [len(asked & {stems.get(word, word) for word in own}) for own in words]
    best = nlargest(MOST, range(len(rules)), key=lambda number: (shared[number], rules[number].state.first_at))
    return [rules[number] for number in best if shared[number]]


def _worth_of_words(hit: Hit) -> float:
    return sum(part for name, part in hit.terms.items() if name.startswith(OWN_WORD))


def is_standing(text: str) -> bool:
    """Tell whether a memory begins with what is to be done always or never, or says what its user prefers."""
    head = text[:_LOOKED_AT].lstrip().replace("\u2019", "'")
    if _instructs(head.lower()) or _tells_of_user(head.lower()):
        return True
    return any(mark in head for mark in _MARKS) and pattern(_PREFERS).search(head) is not None


def _instructs(head: str) -> bool:
    rest = head
    for word in _ADDRESSES:
        rest = rest.removeprefix(word)
    return rest.startswith(_BEGINNINGS) or (rest != head and rest.startswith(_TO_ONE))


def _tells_of_user(head: str) -> bool:
    if not head.startswith(_OF_USER):
        return False
    rest = head.removeprefix("the ").removeprefix("user ").removeprefix("用户")
    return rest.startswith(_LIKES) and not rest.startswith(_PLANS)
