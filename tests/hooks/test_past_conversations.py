"""Past conversations: `hook start` names the last three, `hook prompt` one that shares rare words with the prompt."""

import datetime
import json
import os
import shlex
import sqlite3
from collections.abc import Sequence
from pathlib import Path

import pytest

from promptx_mem.hooks import run as run_hook
from promptx_mem.search import messages as search_messages
from tests.api import Message
from tests.cli import program
from tests.hooks.context import context_in
from tests.tables import rows
from tests.world import World

PAST = (
    ("the websocket gateway drops frames", "Raise the heartbeat interval of the gateway"),
    ("draw the invoice template with the letterhead", "The letterhead is now in the footer"),
    ("咖啡机的除垢提示灯一直亮着", "按住冲洗键五秒钟"),
    ("why is the migration of the ledger table so slow", "It rewrites an index of the ledger table"),
    ("the parser loses trailing commas", "Fixed in the tokenizer"),
)
GATEWAY = "which heartbeat did we choose for the websocket gateway?"


def converse(world: World, session: str, texts: Sequence[str]) -> None:
    world.session = session
    at = world.time.isoformat()
    world.memory.converse([Message(("user", "assistant")[n % 2], text, at) for n, text in enumerate(texts)])
    unit = max(world.file("conversations").glob("u_*.jsonl"), key=lambda path: path.stat().st_mtime_ns)
    os.utime(unit, (world.time.timestamp(),) * 2)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Five conversations, a day apart, the last one 30 days ago."""
    world = World(tmp_path / ".memory")
    world.time = datetime.datetime.now().astimezone() - datetime.timedelta(days=35)
    world.remember("the release is on Friday", "release")
    for number, texts in enumerate(PAST):
        converse(world.later(days=1), f"past {number}", texts)
    return tmp_path


def run(root: Path, words: Sequence[str], stdin: str = "") -> str:
    ran = program.run(*words, cwd=root, stdin=stdin, session=None)
    assert (ran.status, ran.err) == (0, "")
    return ran.out


def start(root: Path, session: str = "new") -> str:
    return context_in(root, "start", session=session, source="startup")


def prompt(root: Path, text: str, session: str = "new") -> str:
    said = context_in(root, "prompt", text, session)
    return next((line for line in said.splitlines() if line.startswith("A past conversation")), "")


def day(root: Path, number: int) -> str:
    """Return the day of a conversation."""
    texts = (path.read_text("utf-8") for path in (root / ".memory" / "conversations").glob("u_*.jsonl"))
    return next(str(json.loads(text.partition("\n")[0])["at"])[:10] for text in texts if PAST[number][0] in text)


def command_of(line: str) -> list[str]:
    return shlex.split(line.rpartition("promptx-mem ")[2])


def test_session_start_names_the_last_three_conversations(project: Path) -> None:
    for _ in range(2):
        lines = start(project).partition("Last conversations:\n")[2].split("\n\n")[0].splitlines()
        assert [line.split('"')[1] for line in lines] == [PAST[n][0] for n in (4, 3, 2)]
        assert [line[2:12] for line in lines] == [day(project, n) for n in (4, 3, 2)]
        assert all(PAST[n][1] in run(project, command_of(line)) for n, line in zip((4, 3, 2), lines, strict=True))


def test_a_conversation_in_the_index_is_not_named_twice(project: Path) -> None:
    world = World(project / ".memory")
    world.time = datetime.datetime.now().astimezone() - datetime.timedelta(days=1)
    converse(world, "late", ("rename the Kotlin module", "Renamed"))
    said = start(project)
    assert said.count("rename the Kotlin module") == 1
    assert said.partition("Last conversations:")[2].count("promptx-mem show") == 2


@pytest.mark.parametrize(("text", "number"), rows(__file__, "past_conversations.jsonl"))
def test_prompt_with_rare_words_of_a_conversation_gets_one_line(project: Path, text: str, number: int) -> None:
    start(project)
    line = prompt(project, text)
    assert PAST[number][0] in line
    assert day(project, number) in line
    assert PAST[number][1] in run(project, command_of(line))
    assert prompt(project, text) == ""
    assert prompt(project, text, "another") == line


@pytest.mark.parametrize(
    "text",
    [
        "fix the tests", "continue", "write a haiku about falling snow", "why does the login page flicker?",
        "the gateway of the office is locked", "Discuss the pros and cons of a gateway", "What did we discuss about tax?",
        "let's talk about the parser", "say that the ledger is balanced", "我们讨论一下咖啡机", "我说的咖啡在哪", "把这首诗改得更押韵", "咖啡真好喝", "/clear websocket gateway heartbeat",
    ],
)  # fmt: skip
def test_prompt_without_shared_rare_words_gets_no_line(project: Path, text: str) -> None:
    start(project)
    assert prompt(project, text) == ""


def test_words_of_many_conversations_are_not_rare(project: Path) -> None:
    world = World(project / ".memory")
    world.time = datetime.datetime.now().astimezone() - datetime.timedelta(days=3)
    for number in range(4):
        converse(world.later(hours=5), f"more {number}", (f"websocket gateway heartbeat, part {number}", "done"))
    start(project)
    assert prompt(project, GATEWAY) == ""


def test_forgotten_conversation_is_not_named(project: Path) -> None:
    start(project)
    (ident,) = command_of(prompt(project, GATEWAY, "other"))[1:]
    World(project / ".memory").memory.forget(ident)
    assert prompt(project, GATEWAY) == ""


def test_current_conversation_is_found_only_in_other_sessions(project: Path) -> None:
    world = World(project / ".memory")
    world.time = datetime.datetime.now().astimezone() - datetime.timedelta(minutes=5)
    converse(world, "evening", ("why does the kestrel binary segfault on musl", "Its stack is too small on musl"))
    said = start(project)
    assert "why does the kestrel binary segfault on musl" in said
    line = prompt(project, "did we solve the kestrel segfault on musl?")
    assert "too small on musl" in run(project, command_of(line))
    assert prompt(project, "did we solve the kestrel segfault on musl?", "evening") == ""


def test_memories_are_injected_despite_a_damaged_message_index(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def damaged(*_: object) -> None:
        raise sqlite3.DatabaseError("database disk image is malformed")

    monkeypatch.chdir(project)
    start(project)
    for name, action in (("sharing_rare_words", "prompt"), ("last_conversations", "start")):
        monkeypatch.setattr(search_messages, name, damaged)
        event = {"session_id": "s", "prompt": f"{GATEWAY} And when is the release?", "source": "startup"}
        assert "the release is on Friday" in json.dumps(run_hook.reply(action, json.dumps(event).encode(), "claude"))
