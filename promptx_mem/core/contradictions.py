"""Contradictions: two texts on one subject that give it other values.

The rules use no model. They compare the subjects of two sentences, then the values. They suspect; a reader decides.
"""

from __future__ import annotations

import unicodedata
from typing import NamedTuple

from promptx_mem.core.text import pattern

LONGEST = 300
"""Characters of a text that are compared: what a longer one says cannot be told by rules."""

_WORD = r"[0-9]+(?:[.:/-][0-9]+)+|[0-9]+|(?:[~.]?/)?[a-z_][\w]*(?:[./+#-]+[\w]+)*[+#]*|[\u3400-\u9fff]"

_DROPPED = frozenset({
    "a", "an", "the", "our", "my", "we", "i", "us", "your", "you", "to", "of", "is", "are", "was", "be", "been",
    "it", "its", "has",
    "have", "at", "in", "on", "by", "with", "and", "this", "that", "now", "new", "currently", "instead", "from",
    "as", "user", "since", "all", "will", "do", "does", "team's", "today", "anymore", "any", "more", "longer",
    "there", "never", "not",
    "don't", "no", "fine", "ok", "okay", "allowed", "can", "may", "must", "always", "should",
    "的", "了", "我", "们", "在", "是", "都", "也", "就", "已", "经", "现", "新", "为", "把", "被", "要", "咱", "到",
    "改", "换", "成",
    "每", "一", "律", "统", "于", "由", "用", "使", "从", "今", "起", "不", "再", "没", "别", "目", "前",
})  # fmt: skip
"""Words that say neither of whom a sentence speaks, nor what it says."""

_VERB = (
    r"\b(?:is|are|was|were|lives?|uses?|using|runs?|running|deploys?|deployed|listens?|starts?|begins?|ends?|expires?"
    r"|prefers?|has|have|takes?|costs?|moved|switched|changed|migrated|stores?|stored|lies|owns?|leads?|manages?"
    r"|must|should|may"
    r"|can|needs?|requires?|works?|goes|go|writes?|written|kept?|lasts?|happens?|meets?|speaks?|drinks?|eats?|sits?"
    r"|targets?"
    r"|supports?|returns?|sends?|logs?|builds?|set|keeps?|closes?|opens?|becomes?|became|joined|took|replaced"
    r"|rotates?)\b"
    r"|'s (?=(?:now )?\d)"
    r"|是|用|叫|住|改|换|位于|放在|放|部署|跑在|负责|采用|使用|定在|定为|安排|在|为|最多|最少|限制|每周|每天|每月"
    r"|需要|必须|可以|偏好|由|搬|有|：|:(?!\d)"
)
_CHANGE = (
    r"\b(?:now|no longer|any ?more|instead|switched|switch|moved|migrated|changed|replaced|replaces|took over"
    r"|from now on|new|as of"
    r"|not\b.{1,40}\bbut|dropped|renamed|upgraded|rather than)\b"
    r"|改[为成用到在]|换[成到了为]|不再|现在|如今|已经|取代|代替|替换|接替|搬[到去]|升级|从.{1,20}[到改换迁]|以后"
    r"|调整|新的|而不是"
)
_LEFT = (
    r"\b(?:from|instead of|left|leaving|replaces|replaced|replacing|dropped|dropping|rather than|away from|over from"
    r"|no longer(?: use| uses"
    r"| run on| on| in| with)?|retired|renamed|gave up|stopped using)\s(?:the |our |my )?([a-z][\w.+#-]{1,40})"
    r"|(?:从|取代了?|代替了?|替换了?|接替了?|不再用|不再使用|弃用了?|停用了?|而不是) ?([a-z0-9][\w.+#-]{0,40}"
    r"|[\u3400-\u9fff]{2}(?=[\u3400-\u9fff]{0,6}))"
    r"|把 ?([a-z0-9][\w.+#-]{0,40}|[\u3400-\u9fff]{2,6}?) ?(?:换|改|迁|停)"
)
_IN_USE = r"(?:\buses?|\busing|\bwith|\bruns? on|\bis|\bon|用|使用|采用|是|部署在|托管在) $|(?:用|使用|采用|是|在)$"
_NEGATION = (
    r"\b(?:not|never|no longer|no|cannot|without|forbidden|prohibited|disabled|stopped|avoid|\w+n['’]t)\b"
    r"|[不别勿禁]|没有|停止|无需|无须|严禁|切勿|关闭"
)
_CONTRAST = r",\s*(?:and )?not\b[^,.;]*|[，,]\s*(?:而)?不是[^，。]*"
"""It denies another value, not the one that stands before it."""

_ALLOWED = (
    r"\b(?:fine|ok|okay|allowed|permitted|always|may|can|enabled|must|again)\b|可以|允许|必须|总是|开启|启用|一律"
)
_WEEKDAY = r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|(?:周|星期|礼拜)[一二三四五六日天]"
_MONTH = (
    r"\b(?:\d{1,2}(?:st|nd|rd|th)? (?:of )?)?(?:january|february|march|april|june|july|august|september|october"
    r"|november|december)"
    r"(?: \d{1,2}(?:st|nd|rd|th)?)?\b|\bmay \d{1,2}\b|\b\d{1,2} may\b|\d{1,2} ?月(?: ?\d{1,2} ?[日号])?"
    r"|\b\d{4}-\d{2}-\d{2}\b"
)
_VERSION = r"\bv?\d+\.\d+(?:\.\d+)*(?!\d|:)|\bv\d+\b|(?<=版本)\d+|(?<=版本 )\d+"
_PATH = (
    r"(?:https?:/|[~.]{0,2}|\b[\w.-]+)/[\w./~-]+|\b[\w-]+\.(?:ya?ml|toml|json|py|js|ts|md|ini|cfg|conf|env|sh|sql"
    r"|log|txt)\b"
)
_NUMBER = (
    r"(?<![\w.])\d+(?:[.,:]\d+)*(?:%|[a-z]{1,3}\b)?|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve"
    r"|twenty|thirty)\b"
    r"|[一二两三四五六七八九十百千]+(?=[个天次小时点分名人周月年块元位台条层号楼倍])"
)
_TYPED = (("path", _PATH), ("date", _MONTH), ("weekday", _WEEKDAY), ("version", _VERSION), ("number", _NUMBER))
"""The first kind counts: a date holds numbers."""

_NAME = r"(?<!^)(?<![.!?] )\b[A-Z][a-zA-Z]{1,20}\b"

_CHOICES = tuple(map(frozenset, (
    ("npm", "pnpm", "yarn", "bun"), ("pip", "poetry", "uv", "pipenv", "conda"),
    ("postgres", "postgresql", "mysql", "sqlite", "mariadb", "mongodb", "oracle"), ("redis", "memcached", "valkey"),
    ("vim", "neovim", "emacs", "vscode", "zed"), ("jest", "vitest", "mocha", "jasmine"), ("pytest", "unittest",
    "nose"),
    ("react", "vue", "svelte", "angular"), ("tabs", "spaces", "tab", "space"), ("dark", "light"), ("深色", "浅色"),
    ("github", "gitlab", "bitbucket"),
    ("slack", "teams", "discord", "zulip", "mattermost", "钉钉", "飞书", "企业微信"), ("aws", "gcp", "azure",
    "heroku", "fly.io", "阿里云", "腾讯云"),
    ("kafka", "rabbitmq", "nats"), ("jenkins", "circleci", "travis"), ("webpack", "vite", "rollup", "esbuild"),
    ("eslint", "biome"),
    ("flask", "django", "fastapi"), ("black", "ruff"), ("rest", "graphql", "grpc"), ("jira", "linear", "trello"),
    ("docker", "podman"),
    ("ubuntu", "debian", "fedora", "alpine"), ("morning", "afternoon", "evening"), ("上午",
    "下午", "晚上", "早上"),
    ("zsh", "bash", "fish"), ("rebase", "squash"), ("json", "xml", "yaml", "toml"), ("nginx", "caddy", "apache",
    "traefik"),
    ("中文", "英文", "日文"), ("utc", "cet"), ("vegetarian", "vegan"),
)))  # fmt: skip
"""Things of which a subject has one."""

_ONE = (
    r"\b(?:is|are|lives?|uses?|runs? on|deployed|prefers?|named|called|works? (?:at|for)|leads?|owns?|manages?"
    r"|hosted|stored|targets?)\b|是|叫|住|由|负责|在|偏好|采用|使用|用"
)
_LABEL = 2
"""Words of a text that is but a name with its number, as "step 2"."""

_ROLE = (
    r"\bis (?:the|our|my|their)(?: new| current)? (?P<role>[a-z][a-z -]{1,40})|\b(?P<who>leads|owns|runs|manages"
    r"|maintains) (?:the|our|my)? ?(?P<what>[a-z][a-z -]{1,40})"
)
_ROLE_ZH = (
    r"(?:^|由)(?P<who>[\u3400-\u9fffA-Za-z]{1,8}?)(?:现在|接手|接任)?(?:负责|担任|是(?=[\u3400-\u9fff]{0,8}(?:负责人"
    r"|组长|经理|主管|总监|老板|老师|主任)))(?P<what>[\u3400-\u9fff A-Za-z]{2,12})"
)


class _Text(NamedTuple):
    lower: str
    words: list[str]
    subject: set[str]


class _Pair(NamedTuple):
    new: str
    old: str
    one: _Text
    two: _Text
    shared: set[str]
    changes: bool


_STATES = frozenset({"住", "叫"})
"""Verbs of states of which a person has one."""


def reason(new: str, old: str) -> str:
    """Return what differs where the new text may replace the old one, else an empty text."""
    if max(len(new), len(old)) > LONGEST or new.rstrip().endswith(("?", "？")):
        return ""
    one, two = _read(new), _read(old)
    if one.lower.rstrip(".。!！") == two.lower.rstrip(".。!！"):
        return ""
    pair = _Pair(new, old, one, two, set(one.words) & set(two.words), bool(pattern(_CHANGE).search(one.lower)))
    if pair.changes and (left := _left(one, two)):
        return f"words of change: {left}"
    if role := _role(one.lower, two.lower):
        return f"name: another {role}"
    return (_negated(pair) or _value(pair)) if pair.shared else ""


def _read(text: str) -> _Text:
    plain = unicodedata.normalize("NFKC", text)
    lower = plain.lower().strip()
    verb = pattern(_VERB).search(lower, 1)
    head = lower[: verb.start()] if verb else ""
    words = _words(lower)
    subject = set(_words(head))
    return _Text(lower, words, subject)


def _words(text: str) -> list[str]:
    return [_plain(word) for word in pattern(_WORD).findall(text) if word not in _DROPPED]


def _plain(word: str) -> str:
    word = word.rstrip(".")
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _left(one: _Text, two: _Text) -> str:
    """Return what the new text names as left behind and the old one has as its value."""
    for match in pattern(_LEFT).finditer(one.lower):
        name = (match[1] or match[2] or match[3] or "").rstrip(".")
        if len(name) < 2 or name in _DROPPED or name in ("here", "work", "home", "scratch"):
            continue
        tokens = set(_words(name))
        if tokens and tokens <= set(two.words) and name in two.lower and not pattern(_NEGATION).search(two.lower):
            others = (set(one.words) & set(two.words)) - tokens
            in_use = name.isascii() and pattern(_IN_USE).search(two.lower.partition(name)[0][-12:])
            if others or in_use or len(two.words) <= 3:
                return name
    return ""


def _role(new: str, old: str) -> str:
    """Return the role that two persons are said to have."""
    for form in (_ROLE, _ROLE_ZH):
        one, two = pattern(form).search(new), pattern(form).search(old)
        if not one or not two or one.lastgroup != two.lastgroup:
            continue
        role, other = (match[match.lastgroup or 0].strip() for match in (one, two))
        first, second = (
            (one["who"], two["who"]) if form is _ROLE_ZH else (new[: one.start()].strip(), old[: two.start()].strip())
        )
        alike = set(_words(role)) == set(_words(other)) and bool(_words(role))
        if (
            alike
            and first != second
            and len(first.split()) <= 3
            and len(second.split()) <= 3
            and not _same(first, second)
        ):
            return role
    return ""


def _same(one: str, two: str) -> bool:
    """Tell of two subjects whether they are things of one kind, as "the staging server" and "the old server"."""
    return bool(set(_words(one)) & set(_words(two)))


def _negated(pair: _Pair) -> str:
    """Return the reason where one text denies what the other says."""
    one, two, shared = pair.one, pair.two, pair.shared
    share = len(shared) / min(len(set(one.words)), len(set(two.words)))
    no_one, no_two = (
        pattern(_NEGATION).search(pattern(_CONTRAST).sub("", text.lower)) is not None for text in (one, two)
    )
    if no_one == no_two:
        return ""
    positive = two if no_one else one
    least = 0.65 if pattern(_ALLOWED).search(positive.lower) else 0.8
    enough = sum(1 if "\u3400" <= word <= "\u9fff" else 2 for word in shared) >= 4
    if not enough or share < least or _kinds_apart(one, two) or not _one_subject(one, two):
        return ""
    only = min(len(set(one.words) - shared), len(set(two.words) - shared))
    return "negation" if only <= 2 else ""


def _kinds_apart(one: _Text, two: _Text) -> bool:
    return any(
        found[0] and found[1] and found[0].isdisjoint(found[1])
        for found in (_found(form, one, two) for _, form in _TYPED)
    )


def _found(form: str, one: _Text, two: _Text) -> tuple[set[str], set[str]]:
    first, second = (
        {match[0].replace(" ", "").rstrip(".s") for match in pattern(form).finditer(text.lower)} for text in (one, two)
    )
    return first, second


def _one_subject(one: _Text, two: _Text) -> bool:
    return one.subject <= two.subject or two.subject <= one.subject


def _value(pair: _Pair) -> str:
    """Return the kind of value that differs, where the subject is the same and little else differs."""
    one, two, shared = pair.one, pair.two, pair.shared
    extra = (one.subject ^ two.subject) if one.subject and two.subject else set()
    if not _one_subject(one, two) or (extra and not pair.changes and not extra <= shared):
        return ""
    for name, form in _TYPED:
        first, second = _found(form, one, two)
        if first and second and first.isdisjoint(second):
            if name == "number" and min(len(one.words), len(two.words)) <= _LABEL:
                return ""
            return f"{name}: {_listed(first)}, not {_listed(second)}" if _only(pair, first | second) else ""
        if first and second and first != second and name != "number":
            return ""
    if chosen := _choice(one, two, shared):
        return chosen
    return _name(pair)


def _only(pair: _Pair, values: set[str]) -> bool:
    """Tell whether two texts on one subject differ in these values, and in little else."""
    parts = {part for value in values for part in _words(value)}
    alone, other = (set(text.words) - pair.shared - parts for text in (pair.one, pair.two))
    specific = _specific(pair.shared - parts)
    same = bool(pair.one.subject) and pair.one.subject == pair.two.subject
    return (specific > 0 or same) and (not alone or not other or (pair.changes and specific > 1))


def _name(pair: _Pair) -> str:
    """Return the name that differs where a subject has but one."""
    one, two, shared = pair.one, pair.two, pair.shared
    alone, other = set(one.words) - shared, set(two.words) - shared
    has_one = all(pattern(_ONE).search(text.lower) for text in (one, two))
    if not alone or not other or not has_one or not (_specific(shared) or shared & _STATES):
        return ""
    names = [{_plain(name.lower()) for name in pattern(_NAME).findall(text)} - shared for text in (pair.new, pair.old)]
    latin = all(map(str.isascii, alone | other)) and _is_chinese(shared) and len(alone) == len(other) == 1
    if latin or (alone <= names[0] and other <= names[1]):
        return f"name: {_listed(alone)}, not {_listed(other)}"
    if one.subject != two.subject or max(len(alone), len(other)) > 4:
        return ""
    if pair.changes and one.subject:
        return "words of change"
    share = len(shared) / min(len(set(one.words)), len(set(two.words)))
    long = one.subject and len(shared) >= 3 and share >= 0.5
    return "another value" if _is_chinese(shared) and (long or shared & _STATES) else ""


def _is_chinese(words: set[str]) -> bool:
    return any("\u3400" <= word[0] <= "\u9fff" for word in words)


def _specific(words: set[str]) -> int:
    """Count the words by which a subject is known; two characters of Chinese are one."""
    dense = sum("\u3400" <= word[0] <= "\u9fff" for word in words)
    return len(words) - dense + dense // 2


def _choice(one: _Text, two: _Text, shared: set[str]) -> str:
    for group in _CHOICES:
        first, second = ({name for name in group if _has(text, name)} for text in (one, two))
        if first and second and first.isdisjoint(second):
            parts = {part for name in first | second for part in _words(name)}
            alone, other = set(one.words) - shared - parts, set(two.words) - shared - parts
            if not alone or not other:
                return f"choice: {_listed(first)}, not {_listed(second)}"
    return ""


def _has(text: _Text, name: str) -> bool:
    return _plain(name) in text.words if name.isascii() else name in text.lower


def _listed(values: set[str]) -> str:
    return ", ".join(sorted(values))
