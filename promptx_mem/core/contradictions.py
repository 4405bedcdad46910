"""Contradictions: two texts on one subject with different values.

The rules use no model. A text is read as words, which show its subject, and values, which have a kind: number, date,
path, tool, name. Two texts may contradict each other if they share their words and differ in a value, if one denies
the other, or if the new one reports a change of what the old one states. The rules only report a suspicion.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from promptx_mem.core.text import pattern
from promptx_mem.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from collections.abc import Set as AbstractSet

LONGEST = 300
"""Most characters of a compared text: in longer texts the rules cannot find the statement."""

_HAN = r"[^\W\d_A-Za-z]"
"""A letter outside of ASCII: a range of all Chinese characters takes a millisecond to compile."""

_TOKEN = (
    r"(?P<date>\d{4}-\d\d-\d\d|(?:\d{4} ?年 ?)?\d{1,2} ?月(?: ?\d{1,2} ?[日号])?)"
    r"|(?P<time>\d{1,2}:\d\d(?: ?[ap]m\b)?|\d{1,2} ?(?:[ap]m\b|点半?))"
    r"|(?P<path>#[0-9a-f]{6}\b|[\w.+-]+@[\w.-]*\w|https?://[\w./~:-]+|(?:[~.]{0,2}|[\w.-]+)/(?!\d)[\w./~-]*\w/?"
    r"|(?<![\w.])\.[a-z]\w+|[a-zA-Z_][\w-]*(?:\.[a-zA-Z][\w-]*)+)"
    r"|(?P<version>v?\d+(?:\.\d+)+|v\d+\b)"
    r"|(?P<number>(?:[$€£¥] ?)?\d+(?:,\d{3})*(?:-\d+)?%?)"
    r"|(?P<spelled>(?<!其中)[一二两三四五六七八九十百千]+(?:月份?|点(?:半|钟|[一三]刻)?|(?=[个天次小时分名人周年块元位台条层号楼倍份只辆本张行项种岁])))"
    rf"|(?P<word>[A-Za-z][\w+]*(?:['-]\w+)*[+#]*|#\w+|{_HAN})"
    r"|(?P<end>[.;,:!?。、()])"
)

_CLASSES = {
    "drop": """a an the our my we i us your you to of as it its it's that this these those there do does did will would
        who all which so has have had be been being is are was were am in on at by with for and or per about around
        just only very today's because from into against out over than last under behind near dr mr mrs ms frau herr
        through including her his him them their they he she up both own any then everything 的 地 得 我们 我 在 是 都
        也就 就 为 把 被 要 咱们 咱 到 成 才 还 由 于 从 和 与 及 或 给 对 有 跟 个 这 那 他 她 它 包括 前 后 以内 不过
        上个月 上周 下周 下个月 去年 今年 明年 昨天 今天 明天 里 中 请 大家 所 以 而 并 且 时 时候 因为 只要 只 那里
        那边 里面 了 先 再 的是 向 其中 起 一下""",
    "word": "后端 前端 后台 前台 成都 大会 级别 特别 分别 区别 类别 性别 不同 不错",
    "place": """works_from live lives lived located stored kept stores keep keeps held holds hosted lies sits stands
        found put based place 住 住在 位于 放 放在 存 存在 存到 存储 保存 部署在 部署 保留 托管 托管在""",
    "light": """use used using uses run runs running listen listens need needs require requires required go goes write
        writes written make makes made get gets take takes got send sends sent cost costs price prices work works
        working call called calls named expect expects want wants prefer prefers like likes should must can could may
        works_for works_at might always served happen happens pay pays paid end ends until till expire expires length
        long minimum lowest least closes opens interval annual yearly enough everywhere version oldest lifetime url
        date reached valid supports deployed default value exactly fine ok okay allowed permitted enabled supported
        allow done happening handled handle 用 使用 采用 跑 写 需要 需 叫 叫做 运行 安排 定在 定 支持 应该 应 必须 一次
        一律 统一 总是 可以 能 够 喜欢 偏好 希望 想 值 地址 全部 所有 每次 监听 年费 价格 设 大小 上限 最大 执行 进行
        通过 说 应当 默认 允许 开启 启用 打开 负责 够了 时间 修改 改动 间隔 周期 频率 更 有效 失效 关门 开门 开到 要求
        至少 为止""",
    "whose": "user user's company project everyone 用户 用户的 团队 公司 项目 全组",
    "now": """now since again currently current nowadays new finally already as_of from_now 现在 如今 目前 以后 今后 已
        已经 从今起 又""",
    "not": """not never no cannot without stopped avoid nobody none dislikes hates don't doesn't isn't aren't won't
        can't mustn't shouldn't didn't wasn't no_longer no_one 不 别 勿 禁止 没有 停止 无需 无须 严禁 切勿 不要 不能
        不许 不准 不得 不允许 不再 不用 讨厌 从不 不可以 别再 不可 不必 没 不是""",
    "off": "forbidden prohibited disabled off optional closed unlocked read-only 关闭 禁用 停用 作废 只读 可选",
    "change": """switched changed set turned handed passed replaced replaces renamed retired dropped ditched deprecated
        switching instead abandoned scrapped removed cancelled canceled archived became delayed switch took_over
        taken_over any_more anymore gave_up given_up phased_out stepped_down outgrew 改为 改成 改用 改到 改在 改由 改发
        改找 改名 改名为 换成 换到 换为 更换 替换 变更 转到 转为 弃用 取代 代替 接手 接任 接替 离职 变成 放弃 终止 重写
        改存 改走 改约 改喝 改吃 改坐 改骑 改开 改学 改写 改回 改放 升任 归档 交给 交由 转给 设成 设为 满""",
    "moved": """moved migrated relocated converted rewritten rebuilt moving migrating went 迁 迁移 迁移到 迁到 并入 搬
        搬到 搬去 搬进""",
    "adjusted": """upgraded downgraded bumped raised lowered increased decreased reduced extended shortened postponed
        rescheduled cut went_up pushed grew shrank rose fell 调整 调整为 升级 升级到 降到 升到 提高到 提高 降低 减少
        增加 延长 缩短 推迟 推迟到 改期 改期到 提前 提前到 涨到 扩到 增到 减到 涨价 涨 削减 放宽 收紧 剩下 只剩 调到
        调回""",
    "also": "also too either besides as_well 也 另外 同时 还要",
    "past": "formerly previously used_to back_then 早年 以前 曾 当年 当时",
    "weekday": """monday tuesday wednesday thursday friday saturday sunday weekend 周一 周二 周三 周四 周五 周六 周日
        周天 周末 星期一 星期二 星期三 星期四 星期五 星期六 星期日 星期天""",
    "month": "january february march april june july august september october november december",
    "period": "hourly daily weekly monthly quarterly nightly 每天 每日 每周 每月 每年 每晚 每早 每小时 每季度",
    "daytime": "morning afternoon evening noon midnight night breakfast 上午 下午 晚上 早上 凌晨 中午 半夜",
    "order": "before after 之前 之后",
    "language": """english german french spanish italian chinese japanese dutch portuguese russian korean 中文 英文
        英语 日文 日语 德语 德文 法语 法文 俄语 韩语""",
}  # fmt: skip
"""Classes of words; a phrase has `_` between its words."""

_CHOICES = (
    "npm pnpm yarn bun | pip poetry uv pipenv conda | postgres postgresql mysql sqlite mariadb mongodb oracle"
    " cockroachdb tidb | redis memcached valkey | vim neovim emacs vscode zed sublime | jest vitest mocha jasmine"
    " | pytest unittest nose | react vue svelte angular | tab tabs space spaces 空格 | dark light 深色 浅色"
    " | slack teams discord zulip mattermost 钉钉 飞书 企业微信 | aws gcp azure heroku 阿里云 腾讯云 华为云"
    " | kafka rabbitmq nats | jenkins circleci travis | webpack vite rollup esbuild | eslint biome"
    " | flask django fastapi | black ruff flake8 | rest graphql grpc | jira linear trello | docker podman"
    " | ubuntu debian fedora alpine | zsh bash fish | rebase squash | json xml yaml toml plain+text 纯文本"
    " | nginx caddy apache traefik | camelcase snake_case kebab-case pascalcase | png jpeg webp avif"
    " | red blue green yellow purple orange white 红色 蓝色 绿色 白色 黑色 | utc cet | eur usd gbp chf cny euro dollar"
    " | vegetarian vegan meat 吃素 吃肉 | github gitlab bitbucket | post e-mail email fax | tea coffee 茶 咖啡"
    " | public private | automatic automatically manual manually by+hand 自动 手动"
)
"""Groups of choices, of which a subject has one; a phrase has `+` between its words."""

_UNITS = {
    "duration": "second minute hour day week month year quarter 秒 分钟 小时 天 周 个月 月 年 季度",
    "size": "kb mb gb tb",
    "money": "dollar euro usd eur 美元 欧元 日元 人民币 元 万元 万 块 cent",
    "length": "px pixel pt 像素",
}
_SPELLED = "one two three four five six seven eight nine ten twelve twenty thirty first second third fourth fifth"
_FIGURES = "1 2 3 4 5 6 7 8 9 10 12 20 30 1st 2nd 3rd 4th 5th"
_NUMBERS = dict(zip(_SPELLED.split(), _FIGURES.split(), strict=True))
_FORMS = (
    "begin:start led:lead require:need want:prefer like:prefer ran:run running:run called:name call:name named:name"
    " owned:own employee:people member:people built:build"
)
_SAME = dict(form.split(":") for form in _FORMS.split())
"""Words of one meaning."""

_DIGITS = str.maketrans("一二两三四五六七八九", "1223456789")


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_LITTLE = frozenset({"light", "whose"})
"""Kinds of common words, which show little of a subject."""

_WORDS = frozenset({"word", "name"}) | _LITTLE
"""Kinds of words; all other kinds are values."""

_CHANGES = frozenset({"change", "moved", "adjusted"})
_VALUES = frozenset({"weekday", "period", "daytime", "language", "order"})
_TIMES = frozenset({"date", "weekday", "time", "daytime", "period", "number duration"})
"""Kinds of values that may change together, or replace each other."""

_PLACES = _set("in on at to into under from 在 到 进")
_ONCE = _PLACES | _set(
    "is are was be by name as with through via using over use uses runs prefers prefer called named wants likes goes"
    " becomes became writes 是 用 叫 为 由 找 给 成 以 欢 好 姓 走 约"
)
"""Words, or last characters of words, before a value of which a subject has one."""

_MANY = _set(
    "run need needs require requires required should must may can has expect will make speak speaks pay pays support"
    " supports 跑 运行 支持 负责 说 会说 需要 会 应该 必须 可以"
)
"""Words before a value of which a subject may have several."""

_SKIPPED = _set("the a an our my your its their his her new own only dr mr mrs ms frau herr 了 的 我们")
"""Words between a value and the word that shows how it belongs to the subject."""

_BE = _set("is are be get gets")
_HEADS = _set("is are was were has have 是 在 由 有")
_REASONS = _set("since because so 因为 由于 方便 以便")
_SCOPES = _set("in for on at of when if")
_NAMING = _set("is name called named to becomes")
_WISHES = _set("prefers prefer wants likes like 喜欢 偏好 希望")
_BY = _set("by is to 由 是 找 成")
_VERSIONED = _set("node python java php ruby go django react postgres ubuntu jdk angular vue rust port")

_TITLES = r"(?:is|are|became|takes? over|took over)(?: now| also)? (?:on call|the|our|my|in charge)\b"
_DUTIES = (
    r"(?:own(?:s|ed)|leads?|led|manage[sd]?|maintain(?:s|ed)|approve[sd]?|review(?:s|ed)|chair(?:s|ed)|teaches|taught"
    r"|handle[sd]?|replaced|took over|does|responsible|pays|paid|runs|drives|driven|cleans|cleaned)\b"
)
_ROLE = rf"\b(?:{_TITLES}|{_DUTIES})|负责|接手|担任|管"
"""Words of a statement that gives a task or a title to somebody."""

_PERSON = (
    rf"((?!(?:The|Our|My|An?|We|Code|Users?)\b)[A-Z][a-z]+(?: [A-Z][a-z]+)?) (?:{_TITLES}|{_DUTIES}|now (?:{_DUTIES}))"
)
"""A person at the beginning of a text."""

_ON = r"\bon\b|\b(?:fine|ok|allowed|enabled|mandatory|required|open|writable|again|may)\b|打开|开启|启用|允许|可以|又"
_TITLE = r"\b(Dr|Mrs?|Ms|Prof|St)\. "
_SINCE = r"(?i)^(?:since|after|as of|from) [^,]{3,40}, |从[^,。]{1,8}(?:开始|起)|^[^,。]{1,10}(?:之后|以后|起|后),"
"""The time of a change."""

_SCOPE = (
    r"\b(?:staging|production|prod|development|dev|preview|mobile|web|desktop|ios|android|frontend|backend|client"
    r"|server)\b|测试环境|生产环境|开发环境|预发|移动端|网页端|桌面端|前端|后端|客户端|服务端"
)
"""Environments and programs, of which each has its own values."""

_LEFT = (
    r"\b(?:(?:switched|moved|migrated|went|changed|moving|switching|renamed) (?:[\w-]+ ){0,4}?from|instead of"
    r"|rather than|replace[sd]|dropp(?:ed|ing)|no longer(?: use[sd]?| in| on| to| run on| with)?|retired|gave up"
    r"|stopped using|[,;] not(?: to| via| in| on| with)?|got rid of|left|leaving|quit|sold|removed|deprecated|split)"
    r"\s(?:the |our |my |use |using )?([\w.+#/-]{2,40})"
    r"|(?:从|取代了?|代替了?|替换了?|接替了?|不再(?:使用|支持|发到|放在|用|放)?|弃用了?|停用了?|淘汰了?|替掉了?|放弃了?对?|而不是|别用"
    rf"|不用)\s?({_HAN}? ?[a-z0-9][\w.+#/-]*|{_HAN}{{2,4}}?(?=[换改迁搬到转,。]|$))"
    r"|([\w.+#/-]{2,40}(?: support| usage)?) (?:(?:was|is|has been|were|are|have been|got|has) (?:replaced|renamed"
    r"|retired|removed|dropped|shut down|deprecated|sold|archived|given up|gone)|left the)"
    rf"|(?:^|把 ?|[。,;] ?)(?!已经)([a-z0-9][\w.+#/-]*|{_HAN}{{2,3}}?) ?已?经?"
    r"(?:离职|换成|改成|换为|改用|归档|删了|放弃|停用|被.{1,12}(?:取代|替换|代替))"
)
"""A thing that a text names as left or dropped."""

_MARKS = _set("left leaving quit sold split rid rather dropping gone shut 从 删 被 掉 别用")
"""Parts of such texts that have no word of a change."""

_Unit = tuple[str, str]


class _Token(NamedTuple):
    """A word or a value: the word before it without articles, and whether it directly follows another token."""

    kind: str
    text: str
    before: str = ""
    follows: bool = False


class _Text(NamedTuple):
    """A read text: `head` has the words before the verb, `denied` those that a negation concerns."""

    lower: str
    tokens: tuple[_Token, ...]
    head: frozenset[str]
    classes: frozenset[str]
    denied: frozenset[str]

    @property
    def words(self) -> frozenset[str]:
        return frozenset(token.text for token in self.tokens)

    def of(self, kind: str) -> frozenset[str]:
        return frozenset(token.text for token in self.tokens if token.kind == kind)

    def without(self, kinds: AbstractSet[str] = frozenset()) -> frozenset[str]:
        """Return the texts of all tokens, except common words and tokens of these kinds."""
        return frozenset(token.text for token in self.tokens if token.kind not in kinds | _LITTLE)


class _Pair(NamedTuple):
    """The new and the old text, their common words, and the weight of those that only their aliases share."""

    new: _Text
    old: _Text
    shared: frozenset[str]
    also: float


def reason(new: str, old: str, aliases: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())) -> str:
    """Return the difference if the new text may replace the old one, else an empty text.

    Words that both share through aliases belong to the subject. A shared tag does not count, since many subjects have
    it.
    """
    if max(len(new), len(old)) > LONGEST or new.rstrip().endswith(("?", "？")):
        return ""
    one, two = _read(new), _read(old)
    if not one.tokens or not two.tokens or "also" in one.classes or "past" in two.classes:
        return ""
    texts = [[token.text for token in text.tokens] for text in (one, two)]
    if texts[0] == texts[1] and one.denied == two.denied and "change" not in one.classes:
        return ""
    scopes = [set(pattern(_SCOPE).findall(text.lower)) for text in (one, two)]
    if (all(scopes) and not scopes[0] & scopes[1]) or ("new" in one.lower and two.words & {"old", "legacy"}):
        return ""
    shared = one.words & two.words
    also = _weight(_with(one, aliases[0]) & _with(two, aliases[1]) - shared) if any(aliases) else 0
    pair = _Pair(one, two, shared, also)
    return next(filter(None, (rule(pair) for rule in (_left, _denied, _value, _slot, _changed))), "")


def _with(text: _Text, aliases: Iterable[str]) -> frozenset[str]:
    return text.words.union(*(_read(alias).words for alias in aliases))


@lru_cache(maxsize=1)
def _lexicon() -> dict[str, str]:
    """Return the class of each word and phrase."""
    found: dict[str, str] = {}
    for name, words in _CLASSES.items():
        for word in words.split():
            found.setdefault(word.replace("_", " "), name)
    for number, group in enumerate(_CHOICES.split("|")):
        found.update((word.replace("+", " "), f"choice {number}") for word in group.split())
    for kind, words in _UNITS.items():
        found.update((word.replace("_", " "), f"unit {kind}") for word in words.split())
    units = [*_UNITS["duration"].split()[:7], "night", "morning"]
    found.update((f"{every} {unit}", "period") for every in ("every", "each") for unit in units)
    found.update((f"每{word}", "weekday") for word in _CLASSES["weekday"].split() if _is_zh(word))
    return found


@lru_cache(maxsize=1)
def _phrases() -> dict[str, int]:
    """Return the most words or characters of a phrase that begins with a word or character."""
    found: dict[str, int] = {}
    for phrase in _lexicon():
        words = phrase if _is_zh(phrase) else phrase.split()
        found[words[0]] = max(len(words), found.get(words[0], 0))
    return found


def _class(units: Sequence[_Unit], at: int) -> tuple[str, int, str]:
    """Return the class of the longest known phrase at a place, its length, and its words."""
    if at >= len(units) or units[at][0] != "word":
        return "", 1, ""
    word = units[at][1].lower()
    join = "" if _is_zh(word) else " "
    for size in range(_phrases().get(word, 0), 1, -1):
        if name := _lexicon().get(key := join.join(some for _, some in units[at : at + size]).lower()):
            return name, len(units[at : at + size]), key
    if join and not word.isascii():
        return "drop", 1, word  # a letter of another alphabet
    return _lexicon().get(word) or ("" if word == "users" else _lexicon().get(word.removesuffix("s"), "")), 1, word


def _stem(word: str) -> str:
    """Return an English word without its ending."""
    word = word.removesuffix("'s")
    if not word.isascii() or len(word) < 4:
        return _SAME.get(word, word)
    word = word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word
    word = _SAME.get(word, word)
    for end, least in (("ing", 6), ("ed", 5)):
        if word.endswith(end) and len(word) >= least:
            word = word[: -len(end)]
            word = word[:-1] if word[-1:] == word[-2:-1] and word[-1] not in "sl" else word
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


def _is_zh(word: str) -> bool:
    return "\u3400" <= word[:1] <= "\u9fff"


@lru_cache(maxsize=64)
def _read(text: str) -> _Text:
    text = pattern(_TITLE).sub(r"\1 ", unicodedata.normalize("NFKC", text).replace("’", "'"))
    return _Reader(pattern(_SINCE).sub(" 现在 ", text)).read()


class _Reader:
    """Reads the tokens of one text."""

    def __init__(self, text: str) -> None:
        self.lower = text.lower()
        self.units = [(match.lastgroup or "", match[0]) for match in pattern(_TOKEN).finditer(text)]
        person = None if text.startswith(("The ", "Our ", "We ")) else pattern(_PERSON).match(text)
        self.people = person[1].lower().split() if person else []
        self.tokens: list[_Token] = []
        self.classes: set[str] = set()
        self.denied: set[str] = set()
        self.head: frozenset[str] | None = None
        self.begins = True
        self.before = ""

    def read(self) -> _Text:
        waits = False  # for the word that a negation concerns
        at, last = 0, -1
        while at < len(self.units):
            kind, raw = self.units[at]
            if kind == "end":
                self.denied |= self._last() if waits else set()
                waits, self.before, self.begins, at = False, raw, raw not in ",:、", at + 1
                continue
            name, size, said = _class(self.units, at) if kind == "word" else ("", 1, raw.lower())
            if said in _REASONS and self.tokens:
                self.classes |= {"now"} if said == "since" else set()
                at = next((n for n in range(at, len(self.units)) if self.units[n][0] == "end"), len(self.units))
                continue
            if kind == "word":
                kind, word, size = self._word(at, name, size, said)
            elif kind in ("number", "spelled"):
                kind, word, size = self._number(at)
            else:
                word = said.replace(" ", "").strip("/")
            is_verb = name in ("light", "place", "now") or name in _CHANGES or said in _HEADS
            if self.head is None and is_verb:
                self.head = frozenset(token.text for token in self.tokens)
            if kind in _CLASSES and kind not in _VALUES | _LITTLE | {"word"}:
                is_state = kind in _CHANGES and self.before in _BE
                self.classes |= set() if is_state else {kind}
                self.denied |= self._last() if kind == "off" else set()
                waits = waits or kind == "not"
            else:
                self.tokens.append(_Token(kind, word, self.before, last == at))
                last = last if kind == "light" else at + size
                if kind not in _LITTLE:
                    self.denied |= {word} if waits else set()
                    waits = False
            if kind != "now" and not (kind == "drop" and said in _SKIPPED):
                self.before = said
            self.begins = False
            at += size
        self.denied |= self._last() if waits else set()
        head = self.head or frozenset(token.text for token in self.tokens[:2])
        return _Text(self.lower, tuple(self.tokens), head, frozenset(self.classes), frozenset(self.denied))

    def _word(self, at: int, name: str, size: int, said: str) -> tuple[str, str, int]:
        """Return kind, text and length of a word, or its class instead of a kind."""
        raw = self.units[at][1]
        kind, following = self.units[at + 1] if at + 1 < len(self.units) else ("", "")
        is_capital = raw[0].isupper() and not self.begins
        is_label = len(raw) == 1 and is_capital and raw != "I"
        if said in _NUMBERS and following not in ("of", "is", "or") and not (said == "second" and self.before):
            unit, length, _ = _class(self.units, at + 1)
            is_unit = unit.startswith("unit")
            return (f"number {unit[5:]}" if is_unit else "number"), _NUMBERS[said], 1 + length * is_unit
        if name == "month" or (raw == "May" and (is_capital or kind == "number")):
            return ("date", f"{said} {following}", 2) if kind == "number" else ("date", said, 1)
        if name == "unit money":
            return "currency", said, size
        if name and not is_label and not name.startswith("unit"):
            return name, (_stem(said) if name in _LITTLE else said.removesuffix("s").removeprefix("每")), size
        is_person = said in self.people and len(self.tokens) < 3
        is_name = raw.isascii() and (is_capital or is_person or _is_zh(self.before))
        is_unit = bool(name) and raw.isascii() and not is_name
        return ("drop" if is_unit else "name" if is_name else "word"), _stem(said), size

    def _number(self, at: int) -> tuple[str, str, int]:
        """Return kind, text and length of a number with its unit."""
        word = self.units[at][1].translate(_DIGITS)
        unit, length, said = _class(self.units, at + 1)
        if word[-1] in "月份点半钟刻":
            return ("date" if "月" in word else "time"), word, 1
        if unit == "unit duration":
            is_period = self.before in ("every", "each", "每") or pattern("interval|间隔|频率").search(self.lower)
            return "period" if is_period else "number duration", f"{word} {said}".removesuffix("s"), 1 + length
        if unit.startswith("unit") or word[0] in "$€£¥":
            is_unit = unit.startswith("unit")
            return f"number {unit[5:] if is_unit else 'money'}", word.lstrip("$€£¥ "), 1 + length * is_unit
        if unit == "month" or said == "may":
            return "date", f"{said} {word}", 2
        is_year = bool(self.tokens) and self.tokens[-1].kind == "date"
        return "drop" if is_year else "number", word, 1

    def _last(self) -> set[str]:
        """Return the last word that shows a subject."""
        return {token.text for token in [token for token in self.tokens if token.kind not in _LITTLE][-1:]}


def _weight(words: Iterable[str]) -> float:
    """Count words; two Chinese characters are one, and common words are less."""
    classes = _lexicon()
    return sum(0.3 if classes.get(word) in _LITTLE else 0.5 if len(word) == 1 and _is_zh(word) else 1 for word in words)


def _left(pair: _Pair) -> str:
    """Return the thing of the old text that the new text names as left."""
    may_leave = pair.new.classes & {"change", "moved", "not"} or any(mark in pair.new.lower for mark in _MARKS)
    for match in pattern(_LEFT).finditer(pair.new.lower) if may_leave else ():
        name = next(filter(None, match.groups())).rstrip(".")
        if match[0].startswith(("no longer", "不再")) and pair.new.words - pair.old.words:
            continue
        left = _read(name).without()
        is_known = left and left <= pair.shared and not left & pair.old.denied
        if is_known and (pair.shared - left or _weight(pair.old.words) <= _BRIEF):
            return f"words of change: {name}"
    return ""


_BRIEF = 4
"""The most words of an old text that is only about the thing that was left."""


def _denied(pair: _Pair) -> str:
    """Return "negation" if one text denies what the other states."""
    new, old = pair.new, pair.old
    if bool(new.denied) == bool(old.denied):
        return ""
    rest = [text.without() - pair.shared for text in (new, old)]
    more, less = map(_weight, rest)
    shared = _weight(pair.shared)
    if not (new.denied | old.denied) & pair.shared:
        denying, other = (more, old) if new.denied else (less, new)
        is_allowed = shared >= 2 and denying <= 1 and not _modifiers(new, rest[0]) | _modifiers(old, rest[1])
        return "negation" if is_allowed and pattern(_ON).search(other.lower) else ""

    is_off = "off" in new.classes | old.classes and (more or less)
    starts = any(text.tokens[0].text in text.denied for text in (new, old))
    if is_off and starts and not pattern(_ON).search(f"{new.lower} {old.lower}"):
        return ""
    is_small = min(more, less) == 0 or ("change" in new.classes and min(more, less) <= 1)
    return "negation" if shared >= 1 and is_small and max(more, less) <= shared + 1 else ""


def _value(pair: _Pair) -> str:
    """Return the kind of value that differs, if the subject is the same and little else differs."""
    new, old = pair.new, pair.old
    kinds = [{token.kind for token in text.tokens} for text in (new, old)]
    differing = [kind for kind in kinds[0] & kinds[1] - _WORDS if new.of(kind) != old.of(kind)]
    for kind in sorted(differing, key=lambda kind: (kind.startswith("number"), kind)):
        first, second = new.of(kind), old.of(kind)
        if kind.startswith("number") and len(first) == len(second):
            first, second = first - second, second - first
        labels = kind in ("number", "version") and _is_label(new, first) and _is_label(old, second)
        if first & second or labels or (kind == "language" and pair.shared & {"speak", "说", "会"}):
            return ""
        aside = _TIMES if kind in _TIMES else {kind}
        rest = [text.without(aside) for text in (new, old)]
        begin = new.tokens[0].text in first and old.tokens[0].text in second
        is_other = begin and "change" not in new.classes and (rest[0] != rest[1] or len(differing) > 1)
        families = {"time" if some in _TIMES else some for some in differing}
        if is_other or (len(families) > 1 and not new.classes & (_CHANGES | {"now"})):
            return ""
        if _is_one_subject(pair, rest):
            return f"{kind.split()[0]}: {_listed(first)}, not {_listed(second)}"
    return ""


def _is_label(text: _Text, values: AbstractSet[str]) -> bool:
    """Return whether a number is part of the subject's name, as in "step 2"."""
    return bool(text.head & values) and text.tokens[0].text not in _VERSIONED


def _is_one_subject(pair: _Pair, rest: list[frozenset[str]]) -> bool:
    """Return whether two texts without the compared values are on one subject."""
    new, old = pair.new, pair.old
    changes = new.classes & (_CHANGES | {"now"})
    more, less = rest[0] - rest[1], rest[1] - rest[0]
    shared = _weight(rest[0] & rest[1]) + _weight(pair.shared - rest[0]) + pair.also
    if not changes:
        if any(token.before in _SCOPES and token.text in more for token in new.tokens):
            return False
        if _weight(_modifiers(new, more) | _modifiers(old, less)) > shared / 3:
            return False
    fewer, most = sorted((_weight(more), _weight(less)))
    if changes == {"now"} and fewer > (shared / 2 if shared >= 3 else 0.5):
        return False
    if changes and most <= shared + 1 and fewer <= max(1, 0.7 * shared):
        return shared >= 0.3
    return shared >= 0.3 and most <= 2 * shared + 2 and fewer <= (shared / 4 if shared >= 4 else 0)


def _modifiers(text: _Text, words: AbstractSet[str]) -> set[str]:
    """Return those words that are next to another word: they make another subject, as in "the admin API"."""
    out: set[str] = set()
    run: set[str] = set()
    is_joined, previous = False, _Token("", "")
    for token in (*text.tokens, _Token("", "")):
        is_word = token.kind in ("word", "name")
        if run and not (token.follows and is_word and token.text in words):
            out |= run if is_joined or (token.follows and is_word) else set()
            run, is_joined = set(), False
        if is_word and token.text in words:
            is_joined = is_joined or (not run and token.follows and previous.kind in ("word", "name", "whose"))
            run.add(token.text)
        previous = token
    return out


def _runs(text: _Text, other: _Text) -> list[list[_Token]]:
    """Return the runs of words that the other text does not have."""
    known = other.words
    has_times = any(token.kind in _TIMES for token in other.tokens)
    out: list[list[_Token]] = [[]]
    for number, token in enumerate(text.tokens):
        if token.kind == "whose" or (token.kind in _TIMES and not has_times):
            continue
        if token.kind in ("light", "order") or (out[-1] and (token.before in _ONCE or _is_verb(token.before))):
            out.append([])
        if token.kind in ("light", "order"):
            continue
        if token.text in known:
            following = text.tokens[number + 1] if number + 1 < len(text.tokens) else token
            inside = token.follows and following.follows and following.text not in known
            if not (out[-1] and _is_zh(token.text) and inside):  # as 菲 of 索菲亚 and 苏菲
                out.append([])
            continue
        previous = text.tokens[number - 1] if number else token
        of_name = previous.kind == token.kind == "name" or (_is_zh(token.text) and len(token.before) == 1)
        is_part = not out[-1] and of_name and not _is_once(token)  # as 军 of 小军 and 小磊
        out[-1].append(token._replace(before=previous.before) if is_part else token)
    return [run for run in out if run]


def _is_verb(word: str) -> bool:
    return _lexicon().get(word) in ("place", "light", "change", "moved", "now")


def _is_once(token: _Token) -> bool:
    """Return whether the word before shows that a subject has one such value."""
    word = token.before
    if not word or word in _ONCE:
        return True
    is_verb = _is_verb(word) and _lexicon()[word] != "now"
    return word not in _MANY and (is_verb or (_is_zh(word) and word[-1] in _ONCE))


def _way(token: _Token) -> str:
    """Return the word before a token; words of place are one."""
    return "in" if token.before in _PLACES or token.before[-1:] in _PLACES else token.before


def _slot(pair: _Pair) -> str:
    """Return the difference if two texts differ in one place, where a subject has one value."""
    new, old = pair.new, pair.old
    found = _runs(new, old), _runs(old, new)
    if [len(some) for some in found] != [1, 1] or new.denied or old.denied:
        return ""
    runs = found[0][0], found[1][0]
    changes = new.classes & {"change", "now", "moved"}
    times = {any(token.kind in _TIMES for token in text.tokens) for text in (new, old)}
    if max(_weight(token.text for token in run) for run in runs) > _MOST or (len(times) > 1 and not changes):
        return ""
    shared = _weight(pair.shared)
    if shared >= 0.5 and _have_role(new, old) and _are_people(*runs):
        return f"name: {_said(runs[0])}, not {_said(runs[1])}"
    is_whole = "place" in new.classes & old.classes and len(new.tokens + old.tokens) == len(runs[0] + runs[1])
    if (shared < 0.3 and not is_whole) or not all(_is_word(run[0]) for run in runs):
        return ""
    content = _weight(token.text for token in new.tokens if token.text in pair.shared and token.kind not in _LITTLE)
    is_between = "now" in changes and content >= 0.5 and _after(new, runs[0]) == _after(old, runs[1]) != ""
    return "another value" if is_between or _has_one(pair, runs, content) else ""


def _has_one(pair: _Pair, runs: Sequence[list[_Token]], content: float) -> bool:
    """Return whether a subject has one such value."""
    first, second = runs[0][0], runs[1][0]
    ways, classes = {_way(first), _way(second)}, pair.new.classes
    alike = len(ways) == 1 or "change" in classes or ("now" in classes and ways <= _NAMING)
    of_user = not content and ways & {"use", "uses", "用"}
    wish = ways & _WISHES and pair.new.tokens[-1].text not in pair.shared
    scoped = any(token.before in _SCOPES - _PLACES for run in runs for token in run[1:])
    names = all(token.kind in ("name", "version") for run in runs for token in run)
    phrase = len(runs[0] + runs[1]) > 2 and not names and first.text.isascii() and ways & _KINDS
    doubtful = ways == {""} or of_user or wish or scoped or phrase
    return not doubtful and alike and _is_once(first) and _is_once(second)


_MOST = 3
"""The most words of a value."""

_KINDS = _set("is are use uses used")
"""Words before a description, of which a subject has several; only a single word is a value."""


def _is_word(token: _Token) -> bool:
    return token.kind in ("word", "name", "path", "language") or token.kind.startswith("choice")


def _have_role(new: _Text, old: _Text) -> bool:
    """Return whether both texts give a task to somebody, or one a title."""
    found = [pattern(_ROLE).search(text.lower) for text in (new, old)]
    return all(found) or any(one and one[0].startswith(("is", "are", "became")) for one in found)


def _are_people(*runs: list[_Token]) -> bool:
    """Return whether runs may be people, and at least one is a name."""
    for run in runs:
        before, is_zh = run[0].before, _is_zh(run[0].text)
        is_name = is_zh or before == "by" or all(token.kind == "name" for token in run)
        if not is_name or len(run) > (4 if is_zh else 2) or (before and before[-1] not in _BY and before not in _BY):
            return False
    return any(_is_zh(run[0].text) or run[0].kind == "name" for run in runs)


def _after(text: _Text, run: list[_Token]) -> str:
    """Return the word after a run."""
    at = next((n for n, token in enumerate(text.tokens) if token[:2] == run[-1][:2]), len(text.tokens))
    return next((token.text for token in text.tokens[at + 1 :]), "")


def _changed(pair: _Pair) -> str:
    """Return "words of change" if the new text reports a change of the old one's subject."""
    new, old = pair.new, pair.old
    uses = _PLACES | {"with", "use", "uses", "用"}
    is_placed = "place" in old.classes or any(token.before in uses for token in old.tokens)
    is_moved = "moved" in new.classes and is_placed
    if not ("change" in new.classes or is_moved):
        return ""
    who = new.tokens[0]
    if is_moved and "place" in old.classes and who.kind == "whose" == old.tokens[0].kind and new.head <= {who.text}:
        return "place: another"
    shared = _weight(pair.shared & old.without()) + pair.also
    return "words of change" if shared > 1 and shared >= 0.3 * _weight(old.without()) else ""


def _said(run: Iterable[_Token]) -> str:
    return " ".join(token.text for token in run)


def _listed(values: AbstractSet[str]) -> str:
    return ", ".join(sorted(values))
