"""A judge that a test scripts: a real process that does one act per question."""

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.api import COMMAND

PROGRAM = """
import json, os, sys, time
folder = sys.argv[1]
prompt = sys.stdin.buffer.read()
number = len([name for name in os.listdir(folder) if name.startswith("prompt")])
with open(os.path.join(folder, "prompt%05d" % number), "wb") as file:
    file.write(prompt)
with open(os.path.join(folder, "acts.json"), encoding="utf-8") as file:
    acts = json.load(file)
act = acts[min(number, len(acts) - 1)]
out = sys.stdout.buffer
if "child" in act:
    import subprocess
    child = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(60)"])
    with open(os.path.join(folder, "child"), "w") as file:
        file.write(str(child.pid))
if act.get("echo"):
    out.write(prompt)
out.write(act.get("say", "").encode() + bytes.fromhex(act.get("bytes", "")))
out.flush()
sys.stderr.write(act.get("complain", ""))
sys.stderr.flush()
try:
    for _ in range(act.get("flood", 0)):
        out.write(b"x" * 65536)
except OSError:
    pass
if act.get("run"):
    import subprocess
    subprocess.run(act["run"], check=True)
time.sleep(act.get("sleep", 0))
os._exit(act.get("exit", 0))
"""


class Script:
    """The acts of a judge, and the prompts that it received. The last act is repeated."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        folder.mkdir()
        self.folder = folder
        program = folder / "judge.py"
        program.write_text(PROGRAM, "utf-8")
        self.command = [sys.executable, "-S", "-E", str(program), str(folder)]
        monkeypatch.setenv(COMMAND, " ".join(self.command))

    def acts(self, *acts: str | dict[str, Any]) -> "Script":
        """Set the next acts of the judge, where a text is its answer. Remove earlier prompts."""
        for old in self.folder.glob("prompt*"):
            old.unlink()
        listed = [{"say": act} if isinstance(act, str) else act for act in acts]
        (self.folder / "acts.json").write_text(json.dumps(listed), "utf-8")
        return self

    def prompts(self) -> list[str]:
        return [path.read_text("utf-8") for path in sorted(self.folder.glob("prompt*"))]

    def child_is_gone(self) -> bool:
        """Return whether the process that the judge started ends within ten seconds."""
        number = int((self.folder / "child").read_text())
        deadline = time.monotonic() + 10
        while _runs(number):
            if time.monotonic() > deadline:
                return False
            time.sleep(0.02)
        return True


def _runs(number: int) -> bool:
    try:
        os.kill(number, 0)
        # a killed process that was not waited for yet is a zombie
        state = Path(f"/proc/{number}/stat").read_text("utf-8").rpartition(")")[2].split()[0]
    except ProcessLookupError:
        return False
    except OSError:
        return Path("/proc/self").exists() is False
    return state not in "ZX"
