"""Acts that need a person: others are refused, and shown the command that the user runs in a terminal."""

import datetime
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from tests import terminal, warm
from tests.api import Entry, format_line, make_id

PROGRAM = [sys.executable, "-m", "promptx_mem"]
FACT, MINE = make_id("we deploy from main"), make_id("the user likes tea")
DSN = "host=localhost dbname=memory user=alice"


class Act(NamedTuple):
    """A command, the input of a person, a part of the output, and the exit status."""

    words: tuple[str, ...]
    answers: str = ""
    shown: str = ""
    status: int = 0


ACTS = {
    "trust": Act(("init", "--trust"), "project\n", "trusted "),
    "purge": Act(("forget", FACT, "--purge"), "project\n", "purged"),
    "purge of a conversation": Act(("forget", "--conversation", "today", "--purge"), "project\n", "purged"),
    "verify": Act(("verify", FACT), "", "verified"),
    "remember verified": Act(("remember", "it's true", "#fact", "score:8", "--verified"), "", "true"),
    "unblocking a session": Act(("audit", "--allow", "S"), "", "S"),
    "review": Act(("review", MINE, "keep"), "", "confirmed"),
    "join": Act(("sync", "--join", DSN, "--space", "team"), "n\n", "nothing was sent", 1),
    "trust of a role": Act(("sync", "--trust", "bob"), "project\n", "not connected", 2),
    "exclusion of a role": Act(("sync", "--without", "bob"), "", "not connected", 2),
    "many purges": Act(("sync", "--accept-purges"), "", "not connected", 2),
}


class Project:
    """A project with a fact, a conversation and a blocked session, and a user store with an unscored memory."""

    def __init__(self, root: Path) -> None:
        self.home, self.project = root / "home", root / "project"
        (self.home / ".memory").mkdir(parents=True)
        self.project.mkdir()
        subprocess.run(["git", "init", "-q", str(self.project)], check=True)
        self.env = {**os.environ, "HOME": str(self.home), "COLUMNS": "200"}
        self.env |= {"XDG_STATE_HOME": str(self.home / "state"), "XDG_CONFIG_HOME": str(self.home / "config")}
        assert self.run("remember", "we deploy from main", "#deploy", "score:8").returncode == 0
        assert self.run("converse", "--role", "user", "hello").returncode == 0
        for number in range(3):
            assert self.run("remember", f"trifle {number}", "#t", "score:1", "--session", "S").returncode == 1
        now = datetime.datetime.now().astimezone().isoformat(timespec="seconds")
        entry = Entry("the user likes tea", ("tea",), id=MINE, at=now, unconfirmed="ab")
        (self.home / ".memory/declarative.md").write_text(f"{format_line(entry)}\n", "utf-8")

    def run(self, *words: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        status, out, err = warm.run(warm.PROGRAM, list(words), self.project, {**self.env, **(env or {})}, b"")
        return subprocess.CompletedProcess(words, status, out.decode(), err.decode())

    def type(self, *words: str, answers: str = "", env: dict[str, str] | None = None) -> tuple[int, str]:
        return terminal.run(list(words), self.project, answers, {**self.env, **(env or {})})

    def below_host(self, *words: str, answers: str = "") -> tuple[int, str]:
        """Run in a new terminal, as a child of a process that has called one of our hooks."""
        event = json.dumps({"hook_event_name": "SessionStart", "session_id": "s"})
        host = f"""
import subprocess, sys
from pathlib import Path
from tests import terminal, warm
subprocess.run({[*PROGRAM, "hook", "start", "claude"]!r}, input={event!r}, text=True, check=True, stdout=-3)
status, shown = terminal.run({list(words)!r}, Path({str(self.project)!r}), {answers!r})
print(shown)
sys.exit(status)
"""
        done = subprocess.run(
            [sys.executable, "-c", host], cwd=self.project, env={**self.env, "PYTHONPATH": os.getcwd()},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        return done.returncode, done.stdout + done.stderr


@pytest.fixture
def place(quick: Path) -> Project:
    return Project(quick)


def _ways_of_agents(place: Project) -> dict[str, Callable[..., tuple[int, str]]]:
    def piped(*words: str, **more: object) -> tuple[int, str]:
        done = place.run(*words)
        return done.returncode, done.stdout + done.stderr

    def in_host(*words: str, answers: str = "") -> tuple[int, str]:
        return place.type(*words, answers=answers, env={"CLAUDECODE": "1"})

    return {"pipe": piped, "variable": in_host, "host above": place.below_host}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", ACTS)
def test_act_needs_a_person_who_gets_the_command_to_run(name: str, place: Project) -> None:
    if name == "join":
        pytest.importorskip("psycopg")
    act = ACTS[name]
    for agent, run in _ways_of_agents(place).items():
        status, shown = run(*act.words, answers=act.answers)
        assert (status, "needs a person at a terminal" in shown) == (1, True), (agent, shown)
        (line,) = [line for line in shown.splitlines() if "the user must run this in a terminal: " in line]
        command = shlex.split(line.partition("in a terminal: ")[2])
        assert command[0] == "promptx-mem", (agent, shown)
    status, shown = place.type(*command[1:], answers=act.answers)
    assert (status, act.shown in shown) == (act.status, True), shown


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", [name for name, act in ACTS.items() if act.answers == "project\n" and not act.status])
@pytest.mark.parametrize("answer", ["\n", "y\n", "yes\n", "another\n"])
def test_dangerous_act_needs_the_typed_name_of_the_store(name: str, answer: str, place: Project) -> None:
    before = (place.project / ".memory/declarative.md").read_bytes()
    status, shown = place.type(*ACTS[name].words, answers=answer)
    assert (status, "To confirm, type project:" in shown) == (1, True), shown
    assert (place.project / ".memory/declarative.md").read_bytes() == before


def test_purge_has_no_option_that_skips_the_confirmation(place: Project) -> None:
    for option in ("-y", "--yes"):
        assert place.run("forget", FACT, "--purge", option).returncode == 2, "there is no such option"
    assert "we deploy from main" in (place.project / ".memory/declarative.md").read_text("utf-8")


def test_piped_answers_to_reviews_of_the_user_store_are_refused(place: Project) -> None:
    answers = place.home / "answers"
    answers.write_text(json.dumps({"id": MINE, "decision": "keep"}), "utf-8")
    done = place.run("review", "--answers", str(answers))
    assert (done.returncode, "needs a person" in done.stdout) == (1, True), done


@pytest.mark.thorough
@pytest.mark.parametrize(
    "command", ["script -qec 'promptx-mem init --trust' /dev/null", "setsid promptx-mem init --trust"]
)
def test_pseudo_terminal_in_a_hosts_session_is_not_a_person(command: str, place: Project, tmp_path: Path) -> None:
    env = {**place.env, "CLAUDECODE": "1", "PATH": f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["/bin/sh", "-c", command], cwd=place.project, env=env, input="project\n", capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert "needs a person at a terminal" in done.stdout + done.stderr


# Blocks: violations count for the agent's host, which the agent cannot rename.


EVENT = json.dumps({"hook_event_name": "SessionStart", "session_id": "HOST"})
_HOST = """
import json, os, subprocess, sys
program, commands, hook = json.loads(sys.argv[1])
if hook:
    subprocess.run([*program, "hook", "start", "claude"], input=hook, text=True, check=True, stdout=-3)
out = []
for command in commands:
    done = subprocess.run(["/bin/bash", "-c", command], capture_output=True, text=True)
    out.append([done.returncode, done.stdout + done.stderr])
print(json.dumps(out))
"""


def agent(
    place: Project, commands: list[str], *, hook: bool = True, env: dict[str, str] | None = None
) -> list[tuple[int, str]]:
    """Run shell commands as one host's tool calls."""
    path = f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}"
    arguments = json.dumps([PROGRAM, commands, EVENT if hook else ""])
    done = subprocess.run(
        [sys.executable, "-c", _HOST, arguments], cwd=place.project, env={**place.env, "PATH": path, **(env or {})},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return [(status, shown) for status, shown in json.loads(done.stdout)]


WEAK = ["promptx-mem remember 'a trifle' '#t' score:1 --session A"] * 3
GOOD = "promptx-mem remember 'we test with pytest' '#test' score:8"
EVASIONS = (
    f"{GOOD} --session T",
    f"env -u CLAUDE_CODE_SESSION_ID {GOOD}",
    f"env -u CLAUDE_CODE_SESSION_ID -u CLAUDECODE {GOOD} --session T",
    f"PROMPTX_MEM_SESSION=x {GOOD}",
    f"CLAUDE_CODE_SESSION_ID=another {GOOD}",
    f"{GOOD} </dev/null",
    f"setsid -w {GOOD}",
    f'script -qec "{GOOD}" /dev/null',
    f"nohup {GOOD}",
    f"bash -c {shlex.quote(f'sh -c {shlex.quote(GOOD)}; exit $?')}",
)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("env", [{}, {"CLAUDECODE": "1"}, {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "HOST"}])
def test_blocked_agent_stays_blocked_under_other_session_names(env: dict[str, str], place: Project) -> None:
    results = agent(place, [*WEAK, *EVASIONS], env=env)
    for command, (status, shown) in zip((*WEAK, *EVASIONS), results, strict=True):
        assert status == 1, (command, shown)
    for command, (_, shown) in zip(EVASIONS, results[3:], strict=True):
        assert "is blocked after" in shown, (command, shown)
    assert "pytest" not in (place.project / ".memory/declarative.md").read_text("utf-8")


@pytest.mark.thorough
def test_violations_under_three_session_names_block_one_host(place: Project) -> None:
    weak = [command.replace("--session A", f"--session {name}") for name, command in zip("ABC", WEAK, strict=True)]
    assert "is blocked after" in agent(place, [*weak, f"{GOOD} --session D"])[-1][1]


@pytest.mark.thorough
def test_host_without_hooks_is_blocked_by_its_variable_or_process(place: Project) -> None:
    env = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "HOST"}
    results = agent(place, [*WEAK, f"{GOOD} --session T", f"env -u CLAUDE_CODE_SESSION_ID {GOOD}"], hook=False, env=env)
    assert all("is blocked after" in shown for _, shown in results[3:]), results


@pytest.mark.thorough
def test_block_spares_other_hosts_people_and_scripts(place: Project) -> None:
    blocked = agent(place, [*WEAK, GOOD])[-1][1]
    (name,) = {line.rpartition("--allow ")[2] for line in blocked.splitlines() if "--allow" in line}
    assert agent(place, [GOOD])[0][0] == 0
    assert place.run("remember", "a script's fact", "#t", "score:8").returncode == 0
    status, shown = place.type("remember", "a person's fact", "#t", "score:8")
    assert status == 0, shown
    assert name in place.run("audit").stdout
    assert "needs a person" in agent(place, [f"promptx-mem audit --allow {name} </dev/null"])[0][1]


@pytest.mark.thorough
def test_person_lifts_a_block_by_either_session_name(place: Project) -> None:
    for name in (None, "A"):
        results = agent(place, [*WEAK, GOOD])
        shown = results[-1][1]
        (printed,) = {line.rpartition("--allow ")[2] for line in shown.splitlines() if "--allow" in line}
        status, answer = place.type("audit", "--allow", name or printed)
        assert status == 0, answer
        blocked = json.loads(place.run("audit", "--json").stdout)["blocked"]
        assert printed not in blocked
