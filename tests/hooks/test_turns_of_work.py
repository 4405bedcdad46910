"""A prompt that only moves the work on gets no memory but a rule, and a task of no project only a likely one."""

from pathlib import Path

import pytest

from promptx_mem.hooks import first_look
from promptx_mem.hooks.prompt import given
from tests.world import World


@pytest.mark.parametrize(
    "prompt", ["run the tests again", "Fix it!", "commit and push", "继续", "再跑一遍测试", "提交代码"]
)
def test_a_turn_of_work(prompt: str) -> None:
    assert first_look.is_turn_of_work(prompt)


@pytest.mark.parametrize(
    "prompt",
    [
        "where are the tests?", "run the staging tests", "fix src/auth.py", "how do we commit", "部署到测试环境", "日志在哪里",
        "fix #1234", "提交 auth 模块", "format of our log of errors", "", "run the tests again " * 9,
    ],
)  # fmt: skip
def test_a_prompt_that_names_something(prompt: str) -> None:
    assert not first_look.is_turn_of_work(prompt)


@pytest.mark.parametrize(
    ("prompt", "is_one"),
    [
        ("Write a limerick about a walrus", True),
        ("什么是闭包", True),
        ("Please write a summary of our release process", False),
        ("Explain why we chose Redis", False),
        ("解释一下我们的缓存", False),
        ("Which database is used?", False),
    ],
)
def test_a_task_of_no_project(prompt: str, is_one: bool) -> None:
    assert first_look.is_task_of_no_project(prompt) is is_one


def test_a_turn_of_work_gets_rules_alone(quick: Path) -> None:
    world = World(quick / ".memory")
    for text in ("Commit messages follow Conventional Commits.", "Never commit on Fridays.", "Logs go to Loki."):
        world.remember(text)
    assert [one["text"] for one in given(world.memory, "commit it")] == ["Never commit on Fridays."]
    assert "Commit messages follow Conventional Commits." in [
        one["text"] for one in given(world.memory, "which commit messages do we use?")
    ]


def test_a_task_of_no_project_gets_what_is_likely(quick: Path) -> None:
    world = World(quick / ".memory")
    for text in ("Search is done by Meilisearch.", "The mascot is a walrus named Olaf.", "Logs go to Loki."):
        world.remember(text)
    assert given(world.memory, "Implement binary search in Rust") == []
    assert [one["text"] for one in given(world.memory, "Write about the walrus Olaf, the mascot")] == [
        "The mascot is a walrus named Olaf."
    ]
