"""The question, once per session, whether something should be stored."""

import datetime
import json
import os
from pathlib import Path

import pytest

from promptx_mem.hooks import prompt as question
from promptx_mem.memory import Memory
from promptx_mem.store import hosts, layout
from tests.hooks.context import context
from tests.world import World

ASKS = "Nothing was stored in this session"


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("promptx_mem.session.violation_names", lambda label: (f"host:{label == 's2'}", label))
    world = World(tmp_path / ".memory")
    world.remember("用户喜欢喝茶", "偏好", score="9")
    return world


def _prompt(prompt: str = "zzz", session: str = "s1") -> str:
    return context("prompt", session=session, prompt=prompt)


def _asked(count: int, session: str = "s1", prompt: str = "zzz") -> list[int]:
    """Return the numbers, from 1, of the prompts that get the question."""
    return [number for number in range(1, count + 1) if ASKS in _prompt(prompt, session)]


def test_only_the_eleventh_prompt_gets_the_question(world: World) -> None:
    assert _asked(25) == [question.ASK_AFTER + 1]
    assert _asked(25, "s2") == [question.ASK_AFTER + 1]


@pytest.mark.parametrize("session", ["s1", "mcp:0a"])
def test_session_that_stored_a_memory_gets_no_question(world: World, session: str) -> None:
    _asked(10)
    World(world.root, session=session).remember("a fact of this session", "t")
    assert _asked(5) == []


def test_session_whose_memory_was_refused_gets_the_question(world: World) -> None:
    with pytest.raises(Exception, match="score"):
        World(world.root, session="s1").remember("poor", "t", score="1")
    assert _asked(11) == [11]


@pytest.mark.parametrize("prompt", ["", "  \n", "/compact", "<task-notification>done</task-notification>"])
def test_empty_prompts_and_commands_are_not_counted(world: World, prompt: str) -> None:
    assert [_prompt(prompt) for _ in range(12)] == [""] * 12
    assert hosts.events(Memory.open().context.layout, "s1") == []


def test_request_to_remember_gets_no_question(world: World) -> None:
    _asked(10)
    assert ASKS not in _prompt("记住我喜欢咖啡")
    assert ASKS in _prompt()


def test_no_question_if_prompts_cannot_be_counted(world: World, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (world.root / ".hosts").symlink_to(outside)
    assert _asked(25) == []
    assert list(outside.iterdir()) == []


def test_each_session_has_its_own_private_file(world: World) -> None:
    _prompt()
    _prompt()
    _prompt(session="../<x>\u202e")
    one, other = (Path(str(hosts.path(layout.at(str(world.root)), name))) for name in ("s1", "../<x>\u202e"))
    assert sorted(world.file(".hosts").iterdir()) == sorted([one, other])
    first, second = one.read_text("utf-8").splitlines()
    assert json.loads(first).keys() == {"at", "e", "session"}
    assert (json.loads(first)["session"], json.loads(second)["e"]) == ("s1", "prompt")
    assert "<" not in other.read_text("utf-8")
    assert other.read_text("utf-8").rstrip("\n").isprintable()
    assert one.stat().st_mode & 0o777 == 0o600
    assert one.parent.stat().st_mode & 0o777 == 0o700


def test_new_session_removes_files_older_than_thirty_days(world: World) -> None:
    where = layout.at(str(world.root))
    now = datetime.datetime.now(datetime.UTC)
    hosts.note(where, "old", "prompt", now)
    hosts.note(where, "young", "prompt", now)
    for session, days in (("old", 31), ("young", 29)):
        when = now.timestamp() - days * 86_400
        os.utime(str(hosts.path(where, session)), (when, when))
    other = world.file(".hosts") / "notes.txt"
    other.write_text("mine")
    os.utime(other, (0, 0))
    hosts.note(where, "young", "prompt", now)
    assert hosts.events(where, "old")
    hosts.note(where, "new", "prompt", now)
    assert hosts.events(where, "old") == []
    assert len(hosts.events(where, "young")) == 2
    assert other.exists()


def test_prompts_of_a_host_started_by_another_host_are_not_counted(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Gemini CLI, started by a program that Claude Code runs."""
    monkeypatch.setenv("CLAUDE_CODE_ENTRYPOINT", "sdk-cli")
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "another")
    _prompt()
    assert hosts.events(Memory.open().context.layout, "s1") == []
