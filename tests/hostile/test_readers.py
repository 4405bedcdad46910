"""Property tests of the functions that read untrusted text.

pytest tests/hostile/test_readers.py --hypothesis-profile=long      200,000 examples of each
"""

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from promptx_mem.core.glyphs import unprintable
from promptx_mem.core.line import format_line, parse_line
from promptx_mem.core.shell import quote
from promptx_mem.core.text import clean
from promptx_mem.hooks import guard, host, hosts
from promptx_mem.hooks import prompt as hook_prompt
from promptx_mem.hooks.guard import commands
from promptx_mem.hooks.guard.commands import Command
from tests import strategies
from tests.hostile import inside

BASH = shutil.which("bash") or "/bin/bash"


@st.composite
def damaged(draw: st.DrawFn, lines: st.SearchStrategy[str]) -> str:
    """Draw a valid line with pieces removed or inserted."""
    line = draw(lines)
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(line)))
        stop = min(start + draw(st.integers(0, 12)), len(line))
        put = draw(
            st.one_of(
                st.text(max_size=6),
                st.sampled_from((*strategies.HOSTILE, '"', "\\", "\\ud800", "1e999", "NaN", "null", "{", "]}")),
            )
        )
        line = line[:start] + put + line[stop:]
    return line


@pytest.mark.thorough
@given(damaged(strategies.entries().map(format_line)))
def test_entry_of_a_damaged_line_can_be_written_and_read_again(raw: str) -> None:
    found = parse_line(raw)
    if found is None or found.entry.at is None:
        return
    line = format_line(found.entry)
    assert not unprintable().search(line)
    again = parse_line(line)
    assert again is not None
    assert again.entry == found.entry
    line.encode()


# Events of an agent's host.

_VALUES = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        strategies.texts,
        st.sampled_from(["\ud800", ".memory/declarative.md", "/", ".."]),
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)),
    max_leaves=5,
)
_TOOLS = st.one_of(strategies.texts, st.sampled_from([
    "Write", "Edit", "MultiEdit", "Bash", "memory", "save_memory", "replace", "mcp__memory__add",
    "mcp_memory_write", "mcp__fs__edit_file",
]))  # fmt: skip
_KEYS = st.sampled_from([
    "file_path", "content", "old_string", "new_string", "command", "edits", "path", "fact", "entities",
    "observations", "tags", "text", "cwd",
])  # fmt: skip
_INPUTS = st.one_of(_VALUES, st.dictionaries(_KEYS, _VALUES, max_size=4), st.builds(lambda text: {"file_path": ".memory/declarative.md", "content": text}, strategies.texts),
                   st.builds(lambda text: {"command": f"echo {quote(text)} > .memory/declarative.md"}, strategies.texts.map(clean)))  # fmt: skip
_ODD = st.one_of(
    st.just({}), st.just({}), st.dictionaries(st.sampled_from(["hook_event_name", "tool_name", "cwd"]), _VALUES)
)


@pytest.fixture(scope="module")
def project() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / ".memory").mkdir()
        before = os.getcwd()
        os.chdir(folder)
        yield Path(folder)
        os.chdir(before)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(_TOOLS, _INPUTS, st.sampled_from(["PreToolUse", "BeforeTool"]), _VALUES, _ODD)
def test_guard_reads_any_event_and_answers_in_printable_text(
    project: Path, tool: str, given_: Any, event: str, session: Any, odd: dict[str, Any]
) -> None:
    (project / ".memory" / "audit.jsonl").unlink(missing_ok=True)
    said = guard._answer(
        json.dumps(
            {
                "hook_event_name": event,
                "tool_name": tool,
                "tool_input": given_,
                "session_id": session,
                "cwd": str(project),
                **odd,
            }
        ).encode()
    )
    if not said:
        return
    reason = said.get("reason") or said["hookSpecificOutput"]["permissionDecisionReason"]
    assert not unprintable().search(reason.replace("\n", ""))
    assert len(reason) <= hosts.MAX_CHARACTERS
    for line in (
        (project / ".memory" / "audit.jsonl").read_text("utf-8").split("\n")[:-1]
        if (project / ".memory" / "audit.jsonl").exists()
        else ()
    ):
        assert json.loads(line)["verdict"] == "denied"
        assert not unprintable().search(line)
    for line in reason.split("\n"):
        if line.startswith("  promptx-mem "):
            items = [item for item in commands.read(line) if isinstance(item, Command)]
            (command,) = [item for item in items if item.words[0].text != "printf"]
            assert command.words[0].text == "promptx-mem"
            assert not command.redirects


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.one_of(
        strategies.texts,
        st.builds("记住：{}".format, strategies.texts),
        st.builds("remember that {}".format, strategies.texts),
    ),
    _VALUES,
)
def test_prompt_hook_reads_any_event_and_adds_printable_text(project: Path, text: str, session: Any) -> None:
    event = host.read(
        json.dumps({"hook_event_name": "BeforeAgent", "prompt": text, "session_id": session, "cwd": session}).encode()
    )
    said = hook_prompt.answer(event)
    if said:
        shown = said["hookSpecificOutput"]["additionalContext"]
        assert "<" not in inside.without_usage(shown.partition("Memories that could help")[0])
        assert not unprintable().search(shown.replace("\n", ""))


# A shell's command line.


_SHELL = st.lists(st.sampled_from((
    "echo", "echo ", "x", " ", " ", "\n", ";", "&&", "||", "|", "'", '"', "\\", "$(", ")", "(", "`", ">", " >", ">>", ">|", "&>", "2>", " 1>&2", ".memory/declarative.md",
    " > .memory/declarative.md", " >.memory/a", "'.memory/a'", '".memory/"b', ".mem*/declarative.md", "<<EOF", "<<'EOF'", "EOF", "\nEOF\n", "$'", "\\n", "$x", "if true; then ", "; fi", "while false; do ", "; done", "for i in a b; do echo > .memory/$i; done", "! ", "# ", "#", "~", "<", "<<<", "cd .memory",
    "cd ..", "cd .memory; ", "declarative.md", ".memory", "/", "./", "-n", "-", "=", "eval ", "[ a ]", "true", "false", "{ ", "; }", ":", "exec >", "printf ",
)), max_size=12).map("".join)  # fmt: skip
_RISKY = ("exit", "(){", "() {")


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(_SHELL)
def test_guard_finds_every_write_to_the_store_by_bash(text: str) -> None:
    """Bash runs the text with builtins only. If a file of the store changed, the guard must find a write."""
    if any(risky in text.replace(" ", "") for risky in _RISKY):
        return
    folder = tempfile.mkdtemp()
    try:
        store = Path(folder, "p", ".memory")
        store.mkdir(parents=True)
        (store / "declarative.md").write_bytes(b"kept")
        words, cwd, env = [BASH, "-c", text], store.parent, {"PATH": "/nowhere", "HOME": folder}
        subprocess.run(words, cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=20, env=env)
        written = [
            path.name for path in store.iterdir() if path.name != "declarative.md" or path.read_bytes() != b"kept"
        ]
        found = commands.Line(str(store.parent), str(store)).find(text)
        assert found or not written, (text, written)
    finally:
        shutil.rmtree(folder)
