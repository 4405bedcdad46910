"""Size limits of hosts, records of injected memories per session, and printed paths."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from promptx_mem.hooks import hosts
from promptx_mem.hooks.hosts import HOSTS
from promptx_mem.usecases.audit_log import Filters
from promptx_mem.usecases.recall import Cues
from tests.cli import program
from tests.hooks.context import context
from tests.world import World

pytestmark = pytest.mark.thorough

BYTES = {(): 10_000, ("8000",): 32_000}
"""Bytes of a text that Codex shows, by the arguments of the hook."""
IDS = re.compile(r"\((m_[0-9a-z]{10})\)|id=\"(m_[0-9a-z]{10})\"")


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    return World(tmp_path / "project" / ".memory")


def _fill(world: World, count: int = 100, name: str = "记忆") -> None:
    end = "条：部署流程需要先在测试环境验证，再由值班同事在周一上午发布到生产环境"
    world.import_texts(*(f"{name}第{number}{end}" for number in range(count)))


def _ids(text: str) -> set[str]:
    return {one or other for one, other in IDS.findall(text)}


def _injected(world: World, session: str) -> set[str]:
    items = world.memory.audit(Filters(session, count=1_000, injected=True)).data["handouts"] or []
    return {str(item["id"]) for item in items if item["id"]}


@pytest.mark.parametrize("more", BYTES)
def test_index_fits_into_the_bytes_that_codex_shows(world: World, more: tuple[str, ...]) -> None:
    _fill(world, 150)
    said = context("start", "codex", more, source="startup")
    assert len(said.encode()) <= BYTES[more]
    shown = _ids(said)
    assert len(shown) > 40
    assert _injected(world, "s1") == shown
    [left] = re.findall(r"\((\d+) more memories are left out here; to find them: promptx-mem recall <words>\)$", said)
    assert int(left) + len(shown) == 150


def test_index_fits_into_the_limits_of_every_host(world: World) -> None:
    _fill(world)
    for caller in HOSTS:
        said = context("start", caller, session=caller, source="startup")
        assert _ids(said), caller
        assert len(said) <= hosts.MAX_CHARACTERS, caller
        assert not HOSTS[caller].bytes or len(said.encode()) <= HOSTS[caller].bytes, caller


@pytest.mark.parametrize("more", BYTES)
def test_prompt_gets_whole_memories_within_the_bytes_of_codex(world: World, more: tuple[str, ...]) -> None:
    for number in range(8):
        world.remember(f"部署第{number}步：" + "先验证再发布，" * 30, "部署", score="9")
    said = context("prompt", "codex", more, prompt="部署 验证 发布 的步骤是什么")
    assert len(said.encode()) <= BYTES[more]
    assert said.count("<memory ") == said.count("</memory>") == len(_ids(said)) > 0
    assert _injected(world, "s1") == _ids(said)


def test_denial_fits_into_the_bytes_that_codex_shows(world: World) -> None:
    _fill(world, 1)
    content = "".join(f"- 第{number}条：" + "必须先验证再发布，" * 150 + "\n" for number in range(10))
    event = {"hook_event_name": "PreToolUse", "session_id": "s", "cwd": os.getcwd(), "tool_name": "Write"}
    written = {"tool_input": {"file_path": ".memory/declarative.md", "content": content}}
    ran = program.run("guard", "codex", cwd=Path.cwd(), stdin=json.dumps(event | written))
    reason = ran.object["hookSpecificOutput"]["permissionDecisionReason"]
    assert "promptx-mem remember" in reason
    assert len(reason.encode()) <= 10_000


class TestNamedSession:
    """PROMPTX_MEM_SESSION names a session for commands. Injected memories are recorded by the host's session."""

    @pytest.fixture(autouse=True)
    def _named(self, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PROMPTX_MEM_SESSION", "mine")
        world.remember("the deploy key lives in vault, and whoever needs it asks the people of operations", "ops")

    @staticmethod
    def _prompt(session: str) -> str:
        return context("prompt", "claude", session=session, prompt="where does the deploy key live")

    def test_injected_memories_are_recorded_per_session_of_the_host(self, world: World) -> None:
        assert "vault" in self._prompt("a")
        assert "vault" in self._prompt("b")
        assert (self._prompt("a"), self._prompt("b")) == ("", "")
        assert _injected(world, "a") == _injected(world, "b") != set()
        assert _injected(world, "mine") == set()

    def test_compacting_one_session_does_not_affect_another(self) -> None:
        assert "vault" in self._prompt("a")
        assert "vault" in self._prompt("b")
        context("compact", "claude", session="a", trigger="auto")
        assert self._prompt("b") == ""
        assert "vault" in self._prompt("a")

    def test_long_session_names_with_the_same_beginning_differ(self) -> None:
        for session in ("x" * 200, "x" * 199 + "y"):
            assert "vault" in self._prompt(session)


class TestByPath:
    """Commands that hooks print name the program so that the agent's shell finds it."""

    @pytest.fixture
    def installed(self, tmp_path: Path) -> Path:
        path = tmp_path / "it's here" / "promptx-mem"
        path.parent.mkdir()
        path.write_text(f"#!{sys.executable}\nfrom promptx_mem.__main__ import main\nmain()\n")
        path.chmod(0o755)
        return path

    @staticmethod
    def _hook(installed: Path, words: list[str], path: str, **event: Any) -> str:
        data = json.dumps({"session_id": "s", "cwd": os.getcwd(), **event}).encode()
        env = {"PATH": path} | {name: os.environ[name] for name in ("HOME", "XDG_STATE_HOME")}
        done = subprocess.run([str(installed), *words], input=data, capture_output=True, check=True, env=env)
        inner = json.loads(done.stdout)["hookSpecificOutput"]
        return str(inner.get("additionalContext") or inner.get("permissionDecisionReason"))

    @pytest.mark.parametrize(("more", "on_path"), [([], False), ([], True), (["8000", hosts.BY_PATH], True)])
    def test_printed_commands_run(self, world: World, installed: Path, more: list[str], *, on_path: bool) -> None:
        _fill(world, 1)
        world.remember("Never run terraform destroy. The tool promptx-mem recall finds why.", "ops", score="9")
        path = f"{installed.parent}:/usr/bin:/bin" if on_path else "/usr/bin:/bin"
        by_path = bool(more) or not on_path
        start = self._hook(installed, ["hook", "start", "codex", *more], path, hook_event_name="SessionStart")
        fact = "promptx-mem recall is our tool, and it's quick"
        prompt = {"hook_event_name": "UserPromptSubmit", "prompt": f"Remember that {fact}"}
        said = self._hook(installed, ["hook", "prompt", "codex", *more], path, **prompt)
        denied: dict[str, Any] = {"hook_event_name": "PreToolUse", "tool_name": "Bash"}
        command = "echo '- the office is in Lund' >> .memory/declarative.md"
        reason, warning = (
            self._hook(installed, ["guard", "codex", *more[1:]], path, **denied, tool_input={"command": one})
            for one in (command, "terraform destroy")
        )
        assert "only with promptx-mem, which Bash (>>) bypasses (" in reason
        assert "The tool promptx-mem recall finds why." in warning
        for text in (start, said, reason):
            assert (str(installed.parent.name).replace("'", "'\"'\"'") in text) is by_path, text
        command = next(line for line in said.split("\n") if line.startswith("  "))
        shell = "/usr/bin:/bin" if by_path else path
        env = {"PATH": shell, "HOME": os.environ["HOME"]}
        done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, check=False, env=env)
        assert done.returncode == 0, done.stderr
        assert fact in {one["text"] for one in world.memory.recall(Cues(count=50)).data["memories"]}
