"""Command lines are parsed without typer, which prints help and offers completions."""

from typing import Any

import pytest

from promptx_mem.cli import parser, plain
from promptx_mem.cli.commands import COMMANDS
from promptx_mem.cli.options import Common


@pytest.mark.parametrize(
    ("name", "words", "expected"),
    [
        ("recall", ["a", "b", "-n", "5", "--tag=x", "-t", "y"], {"text": ("a", "b"), "count": 5, "tag": ("x", "y")}),
        ("recall", ["-n5", "--min-score", "7.5", "--", "-n"], {"text": ("-n",), "count": 5, "min_score": 7.5}),
        ("remember", ["- an item", "-", "--reason", "-x"], {"text": ("- an item", "-"), "reason": "-x"}),
        ("boost", ["--scope", "user", "m_a"], {"ident": "m_a", "common": Common(scope="user")}),
        ("hook", ["start", "--memory-dir", "x", "--json"], {"action": "start", "json": True}),
        ("mcp", ["--memory-dir", "x", "--session", "s"], {"memory_dir": "x"}),
        ("recall", ["tea", "-h", "--no-such"], None),
    ],
)
def test_words_are_parsed(name: str, words: list[str], expected: dict[str, Any] | None) -> None:
    assert plain.read(name, words) == expected


def test_every_option_of_the_help_is_parsed() -> None:
    for name in COMMANDS:
        for option in parser.load(name).params:
            words = [] if option.param_type_name == "argument" else [option.opts[0]]
            words += [] if getattr(option, "is_flag", False) else ["5"]
            required = ["x" for other in parser.load(name).params if other.required and other.name != option.name]
            assert plain.read(name, [*words, *required]), (name, words)
