"""Recorded events of real hosts in headless calls, replayed to the hooks: no hook answers for the agent."""

import json
from pathlib import Path
from typing import Any

import pytest

from promptx_mem.hooks.entries import TABLES
from promptx_mem.hooks.hosts import HOSTS
from tests.cli import program
from tests.world import World

pytestmark = pytest.mark.thorough

RECORDED = sorted((Path(__file__).parent / "recorded").glob("*.json"))
COUNT = 11
"""Number of calls in a session: enough for the question of `hook prompt`."""


def _run(words: list[str], event: Any, root: Path, environment: dict[str, str]) -> bytes:
    data = json.dumps(event).replace("{root}", str(root)).encode()
    ran = program.forked(words, root, program.environment(root, None) | environment, data)
    assert (ran.status, ran.err) == (0, "")
    return ran.out.encode()


def _tree(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a project whose store has one memory of another session."""
    text = (
        "there are 3 files in this folder: a list of them is made by the host's own tool, or by a command of the shell"
    )
    World(tmp_path / ".memory").remember(text, "layout", score="9")
    (tmp_path / "transcript.jsonl").write_text('{"type":"user"}\n' * 30)
    return tmp_path


@pytest.fixture(params=RECORDED, ids=[path.stem for path in RECORDED])
def recorded(request: pytest.FixtureRequest) -> dict[str, Any]:
    return dict(json.loads(request.param.read_text("utf-8")))


@pytest.fixture
def host(request: pytest.FixtureRequest) -> str:
    return str(request.node.callspec.params["recorded"].stem)


def _answers(recorded: dict[str, Any], host: str, project: Path) -> list[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Return each event with the answer of its hook, in order."""
    return [
        (words, event, json.loads(_run([*words.split(), host], event, project, recorded["environment"]) or b"{}"))
        for words, event in recorded["events"]
    ]


def test_events_of_every_host_are_recorded(recorded: dict[str, Any], host: str) -> None:
    assert sorted(path.stem for path in RECORDED) == sorted(HOSTS) == sorted(TABLES)
    table = TABLES[host]
    assert recorded["host"] == table.title
    calls = {(hook.event, hook.action) for hook in table.hooks}
    assert {(event["hook_event_name"], words) for words, event in recorded["events"]} <= calls
    assert all(event.get("session_id") or event["conversation_id"] for _, event in recorded["events"])


def test_hooks_answer_a_headless_call_only_with_context(project: Path, recorded: dict[str, Any], host: str) -> None:
    """Any other field in an answer, such as a decision, would change the output of the call."""
    answers = _answers(recorded, host, project)
    for words, event, answer in answers:
        if words not in ("hook start", "hook prompt"):
            assert answer == {}, words
        elif HOSTS[host].format == "additional_context":
            assert answer.keys() == {"additional_context"}
        elif answer:
            assert answer.keys() == {"hookSpecificOutput"}
            assert answer["hookSpecificOutput"].keys() == {"hookEventName", "additionalContext"}
            assert answer["hookSpecificOutput"]["hookEventName"] == event["hook_event_name"]
    for words, event, answer in answers:
        if words == "hook start":
            knows_it = event.get("source") == "resume" and HOSTS[host].keeps_start
            assert bool(answer) is not knows_it
    prompts = [answer for words, event, answer in answers if words == "hook prompt" and event["prompt"]]
    assert len([answer for answer in prompts if answer]) == min(len(prompts), 1)


def test_guard_denies_in_the_format_of_each_host(project: Path, recorded: dict[str, Any], host: str) -> None:
    event = next(event for words, event in recorded["events"] if words == "guard")
    name = next(key for key in ("command", "cmd") if key in event["tool_input"] or key == "command")
    tool = {"tool_name": "Bash"} if event["tool_name"] == "Agent" else {}
    denied = {**event, **tool, "tool_input": {name: "echo '- tea #drink' >> .memory/declarative.md"}}
    answer = json.loads(_run(["guard", host], denied, project, recorded["environment"]))
    if HOSTS[host].format == "decision":
        assert (answer.keys(), answer["decision"]) == ({"decision", "reason"}, "deny")
    elif HOSTS[host].format == "additional_context":
        assert (answer.keys(), answer["permission"]) == ({"permission", "user_message", "agent_message"}, "deny")
    else:
        inner = answer["hookSpecificOutput"]
        assert answer.keys() == {"hookSpecificOutput"}
        assert inner.keys() == {"hookEventName", "permissionDecision", "permissionDecisionReason"}
        assert (inner["hookEventName"], inner["permissionDecision"]) == (event["hook_event_name"], "deny")
    session = event.get("session_id") or event["conversation_id"]
    named = f"--session {session}" in json.dumps(answer)
    assert named == (not HOSTS[host].variables)


def test_guard_asks_the_user_only_in_hosts_that_can_ask(project: Path, recorded: dict[str, Any], host: str) -> None:
    event = next(event for words, event in recorded["events"] if words == "guard")
    tool = {"tool_name": "Bash"} if event["tool_name"] == "Agent" else {}
    settings = {**event, **tool, "tool_input": {"command": "echo 'policy: strict' >> .memory/config.yaml"}}
    answer = _run(["guard", host], settings, project, recorded["environment"]).decode()
    assert ('"ask"' in answer) is HOSTS[host].asks
    assert ('"deny"' in answer) is not HOSTS[host].asks


def test_stop_hook_never_answers_or_writes(project: Path, recorded: dict[str, Any], host: str) -> None:
    words, event = next(one for one in recorded["events"] if one[0] == "hook stop")
    before = _tree(project)
    for _ in range(COUNT):
        assert _run([*words.split(), host], event, project, recorded["environment"]) == b""
    assert _tree(project) == before


def test_prompts_of_headless_calls_never_get_the_question(project: Path) -> None:
    recorded = json.loads((Path(__file__).parent / "recorded" / "claude.json").read_text("utf-8"))
    event = next(one for words, one in recorded["events"] if words == "hook prompt")
    for _ in range(COUNT):
        assert b"Nothing was stored" not in _run(["hook", "prompt"], event, project, recorded["environment"])
    assert all('"e":"prompt"' not in path.read_text() for path in (project / ".memory" / ".hosts").iterdir())


def test_private_session_is_silent_and_writes_nothing(project: Path, recorded: dict[str, Any], host: str) -> None:
    call = next(event for words, event in recorded["events"] if words == "guard")
    tool = {"tool_name": "Bash"} if call["tool_name"] == "Agent" else {}
    denied = {**call, **tool, "tool_input": {"command": "echo x >> .memory/declarative.md"}}
    assert _run(["guard", host], denied, project, recorded["environment"])
    before = _tree(project)
    private = {**recorded["environment"], "PROMPTX_MEM_OFF": "1"}
    for words, event in [*recorded["events"], ("guard", denied)]:
        assert _run([*words.split(), host], event, project, private) == b""
    assert _tree(project) == before
    assert _run(["guard", host], denied, project, {**private, "PROMPTX_MEM_OFF": "0"})
