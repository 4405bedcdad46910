"""Each stored turn is reviewed once: by a judge, or by the calling agent with the daily review prompt."""

import datetime
import json
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from promptx_mem.hooks import run
from promptx_mem.hooks import session as hooks_session
from tests.api import COMMAND, Message, Plan
from tests.scripted import Script
from tests.world import World

TURNS = (
    ("my sister moved to Lisbon", "How nice"),
    ("我对花生过敏", "记下了"),
    ("which port has the proxy", "It listens on 8071"),
)


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """Three turns of a conversation one minute ago, and the beginning of a fourth."""
    monkeypatch.setenv(COMMAND, "")
    world = World(tmp_path / ".memory", session="talk")
    world.time = datetime.datetime.now().astimezone() - datetime.timedelta(minutes=1)
    world.remember("the release is on Friday", "release")
    messages = [Message(role, text) for turn in TURNS for role, text in zip(("user", "assistant"), turn, strict=True)]
    world.memory.converse([*messages, Message("user", "and now")])
    return world


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, world: World) -> Script:
    return Script(tmp_path / "judge", monkeypatch)


def asked(script: Script) -> list[str]:
    """Return words of the turns that a judge was asked about, in order."""
    words = ("The turn:", "my sister", "花生过敏", "which port", "and now", "thanks")
    return [next(word for word in words[1:] if word in prompt) for prompt in script.prompts() if words[0] in prompt]


def prompt(world: World, session: str = "next") -> str:
    other = World(world.root, session)
    other.time = world.time
    return other.memory.reviews(as_prompt=True).data["prompt"]


def ids(world: World) -> list[str]:
    return [line.split()[1] for line in prompt(world).splitlines() if line.startswith("  - u_")]


def answer(world: World, ident: str, *directives: str) -> list[tuple[bool, str | None]]:
    answers = world.memory.answer_reviews([{"id": ident, "directives": list(directives)}]).data["answers"]
    return [(one["ok"], one.get("decision")) for one in answers]


@pytest.fixture
def hook(world: World, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], str]:
    monkeypatch.chdir(world.root.parent)
    event = {"cwd": str(world.root.parent), "hook_event_name": "SessionStart"}
    return lambda action, session: json.dumps(run.reply(action, json.dumps({**event, "session_id": session}).encode()))


def test_decay_asks_the_judge_about_each_finished_turn_once(world: World, script: Script) -> None:
    script.acts("[ADD] the user's sister lives in Lisbon #family score:8", "[SKIP]")
    world.memory.decay(Plan())
    assert asked(script) == ["my sister", "花生过敏", "which port"]
    assert "the user's sister lives in Lisbon" in world.recall("sister Lisbon")
    world.memory.decay(Plan())
    assert len(asked(script)) == 3
    world.memory.converse([Message("assistant", "done"), Message("user", "thanks")])
    world.memory.decay(Plan())
    assert asked(script)[3:] == ["and now"]


def test_a_judge_without_an_answer_is_asked_again(world: World, script: Script) -> None:
    result = world.memory
    script.acts({"exit": 1})
    warnings = result.decay(Plan()).warnings
    assert any("the judge has not seen all turns" in warning for warning in warnings)
    script.acts("[SKIP]")
    world.memory.decay(Plan())
    assert asked(script) == ["my sister", "花生过敏", "which port"]


def test_a_judge_is_not_asked_about_turns_of_a_copied_store(world: World, script: Script) -> None:
    script.acts("[ADD] the user's sister lives in Lisbon #family score:8")
    copy = World(world.root.parent / "copy" / ".memory")
    copy.time = world.time
    shutil.copytree(world.root, copy.root)
    copy.memory.decay(Plan())
    assert asked(script) == []


@pytest.mark.parametrize("seconds", [2.0, 0.0])
def test_the_end_of_a_session_asks_the_judge_without_a_warning(
    script: Script, hook: Callable[[str, str], str], monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    monkeypatch.setattr(hooks_session, "_JUDGE_SECONDS", seconds)
    script.acts("[SKIP]")
    hook("end", "new")
    deadline = time.monotonic() + 30
    while len(asked(script)) < 3 and time.monotonic() < deadline:
        time.sleep(0.05)
    assert asked(script) == ["my sister", "花生过敏", "which port"]


def test_a_judge_is_not_asked_about_old_or_forgotten_turns(world: World, script: Script) -> None:
    script.acts("[SKIP]")
    world.memory.forget_conversation(world.time.date().isoformat())
    world.session = "later"
    world.memory.converse([Message("user", "thanks"), Message("assistant", "you are welcome")])
    world.memory.decay(Plan())
    assert asked(script) == ["thanks"]
    world.memory.converse([Message("user", "and now"), Message("assistant", "nothing")])
    unit = max(world.file("conversations").glob("u_*.jsonl"), key=os.path.getmtime)
    world.later(days=15).memory.decay(Plan())
    assert unit.exists()
    assert asked(script) == ["thanks"]


def test_without_a_judge_the_review_prompt_lists_the_turns(world: World) -> None:
    shown = prompt(world)
    assert '"my sister moved to Lisbon"' in shown
    assert "我对花生过敏" in shown
    assert "and now" not in shown
    assert "my sister" not in prompt(world, "talk")  # its own turns
    first, second, third = ids(world)
    assert answer(world, first, "[ADD] the user's sister lives in Lisbon #family score:8") == [(True, "1 done")]
    assert "the user's sister lives in Lisbon" in world.recall("sister Lisbon")
    assert ids(world) == [second, third]
    assert answer(world, third) == answer(world, first) == [(False, None)]
    assert ids(world) == [second, third]
    both = [{"id": ident, "directives": []} for ident in (third, second)]
    assert [one.get("decision") for one in world.memory.answer_reviews(both).data["answers"]] == ["skip", "skip"]


def test_a_partly_refused_answer_about_a_turn_names_the_failures(world: World) -> None:
    assert answer(world, ids(world)[0], "[BOOST:m_0000000000]") == [(False, None)]
    first, *rest = ids(world)
    directives = [
        "<think>",
        "[ADD] she hates Lisbon #a score:9",
        "</think>",
        "[ADD] a sister #a score:8",
        "[ADD] b score:2",
    ]
    (item,) = world.memory.answer_reviews([{"id": first, "directives": directives}]).data["answers"]
    assert item.get("error") == "1 done, 1 failed: score 2 is below the minimum of 5"
    assert (ids(world), len(world.recall())) == (rest, 2)


def test_the_agent_reviews_no_turns_if_there_is_a_judge(world: World, script: Script) -> None:
    script.acts("[SKIP]")
    assert ids(world) == []


def test_a_host_that_calls_monitor_reviews_no_turns_again(world: World) -> None:
    world.memory.monitor(["[SKIP]"])
    assert ids(world) == []


def test_only_the_first_session_of_a_day_gets_the_review_prompt(world: World, hook: Callable[[str, str], str]) -> None:
    line = "messages of earlier sessions are pending; to answer: promptx-mem review --list --format prompt"
    assert line in hook("start", "one")
    assert line not in hook("start", "two")
    world.file(".hosts/reviews.txt").write_text("2026-01-01")
    assert line in hook("start", "three")
