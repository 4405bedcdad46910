"""What a user's message wants of the memory: instructions to remember, stress, a hint of later use.

Read sentence by sentence, in Chinese and English; wishes inside code, quotations and questions are none. False alarms
cost an agent's attention in every session, so a doubtful sentence counts as none, and a doubtful text as unknown.
"""

import re
from typing import NamedTuple

from promptx_mem.hooks import instructions, wish_look

MAX_LENGTH = 20_000
"""Characters of a message that are read."""

MAX_FACTS = 8

_HIDDEN = "\ue000"
_MASKED = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|https?://[^\s，。；]+|(?:^|(?<=\n))[ \t]*>[^\n]*"
    r"|“[^”\n]*”|「[^」\n]*」|『[^』\n]*』|《[^》\n]*》|\"[^\"\n]*\"|(?<![\w])'[^'\n]*'(?!\w)",
    re.DOTALL,
)
_AGAIN = re.compile(
    r"[,，;；]\s*(?:(?:and|but|also|then|plus)\s|并且?|还有|另外|同时|也)?\s*(?=(?:please |also |then |do |请|也|再)*"
    r"(?:(?:remember|note|don't forget|keep in mind)(?: that\s(?!for\b|when\b|if\b)|:)\s*\S"
    r"|(?:记住|牢记|别忘了)[,，:：]?[^。！!了这那]))",
    re.IGNORECASE,
)
_THANKS = re.compile(
    r"\W*(?:thanks|thank you|thx|great|perfect|nice|cool|good|awesome|excellent|well done|ok|okay|yes|no|wow|sorry)\b"
    r"|(?:谢谢|多谢|好的|很好|不错|太好了|太棒了|可以了|行了?|对了?|辛苦了?)(?:[,，。!！\s]|$)",
    re.IGNORECASE,
)
_END = re.compile(r"[\n。！？!?]+|(?<!\.)\.+(?=\s|$)")
_ABBREVIATED = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|mr|mrs|ms|dr|no|st|approx|\w))$", re.IGNORECASE)
_QUESTION = re.compile(
    r"[?？]\s*$|(?:吗|[了过]没有?|呢|么)[。！!]*\s*$|^(?:how|what|why|where|which|who|do you|does|did|"
    r"is (?:it|this|that)|are|can we|should (?:i|we))\b"
    r"|^(?:如何|怎么|怎样|为什么|什么|是不是|是否|哪)",
    re.IGNORECASE,
)
_POLITE = re.compile(
    r"^(?:(?:hey|hi|ok|okay|also|and|btw|please)[,\s]+){0,3}"
    r"(?:can|could|would|will) you (?:please |also |just |kindly ){0,2}"
    r"(?=(?:remember|note|keep|make|take|write|save|store|memori[sz]e|jot|record|bear|add|commit|put)\b)"
    r"|^would you (?:please )?mind (?=remembering\b)"
    r"|^(?:你|请问你?|那你)?(?:能不能|能否|可不可以|可否|能|可以)(?:请|帮我|帮忙|替我|也|先){1,2}(?=[^?？]{0,40}记)"
    r"|^(?:你|那你)?(?:能不能|能否|可不可以|可否|能|可以)(?=(?:记住|记下|记一下)[^?？]{0,3}我)"
    r"|[,，]\s*记住了?(?:没有?|吗)[?？]\s*$"
    r"|[,，\s](?:ok|okay|alright|please|will you|would you|could you|好吗|可以吗|行吗|好不好|好么|行不行)[?？]\s*$",
    re.IGNORECASE,
)
_STRESS = re.compile(
    r"(?:^|[^不没])(?:这|那|此)(?:个|件事|一?点|条|些|项)?[^,，。]{0,8}?(?:很|非常|特别|十分|极其|极为|相当|真的|最"
    r"|尤其|超级?)(?:的)?(?:重要|关键)"
    r"|(?:^|[,，]\s?)(?:重要|重点|关键)(?:的是)?\s*[:：!！]"
    r"|这(?:个|点|一点|里)?是(?:最)?(?:重点|关键)(?!字|词|帧|路径)|至关重要|非常重要"
    r"|\b(?:this|that|it)(?:'s| is) (?:really |very |super |extremely |critically |absolutely |so |quite )?"
    r"(?:important|crucial|critical|essential|vital)\b(?! of\b)"
    r"|^\W*(?:important|crucial)\s*[:!]|\b(?:most|very) important(?:ly)? (?:thing|point|of all)\b",
    re.IGNORECASE,
)
_LATER = re.compile(
    r"(?:下次|下回|以后|今后|往后|将来|日后)[,，]?(?:如果|要是|当)?"
    r"(?:我(?:再|一|们)?[^,，。]{0,6}?(?:提|说|问|用|来|要|讲|聊|遇)|再?(?:提到|说到|问到|遇到|聊到)|都(?:要|用|按"
    r"|不)|每次|一律|统一)"
    r"|\bnext time (?:i|we|you)\b|\bwhen(?:ever)? i (?:mention|say|ask (?:about|for)|refer to|bring up)\b"
    r"|\bfrom now on\b|\bgoing forward\b|\bfor future reference\b"
    r"|\bin (?:the )?future,? (?:i|we|you|please|always|never|use|don't)\b"
    r"|\b(?:i|we)(?:'ll| will) (?:need|use|ask|come back to|refer to|mention) (?:this|that|it)\b"
    r"[^.]{0,20}\b(?:later|again|next time)\b",
    re.IGNORECASE,
)
_FILLER = re.compile(
    r"(?:(?:ok|okay|so|well|alright|right|great|good|yes|yeah|hey|and|also|btw|fyi|by the way"
    r"|好的?|嗯|那么?|对了|另外)[,，:：!！\s]+)+",
    re.IGNORECASE,
)
_WE = (
    r"(?:we|i|the team|my team|our team)(?:'ve|'re| have| are| has| is)? "
    r"(?:(?:all|just|finally|now|already|both|also) ){0,2}"
)
_DECIDES = re.compile(
    rf"^(?:(?:after|following|at|in) [^,]{{1,60}}?,? |(?:today|yesterday|last week|this morning"
    rf"|in the meeting|from now on"
    rf"|finally),? )?{_WE}"
    r"(?:decided(?:(?: to| on| that| for| against| not to| we| i| the)\b|: ?\S)|agreed (?:to|on|that|not to)"
    r"|settled (?:on|for)|chose(?:n)?\b"
    r"|opted (?:for|to)|picked\b"
    r"|committed to|resolved to|voted (?:for|to|against)|concluded that|going (?:with|for)|gone with"
    r"|went with|sticking (?:with|to)"
    r"|switching to|moving to"
    r"|standardi[sz](?:ed|ing) on|adopting|dropping|made up (?:my mind|our minds?)|choose (?:the|to))"
    r"|^(?:we|i)(?:'ll| will)? (?:only |always |never )?[a-z]+ .{3,100}(?:from now on|going forward"
    r"|starting (?:today|now))\W*$"
    r"|^from now on,? (?:all|every|each|no|the|our)\b[^?]{6,}$|^decided[,:] \S"
    r"|^(?:going forward,|(?:starting|as of) (?:today|now),?) (?:we|all|every|each|reviews?|no)\b[^?]{4,}$"
    r"|^(?:we|i) (?:won't|will not|will no longer) (?:use|support|have|do|ship|offer|allow|keep|build|need)\b"
    r"|^(?:the |our )?(?:plan|name|date) is (?:fixed|settled|decided|set):|^agreed, (?:we|the|i)\b"
    r"|^let(?:'s|s| us) make [^,.]{1,60} (?:our|the) (?:target|standard|default|goal|rule|norm)\b"
    rf"|^{_WE}(?:will |'ll )?use [^,.]{{1,60}} rather than\b"
    r"|^(?:(?:the )?team )?(?:decided|agreed|going with|settled on|switching to|sticking with) (?=\S+ \S)"
    r"|^(?:we|i)(?:'ll| will)? (?:only |always )?(?:use|write|keep|run|deploy)\b.{1,80}\b(?:from now on"
    r"|going forward)\W*$"
    r"|^(?:i|we) (?:want|would like|'d like) to go with\b|^let(?:'s|s| us) (?:keep (?:the|our|using)|stay on)\b"
    rf"|^(?:from now on,? |in future,? ){_WE}(?:will |'ll |only |always |never )?(?:use|go|write|run|deploy|store"
    rf"|keep|put)\b"
    r"|^(?:we|i)(?:'ll| will| are going to|'re going to|'m going to) (?:go with|stick with|stick to|settle on"
    r"|switch to|use [^,.]{1,60} instead of)\b"
    r"|^let(?:'s|s| us) (?:go (?:with|for)|stick (?:with|to)|settle (?:on|for)|switch to|standardi[sz]e on|adopt"
    r"|stay (?:with|on)|agree (?:on|to|that)"
    r"|use [^,.]{1,60} (?:instead of|rather than|everywhere|from now on|for (?:all|every|the|our)|as (?:the|our))"
    r"|drop [^,.]{1,40} (?:and|in favou?r))"
    r"|^(?:the |our |my |final )*(?:decision|verdict)(?: is|:| was)"
    r"|^(?:it'?s|that'?s|it is) (?:decided|settled|agreed)[:,. ]+\S|^(?:decided|agreed|settled):",
    re.IGNORECASE,
)
_DECIDES_ZH = re.compile(
    r"^(?:我们|咱们?|我|团队|大家)?(?:已经|最终|最后|刚|昨天|今天|开会|会上)*(?:定了|定下来了|拍板了?|达成一致"
    r"|打定主意|选了|商量好了?|谈好了|说定了)[,，:：]?"
    r"\s*(?!吗|没)(?=[A-Za-z0-9用不从按接每先\u4e00-\u9fff])"
    r"|^(?:那)?(?:我们|咱们?)?(?:还是|就)(?:按|照|用|走)(?!户|例)[^,，]{2,}(?:来|吧|走)[。！!]*$|^(?:我们"
    r"|咱们?)?统一(?:用|采用|改用)|"
    r"^(?:经过?[^,，]{1,12}[,，]|会上|今天|昨天|上周|刚才|刚刚)?(?:我们|咱们?|我|团队|大家"
    r"|组里)?(?:经过?讨论)?(?:已经|最终|最后|刚|今天|昨天|会上|一致|都|还是|商量后|讨论后)*"
    r"(?:决定|商定|说好|约定|同意|敲定|选定|确定|定下来?|选择)(?:了|好|下来)?(?!性|权|论|因素|书|一下|吗)[,，:：]?\s*"
    r"(?=[^,，。]{0,12}(?:用|采|不|改|换|放弃|选|走|按|把|从|由|每|以|先|统一|只|上|迁|写|部署|发布|放|存|停"
    r"|[A-Za-z0-9]))"
    r"|^(?:(?:我们|咱们?|我|团队|大家)(?:已经|最终|一致|都)*|最终|最后|(?:昨天|今天|上周|刚才)?(?:开会"
    r"|会上))决定(?:了|好)?[,，:：]?"
    r"(?!性|权|论|因素|书|一下|吗|树|于)[^吗?？]{4,}$|^(?:我们|咱们?)(?:决定)?放弃|^(?:方案|名字|日期|时间"
    r"|人选)(?:已经)?定(?:下来)?了[:：,，]"
    r"|^(?:今年|明年|这次|这周|下周|昨天|今天)?(?:我们|咱们?|大家|团队)(?:已经|最终|一致|都)*(?:决定|同意|商定|说好"
    r"|约定|敲定)(?:了|好)?"
    r"[,，:：]?(?!性|权|论|因素|书|一下|吗|树)[^吗?？]{4,}$|^(?:以后|今后)(?:我们|咱们?)?(?:先|只|一律)[^吗?？]{4,}$"
    r"|^[^,，]{0,8}(?:最终|最后)(?:我们|咱们?)?(?:选了|定了)[^吗?？]{2,}$|^(?:团队|我们|咱们?|大家)定在[^吗?？]{2,}$"
    r"|^(?:我们|咱们?)(?:用[^,，]{1,20}[,，]不(?:用|再)|继续用|改成用?)[^吗?？]+$"
    r"|^[^,，]{1,8}就用[^,，]{1,12}吧[。！!]*$"
    r"|^[^,，吗?？]{1,10}定(?:下来)?了[:：,，]\s*\S{2}|[,，]就这么定了[。！!]*$"
    r"|^(?!把|将|请|帮)[^,，?？]{1,8}统一(?:用|采用)[^吗?？]{2,}$"
    r"|^(?!把|将|请|帮)[^,，?？]{1,8}(?:以后|今后)(?:都|一律|统一)(?:用|采用)[^吗?？]{2,}$"
    r"|^就这么定了[,，:：]|^(?:我们|咱们?)选(?!项|择|哪|什么|中的)[^吗?？]{2,}$|^(?:讨论|商量|考虑)[^,，]{0,3}(?:我们"
    r"|咱们?|我)决定"
    r"|^(?:我们|咱们?)[^,，]{0,4}用[^,，]{1,20}(?:代替|取代|替换)|^(?:我们|咱们?)(?:坚持|保持)(?=[^吗?？]{4,}$)"
    r"|^(?:我们|咱们?)(?:就)?不(?:再)?(?:做|用|支持|上|考虑)[^,，吗?？]{2,}了[。！!]*$|^就用[^,，]{2,12}(?:做|来|写"
    r"|跑)[^吗?？]*$"
    r"|^(?:我们|咱们?|团队|项目)?(?:以后|今后|从现在起|从今天起|从今以后)[,，]?(?:我们|咱们?|所有[^,，]{1,10}"
    r"|[^,，]{1,6})?(?:就|都|统一|一律|全部|只)+(?:改)?(?:用|采用|使用|走|按|放|写|部署|不|从|由|先|要)"
    r"|^(?:那|那么|好)?[,，]?(?:我们|咱们?)?就(?:这么定了[,，:：]|用|选|定|采用)[^,，？?]{2,}?(?:吧|了)[。!！]*$"
    r"|^(?:我们|咱们?|项目|团队)(?:统一|一律|全部)(?:用|采用|使用|改用)|^(?:我们|咱们?)?(?:改用|换成|选了?"
    r"|采用)[^,，]{1,20}[,，]?(?:而)?(?:不是|不用|不选|不再)"
    r"|^(?:最终)?(?:结论|决定)(?:是|[:：])|^定了[,，:：]"
)
_UNDECIDED = re.compile(
    r"\b(?:if|whether|unless|maybe|perhaps|might|suppose|supposing|imagine|assuming|hypothetically|what if|should we"
    r"|could|would|not (?:yet )?decided"
    r"|haven't|hasn't|until we|once we|when we|before we|try|tried|tutorial|to see|agreed to (?:review|help"
    r"|meet|call|check)"
    r"|(?:other|another|different|that|this) (?:branch|file|tab|window|topic|name)|(?:go|going|went|gone) (?:with"
    r"|for) (?:that|it|this|you|him|her|them|a|an|lunch|dinner)\b"
    r"|picked up|picked (?:a|the) (?:bug|ticket)|decide later)\b"
    r"|如果|要是|假如|假设|是否|要不要|还没|没有?决定|尚未|未决定|再决定|谁决定|怎么|万一|也许|可能|或许|考虑|打算"
    r"|试试|比方|客户|他们|她们|别人|对方",
    re.IGNORECASE,
)
"""A sentence that leaves the choice open, or speaks of others."""

_HEADED = re.compile(
    r"^(?:请|麻烦|帮我|你|先)*记[:：]\s*(?=\S)|^(?:这个|这些)?(?:将来|以后|今后|日后)(?:还|都"
    r"|可能)?会用到(?:的)?[:：,，]\s*"
    r"|^(?:我)?(?:再|要)?强调(?:一下|一点|下)[:：,，]\s*|^(?=从(?:现在|今天|今)(?:起|开始))"
    r"|^(?=from now on,? (?:please )?(?:answer|reply|respond|write|speak|use|call|address|always"
    r"|never|do not|don't|keep)\b)"
    r"|^for (?:future reference|next time)[,:]\s*|^(?:let me tell you |here is |one )?(?:something"
    r"|thing) to remember:\s*"
    r"|^更新(?:一下|下)?(?:你的)?记忆[:：,，]\s*"
    r"|^(?:please )?update your memory(?: with)?[:,]?\s+(?=\S)"
    r"|^(?:just so )?you should know(?:,)? for next time[:,]\s*",
    re.IGNORECASE,
)
"""What stands before a fact without a verb of remembering."""

_TASK = re.compile(
    r"[,，;；.]?\s+(?:and|then|and then|also)\s+(?:please |now |then |also )*(?:(?:can|could) you )?"
    r"(?:fix|write|add|update|refactor|implement|create|explain|show|check|help|continue|rename|review|commit|delete"
    r"|remove|start|open|finish|find|debug|run|test|deploy|translate|summari[sz]e|build|generate"
    r"|run the|run my) (?:the|this|that|my"
    r"|me|a|an|it|all)\b.*$"
    r"|[,，;；]\s*(?:(?:然后|接着|顺便|另外|再|并且|并)(?:请|麻烦)?(?:你)?(?:帮我|给我|替我|帮忙|继续|开始|去|把|更新"
    r"|运行|部署|修复|检查|生成|看"
    r"|写|改|修|跑)"
    r"|(?:请|麻烦)?(?:帮我|给我|替我)(?!记)).*$",
    re.IGNORECASE | re.DOTALL,
)
"""A task behind a fact."""

_SHORTEST = 4
"""Characters of a text that is printed to be stored."""

_ITEM = re.compile(r"\s*(?:[-*+•]|\(?\d{1,2}[.)、）])\s*(?=\S)")
_LOG = re.compile(r"(?:^|\n)[^\n]{0,80}\b(?:error|warning)(?:\[\w+\])?:", re.IGNORECASE)


class Wishes(NamedTuple):
    """`facts`: what is to be remembered, in the user's own words; empty where it cannot be told what that is."""

    facts: tuple[str, ...] = ()
    stress: bool = False
    later: bool = False
    decisions: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.facts) or bool(self.decisions) or self.stress or self.later


class _Sentence(NamedTuple):
    """A part of the message; `mask` is as long, with what is quoted or code hidden."""

    text: str
    mask: str
    end: int


def read(message: str) -> Wishes:
    """Find the wishes in a message, in order."""
    message = message[:MAX_LENGTH]
    facts: list[str] = []
    decisions: list[str] = []
    stress = later = False
    before: list[str] = []
    stop = 0
    is_log = bool(_LOG.search(message))
    for sentence in _sentences(message):
        if sentence.end <= stop:
            continue
        polite = _POLITE.search(sentence.mask)
        if _QUESTION.search(sentence.mask) and not polite:
            before = [""]
            continue
        fact = (
            None if is_log and sentence.mask[:5].lower() == "note:" else instructions.read(sentence.text, sentence.mask)
        )
        if not fact and (headed := _HEADED.match(sentence.mask)):
            fact = sentence.text[headed.end() :].strip(instructions.AROUND) or fact
        if fact and fact != instructions.LIST:
            fact = _TASK.sub("", fact)
        if fact == instructions.LIST:
            items, stop = _items(message, sentence.end)
            facts += items or [instructions.UNKNOWN]
        elif fact is not None:
            # "remember this" speaks of the one sentence that was said before, if there is but one.
            alone = len(before) == 1 and fact == instructions.UNKNOWN and not _THANKS.match(before[0])
            facts.append(before[0].strip(instructions.AROUND) if alone else fact)
        elif decision := _decision(sentence):
            decisions.append(decision)
        stress = stress or bool(_STRESS.search(sentence.mask))
        later = later or bool(_LATER.search(sentence.mask))
        before.append(sentence.text)
    facts = [fact if len(fact) >= _SHORTEST else instructions.UNKNOWN for fact in facts]
    return Wishes(
        tuple(dict.fromkeys(facts))[:MAX_FACTS],
        stress,
        later,
        () if is_log else tuple(dict.fromkeys(decisions))[:MAX_FACTS],
    )


def _decision(sentence: _Sentence) -> str:
    """Return the whole sentence where the person says in it what was decided; empty where it leaves that open."""
    filler = _FILLER.match(sentence.mask)
    start = filler.end() if filler else 0
    mask = sentence.mask[start:]
    if _HIDDEN in mask[:2] or _UNDECIDED.search(mask) or not (_DECIDES.search(mask) or _DECIDES_ZH.search(mask)):
        return ""
    text = sentence.text[start:].strip(instructions.AROUND)
    return text if _SHORTEST <= len(text) <= instructions.MAX_FACT else ""


def _items(message: str, at: int) -> tuple[list[str], int]:
    """The list items, or else the one paragraph, that follow a colon; and where they end."""
    block = message[at:].lstrip("\n").partition("\n\n")[0]
    end = message.find(block, at) + len(block)
    lines = [line for line in block.split("\n") if line.strip()]
    items = [line[match.end() :].strip() for line in lines if (match := _ITEM.match(line))]
    if items:
        return (items if len(items) == len(lines) <= MAX_FACTS else []), end
    return ([block.strip(instructions.AROUND)] if len(lines) == 1 else []), end


def _sentences(message: str) -> list[_Sentence]:
    mask = wish_look.simplified(_MASKED.sub(lambda match: _hidden(match[0]), message))
    out, at = [], 0
    for match in _END.finditer(mask):
        if match[0][0] == "." and _ABBREVIATED.search(mask[max(at, match.start() - 8) : match.start()]):
            continue
        out.append(_cut(message, mask, at, match.end()))
        at = match.end()
    out.append(_cut(message, mask, at, len(message)))
    return [part for sentence in out if sentence.text for part in _again(sentence)]


def _again(sentence: _Sentence) -> list[_Sentence]:
    """The parts of a sentence that asks more than once: "remember that A, and remember that B"."""
    for match in _AGAIN.finditer(sentence.mask):
        head = _Sentence(sentence.text[: match.start()], sentence.mask[: match.start()], sentence.end)
        if instructions.read(head.text, head.mask):
            tail = _Sentence(sentence.text[match.end() :], sentence.mask[match.end() :], sentence.end)
            return [head, *_again(tail)]
    return [sentence]


def _cut(message: str, mask: str, start: int, stop: int) -> _Sentence:
    """A sentence without white space around it."""
    whole = message[start:stop]
    begin = start + len(whole) - len(whole.lstrip())
    end = start + len(whole.rstrip())
    return _Sentence(message[begin:end], mask[begin:end], stop)


def _hidden(span: str) -> str:
    """As long as the span, with its line ends and what it begins and ends with."""
    if span[0] == span[-1] == '"' or span[0] in "'“「『《":
        return span[0] + _HIDDEN * (len(span) - 2) + span[-1] if len(span) > 1 else span
    return "".join(char if char == "\n" else _HIDDEN for char in span)
