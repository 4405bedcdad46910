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
from promptx_mem.core.request import Request
from promptx_mem.hooks import guard
from promptx_mem.memory import Memory
from promptx_mem.store import layout, trust
from promptx_mem.usecases.recall import Cues
from tests.hooks.guard_calls import CALLS

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
    """Run the printed command as it is."""
    out = []
    for whole in (line[2:] for line in reason.split("\n") if line.startswith("  ")):
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
UNCERTAIN = (
    _edit(("every night", "every morning"), ("喜欢茶", "喜欢咖啡"), tool="MultiEdit"),
    _shell(f"sed -i 's/every night/every morning/' {STORE}"),
    _shell(f"echo '- no tag here' >> {STORE}"),
    _shell(f'echo "- $UNSET_HERE is set #a" >> {STORE}'),
    _shell(f'echo "- $(date) #a" >> {STORE}'),
    _shell(f"echo - home is ~ '#a' >> {STORE}"),
    _shell(f"echo - a{{1,2}} '#a' >> {STORE}"),
    _shell(f'cd "$UNSET_HERE" && echo "- tea #a" >> {STORE}'),
    _shell(f"cat >> {STORE} <<'EOF'\n- one fact #a score:8\n- another one #b score:7\nEOF"),
    ("mcp__promptx__promptx_remember", {"engrams": [{"content": "one"}, {"content": "two"}]}),
)


def test_every_redirect_runs(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The commands of each denial, once for all that print the same, in the store as it was."""
    monkeypatch.delenv("PROMPTX_MEM_SESSION")
    # A session each: the process that runs the tests is no host here, which would be blocked after three denials.
    monkeypatch.setattr("promptx_mem.processes.note_host", lambda: None)
    monkeypatch.setattr("promptx_mem.hooks.guard.note_host", lambda: None)
    (project / "notes.md").symlink_to(STORE)
    (project / "mem").symlink_to(".memory")
    (project.parent / "home" / ".memory").mkdir()
    reasons: dict[tuple[str, ...], str] = {}
    for number, (decision, tool, call) in enumerate(CALLS):
        if decision == "deny":
            filled = json.loads(json.dumps(call).replace("{{}}", "{}"))
            reason = _denial(project, tool, filled, session=f"s{number}")
            reasons.setdefault(tuple(line for line in reason.split("\n") if line.startswith("  ")), reason)
    assert len(reasons) >= 5
    monkeypatch.setenv("PROMPTX_MEM_SESSION", "another")
    shutil.copytree(".memory", "before")
    for reason in reasons.values():
        assert not any(status for _, status in _run(reason)), reason
        shutil.rmtree(".memory")
        shutil.copytree("before", ".memory")
        trust.note(layout.at(os.path.abspath(".memory")), trust.PRIVATE)


@pytest.mark.parametrize("call", UNCERTAIN)
def test_what_is_not_certain_gets_the_rule_and_no_command(project: Path, call: tuple[str, dict[str, Any]]) -> None:
    reason = _denial(project, *call)
    assert not [line for line in reason.split("\n") if line.startswith("  ")]
    assert "promptx-mem remember 'We use Postgres' '#database' score:7" in reason
    assert _living() == ALL


def test_the_third_denial_says_that_storing_is_blocked_and_how_that_is_lifted(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PROMPTX_MEM_SESSION")
    call = _shell(f"echo '- no npm here #a' >> {STORE}")
    reasons = [_denial(project, *call, session="s 3") for _ in range(4)]
    assert ["storing is blocked" in reason for reason in reasons] == [False, False, True, True]
    assert "promptx-mem audit --allow 's 3'" in reasons[2]
    assert "\nRun this instead:" in reasons[1]
    assert "the user lifts that" in reasons[2].lower()
