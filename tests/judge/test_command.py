"""A command as judge always gives an answer or a JudgeError, in bounded time and memory."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptx_mem.errors import ConfigError
from promptx_mem.judge import judge
from promptx_mem.judge.judge import COMMAND, INSIDE, CommandJudge, JudgeError, appointed, sealed, without_prompt
from promptx_mem.store.settings import ENVIRONMENT
from tests.scripted import Script
from tests.tables import rows

PROMPT = sealed("a question\nwith two lines")


def ask(script: Script, prompt: str = PROMPT, timeout: float = 20) -> str:
    return CommandJudge(script.command, timeout).ask(prompt)


def test_judge_reads_the_prompt_and_returns_the_answer(script: Script) -> None:
    assert ask(script.acts("记住 [KEEP]\n")) == "记住 [KEEP]"
    assert script.prompts() == [PROMPT]


def test_long_prompt_and_long_answer_do_not_deadlock(script: Script) -> None:
    said = "y" * (judge.MAX_OUTPUT - 10)
    prompt = sealed("x" * 1_000_000)
    assert ask(script.acts(said), prompt) == said
    assert script.prompts() == [prompt]


def test_long_stderr_does_not_block_the_answer(script: Script) -> None:
    assert ask(script.acts({"say": "[KEEP]", "complain": "x" * 1_000_000})) == "[KEEP]"


@pytest.mark.parametrize(("act", "code"), rows(__file__, "unusable.jsonl"))
def test_unusable_output_is_an_error(script: Script, act: dict[str, Any], code: str) -> None:
    with pytest.raises(JudgeError) as caught:
        ask(script.acts(act))
    assert caught.value.code == code
    assert caught.value.exit_status == 1


def test_too_much_stderr_is_an_error(script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("promptx_mem.judge.judge._MAX_COMPLAINT", 1_000)
    with pytest.raises(JudgeError) as caught:
        ask(script.acts({"say": "[KEEP]", "complain": "x" * 2_000, "sleep": 60}))
    assert (caught.value.code, caught.value.message[-9:]) == ("judge_too_much", "on stderr")


@pytest.mark.thorough
def test_hanging_judge_is_killed_with_its_children(script: Script) -> None:
    with pytest.raises(JudgeError) as caught:
        ask(script.acts({"say": "[KEEP]", "child": 1, "sleep": 60}), timeout=1)
    assert caught.value.code == "judge_timeout"
    assert script.child_is_gone()


def test_remaining_child_does_not_block_the_answer_and_is_killed(script: Script) -> None:
    assert ask(script.acts({"say": "[KEEP]", "child": 1}), timeout=40) == "[KEEP]"
    assert script.child_is_gone()


@pytest.mark.parametrize("command", [["/nowhere/judge"], ["/"], ["a\0b"]])
def test_invalid_command_is_an_error(command: list[str]) -> None:
    with pytest.raises(JudgeError, match="cannot be started"):
        CommandJudge(command, 5).ask(PROMPT)


def test_command_is_run_without_a_shell(tmp_path: Path) -> None:
    target = tmp_path / "made"
    assert CommandJudge(["echo", "a;", "touch", str(target), "$(id)"], 20).ask(PROMPT).endswith("$(id)")
    assert not target.exists()


def test_judge_is_set_by_user_settings_or_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    user = tmp_path / "user.yaml"
    assert appointed() is None
    monkeypatch.setenv(ENVIRONMENT, str(user))
    user.write_text("")
    assert appointed() is None
    user.write_text("llm: {command: judge}\n")
    assert isinstance(appointed(), CommandJudge)
    monkeypatch.setenv(COMMAND, "")
    assert appointed() is None
    monkeypatch.setenv(COMMAND, "other 'two words'")
    assert isinstance(appointed(), CommandJudge)
    monkeypatch.setenv(INSIDE, "1")
    assert appointed() is None
    monkeypatch.delenv(INSIDE)
    monkeypatch.setenv(COMMAND, "an 'open quote")
    with pytest.raises(ConfigError, match=COMMAND):
        appointed()


def test_environment_of_a_judge_marks_it_as_a_judge(script: Script) -> None:
    assert CommandJudge(["printenv", INSIDE], 20).ask(PROMPT) == "1"


@given(st.text(), st.text())
def test_lines_of_the_prompt_are_removed_from_the_answer(text: str, answer: str) -> None:
    prompt = sealed(text)
    assert without_prompt(prompt, prompt) == ""
    assert without_prompt(prompt + answer, prompt) == without_prompt(answer, prompt)
    assert not {line.strip() for line in without_prompt(answer, prompt).split("\n") if line.strip()} & {
        line.strip() for line in prompt.split("\n")
    }
