"""Quick tests of a prompt: whether it could contain a request or decision, or only continues the work."""

from promptx_mem.core.text import pattern

_SIMPLE = str.maketrans(
    "İıſ\u212a’記請錄註備幫這個們對寫憶腦裡條點麼嗎為務煩給還項將時別極關鍵庫長說問話會過沒難無須開從絕許準總規則約內實訊東論訴",
    "iisk'记请录注备帮这个们对写忆脑里条点么吗为务烦给还项将时别极关键库长说问话会过没难无须开从绝许准总规则约内实讯东论诉",
)
"""Maps traditional characters in requests to simplified ones, and some letters and the apostrophe to ASCII."""

_MARKS = (
    # of an instruction to remember
    "note", "memor", "remb", "reme", "remm", "forget", "mind", "record", " down", "store", "save", "track",
    "know about me", "hold on", "log this", "记", "忘", "存", "备注", "脑", "参考", "偏好",
    # of stress
    "important", "crucial", "critical", "essential", "vital", "重要", "关键", "重点", "强调",
    # of a decision
    "decid", "decision", "agree", "settle", "settling", "chose", "opted", "pick", "committed", "resolved",
    "resolution", "going ", "go with", "go for", "went with", "gone with", "stick", "switch", "standard", "adopt",
    "let", "verdict", "made up", "instead of", "rather", "no longer", "in place of", "voted", "concl", "choose",
    "choosing", "plan is", "we won't", "i won't", "we'", "we will", "we want", "i want", "replac", " it is", "choice",
    "be using", "moving", "moved to", "drop", "ditch", "killing", "retir", "freez", "pinning", "scra", "deal, ",
    "deal: ", "final", "calling", "signed off", "approved", "your way", "convinced", "team", "outcome", "consensus",
    "ruled out", "locked in", "wins", "won ", "ended up", "period.", "what we use", "on board", "决定", "定", "拍板",
    "一致", "放弃", "代替", "取代", "而不是", "坚持", "不用", "不做", "不上", "不支持", "说好", "同意", "选", "统一",
    "一律", "全部", "改用", "换成", "采用", "就用", "结论", "结果", "商量", "通过", "确认过", "对齐", "批", "听你的",
    "规矩", "们", "咱", "大家", "团队", "就叫", "谈好", "谈妥", "聊过", "还是", "就按", "想好", "想清楚", "弃用",
    "认可", "投票", "倾向", "最终", "不争", "一起", "砍", "下线", "停用", "淘汰", "告别", "正式", "迁", "转到", "保留",
    "退役", "没意见", "就 ",
    # of a standing rule
    "always", "never", "only", "must", "shall", "henceforth", "now on", "here on", "forward", "as of", "starting",
    "beginning", "effective", "every", "each ", "banned", "forbidden", "allowed", "mandatory", "policy", "convention",
    "rule", "default", "prefer", "nobody", "no one", "no more", "no new", "without", "don't ever", "get written",
    ": no ", "sprint on", "禁止", "必须", "只能", "不得", "不准", "不许", "不允许", "严禁", "每次", "每个", "所有",
    "任何", "凡是", "方案", "共识", "原则", "政策", "底线", "即日", "从今", "从现在", "从下", "从明", "开始", "不再",
    "全都", "永远", "始终", "只用", "打算",
    # of later use
    "next time", "when i ", "ever i ", "future", "later", "again",
    "下次", "下回", "以后", "今后", "往后", "将来", "日后",
)  # fmt: skip
"""Strings of which every request or decision contains at least one."""


def simplified(text: str) -> str:
    """Return a text in lower case and with simplified Chinese characters. The length stays the same."""
    return text.translate(_SIMPLE).lower()


def may_hold(message: str) -> bool:
    """Return whether a message could contain a request or decision. If so, slower tests follow."""
    text = simplified(message)
    return any(mark in text for mark in _MARKS)


LONGEST = 60
"""Maximum length in characters of a prompt that only continues the work."""

_ENGLISH = """
a add again all and another any apply at back before branch build bump case change changed changelog changes check
checker class clean cleanup code comment comments commit commits conflict conflicts continue correct create delete did
diff differently do docs documentation does done else empty error errors everything explain fail failed failing
failure file files first fix for format from function functions go going good great i imports in into is it it's its
just keep last later let's lgtm lint linter log logs look looks main make me merge message method more move name new
next nice no not now ok okay old on once one open other output over patch please pr print problem proceed pull
push read rebase rebuild redo refactor remove rename request rerun resolve restart retry revert review run same save
see server shorter show simpler simplify split start step stop sure test tests thanks that that's the them then these
thing this those to try two type types typo undo unused up update us variable variables warning warnings way we well
what what's why with works write wrong yep yes you
"""
_CHINESE = """
下一步 为什么 另一种 开始吧 格式化 重命名 一下 一个 一次 一点 一种 一遍 不对 什么 从头 代码 优化 信息 修复 修改
全部 其他 冲突 函数 分支 刚才 创建 删掉 删除 去掉 变量 可以 合并 命令 回滚 失败 好的 完成 实现 导入
开始 所有 打印 执行 报错 拆开 拉取 推送 提交 撤销 改个 文件 文档 新建 方式 方法 日志 更新 服务 构建
检查 步骤 没有 没用 注释 测试 然后 现在 确认 移动 简化 简洁 类型 结果 继续 编译 补上 解决 解释 警告
请求 谢谢 运行 这个 这样 这段 那个 重启 重新 重构 错误 问题 上 下 两 个 主 也 了 修
做 先 再 写 删 到 前 加 另 名 后 吗 吧 嗯 器 好 它 对 就 帮
并 我 把 换 改 是 有 来 没 照 用 的 看 给 行 试 请 读 跑 还
那 都 里
"""
_WORK, _CHINESE_WORK = frozenset(_ENGLISH.split()), _CHINESE.split()
"""Words that say nothing about the subject of the work. Chinese ones are removed in this order, the longest first."""
WORK = _WORK.union(_CHINESE_WORK)
_ASKS = r"\b(?:where|who|whose|when|which|how)\b|谁|哪|几|多少|怎么|如何|何时"
_MAKE = (
    r"(?:(?:please|can you|could you) )?(?:write|compose|draft|draw|explain|describe|translate|convert|compute|solve"
    r"|generate|implement|parse|sort|summarize|summarise|rewrite|proofread|suggest|recommend|compare|list|name|give me"
    r"|tell me|define|count|plan|make an?|what does .{1,40} mean|what is an? )\b"
)
_MAKE_ZH = (
    r"(?:请|帮我)?(?:写[一个首封段篇副]|讲[一个]|给我[讲出]|解释|介绍一下|翻译|把[“\"]|推荐|求 |计算|什么是|什么叫"
    r"|说说你|用“|用 [a-z]+ ?[打写])"
)
_OWN = r"\b(?:we|our|ours|us|my|mine|i|the project|this|these)\b|我|咱|本项目|这个项目|这段"
_PART_OF_PROJECT = r"\w/[\w/.-]*\.\w|\w_\w"
"""Pattern of the path of a file, or of a name in code."""

_WORD = r"[a-z'-]+|[0-9]+"


def is_turn_of_work(prompt: str) -> bool:
    """Return whether a prompt only continues the work, as "run the tests again" does."""
    lower = prompt.strip().lower()
    if not 0 < len(lower) <= LONGEST or pattern(_ASKS).search(lower):
        return False
    if not all(word in _WORK for word in pattern(_WORD).findall(lower)):
        return False
    rest = pattern(_WORD).sub(" ", lower)
    for word in () if rest.isascii() else _CHINESE_WORK:
        rest = rest.replace(word, " ")
    return not any(char.isalnum() or char in "_/" for char in rest)


def is_task_of_no_project(prompt: str) -> bool:
    """Return whether a prompt asks for a text, a program or an explanation that needs no stored facts."""
    lower = prompt.strip().lower()
    form = _MAKE if lower[:1].isascii() else _MAKE_ZH
    is_general = pattern(form).match(lower) is not None and not pattern(_OWN).search(lower)
    return is_general and not pattern(_PART_OF_PROJECT).search(prompt)
