"""What a denied write says, and what its printed command stores once it is pasted into bash: the same memory."""

import io
import json
import os
import shlex
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType, SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from promptx_mem.cli import plain, remember
from promptx_mem.core.request import Request
from promptx_mem.errors import PromptxMemError
from promptx_mem.hooks import guard
from promptx_mem.hooks.guard import advice
from promptx_mem.store.config import Config
from promptx_mem.usecases.request import Proposal, propose
from tests import strategies

# Every spelling that `remember` takes, and words that only look like it.
SCORES = ["score:9", "score=9", "#评分:9", "评分：8.25", "SCORE:7.0", "#score:10"]
DURATIONS = ["duration:长期", "duration=30d", "#有效期:短期", "有效期：36h", "duration:2030-12-31", "duration:short"]
TAGS = ["#a", "##其他", "＃全角", "#CI/CD", "#v2.3.1", "#हिन्दी", "#ｆｕｌｌ"]
PIECES = st.one_of(
    st.sampled_from(strategies.HOSTILE),
    st.sampled_from(
        ["it's", '"', "$HOME", "`x`", "$(x)", "!!", "\\n", "%s", "%b", "*", "?", "~", ";", "|", "-x", "'", "用户喜欢茶"]
    ),
    st.text(max_size=6),
)
TEXTS = st.lists(PIECES, min_size=1, max_size=6).map(" ".join)


@st.composite
def complete(draw: st.DrawFn) -> str:
    """An item as somebody would type it, with all that `remember` asks for, in some order."""
    tokens = [*draw(st.lists(st.sampled_from(TAGS), min_size=1, max_size=3)), draw(st.sampled_from(SCORES))]
    tokens += draw(st.lists(st.sampled_from(DURATIONS), max_size=1))
    return " ".join([_plain(draw(TEXTS)), *draw(st.permutations(tokens))])


def _plain(text: str) -> str:
    """A text of which no line is a list item or a heading: those are memories of their own, or none."""
    return "x" + text.replace("\n-", "\n.").replace("\n*", "\n.").replace("\n#", "\n.")


def _write(item: str) -> tuple[str, dict[str, str]]:
    return "Write", {"file_path": ".memory/declarative.md", "content": item}


def _bullet(item: str) -> tuple[str, dict[str, str]]:
    return "Write", {"file_path": ".memory/declarative.md", "content": f"# Memories\n\n- {item}\n"}


def _edit(item: str) -> tuple[str, dict[str, str]]:
    return "Edit", {"file_path": ".memory/declarative.md", "old_string": "- old #x", "new_string": f"- {item}"}


def _echo(item: str) -> tuple[str, dict[str, str]]:
    return "Bash", {"command": f"echo {shlex.quote(item)} >> .memory/declarative.md"}


def _printf(item: str) -> tuple[str, dict[str, str]]:
    return "Bash", {"command": f"printf '%s\\n' {shlex.quote(item)} >> .memory/declarative.md"}


def _document(item: str) -> tuple[str, dict[str, str]]:
    return "Bash", {"command": f"cat >> .memory/declarative.md <<'EOF'\n{item}\nEOF"}


ONE_LINE = {_bullet, _edit}


@pytest.fixture(scope="module")
def project() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / ".memory").mkdir()
        yield Path(folder)


def _denial(project: Path, tool: str, fields: dict[str, Any]) -> str:
    event = {"hook_event_name": guard.CLAUDE, "session_id": "s", "cwd": str(project), "tool_name": tool}
    answer = guard._answer(json.dumps({**event, "tool_input": fields}).encode())
    return str(answer["hookSpecificOutput"]["permissionDecisionReason"])


def _pasted(line: str) -> Request:
    """What `remember` would be asked if bash ran the line: its words and its stdin, as the program itself reads them."""
    with tempfile.NamedTemporaryFile() as words:
        catch = 'promptx-mem() { printf "%s\\0" "$@" > "$WORDS"; cat; }\n'
        environment = {"PATH": os.environ["PATH"], "WORDS": words.name}
        done = subprocess.run(
            ["bash", "-c", catch + line], stdin=subprocess.DEVNULL, capture_output=True, check=True, env=environment
        )
        name, *arguments = os.fsdecode(words.read()).split("\0")[:-1]
    assert name == "remember"
    options = plain.read(cast("FunctionType", remember.command), arguments)
    assert options is not None, line
    taken: list[Request] = []
    memory = SimpleNamespace(open=lambda *_, **__: SimpleNamespace(remember=taken.append))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("promptx_mem.memory.Memory", memory)
        patch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(done.stdout)))
        remember.command(**options)
    return taken[0]


def _proposal(request: Request) -> Proposal | str:
    try:
        return propose(request, Config())
    except PromptxMemError as error:
        return error.code


@pytest.mark.thorough
@given(item=complete(), form=st.sampled_from([_write, _bullet, _edit, _echo, _printf, _document]))
@example(item="tea score=9 duration=30d #a", form=_echo)
@example(item="alpha\0beta #a score:9", form=_write)
@example(item="100%\\n\0 '\\\\ #a score:9", form=_write)
@example(item="\ud800x\0 #a score:9", form=_write)
@example(item="caf\udcc3\udca9 #a score:9", form=_write)
@settings(max_examples=150, deadline=None)
def test_the_printed_command_stores_what_was_to_be_written(project: Path, item: str, form: Any) -> None:
    if form in ONE_LINE:
        item = item.replace("\n", " ").replace("\r", " ")
    elif form is not _write:  # no shell can hold one
        item = item.replace("\0", "")
    expected = _proposal(Request(item))
    if not isinstance(expected, Proposal):  # a text that ends in a second score
        return
    lines = [line[2:] for line in _denial(project, *form(item)).split("\n") if line[:2] == "  "]
    if not lines:  # it is certain only for one plain line
        if any(char in item for char in {_document: "$`\\", _write: ""}.get(form, "*?[{~")):
            return
        assert form in ONE_LINE or not advice.is_plain(advice.parse(item).text) or item.startswith("#") or "\n" in item
        return
    (line,) = lines
    got = _proposal(_pasted(line))
    assert isinstance(got, Proposal), (line, got)
    assert (got.text, got.tags, got.score, got.duration) == (
        expected.text, expected.tags, expected.score, expected.duration,
    )  # fmt: skip
