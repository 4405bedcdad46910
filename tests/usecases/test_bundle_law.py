"""A bundle restores any store: entries of many lines, by PromptX and hand-written, with a history."""

import errno
import itertools
import os
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.api import Message, Options, Plan, PromptxMemError
from tests.faults import faulty_os
from tests.faults.faulty_os import FaultyOs
from tests.inside import conversations, sources
from tests.usecases.test_export import exported, states
from tests.world import START, World

if TYPE_CHECKING:
    from collections.abc import Callable

BODIES = (
    "# 部署清单\n\n1. 先备份\n2. 再发布\n\n- 回滚\n  - 用上一版",
    "一段\n\n\n另一段\n一段",
    "see\n\n```bash\n- END\n\n- 2025/01/01 10:00 inside\n```\nafter",
    "~~~\n- fenced #x\n~~~",
    "plain words",
    "- bullet\n* star\n+ plus\n> quote",
    "**重点**：\r\n第二行",
    "repeated\nrepeated\n\nrepeated",
)
GRADE = "#评分:{score} #有效期:{duration}"
FORMS = (
    "- 2025/07/13 23:22 START\n{body}\n--tags #其他 #流程 " + GRADE + "\n- END\n",
    "- 2025/06/05 18:47 {body} --tags 流程 部署 ##其他 " + GRADE + "\n",
    "- 2025/05/21 22:47 {first}\n\n{body}\n\n#标签 " + GRADE + "\n",
    "- {first} " + GRADE + " #时间:2025/05/21 22:47\n",
    "- {first} by hand\n\n  nested {number}\n\n    deeper\n",
    "- {first} #typed score:{score} duration:{duration}\n",
    "prose between that is no memory\n\n## a heading\n",
    "- 2025/07/14 09:00 START\n{body}\n- END\n",
)
"""Parts of a file: blocks, entries that end at their score, single lines, hand-written lines, other text."""

Step = tuple[str, int]

STEPS = ("remember", "forget", "boost", "purge", "restore", "verify", "update", "compact", "later")


@st.composite
def files(draw: st.DrawFn) -> bytes:
    """A file of such parts, each with its own number, with LF, CRLF or mixed line ends."""
    ends = draw(st.sampled_from(["\n", "\r\n", ""]))
    parts = ["# 陈述性记忆\n\n## 高价值记忆\n\n"] if draw(st.booleans()) else []
    for number, form in enumerate(draw(st.lists(st.sampled_from(FORMS), max_size=5))):
        body = f"{draw(st.sampled_from(BODIES))} {number}"
        score, duration = (
            draw(st.sampled_from(["5", "8", "9.5"])),
            draw(st.sampled_from(["短期", "长期", "永久", "30d"])),
        )
        part = form.format(body=body, first=f"事实 {number}", number=number, score=score, duration=duration)
        end = ends or draw(st.sampled_from(["\n", "\r\n"]))
        parts += [part.replace("\r\n", "\n").replace("\n", end), "\n" * draw(st.integers(0, 2))]
    text = "".join(parts)
    return (text.rstrip() if draw(st.booleans()) else text).encode()


def take_steps(world: World, steps: list[Step]) -> None:
    """Take steps, each on one of the memories; refused steps are skipped."""
    for number, (step, choice) in enumerate(steps):
        everything = sources.read(world.memory.context.layout)
        ids = sorted({line.entry.id for line in everything.lines})
        ident = ids[choice % len(ids)] if ids else "m_0000000000"
        memory = world.later(seconds=1).memory
        actions: dict[str, Callable[[], object]] = {
            "remember": partial(world.remember, f"第 {number} 件事\n\n```\n- x\n```"),
            "forget": partial(memory.forget, ident),
            "purge": partial(memory.forget, ident, purge=True),
            "boost": partial(memory.boost, ident),
            "restore": partial(memory.restore, ident),
            "verify": partial(memory.verify, ident),
            "update": partial(world.remember, f"instead {number}", update=ident),
            "compact": partial(memory.decay, Plan(compact=True)),
            "later": partial(world.later, days=choice),
        }
        try:
            actions[step]()
        except PromptxMemError:
            continue


def bytes_of(world: World, name: str) -> bytes:
    return world.read_bytes(name) if world.file(name).exists() else b""


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    files(),
    st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 40)), max_size=7),
    st.lists(st.text(min_size=1, max_size=9), max_size=2),
    st.lists(st.integers(-300, 3_000), max_size=2),
)
def test_importing_a_bundle_restores_a_store_with_its_history(
    data: bytes, steps: list[Step], words: list[str], days: list[int]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        one, other = World(Path(folder, "a", ".memory")), World(Path(folder, "b", ".memory"))
        for world in (one, other):
            world.root.parent.mkdir()
        if data:
            one.root.mkdir(mode=0o700)
            one.file("declarative.md").write_bytes(data)
            os.utime(one.file("declarative.md"), (START.timestamp(), START.timestamp()))
        take_steps(one, steps)
        if words and one.root.exists():
            messages = [Message("user", word) for word in words]
            conversations.add_messages(one.memory.context.layout, "u_one", messages, "s")
        text = exported(one)
        path = Path(folder, "bundle.jsonl")
        path.write_bytes(text.encode())
        other.time = one.time
        result = other.memory.import_files(Options((str(path),), mine=True, yes=True))
        assert (result.data["refused"], result.data["left"]) == (0, 0)
        for moment in (one.time.timestamp(), *(START.timestamp() + day * 86_400.0 for day in days)):
            assert states(other, moment) == states(one, moment)
        assert exported(other) == text
        for name in ("declarative.md", "journal.jsonl"):
            assert bytes_of(other, name) == bytes_of(one, name)


def test_an_interrupted_merge_makes_no_ended_memory_active(tmp_path: Path) -> None:
    """Events are written before lines, and replaced lines last."""
    one = World(tmp_path / "a" / ".memory")
    ids = [one.remember(f"fact {number}")["id"] for number in range(3)]
    one.memory.forget(ids[0])
    one.remember("instead of 1", update=ids[1])
    one.memory.decay(Plan(compact=True))
    one.memory.forget(one.later(days=1).remember("later")["id"])
    one.remember("instead of 2", update=ids[2])
    alive, text = set(one.recall()), exported(one).encode()
    options = Options(("-",), stdin=text, mine=True, yes=True)
    for number in itertools.count(1):
        other = World(tmp_path / f"b{number}" / ".memory")
        other.root.parent.mkdir()
        other.time = one.time
        memory, failure = other.memory, None
        with pytest.MonkeyPatch.context() as patch:
            FaultyOs(faulty_os.full(number, errno.ENOSPC)).install(patch)
            try:
                memory.import_files(options)
            except PromptxMemError as error:
                failure = error
        if failure is None:
            break
        if other.root.exists():
            assert set(other.recall()) <= alive
        other.memory.import_files(options)
        assert set(other.recall()) == alive
        assert texts(other) == texts(one)
        assert other.memory.audit_verify().data["problems"] == []
    assert number > 10


def texts(world: World) -> list[str]:
    return sorted({line.entry.text for line in sources.read(world.memory.context.layout).lines})


def test_a_bundle_with_an_event_in_the_future_restores_the_store(tmp_path: Path) -> None:
    one, other = World(tmp_path / "a" / ".memory"), World(tmp_path / "b" / ".memory")
    ids = [one.remember(f"fact {number}")["id"] for number in range(4)]
    one.later(days=30).memory.boost(ids[0])
    one.later(days=-30, hours=3)
    one.memory.forget(ids[1])
    one.memory.forget(ids[2])
    one.remember("fact 3, corrected", update=ids[3])
    one.remember("a newer one")
    other.root.parent.mkdir()
    other.time = one.time
    text = exported(one)
    result = other.memory.import_files(Options(("-",), stdin=text.encode(), mine=True, yes=True))
    assert result.exit_status == 0
    assert sorted(other.recall()) == sorted(one.recall()) == ["a newer one", "fact 0", "fact 3, corrected"]
