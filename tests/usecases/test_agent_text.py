"""What teaches an agent is short, and stores nothing where it is pasted unchanged."""

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
    """The commands of a text that teaches, in their order."""
    inline = re.findall(r"`(promptx-mem [^`]+)`", text) or re.findall(r": (promptx-mem remember [^\n(]+)", text)
    block = re.search(r"(?m)^      (promptx-mem remember --split - <<'EOF'\n(?:      .*\n)+)", text)
    return [*inline, *([block[1].replace("\n      ", "\n")] if block else [])]


class Agent:
    """Runs commands as an agent's shell tool does, as its user would see it."""

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

    def ask(self, command: str) -> subprocess.CompletedProcess[str]:
        """Run one command as it stands."""
        return subprocess.run(
            ["bash", "-c", command], cwd=self.place, env=self.environment, capture_output=True, text=True, check=False
        )


def test_the_instructions_are_short() -> None:
    assert tokens(SNIPPET) <= MOST


@pytest.mark.parametrize(
    "text", [SNIPPET, session.INTRODUCTION, session.BEGIN.format(""), SKILL.read_text("utf-8")], ids=len
)
def test_what_teaches_stores_nothing_when_pasted_unchanged(tmp_path: Path, text: str) -> None:
    agent = Agent(tmp_path)
    storing = [command for command in _commands(text) if re.search(r" remember\b", command)]
    assert storing
    for command in storing:
        done = agent.ask(command)
        assert done.returncode, (command, done.stdout, done.stderr)
    assert not (tmp_path / ".memory").exists()
