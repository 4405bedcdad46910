"""Messages of a host's transcript are stored once, despite parallel, killed and resumed hooks."""

import json
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.api import Cues, Plan, unit_of
from tests.api import hooks_run as run
from tests.faults import faulty_os
from tests.inside import conversations, settings, transcripts, turns
from tests.world import World

pytestmark = pytest.mark.usefixtures("person")

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def claude(kind: str, uuid: str, content: Any, **more: Any) -> dict[str, Any]:
    return {
        "type": kind,
        "uuid": uuid,
        "timestamp": "2026-03-01T12:00:00.000Z",
        "message": {"content": content},
        **more,
    }


CLAUDE = [
    {"type": "summary", "summary": "an earlier talk", "leafUuid": "x"},
    claude("user", "u1", "<system-reminder>be brief</system-reminder>", isMeta=True),
    claude("user", "u2", "what is a heron?<system-reminder>as of today</system-reminder>"),
    claude("assistant", "a1", [{"type": "thinking", "thinking": "hm"}]),
    claude("assistant", "a2", [{"type": "text", "text": "A bird."}, {"type": "tool_use", "name": "Bash", "input": {}}]),
    claude("user", "u3", [{"type": "tool_result", "content": "files"}]),
    claude("user", "s1", "look around", isSidechain=True),
    claude("user", "u4", "<command-name>/clear</command-name>"),
    claude("assistant", "a3", "", message={"model": "<synthetic>", "content": "No response requested."}),
    claude("user", "u5", f"my token is {SECRET}"),
    claude("user", "u6", [{"type": "text", "text": "thanks"}]),
]
CODEX: list[dict[str, Any]] = [
    {"type": "session_meta", "payload": {"id": "x"}},
    *(
        {"timestamp": "2026-03-01T12:00:00Z", "type": "response_item", "payload": payload}
        for payload in (
            {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "rules"}]},
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "<environment_context>"}]},
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "again"}]},
            {"type": "message", "role": "user", "content": [{"text": "<subagent_notification>{}"}]},
            {"type": "message", "role": "user", "content": [{"text": "<user_shell_command>ls</user_shell_command>"}]},
            {"type": "reasoning", "encrypted_content": "x"},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "done"}]},
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "again"}]},
        )
    ),
    {"type": "event_msg", "payload": {"type": "agent_message", "message": "done"}},
]
MESSAGES: list[dict[str, Any]] = [
    {"sessionId": "x", "kind": "main"},
    {"$set": {"messages": [{"id": "0", "type": "user", "content": [{"text": "<session_context>"}]}]}},
    {"id": "1", "timestamp": "2026-03-01T12:00:00.000Z", "type": "user", "content": [{"text": "hello"}]},
    {"id": "2", "type": "gemini", "content": "hi", "thoughts": [], "toolCalls": [{"name": "ls"}]},
    {"id": "3", "type": "info", "content": "updated"},
]
# As Gemini CLI 0.61.0 writes it if hooks answer at the session start and at the message.
FIRST: list[dict[str, Any]] = [
    {
        "id": "1",
        "type": "user",
        "content": [
            {"text": "<hook_context>This project has a memory.\n\n- a fact</hook_context>\n\nNote that I am vegan."},
            {"text": "<hook_context>Store it now:\n  promptx-mem remember 'I am vegan'</hook_context>"},
        ],
        "displayContent": [{"text": "Note that I am vegan."}],
    },
    {"id": "2", "type": "user", "content": "<hook_context>never closed\n\nhello"},
    {"id": "3", "type": "user", "content": "<hook_context>one</hook_context> <system-reminder>two</system-reminder>"},
    {"id": "4", "type": "user", "content": "<session_context>It is Sunday.</session_context>\nWhat day is it?"},
]
GEMINI = {"sessionId": "x", "messages": MESSAGES}


def lines(records: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(record) + "\n" for record in records).encode()


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (lines(CLAUDE), ["what is a heron?", "A bird.", f"my token is {SECRET}", "thanks"]),
        (lines(CODEX), ["again", "done", "again"]),
        (json.dumps(GEMINI).encode(), ["hello", "hi"]),
        (lines(MESSAGES), ["hello", "hi"]),
        (lines(FIRST), ["Note that I am vegan.", "What day is it?"]),
        (lines(CLAUDE)[:-3], ["what is a heron?", "A bird.", f"my token is {SECRET}"]),
        (b"", []),
        (b"\0\xff{}[]\n[1]\n{\n", []),
        (json.dumps(GEMINI).encode()[:-1], []),
    ],
)
def test_messages_are_read_from_transcripts(data: bytes, expected: list[str]) -> None:
    found = transcripts.read_transcript(data)
    assert [message.text for message in found] == expected
    assert len({message.key for message in found}) == len(expected)


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.setenv("PROMPTX_MEM_CONFIG", str(tmp_path / "config.yaml"))
    (tmp_path / "config.yaml").write_text("conversations: true\n")
    world = World(tmp_path / ".memory", "s1")
    world.remember("something")
    return world


def take(world: World, records: list[dict[str, Any]]) -> tuple[int, int]:
    path = world.root.parent / "transcript.jsonl"
    path.write_bytes(lines(records))
    return turns.import_transcript(world.memory.context, str(path))[:2]


def texts(world: World, session: str = "s1") -> list[str]:
    unit = conversations.read(world.memory.context.layout, unit_of(session))
    return [message.text for _, message in sorted(unit.messages.items())]


STORED = ["what is a heron?", "A bird.", "[withheld: a credential (GitHub Token, Secret)]", "thanks"]


def test_messages_of_a_growing_transcript_are_stored_once(world: World) -> None:
    for count in range(1, len(CLAUDE) + 1):
        for _ in range(2):
            take(world, CLAUDE[:count])
    assert texts(world) == STORED
    assert take(world, CLAUDE) == (0, 4)


def test_a_resumed_session_stores_only_its_new_messages(world: World) -> None:
    take(world, CLAUDE)
    world.session = "s2"
    more = [claude("user", f"v{number}", f"more {number}") for number in range(3)]
    for count in (1, 2, 3, 3):
        take(world, [*CLAUDE, *more[:count]])
    assert texts(world, "s2") == ["more 0", "more 1", "more 2"]
    assert take(world, [CLAUDE[4], CLAUDE[-1], more[2]]) == (0, 3)  # compacted
    world.memory.forget_conversation(unit_of("s1"), purge=True)
    world.memory.forget_conversation(unit_of("s2"), purge=True)
    assert take(world, [*CLAUDE, *more]) == (0, 7)
    world.session = "s3"
    assert take(world, [*CLAUDE, *more]) == (0, 7)


def test_parallel_hooks_store_each_message_once(world: World) -> None:
    path = world.root.parent / "transcript.jsonl"
    path.write_bytes(lines(CLAUDE))
    hooks = [threading.Thread(target=turns.import_transcript, args=(world.memory.context, str(path))) for _ in range(4)]
    for hook in hooks:
        hook.start()
    for hook in hooks:
        hook.join()
    assert texts(world) == STORED


@pytest.mark.parametrize("point", range(1, 9))
def test_a_killed_hook_loses_and_repeats_no_message(world: World, point: int) -> None:
    def work() -> None:
        with pytest.MonkeyPatch.context() as patch:
            faulty_os.FaultyOs(faulty_os.kill(point, "after")).install(patch)
            take(world, CLAUDE)

    faulty_os.forked(work)
    take(world, CLAUDE)
    assert texts(world) == STORED


def test_messages_of_a_purged_episode_are_not_stored_again(world: World) -> None:
    take(world, CLAUDE)
    world.later(hours=5).memory.decay(Plan())
    (episode,) = world.memory.recall(Cues(category="episode")).data["memories"]
    world.memory.forget(episode["id"], purge=True)
    assert take(world, CLAUDE) == (0, 4)
    assert "heron" not in " ".join(texts(world))


def event(world: World, name: str = "Stop") -> bytes:
    path = world.root.parent / "transcript.jsonl"
    path.write_bytes(lines(CLAUDE))
    fields = {"session_id": "s1", "transcript_path": str(path), "cwd": str(world.root.parent), "hook_event_name": name}
    return json.dumps(fields).encode()


@pytest.mark.parametrize("enabled", [True, False])
def test_conversations_are_stored_only_if_enabled(world: World, monkeypatch: pytest.MonkeyPatch, enabled: bool) -> None:
    monkeypatch.chdir(world.root.parent)
    monkeypatch.delenv("PROMPTX_MEM_SESSION", raising=False)
    if not enabled:
        Path(str(settings.path())).write_text("# nothing\n")
    for _ in range(2):
        assert run.reply("stop", event(world), "claude") == {}
    assert bool(list(world.root.glob("conversations/u_*.jsonl"))) == enabled


def test_no_conversation_is_stored_in_a_private_session_or_without_a_store(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with monkeypatch.context() as patch:
        patch.setenv("PROMPTX_MEM_OFF", "1")
        assert run.reply("stop", event(world), "claude") == {}
    assert not (world.root / "conversations").exists()
    other = tmp_path / "other"
    other.mkdir()
    fields = json.loads(event(world)) | {"cwd": str(other)}
    monkeypatch.setenv("PROMPTX_MEM_DIR", str(other / ".memory"))
    assert run.reply("stop", json.dumps(fields).encode(), "claude") == {}
    assert not (other / ".memory").exists()
