"""A command that is shown works when it is pasted: bash and the program read back what was meant."""

import subprocess
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from promptx_mem.cli import app, output
from promptx_mem.core import pasteable
from promptx_mem.core.request import Request
from promptx_mem.memory import Memory
from promptx_mem.result import Result
from promptx_mem.store.config import Config
from promptx_mem.usecases.request import Proposal, propose
from promptx_mem.usecases.score import Score

CHARACTERS = st.characters(exclude_characters="\x00", exclude_categories=["Cs"])
WORDS = st.sampled_from(
    [
        "#tag",
        "score:9",
        "duration:长期",
        "\\#x",
        "<br>",
        "<!--",
        "it's",
        "$HOME",
        "`id`",
        "!!",
        "-",
        "--",
        "-t",
        "\n",
        "*",
    ]
)
TEXTS = st.lists(st.one_of(WORDS, st.text(CHARACTERS, max_size=8)), min_size=1, max_size=6).map(" ".join)
OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "explicit": st.just(True),
        "topic": st.sampled_from(["a->b", "项目->x y"]),
        "related": st.just(("a->c", "a->d")),
        "reason": st.text(CHARACTERS, min_size=1, max_size=8).filter(lambda text: not text.startswith("-")),
        "type": st.just("user"),
        "dims": st.just("8,8,8,8,8,8"),
        "verified": st.just(True),
        "session": st.just("a session"),
        "memory_dir": st.just("../some where"),
    },
)


def _words(command: str) -> list[str]:
    """What bash hands to the program."""
    script = f"promptx-mem() {{ printf '%s\\0' \"$@\"; }}\n{command}\n"
    done = subprocess.run(["bash", "-c", script], capture_output=True, check=True, env={"LC_ALL": "C.UTF-8"})
    return done.stdout.decode().split("\0")[:-1]


def _arrived(command: str) -> Request:
    """The request that the program makes of a command."""
    seen: list[Request] = []

    def remember(_: Memory, request: Request) -> Result[Score]:
        seen.append(request)
        return Result("score", {"guide": {}})

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Memory, "remember", remember)
        patch.setattr(output, "show", lambda _result, **_options: 0)
        assert app.run(_words(command)) == 0, command
    return seen[0]


def _proposed(request: Request) -> Proposal:
    """What a request proposes; the form in which it came may be warned about."""
    return propose(request, Config())._replace(warnings=())


def _check(request: Request, **changes: Any) -> None:
    meant = request._replace(**changes)
    arrived = _arrived(pasteable.command(request, **changes))
    assert _proposed(arrived) == _proposed(meant)
    for name in (*OPTIONS_COMPARED, "related"):
        assert getattr(arrived, name) == getattr(meant, name)


OPTIONS_COMPARED = (
    "topic",
    "type",
    "reason",
    "verified",
    "session",
    "memory_dir",
    "explicit",
    "dims",
    "update",
    "split",
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(TEXTS.filter(str.strip), OPTIONS)
@example("-", {})
@example("--", {})
@example("- a", {"reason": "it's"})
@example("a\nb", {})
@example("a <br> b", {})
@example("a #b", {})
@example("a \\#b", {})
@example("\x1b[31mred\x7f", {})
def test_a_literal_request_comes_back(text: str, options: dict[str, Any]) -> None:
    _check(Request(text=text, tags=("x", "标签"), score="8", **options))
