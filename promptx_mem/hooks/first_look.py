"""Quick tests of a prompt: whether it could contain a request or decision, or only continues the work."""

from functools import cache

from promptx_mem.core.text import narrowed, pattern
from promptx_mem.data import traditional_characters, word_lists


@cache
def _simple() -> dict[int, int]:
    """Return the replacements of traditional characters, the curly apostrophe, and letters such as `İ`."""
    return traditional_characters()[1] | str.maketrans("İıſ\u212a’", "iisk'")


def plain(text: str) -> str:
    """Return a text with simplified Chinese characters and straight apostrophes. The length stays the same."""
    return text if text.isascii() else text.translate(_simple())


def simplified(text: str) -> str:
    """Return a text in lower case, with the replacements of `plain`. The length stays the same."""
    return plain(text).lower()


def may_contain_request(message: str) -> bool:
    """Return whether a message contains a word of requests or decisions. If so, slower tests follow."""
    text = simplified(message)
    marks = (words for name, words in word_lists("hooks/words.txt").items() if name.startswith("marks"))
    return any(mark.replace("_", " ") in text for words in marks for mark in words.split())


LONGEST = 60
"""Maximum length in characters of a prompt that only continues the work."""

_ASKS = r"\b(?:where|who|whose|when|which|how|what(?!'s n| ne| no| ch))\b|谁|哪|几|多少|怎么|如何|何时|[用叫是]什么"
_VERBS = (
    "write|compose|draft|draw|explain|describe|translate|convert|compute|solve|generate|implement|parse|sort|summarize"
    "|summarise|rewrite|proofread|suggest|recommend|compare|list|name|give me|tell me|define|count|plan"
)
_MAKE = rf"(?:(?:please|can you|could you) )?(?:{_VERBS}|make an?|what does .{{1,40}} mean|what is an? )\b"
_MAKE_ZH = (
    r"(?:请|帮我)?(?:写[一个首封段篇副]|讲[一个]|给我[讲出]|解释|介绍一下|翻译|把[“\"]|推荐|求 |计算|什么是|什么叫"
    r"|说说你|用“|用 [a-z]+ ?[打写])"
)
_OWN = r"\b(?:we|our|ours|us|my|mine|i|the project|this|these)\b|我|咱|本项目|这个项目|这段"
_PART_OF_PROJECT = r"\w/[\w/.-]*\.\w|\w_\w"
"""Pattern of the path of a file, or of a name in code."""

_WORD = r"[a-z'-]+|[0-9]+"


def _words(name: str) -> list[str]:
    return word_lists("hooks/words.txt")[name].split()


def work_words() -> frozenset[str]:
    """Return words such as "fix" and "add", which do not show the subject of a task."""
    return frozenset([*_words("work"), *_words("work in Chinese")])


def is_turn_of_work(prompt: str) -> bool:
    """Return whether a prompt only continues the work, for example "run the tests again"."""
    lower = prompt.strip().lower()
    if not 0 < len(lower) <= LONGEST or pattern(narrowed(_ASKS, lower)).search(lower):
        return False
    if not set(pattern(_WORD).findall(lower)) <= set(_words("work")):
        return False
    rest = pattern(_WORD).sub(" ", lower)
    for word in () if rest.isascii() else _words("work in Chinese"):  # the longest words first
        rest = rest.replace(word, " ")
    return not any(char.isalnum() or char in "_/" for char in rest)


def is_task_of_no_project(prompt: str) -> bool:
    """Return whether a prompt asks for a text, a program or an explanation that needs no stored facts."""
    lower = prompt.strip().lower()
    form = _MAKE if lower[:1].isascii() else _MAKE_ZH
    if form == _MAKE and not any(verb in lower for verb in (*_VERBS.split("|"), "make a", "what")):
        return False  # without the expression, which compiles slowly
    is_general = pattern(narrowed(form, lower)).match(lower) is not None and not pattern(_OWN).search(lower)
    return is_general and not pattern(_PART_OF_PROJECT).search(prompt)
