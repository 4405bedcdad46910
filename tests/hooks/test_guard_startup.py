"""Modules that the guard imports: for an allowed call only its own, for a denial also the rules of the store."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

_PROBE = r"""
import gc, os, sys, time
standard = set(sys.modules)
def end(status, end=os._exit):
    os.write(2, ("\n".join(sorted(set(sys.modules) - standard))).encode())
    end(status)
os._exit = end
sys.argv = ["promptx-mem", "guard"]
from promptx_mem.__main__ import main
main()
"""
_ALWAYS = {
    "_json", "promptx_mem", "promptx_mem.__main__", "promptx_mem.hooks", "promptx_mem.places",
    "promptx_mem.processes", "promptx_mem.core", "promptx_mem.core.json_text", "promptx_mem.hooks.guard",
}  # fmt: skip
_ACT = {"promptx_mem.hooks.act", "promptx_mem.core.acts", "promptx_mem.store", "promptx_mem.store.act_file"}
_HASHES = {"binascii"}
"""The module that hashes a call to find memories about it."""
_LOOK = {"promptx_mem.store.acknowledged", "promptx_mem.hooks.guard.look", "promptx_mem.hooks.calls"}


@pytest.mark.parametrize(
    ("command", "more"),
    [
        ("", set()),
        ("ls .memory", {"guard.before", "guard.commands"}),
        ("cd src; grep -rn memory_dir .", {"guard.before", "guard.commands"}),
        ("echo x >> docs/memory.md", {"guard.before", "guard.commands"}),
    ],
)
def test_allowed_call_imports_only_modules_of_the_guard(tmp_path: Path, command: str, more: set[str]) -> None:
    look = _LOOK | _ACT | _HASHES if command else set()
    assert _loaded(tmp_path, command) - {"fcntl"} == (
        _ALWAYS | look | {f"promptx_mem.hooks.{name}" for name in more}
    ) - {"fcntl"}


def test_call_without_changes_imports_only_modules_of_the_guard(tmp_path: Path) -> None:
    loaded = _loaded(tmp_path, "ls .memory", "PostToolUse")
    ours = _ALWAYS | _ACT | {"promptx_mem.hooks.calls", "promptx_mem.hooks.guard.commands"}
    assert loaded - {"fcntl"} - _HASHES == ours - {"fcntl"}


def test_denial_imports_the_rules_of_the_store_but_no_libraries(tmp_path: Path) -> None:
    loaded = _loaded(tmp_path, "echo '- x #a score:9' >> .memory/declarative.md")
    assert {f"promptx_mem.{name}" for name in ("core.syntax", "core.text", "core.shell", "store.violations")} <= loaded
    assert (
        not {
            f"promptx_mem.{name}"
            for name in ("core.entry", "core.times", "core.line", "store.append", "store.audit", "store.layout")
        }
        & loaded
    )
    assert not {"typer", "filelock", "sqlite3", "yaml", "rich", "typing", "json", "contextlib", "re"} & {
        name.partition(".")[0] for name in loaded
    }


def _loaded(tmp_path: Path, command: str, name: str = "PreToolUse") -> set[str]:
    """Return the modules that the guard imports for a tool call, without those of a bare start."""
    (tmp_path / ".memory").mkdir()
    (tmp_path / ".memory" / "audit.jsonl").touch()
    tool = (
        {"tool_name": "Bash", "tool_input": {"command": command}}
        if command
        else {"tool_name": "Read", "tool_input": {}}
    )
    event = {"hook_event_name": name, "session_id": "s", "cwd": str(tmp_path), **tool}
    done = subprocess.run(
        [sys.executable, "-c", _PROBE], input=json.dumps(event).encode(), capture_output=True, check=True, cwd=tmp_path
    )
    return set(done.stderr.decode().split())
