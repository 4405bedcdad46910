"""Contradictions: pairs of texts on the same subject with different values.

The rules use no language model and only report a suspicion. There are three cases: the texts share words and differ in
a value; one text denies the other; or the new text reports a change of a fact in the old text.
"""

from __future__ import annotations

from functools import lru_cache

from promptx_mem.core.statements import (
    CHANGES,
    DUTIES,
    HAN,
    LITTLE,
    NUMBERS,
    TIMES,
    TITLES,
    WORDS,
    Statement,
    Token,
    is_zh,
    lexicon,
    read,
    weight,
    without_agreed,
    words,
)
from promptx_mem.core.text import pattern
from promptx_mem.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from collections.abc import Set as AbstractSet

LONGEST = 300
"""Maximum length, in characters, of a compared text. The rules cannot find the main statement of a longer text."""

_PLACES = words("in on at to into under from 在 到 进")
_MANNERS = words("as with through via using over")
_ONCE = (
    _PLACES
    | _MANNERS
    | words(
        "is are was be by name use uses runs prefers prefer called named wants likes goes"
        " becomes became writes : 按 上 是 用 叫 为 由 找 给 成 以 欢 好 姓 走 约"
    )
)
"""Words that precede a value, if a subject has only one value. A Chinese word is given by its last character."""

_MANY = words(
    "run need needs require requires required should must may can has expect will make speak speaks pay pays support"
    " supports 跑 运行 支持 负责 说 会说 需要 会 应该 必须 可以 能"
)
"""Words that precede a value, such as "supports", if a subject can have several values."""

_WITH = words("with use uses used 用 采用 使用")
_SCOPES = words("in for on at of when if")
_NAMING = words("is name called named to becomes")
_WISHES = words("prefers prefer wants likes like 喜欢 偏好 希望")
_LIKES = words("like likes love loves enjoy enjoys 喜欢 爱")
"""Words that precede a thing that a person likes. A person can like several things."""

_BY = words("by is to 由 是 找 成")
_VERSIONED = words("node python java php ruby go django react postgres ubuntu jdk angular vue rust port")

_ROLE = rf"\b(?:{TITLES}|{DUTIES})|负责|接手|担任|管"
"""Words in a statement that gives a task or a title to a person."""

_ON = (
    r"\bon(?= again|[.;,!]|$)|\b(?:fine|ok|allowed|enabled|mandatory|required|open|writable|again|may)\b"
    r"|no problem|打开|开启|启用|允许|可以|又|没问题|没关系"
)
_SCOPE = (
    r"\b(?:staging|production|prod|development|dev|preview|mobile|web|desktop|ios|android|frontend|backend|client"
    r"|server|default|maximum|max|minimum|min)\b|测试环境|生产环境|开发环境|预发|移动端|网页端|桌面端|前端|后端|客户端|服务端|默认|最大|最多|最小|最少"
    r"|\babove\b|\bbelow\b|以上|以下|weekdays?\b|weekends\b|工作日|管理后台|管理端|用户端|小程序"
)
"""Environments, platforms and limits. For each of them a setting can have another value."""

_RELATIVE = (
    r"\bmy (?:wife|husband|partner|girlfriend|boyfriend|daughter|son|kids?|mother|father|mom|dad|sister|brother"
    r"|colleague|roommate|flatmate|boss)\b|我(?:爱人|老婆|老公|太太|先生|女儿|儿子|孩子|妈|爸|姐|妹|哥|弟|同事|室友|女朋友|男朋友)"
)
"""Expression for another person. Facts about this person are not facts about the user."""

_LEFT = (
    r"\b(?:(?:switched|moved|migrated|transferred|ported|converted|went|changed|moving|switching|renamed)"
    r" (?:[\w-]+ ){0,4}?from|instead of|(?:in|took the|takes the) place of"
    r"|rather than|replace[sd]|dropp(?:ed|ing)|no longer(?: use[sd]?| in| on| to| run on| with)?|retired|gave up"
    r"|stopped using|[,;] not(?: to| via| in| on| with)?|got rid of|left|leaving|quit|sold|removed|deprecated|split)"
    r"\s(?:the |our |my |use |using )?([\w.+#/-]{2,40})"
    r"|(?:从|取代了?|代替了?|替换了?|接替了?|不再(?:使用|支持|发到|放在|用|放)?|弃用了?|停用了?|淘汰了?|替掉了?|放弃了?对?|而不是|别用"
    rf"|不用)\s?({HAN}? ?[a-z0-9][\w.+#/-]*|{HAN}{{2,4}}?(?=[换改迁搬到转,。]|$))"
    r"|([\w.+#/-]{2,40}(?: support| usage)?)(?: box| server| account| entry| instance| has| have)?"
    r" (?:(?:was|is|has been|were|are|have been|got|has) (?:replaced|renamed"
    r"|retired|removed|deleted(?! after| when| once| every)|dropped|cancelled|shut (?:down|off)|deprecated|sold"
    r"|archived|given up|gone|out(?! of))"
    r"|(?:left|retired|resigned)(?= the\b| us\b|[;,.]|$))"
    rf"|(?:^|把 ?|[。,;] ?)(?!已经)([a-z0-9][\w.+#/-]*|{HAN}{{2,3}}?) ?已?经?"
    r"(?:离职|退休|辞职|调走|离开|换成|改成|换为|改用|归档|删了|放弃|停用|被.{1,12}(?:取代|替换|代替))"
)
"""Expression for a thing that was left, dropped or replaced. The matching group contains the thing."""

_MARKS = words(
    "left leaving quit sold split rid rather place dropping gone out shut deleted cancelled 从 删 被 停用 掉 别用 改"
    " 退休 辞职 离开 resigned"
)
"""Words of `_LEFT` that the lexicon does not list as words of change."""


class _Pair(NamedTuple):
    """The new and the old text. `shared`: the words of both. `also`: the weight of words shared through aliases."""

    new: Statement
    old: Statement
    shared: frozenset[str]
    also: float


def reason(new: str, old: str, aliases: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())) -> str:
    """Return the difference if the new text could replace the old one, otherwise an empty text.

    Words that the two texts share only through their aliases count as their common subject. A common tag does not
    count, since many subjects have it.
    """
    if max(len(new), len(old)) > LONGEST or new.rstrip().endswith(("?", "？")):
        return ""
    likely = _likely(new, old, is_alike=any(aliases))
    if not likely:
        return ""
    one, two = read(new), read(old)
    if one.denied & two.denied and (rest := without_agreed(new, old)) != (new, old):
        return reason(*rest, aliases) if all(rest) else ""
    scopes = [set(pattern(_SCOPE).findall(text.lower)) for text in (one, two)]
    is_other = all(scopes) and not scopes[0] & scopes[1]
    if "my " in one.lower + two.lower or "我" in one.lower + two.lower:
        relatives = [set(pattern(_RELATIVE).findall(text.lower)) for text in (one, two)]
        is_other = is_other or relatives[0] != relatives[1]
    if (
        is_other
        or ("also" in one.classes and "only" not in two.lower and not two.denied)
        or "past" in two.classes
        or ("new" in one.lower and two.words & {"old", "legacy"})
    ):
        return ""
    also = weight(_with(one, aliases[0]) & _with(two, aliases[1]) - (one.words & two.words)) if any(aliases) else 0
    return next(filter(None, (_reason(read(a), read(b), also) for a, b in likely)), "")


def _likely(new: str, old: str, *, is_alike: bool) -> list[tuple[str, str]]:
    """Return the pairs of texts and their clauses that could match a rule."""
    return [(a, b) for a in (new, *_clauses(new)) for b in (old, *_clauses(old)) if is_alike or _are_close(a, b)]


def _are_close(one: str, two: str) -> bool:
    """Return whether two texts could match a rule. This test is fast; `read` takes milliseconds for a text."""
    first, second = _rough(one), _rough(two)
    if first.turns or second.turns:
        return True
    shared, more, less = (
        sum(map(_rough_weight, some))
        for some in (first.words & second.words, first.words - second.words, second.words - first.words)
    )
    if not (first.has_values and second.has_values):
        return max(more, less) <= _MOST
    beside = max(1, shared / 4) if shared >= 2 else 0  # as in _is_one_subject
    return min(more, less) <= _MOST + beside and max(more, less) <= _MOST + 2 * shared + 2


class _Rough(NamedTuple):
    """A rough reading of a text: the first 4 letters of each word, and each Chinese character.

    `turns`: the text can contain a negation or a change. `has_values`: it can contain a value.
    """

    words: frozenset[str]
    turns: bool
    has_values: bool


@lru_cache(maxsize=64)
def _rough(text: str) -> _Rough:
    lower = text.lower()
    found = set("".join(char if char.isalnum() or char == "'" else " " for char in lower).split())
    if not text.isascii():
        found = set("".join(f" {char} " if is_zh(char) else char for char in " ".join(found)).split())
    is_turn, has_values = (
        any(phrase in lower for word in marks.keys() & found for phrase in marks[word]) for marks in _marks()
    )
    classes = lexicon()
    known = frozenset(word[:4] for word in found if classes.get(word) != "drop")
    return _Rough(known, is_turn, has_values or any(char in text for char in "0123456789/._-@"))


_Marks = dict[str, list[str]]


@lru_cache(maxsize=1)
def _marks() -> tuple[_Marks, _Marks]:
    """Return two tables: negations with changes, and values. The key is a phrase's first word or character."""
    turns: _Marks = {}
    values: _Marks = {}
    for phrase, kind in [
        *lexicon().items(),
        *((word, "not") for word in _MARKS),
        *((word, "number") for word in _NUMBERS),
    ]:
        if kind in _TURNS or (kind not in _NO_VALUES and not kind.startswith("unit")):
            first = phrase[0] if is_zh(phrase) else phrase.split()[0]
            (turns if kind in _TURNS else values).setdefault(first, []).append(phrase if is_zh(phrase) else first)
    return turns, values


_NUMBERS = [*NUMBERS, *"一二两三四五六七八九十"]
_TURNS = CHANGES | {"now", "not", "off"}
_NO_VALUES = WORDS | {"drop", "place", "also", "past"}


def _rough_weight(word: str) -> float:
    return 0.5 if is_zh(word) else not any(map(str.isdigit, word))


def _clauses(text: str) -> list[str]:
    """Return the sentences of a long text, and their parts before the first and after the last comma."""
    if len(text.encode()) <= _BRIEF_TEXT:
        return []
    parts = text.replace("；", ";").replace("。", ";").replace(". ", ";").split(";")
    halves = [part.replace("，", ",") for part in parts]
    halves = [part for part in halves if not part.strip().lower().startswith(_SCOPED)]
    parts += [half for part in halves for half in (part.partition(",")[0], part.rpartition(",")[2])]
    own = dict.fromkeys(part.strip() for part in parts if len(part.encode()) > _CLAUSE)
    return [
        part
        for part in own
        if part not in (text, text[:-1])
        and part.partition(" ")[0].lower() not in _ADVERBIAL
        and not part.endswith(("里", "时", "后", "前", "中", "下"))
    ]


_SCOPED = ("for ", "if ", "when ")
"""Beginnings of texts whose first part is a condition. The parts of these texts are not compared separately."""

_ADVERBIAL = words("in for when if to at on with after before since as")
_BRIEF_TEXT, _CLAUSE = 40, 12
"""A text up to _BRIEF_TEXT bytes counts as one statement. A part up to _CLAUSE bytes is too short for a statement."""


def _reason(one: Statement, two: Statement, also: float) -> str:
    """Return the difference that the first matching rule finds, or an empty text."""
    shared = one.words & two.words
    if not (shared or also or "place" in two.classes or one.choices & two.choices):
        return ""  # no rule applies to two subjects
    texts = [[token.text for token in text.tokens] for text in (one, two)]
    same = texts[0] == texts[1] and one.denied == two.denied and "change" not in one.classes
    if not one.tokens or not two.tokens or same:
        return ""
    pair = _Pair(one, two, shared, also)
    return next(filter(None, (rule(pair) for rule in (_left, _denied, _exchanged, _value, _slot, _changed))), "")


def _exchanged(pair: _Pair) -> str:
    """Return the difference if a preference is reversed, or if a word such as "only" or "open" no longer applies."""
    over = [[token.text for token in text.tokens if token.before in ("over", "than", "而不是")] for text in pair[:2]]
    if over[0] != over[1] and all(over) and pair.new.words == pair.old.words:
        return "the opposite order"
    more = pair.new.without() - pair.old.words
    for marks, name in ((_STRICT, "no longer only"), (_OPEN, "was open")) if more else ():
        was, now = (next((mark for mark in marks if mark in f" {text.lower} "), "") for text in (pair.old, pair.new))
        left = pair.old.without() - read(was).words
        is_wider = marks is _OPEN or any(word in pair.new.lower for word in _WIDER)
        if was and not now and is_wider and left and left <= pair.new.words:
            return name
    return ""


_STRICT = (" only ", " must ", " always ", "只有", "只能", "必须", "一律")
_WIDER = (" and ", " or ", " also ", " any", "也", "或", "和")
"""A new text with one of these words can allow more than an old text with a word of `_STRICT`."""

_OPEN = (" open", " vacant", " undecided", " tbd", " unknown", "空缺", "待定", "未定", "暂无")


def _with(text: Statement, aliases: Iterable[str]) -> frozenset[str]:
    return text.words.union(*(read(alias).words for alias in aliases))


def _left(pair: _Pair) -> str:
    """Return a message if the new text says that a thing named in the old one was left, dropped or replaced."""
    may_leave = pair.new.classes & {"change", "moved", "not"} or any(mark in pair.new.lower for mark in _MARKS)
    for match in pattern(_LEFT).finditer(pair.new.lower) if may_leave else ():
        name = next(filter(None, match.groups())).rstrip(".")
        if match[0].startswith(("no longer", "不再")) and pair.new.words - pair.old.words:
            continue
        left = read(name).without()
        is_known = left and left <= pair.shared and not left & pair.old.denied
        if is_known and (pair.shared - left or weight(pair.old.words) <= _BRIEF):
            return f"a word of change: {name}"
    return ""


_BRIEF = 4
"""An old text with at most this many words needs to share only the dropped thing with the new text."""


def _denied(pair: _Pair) -> str:
    new, old = pair.new, pair.old
    if bool(new.denied) == bool(old.denied):
        return ""
    rest = [text.without() - pair.shared for text in (new, old)]
    more, less = map(weight, rest)
    shared = weight(pair.shared)
    if _is_of_subject(pair) and "not" in new.classes and new.denied & old.words - old.head:
        return "negation"
    if _are_owners(new, old):
        return ""
    if not (new.denied | old.denied) & pair.shared:
        denying, other = (more, old) if new.denied else (less, new)
        is_allowed = shared >= 2 and denying <= 1 and not (_modifiers(new, rest[0]) and _modifiers(old, rest[1]))
        return "negation" if is_allowed and pattern(_ON).search(other.lower) else ""

    is_off = "off" in new.classes | old.classes and (more or less)
    starts = any(text.tokens[0].text in text.denied for text in (new, old))
    if is_off and starts and not pattern(_ON).search(f"{new.lower} {old.lower}"):
        return ""
    in_values = not any(token.kind in WORDS for token in new.tokens + old.tokens if token.text in rest[0] | rest[1])
    is_end = in_values and any(word in new.lower for word in _ENDED)
    is_small = min(more, less) == 0 or (("change" in new.classes or is_end) and min(more, less) <= 1)
    return "negation" if shared >= 1 and is_small and max(more, less) <= shared + 1 else ""


def _are_owners(new: Statement, old: Statement) -> bool:
    """Return whether one text is about the company or the project, and the other about somebody or something else."""
    kinds = [{token.kind for token in text.tokens if token.text in text.head} for text in (new, old)]
    return bool(new.head and old.head) and not new.head & old.head and {"whose"} in kinds


_ENDED = ("no longer", "any more", "anymore", "不再", "不会", "不用")


def _value(pair: _Pair) -> str:
    """Return the values that differ and their kind, if the subject is the same and little else differs."""
    new, old = pair.new, pair.old
    kinds = [{token.kind for token in text.tokens} for text in (new, old)]
    differing = [kind for kind in kinds[0] & kinds[1] - WORDS if new.of(kind) != old.of(kind)]
    for kind in sorted(differing, key=lambda kind: (kind.startswith("number"), kind == "daytime", kind)):
        first, second = new.of(kind), old.of(kind)
        if kind.startswith("number") and len(first) == len(second):
            first, second = first - second, second - first
        labels = kind in ("number", "version") and _is_label(new, first) and _is_label(old, second)
        labels = labels or (kind == "date" and any(token.before == "of" for token in new.tokens if token.text in first))
        numbered = [text.head & text.of(kind) for text in (new, old)] if kind == "number" else [frozenset[str]()] * 2
        opposed = kind.startswith("choice") and bool(new.denied) != bool(old.denied)
        labels = labels or (all(numbered) and numbered[0] != numbered[1])
        if first & second or labels or opposed or _are_several(pair, kind) or _are_parallel(new, old, first, second):
            return ""
        if _hold_both(pair, kind, first, second):
            continue
        if kind.startswith("choice"):
            new, old = (_without_names(text, kind) for text in (new, old))
        aside = {some for some in kinds[0] ^ kinds[1] if some.startswith(("number", "version", "path"))} | {kind}
        if kind in TIMES or bool(kinds[0] & TIMES) != bool(kinds[1] & TIMES):
            aside |= TIMES
        rest = [text.without(aside) for text in (new, old)]
        begin = new.tokens[0].text in first and old.tokens[0].text in second
        is_other = begin and "change" not in new.classes and (rest[0] != rest[1] or len(differing) > 1)
        families = {"time" if some in TIMES else some for some in differing}
        if is_other or (len(families) > 1 and not new.classes & (CHANGES | {"now"})):
            return ""
        scoped = any(token.before == "for" and token.text not in pair.shared for token in new.tokens + old.tokens)
        is_all = new.without() == first and old.without() == second and kind.startswith("choice")
        is_switch = is_all and bool(new.classes & CHANGES)  # as "we use npm" and "we switched to pnpm"
        if is_switch or _is_one_subject(pair, rest, 1 if kind.startswith("choice") and not scoped else 0):
            return f"{kind.split()[0]}: {_listed(first)}, not {_listed(second)}"
    return ""


def _hold_both(pair: _Pair, kind: str, first: AbstractSet[str], second: AbstractSet[str]) -> bool:
    """Return whether both texts can be true, since one only forbids a thing, or since they share no subject."""
    forbids = kind.startswith(("path", "choice", "language")) and (
        first <= pair.new.barred or second <= pair.old.barred
    )
    return forbids or (kind == "path" and not (pair.shared & pair.new.without() or pair.also))


def _are_several(pair: _Pair, kind: str) -> bool:
    """Return whether a subject can have several values of a kind, such as things that a person likes."""
    likes = any(map(_is_liked, pair[:2])) and not pair.new.classes & CHANGES
    return bool((kind.startswith("choice") and likes) or (kind == "language" and pair.shared & {"speak", "说", "会"}))


def _are_parallel(new: Statement, old: Statement, first: AbstractSet[str], second: AbstractSet[str]) -> bool:
    """Return whether two sentences of one form differ in subject or scope: "free accounts …", "paid accounts …"."""
    if new.classes & (CHANGES | {"now"}):
        return False
    both = [
        [token for token in text.tokens if token.text not in values] for text, values in ((new, first), (old, second))
    ]
    other = [pair for pair in zip(*both, strict=False) if pair[0].text != pair[1].text]
    if len(both[0]) != len(both[1]) or len(other) != 1 or len(both[0]) < _LEAST_FORM:
        return False
    [(one, two)] = other
    is_place = one.before == two.before and one.before in _SCOPES | {"to"}
    is_head = one is both[0][0] and two is both[1][0]
    return (is_place or is_head) and {one.kind, two.kind} <= _SUBJECTS


_SUBJECTS = WORDS | {"language"}
"""Kinds of words that can name a subject."""

_LEAST_FORM = 3
"""Minimum number of words of a sentence whose form is compared."""


def _is_liked(text: Statement) -> bool:
    """Return whether a text says that somebody likes a thing. "Likes short answers" names a quality instead."""
    following = [*text.tokens[1:], Token("", "")]
    return any(
        token.before in _LIKES and not after.follows for token, after in zip(text.tokens, following, strict=True)
    )


def _without_names(text: Statement, kind: str) -> Statement:
    """Return a text without names next to a value, such as the name in "Microsoft Teams"."""
    last = Token("", "")
    tokens = []
    for number, token in enumerate(text.tokens):
        following = text.tokens[number + 1] if number + 1 < len(text.tokens) else last
        is_beside = token.kind == "name" and (
            (following.kind == kind and following.follows) or (last.kind == kind and token.follows)
        )
        last = token
        tokens += [] if is_beside else [token]
    return text._replace(tokens=tuple(tokens))


def _is_label(text: Statement, values: AbstractSet[str]) -> bool:
    """Return whether a number is part of the subject's name, as in "step 2"."""
    return bool(text.head & values) and text.tokens[0].text not in _VERSIONED


def _is_one_subject(pair: _Pair, rest: list[frozenset[str]], least: float) -> bool:
    """Return whether two texts have the same subject, leaving aside the compared values.

    `rest` are the words of each text without these values. `least` applies if the texts share only two or three words:
    then one of the texts must have at most `least` words that the other text lacks.
    """
    new, old = pair.new, pair.old
    changes = new.classes & (CHANGES | {"now"})
    more, less = rest[0] - rest[1], rest[1] - rest[0]
    shared = weight(rest[0] & rest[1]) + weight(pair.shared - rest[0]) + pair.also
    if not changes:
        begins = new.tokens[0].text in more
        if begins and (old.tokens[0].text in less or _is_aside(old.tokens[0].text, new)):
            return False
        if any(token.before in _SCOPES and token.text in more for token in new.tokens):
            return False
        if weight(_modifiers(new, more) | _modifiers(old, less)) > shared / 3:
            return False
    fewer, most = sorted((weight(more), weight(less)))
    if changes == {"now"} and fewer > (shared / 2 if shared >= 3 else 0.5):
        return False
    if changes and most <= shared + 1 and fewer <= max(1, 0.7 * shared):
        return shared >= 0.3
    return (
        shared >= 0.3
        and most <= 2 * shared + 2
        and fewer <= (shared / 4 if shared >= 4 else least if shared >= 2 else 0)
    )


def _is_aside(subject: str, text: Statement) -> bool:
    """Return whether `subject` follows a preposition in a text, or ends a Chinese compound that begins the text."""
    at = next((number for number, token in enumerate(text.tokens) if token.text == subject), 0)
    before = text.tokens[at].before
    return at > 0 and (
        before in _SCOPES | {"to", "from"} or (at == 1 and is_zh(subject) and before == text.tokens[0].text)
    )


def _modifiers(text: Statement, words: AbstractSet[str]) -> set[str]:
    """Return the elements of `words` that modify a neighbouring word, as "admin" in "the admin API"."""
    out: set[str] = set()
    run: set[str] = set()
    is_joined, previous = False, Token("", "")
    for token in (*text.tokens, Token("", "")):
        is_word = token.kind in ("word", "name")
        if run and not (token.follows and is_word and token.text in words):
            out |= run if is_joined or (token.follows and is_word) else set()
            run, is_joined = set(), False
        if is_word and token.text in words:
            is_joined = is_joined or (not run and token.follows and previous.kind in ("word", "name", "whose"))
            run.add(token.text)
        previous = token
    return out


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
    """Return whether a subject can have only one value after the word before `token`. True if there is none."""
    word = token.before
    if not word or word in _ONCE or _way(token) == "by":
        return True
    is_verb = _is_verb(word) and lexicon()[word] != "now"
    return word not in _MANY and (is_verb or (is_zh(word) and word[-1] in _ONCE))


def _way(token: Token) -> str:
    """Return the word before a token, but "in" for a word of place, "with" for a word of manner, "by" for an adverb."""
    if token.before in _MANNERS:
        return "with"

    is_place = token.before in _PLACES or token.before[-1:] in _PLACES or lexicon().get(token.before) == "place"
    return "in" if is_place else "by" if token.text.endswith("alli") else token.before


def _slot(pair: _Pair) -> str:
    """Return the difference if the texts differ in one value, and a subject has only one value of this kind."""
    new, old = pair.new, pair.old
    own = (new.without(_ASIDE) - old.words, old.without(_ASIDE) - new.words)
    if new.denied or old.denied or max(map(weight, own)) > _MOST:
        return ""
    first, second = _runs(new, old), _runs(old, new)
    if _have_role(new, old) and any(map(_only_people, (first, second))):
        first, second = _people(first), _people(second)
    if len(first) != 1 or len(second) != 1:
        return ""
    runs = first[0], second[0]
    changes = new.classes & {"change", "now", "moved"}
    times = {any(token.kind in TIMES for token in text.tokens) for text in (new, old)}
    if max(weight(token.text for token in run) for run in runs) > _MOST or (len(times) > 1 and not changes):
        return ""
    shared = weight(pair.shared)
    if _is_passive(pair, *runs) or (shared >= 0.5 and _have_role(new, old) and _are_people(*runs)):
        return f"name: {_said(runs[0])}, not {_said(runs[1])}"
    verbs = [text.of("light") | {"place"} & text.classes for text in (new, old)]
    are_apart = not changes and all(verbs) and not verbs[0] & verbs[1]  # as "listens on" and "runs on"
    is_whole = "place" in new.classes & old.classes and len(new.tokens + old.tokens) == len(runs[0] + runs[1])
    if are_apart or (shared < 0.3 and not is_whole) or not all(_is_word(run[0]) for run in runs):
        return ""
    content = weight(token.text for token in new.tokens if token.text in pair.shared and token.kind not in LITTLE)
    is_between = "now" in changes and content >= 0.5 and _after(new, runs[0]) == _after(old, runs[1]) != ""
    return "another value" if is_between or _has_one(pair, runs, content) else ""


def _is_passive(pair: _Pair, *runs: list[Token]) -> bool:
    """Return whether one text begins with a name, and the other text has another name after "by"."""
    names = all(token.kind == "name" or (token.kind == "word" and len(run) == 1) for run in runs for token in run)
    begins = [text.tokens[0] in run for text, run in zip(pair[:2], runs, strict=True)]
    by = [run[0].before == "by" for run in runs]
    return names and begins == [not one for one in by] and any(begins) and any(by) and weight(pair.shared) >= 2


def _has_one(pair: _Pair, runs: Sequence[list[Token]], content: float) -> bool:
    """Return whether a subject has only one value of this kind. `runs` are the words in which the texts differ."""
    first, second = runs[0][0], runs[1][0]
    ways, classes = {_way(first), _way(second)}, pair.new.classes
    alike = len(ways) == 1 or ways <= _WITH or ways <= _NAMING or "change" in classes
    of_user = not content and ways & {"use", "uses", "用"}
    wish = ways & _WISHES and pair.new.tokens[-1].text not in pair.shared
    scoped = any(token.before in _SCOPES - _PLACES for run in runs for token in run[1:])
    names = all(token.kind in ("name", "version") for run in runs for token in run)
    phrase = len(runs[0] + runs[1]) > 2 and not names and first.text.isascii() and ways & _KINDS
    is_number = len(ways) == 1 and content and any(char.isdigit() for run in runs for char in run[0].text)
    if is_number and not (first.text in pair.new.head or second.text in pair.old.head):
        return True
    doubtful = ways == {""} or of_user or wish or scoped or phrase
    return not doubtful and alike and _is_once(first) and _is_once(second)


_MOST = 3
"""Maximum number of words of a value."""

_ASIDE = TIMES | {"order"}
"""Kinds of tokens that are not counted among the words in which two texts differ."""

_KINDS = words("is are use uses used")
"""Words before a description, as in "the API is fast".

A subject can have several descriptions. So an English description of more than one word contradicts no other one.
"""


def _is_word(token: Token) -> bool:
    return token.kind in ("word", "name", "path", "language") or token.kind.startswith("choice")


def _have_role(new: Statement, old: Statement) -> bool:
    """Return whether both texts give a task to somebody, or one of them gives a title."""
    found = [pattern(_ROLE).search(text.lower) for text in (new, old)]
    return all(found) or any(one and one[0].startswith(("is", "are", "became", "担任", "接手")) for one in found)


def _people(runs: list[list[Token]]) -> list[list[Token]]:
    """Return only the sequence that names a person. If not exactly one does, or the rest exceeds a word: `runs`."""
    named = [run for run in runs if run[0].before == "by" or all(token.kind == "name" for token in run)]
    others = [token.text for run in runs if run not in named for token in run]
    return named if len(named) == 1 and weight(others) <= 1 else runs


def _only_people(runs: list[list[Token]]) -> bool:
    """Return whether one sequence of words names a person, and all others are tasks."""
    return len(_people(runs)) == 1 and all(
        run in _people(runs) or {token.text for token in run} <= _TASKS for run in runs
    )


_TASKS = words("own lead manag maintain approv review chair handl")


def _are_people(*runs: list[Token]) -> bool:
    """Return whether all sequences of words could be people, and at least one of them is a name."""
    for run in runs:
        before, most = run[0].before, 4 if is_zh(run[0].text) else 2
        is_name = most > 2 or before == "by" or all(token.kind == "name" for token in run)
        if not is_name or len(run) > most or (before and before[-1] not in _BY and before not in _BY):
            return False
    return any(is_zh(run[0].text) or run[0].kind == "name" for run in runs)


def _after(text: Statement, run: list[Token]) -> str:
    at = next((n for n, token in enumerate(text.tokens) if token[:2] == run[-1][:2]), len(text.tokens))
    return next((token.text for token in text.tokens[at + 1 :]), "")


def _is_of_subject(pair: _Pair) -> bool:
    """Return whether the new text begins with the old text's subject, and not with a name."""
    head = pair.new.head & pair.new.without()
    return weight(head) >= 1 and head <= pair.old.head and pair.new.tokens[0].kind != "name"


def _changed(pair: _Pair) -> str:
    """Return the difference if the new text reports that the old text's subject changed or moved."""
    new, old = pair.new, pair.old
    uses = _PLACES | {"with", "use", "uses", "用", "走"}
    is_placed = "place" in old.classes or any(token.before in uses for token in old.tokens)
    is_named = any(token.before in ("to", "到") and token.kind == "name" for token in new.tokens)
    is_placed = is_placed or (is_named and old.tokens[-1].before in _BY)
    is_moved = "moved" in new.classes and is_placed
    if not ("change" in new.classes or is_moved):
        return ""
    who = new.tokens[0]
    of_user = who.kind == "whose" == old.tokens[0].kind and new.head <= {who.text}
    of_user = of_user or all(pattern(_HOME).match(text.lower) for text in pair[:2])
    if is_moved and "place" in old.classes and of_user:
        return "place: another"
    if _is_of_subject(pair):
        return "words of change"
    shared = weight(pair.shared & old.without()) + pair.also
    return "words of change" if shared > 1 and shared >= 0.3 * weight(old.without()) else ""


_HOME = r"我们?(?:家|现在)?[^,。]{0,5}?[住搬]|i(?:'ve)? (?:now |have |just )*(?:live|moved)\b"
"""Expression for the beginning of a text about the user's home."""


def _said(run: Iterable[Token]) -> str:
    return " ".join(token.text for token in run)


def _listed(values: AbstractSet[str]) -> str:
    return ", ".join(sorted(values))
