"""Contradictions: pairs of texts on the same subject with different values.

No language model is used, and a result is only a suspicion. Features of the pair, such as a different number, a
negation in one text, or the share of common words, have weights, and so have pairs of features. If the sum exceeds a
threshold, the new text may replace the old one. The weights are fitted to the pairs of texts in tests/core/rows by
`python -m benchmarks.weights contradictions`. Those that change no result there are left out.
"""

from __future__ import annotations

from itertools import combinations

from promptx_mem.core.closeness import is_zh, may_share_subject
from promptx_mem.core.statements import (
    CHANGES,
    COMMON,
    HAN,
    TIMES,
    WORDS,
    Statement,
    Token,
    lexicon,
    read,
    stem,
    weight,
    words,
)
from promptx_mem.core.text import pattern
from promptx_mem.data import weights
from promptx_mem.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LONGEST = 300
"""Maximum length, in characters, of a compared text. A longer text has several statements."""

THRESHOLD = -0.1
"""A pair of texts with a greater sum of weights is a contradiction."""

_HOPELESS = -2.0
"""If the sum of two texts is lower, their main clauses are not compared, which saves time."""

_PLACES = words("in on at to into under from 在 到 进")
_MANNERS = words("as with through via using over")
_COPULAS = words("is are was were be : 是 为 叫 即")
"""Words before a place, a manner or a value."""

_ONCE = (
    _PLACES
    | _MANNERS
    | words(
        "is are was be by name use uses runs prefers prefer called named wants goes"
        " becomes became writes : 按 上 是 用 叫 为 由 归 找 给 成 以 好 姓 走 约 先"
    )
)
"""Words that precede the only value of a subject. A Chinese word is listed by its last character."""

_MANY = words(
    "run need needs require requires required should must may can has expect will make speak speaks pay pays support"
    " supports 跑 运行 支持 负责 说 会说 需要 会 应该 必须 可以 能"
)
"""Words that precede one of several possible values of a subject, such as "supports"."""

_PERMISSIONS = words(
    "can may ok okay fin allow permit enabl support 可以 能 允许 支持 开启 启用 打开 没问题 没关系 开始"
)
"""Stems of words that permit or begin something."""

_RELATIONS = words("for of in during about per within when if with on at inside")
"""Words before a qualifier, such as "of" in "of April"."""

_OWNER = rf"{HAN}{{1,2}}的"
"""Expression for the end of a Chinese qualifier, as in 四月的."""

_SCOPES = words(
    "abov actual android averag backend below budget client default desktop develop frontend goal ios least local max"
    " maximum measur min minimum mobil peak plan planned preview primari production replica server stag target web"
    " weekdai weekend"
)
_CHINESE_SCOPES = words(
    "测试环境 生产环境 开发环境 本地 主库 从库 预发 移动端 网页端 桌面端 前端 后端 客户端 服务端 默认 最大 "
    "最多 最小 最少 至少 至多 以上 以下 上限 下限 平均 峰值 计划 目标 预算 实际 实测 室内 室外 警告 严重 "
    "工作日 周末 节假日 管理后台 管理端 用户端 小程序 前年 去年 今年 明年 上半年 下半年"
)
"""Environments, platforms, limits and periods (English stems). A setting can have another value for each."""


_LEFT_ENGLISH = (
    r"\b(?:(?:switched|moved|migrated|transferred|ported|converted|went|changed|moving|switching|renamed)"
    r" (?:[\w-]+ ){0,4}?from|instead of|(?:in|took the|takes the) place of"
    r"|rather than|replace[sd]|dropp(?:ed|ing)|no longer(?: use[sd]?| in| on| to| run on| with)?|retired|gave up"
    r"|stopped using|[,;] not(?: to| via| in| on| with)?|got rid of|left|leaving|quit|sold|removed|deprecated|split)"
    r"\s(?:the |our |my |use |using )?([\w.+#/:-]{2,40})"
    r"|([\w.+#/-]{2,40}(?: support| usage)?)(?: box| server| account| entry| instance| has| have)?"
    r" (?:(?:was|is|has been|were|are|have been|got|has) (?:replaced(?! every| after| when)|renamed"
    r"|retired|removed|deleted(?! after| when| once| every)|dropped|cancelled|shut (?:down|off)|deprecated"
    r"|sold(?! at| in| for| online)"
    r"|archived|given up|gone|out(?! of))"
    r"|(?:left|retired|resigned)(?= the\b| us\b|[;,.]|$))"
)
_LEFT_CHINESE = (
    r"(?:从(?!库)|取代了?|代替了?|替[换代]了?|接替了?|不再(?:使用|支持|发到|放在|用|放)?|弃用了?|停用了?|淘汰了?|替掉了?|放弃了?对?|而不是|别用"
    rf"|不用)\s?({HAN}? ?[a-z0-9][\w.+#/-]*|{HAN}{{2,4}}?(?=[换改迁搬到转,。]|$))"
    rf"|(?:^|把 ?|[。,;] ?)(?!已经)([a-z0-9][\w.+#/-]*|{HAN}{{2,3}}?) ?已?经?"
    r"(?:离职|退休|辞职|调走|离开|换成|改成|换为|改用|归档|删了|放弃|停用|被.{1,12}(?:取代|替换|代替))"
)
"""Expressions for a thing that was left, dropped or replaced. The matching group contains the thing."""

_INTO, _NEXT = ("换成", "改成", "换为", "改用"), 24
"""Words before a new value, and the number of characters that are read after them."""

_LEAVES = words(
    "switched moved migrated transferred ported converted went changed moving switching renamed instead place rather"
    " replaces replaced dropped dropping longer retired gave stopped not rid left leaving quit sold removed deprecated"
    " split deleted cancelled shut archived given gone out resigned"
)
_CHINESE_LEAVES = words("从 代 替 再 弃 停 淘汰 不 别 职 退休 走 离 换 改 归档 删")
"""Words and parts of words. Each match of the expressions, which take long to compile, contains one of them."""

_PAST = words(
    "ate bought drank drove fell flew found gave had held listened looked lost met paid ran saw sent sold spent spoke"
    " swam talked threw took traveled travelled walked"
)
"""Verbs of events. Others end in -ed and have an object, since "Hosted on AWS" is no event."""

_LASTING = words(
    "agree announc assign book configur confirm creat decid design develop embed found graduat introduc join limit"
    " lived lov marri nam opted own pick pinn plann preferr reserv schedul select settl shar start studi tun used want"
)
"""Beginnings of verbs of decisions, of states, and of what happens only once."""

_CHINESE_LASTING = "不为除成到换改搬迁升降涨调转移选定设用有养租住订约配装加建招停关开"
"""Last characters of such words before 了."""

_ACTORS = words("the our user team i we he she they someone also just then")
_CHINESE_ACTORS = "今昨前上这周刚我们用户已经下早晚午一二三四五六日天"
"""Words before the verb of an event, besides names."""

_NO_OBJECTS = words("and as at between by for from in into of on over through to under via with")
_VALID = words("are as can each every has instead is must needs no not now over runs should that uses will")
_VALUES = words("to until into from with")
_CHINESE_VALID = "是要应每都只不改换现"
"""Words about what is valid, and words between a verb of change and the valid value."""


def reason(new: str, old: str, aliases: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())) -> str:
    """Return the difference if the new text could replace the old one, otherwise an empty text.

    Words that the two texts share only through their aliases count as their common subject. A new question, a text
    over LONGEST, and two past events, such as two visits, give "".
    """
    if max(len(new), len(old)) > LONGEST or new.rstrip().endswith(("?", "？")):
        return ""
    has_subject = any(aliases) or may_share_subject(new, old)
    if _letters(new) == _letters(old) or not has_subject or (_event(new) and _event(new) == _event(old)):
        return ""
    for number, (one, two) in enumerate(readings(new, old)):
        texts = [[token.text for token in text.tokens] for text in (one, two)]
        is_same = texts[0] == texts[1] and one.denied == two.denied and "change" not in one.classes
        if number == 0 and (is_same or not all(texts) or _has_other_label(one, two)):
            return ""
        also = weight(_with(one, aliases[0]) & _with(two, aliases[1]) - (one.words & two.words)) if any(aliases) else 0
        total = score(features(one, two, also))
        if total > THRESHOLD:
            return _difference(one, two)
        if total < _HOPELESS:
            return ""
    return ""


def _event(text: str) -> str:
    """Return the verb of a text that only tells of a past event, as in "Met Tom" or 修复了错误; otherwise ""."""
    begin, _, rest = text.partition("了")
    if rest:
        verb = begin.lstrip(_CHINESE_ACTORS)
        is_event = len(verb) in (1, 2) and verb[-1] not in _CHINESE_LASTING and lexicon().get(verb) not in CHANGES
        return verb if is_event and len(rest) > 1 and set(rest).isdisjoint(_CHINESE_VALID) else ""
    said = text.lower().split()
    at = next((at for at, word in enumerate(said[:4]) if _is_past(word)), len(said))
    if at + 1 >= len(said) or not _VALID.isdisjoint(said) or any(word.endswith((":", ";")) for word in said):
        return ""
    has_actor = all(word[0].isupper() or word in _ACTORS for word in text.split()[:at])
    has_object = said[at] in _PAST or not (said[at + 1] in _NO_OBJECTS or said[at + 1].endswith(("s", "ly")))
    is_change = lexicon().get(said[at]) in CHANGES and (at > 0 or not _VALUES.isdisjoint(said))
    return said[at] if has_actor and has_object and not is_change else ""


def _is_past(word: str) -> bool:
    is_event = word.endswith("ed") and word[-3:] != "eed" and not any(map(word.startswith, _LASTING))
    return is_event or word in _PAST


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))


def readings(new: str, old: str) -> Iterator[tuple[Statement, Statement]]:
    """Yield two texts as statements. If a text has several clauses, then yield their closest clauses."""
    new, old = _without_year(new, old), _without_year(old, new)
    yield read(new), read(old)
    mains = _main(new, read(old)), _main(old, read(new))
    if all(mains) and mains != (new, old):
        yield read(mains[0]), read(mains[1])


_CLAUSE = r"[，;；。（(]|,(?!\d)|\.(?: |$)| [-–—] "
_FEWEST = 1.5
"""Minimum weight of the words in a compared clause."""


def _main(text: str, other: Statement) -> str:
    """Return the first clause that shares most words with another text; "" if no clause has the weight _FEWEST."""
    clauses = [
        clause for clause in map(str.strip, pattern(_CLAUSE).split(text)) if weight(read(clause).without()) >= _FEWEST
    ]
    return max(clauses, key=lambda clause: weight(read(clause).without() & other.words), default="")


def _has_other_label(new: Statement, old: Statement) -> bool:
    """Return whether the subjects have different numbers after the same noun, as "Ticket 3" and "Ticket 4"."""
    nouns = [
        {token.before for token in text.tokens if token.kind == "label" and token.text not in other.of("label")}
        for text, other in ((new, old), (old, new))
    ]
    return not nouns[0].isdisjoint(nouns[1])


def _without_year(text: str, other: str) -> str:
    """Return a text without the years of its dates, if the other text names no year."""
    if "20" not in text or "20" in other:
        return text
    return pattern(r"20\d\d ?[-/.年](?= ?\d)|(?<=\d),? 20\d\d\b").sub("", text)


def _with(text: Statement, aliases: Iterable[str]) -> frozenset[str]:
    return text.words.union(*(read(alias).words for alias in aliases))


def score(found: Iterable[str]) -> float:
    """Return the sum of the weights of features and of their pairs (`a&b`)."""
    known, own = weights("core/contradictions.txt"), sorted(found)
    names = ["bias", *own, *(f"{one}&{two}" for one, two in combinations(own, 2))]
    return round(sum(map(known.__getitem__, filter(known.__contains__, names))), 2)


def features(new: Statement, old: Statement, also: float = 0.0) -> set[str]:
    """Return the features of a pair of texts. `also`: the weight of the words that they share through aliases."""
    found = {f"new:{name}" for name in new.classes} | {f"old:{name}" for name in old.classes}
    shared = weight(new.without() & old.without()) + also
    rest = min(weight(_own_words(new, old)), weight(_own_words(old, new)))
    found |= {f"common{min(int(shared), 4)}", f"cover{int(5 * shared / (shared + rest + 0.01))}"}
    if (name := left(new, old)) and read(name).without() <= new.words & old.words:
        found.add("left")
    parts = (_later, _denials, _values, _beginnings, _subjects, _persons, _qualifiers, _form, _slots, _scopes)
    return found.union(*(part(new, old) for part in parts))


def left(new: Statement, old: Statement) -> str:
    """Return a thing that the new text calls left, dropped or replaced, preferably one in the old text; "" if none."""
    forms = [_LEFT_ENGLISH] if not _LEAVES.isdisjoint(pattern("[a-z]+").findall(new.lower)) else []
    if not new.lower.isascii() and any(part in new.lower for part in _CHINESE_LEAVES):
        forms.append(_LEFT_CHINESE)
    found = pattern("|".join(forms)).finditer(new.lower) if forms else ()
    found = (match for match in found if not (match[0].endswith(_INTO) and _begins(new.lower[match.end() :], old)))
    names = [next(filter(None, match.groups())).rstrip(".:").removeprefix("是") for match in found]
    names = [name for name in names if read(name).without()]
    return next((name for name in names if read(name).without() <= old.words), names[0] if names else "")


def _begins(rest: str, old: Statement) -> bool:
    """Return whether `rest` begins with a value that the old text has, as in 网关换成 Envoy."""
    tokens = read(rest[:_NEXT]).tokens
    return bool(tokens) and tokens[0].kind not in COMMON and tokens[0].text in old.words


def _own_words(text: Statement, other: Statement) -> set[str]:
    return {token.text for token in text.tokens if token.kind in WORDS - COMMON} - other.words


def _later(new: Statement, old: Statement) -> Iterable[str]:
    """Yield a feature if the old value follows in a later clause, as in "We moved to Oslo, Rome was too hot"."""
    own = [token for token in new.tokens if token.text not in new.later | old.words and token.kind not in COMMON]
    again = [token.kind for token in old.tokens if token.text in new.later - old.later and token.kind not in COMMON]
    if own and again:
        yield "later-value" if {token.kind for token in own}.intersection(again) - WORDS else "later"


def _denials(new: Statement, old: Statement) -> Iterable[str]:
    """Yield features of a negation in one text: which text denies, and whether both texts have the denied word."""
    if bool(new.denied) != bool(old.denied):
        yield "deny-new" if new.denied else "deny-old"
        if (new.denied | old.denied) & new.without() & old.without():
            yield "deny-shared"
        denying, other = (new, old) if new.denied else (old, new)
        if not _PERMISSIONS.isdisjoint(token.text for token in other.tokens if token.kind == "light"):
            yield "deny-permit"
        missing, forbidden = weight(denying.forbidden - other.words), denying.forbidden
        yield f"deny-missing{min(int(missing + 0.5), 3)}"
        yield f"deny-cover{int(4 * (1 - missing / (weight(forbidden) + 0.01)))}"


def differing(new: Statement, old: Statement) -> list[str]:
    """Return the kinds of values, such as "date", for which each text has a value that the other text lacks."""
    one, two = ({token.kind for token in text.tokens} - WORDS for text in (new, old))
    programs = _programs(new), _programs(old)
    if all(programs) and programs[0].isdisjoint(programs[1]):
        one.discard("version")
    return sorted(kind for kind in one & two if _only_in(kind, new, old) and _only_in(kind, old, new))


def _programs(text: Statement) -> set[str]:
    """Return the groups of the choices that a version follows, as in "Node 18"."""
    groups = (lexicon().get(token.before, "") for token in text.tokens if token.kind == "version")
    return set(filter(lambda group: group.startswith("choice"), groups))


def _only_in(kind: str, text: Statement, other: Statement) -> frozenset[str]:
    """Return the values of a kind that only `text` has, without the choices that `text` forbids."""
    own = text.of(kind) - other.of(kind)
    if kind == "date":  # May and May 31 do not differ
        return frozenset(
            day
            for day in own
            if not any(f"{day}-".startswith(f"{one}-") or one.startswith(day) for one in other.of(kind))
        )
    return own - text.forbidden if kind.startswith("choice") else own


def _values(new: Statement, old: Statement) -> Iterable[str]:
    """Yield `other` and `other:KIND` for each differing kind of value, `beside` if values by the same word differ."""
    for kind in differing(new, old):
        yield f"other:{kind.split()[0]}"
        yield "other"
    beside = [_beside(text) for text in (new, old)]
    if any(kind in beside[1] and not values & beside[1][kind] for kind, values in beside[0].items()):
        yield "beside"


def _beside(text: Statement) -> dict[tuple[str, str], set[str]]:
    """Return the values by their kind and the word before or after them."""
    found: dict[tuple[str, str], set[str]] = {}
    near = [Token("", ""), *text.tokens, Token("", "")]
    for before, token, after in zip(near, near[1:], near[2:], strict=False):
        if token.kind not in WORDS and not token.kind.startswith("unit"):
            for word in (before, after):
                if word.kind in ("word", "name") or word.kind.startswith("choice"):
                    found.setdefault((token.kind.split()[0], word.text), set()).add(token.text)
    return found


def _beginnings(new: Statement, old: Statement) -> Iterable[str]:
    """Yield features of the first words, the subjects and the names."""
    first, second = new.tokens[0], old.tokens[0]
    more, less = _own_words(new, old), _own_words(old, new)
    if first.text == second.text:
        yield "begin-same"
        if first.kind == second.kind == "name":
            yield "begin-name"
    else:
        values = first.kind not in WORDS and second.kind not in WORDS and _is_label(first) and _is_label(second)
        yield "begin-value" if values else f"begin{first.text in more:d}{second.text in less:d}"
    heads = weight(new.head & old.head & new.without())
    yield f"head{min(int(2 * heads), 3)}"
    own, others = new.of("name"), old.of("name")
    counts = (min(len(names), 2) for names in (own - old.words, others - new.words, own & others))
    yield "names" + "".join(map(str, counts))


def _subjects(new: Statement, old: Statement) -> Iterable[str]:
    """Yield a feature of the subjects: which of them has a word or value that the other text lacks."""
    heads = [
        {
            token.text
            for token in text.tokens
            if token.text in text.head and token.kind not in COMMON and _is_label(token)
        }
        for text in (new, old)
    ]
    yield f"subject{bool(heads[0] - old.words):d}{bool(heads[1] - new.words):d}"


_MONTHS = (len("05"), len("2026-05"))


def _is_label(token: Token) -> bool:
    """Return whether a token can name a subject, as a month does. A day or a time of day is the time of an event."""
    return token.kind not in TIMES or (token.kind == "date" and len(token.text) in _MONTHS)


def _persons(new: Statement, old: Statement) -> Iterable[str]:
    """Yield a feature if both texts are about the writer ("my") or a group ("our"), but not the same."""
    one, two = (
        (bool(pattern(_MINE).search(text.lower)), bool(pattern(_OURS).search(text.lower))) for text in (new, old)
    )
    if one != two and any(one) and any(two):
        yield "persons"


_MINE, _OURS = r"\b(?:i|my|me)\b|我(?!们)", r"\b(?:we|our|us)\b|我们|咱们|我家"


def _qualifiers(new: Statement, old: Statement) -> Iterable[str]:
    """Yield a feature for each text with a qualifier, such as "of April" or 四月的, that the other text lacks."""
    for side, one, two in (("new", new, old), ("old", old, new)):
        owners = (match[0] for match in pattern(_OWNER).finditer(one.lower))
        own = (token for token in one.tokens if token.before in _RELATIONS and token.text not in two.words)
        if any(map(_is_label, own)) or any(owner not in two.lower for owner in owners):
            yield f"{side}-about"


def _form(new: Statement, old: Statement) -> Iterable[str]:
    """Yield the number of words between the common beginning and end of the texts, and which parts are not empty."""
    form = rf"{_DATE}|{_FORM}" if "月" in new.lower + old.lower else _FORM
    one, two = (
        [stem(word) for word in pattern(form).findall(text.lower) if word not in _COPULAS] for text in (new, old)
    )
    shorter = min(len(one), len(two))
    start = next((n for n in range(shorter) if one[n] != two[n]), shorter)
    end = next((n for n in range(shorter - start) if one[-1 - n] != two[-1 - n]), shorter - start)
    gaps = [len(some) - start - end for some in (one, two)]
    yield f"gap{min(max(gaps), 5)}"
    yield f"around{min(start, 2)}{min(end, 1)}{min(gaps[0], 1)}{min(gaps[1], 1)}"


_NUMBER = r"(?:\d{1,4}|[一二三四五六七八九十]{1,3})"
_DATE = rf"{_NUMBER} ?月 ?{_NUMBER}"
_FORM = rf"{HAN}|[a-z0-9][\w.'-]*\w|\w"
"""Expressions for a Chinese date, and for a word as it is written: each Chinese character is a word."""


def _scopes(new: Statement, old: Statement) -> Iterable[str]:
    """Yield a feature if the texts name different environments, platforms or limits."""
    one, two = (
        {token.text for token in text.tokens} & _SCOPES | {scope for scope in _CHINESE_SCOPES if scope in text.lower}
        for text in (new, old)
    )
    if one != two:
        yield "scope" if one and two and not one & two else "scope-one"


def _slots(new: Statement, old: Statement) -> Iterable[str]:
    """Yield features of the places where the texts differ: their number and, for one place, the words there."""
    both = ((new, old), (old, new))
    first, second = (_runs(*one) for one in both)
    yield f"places{min(len(first), 3)}{min(len(second), 3)}"
    if len(first) == len(second) == 1:
        one, two = first[0][0], second[0][0]
        ways = _relation(one), _relation(two)
        yield (
            f"way-{ways[0] if ways[0] in ('in', 'is', 'with', 'by', '') else 'verb'}" if ways[0] == ways[1] else "ways"
        )
        # a place is no alternative to a person, nor one's home to another place
        is_other = {*ways} in ({"in", "by"}, {"in", "由"}) or (
            "place" in old.classes - new.classes and ways[0] == ways[1] == "in" and one.kind == two.kind == "name"
        )
        number = "once" if _is_once(one) and _is_once(two) and not is_other else "many"
        yield number
        yield "-".join(sorted({_position(first[0], new), _position(second[0], old)}))
        rest = [[token.text for token in text.tokens if token.text in other.words] for text, other in both]
        if rest[0] and rest[0] == rest[1]:
            yield f"frame-{number}"  # only the values differ
        yield "kinds-" + "-".join(sorted({one.kind.split()[0], two.kind.split()[0]}))


def _position(run: list[Token], text: Statement) -> str:
    """Return the place of some words in their text: "last", "first" or "inner"."""
    is_last, is_first = run[-1].text == text.tokens[-1].text, run[0].text == text.tokens[0].text
    return "last" if is_last else "first" if is_first else "inner"


def _runs(text: Statement, other: Statement) -> list[list[Token]]:
    """Return the sequences of words in a text that the other text does not have."""
    known = other.words
    has_times = any(token.kind in TIMES for token in other.tokens)
    out: list[list[Token]] = [[]]
    for number, token in enumerate(text.tokens):
        if token.kind == "whose" or (token.kind in TIMES and not has_times):
            continue
        of_word = token.follows and out[-1] and out[-1][-1].text == token.before  # as 海 of 上海
        is_new = out[-1] and not of_word and (token.before in _ONCE or _is_verb(token.before))
        if token.kind in ("light", "order") or is_new:
            out.append([])
        if token.kind in ("light", "order"):
            continue
        if token.text in known:
            following = text.tokens[number + 1] if number + 1 < len(text.tokens) else token
            inside = token.follows and following.follows and following.text not in known
            if not (out[-1] and is_zh(token.text) and inside):  # as 菲 of 索菲亚 and 苏菲
                out.append([])
            continue
        previous = text.tokens[number - 1] if number else token
        of_name = previous.kind == token.kind == "name" or (is_zh(token.text) and len(token.before) == 1)
        is_part = not out[-1] and of_name and not _is_once(token)  # as 军 of 小军 and 小磊
        out[-1].append(token._replace(before=previous.before) if is_part else token)
    return [run for run in out if run]


def _is_verb(word: str) -> bool:
    return lexicon().get(word) in ("place", "light", "change", "moved", "now")


def _is_once(token: Token) -> bool:
    """Return whether a subject can have only one value after the word before `token`. True without such a word."""
    word = token.before
    if not word or word in _ONCE or _relation(token) == "by":
        return True
    is_verb = _is_verb(word) and lexicon()[word] != "now"
    return word not in _MANY and (is_verb or (is_zh(word) and word[-1] in _ONCE))


def _relation(token: Token) -> str:
    """Return the class ("with", "is", "in") or stem of the word before a token; "by" if the token is an adverb."""
    if token.before in _MANNERS:
        return "with"
    if token.before in _COPULAS:
        return "is"
    is_place = token.before in _PLACES or token.before[-1:] in _PLACES or lexicon().get(token.before) == "place"
    return "in" if is_place else "by" if token.text.endswith("alli") else stem(token.before)


def _difference(new: Statement, old: Statement) -> str:
    """Return the difference between two texts in a few words."""
    for kind in sorted(differing(new, old), key=lambda kind: (kind.startswith("number"), kind == "daytime", kind)):
        values = [
            _listed(text.said.get(value, value) for value in text.of(kind) - other.of(kind))
            for text, other in ((new, old), (old, new))
        ]
        return f"{kind.split()[0]}: {values[0]}, not {values[1]}"
    name = left(new, old)
    if name and read(name).without() <= old.words:
        tokens = read(name).tokens if name.isascii() else ()
        return f"no longer: {' '.join(old.said[token.text] for token in tokens if token.text in old.said) or name}"
    if bool(new.denied) != bool(old.denied):
        return "negation"
    names = new.of("name") - old.words, old.of("name") - new.words
    if all(names):
        said = [_listed(text.said.get(name, name) for name in own) for text, own in zip((new, old), names, strict=True)]
        return f"name: {said[0]}, not {said[1]}"
    return "words of change" if new.classes & CHANGES else "another value"


def _listed(values: Iterable[str]) -> str:
    return pattern(f"(?<={HAN}) (?={HAN})").sub("", ", ".join(sorted(values)))
