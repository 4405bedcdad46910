"""What real hosts sent in a headless call with two tool calls, played to the hooks: nothing answers for the agent."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.world import World

RECORDED = sorted((Path(__file__).parent / "recorded").glob("*.json"))
COUNT = 11
"""Calls of one session: more than it takes for a question."""


def _run(words: list[str], event: Any, root: Path, environment: dict[str, str]) -> bytes:
    data = json.dumps(event).replace("{root}", str(root)).encode()
    done = subprocess.run(
        [sys.executable, "-m", "promptx_mem", *words],
        input=data,
        capture_output=True,
        cwd=root,
        env={"PATH": os.environ["PATH"], "HOME": f"{root}-home", **environment},
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout


def _tree(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project whose store holds something, put there by another session."""
    World(tmp_path / ".memory").remember("there are 3 files", "layout", score="9")
    (tmp_path / "transcript.jsonl").write_text('{"type":"user"}\n' * 30)
    return tmp_path


@pytest.fixture(params=RECORDED, ids=lambda path: path.stem)
def recorded(request: pytest.FixtureRequest) -> dict[str, Any]:
    return dict(json.loads(request.param.read_text("utf-8")))


def test_three_hosts_are_recorded() -> None:
    assert [path.stem for path in RECORDED] == ["claude", "codex", "gemini"]


def test_a_headless_call_gets_context_and_nothing_else(project: Path, recorded: dict[str, Any]) -> None:
    """Whatever a hook says beside context, a decision above all, changes what the call prints or does."""
    said: dict[str, Any] = {}
    for words, event in recorded["events"]:
        out = _run(words.split(), event, project, recorded["environment"])
        said[words] = json.loads(out or b"{}")
    assert {words for words, answer in said.items() if answer} == {"hook start", "hook prompt"}
    for words in ("hook start", "hook prompt"):
        event = next(one for name, one in recorded["events"] if name == words)
        assert said[words].keys() == {"hookSpecificOutput"}
        assert said[words]["hookSpecificOutput"].keys() == {"hookEventName", "additionalContext"}
        assert said[words]["hookSpecificOutput"]["hookEventName"] == event["hook_event_name"]


def test_the_end_of_a_turn_is_never_answered(project: Path, recorded: dict[str, Any]) -> None:
    """An entry that an earlier version installed says nothing and leaves nothing, however long the session is."""
    words, event = recorded["events"][-1]
    assert words == "hook stop"
    before = _tree(project)
    for _ in range(COUNT):
        assert _run(words.split(), event, project, recorded["environment"]) == b""
    assert _tree(project) == before


def test_tool_calls_are_no_prompts(project: Path, recorded: dict[str, Any]) -> None:
    for words, event in recorded["events"]:
        for _ in range(COUNT if words == "guard" else 1):
            out = _run(words.split(), event, project, recorded["environment"])
            assert b"Nothing was stored" not in out


def test_calls_that_a_program_makes_are_never_asked(project: Path) -> None:
    recorded = json.loads((Path(__file__).parent / "recorded" / "claude.json").read_text("utf-8"))
    event = next(one for words, one in recorded["events"] if words == "hook prompt")
    for _ in range(COUNT):
        assert b"Nothing was stored" not in _run(["hook", "prompt"], event, project, recorded["environment"])
    assert not (project / ".memory" / ".hosts").exists()


def test_a_private_session_is_silent_and_leaves_nothing(project: Path, recorded: dict[str, Any]) -> None:
    denied = {**recorded["events"][2][1], "tool_input": {"command": "echo x >> .memory/declarative.md"}}
    assert _run(["guard"], denied, project, recorded["environment"])
    before = _tree(project)
    private = {**recorded["environment"], "PROMPTX_MEM_OFF": "1"}
    for words, event in [*recorded["events"], ("guard", denied)]:
        assert _run(words.split(), event, project, private) == b""
    assert _tree(project) == before
    assert _run(["guard"], denied, project, {**private, "PROMPTX_MEM_OFF": "0"})
