"""Statements: short texts, split into words, which show the subject, and values, each of which has a kind."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from promptx_mem.core.text import pattern
from promptx_mem.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from collections.abc import Set as AbstractSet

HAN = r"[^\W\d_A-Za-z]"
"""A letter outside of ASCII. A range of all Chinese characters would take a millisecond to compile."""

_TOKEN = (
    r"(?P<date>\d{4}-\d\d-\d\d|(?:\d{4} ?年 ?)?\d{1,2} ?月(?: ?\d{1,2} ?[日号])?)"
    r"|(?P<time>\d{1,2}:\d\d(?: ?[ap]m\b)?|\d{1,2} ?(?:[ap]m\b|点半?))"
    r"|(?P<path>#[0-9a-f]{6}\b|[\w.+-]{1,64}@[\w.-]{0,64}\w|https?://[\w./~:-]+"
    r"|(?:[~.]{0,2}|[\w.-]{1,64})/(?!\d)[\w./~-]{0,250}\w/?"
    r"|(?<![\w.])\.[a-z]\w+|[a-zA-Z_][\w-]{0,64}(?:\.[a-zA-Z][\w-]{0,64})+)"
    r"|(?P<version>v?\d+(?:\.\d+)+(?!e-?\d)|v\d+\b)"
    r"|(?P<number>0x[0-9a-fA-F]+|\d+(?:\.\d+)?e-?\d+\b|(?!\d[A-Z][a-z])(?:[$€£¥] ?)?\d+(?:,\d{3})*(?:-\d+)?"
    r"(?: ?%|(?:st|nd|rd|th)\b)?)"
    r"|(?P<spelled>(?<!其中)[一二两三四五六七八九十百千]+(?:月份?|点(?:半|钟|[一三]刻)?|(?=[个天次小时分名人周年块元位台条层号楼倍份只辆本张行项种岁])))"
    rf"|(?P<word>\d?[A-Za-z][\w+]*(?:['-]\w+)*[+#]*|#\w+|{HAN})"
    r"|(?P<end>[.;,:!?。、()])"
)

_CLASSES = {
    "drop": """a an the our my we i us your you to of as it its it's that this these those there do does did will
        would who all which so has have had be been being is are was were am in on at by with for and or per about
        around just only very today's because from into against out over than last under behind near dr mr mrs ms
        prof frau herr through including her his him them their they he she up both own any then everything every
        each 的 地 得 我们 我 在 是 都 也就 就 为 把 被 要 咱们 咱 到 成 才 还 由 于 从 和 与 及 或 给 对 有 跟 个 这
        那 他 她 它 包括 前 后 以内 上个月 上周 下周 下个月 去年 今年 明年 昨天 今天 明天 里 中 请 大家 所 内 以 而
        并 且 时 时候 因为 只要 只 每 那里 那边 里面 了 先 再 的是 向 其中 起 一下""",
    "word": """部署 后端 前端 后台 前台 售前 售后 成都 大会 级别 特别 分别 区别 类别 性别 不同 不错 用户名 用户库
        用户表 用户服务 用户中心 用户数据 用户模块""",
    "place": """works_from live lives lived located stored kept_in kept_at kept_on stores keep_in keeps_in held holds
        hosted lies sits stands found put based place 住 住在 位于 放 放在 存 存在 存到 存储 保存 部署在 保留在 托管
        托管在""",
    "light": """no_problem 没问题 没关系 use used using uses run runs running listen listens need needs needed
        require requires required go goes write writes written make makes made get gets take takes got send sends
        sent cost costs price prices work works working call called calls named expect expects want wants prefer
        prefers like likes should must can could may works_for works_at might always served happen happens pay pays
        paid end ends until till expire expires length long minimum max maximum lowest least closes opens interval
        annual yearly enough everywhere size limit limited limits limiting retention retain retained ttl baud_rate
        kick_off kicks_off above below stay stays version oldest lifetime url date reached valid supports deployed
        default value exactly fine ok okay allowed permitted enabled supported allow done happening handled handle
        wanted 用 使用 采用 跑 写 需要 需 叫 叫做 运行 安排 定在 定 支持 应该 应 必须 一次 一律 统一 总是 可以 能 够
        喜欢 偏好 希望 想 值 地址 全部 所有 每次 监听 年费 价格 设 大小 上限 最高 最大 执行 进行 通过 说 应当 默认
        允许 开启 启用 打开 负责 够了 时间 有效期 只要 只需 即可 算法 协议 格式 修改 更改 改动 间隔 周期 频率 更 有效
        失效 关门 开门 开到 要求 至少 为止""",
    "whose": "user user's company project everyone 用户 用户的 团队 公司 项目 全组",
    "now": """now since again from_here_on these_days currently current nowadays new finally already as_of from_now
        现在 如今 目前 以后 今后 已 已经 从今起 又""",
    "not": """not never no cannot without stopped avoid nobody none dislikes hates don't doesn't isn't aren't won't
        can't mustn't shouldn't didn't wasn't no_longer no_one 不 别 勿 禁止 没有 停止 无需 无须 严禁 切勿 不要 不能
        不许 不准 不得 不允许 不再 不用 讨厌 从不 不可以 别再 不可 不必 没 不是 不会""",
    "off": """forbidden prohibited banned disabled off optional closed unlocked read-only 关闭 关掉 关了 关上 禁用
        停用 下线 作废 只读 可选""",
    "change": """switched changed been_set turned handed passed replaced replaces renamed retired dropped ditched
        deprecated switching instead abandoned scrapped removed cancelled canceled archived became delayed switch
        swapped swap took_over taken_over any_more anymore gave_up given_up phased_out stepped_down outgrew 改为 改成
        改用 改到 转成 换成 换到 换为 更换 替换 变更为 变更到 转到 转为 弃用 取代 代替 接手 接任 接替 离职 变成 放弃
        终止 重写 改回 升任 归档 交给 交由 转给 设成 设为 满""",
    "moved": """moved migrated relocated converted rewritten rebuilt moving migrating went 迁 迁移 迁移到 迁到 并入
        搬 搬到 搬去 搬进 挪 挪到 移到 移至""",
    "adjusted": """upgraded downgraded bumped raised lowered increased decreased reduced extended shortened postponed
        rescheduled cut expanded 升 went_up pushed grew shrank rose fell 调整 调整为 升级 升级到 降到 升到 提高到
        提高 降低 减少 增加 延长 缩短 推迟 推迟到 延期 延期到 延到 延至 改期 改期到 提前 提前到 涨到 扩到 增到 减到
        涨价 涨 削减 放宽 收紧 剩下 只剩 调到 调回""",
    "also": "also too either besides as_well 也 另外 同时 还要",
    "past": "formerly previously used_to back_then 早年 以前 曾 当年 当时",
    "weekday": """monday tuesday wednesday thursday friday saturday sunday weekend 周一 周二 周三 周四 周五 周六 周日
        周天 周末 星期一 星期二 星期三 星期四 星期五 星期六 星期日 星期天""",
    "month": "january february march april june july august september october november december",
    "period": """hourly daily weekly monthly quarterly nightly once_a_day once_a_week once_a_month 每天 每日 每周
        每月 每年 每晚 每早 每小时 每季度""",
    "daytime": "morning afternoon evening noon midnight night breakfast 上午 下午 晚上 早上 凌晨 中午 半夜",
    "order": "before after 之前 之后",
    "language": """english german french spanish italian chinese japanese dutch portuguese russian korean 中文 英文
        英语 日文 日语 德语 德文 法语 法文 俄语 韩语""",
}  # fmt: skip
"""Classes of words; a phrase has `_` between its words."""

_CHOICES = (
    "npm pnpm yarn bun | pip poetry uv pipenv conda"
    " | postgres=postgresql mysql sqlite mariadb mongodb oracle cockroachdb tidb | redis memcached valkey"
    " | vim neovim emacs vscode zed sublime | jest vitest mocha jasmine | pytest unittest nose"
    " | react vue svelte angular | tab=tabs space=spaces=空格 | dark=深色 light=浅色"
    " | slack teams discord zulip mattermost 钉钉 飞书 企业微信 | aws gcp azure heroku 阿里云 腾讯云 华为云"
    " | kafka rabbitmq nats | jenkins circleci travis | webpack vite rollup esbuild | eslint biome"
    " | flask django fastapi | black ruff flake8 | rest graphql grpc | jira linear trello | docker podman"
    " | ubuntu debian fedora alpine | zsh bash fish | rebase squash | json xml yaml toml plain+text=纯文本"
    " | nginx caddy apache traefik | camelcase snake_case kebab-case pascalcase | png jpeg webp avif"
    " | red=红色 blue=蓝色 green=绿色 yellow purple orange white=白色 黑色 | utc cet local+time=本地时间=当地时间"
    " | eur=euro usd=dollar gbp chf cny | vegetarian=吃素 vegan meat=吃肉 | github gitlab bitbucket"
    " | post email=e-mail fax | tea=茶 coffee=咖啡 | public=公开 private=私有"
    " | automatic=automatically=自动 manual=manually=by+hand=手动 | mit apache-2 gpl gplv3 agpl lgpl bsd mpl"
    " | stripe adyen paypal braintree 支付宝 微信支付 | keep=keeps=kept=保留 deleted=delete=deletes=删除=删掉"
    " | locally=本地 remotely | short=brief=concise=terse=简短=简洁 detailed=long=verbose=详细=详尽"
    " | strict=严格 lenient=宽松 | synchronous=synchronously=同步 asynchronous=asynchronously=异步 | udp tcp quic"
    " | bcrypt scrypt argon2 argon2id | semicolon=semicolons=分号 comma=commas=逗号 | british american"
    " | notion confluence 语雀 | sendgrid postmark mailgun mailchimp brevo | sphinx mkdocs docusaurus"
    " | hetzner ovh digitalocean linode | wav ogg mp3 flac | mapbox maplibre leaflet | signed unsigned"
    " | gcc clang msvc | cmake bazel meson ninja | maven gradle sbt | pytorch tensorflow jax | latex typst"
    " | unity godot unreal | vulkan opengl directx | mqtt coap | airflow dagster prefect"
    " | terraform pulumi cloudformation | elasticsearch opensearch meilisearch solr | monorepo polyrepo"
    " | element+plus naive+ui ant+design=antd"
)
"""Groups of choices. A subject has only one of a group. `+` joins the words of a phrase, `=` joins synonyms."""

_UNITS = {
    "age": "year_old years_old 岁",
    "duration": "second sec minute min hour hr day week month year quarter 秒 分钟 小时 天 周 个月 月 年 季度",
    "size": "kb mb gb tb kib mib gib",
    "speed": "baud hz khz mhz rpm fps bps 赫兹 波特",
    "grade": "年级",
    "money": "dollar euro usd eur 美元 欧元 日元 人民币 元 万元 万 块 cent",
    "length": "px pixel pt 像素",
}
_SPELLED = "one two three four five six seven eight nine ten twelve twenty thirty first second third fourth fifth"
_FIGURES = "1 2 3 4 5 6 7 8 9 10 12 20 30 1st 2nd 3rd 4th 5th"
NUMBERS = dict(zip(_SPELLED.split(), _FIGURES.split(), strict=True))
_FORMS = (
    "begin:start led:lead require:need want:prefer like:prefer ran:run running:run called:name call:name named:name"
    " indentation:indent prod:production temp:temperature written:write owned:own employee:people member:people"
    " built:build host:server machine:server"
)
_SAME = dict(form.split(":") for form in _FORMS.split())
"""Words that are replaced by another word with the same meaning."""

_TENS = {"十": 10, "百": 100, "千": 1000}
_DIGITS = str.maketrans("一二两三四五六七八九", "1223456789")


def words(text: str) -> frozenset[str]:
    """Return the words of a text as a set."""
    return frozenset(text.split())


LITTLE = frozenset({"light", "whose"})
"""Kinds of common words, which show little about the subject of a text."""

WORDS = frozenset({"word", "name"}) | LITTLE
"""Kinds of tokens that are words. All other kinds are values."""

CHANGES = frozenset({"change", "moved", "adjusted"})
_VALUES = frozenset({"weekday", "period", "daytime", "language", "order"})
TIMES = frozenset({"date", "weekday", "time", "daytime", "period", "number duration"})
"""Kinds of time values. A new text can change several of these at once, or use one instead of another."""

_SKIPPED = words("the a an our my your its their his her new own only dr mr mrs ms frau herr 了 的 我们")
"""Words that are skipped in the search for the word before a value, such as articles."""

_BE = words("is are be get gets")
_HEADS = words("is are was were has have 是 在 由 有")
_RANGE = words("from to at 从 到")
_REASONS = words("since because so 因为 由于 方便 以便")
TITLES = r"(?:is|are|became|takes? over|took over)(?: now| also)? (?:on call|the|our|my|in charge)\b"
DUTIES = (
    r"(?:own(?:s|ed)|leads?|led|manage[sd]?|maintain(?:s|ed)|approve[sd]?|review(?:s|ed)|chair(?:s|ed)|teaches|taught"
    r"|handle[sd]?|replaced|took over|does|responsible|pays|paid|runs|drives|driven|cleans|cleaned)\b"
)
_PERSON = (
    rf"((?!(?:The|Our|My|An?|We|Code|Users?)\b)[A-Z][a-z]+(?: [A-Z][a-z]+)?) (?:{TITLES}|{DUTIES}|now (?:{DUTIES}))"
)
"""Expression for a person's name at the beginning of a text, with the words that give a task or a title."""

_TITLE = r"\b(Dr|Mrs?|Ms|Prof|St)\. "
_SINCE = (
    r"(?i)^(?:since|after|as of|from) [^,]{3,40}, |(?:^|[,。;])(?:我们?|大家|公司|团队|项目)?从[^,。]{1,8}(?:开始|起)"
    r"|^[^,。]{1,10}(?:之后|以后|起|后),"
)
"""Expression for the time since which a change applies, such as "Since May, "."""

_SHORT = 3
"""A word with a hyphen is split only if all its parts are longer: "opt-in" is one word, "read-only" is two."""

_Unit = tuple[str, str]
_Class = tuple[str, int, str]


class Token(NamedTuple):
    """A word or a value. `before` is the word before it, except articles. `follows`: a token is directly before it."""

    kind: str
    text: str
    before: str = ""
    follows: bool = False


class Statement(NamedTuple):
    """A text that was read. `head`: the words before the verb. `denied`: the words to which a negation refers."""

    lower: str
    tokens: tuple[Token, ...]
    head: frozenset[str]
    classes: frozenset[str]
    denied: frozenset[str]
    words: frozenset[str]

    def of(self, kind: str) -> frozenset[str]:
        return frozenset(token.text for token in self.tokens if token.kind == kind)

    def without(self, kinds: AbstractSet[str] = frozenset()) -> frozenset[str]:
        """Return the texts of all tokens, except those of common words and those of the given kinds."""
        return frozenset(token.text for token in self.tokens if token.kind not in kinds | LITTLE)


@lru_cache(maxsize=1)
def lexicon() -> dict[str, str]:
    """Return the class of each word and phrase as a dict."""
    found: dict[str, str] = {}
    for name, words in _CLASSES.items():
        for word in words.split():
            found.setdefault(word.replace("_", " "), name)
    for number, group in enumerate(_CHOICES.split("|")):
        for synonyms in group.split():
            found.update((word, f"choice {number}") for word in synonyms.replace("+", " ").split("="))
    for kind, words in _UNITS.items():
        found.update((word.replace("_", " "), f"unit {kind}") for word in words.split())
    units = [*filter(str.isascii, _UNITS["duration"].split()), "night", "morning"]
    found.update((f"{every} {unit}", "period") for every in ("every", "each") for unit in units)
    found.update((word, "number duration") for word in ("forever", "indefinitely", "永久", "永远"))
    found.update((f"每{word}", "weekday") for word in _CLASSES["weekday"].split() if is_zh(word))
    return found


_CHANGED = "投寄发找存走约喝吃坐骑开学写放在由名住买订穿听去"
"""Verbs that report a change if 改 precedes them, as in 改坐."""


@lru_cache(maxsize=1)
def _synonyms() -> dict[str, str]:
    """Return a dict from each further synonym of a choice to the first one."""
    groups = [synonyms.replace("+", " ").split("=") for synonyms in _CHOICES.split() if "=" in synonyms]
    return {word: first for first, *others in groups for word in others}


@lru_cache(maxsize=1)
def _phrases() -> dict[str, int]:
    """Return, for each first word or character of a phrase, the length of the longest such phrase."""
    found: dict[str, int] = {}
    for phrase in lexicon():
        parts = phrase if is_zh(phrase) else phrase.split()
        found[parts[0]] = max(len(parts), found.get(parts[0], 0))
    return found


def _class(units: Sequence[_Unit], at: int) -> _Class:
    """Return class, length and words of the longest known phrase that begins at the unit with the index `at`."""
    if at >= len(units) or units[at][0] != "word":
        return "", 1, ""
    word = units[at][1].lower()
    join = "" if is_zh(word) else " "
    for size in range(_phrases().get(word, 0), 1, -1):
        if name := lexicon().get(key := join.join(some for _, some in units[at : at + size]).lower()):
            return name, len(units[at : at + size]), key
    if word == "改" and at + 1 < len(units) and units[at + 1][1] in _CHANGED:
        return "change", 2, f"改{units[at + 1][1]}"
    if join and not word.isascii():
        return "drop", 1, word  # a letter of another alphabet
    return lexicon().get(word) or ("" if word == "users" else lexicon().get(word.removesuffix("s"), "")), 1, word


def _stem(word: str) -> str:
    """Return an English word without its ending, or a word with the same meaning that replaces it."""
    word = word.removesuffix("'s")
    if not word.isascii() or len(word) < 4:
        return _SAME.get(word, word)
    word = word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word
    word = _SAME.get(word, word)
    for end, least in (("ing", 6), ("ed", 5)):
        if word.endswith(end) and len(word) >= least:
            word = word[: -len(end)]
            word = word[:-1] if word[-1:] == word[-2:-1] and word[-1] not in "sl" else word
    word = word[:-1] if word.endswith("e") and len(word) > 3 else word
    return word[:-1] + "i" if word.endswith("y") and len(word) > 3 else word


def is_zh(word: str) -> bool:
    return "\u3400" <= word[:1] <= "\u9fff"


@lru_cache(maxsize=64)
def read(text: str) -> Statement:
    text = unicodedata.normalize("NFKC", text).replace("’", "'")
    text = text.replace(",不过", ",").removeprefix("不过")  # "however"; elsewhere 不 denies 过敏 or 过期
    if ". " in text:
        text = pattern(_TITLE).sub(r"\1 ", text)
    if text.lower().startswith(("since", "after", "as of", "from")) or any(char in text for char in "从起后"):
        text = pattern(_SINCE).sub(" 现在 ", text)
    return _Reader(text).read()


def _arabic(word: str) -> str:
    """Return a Chinese number below 10,000 in Arabic digits, as 400 for 四百; other words with Arabic digits."""
    total, digit = 0, 0
    for char in word:
        if char in _TENS:
            total, digit = total + (digit or 1) * _TENS[char], 0
        elif "1" <= char.translate(_DIGITS) <= "9":
            digit = int(char.translate(_DIGITS))
        else:
            return word.translate(_DIGITS)
    return word if word.isascii() else str(total + digit)


class _Reader:
    """Reader of the tokens of one text."""

    def __init__(self, text: str) -> None:
        self.lower = text.lower()
        self.units: list[_Unit] = []
        for match in pattern(_TOKEN).finditer(text):
            whole, kind = match[0], match.lastgroup or ""
            parts = (
                whole.split("-")
                if kind == "word" and "-" in whole and whole.isascii() and whole.lower() not in lexicon()
                else []
            )
            is_compound = min(map(len, parts), default=0) > _SHORT
            self.units += [(kind, part) for part in parts] if is_compound else [(kind, whole)]
        is_other = not "A" <= text[:1] <= "Z" or text.startswith(("The ", "Our ", "We "))
        person = None if is_other else pattern(_PERSON).match(text)
        self.people = person[1].lower().split() if person else []
        self.tokens: list[Token] = []
        self.classes: set[str] = {"now"} if text.rstrip("。.!").endswith("了") else set()
        self.denied: set[str] = set()
        self.head: frozenset[str] | None = None
        self.begins = True
        self.before = ""

    def read(self) -> Statement:
        waits = False  # for the word that a negation concerns
        at, last = 0, -1
        while at < len(self.units):
            kind, raw = self.units[at]
            if kind == "end":
                self.denied |= self._last() if waits else set()
                waits, self.before, self.begins, at = False, raw, raw not in ",:、", at + 1
                continue
            name, size, said = self._class(at) if kind == "word" else ("", 1, raw.lower())
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
            is_verb = name in ("light", "place", "now") or name in CHANGES or said in _HEADS
            if self.head is None and is_verb:
                self.head = frozenset(token.text for token in self.tokens)
            if kind in _CLASSES and kind not in _VALUES | LITTLE | {"word"}:
                is_state = kind in CHANGES and self.before in _BE
                self.classes |= set() if is_state else {kind}
                self.denied |= self._last() if kind == "off" else set()
                waits = waits or kind == "not"
            else:
                self.tokens.append(Token(kind, word, self.before, last == at))
                last = last if kind == "light" else at + size
                if kind not in LITTLE:
                    self.denied |= {word} if waits else set()
                    waits = False
            if kind != "now" and not (kind == "drop" and said in _SKIPPED):
                self.before = said
            self.begins = False
            at += size
        self.denied |= self._last() if waits else set()
        head = self.head or frozenset(token.text for token in self.tokens[:2] if token.before not in _RANGE)
        words = frozenset(token.text for token in self.tokens)
        return Statement(self.lower, tuple(self.tokens), head, frozenset(self.classes), frozenset(self.denied), words)

    def _word(self, at: int, name: str, size: int, said: str) -> tuple[str, str, int]:
        """Return kind, text and length of a word. A word of a class has the class as its kind."""
        raw = self.units[at][1]
        kind, following = self.units[at + 1] if at + 1 < len(self.units) else ("", "")
        is_capital = raw[0].isupper() and not self.begins
        is_first = len(raw) == 1 and raw[0].isupper() and is_zh(following)  # as in A 项目
        is_label = is_first or (len(raw) == 1 and is_capital and raw != "I")
        if (
            said in NUMBERS
            and following not in ("of", "is", "or")
            and (said != "second" or self.units[at - 1][1].lower() == "the")
        ):
            unit, length, _ = _class(self.units, at + 1)
            is_unit = unit.startswith("unit")
            if unit == "unit duration" and self.before in ("every", "each"):
                return "period", f"{NUMBERS[said]} {self.units[at + 1][1].lower()}".removesuffix("s"), 1 + length
            return (f"number {unit[5:]}" if is_unit else "number"), NUMBERS[said], 1 + length * is_unit
        if name == "month" or (raw == "May" and (is_capital or kind == "number")):
            return ("date", f"{said} {following}", 2) if kind == "number" else ("date", said, 1)
        if name == "unit money":
            return "currency", said, size
        is_proper = (raw == "Go" and is_capital) or (name == "drop" and raw.isupper() and len(raw) > 1)  # as US
        if name and not (is_label or is_proper or name.startswith("unit")):
            one = said.removesuffix("s") if said.removesuffix("s") in lexicon() else said
            one = _synonyms().get(one, one).removeprefix("每")
            return name, (_stem(said) if name in LITTLE else one), size
        is_person = said in self.people and len(self.tokens) < 3
        is_name = raw.isascii() and (is_capital or is_first or is_person or is_zh(self.before))
        is_unit = bool(name) and raw.isascii() and not is_name
        return ("drop" if is_unit else "name" if is_name else "word"), _stem(said), size

    def _number(self, at: int) -> tuple[str, str, int]:
        """Return kind, text and length of a number with its unit."""
        word = _arabic(self.units[at][1])
        unit, length, said = _class(self.units, at + 1)
        if word[-1] in "月份点半钟刻":
            return ("date" if "月" in word else "time"), word, 1
        if unit == "unit duration":
            is_period = self.before in ("every", "each", "每") or pattern("interval|间隔|频率").search(self.lower)
            return "period" if is_period else "number duration", f"{word} {said}".removesuffix("s"), 1 + length
        if unit.startswith("unit") or word[0] in "$€£¥":
            is_unit = unit.startswith("unit")
            return f"number {unit[5:] if is_unit else 'money'}", word.lstrip("$€£¥ "), 1 + length * is_unit
        if self.before in ("turned", "满"):
            return "number age", word, 1
        if said == "of":
            unit, _, said = _class(self.units, at + 2)
            length = 2
        if unit == "month" or said == "may":
            return "date", f"{said} {word}", 1 + length
        kind = self.tokens[-1].kind if self.tokens else ""
        is_version = kind.startswith("choice") and self.tokens[-1].text == self.before and self._is_last(at)
        return ("drop" if kind == "date" else "version" if is_version else "number"), word, 1

    def _is_last(self, at: int) -> bool:
        """Return whether no word follows, as in "React 17"."""
        return at + 1 == len(self.units) or self.units[at + 1][0] != "word"

    def _class(self, at: int) -> _Class:
        """Return class, length and words of a phrase. Before a time, 部署在 is only the verb 部署, as in 部署在周五."""
        name, size, said = _class(self.units, at)
        end = at + size
        if name != "place" or len(said) < 3 or not said.endswith("在") or end == len(self.units):
            return name, size, said
        is_time = self.units[end][0] in ("date", "time") or _class(self.units, end)[0] in TIMES
        return ("", size - 1, said[:-1]) if is_time else (name, size, said)

    def _last(self) -> set[str]:
        """Return a set with the last word that shows the subject."""
        return {token.text for token in [token for token in self.tokens if token.kind not in LITTLE][-1:]}


def weight(words: Iterable[str]) -> float:
    """Return the number of words. A Chinese character counts 0.5, and a common word 0.3."""
    classes = lexicon()
    return sum(0.3 if classes.get(word) in LITTLE else 0.5 if len(word) == 1 and is_zh(word) else 1 for word in words)
