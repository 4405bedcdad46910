"""Each command that a denial prints is run as bash takes it apart, and does to the store what the tool call was meant to."""

import io
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from promptx_mem.cli import app
from promptx_mem.core import shell
from promptx_mem.core.request import Request
from promptx_mem.hooks import guard
from promptx_mem.memory import Memory
from promptx_mem.store import layout, trust
from promptx_mem.usecases.recall import Cues
from tests.hooks import guard_runs
from tests.hooks.guard_events import CLAUDE

NIGHT, TEA, PORT = "the backup runs every night", "用户喜欢茶", "it's port 5432 $HOME `x`"
STORE = ".memory/declarative.md"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose store holds three memories."""
    root, home = tmp_path / "project", tmp_path / "home"
    for folder in (root / ".memory", root / "docs", home):
        folder.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PROMPTX_MEM_SESSION", "the user's own")
    monkeypatch.chdir(root)
    memory = Memory.open(str(root / ".memory"))
    for text in (NIGHT, TEA, PORT):
        memory.remember(Request(text, tags=("a",), score="8"))
    return root


def _denial(root: Path, tool: str, fields: dict[str, Any], session: str = "s") -> str:
    filled = json.loads(json.dumps(fields).replace("{root}", str(root)))
    event = {"hook_event_name": guard.CLAUDE, "session_id": session, "cwd": str(root), "tool_name": tool}
    answer = guard._answer(json.dumps({**event, "tool_input": filled}).encode())
    return str(answer["hookSpecificOutput"]["permissionDecisionReason"])


def _run(reason: str) -> list[tuple[str, int]]:
    """Run what is printed, its tags and scores filled in; a fact that is left to the agent is left out."""
    lines = [line[2:] for line in reason.split("\n") if line.startswith("  ") and shell.TEXT not in line]
    out = []
    for line in lines:
        whole = line.replace(f"'{shell.TAG}'", "filled").replace(f"'{shell.SCORE}'", "8")
        catch = "promptx-mem() { printf '%s\\0' \"$@\" >&3; cat; }\n"
        done = subprocess.run(
            ["bash", "-c", f"exec 3>&1 1>&2\n{catch}{whole}"], stdin=subprocess.DEVNULL, capture_output=True, check=True
        )
        words = done.stdout.decode().split("\0")[:-1]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(done.stderr)))
            out.append((whole, app.run(words)))
    return out


def _living() -> set[str]:
    return {one["text"] for one in Memory.open(".memory").recall(Cues(count=100, touch=False)).data["memories"]}


def _edit(*pairs: tuple[str, str], tool: str = "Edit") -> tuple[str, dict[str, Any]]:
    changes = [{"old_string": old, "new_string": new} for old, new in pairs]
    return tool, {"file_path": STORE, **(changes[0] if tool == "Edit" else {"edits": changes})}


def _shell(command: str) -> tuple[str, dict[str, Any]]:
    return "Bash", {"command": command}


ALL = {NIGHT, TEA, PORT}
MORNING = "the backup runs every morning"
CASES: tuple[tuple[tuple[str, dict[str, Any]], set[str]], ...] = (
    (_edit(("every night", "every morning")), {MORNING, TEA, PORT}),
    (_edit(("night", "morning")), {MORNING, TEA, PORT}),
    (_edit((f"- {NIGHT} #a score:8", f"- {MORNING} #a score:8")), {MORNING, TEA, PORT}),
    (_edit(("喜欢茶", "不喜欢茶")), {NIGHT, "用户不喜欢茶", PORT}),
    (_edit(("5432", "5433")), {NIGHT, TEA, "it's port 5433 $HOME `x`"}),
    (_edit(("every night", "every morning"), ("喜欢茶", "喜欢咖啡"), tool="MultiEdit"), {MORNING, "用户喜欢咖啡", PORT}),
    (_edit(("every", "each"), ("night", "day"), tool="MultiEdit"), {"the backup runs each day", TEA, PORT}),
    (_shell(f"sed -i 's/every night/every morning/' {STORE}"), {MORNING, TEA, PORT}),
    (_shell(f"sed -i 's|喜欢|讨厌|g' {STORE}"), {NIGHT, "用户讨厌茶", PORT}),
    (_shell(f"sed -i '/every night/d' {STORE}"), {TEA, PORT}),
    (_shell(f"sed -i '$a - no npm here #rule score:8' {STORE}"), ALL | {"no npm here"}),
    (_shell(f"sed -i '$ a\\- no npm here #rule score:8' {STORE}"), ALL | {"no npm here"}),
    (_shell(f"ed {STORE} <<'EOF'\n$a\n- no npm here\n.\nw\nq\nEOF"), ALL | {"no npm here"}),
    (_shell(f"python3 -c \"open('{STORE}','a').write('- no npm here\\n')\""), ALL | {"no npm here"}),
    (
        _shell("python3 - <<'EOF'\nfrom pathlib import Path\np = Path('.memory')/'declarative.md'\n"
               "with p.open('a') as f:\n    f.write('- no npm here #rule score:9\\n')\nEOF"),
        ALL | {"no npm here"},
    ),
    (_shell(f"node -e \"require('fs').appendFileSync('{STORE}','- no npm here\\n')\""), ALL | {"no npm here"}),
    (_shell(f"echo '- no npm here' | tee -a {STORE}"), ALL | {"no npm here"}),
    (_shell(f"cat >> {STORE} <<'EOF'\n- one fact #a score:8\n- another one #b score:7\nEOF"), ALL | {"one fact", "another one"}),
    (_shell("npx promptx remember 'no npm here'"), ALL | {"no npm here"}),
    (("mcp__promptx__promptx_remember", {"engrams": [{"content": "one"}, {"content": "two"}]}), ALL | {"one", "two"}),
    (("add_memory", {"messages": [{"role": "user", "content": "no npm here"}]}), ALL | {"no npm here"}),
    (
        ("apply_patch", {"input": f"*** Begin Patch\n*** Update File: {STORE}\n@@\n+- no npm here #a score:8\n*** End Patch"}),
        ALL | {"no npm here"},
    ),
)  # fmt: skip


@pytest.mark.parametrize(("call", "living"), CASES)
def test_the_redirect_does_what_was_meant(project: Path, call: tuple[str, dict[str, Any]], living: set[str]) -> None:
    assert _living() == ALL
    done = _run(_denial(project, *call))
    assert done
    assert not any(status for _, status in done), done
    assert _living() == living


def test_a_line_taken_out_is_forgotten_and_a_line_by_hand_is_updated(project: Path) -> None:
    path = project / STORE
    line = next(line for line in path.read_text().split("\n") if TEA in line)
    assert not any(status for _, status in _run(_denial(project, *_edit((line + "\n", "")))))
    assert _living() == {NIGHT, PORT}
    path.write_text(path.read_text() + "- by hand #x score:7\n")
    assert not any(status for _, status in _run(_denial(project, *_edit(("by hand", "not by hand")))))
    assert _living() == {NIGHT, PORT, "not by hand"}


def test_every_redirect_runs(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The commands of each denial, once for all that print the same, in the store as it was."""
    monkeypatch.delenv("PROMPTX_MEM_SESSION")
    # A session each: the process that runs the tests is no host here, which would be blocked after three denials.
    monkeypatch.setattr("promptx_mem.processes.note_host", lambda: None)
    monkeypatch.setattr("promptx_mem.hooks.guard.note_host", lambda: None)
    (project / "notes.md").symlink_to(STORE)
    (project / "mem").symlink_to(".memory")
    (project.parent / "home" / ".memory").mkdir()
    tables = (*CLAUDE, *guard_runs.MORE)
    reasons: dict[tuple[str, ...], str] = {}
    for number, (decision, tool, call) in enumerate(tables):
        if decision == "deny":
            filled = json.loads(json.dumps(call).replace("{{}}", "{}"))
            reason = _denial(project, tool, filled, session=f"s{number}")
            reasons.setdefault(tuple(line for line in reason.split("\n") if line.startswith("  ")), reason)
    assert len(reasons) >= 20
    monkeypatch.setenv("PROMPTX_MEM_SESSION", "another")
    shutil.copytree(".memory", "before")
    for reason in reasons.values():
        assert not any(status for _, status in _run(reason)), reason
        shutil.rmtree(".memory")
        shutil.copytree("before", ".memory")
        trust.note(layout.at(os.path.abspath(".memory")), trust.PRIVATE)


@pytest.mark.parametrize(("tool", "call"), [row[1:] for row in guard_runs.SAYS])
def test_the_text_that_was_to_be_written_is_kept(tmp_path: Path, tool: str, call: dict[str, Any]) -> None:
    (tmp_path / ".memory").mkdir()
    assert f"{guard_runs.TEXT}' " in _denial(tmp_path, tool, call)


def test_the_third_denial_says_that_storing_is_blocked_and_how_that_is_lifted(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PROMPTX_MEM_SESSION")
    call = _shell(f"echo '- no npm here' >> {STORE}")
    reasons = [_denial(project, *call, session="s 3") for _ in range(4)]
    assert ["storing is blocked" in reason for reason in reasons] == [False, False, True, True]
    assert "promptx-mem audit --allow 's 3'" in reasons[2]
    assert "\nRun this instead:" in reasons[1]
    assert "\nRun this instead:" not in reasons[2]
