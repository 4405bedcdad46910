"""A command line without options goes round the parser, and says and does the same."""

import io
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptx_mem.cli import app, parser
from promptx_mem.cli.app import _has_no_options, run

LINES = [
    ["recall"],
    ["recall", "tea"],
    ["recall", "tea", "--json"],
    ["--json", "recall"],
    ["recall", "", "#tea", "绿茶"],
    ["remember"],
    ["remember", "the user likes tea", "#tea", "score:9"],
    ["remember", "the user likes tea", "#tea", "score:9", "--json"],
    ["remember", "the user", "#tea", "score:x"],
    ["remember", "", "--json"],
    ["index"],
    ["index", "--json"],
    ["decay"],
    ["audit", "--json"],
]


def said(arguments: list[str]) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = run(arguments)
    return status, out.getvalue(), err.getvalue()


@pytest.mark.parametrize("arguments", LINES, ids=" ".join)
def test_both_ways_are_alike(arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = []
    for way in ("round", "through"):
        (tmp_path / way).mkdir()
        monkeypatch.chdir(tmp_path / way)
        if way == "through":
            monkeypatch.setattr(app, "_has_no_options", lambda _: False)
        said(["remember", "the user drinks tea at four", "#tea", "score:9"])
        status, out, err = said(arguments)
        kept = (tmp_path / way / ".memory" / "declarative.md").read_text("utf-8")
        answers.append((status, _timeless(out), err, len(kept.splitlines())))
    assert answers[0] == answers[1]


def _timeless(text: str) -> str:
    """Without times and what a rebuilt MEMORY.md says of them."""
    import re

    return re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+(?:[+-]\d\d:\d\d)?|\d\d:\d\d:\d\d", "", text)


@given(
    st.sampled_from(["recall", "remember", "index", "decay", "audit"]),
    st.lists(
        st.text(max_size=8) | st.sampled_from(["--json", "-n", "-", "--", "--help", "a b", "-t", "score:8"]), max_size=4
    ),
)
def test_what_goes_round_is_what_the_parser_would_give(name: str, words: list[str]) -> None:
    if not _has_no_options([name, *words]):
        return

    command = parser.load(name)
    defaults = {p.name: p.default for p in command.params}
    parsed = command.make_context(name, list(words)).params
    changed = {key: value for key, value in parsed.items() if value != defaults[key] and value not in (None, (), [])}
    texts = [word for word in words if word != "--json"]
    expected = ({"text": texts} if texts else {}) | ({"json": True} if "--json" in words else {})
    assert {key: list(v) if isinstance(v, tuple) else v for key, v in changed.items()} == expected


@pytest.mark.parametrize(
    "words", [["-n", "1"], ["--", "x"], ["-"], ["x", "--no-touch"], ["--help"], ["--memory-dir", "x"]]
)
def test_an_option_goes_through_the_parser(words: list[str]) -> None:
    assert not _has_no_options(["recall", *words])
    assert not _has_no_options(["index", "word"])
    assert not _has_no_options(["boost", "m_1"])
    assert not _has_no_options([])
