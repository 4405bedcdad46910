"""Texts of megabytes in every kind of input: stored or refused in linear time. `--faults=all` uses the full size."""

import json
import os
from pathlib import Path

import pytest

from tests.cli import program

pytestmark = pytest.mark.thorough

SMALL, FULL = 60_000, 9_900_000
CPU_SECONDS = 60
"""Far above the time of linear work on the largest text, and far below that of quadratic work."""

PIECES = {
    "letters": "a", "hash marks": "#", "words": "word ", "Chinese": "茶", "tags": " #t", "newlines": "\n",
    "bullets": "- x #t score:8\n", "tokens": " score:8", "comments": "<!-- {", "brackets": "[", "dates": "2026-01-01 ",
    "quotes": '"', "dashes": "-", "backslashes": "\\", "openings": "- 2025/01/01 10:00 START\n", "fences": "```\n",
    "NULs": "\0", "spaces": " ", "conflicts": "<<<<<<< a\n", "breaks": "<br>", "entities": "&lt;", "semicolons": "; ",
    "substitutions": "$(", "here-documents": "<<x ", "directives": "[ADD] x #t score:9\n", "folders": "cd a; ",
    "options": "-n ", "paths": "a/",
}  # fmt: skip
MOST = {"hook": 1_900_000, "guard": 1_900_000, "remember": 990_000, "monitor": 990_000}
"""Size limits of inputs. The rest is not read."""

DIRECTIVES = 100_000
"""Bytes of directives: each directive is a command that takes milliseconds."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    kinds = list(PIECES)
    metafunc.parametrize("kind", kinds if metafunc.config.getoption("--faults") == "all" else kinds[::5])


def inputs(text: str, size: int) -> dict[str, tuple[list[str], str]]:
    """Return the command of each kind of input, and its stdin."""
    event = {"cwd": ".", "session_id": "s"}
    prompt = {**event, "hook_event_name": "UserPromptSubmit", "prompt": text}
    command = f"echo {text} > .memory/declarative.md"
    call = {**event, "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": command}}
    return {
        "remember": (["remember", "-", "#t", "--score", "8"], text),
        "monitor": (["monitor"], text),
        "converse": (["converse"], json.dumps({"role": "user", "content": text[: size // 2]})),
        "hook": (["hook", "prompt"], json.dumps(prompt, ensure_ascii=False)),
        "guard": (["guard"], json.dumps(call, ensure_ascii=False)),
    }


def run(folder: Path, words: list[str], stdin: str = "") -> int:
    ran = program.forked(words, folder, dict(os.environ), stdin.encode(), CPU_SECONDS)
    assert "Traceback" not in ran.err
    return ran.status


def test_large_input_is_handled_in_time(kind: str, tmp_path: Path, all_faults: bool) -> None:
    assert run(tmp_path, ["remember", "the user likes tea", "#t", "score:8"]) == 0
    size = FULL if all_faults else SMALL
    for way in inputs("", 0):
        most = DIRECTIVES if (kind, way) == ("directives", "monitor") else MOST.get(way, size)
        length = min(size, most)
        words, stdin = inputs(PIECES[kind] * (length // len(PIECES[kind].encode())), length)[way]
        assert run(tmp_path, words, stdin) in (0, 1, 2), way
    assert run(tmp_path, ["recall", "tea"]) == 0


def test_large_line_in_the_store_is_handled_in_time(kind: str, tmp_path: Path, all_faults: bool) -> None:
    text = PIECES[kind] * ((FULL if all_faults else SMALL) // len(PIECES[kind].encode()))
    ours = '<!-- {"id":"m_7k2q9x4htb","at":"2026-11-20T22:47:03+08:00"} -->'
    for number, line in enumerate((f"- {text} #t score:8\n", f"- x {text} {ours}\n")):
        root = tmp_path / str(number) / ".memory"
        root.mkdir(parents=True)
        (root / "declarative.md").write_text(f"{line}- the user likes tea #t score:8\n", encoding="utf-8")
        for words in (["recall", "tea"], ["remember", "a new fact", "#t", "score:8"], ["index"], ["audit", "--verify"]):
            assert run(root.parent, words) in (0, 1), words
        theirs = root / "declarative.md"
        assert run(root.parent, ["import", "--dry-run", str(theirs)]) in (0, 1, 2)
