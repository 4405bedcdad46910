"""Create `.memory.example/` with the program: a store of memories of every category, type, duration and age.

    python -m tests.example_store [DIRECTORY]

The bytes are always the same, so that a test can compare the directory in the repository.
"""

import datetime
import shutil
import sys
from pathlib import Path
from typing import Any

from tests.api import Memory, Plan, Request, layout
from tests.tables import rows

ROOT = Path(__file__).parent.parent / ".memory.example"
START = datetime.datetime(2025, 5, 1, 22, 47, tzinfo=datetime.timezone(datetime.timedelta(hours=8)))
NOW = START + datetime.timedelta(days=550)
"""The time at which tests read the store."""

TRACKED = (".gitattributes", ".gitignore", "config.yaml", "declarative.md", "journal.jsonl")

# days after START, text and tokens, then options
FACTS: list[tuple[float, str, dict[str, Any]]] = [
    (days, text, {name: tuple(value) if isinstance(value, list) else value for name, value in options.items()})
    for days, text, options in rows(__file__, "example.jsonl")
]


def build(root: Path) -> None:
    """Create the store as after a year and a half of use."""
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
        at(days).remember(Request(text, explicit="category" in options, **options))
    name = at(549.2).remember(
        Request("小明换到了基础设施组 #用户信息 score:8.8", update=_id_of(at(549.2), "小明换到了平台组"))
    )
    at(549.3).verify(name.data["id"])
    at(549.4).boost(_id_of(at(549.4), "Ask before running database migrations"))
    at(549.5).forget(_id_of(at(549.5), "周会改到每周三上午十点"), "会议取消了")
    at(549.6).remember(Request("用户的时区是 Asia/Shanghai #用户信息 score:9"))
    at(549.8).decay(Plan(compact=True))
    for path in root.iterdir():
        if path.name not in (*TRACKED, "archive"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def _id_of(memory: Memory, words: str) -> str:
    from tests.api import Cues

    return str(memory.recall(Cues(text=words, count=1, touch=False)).data["memories"][0]["id"])


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT
    shutil.rmtree(target, ignore_errors=True)
    build(target)
