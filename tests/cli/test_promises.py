"""A printed `remember` is a promise: run as it stands in each shell it stores what was meant, and nothing besides.

What is typed wrong is drawn, the program is asked, what it prints is run in bash, zsh and fish, and the line that
then lies in the store is compared with what the person meant.
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

from promptx_mem.cli import app, output
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

FILLED = {
    f"'#{shell.TAG}'": "'#filled'",
    f"'{shell.TAG}'": "filled",
    f"'score:{shell.SCORE}'": "score:8",
    f"'{shell.SCORE}'": "8",
}
"""What an agent puts into a usage line."""

_REMEMBER = re.compile(r"(?:^|: )(promptx-mem remember .*)$")

_ASIDE = re.compile(r" is not text: | --help$")
"""A second reading, and where to read more."""

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
    """A command that is to be run, and what it is to store; None stands for what an agent fills in."""

    command: str
    text: str
    tags: tuple[str, ...]
    score: str | None = None
    fields: tuple[tuple[str, Any], ...] = ()


def _request(text: str, tags: tuple[str, ...], score: str, **fields: Any) -> list[Case]:
    """Printed from a request: by the gate, and by the guard with nothing in it that opens a tag."""
    kept = tuple((name, value) for name, value in fields.items() if name not in ("dims", "explicit"))
    request = Request(text, tags, score, **fields)
    return [
        Case(pasteable.command(request), text, tags, score, kept),
        Case(pasteable.command(request, spelled=shell.MARKS), text, tags, score, kept),
    ]


def _unfinished(text: str, tags: tuple[str, ...]) -> list[Case]:
    """Printed by the hooks, which know the text alone; and by the guard, if another memory's tool was given tags."""
    cases = [
        Case(prompt.command(text, "a session"), text, (NOTE,)),
        Case(prompt.command(text, None, "标签"), text, ("标签",)),
    ]
    attempt = Attempt("save_memory")
    attempt.text, attempt.tags = text, tags
    line = advice.command(attempt, "/", None, "a session")
    return [*cases, Case(line, text, tags)] if line else cases


Typed = Callable[[str, tuple[str, ...], str], tuple[list[str], bool, bool]]
"""The words as somebody types them: whether the printed command is to have these tags and this score."""

WAYS: dict[str, Typed] = {
    "no score": lambda text, tags, _: (["remember", "--", escape_visible(text), *_marked(tags)], True, False),
    "no tag": lambda text, _, score: (["remember", "--", escape_visible(text), f"score:{score}"], False, True),
    "text alone, taken as it is": lambda text, _, score: (["remember", "--score", score, "--", text], False, True),
    "worth little": lambda text, tags, _: (["remember", "--", escape_visible(text), *_marked(tags), "score:3"], True, False),
    "worth little, by options": lambda text, tags, _: (["remember", *_tagged(tags), "--score", "3", "--", text], True, False),
    "a score too great": lambda text, tags, _: (["remember", *_tagged(tags), "--score", "99", "--", text], True, False),
    "a score too great, as a token": lambda text, tags, _: (["remember", "--", escape_visible(text), *_marked(tags), "score:99"], True, False),
    "a duration that is none": lambda text, tags, score: (
        ["remember", *_tagged(tags), "--score", score, "--duration", "soon", "--", text], True, True),
    "nearly tokens": lambda text, tags, _: (["remember", "--", escape_visible(text), *_marked(tags), "score: 3"], True, False),
    "two forms": lambda text, tags, score: (["remember", "--score", score, "--", " ".join([escape_visible(text), *_marked(tags)])], True, True),
    "from stdin, no score": lambda _text, tags, _: (["remember", *_tagged(tags), "-"], True, False),
    "from stdin, no tag": lambda _text, _, score: (["remember", "--score", score, "-"], False, True),
    "from stdin, worth little": lambda _text, tags, _: (["remember", "-", *_tagged(tags), "--score", "3"], True, False),
    "from stdin, a score too great": lambda _text, tags, _: (["remember", "-", *_tagged(tags), "--score", "99"], True, False),
    "from stdin, a duration that is none": lambda _text, tags, score: (
        ["remember", *_tagged(tags), "--score", score, "--duration", "soon", "-"], True, True),
}  # fmt: skip


def _marked(tags: tuple[str, ...]) -> list[str]:
    return [f"#{tag}" for tag in tags]


def _tagged(tags: tuple[str, ...]) -> list[str]:
    return [word for tag in tags for word in ("-t", tag)]


def _hinted(way: str, text: str, tags: tuple[str, ...], score: str) -> list[Case]:
    """Printed by the program when something is typed wrong; nothing for a text that cannot be typed so."""
    words, with_tags, with_score = WAYS[way](text, tags, score)
    piped = "-" in words and text not in words
    if parse_argument(text if piped else escape_visible(text)).text != text or (
        not piped and ("\0" in text or text == "-")
    ):
        return []  # tokens are meant, or it cannot be typed so
    status, hint = _run(words, text.encode() if piped else b"")
    assert status in (1, 2), (words, hint)
    assert printable_lines(hint) == hint
    commands = [match[1] for line in hint.split("\n") if not _ASIDE.search(line) and (match := _REMEMBER.search(line))]
    return [Case(line, text, tags if with_tags else ("filled",), score if with_score else None) for line in commands]


def _run(words: list[str], given: bytes) -> tuple[int, str]:
    """Run the program in this process, in the working directory: the exit status and the ways out."""
    hints = [""]

    def failed(_: str, error: PromptxMemError, **__: object) -> int:
        hints.append(error.hint)
        return error.exit_status

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(given), isatty=lambda: False))
        patch.setattr(output, "show", lambda result, **_: result.exit_status)
        patch.setattr(output, "show_error", failed)
        status = app.run(words)
    return status, hints[-1]


def _stored(call: shells.Call) -> Entry:
    """The memory that the program makes of a call, in a new store."""
    shutil.rmtree(".memory", ignore_errors=True)
    status, hint = _run(call.words, call.input)
    assert status == 0, (call, hint)
    lines = [parse_line(line) for line in Path(".memory", "declarative.md").read_text("utf-8").split("\n")]
    (line,) = (line for line in lines if line is not None)
    return line.entry


def _keep(cases: list[Case], folder: Path) -> None:
    """Each command is run in each shell, and what it stores is what was meant."""
    commands = [case.command for case in cases]
    for placeholder, value in FILLED.items():
        commands = [command.replace(placeholder, value) for command in commands]
    lines = [*dict.fromkeys(commands)]
    first, *others = (dict(zip(lines, shells.calls(name, lines, folder), strict=True)) for name in shells.installed())
    assert all(other == first for other in others)
    entries: dict[str, Entry] = {}
    for case, command in zip(cases, commands, strict=True):
        call = first[command]
        assert call is not None, case
        if (entry := entries.get(repr(call))) is None:
            entry = entries[repr(call)] = _stored(call)
        assert (entry.text, entry.tags) == (without_item(clean(case.text)), case.tags), case
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
DRAWN = st.tuples(TEXTS, NAMES, SCORES, st.sampled_from([*WAYS]), FIELDS)


@pytest.mark.thorough
def test_each_printed_command_stores_what_was_meant(folder: Path, all_faults: bool) -> None:
    @settings(max_examples=150 if all_faults else 12, phases=(Phase.explicit, Phase.generate))
    @given(st.lists(DRAWN, min_size=6, max_size=6))
    def law(draws: list[tuple[str, tuple[str, ...], str, str, dict[str, Any]]]) -> None:
        cases: list[Case] = []
        for text, tags, score, way, fields in draws:
            cases += _request(text, tags, score, **fields) + _unfinished(text, tags)
            cases += _hinted(way, text, tags, score)
        _keep(cases, folder)

    law()


def test_every_way_to_go_wrong_prints_a_command(folder: Path) -> None:
    cases = {way: _hinted(way, "it's 用户's $HOME", ("a", "用户信息"), "9") for way in WAYS}
    assert all(cases.values())
    _keep([case for printed in cases.values() for case in printed], folder)


@pytest.mark.thorough
def test_every_special_text_comes_back(folder: Path, all_faults: bool) -> None:
    cases: list[Case] = []
    places = ("{}", "b {}", "{} b") if all_faults else ("b {}",)
    texts = (clean(place.replace("{}", special)) for special in SPECIAL for place in places)
    for text in filter(None, dict.fromkeys(texts)):
        cases += [*_request(text, ("a",), "8"), *_unfinished(text, ("a",)), *_hinted("worth little", text, ("a",), "8")]
    _keep(cases, folder)


@pytest.mark.parametrize("tokens", ["#a score: 8", "#a 评分 8 6mo", "# a score：８", "#a 8", "#a,#b score 8"])
def test_what_is_printed_beside_a_memory_that_is_alike_stores_the_text_alone(folder: Path, tokens: str) -> None:
    warned: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            output, "show", lambda result, **_: warned.extend(one["replace"] for one in result.data["similar"])
        )
        app.run(["remember", "keep the lease", "#a", "score:8"])
        app.run(["remember", f"keep the lease b {tokens}"])
    (command,) = warned
    (call,) = shells.calls("bash", [command.partition(" --update")[0]], folder)
    assert call is not None
    assert _stored(call).text == "keep the lease b"
