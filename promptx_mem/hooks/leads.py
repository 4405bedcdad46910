"""The part of a sentence that asks to remember the rest, found by the weights of its words.

The patterns of `requests`, which are tried first, match the usual wordings. The part is at the beginning or the end of
the sentence. It is a request if the sum of the weights of its words, and of pairs of neighbours, exceeds a threshold.
The weights are fitted to the sentences in tests/hooks/rows by `python -m benchmarks.weights requests`.
"""

from functools import cache
from itertools import pairwise

from promptx_mem.core.text import pattern
from promptx_mem.data import weights, word_lists
from promptx_mem.hooks.decisions import PLAIN, WORD
from promptx_mem.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

THRESHOLD = 5.0
"""A part with a greater sum of weights is a request."""
_IN_QUESTION = 7.2
"""The same for a question that is not polite, since it can ask whether the agent remembers something."""

_POLITE = (
    r"(?:(?:hey|hi|ok|okay|also|and|btw|please)[,\s]+)*(?:can|could|would|will) (?:(?:yo)?u|we)\b"
    r"|[你您]?(?:[能可][以否不]|能)[^,，]*[帮把]"
)
"""The beginning of a question that asks politely for something."""

_WHOLE = 4.0
"""The threshold for a whole sentence next to a statement."""

_UNSURE_ONES = 0.8
"""The weight that a part loses if it has no word of _SURE."""
_LONGER = 0.7
"""Weight by which a longer part must exceed a shorter one, since its last word can be text to remember."""
_LONGEST = 14
"""Maximum number of words, or Chinese characters, of the part."""

_SURE = r"(?<![a-z_])(?:reme|remm|rember|rmb|memo|memr|mind|forget|jot|not(?:e|es|ed|ing)\b)|记|计住|忘|备忘"
CUES = (
    r"(?<![a-z_])(?:record|down|sav(?:e|ing)|store|keep|kept|retain|learn|know|remind|(?:log|file|h[ao](?:ng|ld) on)\b)"
    rf"|备[注查份]|笔记|存|留|{_SURE}"
)
"""Words of which the part has at least one."""

_OTHERS = (
    r"记[得住](?:去|要)?(?:运行|跑|修|改|检查|测试|部署|重启|更新|买|回复)[^,，。:：用是要都每]{0,12}$"
    r"|(?:提醒|告诉|通知)(?:大家|用户|他们|同事|团队|客户|所有人)[^,，。:：]{0,4}[记忘]"
    r"|请忘[记掉]|记住(?:的(?!是|[^,，。]{0,4}[:：])|了?[^,，。:：]{0,3}(?:哪些|什么))"
    r"|\bseems? to (?:remember|save|store|keep|forget)"
    r"|(?<!n't )(?<!not )(?<!never )(?<!before i )\bforget\b|\bremember(?: (?:you|that (?:time|day|night|moment))\b)"
    r"|\b(?:remember|memori[sz]e|note|record|store|save)\("
    r"|[会聊对群][议天话聊][记纪]|^(?:imagine|suppos\w+|say i|假设|if you (?:still )?remember)\b"
    r"|^(?:please )?(?:send|draft|compose|post|e?mail) (?!.*\bmemory\b)[^:]*:|^(?:the|this|that|every|each|an?) "
    r"(?!\w+ (?:you|we|i)\b|agent|assistant)(?:[\w-]+ ){1,2}(?:should|must|has to|needs to|can|will) (?:[^:]+ and )?"
    r"(?:also )?(?:remember|keep|store|save|note|record)\b"
    r"|\b(?:add|put|leave|write) a (?:note|comment)\b.* (?:in|to|into|on|at) (?:the|this|our) (?!notes|memory)"
    r"|\b(?:as you (?:\w+ )?remember|you remembered|i (?:\w+ly |still |can't |don't |do )?remember)\b"
    r"|\bnote in (?!your\b|the memory|memory)|\bbreak\b.*\bdown\b|读书笔记"
    r"|\bmemory[ -](?:access|address|alloc\w*|band\w*|budget|card|consum\w*|cost|dump|error|footprint|full|game|hog"
    r"|issue|layout|leak|limit|manage\w*|map\w*|model|overhead|page|pool|pressure|problem|profil\w*|safe\w*|size|spike"
    r"|usage|use)s?\b|\bout of memory\b|\b(?:shared|less|more|much|enough|low|flash|free|gpu|virtual|clear your) memory"
    r"\b(?! ?:| that\b)|\bsays? (?:note|remember)\b|记录[^,，。:：]{1,12}(?:耗时|时间|日志|次数|结果)"
    r"|记忆里[^,，。]*[删清去]|记忆(?:体|曲线|翻|配|游戏|力|化|单词|卡片|网络|宫殿|法)|[写做]一?个[^,，。]{0,4}(?:提醒|记忆)"
    r"|笔记(?:类|本|应用|软件|系统|同步|列表|页|功能|编辑|接口|表)"
    r"|, keeping in mind\b|\b(?:from|(?:look|search|check) in) (?:your |the )?memory\b"
    r"|\b(?:store|save|put|write|log) (?:\w+ ){1,3}(?:in|to|into) "
    r"(?!(?:(?:your|the|my|our|ur) )?(?:long|mem|mind|note|record|file|knowledge|head|future|back|list|context))"
)
"""A task, a request to the person or to forget, a memory of the past, code, or a thing stored elsewhere."""

_WORD = rf"{WORD}|(?<=[\u3400-\u9fff]) "
_MARKS = frozenset("?,:;_")


def find(mask: str, *, asks: bool = False) -> slice | None:
    """Return the place of the text that a sentence asks to remember; None if it is not a request.

    `asks`: the sentence is a question.
    """
    if not pattern(CUES).search(mask) or pattern(_OTHERS).search(mask):
        return None
    least = _IN_QUESTION if asks and not pattern(_POLITE).match(mask) else THRESHOLD
    best: slice | None = None
    for span, names in candidates(mask):
        has_end = span.start is None and best is not None and best.start is None
        if span.start == len(mask) or has_end:  # a longer part at the end can contain another clause
            continue
        weight = _weight(mask, span, names)
        if best is not None and mask[: span.start].rstrip().endswith((":", "：")):
            weight += 2 * _LONGER  # a heading ends there
        if weight > least:
            best, least = span, weight + _LONGER
    return best


def is_whole(mask: str) -> bool:
    """Return whether a whole sentence is a request, so that the text to remember can be in the next one."""
    if not pattern(CUES).search(mask) or pattern(_OTHERS).search(mask):
        return False
    whole = next(candidates(mask), None)  # the first candidate is the whole sentence
    return whole is not None and whole[0].start == len(mask) and _weight(mask, *whole) > _WHOLE


def _weight(mask: str, span: slice, names: set[str]) -> float:
    known = weights("hooks/leads.txt")
    part = mask[span.stop :] if span.start is None else mask[: span.start]
    return round(sum(known.get(name, 0.0) for name in names) - _UNSURE_ONES * (not pattern(_SURE).search(part)), 1)


def candidates(mask: str) -> "Iterator[tuple[slice, set[str]]]":
    """Yield each text that a sentence could ask to remember: its place, and the features of the part that asks.

    The features are the words, pairs of neighbours (`a>b`), `rest` with the number of words to remember (at most 3),
    and `question`. In pairs, `^` is the outer end of the part, and `|` its inner end, before the next word. A part at
    the sentence's end is read backwards, and its features begin with `<`.
    """
    words = list(pattern(_WORD).finditer(mask.translate(PLAIN)))
    texts = [_usual_spelling().get(match[0], match[0]).replace(" ", "_") for match in words]
    question = {"question"} if texts[-1:] == ["?"] else set()
    for kind in ("", "<"):
        run = texts[::-1] if kind else texts
        sizes = range(1, min(_LONGEST, len(run) - 1) + 1)
        for size in sizes if kind or len(run) > _LONGEST else (len(run), *sizes):
            is_all = size == len(run)
            if (run[size - 1] not in _MARKS) if kind else (not is_all and run[size] in _MARKS):
                continue
            at = len(mask) if is_all else words[len(words) - size if kind else size].start()
            if not pattern(CUES).search(mask[at:] if kind else mask[:at]):
                continue
            edges = pairwise(("^", *run[:size], "|", *run[size : size + 1]))
            names = {*run[:size], *(f"{one}>{two}" for one, two in edges), f"rest{min(len(run) - size, 3)}"}
            yield slice(None, at) if kind else slice(at, None), {kind + name for name in names | question}


@cache
def _usual_spelling() -> dict[str, str]:
    """Map abbreviations and misspellings to the usual word."""
    groups = map(str.split, word_lists("hooks/leads.txt")["same words"].splitlines())
    return {word: words[0] for words in groups for word in words[1:]}
