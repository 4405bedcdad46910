"""What a person wants always, or prefers: it goes before what was merely said with the same words.

"Always name the source when I ask about figures" says nothing of figures that other memories do not; who asks about
figures needs it first.
"""

from promptx_mem.core.text import pattern

SHARE = 0.4
"""What such a memory gains, as a share of what its words are worth."""

_LOOKED_AT = 300
"""Characters of a text that are looked at."""

_BEGINNINGS = (
    "always ", "never ", "from now on", "whenever ", "every time ", "when i ask", "when i say",
    "总是", "永远", "每次", "以后", "一律", "从现在起", "务必", "不要", "别再", "别忘", "别把", "别用", "别在",
)  # fmt: skip
_POLITE = ("please ", "请")
_MARKS = ("prefer", "rather", "favor", "favour", "喜欢", "偏好", "偏爱", "宁愿", "习惯", "更爱", "最爱")
_PREFERS = (
    r"(?i)\b(?:i|user)(?:'d| would| do| really|'ve| always| much)? ?(?:prefers?|rather|favou?rs?)\b|"
    r"我(?:更|比较|最)(?:喜欢|爱)|用户(?:更|比较|最)?喜欢|(?:我|用户)(?:更|比较|最)?(?:偏好|偏爱|宁愿|习惯)"
)


def is_standing(text: str) -> bool:
    """Tell whether a memory begins with what is to be done always or never, or says what its user prefers."""
    head = text[:_LOOKED_AT]
    begin = head.lstrip().lower()
    for word in _POLITE:
        begin = begin.removeprefix(word)
    if begin.startswith(_BEGINNINGS):
        return True
    return any(mark in head for mark in _MARKS) and pattern(_PREFERS).search(head) is not None
