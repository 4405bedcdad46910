"""A year of use, day by day: facts, repeats, boosts, recalls, conversations, and decay with a judge every night.

    python benchmarks/year/simulate.py [--days 365] [--seed 2026] [--keep DIR]

Prints a table by month, and ends with status 1 if anything core was lost.
"""

import argparse
import datetime
import os
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from promptx_mem.core.request import Request
from promptx_mem.core.slices import Message
from promptx_mem.core.state import lives
from promptx_mem.errors import PromptxMemError
from promptx_mem.memory import Memory
from promptx_mem.search import current, rows
from promptx_mem.store import layout
from promptx_mem.usecases.decay import Plan
from promptx_mem.usecases.recall import Cues

START = datetime.datetime(2025, 1, 1, 8, 0, tzinfo=datetime.UTC)
CORE = (
    "主人的名字是林夏", "主人的生日是3月5日", "主人对花生过敏", "we promised to climb Mount Emei together",
    "主人和妹妹约定每年除夕通电话", "the user always wants short answers",
)  # fmt: skip
THINGS = ("面试", "拉面", "coffee", "游戏", "climbing", "the garden", "猫", "deploys", "吉他", "taxes", "摄影", "Rust")
SHAPES = (
    "主人最近在忙{thing}，第{n}次提到", "the user has a plan for {thing}, number {n}", "{thing}的预算是{n}元",
    "meeting {n} about {thing} is on Friday", "主人一直喜欢{thing}，编号{n}", "decision {n}: {thing} comes first",
)  # fmt: skip
LASTS = ("短期", "中期", "长期", "30d", "2w", None)


class Year:
    """One store, one clock, one source of chance."""

    def __init__(self, root: Path, seed: int) -> None:
        self.chance = random.Random(seed)
        self.time = START
        self.root = root
        self.known: list[tuple[str, str]] = []
        self.judged: Counter[str] = Counter()
        self.refused = 0
        self.core: set[str] = set()

    def memory(self, session: str = "year") -> Memory:
        return Memory(layout.at(str(self.root)), session, clock=lambda: self.time)

    def later(self, minutes: float) -> None:
        self.time += datetime.timedelta(minutes=minutes)

    def first_day(self) -> None:
        for text in CORE:
            self.remember(Request(text, tags=("core",), score="9", category="core"))
        self.remember(Request("the agent's name is Xiang", tags=("system",), score="9", category="system"))

    def day(self, number: int) -> None:
        """A day of use, with all that happens in random order."""
        chance = self.chance
        acts = [self.fact] * chance.choice((1, 2, 3, 5)) + [self.recall] * 4 + [self.boost] * 2
        acts += [self.repeat] * (chance.random() < 0.5) + [self.directives] * (chance.random() < 0.3)
        chance.shuffle(acts)
        for act in acts:
            self.later(chance.uniform(5, 45))
            act()
        if chance.random() < 0.6:
            self.conversation(number)

    def fact(self) -> None:
        chance = self.chance
        text = chance.choice(SHAPES).format(thing=chance.choice(THINGS), n=chance.randrange(10_000))
        score = chance.choice(("4", "5", "6", "6.5", "7", "7.5", "8", "9"))
        self.remember(Request(text, tags=("year",), score=score, duration=chance.choice(LASTS), explicit=score == "9"))

    def repeat(self) -> None:
        if self.known:
            text = self.chance.choice(self.known[-60:])[1]
            self.remember(Request(text, tags=("year",), score="7"))

    def recall(self) -> None:
        self.memory().recall(Cues(text=self.chance.choice(THINGS), count=5))

    def boost(self) -> None:
        found = self.memory().recall(Cues(text=self.chance.choice(THINGS), count=3, touch=False)).data["memories"]
        if found:
            self.memory().boost(found[0]["id"])

    def directives(self) -> None:
        ident = self.chance.choice(self.known)[0] if self.known else "m_0000000000"
        thing = self.chance.choice(THINGS)
        what = self.chance.choice((f"[BOOST:{ident}]", f"[ADD] 主人今天聊到{thing} #闲聊 score:6", "[SKIP]"))
        self.memory().monitor([what])

    def conversation(self, number: int) -> None:
        chance = self.chance
        memory = self.memory(f"talk {number}")
        thing = chance.choice(THINGS)
        for turn in range(chance.randrange(3, 40)):
            said = (
                f"聊聊 {thing} 吧，第{turn}句"
                if turn % 2 == 0
                else f"about {thing}: " + "answer " * chance.randrange(5, 60)
            )
            memory.converse([Message("user" if turn % 2 == 0 else "assistant", said)])
            self.later(0.5)

    def night(self) -> None:
        """Decay at 04:17, as cron would run it."""
        morning = (self.time + datetime.timedelta(days=1)).replace(hour=4, minute=17)
        self.time = morning
        for said in self.memory().decay(Plan()).data["done"]:
            count, _, what = said.partition(" ")
            if what.endswith("by the judge"):
                self.judged[what.split()[0]] += int(count)
            elif "left open" in said:
                raise SystemExit(f"the judge failed: {said}")
        self.time = morning.replace(hour=8, minute=0)

    def remember(self, request: Request) -> None:
        try:
            result = self.memory().remember(request)
        except PromptxMemError:
            self.refused += 1
        else:
            self.known.append((result.data["id"], request.text))

    def row(self) -> dict[str, Any]:
        """What there is now."""
        now = self.time.timestamp()
        memory = self.memory()
        cache = current.open_current(memory.context.layout)
        try:
            states = [rows.to_state(row) for row in cache.db.execute("SELECT * FROM memories")]
            archived = cache.db.execute("SELECT count(*) FROM lines WHERE archived <> ''").fetchone()[0]
        finally:
            cache.close()
        living = Counter(state.category for state in states if lives(state, now))
        core = {state.entry.id for state in states if lives(state, now) and state.category == "core"}
        self.core |= core
        return {
            **{name: living[name] for name in ("system", "core", "fact", "episode")},
            "ended": sum(not lives(state, now) for state in states),
            "archived": archived,
            "reviewed": sum(self.judged.values()),
            "kB": memory.context.store.size() // 1000,
            "talk kB": sum(path.stat().st_size for path in (self.root / "conversations").glob("*")) // 1000,
            "index": len((self.root / "MEMORY.md").read_text("utf-8").splitlines()),
            "core lost": len(self.core - core),
        }


def show(first: str, row: dict[str, Any]) -> None:
    print("| " + " | ".join([first, *map(str, row.values())]) + " |", flush=True)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--days", type=int, default=365)
    options.add_argument("--seed", type=int, default=2026)
    options.add_argument("--keep", type=Path, help="leave the store in this folder")
    given = options.parse_args()
    os.environ["PROMPTX_MEM_LLM"] = f"{sys.executable} -S {Path(__file__).resolve().with_name('judge.py')}"
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        year = Year((given.keep or Path(folder)) / ".memory", given.seed)
        year.first_day()
        for number in range(1, given.days + 1):
            year.day(number)
            year.night()
            if number == 1:
                show("month", {name: name for name in year.row()})
                show("---", dict.fromkeys(year.row(), "---:"))
            if year.time.day == 1 or number == given.days:
                show(f"{year.time:%Y-%m-%d}", year.row())
        year.memory().decay(Plan(compact=True))
        show("decay --compact", year.row())
        judged = ", ".join(f"{count} {kind}" for kind, count in sorted(year.judged.items()))
        print(f"\njudge: {judged}; refused by the gate: {year.refused}; {time.monotonic() - started:.0f} s")
        return 1 if year.row()["core lost"] else 0


if __name__ == "__main__":
    sys.exit(main())
