"""Half a year of a marine biologist, who dictates her messages, and of the coding agent that works on her data.

Nothing here is taken from the other person. Her messages are long or clipped, without punctuation, in two languages.
"""

from benchmarks.year.person import Fact, Person, Planted, Work

_IDENTITY = (
    Fact(1, "explicit", "用户叫郝静，朋友喊她阿静", "我朋友平时怎么喊我", "阿静"),
    Fact(1, "score", "The user is a marine biologist who studies kelp forests", "what do I study", "kelp"),
    Fact(2, "add", "The user cannot stand being called Doctor", "how should you not call me", "Doctor"),
    Fact(2, "explicit", "用户有哮喘，潜水前要用吸入器", "我下水之前要用什么药", "吸入器"),
    Fact(3, "score", "用户的儿子叫果果，今年上三年级", "我儿子叫啥来着", "果果"),
    Fact(3, "add", "The user's father Hao Wei repairs fishing boats", "what does my father do", "boats"),
    Fact(4, "explicit", "Promised: every Sunday evening the user cooks with her son", "what did I promise for sundays", "cooks"),
    Fact(5, "add", "用户是素食者，连鱼露也不吃", "给我推荐菜的话有什么不能放", "鱼露"),
    Fact(6, "score", "The user's birthday is on 30 November", "on which day was I born", "30 November"),
    Fact(7, "explicit", "回答用户时先给结论，再给理由", "你回答我的时候先说哪部分", "先给结论"),
    Fact(8, "add", "用户只用左耳听得清，右耳受过伤", "我哪只耳朵不好", "右耳"),
    Fact(10, "score", "The user plays the erhu in an amateur orchestra", "which instrument do I play", "erhu"),
)  # fmt: skip

_CORRECTED = (
    (
        Fact(2, "score", "用户在青岛的海洋所上班", "我在哪个单位上班", "青岛"),
        Fact(70, "score", "用户换了单位，现在在霍巴特的塔斯马尼亚大学", "我在哪个单位上班", "塔斯马尼亚"),
    ),
    (
        Fact(4, "explicit", "The dive boat leaves at half past six", "when does the dive boat leave", "half past six"),
        Fact(88, "score", "The dive boat leaves at eight now", "when does the dive boat leave", "eight"),
    ),
    (
        Fact(9, "score", "果果的钢琴课在周三", "果果哪天上钢琴课", "周三"),
        Fact(101, "explicit", "果果的钢琴课改到周六了", "果果哪天上钢琴课", "周六"),
    ),
)

_DECISIONS = (
    Fact(11, "score", "Decided: counts are per square metre, never per quadrat", "which unit do our counts have", "square metre"),
    Fact(19, "score", "决定：水温用校准过的 HOBO 记录仪，不用潜水电脑的读数", "水温的数据从哪来", "HOBO"),
    Fact(31, "score", "We keep raw photographs for ten years on the tape library", "how long do raw photographs stay", "ten years"),
    Fact(44, "score", "论文投给 Marine Ecology Progress Series", "那篇论文投哪家", "Marine Ecology"),
    Fact(57, "score", "Decided: the map is drawn in EPSG:7855", "projection of the map", "EPSG:7855"),
    Fact(76, "score", "决定：海胆直径小于两厘米的不计", "多小的海胆不用数", "两厘米"),
    Fact(93, "score", "The statistics are done in R with brms, not in Python", "what do we do the statistics with", "brms"),
    Fact(118, "score", "决定：十二月不安排潜水，浪太大", "几月份不下水", "十二月"),
    Fact(140, "score", "Volunteers get a day's training before their first transect", "what must volunteers do first", "training"),
    Fact(162, "score", "样方编号用 站点-年份-序号", "样方怎么编号", "站点-年份-序号"),
)  # fmt: skip

_SITES = (
    "Bluff Cove", "Iron Reef", "Needle Rock", "Seal Ledge", "Cray Point", "Lantern Bay", "Fossil Steps", "Gull Shelf",
    "Old Jetty", "Wreck Bar", "Tidal Gate", "Cathedral Arch", "Mussel Flat", "Storm Gully", "Otter Bank",
    "麦岛", "团岛", "竹岔", "灵山", "大公岛", "朝连", "千里岩", "鳌山", "薛家", "燕儿岛", "小青岛", "崂山头", "田横", "斋堂", "沐官",
)  # fmt: skip
_FORMS = (
    ("{0} was surveyed with {1} transects", "{0}做了{1}条样线", "how many transects at {0}", "{0}做了几条样线"),
    ("At {0} the sea floor is {1} metres deep", "{0}的水深是{1}米", "how deep is the sea at {0}", "{0}有多深"),
    ("{0} has {1} urchins in a square metre", "{0}每平方米有{1}只海胆", "urchin density of {0}", "{0}海胆有多少"),
    ("The logger at {0} has the number L{1}", "{0}的记录仪编号是 L{1}", "which logger is at {0}", "{0}用的哪台记录仪"),
    ("The permit for {0} is number P{1}", "{0}的许可证号是 P{1}", "permit number for {0}", "{0}的许可证号"),
    (
        "From the harbour to {0} it takes {1} minutes",
        "从码头到{0}要{1}分钟",
        "time from the harbour to {0}",
        "到{0}开船多久",
    ),
)


def _notes() -> list[Fact]:
    out = []
    for day in range(180):
        site, (english, chinese, question, asked) = _SITES[day % len(_SITES)], _FORMS[day // len(_SITES)]
        text, words = (english, question) if site.isascii() else (chinese, asked)
        number = str(200 + day * 3)
        out.append(Fact(day + 1, "note", text.format(site, number), words.format(site), number))
    return out


_REMARKS = (
    "用户有点晕船", "The user lost a glove", "用户嫌食堂的汤咸", "The user slept badly", "用户的快递还没到",
    "The user's bicycle has a flat tyre", "用户今天穿了新雨鞋", "The user is waiting for a plumber", "用户刚看完牙医",
    "The user forgot her umbrella",
)  # fmt: skip

_PLANTED = (
    Planted(4, "诶问一下冬天干手套里头穿什么暖和", "穿一层薄羊毛内胆，比抓绒干得快", "干手套里面垫的那种内胆", "羊毛"),
    Planted(22, "ok what game could a nine year old play on a ferry no screens", "Try Hive, its tiles need no board", "the game with tiles for the ferry", "Hive"),
    Planted(37, "二胡的弦老是跑音怎么弄", "换成钢绳弦，再往弦轴上擦点松香粉", "二胡跑音的时候往弦轴上擦什么", "松香"),
    Planted(61, "something to read about whalers but not moby dick", "Read Rush Oh! by Shirley Barrett", "the novel about whalers you recommended", "Rush Oh"),
    Planted(79, "素的饺子馅有什么新花样", "可以用海带丝、香干和粉条拌馅", "海带拌的饺子馅", "香干"),
    Planted(99, "how do i get tar off a wetsuit", "Rub it with peanut butter and rinse it warm", "what took the tar off the wetsuit", "peanut butter"),
    Planted(120, "霍巴特哪里能买到豆浆机", "北霍巴特的 Wing and Co 有货", "那家有豆浆机的店", "Wing"),
    Planted(147, "a plant for the window that survives salt air", "Take a pigface, it likes salt", "salt air plant for the window", "pigface"),
    Planted(161, "果果做火山实验用啥", "小苏打加白醋，再滴点洗洁精", "果果火山实验的材料", "小苏打"),
)  # fmt: skip
_LATELY = (
    Planted(-8, "which podcast for the drive up the coast", "Listen to Ologies", "last week's podcast for the drive", "Ologies"),
    Planted(-7, "推荐个防晕船的法子", "含一片腌姜，眼睛看远处", "上周说的防晕船的办法", "腌姜"),
    Planted(-1, "my mask fogs all the time", "Scrub the glass with toothpaste once", "yesterday's hint against the fogging mask", "toothpaste"),
    Planted(-2, "给导师退休买点啥", "送一张手绘海图", "前几天说的退休礼物", "海图"),
)  # fmt: skip

_TOPICS = (
    ("ferry", ("the ferry was late again", "no seat outside", "who has the tickets", "it smells of diesel")),
    ("作业", ("果果的作业又没写完", "老师在群里点名了", "这道题超纲了吧", "签个字就行")),
    ("compressor", ("the compressor rattles", "change the filter first", "two tanks are empty", "call the workshop")),
    ("排练", ("今晚排练谁缺席", "第二乐章太快了", "谱子复印少了一份", "指挥感冒了")),
    ("gulls", ("a gull stole my sandwich", "they nest on the shed", "close the lid", "noisy at four")),
    ("房租", ("房租又要涨", "暖气不热", "楼上在装修", "网断了一下午")),
    ("swimming", ("the pool was full of kids", "my goggles leak", "twenty lanes today", "cold shower again")),
    ("豆腐", ("豆腐煎碎了", "火候太大", "少放点盐", "明天换嫩的")),
)

_WORK = (
    Work(6, "tools/quadrats.py", "the totals per site are off by a factor of four since the last import",
         "KeyError: 'area_m2'", "The new export has the area in square feet; I convert it in read_sheet and added a check",
         "why were the site totals four times too high", "square feet"),
    Work(18, "R/model.R", "fit.R dies after an hour with something about divergent transitions",
         "Warning: 812 divergent transitions after warmup", "I set adapt_delta to 0.99 and scaled the depth, now there are none",
         "how did we get rid of the divergent transitions", "adapt_delta"),
    Work(29, "tools/photos.py", "给照片改名的脚本把两台相机的文件搞混了 同一秒拍的互相覆盖",
         "FileExistsError: [Errno 17] File exists: 'IR-2025-0931.jpg'", "文件名里加了相机的序列号，重名时报错而不是覆盖",
         "两台相机同一秒拍的照片改名互相覆盖是怎么解决的", "序列号"),
    Work(41, "maps/build_tiles.sh", "the tiles of the bay have white seams",
         "gdalwarp: Warning 1: NaN nodata mismatch", "The seams came from nodata 0 against NaN; gdalwarp now gets -dstnodata nan",
         "white seams between the tiles of the bay", "nodata"),
    Work(55, "loggers/parse.py", "记录仪的时间差了整整一个小时 十月以后全错",
         "AssertionError: 13:00 != 12:00", "固件按夏令时走，解析时改用 UTC 偏移，十月以后的数据已重新导入",
         "记录仪差一个小时那次是什么原因", "夏令时"),
    Work(67, "web/src/Upload.tsx", "volunteers cannot upload more than twenty pictures from their phones",
         "413 Request Entity Too Large", "nginx refused bodies above 20 MB; client_max_body_size is 200m and the client sends five at a time",
         "uploading many pictures from a phone failed, what was the limit", "client_max_body_size"),
    Work(82, "tools/species.py", "the species list counts Ecklonia twice, once with a blank at its end",
         "AssertionError: 41 != 40", "Names are stripped and matched against the WoRMS register by AphiaID",
         "Ecklonia was counted twice, how is it matched now", "AphiaID"),
    Work(97, "pipeline/Snakefile", "snakemake reruns everything when I touch the readme",
         "reason: Code has changed since last execution", "I run it with rerun-triggers mtime and took the readme out of the inputs",
         "snakemake ran everything again after a change of the readme", "rerun-triggers"),
    Work(113, "report/build.qmd", "报告导出 PDF 中文全是方块",
         "LuaTeX warning: Missing character: There is no 胆 in font", "在 quarto 里换成 Noto Serif CJK，mainfont 写进 build.qmd",
         "导出的 PDF 里中文变方块怎么修的", "Noto"),
    Work(126, "tools/transects.py", "half of the transects have negative length",
         "ValueError: negative length", "Start and end were exchanged when the tape ran seaward; I sort them by depth",
         "transects with negative length", "sort them by depth"),
    Work(138, "ci/check.yml", "the nightly check is red but only on Mondays",
         "Error: Process completed with exit code 137.", "On Mondays the weekly backup takes the memory; the check moved to four in the morning",
         "why was the nightly check red on mondays", "backup"),
    Work(149, "db/urchins.sql", "查询海胆密度要跑四分钟 帮我看看",
         "Seq Scan on counts (cost=0.00..981221.00)", "加了 (site_id, dived_at) 的联合索引，查询降到 0.3 秒",
         "海胆密度的查询慢 当时加了什么索引", "dived_at"),
)  # fmt: skip

BIOLOGIST = Person(
    "a marine biologist",
    _IDENTITY,
    _CORRECTED,
    _DECISIONS,
    _REMARKS,
    ("the user's oxygen kit is in the red locker", "the user's spare fins are in the blue locker"),
    "oxygen kit locker",
    _notes(),
    _PLANTED,
    _LATELY,
    _TOPICS,
    talks=6,
    work=_WORK,
)
