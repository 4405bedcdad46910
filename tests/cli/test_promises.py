"""Printed `remember` commands: each, run unchanged in each shell, stores exactly the intended memory.

A random command line with a mistake is run. The command that the program prints is run in bash, zsh and fish, and the
stored line is compared with the intended memory.
"""

import io
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from promptx_mem.cli import app, output, usage
from promptx_mem.core import pasteable, shell
from promptx_mem.core.entry import Entry
from promptx_mem.core.labels import NOTE
from promptx_mem.core.line import parse_line
from promptx_mem.core.request import Request
from promptx_mem.core.syntax import escape_visible, parse_argument
from promptx_mem.core.text import clean, printable_lines
from promptx_mem.errors import PromptxMemError
from promptx_mem.hooks import prompt
from promptx_mem.hooks.guard import advice
from promptx_mem.hooks.guard.commands import Attempt
from tests import strategies
from tests.cli import shells
from tests.strategies import without_item
from tests.tables import rows

PLACEHOLDERS = {
    f"'#{shell.TAG}'": "'#filled'",
    f"'{shell.TAG}'": "filled",
    f"'score:{shell.SCORE}'": "score:8",
    f"'{shell.SCORE}'": "8",
    "'duration:<30d>'": "duration:30d",
    "'<30d>'": "30d",
}
"""Placeholders of a usage line, and the values that an agent fills in."""

_REMEMBER = re.compile(r"(?:^|: )(promptx-mem remember .*)$")

_OTHER = re.compile(r" is not text: | --help$")
"""Lines with another meaning of the text, or that point to the help."""

SPECIAL = rows(__file__, "special.jsonl")
TEXTS = (
    st.lists(
        st.one_of(st.sampled_from(SPECIAL), st.sampled_from(strategies.HOSTILE), st.text(max_size=4)),
        min_size=1,
        max_size=6,
    )
    .map(" ".join)
    .map(clean)
    .filter(lambda text: text and "\0" not in text)
)
NAMES = st.lists(st.sampled_from(["a", "用户信息", "CI/CD", "v2.3.1", "x-y"]), min_size=1, max_size=2, unique=True).map(
    tuple
)
SCORES = st.sampled_from(["8", "9.5", "10"])


class Case(NamedTuple):
    """A command to run, and the memory that it must store. `score` None: an agent fills it in."""

    command: str
    text: str
    tags: tuple[str, ...]
    score: str | None = None
    fields: tuple[tuple[str, Any], ...] = ()


def _by_gate(text: str, tags: tuple[str, ...], score: str, **fields: Any) -> list[Case]:
    """Return commands made from a request: by the gate, and by the guard without characters that open a tag."""
    kept = tuple((name, value) for name, value in fields.items() if name not in ("dims", "explicit"))
    request = Request(text, tags, score, **fields)
    return [
        Case(pasteable.command(request), text, tags, score, kept),
        Case(pasteable.command(request, spelled=shell.MARKS), text, tags, score, kept),
    ]


def _by_hooks(text: str, tags: tuple[str, ...]) -> list[Case]:
    """Return commands of the hooks, which have only the text, and of the guard for another memory tool with tags."""
    cases = [
        Case(prompt.command(text, "a session"), text, (NOTE,)),
        Case(prompt.command(text, None, "标签"), text, ("标签",)),
    ]
    attempt = Attempt("save_memory")
    attempt.text, attempt.tags = text, tags
    line = advice.command(attempt, "/", None, "a session")
    return [*cases, Case(line, text, tags)] if line else cases


Typed = Callable[[str, tuple[str, ...], str], tuple[list[str], bool, bool]]
"""The typed words, and whether the printed command must have these tags and this score."""

TYPOS: dict[str, Typed] = {
    "no score": lambda text, tags, _: (["remember", "--", escape_visible(text), *_marked(tags)], True, False),
    "no tag": lambda text, _, score: (["remember", "--", escape_visible(text), f"score:{score}"], False, True),
    "no tag, by options": lambda text, _, score: (["remember", "--score", score, "--", text], False, True),
    "low score": lambda text, tags, _: (["remember", "--", escape_visible(text), *_marked(tags), "score:3"], True, False),
    "low score, by options": lambda text, tags, _: (["remember", *_tagged(tags), "--score", "3", "--", text], True, False),
    "invalid score": lambda text, tags, _: (["remember", *_tagged(tags), "--score", "99", "--", text], True, False),
    "invalid score, as a token": lambda text, tags, _: (["remember", "--", escape_visible(text), *_marked(tags), "score:99"], True, False),
    "invalid duration": lambda text, tags, score: (
        ["remember", *_tagged(tags), "--score", score, "--duration", "soon", "--", text], True, True),
    "space in a token": lambda text, tags, _: (["remember", "--", escape_visible(text), *_marked(tags), "score: 3"], True, False),
    "tokens and options": lambda text, tags, score: (["remember", "--score", score, "--", " ".join([escape_visible(text), *_marked(tags)])], True, True),
    "from stdin, no score": lambda _text, tags, _: (["remember", *_tagged(tags), "-"], True, False),
    "from stdin, no tag": lambda _text, _, score: (["remember", "--score", score, "-"], False, True),
    "from stdin, low score": lambda _text, tags, _: (["remember", "-", *_tagged(tags), "--score", "3"], True, False),
    "from stdin, invalid score": lambda _text, tags, _: (["remember", "-", *_tagged(tags), "--score", "99"], True, False),
    "from stdin, invalid duration": lambda _text, tags, score: (
        ["remember", *_tagged(tags), "--score", score, "--duration", "soon", "-"], True, True),
}  # fmt: skip


def _marked(tags: tuple[str, ...]) -> list[str]:
    return [f"#{tag}" for tag in tags]


def _tagged(tags: tuple[str, ...]) -> list[str]:
    return [word for tag in tags for word in ("-t", tag)]


def _from_typo(typo: str, text: str, tags: tuple[str, ...], score: str) -> list[Case]:
    """Return the commands that the program prints for a mistake, none if the text cannot be typed so."""
    words, with_tags, with_score = TYPOS[typo](text, tags, score)
    piped = typo.startswith("from stdin")
    if parse_argument(text if piped else escape_visible(text)).text != text or (
        not piped and ("\0" in text or text == "-")
    ):
        return []  # the text has tokens, or cannot be typed so
    if "by options" in typo and parse_argument(text).text != text:
        return []  # the message names tokens that options make text, and the command has them as tokens
    status, hint = _run(words, text.encode() if piped else b"")
    assert status in (1, 2), (words, hint)
    assert printable_lines(hint) == hint
    commands = [match[1] for line in hint.split("\n") if not _OTHER.search(line) and (match := _REMEMBER.search(line))]
    return [Case(line, text, tags if with_tags else ("filled",), score if with_score else None) for line in commands]


def _run(words: list[str], given: bytes) -> tuple[int, str]:
    """Run the program in this process and directory. Return the exit status and the hint."""
    hints = [""]

    def failed(_: str, error: PromptxMemError, **__: object) -> int:
        hints.append(error.hint)
        return error.exit_status

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(given), isatty=lambda: False))
        patch.setattr(output, "write_result", lambda result, **_: result.exit_status)
        patch.setattr(usage, "show", failed)
        status = app.run(words)
    return status, hints[-1]


def _store(call: shells.Call) -> Entry:
    """Run a call in a new store. Return the stored memory."""
    shutil.rmtree(".memory", ignore_errors=True)
    status, hint = _run(call.words, call.input)
    assert status == 0, (call, hint)
    lines = [parse_line(line) for line in Path(".memory", "declarative.md").read_text("utf-8").split("\n")]
    (line,) = (line for line in lines if line is not None)
    return line.entry


def _check(cases: list[Case], folder: Path) -> None:
    """Run each command in each shell, and compare the stored memory."""
    commands = [case.command for case in cases]
    for placeholder, value in PLACEHOLDERS.items():
        commands = [command.replace(placeholder, value) for command in commands]
    lines = [*dict.fromkeys(commands)]
    first, *others = (dict(zip(lines, shells.calls(name, lines, folder), strict=True)) for name in shells.installed())
    assert all(other == first for other in others)
    entries: dict[str, Entry] = {}
    for case, command in zip(cases, commands, strict=True):
        call = first[command]
        assert call is not None, case
        if (entry := entries.get(repr(call))) is None:
            entry = entries[repr(call)] = _store(call)
        text = clean(case.text) if "-t" in call.words else without_item(clean(case.text))  # options keep a list marker
        assert (entry.text, entry.tags) == (text, case.tags), case
        assert case.score is None or entry.score == float(case.score), case
        assert all(getattr(entry, name) == value for name, value in case.fields), case


@pytest.fixture
def folder(quick: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(quick)
    return quick


FIELDS = st.fixed_dictionaries(
    {},
    optional={
        "duration": st.sampled_from(["30d", "永久"]),
        "topic": st.sampled_from(["a->b", "项目->x y"]),
        "reason": st.sampled_from(SPECIAL).map(clean).filter(bool),
        "type": st.just("user"),
        "related": st.just(("a->c",)),
    },
)
DRAWN = st.tuples(TEXTS, NAMES, SCORES, st.sampled_from([*TYPOS]), FIELDS)


@pytest.mark.thorough
def test_every_printed_command_stores_the_intended_memory(folder: Path, all_faults: bool) -> None:
    @settings(max_examples=150 if all_faults else 5, phases=(Phase.explicit, Phase.generate))
    @given(st.lists(DRAWN, min_size=6, max_size=6))
    def check(draws: list[tuple[str, tuple[str, ...], str, str, dict[str, Any]]]) -> None:
        cases: list[Case] = []
        for text, tags, score, typo, fields in draws:
            cases += _by_gate(text, tags, score, **fields) + _by_hooks(text, tags)
            cases += _from_typo(typo, text, tags, score)
        _check(cases, folder)

    check()


def test_every_typo_prints_a_correct_command(folder: Path) -> None:
    cases = {typo: _from_typo(typo, "it's 用户's $HOME", ("a", "用户信息"), "9") for typo in TYPOS}
    assert all(cases.values())
    _check([case for printed in cases.values() for case in printed], folder)


@pytest.mark.thorough
def test_special_texts_are_stored_by_printed_commands(folder: Path, all_faults: bool) -> None:
    cases: list[Case] = []
    places = ("{}", "b {}", "{} b") if all_faults else ("b {}",)
    texts = (clean(place.replace("{}", special)) for special in SPECIAL for place in places)
    for text in filter(None, dict.fromkeys(texts)):
        cases += [*_by_gate(text, ("a",), "8"), *_by_hooks(text, ("a",)), *_from_typo("low score", text, ("a",), "8")]
    _check(cases, folder)


@pytest.mark.parametrize("tokens", ["#a score: 8", "#a 评分 8 6mo", "# a score：８", "#a 8", "#a,#b score 8"])
def test_command_printed_for_a_similar_memory_stores_only_the_text(folder: Path, tokens: str) -> None:
    warned: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            output, "write_result", lambda result, **_: warned.extend(one["replace"] for one in result.data["similar"])
        )
        app.run(["remember", "keep the lease", "#a", "score:8"])
        app.run(["remember", f"keep the lease b {tokens}"])
    (command,) = warned
    (call,) = shells.calls("bash", [command.partition(" --update")[0]], folder)
    assert call is not None
    assert _store(call).text == "keep the lease b"
