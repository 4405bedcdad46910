"""Prompts for which nothing is worth recalling: turns of work ("run the tests again") and tasks of no project.

Every word of a turn of work is a verb of work, a thing of every project, or a function word. A task of no project
("Write a limerick …") begins with what is to be made or explained and names nobody's own: it needs a likelier memory.
"""

import re

LONGEST = 60
"""Characters of a turn of work: who writes more tells what it is about."""

LIKELY = 0.5
"""The share of a task of no project that a memory must have."""

_ENGLISH = """
a add again all and another any apply at back before branch build bump case change changed changelog changes check
checker class clean cleanup code comment comments commit commits conflict conflicts continue correct create delete did
diff differently do docs documentation does done else empty error errors everything explain fail failed failing
failure file files first fix for format from function functions go going good great i imports in into is it it's its
just keep last later let's lgtm lint linter log logs look looks main make me merge message method more move name new
next nice no not now of ok okay old on once one open other our output over patch please pr print problem proceed pull
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
"""Words of work; the Chinese ones from long to short, as they are taken out of a prompt."""
_ASKS = re.compile(r"\b(?:where|who|whose|when|which|how)\b|谁|哪|几|多少|怎么|如何|何时")
_MAKE = re.compile(
    r"(?:(?:please|can you|could you) )?(?:write|compose|draft|draw|explain|describe|translate|convert|compute|solve"
    r"|generate|implement|parse|sort|summarize|summarise|rewrite|proofread|suggest|recommend|compare|list|name|give me"
    r"|tell me|define|count|plan|make an?|what does .{1,40} mean|what is an? )\b"
    r"|(?:请|帮我)?(?:写[一个首封段篇副]|讲[一个]|给我[讲出]|解释|介绍一下|翻译|把[“\"]|推荐|求 |计算|什么是|什么叫"
    r"|说说你|用“|用 [a-z]+ ?[打写])"
)
_OWN = re.compile(r"\b(?:we|our|ours|us|my|mine|i|the project|this|these)\b|我|咱|本项目|这个项目|这段")
_WORD = re.compile(r"[a-z'-]+|[0-9]+")


def is_turn_of_work(prompt: str) -> bool:
    """Return whether a prompt only moves the work on."""
    lower = prompt.strip().lower()
    if not 0 < len(lower) <= LONGEST or _ASKS.search(lower):
        return False
    if not all(word in _WORK for word in _WORD.findall(lower)):
        return False
    rest = _WORD.sub(" ", lower)
    for word in () if rest.isascii() else _CHINESE_WORK:
        rest = rest.replace(word, " ")
    return not any(char.isalnum() or char in "_/" for char in rest)


def is_task_of_no_project(prompt: str) -> bool:
    """Return whether a prompt asks for a text, a program or an explanation that needs nobody's own facts."""
    lower = prompt.strip().lower()
    return _MAKE.match(lower) is not None and not _OWN.search(lower)
