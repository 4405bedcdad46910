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
_ALWAYS = {"_json", "promptx_mem", "promptx_mem.__main__", "promptx_mem.hooks"} | {
    f"promptx_mem.hooks.{name}" for name in ("exchange", "guard", "place", "tools")
}


@pytest.mark.parametrize(
    ("command", "more"),
    [
        ("", set()),
        ("ls .memory", {"programs", "shell", "words", "writes"}),
        ("echo x >> .memory/declarative.md", {"programs", "shell", "words", "writes", "remedy"}),
    ],
)
def test_it_loads_the_standard_three_and_its_own_files(tmp_path: Path, command: str, more: set[str]) -> None:
    (tmp_path / ".memory").mkdir()
    tool = (
        {"tool_name": "Bash", "tool_input": {"command": command}}
        if command
        else {"tool_name": "Read", "tool_input": {}}
    )
    event = {"hook_event_name": "PreToolUse", "session_id": "s", "cwd": str(tmp_path), **tool}
    done = subprocess.run(
        [sys.executable, "-c", _PROBE], input=json.dumps(event).encode(), capture_output=True, check=True, cwd=tmp_path
    )
    assert set(done.stderr.decode().split()) == _ALWAYS | {f"promptx_mem.hooks.{name}" for name in more}
