"""Complete tool calls, run as a host does: the guard before, the real command, the guard after."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from promptx_mem.core.request import Request
from promptx_mem.memory import Memory
from promptx_mem.store import layout, trust
from tests import warm
from tests.hooks import rounds
from tests.hooks.rounds import Call, Crossed, Outside, Row, Step

DENIED, REPORTED, SILENT = "denied", "reported", "silent"
TEXTS = (
    ("The office is in Berlin", "office"),
    ("团队每周五发布新版本", "发布"),
    ("The API listens on port 8080", "api"),
    ("用户喜欢用制表符缩进", "偏好"),
)


class World:
    """A home with a store, a project with a private store, and one with a shared store and a remote."""

    def __init__(self, base: Path) -> None:
        self.base, self.home = base, base / "home"
        self.calls = 0
        self.environment = {
            "HOME": str(self.home),
            "XDG_STATE_HOME": str(self.home / "state"),
            "XDG_CONFIG_HOME": str(self.home / "config"),
            "XDG_CACHE_HOME": str(self.home / "cache"),
            "PATH": f"{warm.programs()}:{os.environ['PATH']}",
            "LANG": "C.UTF-8",
            "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
        }

    def run(self, command: str, cwd: Path, **more: str) -> subprocess.CompletedProcess[bytes]:
        """Run a bash command as the user does, or as a host does with its variables in `more`."""
        words, env = ["bash", "-c", command], {**self.environment, **more}
        return subprocess.run(
            words, cwd=cwd, env=env, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=30
        )

    def must(self, command: str, cwd: Path) -> None:
        done = self.run(command, cwd)
        assert done.returncode == 0, (command, done.stdout, done.stderr)

    def guard(self, event: dict[str, Any], cwd: Path) -> dict[str, Any]:
        """Return the answer to one event. The guard may neither fail nor complain."""
        status, out, err = warm.run(
            warm.PROGRAM, ["guard", "claude"], cwd, self.environment, json.dumps(event).encode()
        )
        assert (status, err) == (0, b"")
        answer = json.loads(out or b"{}").get("hookSpecificOutput", {})
        assert answer.get("hookEventName", event["hook_event_name"]) == event["hook_event_name"]
        return dict(answer)


def _make(base: Path) -> World:
    world = World(base)
    world.home.mkdir(parents=True)
    world.must("git config --global user.name Ann; git config --global user.email ann@example.org", base)
    world.must("git config --global init.defaultBranch main; git init -q --bare origin.git", base)
    world.must("promptx-mem init --user", base)
    Memory.open(str(world.home / ".memory")).remember(Request("Ann prefers short answers", tags=("style",), score="8"))
    for name, option in (("private", ""), ("team", "--shared")):
        root = base / name
        root.mkdir()
        world.must(f"git init -q; promptx-mem init {option}", root)
        for text, tag in TEXTS:
            world.must(f"promptx-mem remember '{text}' '#{tag}' score:8", root)
        for path, content in rounds.FILES.items():
            (root / path).parent.mkdir(exist_ok=True)
            (root / path).write_text(content)
        world.must("git add -A && git commit -qm 'Start'", root)
    # The private store's file of an earlier commit, as a tool that tracked it once would have left it.
    root = base / "private"
    world.must("git checkout -q -b old && git add -f .memory/declarative.md && git commit -qm Old", root)
    world.must(
        "cp -p .memory/declarative.md ../kept && git checkout -q main && mv ../kept .memory/declarative.md", root
    )
    root = base / "team"
    world.must("git remote add origin ../origin.git && git push -q -u origin main", root)
    world.must("git clone -q origin.git mate", base)
    for text in ("The staging host is called otter", "我们用蓝绿部署"):
        world.must(f"promptx-mem remember '{text}' '#mate' score:7 && git commit -qam 'Note it'", base / "mate")
    world.must("git push -q origin main && git push -q origin main:feature", base / "mate")
    world.must("git fetch -q", root)
    return world


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.mktemp("rounds") / "template"
    with pytest.MonkeyPatch.context() as patch:
        _use_home(World(base), patch)
        patch.setattr("promptx_mem.session.is_person", lambda: True)
        _make(base)
    return base


def _use_home(world: World, patch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
        patch.setenv(name, world.environment[name])


@pytest.fixture
def world(template: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """Return a copy of the template, with the same trust in its stores."""
    base = template.parent / f"copy-{os.urandom(4).hex()}"
    subprocess.run(["cp", "-a", template, base], check=True)
    world = World(base)
    _use_home(world, monkeypatch)
    for place, kind in (("home", trust.PRIVATE), ("private", trust.PRIVATE), ("team", trust.SHARED)):
        assert trust.record(layout.at(str(base / place / ".memory")), kind)
    yield world
    shutil.rmtree(base)


class Round:
    """The steps of one row in one project. `found` has the result of each call."""

    def __init__(self, world: World, row: Row) -> None:
        self.world, self.row = world, row
        self.root = world.base / row.project
        line = next(
            line for line in (self.root / ".memory/declarative.md").read_text().splitlines() if "Berlin" in line
        )
        self._words = {
            "{root}": str(self.root),
            "{home}": str(world.home),
            "{python}": sys.executable,
            "{id}": re.findall(r"m_\w+", line)[0],
            "{line}": line,
        }
        self.found: list[str] = []
        self.told = ""

    def play(self) -> None:
        for step in self.row.steps:
            self._step(step)

    def _step(self, step: Step) -> None:
        if isinstance(step, Outside):
            self.world.must(self._filled(step.command), self.root)
        elif isinstance(step, Crossed):
            events = [event for call in step.calls if (event := self._open(call)) is not None]
            if len(events) < len(step.calls):
                self.found += [DENIED] * (len(step.calls) - len(events))
                return
            codes = [self._do(call) for call in step.calls]
            for event, code in zip(events, codes, strict=True):
                self._close(event, code)
        else:
            event = self._open(step)
            if event is None:
                self.found.append(DENIED)
                return
            if step.during:
                self._step(step.during)
            self._close(event, self._do(step))

    def _open(self, call: Call) -> dict[str, Any] | None:
        """Ask the guard before the call. Return the call's event, or None if the call is denied."""
        self.world.calls += 1
        event = {
            "session_id": call.session,
            "transcript_path": str(self.world.home / "t.jsonl"),
            "cwd": str(self.root / call.cwd),
            "permission_mode": "bypassPermissions",
            "hook_event_name": "PreToolUse",
            "tool_name": call.tool,
            "tool_input": self._filled(call.given),
            "tool_use_id": f"toolu_{self.world.calls}",
        }
        answer = self.world.guard(event, self.root)
        return None if answer.get("permissionDecision") in ("deny", "ask") else event

    def _do(self, call: Call) -> int:
        """Do what the tool would, and return the exit status."""
        if call.does:
            more = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": call.session}
            return self.world.run(self._filled(call.does), self.root / call.cwd, **more).returncode
        given = self._filled(call.given)
        path = self.root / (given.get("file_path") or given.get("path") or given["relative_path"])
        if "old_string" in given:
            text = path.read_text()
            assert given["old_string"] in text
            text = text.replace(given["old_string"], given["new_string"], 1)
        else:
            text = given.get("content") or given["text"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return 0

    def _close(self, event: dict[str, Any], code: int) -> None:
        after = {**event, "hook_event_name": "PostToolUseFailure" if code else "PostToolUse", "duration_ms": 9}
        after |= {"error": f"Exit code {code}", "is_interrupt": False} if code else {"tool_response": {"stdout": ""}}
        told = self.world.guard(after, self.root).get("additionalContext", "")
        self.told += told
        self.found.append(REPORTED if told else SILENT)

    def _filled(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {key: self._filled(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self._filled(item) for item in value]
        if isinstance(value, str):
            for word, text in self._words.items():
                value = value.replace(word, text)
        return value

    def written(self) -> bool:
        """Return whether the row's calls, run without a guard, change the stores."""
        before = _guarded(self.world)
        for step in self.row.steps:
            for each in step.calls if isinstance(step, Crossed) else (step,):
                if isinstance(each, Outside):
                    self.world.must(self._filled(each.command), self.root)
                else:
                    self._do(each)
        return _guarded(self.world) != before


def _guarded(world: World) -> dict[str, bytes | None]:
    """Return the bytes of all files that the guard watches."""
    names = ("declarative.md", "journal.jsonl", "config.yaml", "audit.jsonl")
    places = [world.base / place / ".memory" / name for place in ("home", "private", "team") for name in names]
    places.append(world.home / "config/promptx-mem/config.yaml")
    return {str(path): path.read_bytes() if path.exists() else None for path in places}


def _runnable(rows: tuple[Row, ...]) -> list[Any]:
    """Return the rows whose programs are installed, named by number and last step."""
    named = [pytest.param(row, id=f"{number:03} {row}") for number, row in enumerate(rows)]
    return [named[number] for number, row in enumerate(rows) if all(map(shutil.which, row.needs))]


@pytest.mark.one_in(7)
@pytest.mark.parametrize("row", _runnable(rounds.WRITES))
def test_guard_denies_or_reports_a_write(world: World, row: Row) -> None:
    played = Round(world, row)
    before = _guarded(world)
    played.play()
    if DENIED in played.found:
        assert played.written(), "the row writes nothing"
    else:
        assert _guarded(world) != before, "the row writes nothing"
        assert played.found[-1] == REPORTED, played.found
    assert REPORTED not in played.found[:-1]
    assert not row.names or DENIED in played.found or row.names in played.told


@pytest.mark.parametrize("command", rounds.POWERSHELL)
def test_guard_denies_writes_in_powershell(world: World, command: str) -> None:
    call = Call("PowerShell", {"command": command})
    assert Round(world, Row(call))._open(call) is None


@pytest.mark.one_in(7)
@pytest.mark.parametrize("row", _runnable(rounds.HARMLESS))
def test_guard_ignores_a_harmless_call(world: World, row: Row) -> None:
    played = Round(world, row)
    played.play()
    assert set(played.found) == {SILENT}, (played.found, played.told)
