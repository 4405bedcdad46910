"""Whole-process times of a full store, each as a ratio to `python -c pass` of the same environment, run interleaved.

python -m benchmarks.store [--memories 1000 40000] [--runs 15]
"""

import argparse
import datetime
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from promptx_mem.core.entry import Entry
from promptx_mem.core.ids import make_id
from promptx_mem.core.line import format_line

HAN = (
    "用户喜欢部署数据库项目测试发布流程检索记忆模型服务配置网络缓存日志监控版本接口性能安全前端后端容器集群编译依赖文档"
)
WORDS = [
    "deploy",
    "database",
    "project",
    "test",
    "release",
    "process",
    "search",
    "memory",
    "model",
    "service",
    "network",
    "cache",
    "monitor",
    "version",
    "user",
]


def texts(count: int, kind: str) -> Iterator[str]:
    """Half Chinese, half English; `templates` share nearly all their words, `distinct` do not."""
    draw = random.Random(7)
    for number in range(count):
        if kind == "templates":
            yield f"用户喜欢第 {number} 号颜色" if number % 2 else f"user number {number} prefers a clean interface"
        elif number % 2:
            yield "".join(draw.choice(HAN) for _ in range(40)) + f" {number}"
        else:
            yield " ".join(draw.choice(WORDS) for _ in range(16)) + f" {number}"


def make(root: Path, count: int, kind: str) -> None:
    """Write a store of `count` memories noted in the last months."""
    start = datetime.datetime.now(datetime.UTC) - datetime.timedelta(days=120)
    step = datetime.timedelta(days=119) / count
    with (root / "declarative.md").open("w", encoding="utf-8") as file:
        for number, text in enumerate(texts(count, kind)):
            at = (start + number * step).isoformat(timespec="seconds")
            entry = Entry(text, (f"tag{number % 50}",), 7 + number % 31 / 10, "长期", make_id(text), at)
            file.write(format_line(entry) + "\n")


def timed(command: list[str]) -> float:
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    begin = time.perf_counter()
    subprocess.run(command, env=environment, check=True, capture_output=True, stdin=subprocess.DEVNULL)
    return time.perf_counter() - begin


def commands(root: Path, run: int) -> dict[str, list[str]]:
    program = [sys.executable, "-m", "promptx_mem", "--memory-dir", str(root)]
    return {
        "bare": [sys.executable, "-c", "pass"],
        "recall zh": [*program, "recall", "数据库"],
        "recall en": [*program, "recall", "deploying databases", "--json"],
        "recall": [*program, "recall"],
        "remember": [*program, "remember", f"a new fact of run {run} 新的事实", "#t", "score:8"],
        "a duplicate": [*program, "remember", "a fact that is known", "#t", "score:8"],
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.store", description=__doc__)
    parser.add_argument("--memories", type=int, nargs="+", default=[1000, 40000])
    parser.add_argument("--runs", type=int, default=15)
    options = parser.parse_args()
    print("| store | MB | rebuild s |", *(f"{name} ms (x) |" for name in commands(Path(), 0)))
    for kind in ("templates", "distinct"):
        for count in options.memories:
            with tempfile.TemporaryDirectory() as folder:
                root = Path(folder) / ".memory"
                root.mkdir()
                make(root, count, kind)
                size = (root / "declarative.md").stat().st_size / 1e6
                rebuild = timed(commands(root, 0)["recall"])
                taken: dict[str, list[float]] = {}
                for run in range(options.runs):
                    for name, command in commands(root, run).items():
                        taken.setdefault(name, []).append(timed(command))
            middle = {name: statistics.median(times) for name, times in taken.items()}
            shown = (f"{1000 * t:.0f} ({t / middle['bare']:.1f}) |" for t in middle.values())
            print(f"| {count} {kind} | {size:.1f} | {rebuild:.2f} |", *shown, flush=True)


if __name__ == "__main__":
    main()
