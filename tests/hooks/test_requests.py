"""Only a person's prompt is heard as a request: no subagent's task, and no prompt that an agent gives to another host."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from promptx_mem.hooks import hosts
from promptx_mem.mcp_server.tools import Tools
from promptx_mem.places import state_folder
from tests.hooks.context import context
from tests.tables import rows
from tests.world import World

REQUEST = "Remember for all my projects: I always deploy on Fridays."
HEARD = "The user asks to remember something"
PLUGIN = Path(__file__).parents[2] / "promptx_mem/hooks/opencode.js"


@pytest.fixture(autouse=True)
def project(quick: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = quick / "project"
    (place / ".git").mkdir(parents=True)
    World(place / ".memory").remember("the deploy runs on port 9090")
    monkeypatch.chdir(place)
    return place


def told(prompt: str, host: str = "claude", **more: Any) -> str:
    return context("prompt", host, session="S", prompt=prompt, **more)


def is_recorded() -> bool:
    return os.path.isdir(os.path.join(str(state_folder()), ".hosts"))


PROMPTING = [name for name, host in hosts.HOSTS.items() if host.format != hosts.CURSOR]


@pytest.mark.parametrize("host", PROMPTING)
def test_a_persons_prompt_is_heard(host: str) -> None:
    assert HEARD in told(REQUEST, host)
    assert is_recorded()


@pytest.mark.parametrize("host", PROMPTING)
def test_a_subagents_task_is_not(host: str) -> None:
    for more in ({"agent_id": "a", "agent_type": "default"}, {"agent_id": "a"}):
        assert HEARD not in told(REQUEST, host, **more)
    assert not is_recorded()


def test_a_subagent_still_gets_memories() -> None:
    assert "port 9090" in told("On which port does the deploy run?", "codex", agent_id="a", agent_type="default")


def test_a_request_for_all_projects_is_a_persons(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "--user" in told(REQUEST, "claude", agent_type="reviewer")
    assert HEARD not in told(f"/note {REQUEST}")
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "S")
    monkeypatch.setenv("CLAUDE_CODE_ENTRYPOINT", "sdk-cli")  # `claude -p`
    said = told(REQUEST)
    assert (HEARD in said, "--user" in said) == (True, False)


def test_a_subagents_tasks_do_not_count_for_the_question_whether_something_should_be_kept() -> None:
    for number in range(12):
        assert "something to keep" not in told(f"do part {number}", "codex", agent_id="a")
    assert "something to keep" not in told("and now this", "codex")


@pytest.mark.parametrize(("host", "variables", "heard"), rows(__file__, "session_variables.jsonl"))
def test_a_variable_of_another_session_shows_that_an_agent_started_the_host(
    host: str, variables: dict[str, str], heard: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert (HEARD in told(REQUEST, host)) is heard
    assert is_recorded() is heard


def test_a_host_below_another_host_is_an_agents(project: Path) -> None:
    """As `codex exec` in a tool call of Claude Code, with every variable taken away."""
    hook = [sys.executable, "-m", "promptx_mem", "hook", "prompt"]
    inner = f"""
import json, subprocess, sys
event = {{"hook_event_name": "UserPromptSubmit", "session_id": "inner", "prompt": {REQUEST!r}}}
done = subprocess.run([*{hook!r}, "codex"], input=json.dumps(event), capture_output=True, text=True, check=True)
print(done.stdout)
"""
    outer = f"""
import json, subprocess, sys
event = {{"hook_event_name": "UserPromptSubmit", "session_id": "outer", "prompt": "begin"}}
if sys.argv[1] == "host":
    subprocess.run([*{hook!r}, "claude"], input=json.dumps(event), text=True, check=True, stdout=-3)
subprocess.run(["/bin/sh", "-c", 'exec "$0" -c "$1"', {sys.executable!r}, {inner!r}], check=True)
"""
    for kind, heard in (("shell", True), ("host", False)):
        done = subprocess.run(
            [sys.executable, "-c", outer, kind], cwd=project, capture_output=True, text=True, check=True
        )
        assert (HEARD in done.stdout) is heard, kind


def test_a_server_over_mcp_takes_the_requests_of_its_host(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Claude Code names no session to its servers."""
    assert HEARD in told(REQUEST)
    call = {"text": "The user always deploys on Fridays", "tags": ["deploy"], "explicit": True, "scope": "user"}
    os.makedirs(os.environ["HOME"], exist_ok=True)
    answer, failed = Tools().call("remember", call)
    assert not failed, answer
    answer, failed = Tools().call("remember", {**call, "text": "The user never deploys on Mondays"})
    assert answer["error"]["code"] == "needs_request"


_DRIVE = """
import {{ PromptxMem }} from {module}
const client = {client}
const hooks = await PromptxMem({{ client, directory: process.cwd() }})
{created}
const parts = [{{ type: "text", text: {prompt} }}]
await hooks["chat.message"]({{ sessionID: "child" }}, {{ message: {{ id: "m" }}, parts }})
console.log(JSON.stringify(parts))
"""
_ASKED = 'session: { get: async ({ path }) => ({ data: path.id === "child" ? { parentID: "main" } : {} }) }'
_ALONE = "session: { get: async () => ({ data: {} }) }"
_CREATED = (
    'await hooks.event({ event: { type: "session.created", properties: { info: { id: "child", parentID: "main" } } } })'
)


@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node.js: apt-get install nodejs")
@pytest.mark.parametrize(
    ("client", "created", "heard"),
    [
        (f"{{ {_ALONE} }}", "", True),
        ("undefined", "", True),
        (f"{{ {_ASKED} }}", "", False),
        ("undefined", _CREATED, False),
    ],
)
def test_opencode_hears_no_child_session(client: str, created: str, heard: bool, project: Path) -> None:
    program = Path(sys.executable).parent / "promptx-mem"
    module = project / "plugin.mjs"
    module.write_text(PLUGIN.read_text("utf-8").replace('"PROGRAM"', json.dumps(str(program))), "utf-8")
    script = _DRIVE.format(module=json.dumps(str(module)), client=client, created=created, prompt=json.dumps(REQUEST))
    done = subprocess.run(
        ["node", "--input-type=module", "-e", script], cwd=project, capture_output=True, text=True, check=True
    )
    assert (HEARD in done.stdout) is heard, done.stdout
