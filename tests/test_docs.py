"""The documentation is correct: the reference is current, every code is listed, every marked example runs.

A ```console or ```bash block below a line `<!-- runs -->` is an example that runs, in README*.md and docs/**/*.md.
The blocks of one file run in order, in one empty directory. console: the format of tests/cli/*.console; a command without
output only has to succeed, a line `…` matches any lines, a date any date. bash: the block has to succeed.
"""

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import cli_reference
from tests.cli import transcript
from tests.inside import COMMANDS, COMMON, JudgeError, errors, load

ROOT = Path(__file__).parents[1]
PAGES = [*sorted(ROOT.glob("README*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
_MARKED = re.compile(r"^<!-- runs -->\n+```(console|bash)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_DAY = re.compile(r"\d{4}-\d\d-\d\d|TODAY")


def _steps(page: str) -> list[transcript.Step]:
    """Return all marked examples of a page as one transcript."""
    steps = []
    for kind, body in _MARKED.findall(page):
        if kind == "console":
            steps += transcript.parse(body)
        else:
            steps.append(transcript.Step(f"(set -e\n{body})"))
    return steps


def _agree(written: list[str], said: list[str]) -> bool:
    """Return whether the output of a command matches a page."""
    if not written:
        return not said or not re.fullmatch(r"\[\d+\]", said[-1])
    patterns = [r"(?:.*\n)*?" if line in ("…", "! …") else re.escape(_DAY.sub("DAY", line)) + "\n" for line in written]
    return re.fullmatch("".join(patterns), "".join(_DAY.sub("DAY", line) + "\n" for line in said)) is not None


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=[pytest.mark.thorough] * (page.parent != ROOT)) for page in PAGES],
    ids=[str(page.relative_to(ROOT)) for page in PAGES],
)
def test_marked_examples_run_with_the_shown_output(page: Path, tmp_path: Path) -> None:
    steps = _steps(page.read_text(encoding="utf-8"))
    for written, now in zip(steps, transcript.run(steps, tmp_path), strict=True):
        assert _agree(written.output, now.output), "\n".join(now.lines())


def test_pages_have_more_than_four_marked_examples() -> None:
    assert sum(len(_steps(page.read_text(encoding="utf-8"))) for page in PAGES) > 4


def test_reference_page_is_current() -> None:
    made = cli_reference.reference()
    assert cli_reference.FILE.read_text(encoding="utf-8") == made, "python tests/cli_reference.py"


def test_reference_page_has_every_command_and_option() -> None:
    text = cli_reference.FILE.read_text(encoding="utf-8")
    common = [name for key, (_, option) in COMMON.items() for name in option.names_of(key)]
    assert all(text.count(f"\n- `{name}`") == 1 for name in common if name != "--scope")
    for name in COMMANDS:
        section = text.partition(f"\n## {name}\n")[2].partition("\n## ")[0]
        assert section
        options = [option for param in load(name).params if param.param_type_name == "option" for option in param.opts]
        assert [one for one in options if f"`{one}`" not in section and one not in common] == []


def test_every_option_has_a_help_text() -> None:
    without_help = [
        f"{name} {param.opts}" for name in COMMANDS for param in load(name).params if not getattr(param, "help", None)
    ]
    assert not without_help


@functools.cache
def _sources() -> list[ast.Module]:
    return [ast.parse(file.read_text(encoding="utf-8")) for file in (ROOT / "promptx_mem").rglob("*.py")]


def _codes() -> Iterator[str]:
    """Yield every `code=` argument of an error, and the code of every class of errors."""
    for tree in _sources():
        for node in ast.walk(tree):
            if isinstance(node, ast.keyword) and node.arg == "code":
                yield from (
                    c.value for c in ast.walk(node.value) if isinstance(c, ast.Constant) and isinstance(c.value, str)
                )
            elif isinstance(node, ast.ClassDef):
                yield from (
                    str(item.value.value)
                    for item in node.body
                    if isinstance(item, ast.Assign)
                    and ast.unparse(item.targets[0]) == "code"
                    and isinstance(item.value, ast.Constant)
                )


@pytest.mark.thorough
def test_every_error_code_is_listed() -> None:
    listed = set(re.findall(r"`([a-z_]+)`", (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")))
    codes = set(_codes())
    assert {"score_too_low", "below_strict", "internal", "config"} <= codes
    # The prefix of a code that is composed at run time is enough.
    missing = {
        code
        for code in codes
        if not (any(name.startswith(code) for name in listed) if code.endswith("_") else code in listed)
    }
    assert not missing


def _statuses() -> dict[str, set[int]]:
    """Return the exit statuses of each code, from the classes of errors that are raised with it."""
    kinds = {name: kind.exit_status for name, kind in vars(errors).items() if hasattr(kind, "exit_status")}
    kinds["JudgeError"] = JudgeError.exit_status
    statuses: dict[str, set[int]] = {}
    for tree in _sources():
        for call in ast.walk(tree):
            if isinstance(call, ast.Call) and (status := kinds.get(getattr(call.func, "id", ""))) is not None:
                codes = [keyword.value for keyword in call.keywords if keyword.arg == "code"]
                for code in (
                    part.value for value in codes for part in ast.walk(value) if isinstance(part, ast.Constant)
                ):
                    statuses.setdefault(str(code), set()).add(status)
    return statuses


@pytest.mark.thorough
def test_error_code_is_listed_under_its_exit_status() -> None:
    """A code with several statuses is listed under one, and its row names the others."""
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    statuses = _statuses()
    assert statuses["judge_garbage"] == {1}
    for numbers, section in re.findall(r"^### (\d[\d and]*)[^\n]*\n(.*?)(?=^##|\Z)", page, re.MULTILINE | re.DOTALL):
        for row in re.findall(r"^\| `.*", section, re.MULTILINE):
            names = re.findall(r"`([a-z_]+)`", row.split("|")[1])
            for status in {status for name in names for status in statuses.get(name, ())} - {0}:
                assert re.search(rf"\b{status}\b", numbers + row.split("|", 2)[2]), row


def test_every_exit_status_is_listed() -> None:
    text = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    statuses = {
        kind.exit_status for kind in vars(errors).values() if isinstance(kind, type) and hasattr(kind, "exit_status")
    }
    assert {0, *statuses} <= {int(number) for number in re.findall(r"^\| (\d+) \|", text, re.MULTILINE)}


def _prose(page: str) -> Iterator[str]:
    """Yield the lines that can be wrapped: no tables, comments or code blocks."""
    for number, block in enumerate(re.split(r"^ *```.*$", page, flags=re.MULTILINE)):
        if number % 2 == 0:
            yield from (line for line in block.split("\n") if not line.startswith(("|", "<!--")))


EVERY_PAGE = sorted(
    page
    for page in ROOT.rglob("*.md")
    if not {*page.relative_to(ROOT).parts} & {".venv", ".memory.example", "released"}
)


def test_lines_of_prose_have_at_most_140_characters() -> None:
    assert not [
        (page, line) for page in EVERY_PAGE for line in _prose(page.read_text(encoding="utf-8")) if len(line) > 140
    ]


CODE = [file for room in ("promptx_mem", "tests", "benchmarks") for file in sorted((ROOT / room).rglob("*.py"))]


def test_code_refers_to_no_missing_document() -> None:
    """Readers have only the pages of docs/ and the sources that these name."""
    outside = re.compile(r"\b(?:SPEC|DESIGN)\b[^\"']|§ ?\d")
    assert len(CODE) > 300
    assert not [file for file in CODE if file != Path(__file__) and outside.search(file.read_text(encoding="utf-8"))]
