"""An agent without a model that does what its instructions say, word for word, through a task of 20 steps."""

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
CALLS, TOKENS = 27, 3_132
"""What the same task took with the first instructions: a call a fact."""

FACTS = (
    "the user writes Python with tabs #style score:8",
    "the deploy runs on Fridays at noon #release score:7",
    "tests are run with nox, not tox #tests score:8",
    "the staging database is called birch #ops score:7",
    "用户喜欢简短的回答 #偏好 score:9",
    "the API returns dates in UTC #api score:8",
    "Ana reviews what touches billing #team score:7",
    "the old parser was dropped for speed #decision score:8",
    "the release notes are in German #release score:7",
    "feature flags live in flags.toml #config score:8",
)


def _commands(text: str = SNIPPET) -> list[str]:
    """The commands of a text that teaches, in their order."""
    inline = re.findall(r"`(promptx-mem [^`]+)`", text) or re.findall(r": (promptx-mem remember [^\n(]+)", text)
    block = re.search(r"(?m)^      (promptx-mem remember --split - <<'EOF'\n(?:      .*\n)+)", text)
    return [*inline, *([block[1].replace("\n      ", "\n")] if block else [])]


class Agent:
    """Runs commands as an agent's shell tool does, and counts what it sends and reads."""

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
        self.calls, self.tokens = 0, tokens(SNIPPET)

    def run(self, begins: str, **words: str) -> str:
        """Run the command of the instructions that begins so, with its placeholders filled in."""
        command = next(one for one in _commands() if one.startswith(f"promptx-mem {begins}"))
        for placeholder, value in words.items():
            assert f"<{placeholder}>" in command or placeholder == "facts"
            command = command.replace(f"<{placeholder}>", value)
        if "facts" in words:
            command = f"{command.splitlines()[0]}\n{words['facts']}\nEOF\n"
        text = "the deploy runs on Tuesdays at noon" if "--update" in command else "the user was born on 5 March"
        command = command.replace("'<text>'", f"'{text}'").replace("'<tag>'", "birthday")
        done = self.ask(command)
        assert done.returncode == 0, (command, done.stdout, done.stderr)
        self.calls += 1
        self.tokens += tokens(command) + tokens(done.stdout + done.stderr)
        return done.stdout

    def ask(self, command: str) -> subprocess.CompletedProcess[str]:
        """Run one command as it stands."""
        return subprocess.run(
            ["bash", "-c", command], cwd=self.place, env=self.environment, capture_output=True, text=True, check=False
        )


def test_the_instructions_are_short() -> None:
    assert tokens(SNIPPET) <= MOST


@pytest.mark.thorough
def test_a_task_of_twenty_steps_takes_half_the_calls_and_tokens(tmp_path: Path) -> None:
    """Ten facts learnt and a wish; one changed, one over; what waits; seven questions, some asked in one call."""
    (tmp_path / "project").mkdir()
    agent = Agent(tmp_path / "project")
    agent.run("recall", words="how are releases done")
    stored = agent.run("remember --split", facts="\n".join(FACTS))
    idents = re.findall(r"m_[0-9a-z]{10}", stored)
    assert len(idents) == len(FACTS)
    agent.run(
        "remember --explicit",
    )
    assert "on Fridays" in agent.run("recall", words="deploy Fridays")
    agent.run("remember --update", id=idents[1])
    agent.run("forget", id=idents[3])
    offer = agent.run("review`"[:-1]).partition("Aliases: ")[2]
    assert offer
    found = agent.run("recall", words="when does the deploy run")
    assert "Tuesdays" in found
    assert "on Fridays" not in found
    agent.run("recall", words="staging database birch")
    assert "简短" in agent.run("recall", words="用户 回答")
    assert agent.calls * 2 <= CALLS
    # Aliases are asked for once in the life of a store, and by no instructions before.
    assert (agent.tokens - tokens(offer)) * 2 <= TOKENS


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
