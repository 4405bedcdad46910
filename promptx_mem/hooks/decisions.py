"""The sentences of a person's message, and the decisions and lasting rules in them, in Chinese and English.

In the mask of a sentence, quotations, code and lines of logs are hidden. It is in lower case.

Cues are words and phrases. They belong to classes, such as a decision, a question or a task. Some classes, words and
pairs of neighbours have a weight. If the sum of the weights in a sentence exceeds a threshold, the sentence is a
decision. The weights are fitted to the sentences in tests/hooks/rows by `python -m benchmarks.weights decisions`.
The cues and the weights are in `decisions.txt`.
"""

from functools import cache
from itertools import pairwise

from promptx_mem.core.text import narrowed, pattern
from promptx_mem.data import weights, word_lists
from promptx_mem.hooks.first_look import plain, simplified
from promptx_mem.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable, Sequence

MAX_FACT = 500
"""Maximum length, in characters, of a fact. The agent shortens a longer one."""

SHORTEST = 4
"""Minimum length, in characters, of a fact for which a command is printed."""

TRIMMED = " \t?？，,、:：。.!！;；-–—"

HIDDEN = "\ue000"
"""The character that hides quotations and code."""

_FILLER = (
    r"(?:(?:ok|okay|okok|fine|then|so|well|al(?:l |l)?right|right|great|good|yes(?! to\b)|yeah|yep|yup|sure|hey|and"
    r"|also|btw|fyi|oh|by the way|one more thing|好的?|行|嗯|那么?|对了|另外|还有"
    r"|(?:对?了?顺便|再|补)[说提讲充]*一?[下句点嘴]|[跟和]你[讲说]|告诉你)[,，:：!！\s]+)+"
)

_FILLED = ("ok", "fine", "the", "so", "well", "al", "right", "great", "good", "ye", "yup", "sure", "hey", "and", "btw")
_FILLED += ("fyi", "oh", "by the way", "one more", *"好行嗯那对另还了顺再补跟和告")
"""Every match of _FILLER begins with one of these."""

BY_OTHERS = {
    "said|says|told |claim|think|mention|want|ask|insist": (
        r"(?i:he|she|they|someone|somebody|(?:my|our|the) (?!team|group|family|crew)[\w-]+) (?:said|says|told (?:me|us)"
        r"|claims?|thinks?|mentioned|wants?|asked|insists?)\b"
    ),
    "决定|希望|想要|喜欢|主张": (
        r"(?![小老][组师板])(?:[小老阿][\u4e00-\u9fff]|(?!我们)[\u4e00-\u9fff]{1,2}(?:工|总|哥|姐|经理))"
        r"(?:已经|想要?|自己)?(?:决定|希望|想要|喜欢|主张)(?!我们|咱)"
    ),
    "说|要求|希望|建议|觉得|认为": (
        r"(?:我们?的?|咱们?的?)?(?:老板|领导|同事|客户|甲方|经理|主管|上司"
        r"|总监|别人|有人|[他她])们?(?:[都刚也]|昨天|今天)?(?:说|要求|希望|建议|觉得|认为)|[听据]说"
    ),
    ":|：|say&draft|write|send|post|add|reply|mail|translat|写|加|发|回复|翻译": (
        r"(?i:(?:please |can you )*(?:draft|write|send|post|add|reply|e?mail|translate)\b(?! down\b|.*\bmemory\b)"
        r"(?:\.\w|[^.:：])*(?:[:：]|\bsay(?:ing|s)?\b))"
        r"|(?:请|帮我)*(?:[在给往][^,，。:：]{1,12})?(?:写|加|发|回复|翻译)[^,，。:：的]{0,8}[:：]"
    ),
}
"""A decision or request of another person, or a text for others (see `possible`)."""

THRESHOLD = 3.0
"""A sentence with a greater sum of weights is a decision."""

LIKELY = -2.0
"""A message with a lower sum of weights has neither a request nor a decision (see `is_likely`)."""

ASKS = "asks"
"""The feature of a message with a question."""

_CLAUSE = frozenset(",:;你您") | {"and", "but", "so", "or"}
"""Words and marks before a new clause."""

_RELATIVE = frozenset({"when", "where", "which", "who", "how", "what", "why"})
"""English words that begin a question only at the beginning of a clause."""

WORD = r"(?:(?<![\w.])\.)?[a-z](?:[^\W\u3400-\u9fff]|['.+#-])*[a-z0-9+#]|[a-z]|\d+|[^\W\da-z_]|[?,:;\ue000]"
_CODE = r"[(){}=]|^(?://|#|--|/\*)|;$|^(?:warn|warning|error|info|debug|fatal)\b(?! :)"
"""A part of code or of a log."""

_ORDINARY = "_"
_HAN = "\u3400"
_STOP = "."
"""Word for the end of a sentence."""

PLAIN = str.maketrans("’？，：；", "'?,:;")
_FEW = 3
"""Maximum number of matches of WORD in a short sentence."""


@cache
def phrases() -> dict[str, str]:
    """Map each cue to its class. In the file, a phrase has `_` between its words."""
    classes = reversed(word_lists("hooks/decisions.txt").items())
    return {cue.replace("_", " "): name for name, cues in classes if name != "weights" for cue in cues.split()}


@cache
def _longest() -> dict[str, int]:
    """Map each first word of a cue to the length, in words or Chinese characters, of the longest cue with it."""
    found: dict[str, int] = {}
    for cue in phrases():
        parts = cue.split() if cue.isascii() else list(cue)
        found[parts[0]] = max(len(parts), found.get(parts[0], 0))
    return found


def without_filler(text: str, mask: str) -> tuple[str, str]:
    """Return a sentence and its mask without words such as "ok, then" at the beginning."""
    filler = pattern(_FILLER).match(mask) if mask.startswith(_FILLED) else None
    start = filler.end() if filler else 0
    return text[start:], mask[start:]


def features(text: str, mask: str) -> set[str]:
    """Return the classes in a sentence except `_`, pairs of neighbours (`a>b`) and cues (`a~b`), `code` and `short`.

    Also its words (`=a`) and pairs of words (`=a=b`), with 0 for a number and " for a quotation.

    Words other than cues have the class `number`, `name` (with a capital or a digit, or English in a Chinese sentence)
    or `_`. Between the cues of `a~b` are only `name` and `_`. `^` is the beginning of the sentence. `mask` is as long
    as `text`.
    """
    matches = list(pattern(WORD).finditer(mask.translate(PLAIN)))
    words = [*(match[0] for match in matches), _STOP]
    is_chinese = any(not word.isascii() and word != HIDDEN for word in words)
    found = ["^"]
    at = 0
    while at < len(matches):
        for size in range(min(_longest().get(words[at], 1), len(words) - at), 0, -1):
            if name := phrases().get(("" if words[at] >= _HAN else " ").join(words[at : at + size])):
                is_after = name == "onwards" and words[at] >= _HAN and at > 0 and words[at - 1] not in _CLAUSE
                name = "later" if is_after and found[-1] == _ORDINARY else name  # 登录以后: after the login
                if words[at] in _RELATIVE and at > 0 and words[at - 1] not in _CLAUSE:
                    name = "relative"
                break
        else:
            size = 1
            name = _kind(words[at], text[matches[at].start() : matches[at].end()], at == 0, is_chinese)
        found += [name] if name != _ORDINARY or found[-1] != name else []
        at += size
    marks = {"code": bool(pattern(_CODE).search(mask)), "short": len(matches) <= _FEW}
    cues = (one for one in found if one not in (_ORDINARY, "name"))
    pairs = {f"{one}>{two}" for one, two in pairwise(found)} | {f"{one}~{two}" for one, two in pairwise(cues)}
    return pairs.union(_words(words), found[1:], (name for name, is_given in marks.items() if is_given)) - {_ORDINARY}


def _words(words: "Sequence[str]") -> set[str]:
    """Return words (`=a`) and pairs of neighbours (`=a=b`), with 0 for a number and " for a quotation."""
    said = ["0" if word.isdigit() else '"' if word == HIDDEN else word for word in words]
    return {f"={word}" for word in said} | {f"={one}={two}" for one, two in pairwise(("^", *said))}


def _kind(word: str, written: str, is_first: bool, is_chinese: bool) -> str:
    """Return the class of a word that is not a cue."""
    if word in ",:;":
        return word
    if word.isdigit():
        return "number"
    is_marked = word == HIDDEN or word[0] == "." or any(char.isdigit() or char in "+#." for char in word[1:])
    is_foreign = word.isascii() and word.isalpha() and (is_chinese or (written[:1].isupper() and not is_first))
    return "name" if is_marked or is_foreign else _ORDINARY


def decision(text: str, mask: str, asks: "Callable[[], bool] | None" = None) -> str:
    """Return a sentence, without fillers, if it is the person's decision or a lasting rule; empty otherwise.

    `mask` is as long as `text`. `asks` returns whether the message also has a question: then a greater sum is needed,
    since the sentence can be part of a report.
    """
    text, mask = without_filler(text, mask)
    said = text.strip(TRIMMED)
    if not SHORTEST <= len(said) <= MAX_FACT:
        return ""
    known = weights("hooks/decisions.txt")
    weight = round(sum(known.get(name, 0.0) for name in features(text, mask)), 1)  # the order must not matter
    if weight <= THRESHOLD or begins(BY_OTHERS, text):
        return ""
    return said if weight + known[ASKS] > THRESHOLD or not (asks and asks()) else ""


def message_features(masks: "Iterable[str]") -> set[str]:
    """Return the words and pairs of neighbours in the sentences of a message (see `features`)."""
    matches = (pattern(WORD).findall(mask.translate(PLAIN)) for mask in masks)
    return set().union(*(_words([*words, _STOP]) for words in matches))


def is_likely(masks: "Iterable[str]") -> bool:
    """Return whether a message can have a request or a decision, by the words of all its sentences.

    A task, such as "implement an undo that remembers 50 steps", has words that are rare in requests.
    """
    known = weights("hooks/messages.txt")
    names = {"bias", *message_features(masks)}
    return round(sum(map(known.__getitem__, names & known.keys())), 1) > LIKELY


_GIVEN = (
    r"(?:^|(?<=[。，,])|(?<=[.!?,] ))(?:please |can you |帮我|请)?(?:(?:summari[sz]e|shorten|rephrase|reword|rewrite"
    r"|proofread|polish|paraphrase|translate|spell-?check)\b[^\n:.]{0,40}"
    r"|(?:correct|edit|review|check|fix|improve|grammar|spelling)\b[^\n:.]{0,20}\b(?:grammar|spelling|wording|typos"
    r"|phrasing|text|paragraph|sentence|abstract|e?mail|translation)s?\b[^\n:.]{0,20}"
    r"|(?:commit (?:message|msg)|pr title)s?"
    r"|(?:(?<=帮我)总结|润色|改写|缩短|精简|翻译|把这[句段]话改)(?:得[^\n:：]+|一?下|以下|这[段句个份封]"
    r"|成[^\n:：]{1,4}|[^\n,，:：]{0,4}[文话字段稿])?"
    r"[^\n,，:：]{0,6}|(?:检查)?(?:一下)?(?:语法|错别字|拼写)(?:检查|问题|错误)?|新闻稿|原文"
    r"|改[^\n,，。:：记]{0,8}(?:语气|措辞)|(?:提交信息|提交说明)[^\n,，:：]{0,6}"
    r"|[^\n,，。:：记]{0,10}(?:[翻译]译?成|[重改][写寫])[^\n,，。:：记]{0,6}"
    r"|[这這][句段](?=.*(?:润色|翻译|改写|通顺|语法))[^\n,，。:：]{0,10}"
    r")[:：]\s*\S.*?(?=\n\n|\Z)|^(?:(?:the |functional )?requirements|acceptance criteria"
    r"|(?:please )?(?:implement|build|do|fix|solve) [^\n:]{0,30}(?:ticket|issue|story|spec|requirements?|tasks?)"
    r"|[^\n,，。:：记我]{0,6}(?:需求|要求|验收标准|任务)(?:如下|是)?)"
    r"[:：]\n\s*(?:(?:[-*•#]|\d{1,2}[.)、]|as an? )[^\n]*\n?)+"
)
"""A task to edit a text, and the text; or a task, and its description: headings and a list."""
_MASKED = (
    rf"(?ms)(?i:{_GIVEN})|```.*?(?:```|\Z)|`[^`\n]*`|https?://[^\s，。；]+"
    r"|(?:^|(?<=[:：]))[ \t]*<(?P<tag>[A-Za-z][\w-]*)[^<>\n]*>.{0,9999}?</(?P=tag)>"
    r"|^[ \t]*(?:(?:Traceback \(|(?:#{1,6} (?i:decision|context|consequences|决定)\b|Subject:)[^\n]*\n+)"
    r"[^\n]*(?:\n[^\n]+)*|(?:>|\[?20\d\d-\d\d-\d\d[T ]\d\d:|File \"[^\n]*\n|at \S+\(|panic:|#\s?[A-Z]{3,5}:"
    r"|(?:npm )?(?:ERR!|ERROR|WARN(?:ING)?|FATAL)(?!\w)|(?:\S+ )?(?:error|warning)(?:\[\w+\])?:(?:[^\n]*\n[ =]*note:)?"
    r"|(?:E +)?[\w.]*(?:Error|Exception|Warning)(?: ?[\[(][^\n\])]*[\])]| in thread[^\n:]*)?[:：]|[VDIWEF]/\w+:"
    r"|\[(?i:info|debug|warn(?:ing)?|error|fatal|警告|错误|信息|提示)\])[^\n]*)"
    r"|\b[\w.]*(?:Error|Exception|Warning): (?![^\n]*(?:[Rr]emember|记))[^\n]*"
    r"|日志[:：] ?20\d\d[^\n]*|报错(?:信息|内容)?[是:：][^\n。,，]*"
    r"|<<-?'?(?P<end>[A-Z]+)'?\n.{0,2000}?\n(?P=end)\b"
    r"|(?<![:\w])//\s[^\n]*|/\*.{0,2000}?\*/|(?:(?<=[\])};:：])|(?<=[\])};:：] )|(?<=  ))#\s[^\n]*"
    r"|“[^”\n]*”|「[^」\n]*」|『[^』\n]*』|《[^》\n]*》|\"[^\"\n]*\"|(?<!\w)'(?:[^'\n]|(?<=\w)'(?=\w))*'(?!\w)"
)
_TALK = r"\b(?:thread|transcript|meeting|chat|conversation|discussion|who said|the minutes)\b|会议|聊天|对话|纪要|群里"
"""A word of a message that has a conversation."""
_SPEAKER = (
    r"(\n[ \t]*(?:[-*•] )?(?!rem|not|nb\b|mem|rule|deci|import|update|ps\b|to ?do|fyi|btw|also|then|next|please|and\b"
    r"|so\b|from|now|记|别忘|注意|备|规则|决定|另|还|重要|结论|提醒|约定|补充|以后)[^\W\d_][\w.-]{0,15}(?: \w+)?[:：])"
    r"([^\n]*\S)"
)
"""The name of a speaker, and what is said."""
_END = r"[\n。！？]+|[!?]+(?![a-z\d])|(?<!\.)\.+(?=\s|$)"
_ABBREVIATED = (
    r"(?:(?<![a-z\d_])(?:e\.g|i\.e|u\.s|etc|vs|m[rs]|mrs|dr|prof|ltd|inc|corp|no|st|ver|approx|(?<![-.:])(?<!\d )[a-z])"
    r"|(?:\b(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|vol|nr|tel)|str)(?=\. \d)"
    r"|(?:^|\n|[^\w\s]\s|[^\w\s.:-])\s{0,7}\d)(?=\.\s?\S?$)"
)
"""An abbreviation, or the number of an item, before a full stop that does not end a sentence."""
_BEGINS = (
    r"(?m)(?<![EeIi]\.[ge])(?<!vs)(?<!\d)(?<!^[A-Z])(?<![:：.,;] [A-Z])\.\s+(?:(?i:now|then|please|remember|thanks?)"
    r"|Also|And|But|So|This|That|It|We|I|You|My|Our|The|There|If|When|For|Can|Could|Would|What|How|Why|Do|Don't|Never"
    r"|Always|Let's|Keep|Note|Save|Fix|Use|Run|Add|Make|Install|Write|Update|Check|Create)\b"
)
"""A full stop before a new sentence, also after an abbreviation, as in "an answer in ms. Now fix it"."""


def possible(alternatives: dict[str, str], text: str) -> str:
    """Return a pattern of the alternatives that can match a text in lower case; empty if there are none.

    The text must contain a part of each group of a key: `a|b&c` means (a or b) and c.
    """
    forms = (
        form
        for key, form in alternatives.items()
        if all(any(mark in text for mark in group.split("|")) for group in key.split("&"))
    )
    return narrowed("|".join(forms), text)


def search(alternatives: dict[str, str], text: str) -> "re.Match[str] | None":
    form = possible(alternatives, text)
    return pattern(form).search(text) if form else None


def begins(alternatives: dict[str, str], text: str, *, whole: bool = False) -> bool:
    """Return whether a text begins with one of the alternatives; with `whole`, whether one matches it all."""
    form = possible(alternatives, simplified(text))
    return form != "" and (pattern(form).fullmatch if whole else pattern(form).match)(plain(text)) is not None


class Sentence(NamedTuple):
    """A sentence of a message, from the offset `start`. The next sentence begins at or after the offset `end`.

    `mask` has the length of `text`, with quotations and code hidden.
    """

    text: str
    mask: str
    start: int
    end: int


def sentences(message: str) -> list[Sentence]:
    """Split a message at line ends and at the marks that end a sentence."""
    quotes = any(mark in message for mark in ("20", "ERR", "WARN", "FATAL", *":：`>“「『《\"'#[(/"))
    mask = simplified(pattern(_MASKED).sub(lambda match: _hidden(match[0]), message) if quotes else message)
    if "\n" in message and pattern(_TALK).search(mask):
        mask = pattern(_SPEAKER).sub(lambda match: match[1] + HIDDEN * len(match[2]), mask)
    out, at = [], 0
    for match in pattern(narrowed(_END, mask)).finditer(mask):
        if match.end() == len(mask):
            break
        seen = mask[max(at, match.start() - MAX_FACT) : match.start()]
        is_item = seen[-1:].isdecimal() and f"{int(seen[-1]) - 1}. " in seen
        near = seen[-8:] + mask[match.start() : match.end() + 2]
        is_abbreviated = pattern(_ABBREVIATED).search(near) and not pattern(_BEGINS).match(message, match.start())
        if match[0][0] == "." and (is_item or is_abbreviated):
            continue
        out.append(_cut(message, mask, at, match.end()))
        at = match.end()
    out.append(_cut(message, mask, at, len(message)))
    return [sentence for sentence in out if sentence.text]


def _cut(message: str, mask: str, start: int, stop: int) -> Sentence:
    whole = message[start:stop]
    begin = start + len(whole) - len(whole.lstrip())
    end = start + len(whole.rstrip())
    return Sentence(message[begin:end], mask[begin:end], begin, stop)


def _hidden(span: str) -> str:
    """Return a mask with the length, the line ends and the outer quotation marks of `span`."""
    if span.lstrip()[:1] == "<":
        return HIDDEN * (len(span) - 1) + "\n"  # a sentence can follow
    if span[0] == span[-1] == '"' or span[0] in "'“「『《":
        return span[0] + HIDDEN * (len(span) - 2) + span[-1] if len(span) > 1 else span
    return "".join(char if char == "\n" else HIDDEN for char in span)
