"""Terminal output: colour only on terminals, emoji and Chinese everywhere, questions, progress."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests import terminal
from tests.cli import program

CTRL_D = "\x04"
ANSI = re.compile(r"\x1b\[")


def on_terminal(*arguments: str, cwd: Path, env: dict[str, str] | None = None, typed: str = "") -> tuple[int, str]:
    """Run with a terminal as stdin, stdout and stderr; `typed` has the answers to its questions, one per line."""
    environment = program.environment(cwd) | {"TERM": "xterm-256color"} | (env or {})
    return terminal.run_program([*program.PROGRAM, *arguments], cwd, typed, environment, columns=80)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    ran = program.run("remember", "喜欢喝龙井茶", "#偏好", "score:9", cwd=tmp_path)
    assert ran.status == 0
    return tmp_path


def test_output_on_a_terminal_has_colour(store: Path) -> None:
    status, said = on_terminal("recall", "茶", cwd=store)
    assert status == 0
    assert "喜欢喝龙井茶" in said
    assert ANSI.search(said)


@pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_no_color_and_dumb_terminals_disable_colour(store: Path, env: dict[str, str]) -> None:
    status, said = on_terminal("recall", "茶", cwd=store, env=env)
    assert status == 0
    assert "喜欢喝龙井茶" in said
    assert not re.search(r"\x1b\[(3|4|9|10)[0-9]", said)


@pytest.mark.parametrize(
    "arguments", [("recall", "茶"), ("recall",), ("recall", "茶", "--explain"), ("score", "9,7,9,8,8,9"), ("--help",)]
)
@pytest.mark.parametrize("env", [{}, {"TERM": "xterm-256color"}, {"FORCE_COLOR": ""}])
def test_output_to_a_pipe_has_no_colour(store: Path, arguments: tuple[str, ...], env: dict[str, str]) -> None:
    ran = program.run(*arguments, cwd=store, env=env)
    assert ran.status == 0
    assert "\x1b" not in ran.out + ran.err


@pytest.mark.parametrize(
    "locale",
    [
        {"LC_ALL": "C"},
        {"LC_ALL": "POSIX"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "ascii"},
        {"LC_ALL": "C.UTF-8"},
    ],
)
def test_emoji_and_chinese_are_printed_in_every_locale(store: Path, locale: dict[str, str]) -> None:
    ran = program.run("remember", "-", "-t", "mark", "--score", "8", cwd=store, env=locale, stdin="喜欢喝水")
    assert ran.status == 0
    assert ran.out.startswith("🧠 喜欢喝水")
    assert "喜欢喝龙井茶" in program.run("recall", cwd=store, env=locale).out
    refused = program.run("remember", "-", "-t", "mark", "--score", "1", cwd=store, env=locale, stdin="天气")
    assert refused.err.startswith("🚫 ")
    assert "'天气'" in refused.err


@pytest.mark.parametrize(
    ("arguments", "status"), [(("recall",), 3), (("--help",), 3), (("--version",), 3), (("score", "--guide"), 3)]
)
def test_full_device_is_reported_in_one_line(store: Path, arguments: tuple[str, ...], status: int) -> None:
    words, env = [*program.PROGRAM, *arguments], program.environment(store)
    with open("/dev/full", "wb") as full:
        done = subprocess.run(words, cwd=store, env=env, stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == status
    assert done.stderr.startswith(b"promptx-mem: the result cannot be shown (No space left on device)")
    assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize("command", [("forget", "m_e", "--purge"), ("setup", "claude")], ids=" ".join)
def test_unanswered_question_ends_the_command_without_changes(store: Path, command: tuple[str, ...]) -> None:
    status, said = on_terminal(*command, cwd=store, typed=CTRL_D)
    assert (status, "fault" in said) == (130, False), said
    assert "龙井" in program.run("recall", "茶", cwd=store).out
    assert not (store / ".claude").exists()
    assert max(map(len, said.splitlines())) <= 80
    if command[0] == "setup":
        assert "to see the changes: promptx-mem setup" in on_terminal(*command, cwd=store, typed="n\n")[1]


@pytest.mark.parametrize(("name", "typed"), [("notes", "notes"), (" my  notes\n", "my notes"), ("  ", "yes")])
def test_confirmed_purge_removes_the_memory(store: Path, name: str, typed: str) -> None:
    store = store.rename(store.with_name(name))
    status, said = on_terminal("forget", "m_e", "--purge", cwd=store, typed="\n")
    assert status == 1, said
    status, said = on_terminal("forget", "m_e", "--purge", cwd=store, typed=f"{typed}\n")
    assert status == 0, said
    assert "龙井" not in (store / ".memory" / "declarative.md").read_text("utf-8")


def test_review_asks_about_pending_reviews_one_by_one(store: Path) -> None:
    event = '{"k":%d,"host":"h","at":"2026-01-0%dT00:00:00+00:00","e":"boosted","id":"%s","gain":0.9}\n'
    boosts = [event % (number, number, _ident(store)) for number in range(1, 6)]
    (store / ".memory" / "journal.jsonl").write_text("".join(boosts), "utf-8")
    assert "so important that it should never end?" in program.run("review", cwd=store).out
    status, said = on_terminal("review", cwd=store, typed="perhaps\nskip\n")
    assert "'perhaps' is not one of the answers above; to stop: Ctrl-C" in said
    assert (status, said.count("keep, promote, delete, skip [skip]: ")) == (0, 2)
    assert "promptx-mem review" in said
    status, said = on_terminal("review", cwd=store, typed="d\nk\n")
    assert (status, "'d' is not one of the answers" in said) == (0, True)
    assert "喜欢喝龙井茶" in said
    assert "promotion review: kept" in said
    assert said.endswith("no pending reviews\n")


@pytest.mark.parametrize(("language", "name"), [("en", "long"), ("zh", "长期")])
def test_edit_shows_the_duration_in_the_users_language(store: Path, language: str, name: str) -> None:
    said = program.run("edit", _ident(store), cwd=store, env={"PROMPTX_MEM_LANG": language, "EDITOR": "cat"}).out
    assert f" duration:{name}\n" in said


def test_answers_that_are_not_utf8_are_refused_with_the_name_of_their_file(store: Path) -> None:
    (store / "answers").write_bytes("保留".encode("gbk"))
    said = program.run("review", "--answers", "answers", cwd=store).err
    assert "answers is not UTF-8 (byte 1)" in said
    assert "iconv -f gbk -t utf-8 answers" in said


def _ident(store: Path) -> str:
    text = (store / ".memory" / "declarative.md").read_text("utf-8")
    return text[text.index("m_") :][:12]


def _progress_lines(work: str, cwd: Path, columns: int = 40) -> list[str]:
    """Run code with stderr on a terminal and stdout in a file. Return the progress lines."""
    code = f"import time\nfrom promptx_mem.cli import terminal as p\np._AFTER_SECONDS = p._EVERY_SECONDS = 0.02\n{work}"
    command = ["/bin/sh", "-c", 'exec "$0" -c "$1" > said', sys.executable, code]
    status, lines = terminal.run_program(command, cwd, columns=columns)
    assert (status, (cwd / "said").read_text()) == (0, "")
    return lines.split("\r\x1b[K")


@pytest.mark.parametrize("columns", [80, 12])
def test_progress_is_never_wider_than_the_terminal(columns: int, tmp_path: Path) -> None:
    work = "with p.progress(show=True, label='importing') as report:\n    report(8000, 20000)\n    time.sleep(0.5)"
    lines = _progress_lines(work, tmp_path, columns)
    assert max(map(len, lines)) < columns
    assert any("8000/20000"[: columns - 11] in line for line in lines)
