"""Instructions for agents are short, and their examples store nothing if pasted unchanged."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.api import tokens
from tests.inside import SNIPPET
from tests.inside import hooks_session as session

SKILL = Path(__file__).parents[2] / "plugins/claude-code/skills/memory/SKILL.md"
MOST = 375


def _commands(text: str = SNIPPET) -> list[str]:
    """Return the commands in instructions, in order."""
    inline = re.findall(r"`(promptx-mem [^`]+)`", text) or re.findall(r": (promptx-mem remember [^\n(]+)", text)
    block = re.search(r"(?m)^      (promptx-mem remember --split - <<'EOF'\n(?:      .*\n)+)", text)
    return [*inline, *([block[1].replace("\n      ", "\n")] if block else [])]


class Agent:
    """Runs commands as the shell tool of an agent does."""

    def __init__(self, place: Path) -> None:
        programs = place / "bin"
        programs.mkdir()
        (programs / "promptx-mem").write_text(f'#!/bin/sh\nexec {sys.executable} -m promptx_mem "$@"\n')
        (programs / "promptx-mem").chmod(0o755)
        self.place = place
        self.environment = {
            "PATH": f"{programs}:{os.environ['PATH']}",
            "HOME": str(place.parent),
            "PROMPTX_MEM_SESSION": "a",
        }
        self.environment["PYTHONPATH"] = str(Path(__file__).parents[2])

    def run(self, command: str) -> subprocess.CompletedProcess[str]:
        """Run one command unchanged."""
        return subprocess.run(
            ["bash", "-c", command], cwd=self.place, env=self.environment, capture_output=True, text=True, check=False
        )


def test_the_instructions_are_short() -> None:
    assert tokens(SNIPPET) <= MOST


@pytest.mark.parametrize(
    "text", [SNIPPET, session.INTRODUCTION, session.BEGIN.format(""), SKILL.read_text("utf-8")], ids=len
)
def test_example_commands_store_nothing_if_pasted_unchanged(tmp_path: Path, text: str) -> None:
    agent = Agent(tmp_path)
    storing = [command for command in _commands(text) if re.search(r" remember\b", command)]
    assert storing
    for command in storing:
        done = agent.run(command)
        assert done.returncode, (command, done.stdout, done.stderr)
    assert not (tmp_path / ".memory").exists()
