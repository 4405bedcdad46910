"""Standing rules ("Always …", "Never …") and preferences of the user are recognised by their first words."""

from promptx_mem.core.text import pattern
from promptx_mem.search.tokens import word_list

_RULE_HEAD = 300
"""Number of characters at the beginning of a text. A rule is recognised only by these characters."""


def _beginnings(name: str) -> tuple[str, ...]:
    """Return the beginnings of texts in a word list. In the file, `_` stands for a space."""
    return tuple(word.replace("_", " ") for word in word_list(name))


_BEGINNINGS = _beginnings("beginnings of rules")
_ADDRESSES = _beginnings("addresses")
_TO_ONE = _beginnings("beginnings of rules after an address")
"""Words that begin a rule only after an address, for example "you must" or 请. Alone, 一直 describes the past."""

_OF_USER = ("the user ", "user ", "用户")
_LIKES = _beginnings("likes of the user")
"""Words after "the user" that mark a preference. After "I", these words are too common."""
_PLANS = _beginnings("plans of the user")

_MARKS = ("prefer", "rather", "favor", "favour", "喜欢", "偏好", "偏爱", "宁愿", "习惯", "更爱", "最爱", "希望")
_PREFERS = (
    r"(?i)\b(?:i|we|user)(?:'d| would| do| really|'ve| always| much)? ?(?:prefers?|rather|favou?rs?)\b|"
    r"\b(?:my|our|user's) (?:preference|preferred|favou?rite (?:\w+ ){1,3}(?:is|are))\b|"
    "(?:我们?|用户)的?(?:更|比较|最)(?:喜欢|爱)|(?:我们?|用户)的?(?:更|比较|最)?(?:偏好|偏爱|宁愿|习惯)|"
    "我们?希望(?:以后|今后|每次|所有|始终|总是|一直|一律|尽量|都|回答|回复|输出|结果|代码|文档|用[中英]文)"
)


def is_standing(text: str) -> bool:
    """Return whether a text begins with a standing instruction (always, never), or states a preference of the user."""
    head = text[:_RULE_HEAD].lstrip().replace("\u2019", "'")
    rest = lower = head.lower()
    for word in _ADDRESSES if lower.startswith(_ADDRESSES) else ():
        rest = rest.removeprefix(word)
    if rest.startswith(_BEGINNINGS) or (rest != lower and rest.startswith(_TO_ONE)):
        return True
    if lower.startswith(_OF_USER):
        rest = lower.removeprefix("the ").removeprefix("user ").removeprefix("用户")
        if rest.startswith(_LIKES) and not rest.startswith(_PLANS):
            return True
    return any(mark in head for mark in _MARKS) and pattern(_PREFERS).search(head) is not None
