"""Requests and decisions are heard in what a person says, word for word; questions, quotations and tasks are neither.

The messages lie in rows/: requests.jsonl has the texts that each asks for, '' where that cannot be told, none for no
request; an object after them has other fields. decisions.txt and neither.txt measure how many messages are heard.
"""

import json
from pathlib import Path

import pytest

from promptx_mem.hooks import first_look, prompt, requests
from promptx_mem.hooks.prompt import given
from tests.tables import rows
from tests.world import World

ROWS = Path(__file__).parent / "rows"


def _rows(name: str) -> list[str]:
    return (ROWS / name).read_text("utf-8").splitlines()


def _heard(said: str) -> requests.Requests:
    return requests.read(said) if first_look.may_contain_request(said) else requests.Requests()


def test_a_request_is_taken_word_for_word_and_what_only_speaks_of_remembering_is_none() -> None:
    wrong = []
    for said, *facts in map(json.loads, _rows("requests.jsonl")):
        heard = json.loads(json.dumps(_heard(said)._asdict()))
        fields = facts.pop() if facts and isinstance(facts[-1], dict) else {}
        if heard != {**heard, "facts": facts, **fields}:
            wrong.append((said, facts, fields, heard))
    assert not wrong


def test_nearly_all_decisions_are_heard() -> None:
    rows = _rows("decisions.txt")
    missed = [said for said in rows if not ((heard := _heard(said)).decisions or heard.facts)]
    assert len(missed) <= 0.1 * len(rows), missed


def test_hardly_a_question_task_or_decision_of_others_is_heard() -> None:
    rows = _rows("neither.txt")
    wrong = [said for said in rows if (heard := _heard(said)).facts or heard.decisions]
    assert len(wrong) <= 0.005 * len(rows), wrong


def test_words_of_a_task_in_another_sentence_outweigh_a_cue() -> None:
    for message in (
        "Implement an undo stack. It should remember the last 50 steps.",
        "有没有办法让 vim 记住上次光标的位置",
        "给NPC加一个记忆系统，能记住玩家上次的选择",
    ):
        assert not _heard(message), message
    assert _heard("which editor does the user like? 记住这个").facts == ("",)


def test_stress_is_seen() -> None:
    said = "这很重要|重要：不要删除旧数据|这是重点|It's critical that it stays sorted|IMPORTANT: keep it"
    for message in said.split("|"):
        assert _heard(message).stress, message


def test_a_hint_of_later_use_is_seen_and_is_no_request() -> None:
    for message in (
        "下次我提到蓝色项目，就是指 promptx",
        "以后我问部署，就用这个流程",
        "Next time I ask for a report, use this template",
        "Whenever I say 'ship it', run make release",
    ):
        assert _heard(message).later, message
        assert not _heard(message).facts, message


def test_the_command_has_the_whole_sentence_and_the_score_of_a_decision() -> None:
    heard = requests.read("OK, we decided to use pnpm instead of npm. Now fix the build.")
    said = prompt.instruction(heard, "s-1")
    assert "'we decided to use pnpm instead of npm'" in said
    assert "score:7" in said
    assert "--explicit" not in said
    said = prompt.instruction(requests.read("以后都用 pnpm。另外，所有项目都记住我住在上海。我的工号是 1024。"), "s-1")
    assert all(part in said for part in ("'以后都用 pnpm'", "'我住在上海' '#note' --explicit --user", prompt._GOES_ON))
    for text in (
        "For future reference, the staging DB password is",
        "From now on the admin password is hunter2 for all of us, never",
    ):
        said = prompt.instruction(requests.read(f"{text} hunter2"), "s-1")
        assert prompt._NO_CREDENTIAL in said
        assert "hunter2" not in said


@pytest.mark.parametrize("piece", ["记住", "remember ", "please and also ", "，请", ". A", "`", " "])
def test_a_long_message_is_read_in_linear_time(piece: str) -> None:
    assert isinstance(requests.read(piece * 10_000), requests.Requests)  # backtracking would not come to an end


def test_the_hook_asks_the_patterns_only_for_messages_that_may_hold_something(monkeypatch: pytest.MonkeyPatch) -> None:
    messages: list[str] = []
    monkeypatch.setattr(requests, "read", messages.append)
    for message in ("fix the failing test in parser.py", "把登录页的按钮改成蓝色", "remember that I like tea"):
        prompt._requests(message)
    assert messages == ["remember that I like tea"]


@pytest.mark.parametrize(
    "prompt", ["run the tests again", "Fix it!", "what now", "commit and push", "继续", "下一步做什么", "提交代码"]
)
def test_a_turn_of_work(prompt: str) -> None:
    assert first_look.is_turn_of_work(prompt)


@pytest.mark.parametrize(
    "prompt",
    [
        "where are the tests?", "run the staging tests", "fix src/auth.py", "how do we commit", "部署到测试环境", "日志在哪里",
        "fix #1234", "提交 auth 模块", "测试用什么", "what test", "format of our log of errors", "", "run the tests again " * 9,
    ],
)  # fmt: skip
def test_a_prompt_that_names_something(prompt: str) -> None:
    assert not first_look.is_turn_of_work(prompt)


@pytest.mark.parametrize(("prompt", "is_one"), rows(__file__, "tasks.jsonl"))
def test_a_task_of_no_project(prompt: str, is_one: bool) -> None:
    assert first_look.is_task_of_no_project(prompt) is is_one


def test_a_turn_of_work_gets_rules_alone(quick: Path) -> None:
    world = World(quick / ".memory")
    for text in ("Commit messages follow Conventional Commits.", "Never commit on Fridays.", "Logs go to Loki."):
        world.remember(text)
    assert [one["text"] for one in given(world.memory, "commit it")[1]] == ["Never commit on Fridays."]
    assert "Commit messages follow Conventional Commits." in [
        one["text"] for one in given(world.memory, "which commit messages do we use?")[1]
    ]


def test_a_task_of_no_project_gets_what_is_likely(quick: Path) -> None:
    world = World(quick / ".memory")
    for text in ("Search is done by Meilisearch.", "The mascot is a walrus named Olaf.", "Logs go to Loki."):
        world.remember(text)
    assert given(world.memory, "Implement binary search in Rust")[1] == []
    assert [one["text"] for one in given(world.memory, "Write about the walrus Olaf, the mascot")[1]] == [
        "The mascot is a walrus named Olaf."
    ]
