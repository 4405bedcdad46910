"""One sentence that asks for something to be remembered, and the user's own words from the content's first word on."""

import re

UNKNOWN = ""
"""Something is to be remembered, but not what this sentence says."""

LIST = "\n"
"""What is to be remembered stands in the lines behind."""

MAX_FACT = 500
"""Characters: a longer one is left to the agent, since a part of it may say the opposite."""

AROUND = " \t?？,，、:：。.!！;；-–—"

_LEAD_EN = (
    r"(?:(?:ple?as?e|pls|plz|kindly|and|also|but|so|then|ok|okay|now|always|just|yes|no|hey|hi|hello|btw|"
    r"by the way|one more thing(?! to)|from now on|for future reference|in (?:the )?future|for next time|"
    r"you should|you must|you need to|you have to|i want you to|i'd like you to|i would like you to|i need you to|"
    r"i want to ask you to|make sure (?:you|to)|be sure to|try to|do|let's|we should|we must|we need to|"
    r"it(?:'s| is) important (?:to|that you)|it would be (?:great|nice|good|helpful|lovely) if you (?:could|would)|"
    r"(?:i'd|i would) appreciate (?:it )?if you (?:could|would)|i hope you(?: can| will)?|if you could|"
    r"i (?:don't|do not) want you to(?= forget\b)|can you|could you|would you mind|would you|will you|"
    r"(?:hey |hi |ok )?(?:claude|gemini|codex|assistant|gpt))[,:\s]{1,3}){0,5}"
)
_MISSPELT = r"rem+e?m?e?b[er]{1,3}|reme?mb?[er]{2,3}|rembember|remebmer|rememebr"
_VERB_EN = (
    r"(?P<headed>(?:(?:a |one |another )?(?:quick|short|small|side|important|personal|general) )?note (?:for|to) "
    r"(?:you|self|yourself|the future|later)(?: \([^()]*\))?|(?:fyi )?for your (?:memory|records?|notes)|"
    r"(?:just )?so (?:that )?you (?:remember|know for next time)|"
    r"(?:store|save|keep track of) (?:this|that|the following))(?=\s?[:：])"
    rf"|(?P<remember>{_MISSPELT}|(?<=you mind )remembering|memori[sz]e|(?:don't|dont|do not|never) (?:you )?(?:ever )?"
    r"forget(?: about)?|(?<=want you to )forget|keep in mind|bear in mind|"
    r"take note|note down|note|record|jot down|write down|"
    r"(?:one |an? |another )?(?:more |other |last |final |important )?things? to (?:remember|note)(?: is)?)"
    r"|(?P<object>keep|bear) (?:this|that|it|these) in (?:your )?mind"
    r"|(?P<down>write|note|jot|take|put) (?:this|that|it|these|those|the following) down"
    r"|(?P<store>commit|save|add|store|write|put|record|log|keep|file) (?:(?:this|that|it|these|the following) )?"
    r"(?:to|in|into) (?:your |the |my )?(?:long-term )?memory"
    r"|(?P<make>make|take|keep) (?:a |yourself a )?(?:mental )?note(?: of)?"
    r"|(?P<save>save|store) (?:this|that|it) for (?:later|next time|the future|future reference)"
)
_EN = re.compile(rf"(?:^|[,:;.(–—]\s{{0,3}}|\s-\s|\b(?:and|but|then)\s){_LEAD_EN}(?:{_VERB_EN})(?!\w)", re.IGNORECASE)
_BEFORE_BAD = re.compile(
    r"\b(?:says?|said|saying|reads?|wrote|writes|prints?|printed|translate[sd]?|translation|message|title|titled|text|"
    r"error|called|named|todo|fixme|comment|string|label|quote[sd]?|lyrics?|phrase|sentence)\b[^,:;]*[,:]\s*$"
    r"|(?:说过?|写着?|写道|显示|提示|标题|报错|文案|翻译[^,，:：]*|内容是|叫做?|注释|歌词)[,，:：\s]*$",
    re.IGNORECASE,
)
_SUBJECT = re.compile(r"\b(?:i|we|they|he|she|it|users?|people|who|to)\b[^,;:.]*\b(?:and|but|then)\s*$", re.IGNORECASE)

_NOUN = (
    r"(?:\s(?:one|thing|things|fact|facts|point|points|info|information|rule|rules|preference"
    r"|preferences|detail|details|"
    r"note|notes|convention|conventions|list|stuff|important|part|conversation|discussion|all|of|lesson|decision))*"
)
_TAIL = (
    r"(?:[,\s]+(?:please|pls|too|as well|well|now|down|ok|okay|thanks|thank you|always|forever|next time|carefully|"
    r"for me|for us|for later|for next time|for the future|"
    r"for future (?:reference|sessions?|use|conversations?|chats?)|"
    r"in (?:the )?future|in mind|from now on|about me|somewhere|later|going forward|"
    r"when(?:ever)? you.*|when(?:ever)? we.*|for (?:the |my |our |your |any |all |future )?(?:\w+ )?"
    r"(?:suggestions?|plans?|planning|tasks?|work|questions?|answers?|sessions?|projects?|recommendations?)|"
    r"i (?:just )?(?:said|told you|mentioned|wrote)|that i .*|in (?:your |the )?(?:long-term )?memory))*"
)
_POINTER = re.compile(
    rf"(?:(?:all (?:of )?)?(?:this|that|it|these|those|them)|everything(?: (?:i|we|you) .*)?|"
    rf"(?:all )?the above|the following|what (?:i|we) .*){_NOUN}{_TAIL}",
    re.IGNORECASE,
)
_LABEL = re.compile(
    rf"(?:(?:for (?:later|me|next time|the future|future reference)|in memory|this|that|these|it|down|the following|"
    rf"something|(?:just )?one (?:more )?thing|a few things|some things|"
    rf"(?:these )?(?:two|three|four|few|\d) (?:things|facts|points|rules)){_NOUN}"
    rf"(?: for (?:all|every|each|this|the|our|my|any|next|later|future) [^:：,.]{{1,30}})?\s*)?[:：]\s*",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"(?:that (?:time|day|night|one time|moment|bug|song|movie)\b|"
    r"(?:i|we|you) (?:told|said|talked|discussed|mentioned|spoke|"
    r"used to|tried|did|had|saw|were|was|asked|once|already|just)\b|"
    r"when\b|how\b|where\b|who\b|why\b|what\b|if\b|whether\b|"
    r"me\b(?! (?:as|by)\b)|last\b|him\b|her\b|yesterday\b)",
    re.IGNORECASE,
)
_LASTING = re.compile(
    r"(?:to )?(?:always|never|not|avoid|only|prefer|don't|do not|no)\b"
    r"|to\b.*\b(?:always|never|every time|each time|whenever|from now on|in (?:the )?future|going forward|next time)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"\b(?:is|isn't|are|aren't|was|were|has|have|hasn't|haven't|had|must|mustn't|should|shouldn't"
    r"|can|can't|cannot|will|won't|"
    r"do|does|don't|doesn't|never|always|uses?|runs?|needs?|owns?|likes?|loves?|hates?|prefers?"
    r"|wants?|works?|lives?|lies|goes|"
    r"requires?|means?|expects?|allows?|supports?|stays?|starts?|ends?|becomes?|comes?|takes?|keeps?"
    r"|holds?|deploys?|fails?|"
    r"breaks?|speaks?|reads?|writes?|costs?|belongs?|depends?|contains?|listens?)\b|[:=\d]|'s \w+|'re\b|'m\b",
    re.IGNORECASE,
)
_SUBORDINATE = re.compile(
    r"(?:if|when(?:ever)?|as|while|since|before|after|because|although|though|once|until|unless|for|in|on|at|like)\b",
    re.IGNORECASE,
)
_ADVERB = re.compile(r"\s+(?:forever|always|well|please|also|carefully|permanently)(?=,?\s+that\b|\s*:)", re.IGNORECASE)
_THAT = re.compile(r"(?:that|the fact that)\s", re.IGNORECASE)
_REMEMBER = re.compile(r"(?!note|record|write|jot|take).*", re.IGNORECASE)
_FILE = re.compile(r"(?:in|to|into|on|at)\b(?! (?:your |the |my )?(?:long-term )?(?:memory|mind)\b)", re.IGNORECASE)

_LEAD_ZH = (
    "(?:请注意|请|麻烦|帮我|帮忙|替我|你|您|要|得|需要|必须|务必|一定|千万|好好|给我|另外|还有|对了|那|也|以后|永远|都|先|一下|我希望|我想让|我要|希望|"
    "把这个|这个|这一点|这点|这些|这条|并且|并|然后|同时|所以|顺便|记得|能不能|能否|可不可以|可否|能|可以|可|再|就|只|最后|首先){0,5}"
)
_NOT_A_FEATURE = (
    r"(?!我\s|我?(?:的)?(?:密码|账号|账户|登录|功能|选项|按钮|状态|复选框|用户名|设置|滚动|位置)"
    r"(?!\s?(?:是|为|叫|在|用|[:：=])))"
)
_ZH = re.compile(
    rf"(?:^|[,，、:：;；\s]){_LEAD_ZH}"
    rf"(?:(?:牢牢|好好|永远|时刻)?地?(?:记住|牢记|谨记|铭记|记好|记着|记牢){_NOT_A_FEATURE}(?:了(?=[:：,，\s]|$)|一下"
    rf"|下来)?"
    r"|(?:别忘记?了?|不要忘记?了?|不能忘记?了?|勿忘|记得)(?=[:：,，]?\s*(?:我|以后|每次|永远|所有|总是|都|咱|本项目"
    r"|这个项目|这项目|用户|"
    r"不要|不能|不准|不许|别|禁止|千万|绝不|从不|(?:这个|这一?点|这些|这件事|这条)(?:[。！!，,\s]|$)))"
    r"|(?:别忘记?了?|不要忘记?了?|不能忘记?了?|勿忘)(?=[^,，。]{1,12}(?:不能|不可以|不得|禁止|不允许|不准|归|属于"
    r"|叫)[^,，。])"
    r"|以后(?:都|请|要)?记得(?=[^吗?？]{4,})|千万(?:别|不要)忘记?了?(?=[^,，?？]{4,})|(?:别"
    r"|不要)忘记?了?(?=[^,，?？]{1,14}(?:到期|讨厌|喜欢|过敏|住在|改成|换成|搬|没有|从[^,，]{1,8}开始|(?<=..)[只是]))"
    r"|(?:别忘记?了?|不要忘记?了?|勿忘)[:：,，]\s*(?=[^,，。]{1,20}(?:是|在|有|叫|不|没|只|为|归|属于|等于))"
    r"|记(?:一下|下来|下|个笔记|一笔|在心里)(?=[,，:：。!！\s]|我|这|那|用户|以后|咱|本项目|$)"
    r"|(?:保存|留存|存)(?:一下|下来)(?=[:：])|(?:做|写)个?(?:笔记|备忘)(?=[,，:：。!！\s]|$)|备忘(?=[,，:：])"
    r"|备注(?:一下)?(?=[,，:：])"
    r"|(?:记录|记录一下|记录下来|记录下)(?=[,，:：]|(?:我|咱)(?:们)?(?!们?的?(?:操作|日志|行为|点击|请求))|这(?:个"
    r"|一?点|些|条|件事)?(?:[。！!，,\s]|$)"
    r"|(?:本|这个?)(?:项目|仓库)[^,，]{0,12}(?:用|是|有|要|不)|以后|用户(?:叫|是|喜欢|不|偏好|习惯|讨厌|要求"
    r"|[^,，]{1,8}(?:是|为|[:：]))|[。！!\s]*$)"
    r"|(?:存|记|写|加|保存|记录|放|添加)(?:到|入|进|在)(?:你的|你)?(?:长期)?(?:记忆|脑子)(?:库|里|中)?)"
)
_TAKEN_ZH = re.compile(
    r"(?:^|[,，;；\s])(?P<no>[^,，;；记]{0,8}?)(?:把|将)(?P<what>[^,，]+?)(?:记住|记下来?|记录下来|记录一下|记一下"
    r"|牢记|(?:存|记|写|加|保存|记录|放)(?:到|入|进|在)(?:你的|你)?(?:长期)?记忆(?:库|里|中)?)"
    r"(?:了|吧|哦|啊|一下)?(?P<more>[:：,，].*)?[。！!\s]*$"
)
_SUFFIX_ZH = re.compile(
    r"(?:请|帮我|你要|你|一定要|务必|麻烦你?){0,8}(?:记住|记下来|记下|记一下|记录一下|记录下来|记好|别忘了|不要忘了?"
    r"|不要忘记|存(?:到|入)记忆|写入记忆|加入记忆)"
    r"(?:了|吧|哦|啊|这一?点|这个|一下|它|哈|没有?|吗)*[。！!?？]*\s*$"
)
_NEGATED_ZH = re.compile(
    r"(?:不要|不用|不必|别|无需|无须|没必要|不需要|不想|没|不|未|能|会|才|就|(?<![帮替给])我|已经?|难|怎么|如何"
    r"|忘了?)\s*$"
)
_POINTER_ZH = re.compile(
    r"(?:我)?(?:这一?(?:个|点|次|条|句话|件事|几点|些)|这几点|这些|这|那个|那些|那一?点|它们?|此事|"
    r"(?:以上|上面|上述|刚才|刚刚|前面|上一条)(?:我)?(?:的|说的|讲的|提到的|说过的|这些)?"
    r"|(?:一|几|[两三四五六]|下面|以下)[一两几三四五]?(?:件事情?|点|条|个(?:规则|约定|要求|事实|偏好))|以下|下面"
    r"|我(?:刚才|刚刚|上面|前面)?说的(?:话|这些)?)"
    r"(?:所有|全部)?(?:内容|话|信息|规则|规定|约定|要求|事|事情|事实|偏好|习惯|东西|点|几点|对话|决定|设定|设置|结论"
    r"|要点|教训)*(?:都)?(?:了|吧|哦|啊|哈)*"
)
_PARTICLES = re.compile("[没啊呀哦吧了哈嘛呢吗有噢喔]+")
_END_ZH = re.compile(
    r"(?:(?<![,，\s])[,，\s]*(?:好吗|可以吗|行吗|好不好|好么|行不行|谢谢你?|多谢|拜托了?|吧|哦|哈|呀)|吗)[。！!?？\s]*$"
)
_END_EN = re.compile(
    r"(?<![,\s])[,\s]+(?:please|pls|ok|okay|alright|thanks|thank you|thx|will you|would you|could you|for me)[.!?\s]*$",
    re.IGNORECASE,
)


def read(text: str, mask: str) -> str | None:
    """What a sentence asks to remember, UNKNOWN or LIST; None where it asks for nothing.

    `mask` is as long as `text`, and shows nothing of what is quoted in it; its Chinese is simplified.
    """
    if match := _TAKEN_ZH.search(mask):
        return (
            None
            if _NEGATED_ZH.search(match["no"]) or "不" in match["no"] or "别" in match["no"]
            else _object_first(text, match)
        )
    for match in _ZH.finditer(mask):
        head = mask[: match.start()] + match[0][:1].strip(" \t") if match[0][:1] in ":：" else mask[: match.start()]
        if not _BEFORE_BAD.search(head) and not _NEGATED_ZH.search(mask[: match.start()]):
            return _chinese(text, match)
    for match in _EN.finditer(mask):
        head = mask[: match.start()] + match[0][:1]
        joined = re.match(r"(?:and|but|then)\s", match[0], re.IGNORECASE)
        if _BEFORE_BAD.search(head) or (joined and _SUBJECT.search(head + joined[0][1:])):
            continue
        fact = _english(text[match.end() :], mask[match.end() :], match)
        return (_before(text[: match.start()], match[0]) if fact == UNKNOWN else "") or fact
    if match := _SUFFIX_ZH.search(mask):
        fact = text[: match.start()].rstrip(AROUND)
        return fact if fact and not _NEGATED_ZH.search(mask[: match.start()]) else None
    return None


def _object_first(text: str, match: re.Match[str]) -> str:
    phrase, more = (
        text[slice(*match.span("what"))],
        text[slice(*match.span("more"))].strip(AROUND) if match["more"] else "",
    )
    if more:
        return _unquote(more)
    return UNKNOWN if _POINTER_ZH.fullmatch(phrase) else _unquote(phrase.rstrip())


def _chinese(text: str, match: re.Match[str]) -> str:
    rest = text[match.end() :].rstrip()
    fact = re.sub(r"^[哈啊哦噢呀哟]+[,，]\s*", "", _END_ZH.sub("", rest).strip(AROUND))
    head, colon, _ = fact.replace("：", ":").partition(":")
    if colon and _POINTER_ZH.fullmatch(head.strip()):
        fact = fact[len(head) + 1 :].strip(AROUND)
    elif rest.endswith((":", "：")):
        return LIST
    if not fact or _POINTER_ZH.fullmatch(fact) or _PARTICLES.fullmatch(fact):
        # "我对花生过敏，请记住这一点"
        before = text[: match.start()].strip(AROUND)
        return _unquote(before) if before else UNKNOWN
    return _unquote(fact)


def _english(rest: str, mask: str, match: re.Match[str]) -> str | None:
    """What stands behind an English instruction."""
    while ending := _END_EN.search(mask):
        rest, mask = rest[: ending.start()], mask[: ending.start()]
    if adverb := _ADVERB.match(mask):
        rest, mask = rest[adverb.end() :], mask[adverb.end() :]
    label = _LABEL.match(mask.lstrip())
    body = rest.strip()
    if label:
        fact = body[label.end() :].strip(AROUND)
        return _unquote(fact) if fact else LIST
    fact = rest.strip(AROUND)
    pointing = any(match[name] for name in ("object", "down", "store", "save"))
    if pointing and _FILE.match(fact):
        return None
    fact = (
        re.sub(r"^(?:the fact that|down that|that)\s+(?=\S)", "", fact, flags=re.IGNORECASE)
        if not _points(fact)
        else fact
    )
    fact = re.sub(r"^this for (?:later|next time|the future)[:,]\s*", "", fact, flags=re.IGNORECASE)
    if not fact or _points(fact) or (pointing and re.fullmatch(_TAIL, " " + fact, re.IGNORECASE)):
        return UNKNOWN
    return _judged(fact, rest.lstrip(), match)


def _before(head: str, joint: str) -> str:
    """The clause that "…, keep that in mind" speaks of: the one before it in the sentence; empty where it is none."""
    fact = head.strip(AROUND)
    is_whole = joint[0] in ",;–—" and _CLAUSE.search(fact) and not _SUBORDINATE.match(fact)
    return _unquote(fact) if is_whole else ""


def _points(fact: str) -> bool:
    return bool(_POINTER.fullmatch(fact))


def _judged(fact: str, rest: str, match: re.Match[str]) -> str | None:
    """The content, where it is a fact rather than a task or a memory of old times."""
    if _PAST.match(rest):
        return None
    if re.match(r"to\b|not to\b", fact, re.IGNORECASE) and not _THAT.match(rest):
        lasting = _LASTING.match(fact) or re.search(r"\balways\b", match[0], re.IGNORECASE)
        task = re.sub(r"^to\s+", "", fact, flags=re.IGNORECASE)
        said = re.search(r"\balways\b", match[0], re.IGNORECASE) and not _LASTING.match(task)
        return _unquote(f"always {task}" if said else task) if lasting else None
    if (
        _THAT.match(rest)
        or rest[:1] in (",", ":", "-", "–", "—")
        or match[0].lower().endswith("note of")
        or _LASTING.match(fact)
    ):
        return _unquote(fact)
    own = re.match(r"(?:my|our|i|i'm|i’m|we|this|these|about my|me (?:as|by))\b", fact, re.IGNORECASE)
    if _CLAUSE.search(fact) and (own or _REMEMBER.fullmatch(match["remember"] or "")):
        return _unquote(fact)
    return UNKNOWN if own and match["remember"] else None


def _unquote(fact: str) -> str:
    """The words themselves, without quotation marks around the whole; unknown where there are too many."""
    pairs = {'"': '"', "“": "”", "「": "」", "'": "'", "『": "』"}
    if fact[-1:] in ")）" and fact.count("(") + fact.count("（") < fact.count(")") + fact.count("）"):
        fact = fact[:-1].rstrip(AROUND)
    if len(fact) > 2 and pairs.get(fact[0]) == fact[-1] and fact[1:-1].count(fact[-1]) == 0:
        fact = fact[1:-1].strip()
    return fact if len(fact) <= MAX_FACT else UNKNOWN
