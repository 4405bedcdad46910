"""Makes `.memory.example/`: a real store, by the program itself, of every category, type, duration and age.

    python -m tests.example_store [DIRECTORY]

The same bytes every time, so that a test can hold the directory in the repository to it.
"""

import datetime
import shutil
import sys
from pathlib import Path

from tests.api import Memory, Plan, Request, layout

ROOT = Path(__file__).parent.parent / ".memory.example"
START = datetime.datetime(2025, 5, 1, 22, 47, tzinfo=datetime.timezone(datetime.timedelta(hours=8)))
NOW = START + datetime.timedelta(days=550)
"""The moment as of which tests look at it."""

TRACKED = (".gitattributes", ".gitignore", "config.yaml", "declarative.md", "journal.jsonl")

# days after START, text and tokens, then options
FACTS: tuple[tuple[float, str, dict[str, object]], ...] = (
    (0, "用户ID: 12345 #用户信息 #核心信息 score:9 duration:长期", {"type": "user", "verified": True}),
    (
        0,
        "用户的名字是小明，生日是3月5日 #用户信息 #核心信息 score:10 duration:永久",
        {"type": "user", "category": "core"},
    ),
    (1, "用户喜欢简洁界面 #用户偏好 score:6 duration:长期", {"type": "user"}),
    (2, "User prefers dark mode in every editor #preference score:8", {"type": "user", "verified": True}),
    (3, "Answers should come first, explanations after them #style score:8.5", {"type": "feedback"}),
    (5, "不要在没有测试的情况下提交代码 #流程 #反馈 score:9 duration:永久", {"type": "feedback", "verified": True}),
    (
        8,
        "部署用蓝绿发布，周五不发版 #部署 #流程 score:9 duration:永久",
        {"type": "project", "topic": "project->deploy"},
    ),
    (8, "The API lives in services/api, the web client in apps/web #layout score:8", {"type": "project"}),
    (
        9,
        "staging 数据库每晚 02:00 重建 #数据库 score:7.5 duration:中期",
        {"type": "project", "topic": "project->database"},
    ),
    (12, "`make check` runs the linters, `make test` the unit tests #build score:8", {"type": "project"}),
    (15, "Postgres 15 on db-1, read replica on db-2 #database score:8", {"topic": "project->database"}),
    (20, "错误码规范: https://wiki.example.org/errors#codes #规范 score:7", {"type": "reference"}),
    (21, "Style guide: https://wiki.example.org/style #docs score:7 duration:长期", {"type": "reference"}),
    (30, "sprint 12 的目标是把登录延迟降到 200ms #冲刺 score:7 duration:2w", {"type": "project"}),
    (30, "on call this week: Li Wei #oncall score:7 duration:7d", {"type": "project"}),
    (33, "demo for the customer on 2025-07-01 #demo score:8 duration:2025-07-01", {"type": "project"}),
    (40, "用户决策时更看重可维护性而不是速度 #决策 score:8.2 duration:长期", {"type": "user", "reason": "多次提到"}),
    (45, "user_id 是 snake_case，前端的 getUserName 是 camelCase #命名 score:7", {"topic": "project->style"}),
    (
        60,
        "CI 用 2 核机器，超过 10 分钟的任务会被终止 #CI/CD score:8",
        {"topic": "CI/CD->limits", "related": ("CI/CD->cache",)},
    ),
    (61, "The CI cache is keyed by the lock file #CI/CD score:7.5", {"topic": "CI/CD->cache"}),
    (75, "主人喜欢拉面，尤其是豚骨 #偏好 #饮食 score:8", {"type": "user"}),
    (76, "主人不喜欢香菜 #偏好 #饮食 score:8 duration:永久", {"type": "user", "verified": True}),
    (90, "[2025-07-30 22:47] 聊了面试和游戏 #对话 score:7.5", {"category": "episode", "source": "system"}),
    (91, "Interview with the payments team on Monday #plans score:7 duration:短期", {"type": "user"}),
    (120, "memory 模块的行为由 fold 决定，decay 不改变任何事 #架构 score:9", {"topic": "project->partner->memory"}),
    (121, "Retry with jitter: 200 ms, 400 ms, 800 ms #patterns score:8", {"reason": "agreed in review"}),
    (
        150,
        "发布流程：\n1. 打标签\n2. 跑全量测试\n3. 蓝绿切换 #流程 #部署 score:9 duration:永久",
        {"topic": "project->deploy"},
    ),
    (151, "Release notes are written by hand #release score:7.5", {"topic": "project->deploy"}),
    (200, "用户的时区是 Asia/Shanghai #用户信息 score:8", {"type": "user"}),
    (240, "The user is learning Rust in the evenings #user score:7.2", {"type": "user", "source": "background_ai"}),
    (300, "v2.3.1 修复了导入时的编码问题 #版本 score:7", {"type": "project"}),
    (
        330,
        "Ask before running database migrations #safety score:9.5 duration:永久",
        {"type": "feedback", "category": "core"},
    ),
    (365, "年度目标：把内存占用降低一半 #目标 score:8 duration:长期", {"type": "project"}),
    (400, "The memory store of this project is .memory.example #example score:8 duration:永久", {"category": "system"}),
    (430, "日志保留 30 天，之后归档到对象存储 #日志 score:8", {"topic": "project->ops"}),
    (470, "Feature flags live in config/flags.toml #flags score:7.5", {"topic": "project->ops"}),
    (500, "周会改到每周三上午十点 #会议 score:7 duration:中期", {"type": "project"}),
    (520, "小明换到了平台组 #用户信息 score:8.8", {"type": "user"}),
    (540, "[2026-10-23 22:47] talked about the release and a bug in login #对话 score:7.5", {"category": "episode"}),
    (545, "login fails when the clock is off by more than 5 minutes #bug score:8 duration:短期", {"type": "project"}),
    (549, "下周要演示新的检索 #计划 score:7 duration:短期", {"type": "project"}),
)


def build(root: Path) -> None:
    """Make the store as it is after a year and a half of use."""
    moment = START

    def memory() -> Memory:
        one = Memory(layout.at(str(root)), "example", clock=lambda: moment)
        one.context.host = lambda: "e0a4f1"  # type: ignore[method-assign]
        return one

    def at(days: float) -> Memory:
        nonlocal moment
        moment = START + datetime.timedelta(days=days)
        return memory()

    at(0).init(shared=True)
    (root / "config.yaml").write_text(
        "# Every key with its default would be an empty file.\n"
        "tags:\n  aliases:\n    偏好: 用户偏好\nfreshness:\n  types:\n    user: 7d\n    project: 12h\n",
        "utf-8",
    )
    for days, text, options in FACTS:
        at(days).remember(Request(text, explicit="category" in options, **options))  # type: ignore[arg-type]
    name = at(549.2).remember(
        Request("小明换到了基础设施组 #用户信息 score:8.8", update=_id(at(549.2), "小明换到了平台组"))
    )
    at(549.3).verify(name.data["id"])
    at(549.4).boost(_id(at(549.4), "Ask before running database migrations"))
    at(549.5).forget(_id(at(549.5), "周会改到每周三上午十点"), "会议取消了")
    at(549.6).remember(Request("用户的时区是 Asia/Shanghai #用户信息 score:9"))
    at(549.8).decay(Plan(compact=True))
    for path in root.iterdir():
        if path.name not in (*TRACKED, "archive"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def _id(memory: Memory, words: str) -> str:
    from tests.api import Cues

    return str(memory.recall(Cues(text=words, count=1, touch=False)).data["memories"][0]["id"])


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT
    shutil.rmtree(target, ignore_errors=True)
    build(target)
