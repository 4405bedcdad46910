"""Half a year of a person and a project, in two languages: facts, questions about them, and small talk.

A question's words are those that somebody would ask with, not those of the fact.
"""

from typing import NamedTuple


class Fact(NamedTuple):
    """A fact, its day, how it is stored (`score`: remember with 9, `explicit`, `add`: [ADD][core]), and a question.

    `answer` is in the text of what answers.
    """

    day: int
    how: str
    text: str
    question: str
    answer: str


class Planted(NamedTuple):
    """A message of a conversation, an answer with new information, and a later question about it.

    A `day` below 0 counts from the end.
    """

    day: int
    user: str
    assistant: str
    question: str
    answer: str


class Work(NamedTuple):
    """A session of a coding agent: a file, the user's words, an error, what was done, and a question about it."""

    day: int
    file: str
    user: str
    error: str
    done: str
    question: str
    answer: str


Corrections = tuple[tuple[Fact, Fact], ...]


class Person(NamedTuple):
    """All data of a person. `small` are two facts that last three weeks; only the first is recalled, by `cue`."""

    name: str
    identity: tuple[Fact, ...]
    corrected: Corrections
    decisions: tuple[Fact, ...]
    remarks: tuple[str, ...]
    small: tuple[str, str]
    cue: str
    notes: list[Fact]
    planted: tuple[Planted, ...]
    lately: tuple[Planted, ...]
    topics: tuple[tuple[str, tuple[str, ...]], ...]
    talks: int
    work: tuple[Work, ...]


IDENTITY = (
    Fact(1, "score", "用户的名字叫林夏", "我叫什么名字？", "林夏"),
    Fact(1, "explicit", "用户的生日是3月5日", "什么时候给我庆祝生日？", "3月5日"),
    Fact(1, "add", "用户对花生过敏，点餐时必须避开", "点菜要注意什么，我对什么过敏？", "花生"),
    Fact(2, "score", "The user works as a structural engineer at a bridge firm", "what is my job, what do I work as", "bridge firm"),
    Fact(2, "explicit", "The user's daughter is called Mila and was born in 2019", "how is my daughter called", "Mila"),
    Fact(3, "add", "The user is left-handed", "which hand, left or right", "left-handed"),
    Fact(3, "score", "用户的母语是上海话，工作语言是英语", "我工作用什么语言", "英语"),
    Fact(4, "explicit", "约定：每年除夕和父母视频通话", "除夕有什么约定", "除夕"),
    Fact(5, "add", "The user's wife is called Noor", "what is the name of my wife", "Noor"),
    Fact(5, "score", "用户最喜欢的运动是攀岩", "我平时喜欢做什么运动", "攀岩"),
    Fact(8, "explicit", "The user wants short answers without apologies", "how long should answers be", "short answers"),
    Fact(9, "add", "用户不吃香菜", "我吃香菜吗", "不吃香菜"),
)  # fmt: skip

CORRECTED = (
    (
        Fact(1, "score", "用户住在杭州", "我现在住在哪个城市？", "杭州"),
        Fact(60, "score", "用户搬家了，住在上海徐汇区", "我现在住在哪个城市？", "上海"),
    ),
    (
        Fact(6, "explicit", "The office is on the third floor, room 312", "on which floor do we work now", "312"),
        Fact(95, "score", "The office moved to the fifth floor, room 540", "on which floor do we work now", "540"),
    ),
)
"""Facts and their corrections, which are not marked as corrections."""

DECISIONS = (
    Fact(12, "score", "决定：数据库用 PostgreSQL，不用 MySQL，因为要 JSONB", "我们的数据库为什么选了 PostgreSQL", "JSONB"),
    Fact(20, "score", "Decision: the API is versioned in the path, /v1, not in a header", "how do we do versions of the API", "/v1"),
    Fact(33, "score", "决定：周五下午不发布", "周五能发布吗", "周五下午不发布"),
    Fact(47, "score", "Decision: errors are logged as JSON lines to stdout", "what is the format of our log of errors", "JSON lines"),
    Fact(58, "score", "Decision: the mobile app is written in Kotlin, shared by both platforms", "mobile app language", "Kotlin"),
    Fact(71, "score", "决定：密钥放在 Vault，不放环境变量", "密钥放在哪里", "Vault"),
    Fact(90, "score", "Decision: background jobs run in Celery with Redis as broker", "broker of our background jobs", "Redis"),
    Fact(112, "score", "决定：前端用 Svelte 重写", "前端用什么框架重写", "Svelte"),
    Fact(139, "score", "Decision: we pay the consultant from Oslo until the end of the year", "until when do we pay the consultant", "Oslo"),
    Fact(160, "score", "决定：测试覆盖率门槛是百分之八十", "测试覆盖率要到多少", "百分之八十"),
)  # fmt: skip

LOOK_ALIKE = (
    "用户的同事叫小周", "The user's neighbour is called Tom", "用户这周的心情不错", "The user is tired today", "用户今天想吃火锅",
    "The user has a headache", "用户明天要开会", "The user's train was late", "用户在看一部悬疑剧", "The user bought a blue mug",
)  # fmt: skip
"""Remarks stored with a plain [ADD]: they look like facts about the user, and fade."""

SERVICES = (
    ("登录", "陈默"), ("billing", "Ana Duarte"), ("搜索", "周岚"), ("mail", "Piet Visser"), ("支付", "高远"),
    ("maps", "Ines Roth"), ("报表", "沈一帆"), ("video", "Tomas Berg"), ("库存", "吴桐"), ("chat", "Lea Novak"),
    ("物流", "秦朗"), ("photos", "Omar Haddad"), ("推荐", "许诺"), ("archive", "Greta Lund"), ("客服", "白羽"),
    ("tax", "Hugo Marin"), ("优惠券", "罗曼"), ("export", "Dora Klein"), ("评论", "方舟"), ("push", "Ivan Petrov"),
    ("结算", "苏沐"), ("cron", "Nora Quist"), ("日历", "谢安"), ("avatar", "Luca Ferri"), ("风控", "唐果"),
    ("geo", "Mei Tanaka"), ("直播", "韩松"), ("wiki", "Paul Weiss"), ("短信", "丁宁"), ("ledger", "Sara Holm"),
    ("会员", "江川"), ("forms", "Jan Kowal"), ("签到", "贺兰"), ("stats", "Rita Costa"), ("退款", "鲁棒"), ("proxy", "Emil Sand"),
)  # fmt: skip
"""The services of the project and their owners."""

_NOTES = (
    ("{0}服务的负责人是{1}", "{1} owns the {0} service", "{0}归谁管", "whom do I ask about {0}"),
    ("{0}服务监听端口{2}", "The {0} service listens on port {2}", "{0}用哪个端口", "what is the port of {0}"),
    ("{0}服务每天{3}点备份", "The {0} service is backed up at {3} o'clock", "{0}几点备份", "when is the backup of {0}"),
    ("{0}服务的日志保留{4}天", "Logs of the {0} service are kept for {4} days", "{0}的日志存多久", "how long do we keep the logs of {0}"),
    ("{0}服务跑在机器 node-{5} 上", "The {0} service runs on node-{5}", "{0}部署在哪台机器", "which machine does {0} run on"),
)  # fmt: skip


def notes() -> list[Fact]:
    """Return the notes about the project, one per day, with a score of 7: many differ only in a word or two."""
    out = []
    for day in range(180):
        (name, owner), turn = SERVICES[day % len(SERVICES)], day // len(SERVICES)
        fields = (name, owner, 8000 + day, day % 24, 7 + day % 80, 100 + day)
        chinese, english, asked, question = (form.format(*fields) for form in _NOTES[turn])
        answer = str(fields[1 + turn])
        is_chinese = not name.isascii()
        text, words = (chinese, asked) if is_chinese else (english, question)
        out.append(Fact(day + 1, "note", text, words, answer))
    return out


PLANTED = (
    Planted(3, "有什么好的徒步路线？", "可以走徽杭古道，全程大约二十公里", "那条徒步的古道叫什么", "徽杭古道"),
    Planted(25, "which cheese goes with pears", "Try Taleggio, it is soft and mild", "the soft cheese with pears", "Taleggio"),
    Planted(40, "推荐一本讲桥梁的书", "《结构的力量》值得一读", "那本讲桥梁结构的书", "结构的力量"),
    Planted(66, "a good bakery near the station?", "People praise Boulangerie Verlet near the station", "bakery near the station", "Verlet"),
    Planted(84, "孩子发烧怎么办", "先量体温，超过三十八度五再用布洛芬", "孩子发烧用什么", "布洛芬"),
    Planted(101, "how to stop the door squeaking", "Rub graphite on the hinges", "what helped against the squeaking door", "graphite"),
    Planted(123, "周末带孩子去哪儿", "可以去自然博物馆看恐龙骨架", "说过带孩子看恐龙的地方", "自然博物馆"),
    Planted(145, "what is a good name for the boat", "Call her Halcyon", "name for the boat", "Halcyon"),
    Planted(163, "怎么给薄荷驱虫", "用稀释的苦楝油喷叶子背面", "薄荷驱虫的油", "苦楝油"),
)  # fmt: skip

LATELY = (
    Planted(-7, "a film for the flight", "Watch Paterson, it is calm", "which film did we talk about last week", "Paterson"),
    Planted(-7, "阳台上种什么香草好", "迷迭香耐旱，最省心", "上周聊的香草是哪一种", "迷迭香"),
    Planted(-1, "how do I get wine out of linen", "Soak it in sparkling water at once", "yesterday we talked about the wine stain", "sparkling water"),
    Planted(-2, "给同事送什么乔迁礼物", "送一盆龟背竹吧", "最近说过的乔迁礼物", "龟背竹"),
)  # fmt: skip
"""Messages of the last days, with questions that name the time."""

TOPICS = (
    ("天气", ("今天会下雨吗", "降温了，多穿点", "明天转晴", "雾霾有点重", "风好大")),
    ("noodles", ("which noodles for lunch", "the broth was too salty", "hand pulled ones are better", "add some chili oil", "tonkotsu again")),
    ("游戏", ("昨晚打到第几关了", "那个头目太难", "换个武器试试", "联机掉线了", "存档坏了")),
    ("running", ("my knee hurts after the run", "slow down on hills", "new shoes came", "ten k in an hour", "it was foggy at the lake")),
    ("猫", ("猫又把杯子推下去了", "要不要换猫粮", "它睡在键盘上", "该打疫苗了", "掉毛季节")),
    ("meetings", ("the standup ran long", "who takes the notes", "move it to Tuesday", "the room was booked", "we lost the thread")),
    ("追剧", ("第三集反转太大", "主角又失忆", "配乐不错", "不想看结局", "弹幕太吵")),
    ("coffee", ("the grinder is loud", "beans from Kenya", "too sour for me", "oat milk is out", "descale the machine")),
    ("堵车", ("高架又堵了", "改坐地铁", "打不到车", "早出门十分钟", "导航绕路")),
    ("garden", ("slugs ate the lettuce", "the tomatoes turn red", "water in the evening", "weeds everywhere", "the hose leaks")),
)  # fmt: skip

WORK = (
    Work(9, "src/loads/wind.py", "the wind loads of the footbridge come out negative on the north side",
         "AssertionError: -0.8 kN", "The azimuth was taken clockwise twice; wind.py now normalises it once",
         "why were the wind loads negative on the north side", "azimuth"),
    Work(38, "api/export.go", "导出大模型的时候服务内存爆了", "fatal error: runtime: out of memory",
         "改成流式写出，每五百个节点刷新一次缓冲", "导出大模型内存爆了是怎么改的", "流式"),
    Work(74, "web/viewer.ts", "the viewer flickers when two cables overlap", "WebGL: INVALID_OPERATION: depth mask",
         "Cables get a polygon offset, the flicker is gone", "flicker of overlapping cables in the viewer", "polygon offset"),
    Work(121, "tests/test_fatigue.py", "the fatigue test passes on my laptop and fails in CI",
         "AssertionError: 1.0000001 != 1.0", "CI has another BLAS; the test compares with a tolerance of 1e-6",
         "fatigue test failed only in CI", "BLAS"),
)  # fmt: skip

ENGINEER = Person(
    "a structural engineer",
    IDENTITY,
    CORRECTED,
    DECISIONS,
    LOOK_ALIKE,
    ("the user waters the fern on odd days", "the user repots the cactus on even days"),
    "waters the fern",
    notes(),
    PLANTED,
    LATELY,
    TOPICS,
    talks=10,
    work=WORK,
)
