"""Half a year of use, day by day, ten conversations a day, and what is found and shown at its end.

    python -m benchmarks.year.simulate [--days 181] [--seed 2026 ...] [--cron] [--judge] [--json FILE] [--keep DIR]

No cron and no model, unless they are asked for: every night `decay`, and the scripted judge of judge.py. Ends with
status 1 where what is asked of it does not hold.
"""

import argparse
import datetime
import hashlib
import os
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.year import figures, proof
from benchmarks.year.person import (
    CORRECTED,
    DECISIONS,
    IDENTITY,
    LATELY,
    LOOK_ALIKE,
    PLANTED,
    TOPICS,
    Fact,
    Planted,
    notes,
)
from promptx_mem.core.request import Request
from promptx_mem.core.slices import Message
from promptx_mem.core.state import State, importance_at, lives
from promptx_mem.errors import PromptxMemError
from promptx_mem.judge.judge import COMMAND
from promptx_mem.memory import Memory
from promptx_mem.search import current
from promptx_mem.search.cache import to_state
from promptx_mem.store import layout
from promptx_mem.usecases.decay import Plan
from promptx_mem.usecases.recall import Cues

TALKS = 10
"""Conversations of a day."""

USED, UNUSED = "the user waters the fern on odd days", "the user repots the cactus on even days"
"""Two facts of three weeks: the one is recalled every second day."""


class Year:
    """One store, one clock that ends with the last midnight, one source of chance."""

    def __init__(self, root: Path, seed: int, days: int) -> None:
        self.chance = random.Random(seed)
        midnight = datetime.datetime.now().astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
        self.time = midnight - datetime.timedelta(days=days)
        self.root = root
        self.talks = 0
        corrected = [fact for pair in CORRECTED for fact in pair]
        self.facts = [fact for fact in (*IDENTITY, *corrected, *DECISIONS, *notes()) if fact.day <= days]
        of_days = [(one.day if one.day > 0 else days + 1 + one.day, one) for one in (*PLANTED, *LATELY)]
        self.planted = [(day, one) for day, one in of_days if day <= days]

    def memory(self, session: str = "year") -> Memory:
        return Memory(layout.at(str(self.root)), session, clock=lambda: self.time)

    def later(self, minutes: float) -> None:
        self.time += datetime.timedelta(minutes=minutes)

    def day(self, number: int) -> None:
        """What is told, ten conversations, recalls, and remarks of a monitor."""
        dawn = self.time
        self.later(8 * 60)
        for fact in self.facts:
            if fact.day == number:
                self.tell(fact)
        if number == 1:
            self.remember(Request(USED, tags=("plant",), score="7", duration="短期"))
            self.remember(Request(UNUSED, tags=("plant",), score="7", duration="短期"))
        if number % 2:
            self.memory().recall(Cues(text="waters the fern", count=1))
        if self.chance.random() < 0.5:
            self.memory().monitor([f"[ADD] {self.chance.choice(LOOK_ALIKE)}，第{number}天 #闲聊"])
        planted = [one for day, one in self.planted if day == number]
        for place in range(TALKS):
            self.time = dawn + datetime.timedelta(hours=8 + place)
            self.talk(planted.pop() if planted and place >= 4 else None)
        self.time = dawn + datetime.timedelta(days=1)

    def tell(self, fact: Fact) -> None:
        if fact.how == "add":
            self.memory().monitor([f"[ADD][core] {fact.text} #用户"])
            return
        score = {"score": "9", "note": "7"}.get(fact.how)
        tag = "项目" if fact.how == "note" else "用户"
        self.remember(Request(fact.text, tags=(tag,), score=score, explicit=fact.how == "explicit"))

    def remember(self, request: Request) -> None:
        self.memory().remember(request)

    def talk(self, planted: Planted | None) -> None:
        """A conversation of 4 to 12 messages about one or two topics."""
        self.talks += 1
        chance = self.chance
        pool = [line for _, lines in chance.sample(TOPICS, 2) for line in lines]
        texts = [chance.choice(pool) for _ in range(chance.randrange(2, 6) * 2)]
        if planted:
            texts[2:2] = [planted.user, planted.assistant]
        messages = []
        for place, text in enumerate(texts):
            at = (self.time + datetime.timedelta(seconds=20 * place)).isoformat()
            messages.append(Message("user" if place % 2 == 0 else "assistant", text, at))
        self.later(len(texts) / 3)
        self.memory(f"talk {self.talks}").converse(messages)
        self.date_files()

    def date_files(self) -> None:
        """Give the files that were written the time that the clock shows: idle conversations are told by it."""
        moment = self.time.timestamp()
        for entry in os.scandir(self.root / "conversations"):
            if entry.name != layout.EPISODES and entry.stat().st_mtime > moment:
                os.utime(entry.path, (moment, moment))

    def night(self) -> None:
        """Decay, as cron would run it."""
        self.memory().decay(Plan())

    def states(self) -> list[State]:
        with current.open_current(self.memory().context.layout) as cache:
            return [to_state(row) for row in cache.db.execute("SELECT * FROM memories")]

    def digest(self) -> str:
        """What every memory is worth now, and whether it lives, as a hash."""
        now = self.time.timestamp()
        worths = sorted(f"{one.entry.id} {lives(one, now)} {importance_at(one, now):.9f}" for one in self.states())
        return hashlib.blake2b("\n".join(worths).encode(), digest_size=8).hexdigest()

    def row(self, number: int) -> dict[str, Any]:
        """What is alive now."""
        now = self.time.timestamp()
        memory, states = self.memory(), self.states()
        living = Counter(state.category for state in states if lives(state, now))
        lines = proof.lines(self.root)
        return {
            "day": number,
            "core": living["core"],
            "fact": living["fact"],
            "episode": living["episode"],
            "ended": sum(not lives(state, now) for state in states),
            "index": len(lines),
            "talks": sum("[episode]" in line or "#对话" in line for line in lines),
            "kB": memory.context.store.size() // 1000,
        }


def play(root: Path, seed: int, options: argparse.Namespace) -> dict[str, Any]:
    """Live the days; what was alive over the months, and what can be shown and found in the end."""
    started = time.monotonic()
    year = Year(root, seed, options.days)
    months = []
    for number in range(1, options.days + 1):
        year.day(number)
        if options.cron:
            year.night()
        if number % 30 == 0 or number == options.days:
            months.append(year.row(number))
            print(f"day {number}: {months[-1]}, {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)
    shown = proof.prove(root, year.facts, USED, UNUSED, options.days)
    return {
        "days": options.days,
        "seed": seed,
        "cron": options.cron,
        "judge": options.judge,
        "talks": year.talks,
        "months": months,
        "state": year.digest(),
        "proof": shown,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--days", type=int, default=181)
    parser.add_argument("--seed", type=int, nargs="+", default=[2026], help="one half year per seed")
    parser.add_argument("--cron", action="store_true")
    parser.add_argument("--judge", action="store_true")
    parser.add_argument("--json", type=Path, help="put the result into this file, beside those with and without")
    parser.add_argument("--keep", type=Path, help="leave the store in this folder")
    options = parser.parse_args()
    judge = Path(__file__).resolve().with_name("judge.py")
    os.environ[COMMAND] = f"{sys.executable} -S {judge}" if options.judge else ""
    results = []
    for seed in options.seed:
        with tempfile.TemporaryDirectory() as folder:
            try:
                results.append(play((options.keep or Path(folder)) / str(seed) / ".memory", seed, options))
            except PromptxMemError as error:
                raise SystemExit(f"{error}") from error
        print(figures.tables({figures.name_of(results[-1]): results[-1]}))
    print(figures.bounds(results))
    if options.json:
        figures.put_beside(options.json, results[0])
    wrong = [line for result in results for line in proof.failures(result["proof"], judge=options.judge)]
    print(*wrong, sep="\n", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
