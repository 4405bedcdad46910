"""Text output has at most 4,000 tokens, except with -n or --json."""

import json
from pathlib import Path

import pytest

from tests.api import run, tokens

TEXT = "number {} of many memories whose text takes some room, so that not all of them fit into the text output"


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Path:
    lines = "".join(f"- {TEXT.format(n)} #the-tag-of-number-{n}-of-many score:8\n" for n in range(300))
    monkeypatch.chdir(tmp_path)
    assert run(["init"]) == 0
    capfd.readouterr()
    (tmp_path / ".memory" / "declarative.md").write_text(lines, "utf-8")
    return tmp_path


@pytest.mark.parametrize("words", [["list"], ["list", "--newest"], ["recall", "-n", "300"], ["tags"]], ids=" ".join)
def test_long_list_is_cut_unless_a_number_is_given(
    words: list[str], store: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(words) == 0
    out, err = capfd.readouterr()
    shown = len(out.splitlines())
    if "-n" in words:
        assert (shown, err) == (300, "")
        return
    assert tokens(out) <= 4_000
    way = "-n 300" if words[0] == "list" else "--json"
    assert err == f"{300 - shown} more; the output has at most 4000 tokens; {way} shows them\n"
    assert run([*words, "--json"]) == 0
    answer = json.loads(capfd.readouterr().out)
    assert len(answer["tags" if words[0] == "tags" else "memories"]) == 300


def test_long_list_of_problems_is_cut_and_counted(store: Path, capfd: pytest.CaptureFixture[str]) -> None:
    lines = "".join(f"- {TEXT.format(n)} #t score:99\n" for n in range(300))
    (store / ".memory" / "declarative.md").write_text(lines, "utf-8")
    assert run(["audit", "--verify"]) == 1
    out, err = capfd.readouterr()
    assert tokens(out) <= 4_000
    assert "300 problems found" in out.splitlines()[-1]
    assert "--json shows them" in err


def test_long_message_is_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["converse", "--role", "user", "word " * 20_000]) == 0
    assert "1 to summarise" in capfd.readouterr().out
    assert run(["converse", "--show"]) == 0
    out, err = capfd.readouterr()
    assert 3_000 < tokens(out) <= 4_000
    assert err == "cut to 4000 tokens; all of it: --json\n"
