import json
import os
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from promptx_mem.core import shell
from promptx_mem.core.json_text import objects
from promptx_mem.core.request import Request
from promptx_mem.errors import UsageError
from promptx_mem.hooks import guard, hosts
from promptx_mem.memory import Memory
from promptx_mem.session import name as session_name
from promptx_mem.store import audit, layout, violations
from tests.cli import program
from tests.hooks.guard_calls import CALLS
from tests.tables import rows


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a project with a store and links to the store and its file. The home has a store too."""
    root = tmp_path / "project"
    for folder in (root / ".memory", root / "docs", tmp_path / "home" / ".memory"):
        folder.mkdir(parents=True)
    (root / ".memory" / "declarative.md").write_text("- tea #drink score:8\n")
    (root / "notes.md").symlink_to(".memory/declarative.md")
    (root / "mem").symlink_to(".memory")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("D", raising=False)
    monkeypatch.chdir(root)
    return root


def _filled(value: Any, root: Path) -> Any:
    if isinstance(value, str):
        return value.replace("{root}", str(root)).replace("{{}}", "{}")
    if isinstance(value, list):
        return [_filled(item, root) for item in value]
    return {key: _filled(item, root) for key, item in value.items()} if isinstance(value, dict) else value


def _event(root: Path, tool: str, given: dict[str, Any], host: str = guard.CLAUDE, session: str = "s1") -> bytes:
    event = {"session_id": session, "cwd": str(root), "hook_event_name": host, "tool_name": tool, "tool_input": given}
    return json.dumps(event).encode()


def _ask(root: Path, tool: str, given: dict[str, Any], host: str = guard.CLAUDE) -> tuple[str, str]:
    answer = guard._answer(_event(root, tool, given, host), "gemini" if host == guard.GEMINI else "claude")
    if host == guard.GEMINI:
        return answer.get("decision", "pass"), answer.get("reason", "")
    said = answer.get("hookSpecificOutput", {})
    return said.get("permissionDecision", "pass"), said.get("permissionDecisionReason", "")


@pytest.mark.parametrize(("decision", "tool", "call"), CALLS)
def test_guard_decides_on_calls_of_claude_code(project: Path, decision: str, tool: str, call: dict[str, Any]) -> None:
    said, reason = _ask(project, tool, _filled(call, project))
    assert said == decision
    assert (project / ".memory/audit.jsonl").exists() == (decision == "deny")
    assert len(reason) <= hosts.MAX_CHARACTERS


@pytest.mark.parametrize(("decision", "tool", "call"), rows(__file__, "gemini.jsonl"))
def test_guard_decides_on_calls_of_gemini_cli(project: Path, decision: str, tool: str, call: dict[str, Any]) -> None:
    assert _ask(project, tool, _filled(call, project), guard.GEMINI)[0] == decision


STORE = ".memory/declarative.md"


@pytest.mark.parametrize(
    ("tool", "call"),
    [
        *rows(__file__, "ambiguous.jsonl"),
        ("Write", {"file_path": STORE, "content": "- " + "a fact that goes on " * 500}),
    ],
)
def test_denial_of_an_ambiguous_write_prints_no_command(project: Path, tool: str, call: dict[str, Any]) -> None:
    text = "- the backup runs every night #a score:8\n- 用户喜欢茶 #a score:8\n"
    (project / STORE).write_text(text, "utf-8")
    said, reason = _ask(project, tool, call)
    assert said == "deny"
    assert not [line for line in reason.split("\n") if line.startswith("  ")]
    assert "promptx-mem remember 'We use Postgres' '#database' score:7" in reason
    assert (project / STORE).read_text("utf-8") == text


def test_third_denial_explains_how_to_unblock_storing(project: Path) -> None:
    event = _event(project, "Bash", {"command": f"echo '- no npm here #a' >> {STORE}"}, session="s 3")
    answers = [guard._answer(event)["hookSpecificOutput"]["permissionDecisionReason"] for _ in range(4)]
    assert ["The user can unblock it" in reason for reason in answers] == [False, False, True, True]
    assert "promptx-mem audit --allow 's 3'" in answers[2]
    assert "\nRun this instead:" in answers[1]
    assert all("it can store only facts that the user asks for" in reason for reason in answers)


@pytest.mark.parametrize(
    ("tool", "call", "before"),
    [
        ("Bash", {"command": f"echo '- no npm here #a' >> {STORE}"}, "run:\n  "),
        ("Bash", {"command": f"echo '- no npm here' >> {STORE}"}, "run:\n  "),
        ("Write", {"file_path": STORE, "content": "- one\n- two\n"}, "for example: "),
    ],
)
def test_command_of_a_denial_in_a_blocked_session_works(
    project: Path, tool: str, call: dict[str, Any], before: str
) -> None:
    answers = [guard._answer(_event(project, tool, call, session="s3")) for _ in range(3)]
    reason = answers[-1]["hookSpecificOutput"]["permissionDecisionReason"]
    assert "\nIf the user asked for this, " in reason
    assert "Raise the score" not in reason
    command = re.split("[;\n]", reason.partition(before)[2])[0]
    said = program.run(*shlex.split(command)[1:], cwd=project, env={"CLAUDE_CODE_SESSION_ID": "s3"}, session=None)
    assert said.status == 0, said.err


def test_remember_refuses_placeholders_of_usage_lines(project: Path) -> None:
    memory = Memory.open(str(project / ".memory"))
    with pytest.raises(UsageError, match="score"):
        memory.remember(Request("tea", tags=("drink",), score=shell.SCORE))
    with pytest.raises(UsageError, match="tag"):
        memory.remember(Request("tea", tags=(shell.TAG,), score="8"))
    for request in (Request(shell.TEXT, tags=("a",), score="8"), Request(f"{shell.TEXT} #a score:8")):
        with pytest.raises(UsageError, match="no text"):
            memory.remember(request)


def test_third_violation_blocks_storing_also_in_a_renamed_session(project: Path) -> None:
    def remember(session: str) -> program.Ran:
        words = ("remember", "the user likes tea", "#drink", "score:9")
        return program.run(*words, cwd=project, env={"CLAUDE_CODE_SESSION_ID": session}, session=None)

    for number in range(3):
        assert remember("host-7").status == 0, number
        event = _event(project, "Bash", {"command": "echo x >> .memory/declarative.md"}, session="host-7")
        assert '"deny"' in program.run("guard", cwd=project, stdin=event, session=None).out
    said = remember("host-7")
    assert (said.status, "blocked" in said.err) == (1, True)
    assert remember("host-8").status == 1  # an agent can choose this name


@pytest.mark.parametrize("session", ["s1", "<a & b>", "会话\u202e\x01", "x" * 300, "  padded ", 'q"\\'])
def test_violation_is_counted_for_the_session_name_of_remember(project: Path, session: str) -> None:
    guard._answer(_event(project, "save_memory", {"fact": "tea"}, session=session))
    memory = Memory.open(str(project / ".memory"))
    log = audit.read(memory.context.layout)
    now = memory.context.now()
    assert violations.count(log, [session_name(session, now)], now) == 1
    assert log.endswith(b"\n")


def test_denial_after_a_torn_line_of_the_audit_log_gets_its_own_line(project: Path) -> None:
    log = project / ".memory" / "audit.jsonl"
    log.write_bytes(b'{"torn')
    guard._answer(_event(project, "save_memory", {"fact": "tea"}))
    assert len(objects(log.read_bytes())) == 1


def test_symlinked_audit_log_is_not_written(project: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "target"
    target.write_bytes(b"")
    (project / ".memory" / "audit.jsonl").symlink_to(target)
    assert _ask(project, "save_memory", {"fact": "tea"})[0] == "deny"
    assert target.read_bytes() == b""
    assert "could be recorded" in capfd.readouterr().err


def test_denial_without_a_store_records_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    decision, reason = _ask(tmp_path, "save_memory", {"fact": "tea"})
    assert decision == "deny"
    assert "violation" not in reason
    assert list(tmp_path.iterdir()) == []


def test_denied_write_to_the_user_store_is_recorded_and_names_that_store(project: Path, tmp_path: Path) -> None:
    user = tmp_path / "home" / ".memory"
    (tmp_path / "clone" / ".git").mkdir(parents=True)
    for folder, log in ((project, project / ".memory"), (tmp_path / "clone", user)):
        reason = _ask(folder, "Write", {"file_path": f"{user}/declarative.md", "content": "- a\n- b\n"})[1]
        assert "score:7 --user" in reason
        (record,) = objects((log / "audit.jsonl").read_bytes())
        assert record["file"] == f"{user}/declarative.md"


def test_command_for_another_store_is_given_only_if_the_user_made_that_store(project: Path) -> None:
    call = {"command": f"echo '- tea is served at four #drink' >> {project}/docs/.memory/declarative.md"}
    assert "--memory-dir" not in _ask(project, "Bash", call)[1]
    Memory.open(str(project / "docs" / ".memory")).init()
    assert f"--memory-dir {project}/docs/.memory" in _ask(project, "Bash", call)[1]


def test_store_with_another_name_is_guarded(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "store").mkdir()
    monkeypatch.setenv(layout.ENVIRONMENT, "store")
    assert _ask(project, "Write", {"file_path": "store/declarative.md", "content": "x"})[0] == "deny"
    assert _ask(project, "Write", {"file_path": "stored/declarative.md", "content": "x"})[0] == "pass"


def test_other_spelling_of_the_store_path_is_guarded_if_it_is_one_file(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.stat
    monkeypatch.setattr(os, "stat", lambda path: real(str(path).replace("/.MEMORY", "/.memory")))
    assert _ask(project, "Write", {"file_path": ".MEMORY/declarative.md", "content": "x"})[0] == "deny"


@pytest.mark.parametrize(
    "event",
    [
        b"",
        b"not json",
        b"\xff\xfe\x00",
        b"[]",
        b'{"hook_event_name":"PreToolUse","tool_name":"Bash"}',
        b'{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":7}}',
        b'{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":[]}',
        b'{"hook_event_name":"PreToolUse","tool_name":["Write"],"tool_input":{"file_path":".memory/x"}}',
        b'{"hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"file_path":"a\\u0000/.memory/x"}}',
        b'{"hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"file_path":null}}',
        b"[" * 100_000,
        b'{"a":' * 50_000,
        b'{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"' + b"(" * 90_000 + b'"}}',
        b'{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"' + b"$(" * 40_000 + b'"}}',
        b'{"hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"file_path":"' + b"a/" * 400_000 + b'"}}',
        b'"' + b"x" * 10_000_000 + b'"',
    ],
)
def test_a_broken_event_lets_the_call_through(project: Path, event: bytes) -> None:
    ran = program.run("guard", cwd=project, stdin=event)
    assert (ran.status, ran.out) == (0, "")
    assert ran.err.count("\n") <= 1
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(("tool", "call", "printed"), rows(__file__, "denied_facts.jsonl"))
def test_a_denial_prints_the_commands_that_store_the_facts(
    project: Path, tool: str, call: dict[str, Any], printed: list[str]
) -> None:
    said, reason = _ask(project, tool, call)
    assert said == "deny"
    assert [line for line in reason.split("\n") if line[:2] == "  "] == [f"  promptx-mem {line}" for line in printed]
    assert ("Use a better tag than #note" in reason) == ("#note" in str(printed))
