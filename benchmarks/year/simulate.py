"""Simulate half a year of use by two people, day by day, and check the store at its end.

    python -m benchmarks.year.simulate [--days 181] [--seed 2026 ...] [--person NAME] [--cron] [--judge] [--json FILE]

With --cron, `decay` runs every night. With --judge, the scripted judge of judge.py answers. Exits with 1 if a check
fails.
"""

import argparse
import datetime
import hashlib
import json
import os
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any
from unittest import mock

from benchmarks.year import figures, proof
from benchmarks.year.biologist import BIOLOGIST
from benchmarks.year.person import ENGINEER, Fact, Person, Planted, Work
from promptx_mem.core.request import Request
from promptx_mem.core.slices import Message
from promptx_mem.core.state import State, importance_at, lives
from promptx_mem.errors import PromptxMemError
from promptx_mem.hooks import run as hooks
from promptx_mem.judge.judge import COMMAND
from promptx_mem.memory import Memory
from promptx_mem.search import current
from promptx_mem.search.cache import to_state
from promptx_mem.store import layout
from promptx_mem.usecases import converse
from promptx_mem.usecases.decay import Plan
from promptx_mem.usecases.recall import Cues

PERSONS = {"engineer": ENGINEER, "biologist": BIOLOGIST}

MONTH = 30
"""Days after which sessions of a coding agent are asked about, and days with and without decay that are compared."""


class Year:
    """One store, a clock that ends at the last midnight, and a seeded random generator."""

    def __init__(self, root: Path, seed: int, days: int, person: Person) -> None:
        self.person = person
        self.chance = random.Random(seed)
        midnight = datetime.datetime.now().astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
        self.time = midnight - datetime.timedelta(days=days)
        self.root = root
        self.talks = 0
        corrected = [fact for pair in person.corrected for fact in pair]
        facts = (*person.identity, *corrected, *person.decisions, *person.notes)
        self.facts = [fact for fact in facts if fact.day <= days]
        self.found: Counter[str] = Counter()
        of_days = [(one.day if one.day > 0 else days + 1 + one.day, one) for one in (*person.planted, *person.lately)]
        self.planted = [(day, one) for day, one in of_days if day <= days]

    def memory(self, session: str = "year") -> Memory:
        return Memory(layout.at(str(self.root)), session, clock=lambda: self.time)

    def later(self, minutes: float) -> None:
        self.time += datetime.timedelta(minutes=minutes)

    def day(self, number: int) -> None:
        """Simulate a day: facts, conversations, recalls, remarks of a monitor, and the work of a coding agent."""
        dawn = self.time
        self.later(8 * 60)
        for fact in self.facts:
            if fact.day == number:
                self.tell(fact)
        if number == 1:
            for text in self.person.small:
                self.remember(Request(text, tags=("plant",), score="7", duration="短期"))
        if number % 2:
            self.memory().recall(Cues(text=self.person.cue, count=1))
        if self.chance.random() < 0.5:
            self.found["remarks"] += 1
            self.memory().monitor([f"[ADD] {self.chance.choice(self.person.remarks)}，第{number}天 #闲聊"])
        planted = [one for day, one in self.planted if day == number]
        for place in range(self.person.talks):
            self.time = dawn + datetime.timedelta(hours=8 + place)
            self.talk(planted.pop() if planted and place >= 4 else None)
        self.time = dawn + datetime.timedelta(hours=19)
        self.evening(number)
        self.time = dawn + datetime.timedelta(days=1)

    def evening(self, number: int) -> None:
        """Simulate the work of the coding agent, and ask about its sessions of today and of a month ago."""
        for work in self.person.work:
            if work.day == number:
                self.work(work)
                self.ask(work, "the same evening")
            elif work.day + MONTH == number:
                self.ask(work, "a month later")

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
        """Simulate a conversation of 4 to 12 messages about one or two topics."""
        self.talks += 1
        chance = self.chance
        pool = [line for _, lines in chance.sample(self.person.topics, 2) for line in lines]
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

    def work(self, work: Work) -> None:
        """Write the transcript of a coding agent's session, and store it as its hook does."""
        transcript = self.root.parent / f"work {work.day}.jsonl"
        calls = [
            ({"name": "Bash", "input": {"command": f"cat {work.file}"}}, "1\timport sys", False),
            ({"name": "Bash", "input": {"command": "make check"}}, f"Exit code 2\n{work.error}", True),
            ({"name": "Edit", "input": {"file_path": work.file, "old_string": "a", "new_string": "b"}}, "ok", False),
            ({"name": "Bash", "input": {"command": "make check"}}, "all passed", False),
        ]
        content: list[tuple[str, Any]] = [("user", work.user)]
        for number, (call, result, is_error) in enumerate(calls):
            said = ["I look at the file first.", "I run the check.", f"The error is {work.error}", "Once more."][number]
            use = {"type": "tool_use", "id": f"t{number}", **call}
            content.append(("assistant", [{"type": "text", "text": said}, use]))
            answer = {"type": "tool_result", "tool_use_id": f"t{number}", "content": result, "is_error": is_error}
            content.append(("user", [answer]))
        content += [("assistant", [{"type": "text", "text": work.done}]), ("user", "thanks"), ("assistant", "Done.")]
        with transcript.open("w", encoding="utf-8") as file:
            for number, (role, part) in enumerate(content):
                at = (self.time + datetime.timedelta(seconds=30 * number)).isoformat()
                fields = {"type": role, "uuid": f"work-{work.day}-message-{number:04}", "timestamp": at}
                file.write(json.dumps({**fields, "message": {"role": role, "content": part}}) + "\n")
        self.later(len(content) / 2)
        converse.import_transcript(self.memory(f"work {work.day}").context, str(transcript))
        self.date_files()

    def ask(self, work: Work, when: str) -> None:
        """Count whether `recall` and `hook prompt` find a session of a coding agent."""
        self.later(20)
        shown = self.memory().recall(Cues(text=work.question, count=proof.BEST, touch=False)).data["memories"]
        self.found[f"recall, {when}"] += any(work.answer in text for text in proof.texts(shown))
        event = {"session_id": f"{when} {work.day}", "cwd": str(self.root.parent), "prompt": work.question}
        with mock.patch.object(Memory, "open", lambda *names: self.memory(*names[1:])):
            said = json.dumps(hooks.reply("prompt", json.dumps(event).encode()), ensure_ascii=False)
        self.found[f"hook prompt, {when}"] += work.answer in said or work.user[:30] in said
        self.found[when] += 1

    def date_files(self) -> None:
        """Set the time of written files to the simulated time, by which idle conversations are recognised."""
        moment = self.time.timestamp()
        for entry in os.scandir(self.root / "conversations"):
            if entry.name != layout.EPISODES and entry.stat().st_mtime > moment:
                os.utime(entry.path, (moment, moment))

    def night(self) -> None:
        """Run `decay` as cron does."""
        self.memory().decay(Plan())

    def states(self) -> list[State]:
        with current.open_current(self.memory().context.layout) as cache:
            return [to_state(row) for row in cache.db.execute("SELECT * FROM memories")]

    def digest(self) -> str:
        """Return a hash of the importance of every memory now, and of whether it is active."""
        now = self.time.timestamp()
        rows = sorted(f"{one.entry.id} {lives(one, now)} {importance_at(one, now):.9f}" for one in self.states())
        return hashlib.blake2b("\n".join(rows).encode(), digest_size=8).hexdigest()

    def row(self, number: int) -> dict[str, Any]:
        """Return the number of active memories now, by kind."""
        now = self.time.timestamp()
        memory, states = self.memory(), self.states()
        active = Counter(state.category for state in states if lives(state, now))
        lines = proof.lines(self.root)
        return {
            "day": number,
            "core": active["core"],
            "fact": active["fact"],
            "episode": active["episode"],
            "ended": sum(not lives(state, now) for state in states),
            "index": len(lines),
            "talks": sum("[episode]" in line or "#对话" in line for line in lines),
            "kB": memory.context.store.size() // 1000,
        }


def play(root: Path, seed: int, options: argparse.Namespace, person: Person) -> dict[str, Any]:
    """Simulate all days. Return the numbers of active memories by month, and the checks at the end."""
    started = time.process_time()
    year = Year(root, seed, options.days, person)
    months = []
    for number in range(1, options.days + 1):
        year.day(number)
        if number == MONTH:
            early = year.digest()
        if options.cron:
            year.night()
        if number % 30 == 0 or number == options.days:
            months.append(year.row(number))
            used = f"{time.process_time() - started:.0f} s of CPU"
            print(f"{person.name}, day {number}: {months[-1]}, {used}", file=sys.stderr, flush=True)
    shown = proof.check(root, person, year.facts, options.days)
    shown |= {
        "agent": dict(year.found),
        "is_equal": early == decayed(root.parent / "daily" / ".memory", seed, options, person),
    }
    return {
        "person": person.name,
        "days": options.days,
        "seed": seed,
        "cron": options.cron,
        "judge": options.judge,
        "talks": year.talks,
        "months": months,
        "state": year.digest(),
        "proof": shown,
    }


def decayed(root: Path, seed: int, options: argparse.Namespace, person: Person) -> str:
    """Simulate the first month with decay daily instead of never, or the reverse. Return the hash of its state."""
    year = Year(root, seed, options.days, person)
    for number in range(1, MONTH + 1):
        year.day(number)
        if not options.cron and number < MONTH:
            year.night()
    return year.digest()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--days", type=int, default=181)
    parser.add_argument("--seed", type=int, nargs="+", default=[2026], help="one half year per seed")
    parser.add_argument("--person", choices=PERSONS, nargs="+", default=list(PERSONS))
    parser.add_argument("--cron", action="store_true")
    parser.add_argument("--judge", action="store_true")
    parser.add_argument("--json", type=Path, help="put the result into this file, beside those with and without")
    parser.add_argument("--keep", type=Path, help="leave the store in this folder")
    options = parser.parse_args()
    judge = Path(__file__).resolve().with_name("judge.py")
    os.environ[COMMAND] = f"{sys.executable} -S {judge}" if options.judge else ""
    results = []
    for person, seed in [(PERSONS[name], seed) for name in options.person for seed in options.seed]:
        with tempfile.TemporaryDirectory() as folder:
            try:
                place = (options.keep or Path(folder)) / person.name / str(seed) / ".memory"
                results.append(play(place, seed, options, person))
            except PromptxMemError as error:
                raise SystemExit(f"{error}") from error
        print(f"{person.name.capitalize()}:\n")
        print(figures.tables({figures.name_of(results[-1]): results[-1]}))
    print(figures.bounds(results))
    if options.json:
        figures.add_to_file(options.json, results[0])
    wrong = [line for result in results for line in proof.failures(result["proof"], judge=options.judge)]
    wrong += ["daily decay and none differ" for result in results if not result["proof"]["is_equal"]]
    print(*wrong, sep="\n", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
