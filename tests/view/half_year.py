"""Build a store as after half a year of use, from the facts of `.memory.example` and more; always the same.

python -m tests.view.half_year DIRECTORY
"""

import datetime
import random
import sys
from pathlib import Path

import pytest

from tests import example_store
from tests.api import Cues, Memory, Message, PromptxMemError, Request, layout
from tests.tables import rows

DAYS = 183
NOW = datetime.datetime(2026, 11, 20, 10, 30, tzinfo=datetime.timezone(datetime.timedelta(hours=8)))
START = NOW - datetime.timedelta(days=DAYS)

MORE = rows(__file__, "half_year.jsonl")


def build(root: Path) -> Path:
    """Build the store as a person, who may verify."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("promptx_mem.session.is_person", lambda: True)
        return _build(root)


def _build(root: Path) -> Path:
    moment = START
    chance = random.Random(183)

    def memory() -> Memory:
        return Memory(layout.at(str(root)), "half-year", clock=lambda: moment)

    plan = [(days / 550 * DAYS, text, options) for days, text, options in example_store.FACTS if "2025-" not in text]
    plan += [((number + 0.5) / len(MORE) * DAYS, text, options) for number, (text, options) in enumerate(MORE)]
    memory().init()
    ids: list[str] = []
    last = 0.0
    for days, text, options in sorted(plan, key=lambda one: one[0]):
        for use in range(int((days - last) * 0.9)):
            moment = START + datetime.timedelta(days=last + use + 1, hours=chance.uniform(-8, 3))
            _use(memory(), chance, ids)
        last = days
        moment = START + datetime.timedelta(days=days)
        ids.append(memory().remember(Request(text, explicit="category" in options, **options)).data["id"])
    moment = NOW - datetime.timedelta(days=2)
    old = next(ident for ident in ids if _text(memory(), ident) == "小明换到了平台组")
    new = memory().remember(Request("小明换到了基础设施组 #用户信息 score:8.8", update=old)).data["id"]
    memory().verify(new)
    memory().converse([Message("user" if turn % 2 == 0 else "assistant", CHAT[turn % len(CHAT)]) for turn in range(36)])
    try:
        memory().remember(Request("maybe lunch at noon #x score:2"))
    except PromptxMemError:
        moment = NOW
    return root


CHAT = (
    "下次发布什么时候？", "周二，周五不发版。", "and who reviews the payment change?", "Li Wei, as for everything that touches payments.",
    "把结论写在前面。", "好的，先写结论，再写理由。",
)  # fmt: skip


def _use(memory: Memory, chance: random.Random, ids: list[str]) -> None:
    """Use the store for a day: recall a memory, sometimes boost it or forget another."""
    if not ids:
        return
    ident = ids[min(int(chance.expovariate(0.12)), len(ids) - 1)]
    try:
        memory.recall(Cues(text=_text(memory, ident), count=1))
        if chance.random() < 0.35:
            memory.boost(ident)
        if chance.random() < 0.04:
            memory.forget(chance.choice(ids[len(ids) // 2 :]), "it was done")
    except PromptxMemError:
        return  # it has ended by now


def _text(memory: Memory, ident: str) -> str:
    return str(memory.recall(Cues(text=ident, touch=False)).data["memories"][0]["text"])


if __name__ == "__main__":
    build(Path(sys.argv[1]))
