"""The same commands at the same times give the same state, whether decay runs daily, ten times a day or never."""

import datetime
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from promptx_mem.core.events import fold_all
from promptx_mem.core.ids import make_id
from promptx_mem.core.slices import Message
from promptx_mem.core.state import State
from promptx_mem.errors import PromptxMemError
from promptx_mem.judge.judge import COMMAND
from promptx_mem.store import sources
from promptx_mem.usecases.decay import Plan
from promptx_mem.usecases.recall import Cues
from tests.world import START, World

FACTS = ("tea in the morning", "the office is in Berlin", "prefers short answers", "deploys on Friday")
SESSIONS = ("one", "two", "day:2026-03-01")
RUNS = {"never": 0, "daily": 1, "ten times a day": 10}

facts = st.sampled_from(FACTS)
steps = st.one_of(
    st.tuples(st.just("remember"), facts, st.integers(70, 100), st.sampled_from(("短期", "中期", "长期", "20d"))),
    st.tuples(st.sampled_from(("boost", "forget", "verify", "restore")), facts),
    st.tuples(st.just("recall"), facts),
    st.tuples(st.just("review"), facts, st.sampled_from(("keep", "promote", "delete"))),
    st.tuples(st.just("converse"), st.sampled_from(SESSIONS), st.integers(1, 35), st.integers(0, 3)),
    st.tuples(st.just("monitor"), st.sampled_from(("[ADD] likes chess", "[SKIP]", "[BOOST:nothing]"))),
)
gaps = st.sampled_from((0.1, 1.0, 3.9, 4.1, 12.0, 30.0, 24.0 * 8, 24.0 * 15))
histories = st.lists(st.tuples(gaps, steps), min_size=3, max_size=12)


def do(world: World, step: tuple[Any, ...], number: int) -> None:
    kind, what, *more = step
    memory = world.memory
    try:
        if kind == "remember":
            world.remember(what, "t", score=f"{more[0] / 10:g}", duration=more[1])
        elif kind == "recall":
            memory.recall(Cues(text=what, count=3, category="fact"))
        elif kind == "review":
            memory.review(make_id(what), more[0])
        elif kind == "monitor":
            memory.monitor([what])
        elif kind == "converse":
            world.session = what
            late = (world.time - datetime.timedelta(days=more[1])).isoformat() if more[1] else None
            said = [Message("user", f"word{number} of message {one}", late) for one in range(more[0])]
            world.memory.converse(said, snapshot=False)
        else:
            getattr(memory, kind)(make_id(what))
    except PromptxMemError:
        pass  # nothing to boost, no review open: the same in every run


def live(root: Path, history: list[tuple[float, tuple[Any, ...]]], runs: int) -> dict[str, State]:
    """The state at the end of a history with so many runs of decay a day."""
    world = World(root)
    world.remember("something that stays", "t", score="9")
    next_run = START
    for number, (gap, step) in enumerate(history):
        world.later(hours=gap)
        after = world.time
        while runs and next_run < after:
            world.time = next_run
            world.memory.decay(Plan(compact=number % 3 == 0))
            next_run += datetime.timedelta(days=1) / runs if gap <= 30 else datetime.timedelta(days=1.5)
        world.time = after
        do(world, step, number)
    world.session = "last"
    world.later(days=1).memory.converse([Message("user", "bye")], snapshot=False)
    everything = sources.read(world.memory.context.layout)
    return fold_all((line.entry for line in everything.lines), everything.events)


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(histories)
def test_nothing_depends_on_decay(history: list[tuple[float, tuple[Any, ...]]]) -> None:
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        patch.setenv(COMMAND, "")
        never, *others = (live(Path(folder) / str(runs) / ".memory", history, runs) for runs in RUNS.values())
        for other in others:
            assert other.keys() == never.keys()
            for ident, state in never.items():
                assert other[ident] == state


def test_a_day_of_talk_is_cut_where_it_paused(tmp_path: Path) -> None:
    """By the next command, with nobody running decay."""
    world = World(tmp_path / ".memory")
    for _ in range(3):
        world.memory.converse([Message("user", f"at {world.time:%H:%M}")])
        world.later(hours=3)
    world.later(hours=1.5)
    data = world.memory.converse([Message("user", "later that day")]).data
    assert [one["text"] for one in data["rolled"]] == ["[2026-03-01 18:00] at 12:00 / at 15:00 / at 18:00"]
    world.later(hours=5)
    world.session = "another"
    assert len(world.memory.converse([Message("user", "hello")]).data["rolled"]) == 1
    world.later(hours=5)
    assert world.memory.converse([Message("user", "hello again")]).data["waiting"] == 1


def test_an_old_conversation_is_dated_by_what_was_said_and_found(tmp_path: Path) -> None:
    world = World(tmp_path / ".memory")
    world.memory.converse([Message("user", "an old question", "2025-03-01T12:00:00+00:00")], snapshot=True)
    world.later(hours=5).memory.converse([Message("user", "x")])
    text = "[2025-03-01 12:00] an old question"
    assert world.recall("old question") == world.recall(dates=("2025-03-01",)) == [text]
    assert world.recall("old question", unasked=True) == []
    assert text not in world.read("MEMORY.md")
    world.remember("a question of the old kind")
    assert world.recall("old question") == ["a question of the old kind", text]
