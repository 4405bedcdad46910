"""A person at a terminal may omit tag and score, and is never blocked."""

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from tests import terminal


def _records(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / ".memory" / "audit.jsonl").read_text("utf-8").splitlines()]


def test_person_stores_a_sentence_without_tag_and_score(tmp_path: Path) -> None:
    status, shown = terminal.run(["remember", *["We", "use", "Postgres"]], tmp_path)
    assert status == 0
    lines = shown.splitlines()[1:]
    assert re.fullmatch(r"🧠 We use Po…  m_\w{10}  score 8 #note", lines[0])
    assert lines[1].strip() == "We use Postgres"
    assert "Then the shell dropped it" in shown
    stored = (tmp_path / ".memory" / "declarative.md").read_text("utf-8")
    assert "- We use Postgres #note score:8 duration:中期" in stored
    assert "verified" not in stored
    assert [(record["basis"], record["verdict"]) for record in _records(tmp_path)] == [("terminal", "stored")]

    (command,) = (line.partition(": ")[2] for line in lines if "to change tag and score" in line)
    for line, said in ((command, "already stored"), (command.replace("score:8", "score:9"), "changed")):
        program = ["bash", "-c", f'promptx-mem() {{ {sys.executable} -m promptx_mem "$@"; }}; {line}']
        status, shown = terminal.run_program(program, tmp_path)
        assert (status, said in shown) == (0, True), shown
    shown = terminal.run(["remember", "We no longer use Postgres"], tmp_path)[1]
    assert ("'We no longer use Postgres' score:8 --update" in shown, "shell dropped" in shown) == (True, False)


@pytest.mark.parametrize(
    ("words", "variable", "hint"),
    [(["Use Go"], "CLAUDECODE", "usage: promptx-mem remember 'Use Go' '#<tag>' 'score:<0-10>'\n"),
     (["Use Go", "score:abc"], "X", "for example: promptx-mem remember 'Use Go'\n"),
     (["-"], "X", "stdin is a terminal or closed: pipe the text in\n"), ([], "X", "usage: promptx-mem remember '<text>'\n")],
)  # fmt: skip
def test_only_an_agent_must_give_tag_and_score(words: list[str], variable: str, hint: str, tmp_path: Path) -> None:
    status, shown = terminal.run(["remember", *words], tmp_path, env={variable: "1"})
    assert (status, hint in shown) == (2, True), shown
    assert not (tmp_path / ".memory").exists()


def test_refusals_of_a_person_are_recorded_but_never_block(tmp_path: Path) -> None:
    for number in range(4):
        status, shown = terminal.run(["remember", f"text {number}", "score:3"], tmp_path)
        assert status == 1
        assert f"--explicit stores it anyway: promptx-mem remember 'text {number}' score:3 --explicit" in shown
        assert "violation" not in shown
    assert [(record["n"], "x" in record) for record in _records(tmp_path)] == [(n, False) for n in (1, 2, 3, 4)]
    assert terminal.run(["remember", "text 0", "score:3", "--explicit"], tmp_path)[0] == 0


@pytest.mark.parametrize(
    ("locale", "header", "shown"),
    [("en_GB.UTF-8", "# Memories\n", "medium"), ("zh_CN.UTF-8", "# 陈述性记忆\n", "中期"),
     ("C", "# Memories\n", "medium")],
)  # fmt: skip
def test_durations_and_headers_are_in_the_users_language(tmp_path: Path, locale: str, header: str, shown: str) -> None:
    env = {"LC_ALL": "", "LC_MESSAGES": "", "LANG": locale, "TERM": "xterm"}
    assert f"duration:{shown}" in terminal.run(["remember", "We use Postgres"], tmp_path, env=env)[1]
    text = (tmp_path / ".memory" / "declarative.md").read_text("utf-8")
    assert text.startswith(header)
    assert "duration:中期" in text
    assert f" · {shown} · " in terminal.run(["recall", "postgres"], tmp_path, env=env)[1]
    assert '"duration": "中期"' in terminal.run(["recall", "postgres", "--json"], tmp_path, env=env)[1]
