"""What a user's message wants of the memory: an instruction to remember, stress, a hint of later use.

Read sentence by sentence, in Chinese and English; code, quotations and questions are no wishes. False alarms cost an
agent's attention in every session, so a doubtful sentence counts as none.
"""

import re
from typing import NamedTuple

MAX_LENGTH = 20_000
"""Characters of a message that are read."""

_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_CODE = re.compile(r"`[^`\n]*`|https?://\S+")
_SENTENCE = re.compile(r"[^\n。！？!?；;]+[。！？!?；;]?")
_STOP = re.compile(r"(?<=[a-z0-9)'\"])\.\s+(?=[A-Z])")
_QUESTION = re.compile(
    r"[?？]\s*$|(?:吗|没有|了没|呢|么)[。！!]*\s*$|^(?:how|what|why|where|which|who|do you|does|did|"
    r"is (?:it|this|that)|are|can we|should (?:i|we))\b"
    r"|^(?:如何|怎么|怎样|为什么|什么|是不是|是否|哪)",
    re.IGNORECASE,
)
_ASKED_POLITELY = re.compile(r"^(?:can|could|would|will) you (?:please )?(?=remember|note|keep)", re.IGNORECASE)

# Bounded, since the words overlap: without a bound a long row of them would take exponential time.
_LEAD_ZH = (
    "(?:请|麻烦|帮我|帮忙|你|要|务必|一定|千万|好好|给我|另外|还有|对了|那|也|以后|永远|都|先|一下|"
    "把这个|这个|这一点|这点|这些|这条|并且|并|然后|同时|所以){0,4}"
)
_EXPLICIT_ZH = re.compile(
    rf"(?:^|[,，、:：\s]){_LEAD_ZH}"
    r"(?:(?:记住|牢记|谨记)(?!我?(?:的)?(?:密码|账号|登录|功能|选项|按钮|状态|复选框))(?:了|一下|下来|这(?:一?点|个|件事)(?=[：:，,。！!\s]|$))?"
    r"|(?:记得|别忘了?|不要忘记?了?|勿忘)(?=[:：,，]?\s*(?:我|以后|每次|永远|所有|总是|都|咱|本项目|这个项目|用户))"
    r"|记(?:一下|下来|下|录下来)(?=[,，:：。!！\s]|我|这|用户|以后|$)"
    r"|(?:存|记|写|加|保存|记录)(?:到|入|进)(?:你的)?(?:长期)?记忆(?:库|里|中)?)"
)
_SUFFIX_ZH = re.compile(
    r"(?:请|帮我|你要|一定要)?(?:记住|记下来|记一下|存(?:到|入)记忆|写入记忆|加入记忆)(?:了|吧|哦|啊)?[。!！]*\s*$"
)
_LEAD_EN = (
    r"(?:(?:please|pls|and|also|so|ok|okay|now|always|just|you should|you must|i want you to|i'd like you to|"
    r"make sure (?:you|to)|can you|could you|would you|will you|hey|btw)[,\s]{1,3}){0,4}"
)
_EXPLICIT_EN = re.compile(
    rf"(?:^|[,:;.\-–—(]\s{{0,3}}){_LEAD_EN}"
    r"(?:remember(?:\s*[:：]|\s+(?:that|this|these|my|our|the following|for (?:later|next time|the future)|"
    r"i|i'm|we|to (?:always|never))\b)"
    r"|(?:don't|do not|never) forget(?:\s*:|\s+(?:that|this|my|our|i|i'm|we)\b)"
    r"|(?:keep|bear) in mind(?:\s*:|\s+(?:that|my|our|i|we)\b)"
    r"|(?:commit|save|add|store|write|put) (?:this|that|it) (?:to|in|into) (?:your |the )?(?:long-term )?memory\b"
    r"|(?:save|store|add) (?:to|in) (?:your |the )?memory\b"
    r"|(?:make|take) a (?:mental )?note (?:that|of)\b)",
    re.IGNORECASE,
)
_STRESS = re.compile(
    r"(?:^|[^不没])(?:这|那|此)(?:个|件事|一?点|条|些|项)?[^,，。]{0,8}?(?:很|非常|特别|十分|极其|极为|相当|真的|最|尤其|超级?)(?:的)?(?:重要|关键)"
    r"|(?:^|[,，]\s?)(?:重要|重点|关键)(?:的是)?\s*[:：!！]"
    r"|这(?:个|点|一点|里)?是(?:最)?(?:重点|关键)(?!字|词|帧|路径)|至关重要|非常重要"
    r"|\b(?:this|that|it)(?:'s| is) (?:really |very |super |extremely |critically |absolutely |so |quite )?"
    r"(?:important|crucial|critical|essential|vital)\b(?! of\b)"
    r"|^\W*(?:important|crucial)\s*[:!]|\b(?:most|very) important(?:ly)? (?:thing|point|of all)\b",
    re.IGNORECASE,
)
_LATER = re.compile(
    r"(?:下次|下回|以后|今后|往后|将来|日后)[,，]?(?:如果|要是|当)?"
    r"(?:我(?:再|一|们)?[^,，。]{0,6}?(?:提|说|问|用|来|要|讲|聊|遇)|再?(?:提到|说到|问到|遇到|聊到)|都(?:要|用|按|不)|每次|一律|统一)"
    r"|\bnext time (?:i|we|you)\b|\bwhen(?:ever)? i (?:mention|say|ask (?:about|for)|refer to|bring up)\b"
    r"|\bfrom now on\b|\bgoing forward\b|\bfor future reference\b"
    r"|\bin (?:the )?future,? (?:i|we|you|please|always|never|use|don't)\b"
    r"|\b(?:i|we)(?:'ll| will) (?:need|use|ask|come back to|refer to|mention) (?:this|that|it)\b"
    r"[^.]{0,20}\b(?:later|again|next time)\b",
    re.IGNORECASE,
)
_AROUND = " \t?？,，、:：。.!！;；-–—\"'“”「」"


class Wishes(NamedTuple):
    """`explicit`: what is to be remembered, as the user said it; None where nothing was asked for."""

    explicit: str | None = None
    stress: bool = False
    later: bool = False

    def __bool__(self) -> bool:
        return self.explicit is not None or self.stress or self.later


def read(message: str) -> Wishes:
    """Find the wishes in a message; the first instruction counts."""
    explicit: str | None = None
    stress = later = False
    before = ""
    for sentence in _sentences(message[:MAX_LENGTH]):
        polite = _ASKED_POLITELY.search(sentence)
        if _QUESTION.search(sentence) and not polite:
            before = ""
            continue
        if explicit is None:
            explicit = _instruction(sentence, before)
        stress = stress or bool(_STRESS.search(sentence))
        later = later or bool(_LATER.search(sentence))
        before = sentence
    return Wishes(explicit, stress, later)


def _instruction(sentence: str, before: str) -> str | None:
    match = _EXPLICIT_ZH.search(sentence) or _EXPLICIT_EN.search(sentence)
    if match:
        said = sentence[match.end() :].strip(_AROUND)
        # "记住这一点" and "remember this" speak of what was said before.
        return said or sentence[: match.start()].strip(_AROUND) or before.strip(_AROUND)
    if match := _SUFFIX_ZH.search(sentence):
        said = sentence[: match.start()].strip(_AROUND)
        return said if said and not said.endswith(("没", "不", "会", "能", "才", "我", "已经")) else None
    return None


def _sentences(message: str) -> list[str]:
    text = _CODE.sub(" ", _FENCE.sub("\n", message))
    lines = [line for line in text.split("\n") if not line.lstrip().startswith(">")]
    found = _SENTENCE.findall(_STOP.sub(".\n", "\n".join(lines)))
    return [sentence.strip() for sentence in found if sentence.strip()]
