"""A plain command line is read without typer, and says and does the same."""

import io
import re
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from promptx_mem.cli import parser, plain
from promptx_mem.cli.app import run
from promptx_mem.cli.commands import COMMANDS, module_of
from promptx_mem.cli.options import COMMON, NONE_GIVEN, Option

LINES = [
    ["recall"],
    ["recall", "tea"],
    ["recall", "tea", "--json"],
    ["--json", "recall"],
    ["recall", "", "#tea", "绿茶"],
    ["recall", "--topic", "a->b", "--date=today", "-n", "3", "--no-touch", "--format", "json"],
    ["recall", "--", "-tea"],
    ["recall", "--since", "x"],
    ["--memory-dir", "elsewhere", "recall", "tea"],
    ["remember"],
    ["remember", "the user likes tea", "#tea", "score:9"],
    ["remember", "the user likes tea", "#tea", "score:9", "--json"],
    ["remember", "the user likes tea", "-t", "tea", "-t", "drinks", "--score", "9", "--reason=said so"],
    ["remember", "the user", "#tea", "score:x"],
    ["remember", "", "--json"],
    ["score", "9,7,9,8,8,9", "--profile", "declarative"],
    ["forget", "m_0"],
    ["index"],
    ["index", "--json"],
    ["decay"],
    ["audit", "-n", "0"],
    ["audit", "--json", "-n", "1"],
]


def said(arguments: list[str]) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = run(arguments)
    return status, out.getvalue(), err.getvalue()


@pytest.mark.parametrize("arguments", LINES, ids=" ".join)
def test_both_ways_are_alike(arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = []
    for way in ("plain", "typer"):
        (tmp_path / way).mkdir()
        monkeypatch.chdir(tmp_path / way)
        monkeypatch.setattr(parser if way == "plain" else plain, "call" if way == "plain" else "read", _unused(way))
        said(["remember", "the user drinks tea at four", "#tea", "score:9"])
        status, out, err = said(arguments)
        kept = (tmp_path / way / ".memory" / "declarative.md").read_text("utf-8")
        answers.append((status, _timeless(out), _timeless(err), len(kept.splitlines())))
        monkeypatch.undo()
    assert answers[0] == answers[1]


def _unused(way: str) -> Any:
    def use(*_: object) -> None:
        assert way == "typer", "typer was loaded"

    return use


def _timeless(text: str) -> str:
    """Without times, folders, and what a rebuilt MEMORY.md says of them."""
    return re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+(?:[+-]\d\d:\d\d)?|\d\d:\d\d:\d\d|/\S*/(?:plain|typer)/", "", text)


def _option_words() -> list[str]:
    hints = [hint for name in COMMANDS for hint in module_of(name).command.__annotations__.items()]
    declared = [(name, what) for name, hint in hints for what in getattr(hint, "__metadata__", ())]
    return sorted({word for name, what in declared if isinstance(what, Option) for word in what.names_of(name)})


VALUES = [
    "",
    "-",
    "--",
    "5",
    "-5",
    "0.5",
    "a b",
    "- a b",
    "tea",
    "#tea",
    "score:8",
    "x=y",
    "--x",
    "-tea",
    "--help",
    "1_0",
]
words = st.sampled_from(VALUES) | st.text(max_size=6)
options = st.sampled_from(_option_words())
pieces = st.one_of(
    words.map(lambda word: [word]),
    options.map(lambda option: [option]),
    st.tuples(options, words).map(list),
    st.tuples(options, words).map(lambda both: ["=".join(both)]),
    st.tuples(options, words).map(lambda both: ["".join(both)]),
)


@settings(max_examples=600, deadline=None)
@given(st.sampled_from(sorted(COMMANDS)), st.lists(pieces, max_size=4))
def test_what_is_read_is_what_typer_reads(name: str, drawn: list[list[str]]) -> None:
    arguments = [word for piece in drawn for word in piece]
    read = plain.read(module_of(name).command, arguments)
    if read is None:
        return
    command = parser.load(name)
    defaults = {param.name: param.default for param in command.params}
    parsed = command.make_context(name, list(arguments)).params
    changed = {key: value for key, value in parsed.items() if value not in (None, (), []) and value != defaults[key]}
    common = read.pop("common", NONE_GIVEN)
    read |= {key: getattr(common, key) for key in COMMON if getattr(common, key) not in (None, False)}
    read = {key: value for key, value in read.items() if value != defaults[key]}
    assert {key: list(value) if isinstance(value, tuple) else value for key, value in changed.items()} == read


def test_most_lines_that_typer_takes_are_plain() -> None:
    """So that the law above is not one of nothing."""
    for name in COMMANDS:
        command = module_of(name).command
        for option in parser.load(name).params:
            words = [] if option.param_type_name == "argument" else [option.opts[0]]
            words += [] if getattr(option, "is_flag", False) else ["5"]
            required = ["x" for other in parser.load(name).params if other.required and other.name != option.name]
            assert plain.read(command, [*words, *required]), (name, words)


@pytest.mark.parametrize(
    "words",
    [["--help"], ["--no"], ["-n"], ["-n5"], ["-n", "x"], ["--min-score", "-1"], ["--json=yes"], ["-nt"], ["- a b"]],
    ids=" ".join,
)
def test_what_is_not_plain_is_left_to_typer(words: list[str]) -> None:
    assert plain.read(module_of("recall").command, words) is None


@pytest.mark.parametrize("words", [[], ["a", "b"]])
def test_a_wrong_number_of_words_is_left_to_typer(words: list[str]) -> None:
    assert plain.read(module_of("boost").command, words) is None
