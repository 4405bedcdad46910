"""Completion of commands and options, through the variables that the shells set."""

from pathlib import Path

import pytest

from tests.cli import program
from tests.inside import COMMANDS


def _variables(shell: str, line: str) -> dict[str, str]:
    if shell == "bash":
        return {
            "_PROMPTX_MEM_COMPLETE": "complete_bash",
            "COMP_WORDS": line,
            "COMP_CWORD": str(len(line.split(" ")) - 1),
        }
    variables = {"_PROMPTX_MEM_COMPLETE": f"complete_{shell}", "_TYPER_COMPLETE_ARGS": line}
    return variables | ({"_TYPER_COMPLETE_FISH_ACTION": "get-args"} if shell == "fish" else {})


def _complete(shell: str, line: str, folder: Path) -> str:
    ran = program.run(cwd=folder, env=_variables(shell, line))
    assert (ran.status, ran.err) == (0, "")
    return ran.out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
@pytest.mark.parametrize(
    ("line", "offered", "others"),
    [("re", {"remember", "recall"}, "score"), ("remember --d", {"--duration", "--dims"}, "--tag")],
)
def test_only_matching_words_are_offered(shell: str, line: str, offered: set[str], others: str, tmp_path: Path) -> None:
    out = _complete(shell, f"promptx-mem {line}", tmp_path)
    assert all(word in out for word in offered)
    assert others not in out


def test_bash_is_offered_every_command_but_no_file_names(tmp_path: Path) -> None:
    assert _complete("bash", "promptx-mem ", tmp_path).split() == list(COMMANDS)
    assert _complete("bash", "promptx-mem import ol", tmp_path) == "\n"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_unreadable_store_offers_no_ids_and_prints_no_error(shell: str, tmp_path: Path) -> None:
    (tmp_path / ".memory").write_text("not a directory", encoding="utf-8")
    assert "m_" not in _complete(shell, "promptx-mem boost m", tmp_path).replace("_promptx", "")
