"""Random actions of people and agents on a store in a month, drawn from a seed."""

import contextlib
import datetime
import os
import random
import shlex
import sys
from collections.abc import Callable
from unittest import mock

from tests.api import Cues, Plan, PromptxMemError
from tests.copies.clones import Clone

SUBJECTS = ("the deploy", "咖啡机", "the staging database", "Anna", "会议室", "the release", "周报", "the CI runner")
VERBS = ("runs on", "在", "is owned by", "moved to", "需要", "is checked with", "每周更新于")
PLACES = ("the third floor", "周五", "machine 7", "`make release`", "Anna", "八点以前", "port 8080", "the wiki")
TAGS = ("infra", "people", "流程", "咖啡", "infra/db")
TOPICS = ("project->deploy", "project->team->anna", "office", None, None)
DURATIONS = ("短期", "中期", "长期", "永久", "5d", "2026-03-20", None)


def text(draw: random.Random) -> str:
    """Return a fact; two clones often draw the same or a similar one."""
    fact = f"{draw.choice(SUBJECTS)} {draw.choice(VERBS)} {draw.choice(PLACES)}"
    return fact + draw.choice(("", "", "", ".", "\nsecond line", ", as said before"))


class User:
    """A clone and the person who uses it."""

    def __init__(self, clone: Clone, draw: random.Random) -> None:
        self.clone = clone
        self.draw = draw
        self.purged: set[str] = set()

    def step(self) -> None:
        """Do one random action. Ignore refusals."""
        act = self.draw.choices(list(ACTS), weights=list(ACTS.values()))[0]
        with contextlib.suppress(PromptxMemError):
            act(self)
        self.clone.touch()

    def some(self, *, ended: bool = False) -> str:
        """Return the id of some memory."""
        found = self.clone.memory.recall(Cues(archived=ended, count=100, touch=False)).data["memories"]
        return str(self.draw.choice([one["id"] for one in found] or ["m_0000000000"]))

    def remember(self) -> None:
        draw = self.draw
        tags = draw.sample(TAGS, draw.randint(1, 2))
        score = draw.choice(("5.5", "7", "8", "9", "10"))
        duration, topic = draw.choice(DURATIONS), draw.choice(TOPICS)
        self.clone.remember(text(draw), *tags, score=score, duration=duration, topic=topic)

    def update(self) -> None:
        self.clone.remember(text(self.draw), score="8", update=self.some())

    def edit(self) -> None:
        editor = [
            sys.executable,
            "-c",
            "import sys; f = open(sys.argv[1], 'r+'); t = f.read(); f.seek(0); f.write('Now ' + t)",
        ]
        with mock.patch.dict(os.environ, {"EDITOR": shlex.join(editor), "VISUAL": ""}):
            self.clone.memory.edit(self.some())

    def boost(self) -> None:
        self.clone.memory.boost(self.some())

    def verify(self) -> None:
        self.clone.memory.verify(self.some())

    def forget(self) -> None:
        self.clone.memory.forget(self.some(), "over")

    def restore(self) -> None:
        self.clone.memory.restore(self.some(ended=True))

    def review(self) -> None:
        pending = self.clone.memory.reviews().data["reviews"]
        if pending:
            answer = self.draw.choice(("keep", "promote", "delete"))
            self.clone.memory.review(self.draw.choice(pending)["id"], answer)

    def recall(self) -> None:
        self.clone.memory.recall(Cues(text=self.draw.choice(SUBJECTS)))

    def write(self) -> None:
        """Add a hand-written bullet, or change the words of a line."""
        path = self.clone.store / "declarative.md"
        if not path.exists():
            return
        content = path.read_text("utf-8")
        if self.draw.random() < 0.5:
            content += f"- {text(self.draw)} by hand\n".replace("\nsecond", " second")
        else:
            lines = content.split("\n")
            at = self.draw.randrange(len(lines))
            if lines[at].startswith("- ") and lines[at].endswith("} -->"):
                lines[at] = lines[at].replace(self.draw.choice(PLACES), self.draw.choice(PLACES), 1)
            content = "\n".join(lines)
        path.write_text(content, "utf-8")

    def decay(self) -> None:
        self.clone.memory.decay(Plan(compact=self.draw.random() < 0.5))

    def purge(self) -> None:
        ident = self.some(ended=True)
        self.clone.memory.forget(ident, purge=True)
        self.purged.add(ident)

    def sleep(self) -> None:
        self.clone.time += datetime.timedelta(hours=self.draw.randint(1, 5))


ACTS: dict[Callable[[User], None], int] = {
    User.remember: 12, User.update: 3, User.edit: 1, User.boost: 5, User.verify: 2, User.forget: 3, User.restore: 3,
    User.review: 2, User.recall: 3, User.write: 2, User.decay: 2, User.purge: 1, User.sleep: 4,
}  # fmt: skip


def cues(draw: random.Random, now: datetime.datetime) -> list[Cues]:
    """Return queries of every kind."""
    earlier = [(now - datetime.timedelta(days=draw.randint(0, 30))).isoformat() for _ in range(3)]
    queries = [
        Cues(count=1000),
        Cues(count=1000, archived=True),
        *(Cues(text=words, count=1000, explain=True) for words in (*SUBJECTS, *PLACES, "咖啡 deploy Anna")),
        *(Cues(text=words, archived=True, explain=True) for words in ("machine 7 deploy", "第三 周五")),
        *(Cues(tags=(tag,), count=1000) for tag in TAGS),
        *(Cues(topics=(topic,), explain=True) for topic in TOPICS if topic),
        *(Cues(dates=((now - datetime.timedelta(days=day)).date().isoformat(),)) for day in range(0, 30, 3)),
        *(Cues(as_of=moment, count=1000) for moment in earlier),
        *(Cues(text="Anna", as_of=moment, archived=True, count=1000) for moment in earlier),
        Cues(since="7d", count=1000),
        Cues(category="core", count=1000),
        Cues(text="release", budget=300),
    ]
    return [one._replace(touch=False) for one in queries]
