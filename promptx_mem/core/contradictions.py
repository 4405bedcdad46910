"""Contradictions: two texts on one subject with different values.

The rules use no model: they compare subjects, then values. They only report a suspicion.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from promptx_mem.core.subjects import DROPPED, LIGHT, plain, subjects
from promptx_mem.core.text import pattern
from promptx_mem.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from collections.abc import Set as AbstractSet

LONGEST = 300
"""Most characters of a compared text: in longer texts the rules cannot find the statement."""

_HAN = r"[^\W\d_A-Za-z]"
"""A letter outside of ASCII: a range of all Chinese characters takes a millisecond to compile."""

_WORD = rf"[0-9]+(?:[.:/-][0-9]+)+|[0-9]+|(?:[~.]?/)?[a-z_][\w]*(?:[./+#-]+[\w]+)*[+#]*|{_HAN}"

_VERB = (
    r"(?<!\bthe )(?<!\bour )(?<!\bmy )\b(?:is|are|was|were|lives?|uses?|using|runs?|running|deploys?|deployed"
    r"|listens?|starts?|begins?|ends?|expires?"
    r"|prefers?|has|have|takes?|costs?|moved|switched|changed|migrated|stores?|stored|lies|owns?|leads?|manages?"
    r"|must|should|may|can|needs?|requires?|works?|goes|go|writes?|written|kept?|lasts?|happens?|meets?|speaks?|drinks?|eats?|sits?"
    r"|targets?|likes?|dislikes?|hates?|served|led|sent|called|named|stands?|shown|rebuilt|published|built"
    r"|supports?|returns?|sends?|logs?|builds?|set|keeps?|closes?|opens?|becomes?|became|joined|took|replaced"
    r"|rotates?)\b"
    r"|'s (?=(?:now )?\d)"
    r"|是|用|叫|住|改|换|位于|放在|放|部署|跑在|负责|采用|使用|定在|定为|安排|在|为|最多|最少|限制|每周|每天|每月"
    r"|需要|必须|可以|偏好|支持|转到|由|搬|有|：|:(?!\d)"
)
_IMPERATIVE = (
    r"(?:please |always |never |do not |don't )?(?:use|write|keep|store|run|put|deploy|prefer|avoid|name|format|log"
    r"|send|commit|push|merge)\b"
)
"""Begins a sentence without a subject: its verb."""

_LEFT = (
    r"\b(?:from|instead of|left|leaving|replaces|replaced|replacing|dropped|dropping|rather than|away from|over from"
    r"|no longer(?: use| uses"
    r"| run on| on| in| with)?|retired|renamed(?! from)|gave up|sold|quit|stopped using|split|abandoned"
    r"|ditched|scrapped|removed|deprecated|phased out|decommissioned|got rid of)\s(?:the "
    r"|our |my )?([a-z][\w.+#-]{1,40})"
    r"|(?:从|取代了?|代替了?|替换了?|接替了?|不再用|不再使用|弃用了?|停用了?|而不是) ?([a-z0-9][\w.+#-]{0,40}"
    rf"|{_HAN}{{2}})|\b([a-z][\w.+#-]{{1,40}}) (?:was|is|has been) replaced (?:by|with)"
    rf"|([a-z0-9][\w.+#-]{{0,40}}|{_HAN}{{2,4}}) ?已?经?被.{{1,12}}(?:取代|替换|代替)"
    rf"|把 ?([a-z0-9][\w.+#-]{{0,40}}|{_HAN}{{2,6}}?) ?(?:换|改|迁|停)"
    r"|([a-z0-9][\w.+#-]{1,40}) ?已?经?(?:换成|改成|换为|改用)"
)
_NO_NAMES = ("here", "work", "home", "scratch", "her", "his", "their", "him", "them", "this", "that", "these", "those")
_IS = "是"
_IN_USE = (
    r"(?:\buses?|\buse an?|\busing|\bwith|\bruns? on|\bis|\bon|用|使用|采用|是|部署在|托管在) $|(?:用|使用|采用|是|在)$"
)
_NEGATION = (
    r"\b(?:not|never|no longer|no|cannot|without|forbidden|prohibited|disabled|stopped|avoid|\w+n['’]t)\b"
    r"|[不别勿禁]|没有|停止|无需|无须|严禁|切勿|关闭"
)
_ALLOWED = (
    r"\b(?:fine|ok|okay|allowed|permitted|welcome|always|may|can|enabled|must|again)\b"
    r"|可以|允许|必须|总是|开启|启用|一律"
)
_WEEKDAY = r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|(?:周|星期|礼拜)[一二三四五六日天]"
_MONTH = (
    r"\b(?:\d{1,2}(?:st|nd|rd|th)? (?:of )?)?(?:january|february|march|april|june|july|august|september|october"
    r"|november|december)"
    r"(?: \d{1,2}(?:st|nd|rd|th)?)?\b|\bmay \d{1,2}\b|\b\d{1,2} may\b|\d{1,2} ?月(?: ?\d{1,2} ?[日号])?"
    r"|[一二三四五六七八九十]{1,3}月(?:份|初?[一二三四五六七八九十]{1,3}[日号]?)?"
    r"|\b\d{4}-\d{2}-\d{2}\b"
)
_PERIOD = (
    r"\b(?:hour|dai|week|month|quarter|year)ly\b|\bevery (?:\d+|two|three|five|ten) (?:minute|hour|day|week|month)s\b"
    r"|\b(?:every|each) (?:minute|hour|day|night|morning"
    r"|evening|week|month|quarter|year)\b|每[天日周月年晚早]|每(?:小时|分钟|季度)"
)
_VERSION = r"\bv?\d+\.\d+(?:\.\d+)*(?!\d|:)|\bv\d+\b|(?<=版本)\d+|(?<=版本 )\d+"
_PATH = (
    r"(?:https?:/|[~.]{0,2}|\b[\w.-]+)/[\w./~-]+|\b[\w-]+\.(?:ya?ml|toml|json|py|js|ts|md|ini|cfg|conf|env|sh|sql"
    r"|log|txt)\b"
)
_NUMBER = (
    r"(?<![\w.])\d+(?:[.,:-]\d+)*(?:%|[a-z]{1,3}\b)?|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve"
    r"|twenty|thirty)\b"
    r"|[一二两三四五六七八九十百千]+(?=[个天次小时点分名人周月年块元位台条层号楼倍])"
)
_UNIT = rf"(?:{_NUMBER})[ -]([a-z]{{3,}})"
_TYPED = (
    ("path", _PATH), ("date", _MONTH), ("weekday", _WEEKDAY), ("period", _PERIOD), ("version", _VERSION),
    ("number", _NUMBER),
)  # fmt: skip
"""The first matching kind counts, since a date contains numbers."""

_NAME = r"(?<!^)(?<![.!?] )\b[A-Z][a-zA-Z]{1,20}\b"

_NAMES = (
    "npm pnpm yarn bun | pip poetry uv pipenv conda | postgres postgresql mysql sqlite mariadb "
    "mongodb oracle | redis memcached valkey | vim neovim emacs vscode zed | jest vitest mocha "
    "jasmine | pytest unittest nose | react vue svelte angular | tabs spaces tab space | dark light | "
    "深色 浅色 | github gitlab bitbucket | slack teams discord zulip mattermost 钉钉 飞书 企业微信 | aws gcp "
    "azure heroku fly.io 阿里云 腾讯云 | kafka rabbitmq nats | jenkins circleci travis | webpack vite "
    "rollup esbuild | eslint biome | flask django fastapi | black ruff | rest graphql grpc | jira "
    "linear trello | docker podman | ubuntu debian fedora alpine | morning afternoon evening | 上午 下午 "
    "晚上 早上 | zsh bash fish | rebase squash | json xml yaml toml | nginx caddy apache traefik | "
    "camelcase snake_case kebab-case pascalcase | png jpeg webp avif | red blue green yellow purple "
    "orange | 中文 英文 日文 | utc cet | eur usd gbp chf cny | vegetarian vegan"
)
_CHOICES = tuple(frozenset(group.split()) for group in _NAMES.split("|"))
"""Attributes that a subject has only once."""

_PASSIVE = (
    r"\b(?:is|are|was|were|been) (?:now |also |no longer |not )?(?!called|named|located|based|set)(?:re)?"
    r"([a-z-]+(?:ed|en|t))\b"
)
_ONE = (
    r"\b(?:is|are|lives?|uses?|runs? on|deployed|prefers?|named|called|works? (?:at|for)|leads?|owns?|manages?"
    r"|hosted|stored|targets?|stands?|sits?|goes?)\b|是|叫|住|由|负责|在|偏好|采用|使用|用|换成|改成|改为|转到"
)
_PLACED = (
    r"^(?P<head>.{3,80}?\b(?:called|named|known as|lives? (?:in|at)|prefers?|wants?|likes?"
    r"|(?:is|are|was|were|gets?)(?: now)? (?:[a-z]+ed|[a-z]+[wtke]en|built|kept|sent|led|run|paid|set)"
    r" (?:in|at|on|as|to|from|with|by|under|via)|(?:is|are) (?:in|on|at|under)|(?:go|goes|writes?|reports?) (?:in)?to"
    r"|(?:happens?|starts?|begins?|ends?|takes? place|meets?) (?:at|on|in)|runs? on|works? (?:at|for)"
    r"|(?!works )[a-z]+ (?:with|via))"
    r"|(?:always |please )?(?:answer|reply|write|keep|put|store|send|save|log)(?: [a-z]+){0,3} (?:in|to|with|as|under)"
    r"|(?:the |our |my )?(?:default|primary|main|official|preferred|minimum|maximum)\b[^.;:]{1,40} (?:is|are)"
    r") (?P<tail>.{1,40})$"
)
"""Statements about a place, a name or an owner, which have only one value."""

_WISHES = frozenset({"prefers", "prefer", "wants", "want", "likes", "like"})
_HOME = (
    r"\b(?:lives? (?:in|at)|home is|(?:is|are) (?:based |located |kept )?(?:in|at))\b|住|的?(?:地址|位置)[在是]|位于",
    r"\b(?:moved|relocated) (?:in)?to\b|搬(?:到|去|进|来)",
)
_WORK = (
    r"\bworks? (?:at|for|as)\b|\bemployed (?:at|by)\b|上班|工作",
    r"\b(?:joined|started (?:at|working at)|changed jobs|got a (?:new )?job)\b|入职|跳槽|换了?工作",
)
_OPPOSITES = (
    (r"\bdislikes?\b|\bhates?\b", " not like "),
    (r"\bclosed\b", " not open "),
    (r"\bunlocked\b", " not locked "),
    (r"['’]s name is\b|\bgoes by\b|\bprefers? to be called\b|\bis now called\b", " is called "),
    (r"\boptional\b|\bvoluntary\b", " not required "),
    (r"\bmandatory\b|\bcompulsory\b|\bobligatory\b", " required "),
    (r"\bdisabled\b", " not enabled "),
    (r"\boff\b", " not on "),
    (r"\bno ?one\b|\bnobody\b", "not"),
    (r"\bopt-out\b", " not opt-in "),
    (r"\bwrit(?:e)?able\b", " not read-only "),
    (r"\bprivate\b", " not public "),
    (r"\bmanual(?:ly)?\b", " not automatic "),
    (r"\bautomatically\b", " automatic "),
    ("讨厌", "不喜欢"),
    ("关闭", "不开启"),
    ("禁用", "不启用"),
)
"""A word that denies another, and other words for the same."""

_ANY_OPPOSITE = "|".join(word for word, _ in _OPPOSITES)

_NOW_ZH = ("现在", "以后", "从今天起")
_END_ZH = "了。！. "
_LONGEST_VALUE = 6
"""Characters of a Chinese value."""

_LETTER = r"(?<!^)\b[A-HJ-Z]\b"  # a letter that is a name

_SMALL_ZH = r"可以|能|[不没再别了已经现在都也又。！，\s]|用户|开始"

_ARTICLES = frozenset({"the", "our", "my", "now", "new", "is", "was", "also"})

_LABEL = 2  # words of a text that is but a name with its number, as "step 2"

_SINCE = r" (?:from|since|as of|starting|until|for)\b|,| now$"
_ADDS = r"\btoo\b(?=\W*$|[,.;])|\b(?:also|as well|either|besides|in addition)\b|也|另外|同时"

_FRAME = r"(?:[在到是叫由为给用姓放存写]|现在) ?$"
_ORDINAL = r"^第 ?[一二三四五六七八九十0-9]+"
_KIND = r"^(?:the |our )?(old|new|legacy|first|second|third|next|previous|left|right|internal|external)\b"
_WHO_ZH, _WHAT_ZH = r"(?P<who>[^\W\d_]{1,8}?)", r"(?P<what>(?:[^\W\d_]| ){2,12}?)"
_TITLES = "负责人|组长|经理|主管|总监|老板|老师|主任"
_LEADS = f"负责|担任|{_TITLES}"
_OF, _WHAT, _BY = r"(?:the|our|my|their)(?: new| current)?", r"(?P<what>[a-z][a-z -]+?)", r"(?P<who>\S+(?: \S+)?)"
_ROLES = (
    (" ", rf"^(?P<who>\S+(?: \S+){{0,2}}?) (?:is|became)(?: now)? {_OF} {_WHAT}$"),
    (" ", rf"^{_OF} {_WHAT} is(?: now)? (?P<who>[a-z][a-z.'-]+(?: [a-z.'-]+){{0,2}})$"),
    (" ", rf"^{_BY} (?P<verb>[a-z]+s) {_WHAT}$"),
    (" ", rf"^{_WHAT} (?:is|are)(?: now)? (?P<verb>[a-z]+) by {_BY}$"),
    (_LEADS, rf"^{_WHO_ZH}(?:现在|接手|接任)?(?:负责|担任|是(?={_HAN}{{0,8}}(?:{_TITLES}))){_WHAT_ZH}$"),
    ("由", rf"^{_WHAT_ZH}(?:现在|目前|以后)?由{_WHO_ZH}(?:负责|担任|接手)$"),
)
"""Who has a role: statements with the person first, or with the role, after parts of which each has one."""
_SOLE = frozenset({"lead", "own", "mana", "main", "revi", "appr", "hand", "chai", "teac", ""})
"""Beginnings of verbs for roles that only one has; the passive of any verb may name another."""


_CHANGED = (
    r"\b(?:no longer|any ?more|instead|switch(?:ed|ing)|took over|taken over|takes over|stepped down"
    r"|hand(?:ed|s) (?:.{1,30} )?over|in charge|became|outgrown|outgrew|as of|starting (?:in|with|from)"
    r"|(?<!\bis )(?<!\bare )(?:changed|replace[sd]|renamed|rebranded|retired|dropped|ditched|deprecated)"
    r"|from (?:now|today|(?:this|next|the next) \w+|\w+(?:day|uary|ember|ober)|march|april|may|june|july|august) on)\b"
    r"|改[为成用到在由存走发至回去叫名约喝吃坐骑开]|换(?:[成为到人]| ?[a-z])|更[换名]|替换|变更|转[到学为至]|弃用|回到"
    r"|不再|[月日号年周]起|接[手任替]|离职|取消|作废|停[用止]|变成|可以.{0,8}了"
)
_MOVED = r"\b(?<!\bis )(?<!\bare )(?:moved|migrated|relocated|converted|rebuilt|rewritten)\b|迁|搬[到至去]"
_ADJUSTED = (
    r"\b(?:(?<!\bis )(?<!\bare )(?:upgraded|downgraded|bumped|raised|lowered|increased|decreased|reduced|extended"
    r"|shortened|postponed|rescheduled)|pushed (?:to|back)|(?:cut |go )?down to|up to)\b|[升降加减]级?[到至为成]"
    r"|调整?[到至为成]|放宽|收紧|延[期长后到]|推迟|提前到|剩下|只剩|涨到"
)
_MEASURES = tuple(form for _, form in _TYPED)
_PLACES = r"\b(?:in|on|at|to|with|from|used?|uses|built|written|lives?|runs?)\b|[在到存住放用走上]"
_CHANGES = ((_CHANGED, ("",)), (_MOVED, (_PLACES, *_MEASURES)), (_ADJUSTED, _MEASURES))
"""Words of a text that reports a change, each with what the old text has if they concern it."""

_CHANGE = (
    r"\b(?:now|switch|replaces|new|not\b.{1,40}\bbut|rather than|gave up|sold|quit|delayed|went to|after all|split"
    r"|abandoned|scrapped|phased out|decommissioned|got rid of|(?:was|were|been) made)\b|提前|开始|现在|如今|已经|代替"
    r"|取代|从.{1,20}[到改换迁]|以后|新的|而不是"
)
_MAY_UPDATE = r"\b(?:(now|nowadays|these days)|again|since|left|has been|got)\b|已|目前|现在|如今|以后|了[，,。]|了$"
_MARKS = (
    "now|new|not|switch|replac|rather|gave up|sold|quit|delay|went to|after all|split|abandon|scrap|phased|commission"
    "|got|made|longer|more|instead|over|stepped|in charge|became|outg|as of|starting|changed|rename|rebrand|retire|drop"
    "|ditch|deprecat|from|move|migrat|relocat|convert|rebuilt|rewritten|grade|bump|raise|lower|crease|reduce|extend"
    "|shorten|postpone|schedule|pushed|down to|up to|these days|again|since|left|has been|shut|merged|supersede|joined"
    "|started|提前|开始|现在|如今|已|目前|以后|了|代替|取代|从|新的|而不是|改|换|更名|变|转|弃|回到|不再|不用|起|接|离职"
    "|取消|作废|停|可以|迁|搬|升|降|加|减|调|放宽|收紧|延|推迟|剩|涨|入职|跳槽"
)
"""Parts of which every text that reports a change or a beginning has one: a fast test."""

_GONE = (
    r"\b([\w.+#/-]{3,40}) (?:has been|have been|was|were|is|got) (?:renamed|replaced|retired|removed|dropped|shut down"
    r"|deprecated|sold|merged|superseded)|不再.{0,4}?([a-z0-9][\w./-]{2,40})|不用 ?([a-z0-9][\w./-]{2,40}) ?了"
)
_BEGINS = r"(?:the |our |my |a )?([a-z][\w.+#-]{3,})|(?:我们家?|用户的?|公司的?|团队的?|家里的?)?([^\W\d_A-Za-z]{2})"
_FEW, _FEW_OTHERS, _MUCH, _ENOUGH = 9, 3, 0.6, 0.3
"""The most subject words of a short text, and the most other words of a text with another value; shares of the old
subject words that the new text has: in doubt, and usually."""

_NEAR, _START, _SHORTEST, _BRIEF = 16, 25, 6, 120
"""Characters beside a word, before a subject, of the shortest clause; bytes of a short text."""

_PAST = r"^\W*until\b|\b(?:used to|formerly|previously|back then|in (?:19|20)\d\d)\b|早年|以前|曾|当年|当时"
_CLAUSES = r"[;；，。]|[,:] | so | because "
_NOBODY = frozenset({"user", "team", "company", "project", "用户", "我们", "每个", "所有"})


class _Text(NamedTuple):
    lower: str
    words: tuple[str, ...]
    subject: frozenset[str]
    head: str


class _Pair(NamedTuple):
    new: str
    old: str
    one: _Text
    two: _Text
    shared: set[str]
    changes: bool
    also: float


_ABOUT = frozenset("给对有跟和")  # characters that add more than a value to a Chinese sentence

_DAY_PART = r"[上下中]午|[早晚]上|凌晨"
_OF_DAY = frozenset("上下午早晚中凌晨")
_OF_TIME = frozenset({"just", "recently", "last", "month", "week", "year", "finally", *"户刚上个月周"})

_PARTS = r"[a-z]+|[0-9]+"
_VAGUE = frozenset({"use", "used", "run", "listen", "set", "take"})
_UNITS = frozenset({"second", "minute", "hour", "day", "week", "month", "year"})
_STATES = frozenset({"住", "叫", "姓"})  # verbs of states of which a person has one


def reason(new: str, old: str, aliases: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())) -> str:
    """Return the difference if the new text may replace the old one, else an empty text.

    Words that they share by their aliases belong to the subject. A shared tag is no sign: many subjects have one tag.
    """
    one, two = _read(new), _read(old)
    adds = pattern(_ADDS).search(one.lower)
    too_long = max(len(new), len(old)) > LONGEST
    same = one.lower.rstrip(".。!！") == two.lower.rstrip(".。!！")
    is_past = pattern(_PAST).search(two.lower)
    if too_long or same or adds or is_past or new.rstrip().endswith(("?", "？")) or _is_of_another(new, old):
        return ""
    also = _beside((new, old), aliases) if any(aliases) else frozenset[str]()
    if found := _reason(new, old, one, two, also):
        return found
    split = pattern(_CLAUSES).split(new) if max(len(text.encode()) for text in (new, old)) <= 2 * _BRIEF else []
    parts = [part.strip() for part in split if len(part.strip()) >= _SHORTEST]
    return next(filter(None, (_reason(part, old, _read(part), two, also) for part in parts if part != new)), "")


def _reason(new: str, old: str, one: _Text, two: _Text, also: frozenset[str]) -> str:
    """Return the difference that the first matching rule finds."""
    may_change = _has_any(one.lower, _MARKS)
    changes = may_change and any(pattern(form).search(one.lower) for form in (_CHANGE, _CHANGED, _MOVED, _ADJUSTED))
    pair = _Pair(new, old, one, two, set(one.words) & set(two.words), changes, _weight(also))
    if not pair.shared:
        return (_state(pair) or (_updated(pair) if also else "")) if may_change else ""
    if pair.changes and (left := _left(one, two)):
        return f"words of change: {left}"
    if role := _role(pair):
        return f"name: another {role}"
    rules = (_negated, _value, _state, _place, _slot, _updated) if may_change else (_negated, _value, _place, _slot)
    return next(filter(None, (rule(pair) for rule in rules)), "")


def _updated(pair: _Pair) -> str:
    """Return "words of change" if a short text that reports a change is on the subject of the old one."""
    one, two = pair.one.lower, pair.two.lower
    for match in pattern(_GONE).finditer(one):
        name = next(filter(None, match.groups()))
        known = {*_words(name)} <= {*pair.two.words} and _weight(subjects(two)) <= _FEW
        if known and plain(name) not in LIGHT and name not in DROPPED:
            return f"words of change: {name}"
    certain = _is_changed(one, two)
    doubt = pattern(_MAY_UPDATE).search(one)
    if not certain and not (doubt and (doubt[1] is None or _have_one(pair)) and _is_one_action(pair)):
        return ""
    ours, theirs = subjects(one), subjects(two)
    if _are_of_one_kind(pair) or max(_weight(ours), _weight(theirs)) > _FEW:
        return ""
    values = _values(two)
    shared = _weight((ours & theirs) - values) + pair.also
    if not certain:
        statement = (ours & theirs) - subjects(pair.two.head)
        is_same = statement and shared > 1 and shared >= _weight(theirs - values) * _MUCH
        return "words of change" if is_same else ""
    if shared > 1 and shared >= _weight(theirs - values) * _ENOUGH:
        return "words of change"
    return "words of change" if ours - theirs and _begins_alike(pair) else ""


def _are_of_one_kind(pair: _Pair) -> bool:
    """Return whether the subjects are two of one kind, as "the iOS app" and "the Android app"."""
    heads = [[word for word in text.head.split() if word not in DROPPED] for text in (pair.one, pair.two)]
    short = all(1 < len(head) <= 3 for head in heads)
    return short and heads[0][-1] == heads[1][-1] and not _one_subject(pair.one, pair.two)


def _is_changed(new: str, old: str) -> bool:
    """Return whether a text reports a change of what the old text is about."""
    return any(pattern(word).search(new) and any(pattern(of).search(old) for of in forms) for word, forms in _CHANGES)


def _begins_alike(pair: _Pair) -> bool:
    """Return whether the new text reports a change of the thing with which the old one begins."""
    one, two = pair.one.lower, pair.two.lower
    begin = None if pattern(_IMPERATIVE).match(two) else pattern(_BEGINS).match(two)
    first = begin[1] or begin[2] if begin else ""
    if not first or first in _NOBODY or plain(first) in LIGHT | DROPPED:
        return False
    at = one.find(first)
    near = one[at + len(first) : at + len(first) + _NEAR]
    told = min((found.start() for word, _ in _CHANGES if (found := pattern(word).search(near))), default=0)
    more = pattern(r" ?([a-z-]+|[\u3400-\u9fff]{2})").match(near[:told])  # a part of the thing, as its log
    other = more and subjects(more[1]) and more[1] not in two
    return 0 <= at < _START and not other and not near.startswith(("的", "'s")) and _is_changed(near, two)


def _beside(texts: Sequence[str], aliases: Sequence[tuple[str, ...]]) -> frozenset[str]:
    """Return the subject words that two texts share only with their aliases."""
    ours, theirs = (subjects(" ".join((text, *more)).lower()) for text, more in zip(texts, aliases, strict=True))
    return (ours & theirs) - (subjects(texts[0].lower()) & subjects(texts[1].lower()))


@lru_cache(maxsize=64)
def _values(lower: str) -> set[str]:
    """Return the subject words that occur in dates, numbers, versions and paths."""
    return {word for _, form in _TYPED for match in pattern(form).finditer(lower) for word in subjects(match[0])}


def _weight(words: Iterable[str]) -> float:
    """Count words; two pairs of Chinese characters are one."""
    return sum(0.5 if "\u3400" <= word[0] <= "\u9fff" else 1 for word in words)


def _is_of_another(new: str, old: str) -> bool:
    """Return whether names of one letter, or numbers, show that two texts have different subjects."""
    letters = [set(pattern(_LETTER).findall(text)) for text in (new, old)]
    numbers = [pattern(_ORDINAL).findall(text) for text in (new, old)]
    kinds = [pattern(_KIND).findall(text.lower()) for text in (new, old)]
    return (
        numbers[0] != numbers[1]
        or (all(kinds) and kinds[0] != kinds[1])
        or (all(letters) and letters[0] != letters[1] and not new.isupper())
    )


def _state(pair: _Pair) -> str:
    """Return the state of a person that the new text ends, as where they live."""
    for name, (asked, told) in (("place", _HOME), ("work", _WORK)):
        end, was = pattern(told).search(pair.one.lower), pattern(asked).search(pair.two.lower)
        if end and was:
            who = [
                set(_words(text.partition("在")[0])) - _OF_TIME
                for text in (pair.one.lower[: end.start()], pair.two.lower[: was.start()])
            ]
            if who[0] == who[1] and _words(pair.one.lower[end.end() :]) != _words(pair.two.lower[was.end() :]):
                return f"{name}: another"
    return ""


def _place(pair: _Pair) -> str:
    """Return "another value" if two texts differ only in a place, a name or an owner at the end."""
    one, two = (pattern(_PLACED).search(text.lower.rstrip(".。! ")) for text in (pair.one, pair.two))
    if not one or not two:
        return ""
    said = [pattern(r"\b(?:on|at|under)$").sub("in", match["head"]) for match in (one, two)]
    heads, ways = [_words(head) for head in said], {head.split()[-1] for head in said}
    kinds = [{name for name, form in _TYPED if pattern(form).search(match["tail"])} for match in (one, two)]
    first, second = (_words(match["tail"]) for match in (one, two))
    same = heads[0] == heads[1] and len(ways) == 1 and _is_one_action(pair) and kinds[0] == kinds[1]
    same = same and not any(pattern(_VERB).search(match["tail"]) for match in (one, two))
    if not same or not heads[0] or not first or not second or first[0] == second[0]:
        return ""
    lengths = {len(match["tail"].split()) for match in (one, two)}
    if ways & _WISHES and (first[-1] != second[-1] or len(lengths) > 1):
        return ""
    return "another value" if len(first) == len(second) or not {*first} & {*second} else ""


def _slot(pair: _Pair) -> str:
    """Return "another value" if two Chinese sentences differ only in one position."""
    one, two = (text.lower.rstrip(_END_ZH) for text in (pair.one, pair.two))
    if one.isascii() or two.isascii():
        return ""
    changes = pair.changes and _is_changed(one, two)
    for word in (*_NOW_ZH, "改", "开始"):
        one = one.replace(word, "") if word not in two else one
    start = next((n for n, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two)))
    rest = min(len(one), len(two)) - start
    stop = next((n for n in range(rest) if one[-1 - n] != two[-1 - n]), rest)
    values = one[start : len(one) - stop], two[start : len(two) - stop]
    if any(not value.strip() or len(value) > _LONGEST_VALUE or {*value} & _ABOUT for value in values):
        return ""
    wished = stop > 1 and pattern("喜欢|偏好|希望").search(one[:start])
    of_user = one.startswith("用户") and start <= len("用户在")
    framed = pattern(_FRAME).search(one[:start]) and (stop if of_user or one[start - 1] == "在" else start >= 3)
    return "another value" if framed or wished or (changes and start + stop >= 3) else ""


@lru_cache(maxsize=64)
def _read(text: str) -> _Text:
    plain = unicodedata.normalize("NFKC", text)
    lower = plain.lower().strip()
    if pattern(_ANY_OPPOSITE).search(lower):
        for word, other in _OPPOSITES:
            lower = " ".join(pattern(word).sub(other, lower).split())
    verb = pattern(_VERB).search(lower, 1)
    head = lower[: verb.start()] if verb and not pattern(_IMPERATIVE).match(lower) else ""
    words = _words(lower)
    subject = frozenset(_words(head))
    return _Text(lower, words, subject, head.strip())


@lru_cache(maxsize=256)
def _words(text: str) -> tuple[str, ...]:
    return tuple(plain(word) for word in _split(text) if word not in DROPPED)


def _split(text: str) -> list[str]:
    """Return the words of a text in lower case, and its Chinese characters."""
    found = pattern(_WORD).findall(text)
    return found if text.isascii() else [word for word in found if word[0] < "\x80" or "\u3400" <= word <= "\u9fff"]


def _left(one: _Text, two: _Text) -> str:
    """Return the value of the old text that the new text names as left or dropped."""
    for match in pattern(_LEFT).finditer(one.lower):
        name = next(filter(None, match.groups()), "").rstrip(".")
        if match[0].startswith("no longer") and set(one.words) - set(two.words):
            continue
        if len(name) < 2 or name in DROPPED or name in _NO_NAMES:
            continue
        tokens = set(_words(name))
        if tokens and tokens <= set(two.words) and name in two.lower and not pattern(_NEGATION).search(two.lower):
            others = (set(one.words) & set(two.words)) - tokens
            in_use = name.isascii() and pattern(_IN_USE).search(two.lower.partition(name)[0][-12:])
            if others or in_use or len(two.words) <= 3:
                return name
    return ""


def _role(pair: _Pair) -> str:
    """Return the role if both texts give it to somebody."""
    for what, verb, who, form in _roles(pair.one.lower, pair.new):
        for other, as_verb, rival, as_form in _roles(pair.two.lower, pair.old):
            alike = verb == as_verb and (verb in _SOLE or form != as_form) and {*_words(what)} == {*_words(other)}
            if alike and _words(what) and not _same(who, rival):
                return what
    return ""


def _has_any(text: str, marks: str) -> bool:
    return any(mark in text for mark in marks.split("|"))


def _roles(text: str, written: str) -> Iterator[tuple[str, str, str, str]]:
    """Yield each role that a text names, the beginning of its verb, who has it (without since when), and the form."""
    for marks, form in _ROLES:
        if _has_any(text, marks) and (found := pattern(form).search(pattern(_SINCE).split(text.rstrip(_END_ZH))[0])):
            parts = found.groupdict()
            if parts["who"].isascii() and parts["who"].title().split()[0] not in written:
                continue
            yield parts["what"].strip(), plain(parts.get("verb") or "")[:4], parts["who"], form


def _same(one: str, two: str) -> bool:
    """Return whether two subjects have the same head noun, as "the staging server" and "the old server"."""
    return bool(set(_words(one)) & set(_words(two)))


def _negated(pair: _Pair) -> str:
    """Return the reason if one text denies the other."""
    one, two, shared = pair.one, pair.two, pair.shared
    share = len(shared) / min(len(set(one.words)), len(set(two.words)))
    no_one, no_two = (pattern(_NEGATION).search(text.lower) is not None for text in (one, two))
    if no_one == no_two:
        return ""
    bare = [pattern(_SMALL_ZH).sub("", text.lower) for text in (one, two)]
    if bare[0] == bare[1] and not bare[0].isascii() and len(bare[0]) > 1:
        return "negation"
    positive = two if no_one else one
    least = 0.65 if pattern(_ALLOWED).search(positive.lower) else 0.8
    enough = sum(1 if "\u3400" <= word <= "\u9fff" else 2 for word in shared) >= 4
    if not enough or share < least or not _one_subject(one, two):
        return ""
    only = min(len(set(one.words) - shared), len(set(two.words) - shared))
    if only and not pair.changes:  # another value as well: two things, as production and staging
        return ""
    return "negation" if only <= 2 else ""


@lru_cache(maxsize=256)
def _every(form: str, lower: str) -> frozenset[str]:
    found = (match[0] for match in pattern(form).finditer(lower))
    return frozenset((value if value.isascii() else value.replace(" ", "")).rstrip(".s") for value in found)


def _one_subject(one: _Text, two: _Text) -> bool:
    return one.subject <= two.subject or two.subject <= one.subject


def _value(pair: _Pair) -> str:
    """Return the kind of value that differs, if the subject is the same and little else differs."""
    one, two, shared = pair.one, pair.two, pair.shared
    extra = (one.subject ^ two.subject) if one.subject and two.subject else set()
    if not _one_subject(one, two) or (extra and not pair.changes and not extra <= shared):
        return ""
    for name, form in _TYPED:
        first, second = _every(form, one.lower), _every(form, two.lower)
        if name == "number" and len(first) == len(second):
            first, second = first - second, second - first
            if first and second and _begins_with(one, first) and _begins_with(two, second):
                return ""
        if first and second and first.isdisjoint(second):
            is_label = not (one.head or two.head) and min(len(one.words), len(two.words)) <= _LABEL
            if (name == "number" and (is_label or not _is_one_unit(pair))) or not _only(pair, first | second):
                return ""
            return f"{name}: {_listed(first)}, not {_listed(second)}"
        if first and second and first != second and name != "number":
            return ""
    return _choice(pair) or _name(pair)


def _is_one_unit(pair: _Pair) -> bool:
    """Return whether the words after the numbers of two texts are the same, or all units of time."""
    units = [set(map(plain, pattern(_UNIT).findall(text.lower))) - DROPPED for text in (pair.one, pair.two)]
    return not all(units) or bool(units[0] & units[1]) or units[0] | units[1] <= _UNITS


def _begins_with(text: _Text, values: AbstractSet[str]) -> bool:
    """Return whether a text begins with one of the values: they number things, as in "step 2"."""
    begin = text.lower.removeprefix("in ").removeprefix("on ").removeprefix("第 ")
    return any(value in begin[: len(value) + 1] for value in values)


def _only(pair: _Pair, values: AbstractSet[str]) -> bool:
    """Return whether two texts on one subject differ in little except these values."""
    parts = {part for value in values for part in (*_words(value), *pattern(_PARTS).findall(value))}
    parts |= _UNITS if all(_UNITS.intersection(text.words) for text in (pair.one, pair.two)) else set()
    of_day = _OF_DAY if all(pattern(_DAY_PART).search(text.lower) for text in (pair.one, pair.two)) else frozenset()
    alone, other = (set(text.words) - pair.shared - parts - of_day - _VAGUE for text in (pair.one, pair.two))
    specific = _specific(pair.shared - parts)
    same = bool(pair.one.subject) and pair.one.subject == pair.two.subject
    few = min(len(alone), len(other)) <= _FEW_OTHERS and max(len(alone), len(other)) <= _FEW
    of_one = specific > 1 or (pair.one.subject & pair.two.subject and _is_changed(pair.one.lower, pair.two.lower))
    return (specific > 0 or same) and (not alone or not other or bool(few and pair.changes and of_one))


def _name(pair: _Pair) -> str:
    """Return the name that differs if a subject has but one."""
    one, two, shared = pair.one, pair.two, pair.shared
    alone, other = set(one.words) - shared, set(two.words) - shared
    if not alone or not other or not _have_one(pair) or not (_specific(shared) or shared & _STATES):
        return ""
    names = [
        {plain(name.lower()) for name in pattern(_NAME).findall(text.replace("Dr. ", "Dr "))} - shared
        for text in (pair.new, pair.old)
    ]
    certain = _is_changed(one.lower, two.lower)
    changes = pair.changes and one.subject == two.subject and (certain or _is_one_action(pair))
    if changes and len(alone) == len(other) == 1:
        return f"name: {_said(one, alone)}, not {_said(two, other)}"
    latin = all(map(str.isascii, alone | other)) and _is_chinese(shared) and len(alone) == len(other) == 1
    alone, other = ({word for word in words if not word[0].isdigit()} or words for words in (alone, other))
    if latin or (alone <= names[0] and other <= names[1] and _in_place(pair, alone, other)):
        return f"name: {_said(one, alone)}, not {_said(two, other)}"
    says_more = "负责" in one.lower or (
        _IS in one.lower and (abs(len(alone) - len(other)) > 1 or (alone | other) & _ABOUT)
    )
    if one.subject != two.subject or max(len(alone), len(other)) > 4 or says_more:
        return ""
    if changes and one.subject:
        return "words of change"
    share = len(shared) / min(len(set(one.words)), len(set(two.words)))
    long = one.subject and len(shared) >= (2 if _IS in one.lower else 3) and share >= 0.5
    return "another value" if _is_chinese(shared) and (long or shared & _STATES) else ""


def _have_one(pair: _Pair) -> bool:
    """Return whether both texts state what a subject has but one of."""
    return all(pattern(_ONE).search(text.lower) for text in (pair.one, pair.two))


def _is_one_action(pair: _Pair) -> bool:
    """Return whether the same is done to the subject in both texts, as in "is written in" and "was rewritten in"."""
    done = [pattern(_PASSIVE).findall(text.lower) for text in (pair.one, pair.two)]
    return list(map(plain, done[0])) == list(map(plain, done[1]))


def _in_place(pair: _Pair, alone: set[str], other: set[str]) -> bool:
    """Return whether the first different words of two English texts are these, or the new text describes a change."""
    raw = [[plain(word) for word in _split(text.lower) if word not in _ARTICLES] for text in (pair.one, pair.two)]
    first = next(((a, b) for a, b in zip(*raw, strict=False) if a != b), ("", ""))
    return pair.changes or (first[0] in alone and first[1] in other) or not pair.one.lower.isascii()


def _is_chinese(words: set[str]) -> bool:
    return any("\u3400" <= word[0] <= "\u9fff" for word in words)


def _specific(words: set[str]) -> int:
    """Count the words that identify a subject; two Chinese characters count as one."""
    dense = sum("\u3400" <= word[0] <= "\u9fff" for word in words)
    return len(words) - dense + dense // 2


def _choice(pair: _Pair) -> str:
    one, two, shared = pair.one, pair.two, pair.shared
    for number, first in _chosen(one).items():
        second = _chosen(two).get(number)
        if second and first.isdisjoint(second):
            parts = {part for name in first | second for part in _words(name)}
            alone, other = set(one.words) - shared - parts, set(two.words) - shared - parts
            if not alone or not other or (pair.changes and _specific(shared)):
                return f"choice: {_listed(first)}, not {_listed(second)}"
    return ""


@lru_cache(maxsize=64)
def _chosen(text: _Text) -> dict[int, frozenset[str]]:
    """Return the things of each group of choices that a text names."""
    words = {*text.words}
    named = {
        number: frozenset(name for name in group if (plain(name) in words if name.isascii() else name in text.lower))
        for number, group in enumerate(_CHOICES)
    }
    return {number: names for number, names in named.items() if names}


def _said(text: _Text, words: set[str]) -> str:
    """List words in the form that a text has."""
    return _listed({word for word in _split(text.lower) if plain(word) in words})


def _listed(values: AbstractSet[str]) -> str:
    return ", ".join(sorted(values))
