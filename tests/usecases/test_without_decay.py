"""The same commands at the same times give the same state, whether decay runs daily, ten times a day or never."""

import contextlib
import datetime
import tempfile
import zlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.api import (
    COMMAND,
    Cues,
    Event,
    Memory,
    Message,
    Plan,
    PromptxMemError,
    Request,
    State,
    fold_all,
    make_id,
    unit_of,
)
from tests.inside import judge_reviews, sources
from tests.world import START, World

pytestmark = pytest.mark.thorough

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
    st.tuples(st.just("monitor"), st.sampled_from(("[ADD] likes chess", "[ADD][core] is called Ada", "[SKIP]"))),
    st.tuples(st.just("directive"), facts, st.sampled_from(("[BOOST:{}]", "[DELETE:{}]", "[UPDATE:{}] drinks coffee"))),
    st.tuples(st.just("update"), facts, st.sampled_from(("tea at noon", "deploys on Monday"))),
    st.tuples(st.just("purge"), facts),
    st.tuples(st.just("talk"), st.sampled_from(("2026-03-01", "2026-03-02", "one")), st.booleans()),
    st.tuples(st.just("answers"), st.sampled_from(("keep", "promote", "delete"))),
)
gaps = st.sampled_from((0.1, 1.0, 3.9, 4.1, 12.0, 30.0, 24.0 * 8, 24.0 * 15))
History = list[tuple[float, tuple[Any, ...]]]
histories = st.lists(st.tuples(gaps, steps), min_size=3, max_size=12)


def do(world: World, step: tuple[Any, ...], number: int) -> None:
    kind, what, *more = step
    with contextlib.suppress(PromptxMemError):  # nothing to boost, no review open: the same in every run
        if kind == "remember":
            world.remember(what, "t", score=f"{more[0] / 10:g}", duration=more[1])
        elif kind == "update":
            world.memory.remember(Request(more[0], tags=("t",), score="8", update=make_id(what)))
        elif kind in ("converse", "talk"):
            speak(world, step, number)
        elif kind in ("review", "answers"):
            answer(
                world.memory, what if kind == "answers" else more[0], of=None if kind == "answers" else make_id(what)
            )
        else:
            change(world.memory, kind, what, *more)


def change(memory: Memory, kind: str, what: str, *more: str) -> None:
    """Recall something, or change one memory."""
    if kind == "recall":
        memory.recall(Cues(text=what, count=3, category="fact"))
    elif kind == "monitor":
        memory.monitor([what])
    elif kind == "directive":
        memory.monitor([more[0].format(make_id(what))])
    elif kind == "purge":
        memory.forget(make_id(what), purge=True)
    else:
        getattr(memory, kind)(make_id(what))


def speak(world: World, step: tuple[Any, ...], number: int) -> None:
    """Go on with a conversation, or take some out."""
    kind, what, *more = step
    if kind == "talk":
        world.memory.forget_conversation(unit_of(what) if what in SESSIONS else what, purge=more[0])
        return
    world.session = what
    late = (world.time - datetime.timedelta(days=more[1])).isoformat() if more[1] else None
    said = [Message("user", f"word{number} of message {one}", late) for one in range(more[0])]
    world.memory.converse(said, snapshot=False)


def answer(memory: Memory, decision: str, of: str | None) -> None:
    """Answer what waits, of one memory or of all: what lives on, and what was talked of."""
    if of is not None:
        memory.review(of, decision)
        return
    waiting = memory.reviews().data["reviews"]
    answers: list[object] = [
        {"id": one["id"], "summary": "words"} if one["review"] == "summary" else {"id": one["id"], "decision": decision}
        for one in waiting
    ]
    memory.answer_reviews(answers)


def live(root: Path, history: History, runs: int) -> dict[str, State]:
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
    return state_of(world)


def state_of(world: World) -> dict[str, State]:
    """What the files say, without what is destroyed."""
    everything = sources.read(world.memory.context.layout)
    folded = fold_all((line.entry for line in everything.lines), everything.events)
    return {ident: state for ident, state in folded.items() if state.end != "purged"}


@settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(histories)
def test_nothing_depends_on_decay(history: History) -> None:
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        patch.setenv(COMMAND, "")
        never, *others = (live(Path(folder) / str(runs) / ".memory", history, runs) for runs in RUNS.values())
        for other in others:
            assert other.keys() == never.keys()
            for ident, state in never.items():
                assert other[ident] == state


def answered(root: Path, history: History, answers: list[Event]) -> dict[str, State]:
    """The state where nobody runs decay, and a person gives the same answers at the same times."""
    world = World(root)
    world.remember("something that stays", "t", score="9")
    waiting = sorted(answers, key=lambda event: event.k)
    for number, (gap, step) in enumerate(history):
        after = world.time + datetime.timedelta(hours=gap)
        while waiting and datetime.datetime.fromisoformat(waiting[0].at) < after:
            event = waiting.pop(0)
            world.time = datetime.datetime.fromisoformat(event.at)
            world.memory.review(event.ids[0], {"kept": "keep", "promoted": "promote", "deleted": "delete"}[event.kind])
        world.time = after
        do(world, step, number)
    return state_of(world)


class Judge:
    """Answers reviews, the same for the same memory; nobody summarises."""

    def ask(self, prompt: str) -> str:
        subject = prompt.partition("The memory:\n")[2].partition("\n")[0]
        return ("[KEEP]", "[DELETE]", "[PROMOTE]")[zlib.crc32(subject.encode()) % 3]


def judged(root: Path, history: History) -> tuple[dict[str, State], list[Event]]:
    """The state with a judge that every night's decay asks, and its answers."""
    world = World(root)
    world.remember("something that stays", "t", score="9")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(judge_reviews, "appointed", Judge)
        for number, (gap, step) in enumerate(history):
            after = world.time + datetime.timedelta(hours=gap)
            while world.time + datetime.timedelta(days=1) < after:
                world.later(days=1).memory.decay(Plan())
            world.time = after
            do(world, step, number)
    events = sources.read(world.memory.context.layout).events
    return state_of(world), [event for event in events if event.kind in ("kept", "promoted", "deleted")]


without_answers = st.lists(
    st.tuples(gaps, steps.filter(lambda step: step[0] not in ("review", "answers"))), max_size=12
)


@settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@example([(1.0, ("remember", FACTS[0], 70, "短期")), (24.0 * 60, ("recall", FACTS[1]))])
@given(without_answers)
def test_the_answers_of_a_judge_are_a_part_of_the_history(history: History) -> None:
    history = [*history, (24.0 * 15, ("recall", FACTS[0]))]
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        patch.setenv(COMMAND, "")
        with_judge, answers = judged(Path(folder) / "judge" / ".memory", history)
        assert answered(Path(folder) / "person" / ".memory", history, answers) == with_judge
