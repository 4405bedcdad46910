"""Chinese translations of frequent messages and of headings, for a Chinese locale or PROMPTX_MEM_LANG=zh.

JSON, files and rare messages stay in English.
"""

import re

MESSAGES = {
    "🧠 {}  m_{}  score {}  already stored": "🧠 {}  m_{}  评分 {}  已经记过",
    "🧠 {}  m_{}  score {}  restored": "🧠 {}  m_{}  评分 {}  已恢复",
    "🧠 {}  m_{}  score {}  changed": "🧠 {}  m_{}  评分 {}  已更改",
    "🧠 {}  m_{}  score {}": "🧠 {}  m_{}  评分 {}",
    "to change tag and score: {}": "更改标签和评分：{}",
    "to change score: {}": "更改评分：{}",
    "to change tag: {}": "更改标签：{}",
    "Did you type #tag without quotes? The shell dropped it and everything after it.": (
        "#标签 是不是没加引号？shell 已丢掉它和它后面的内容。"
    ),
    "may replace {}": "可能取代 {}",
    "{}% similar to {}": "与它相似 {}%：{}",
    "if the new one replaces it: {}": "如果新的取代它：{}",
    "in {}, which is new": "已新建 {}",
    "forgot {}  (promptx-mem restore {} brings it back)": "已遗忘 {}  （恢复：promptx-mem restore {}）",
    "🧠 restored {}": "🧠 已恢复 {}",
    "the memory is empty": "还没有记忆",
    "there is no store yet: .memory was looked for in {} and in the folders above it": (
        "还没有记忆库：在 {} 及其上级文件夹中没有找到 .memory"
    ),
    "nothing found for {}": "没有找到：{}",
    "nothing found": "没有找到",
    "try other words, or translate the question (Chinese or English)": "换个说法再试，或把问题译成中文或英文",
    "{} (just now)": "{}（刚刚）",
    "{} (1 minute ago)": "{}（1 分钟前）",
    "{} ({} minutes ago)": "{}（{} 分钟前）",
    "{} ({} hours ago)": "{}（{} 小时前）",
    "{} ({} days ago)": "{}（{} 天前）",
    "older: see {}": "较旧：见 {}",
    "see also {}": "另见 {}",
    "{} more: -n {}": "还有 {} 条：-n {}",
    "{} more, since the output is limited to {} tokens; {} shows them": "还有 {} 条；输出最多 {} 个 token，用 {} 显示",
    "no memory has a tag or a topic; to store one, usage: {}": "没有带标签或主题的记忆；要存一条，用法：{}",
    "no pending reviews": "没有待复查的记忆",
    "both, newer or older: which is true? {}": "两条都对、新的对还是旧的对？{}",
    "{} more pending reviews: another day": "另有 {} 条待复查：改天再说",
    "{}/MEMORY.md shows {} of {} memories": "{}/MEMORY.md 显示 {} 条记忆，共 {} 条",
    "{}/MEMORY.md is current as of {}: {} of {} memories": "{}/MEMORY.md 已是最新（{}）：{} 条记忆，共 {} 条",
    "1 memory written to {}": "已将 1 条记忆写入 {}",
    "{} memories written to {}": "已将 {} 条记忆写入 {}",
    "project store: {} (does not exist yet: the first remember creates it)": "项目记忆库：{}（第一次 remember 时新建）",
    "project store: {}": "项目记忆库：{}",
    "user store: {}": "用户记忆库：{}",
    "settings: {} (missing: defaults apply)": "设置：{}（没有此文件：采用默认值）",
    "settings: {}": "设置：{}",
    "session: {}": "会话：{}",
    "no hooks: {}": "没有钩子：{}",
    "{} active memories, {} ended": "{} 条有效记忆，{} 条已结束",
    "last decay: never": "上次清理：从未",
    "last decay: {}": "上次清理：{}",
    "a score is missing: how important is it, from 0 to 10?{}": ("缺少评分：0 到 10，这件事多值得记住？{}"),
    "a tag and a score are missing (the shell drops an unquoted #tag and everything after it)": (
        "缺少标签和评分（没加引号的 #标签 和它后面的内容会被 shell 丢掉）"
    ),
    "a tag is missing": "缺少标签",
    "a tag and a score are missing": "缺少标签和评分",
    "score {} is below {}: not worth remembering": "评分 {} 低于 {}：不值得记住",
    "if the user has asked for it: {}": "如果是用户要求记的：{}",
    "violation {} of {} in this session; the third blocks it": "本会话第 {} 次违规，共 {} 次；满三次即停用",
    "--explicit stores it anyway: {}": "仍要记住，用 --explicit：{}",
    "the text contains a credential ({}); a memory is plain text": "文本含有凭据（{}）；记忆是明文",
    "instead, store where the credential is kept": "请改为记下它存放在哪里",
    "the same command with --allow-secret stores it": "仍要保存：同一命令加 --allow-secret",
    "there is no text to remember": "没有要记住的文本",
    "no memory has the id {}": "没有编号为 {} 的记忆",
    "to list ids: {}": "查看编号：{}",
    "there is no store at {}": "{} 没有记忆库",
    "give another folder with --memory-dir": "请换一个 --memory-dir",
    "there is no file {}": "没有文件 {}",
    "no such command {}": "没有命令 {}",
    "no such option: {}": "没有选项 {}",
    "invalid value for {}: {} is not a number": "{} 的值无效：{} 不是数字",
    "did you mean {}? for help: {}": "是不是想用 {}？帮助：{}",
    "for help: {}": "帮助：{}",
    "usage: {}": "用法：{}",
}
"""The translation of each English message. `{}` stands for a part of the line, or for its rest."""

_HEADINGS = {
    "Usage:": "用法：",
    "Options:": "选项：",
    "Options of every command:": "所有命令的选项：",
    "Arguments:": "参数：",
    "Everyday:": "日常：",
    "Upkeep:": "维护：",
    "In and out:": "导入导出：",
    "Agents:": "智能体：",
    "More commands:": "更多命令：",
}
_MARGIN = re.compile(r"[^\w🧠<-]*")


def translated(text: str) -> str:
    """Translate the lines of a text that are in MESSAGES. Margins and other lines stay."""
    return "\n".join(map(_line, text.split("\n")))


def _line(line: str) -> str:
    match = _MARGIN.match(line)
    margin = match[0] if match else ""
    rest = line.removeprefix(margin)
    for english, chinese in MESSAGES.items():
        pattern = "(.*)".join(map(re.escape, english.split("{}")))
        if found := re.fullmatch(pattern, rest):
            return margin + chinese.format(*found.groups())
    return line


def headed(text: str) -> str:
    """Return a help text with its headings in Chinese."""
    return re.sub(r"(?m)^[A-Z][a-z ]+:", lambda match: _HEADINGS.get(match[0], match[0]), text)
