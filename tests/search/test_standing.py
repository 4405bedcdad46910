"""What a person wants always, or prefers, goes before what was merely said; of a stranger nothing does."""

from pathlib import Path

import pytest

from promptx_mem.search.ranking import is_standing
from promptx_mem.usecases.recall import Cues
from tests.world import World


@pytest.mark.parametrize(
    "text",
    [
        "Always name the source when I ask about figures",
        "please never deploy on a Friday",
        "From now on answer in Chinese",
        "When I ask for a date, give the weekday too",
        "以后提交前都要跑一遍测试",
        "请务必先备份再升级",
        "不要在周五发布",
        "别忘了先备份",
        "For the trip: I'd rather take the train",
        "the user prefers tabs",
        "用户更喜欢咖啡",
        "Do not touch the staging database",
        "禁止在生产环境直接改表",
        "晚上我更喜欢喝茶",
        "The user likes short answers",
        "User wants answers in Chinese",
        "the user doesn't like emoji",
        "User's preferred editor is vim",
        "My favourite tea is oolong",
        "We prefer tabs",
        "You should always run the tests first",
        "Please you must never push to main",
        "You should not touch the staging database",
        "Don\u2019t use emoji",
        "I want you to answer in Chinese",
        "I'd like you to name the source",
        "Each time a branch is merged, delete it",
        "Whenever I ask about figures, name the source",
        "Never SSH into production",
        "请始终用中文回答",
        "请一直用中文回答",
        "请你务必先备份",
        "你应该始终先跑测试",
        "你必须一直用公制单位",
        "您一律用中文回答",
        "我希望你用中文回答",
        "我希望回答简短一些",
        "我们希望所有文档都用中文",
        "用户希望回答简短",
        "用户喜欢简短的回答",
        "用户不喜欢表情符号",
        "我的习惯是先写测试",
        "当我问到数字时，给出来源",
        "严禁在生产环境直接改表",
        "必须两个人同意才能合并",
    ],
)
def test_what_stands(text: str) -> None:
    assert is_standing(text)


@pytest.mark.parametrize(
    "text",
    [
        "I always had trouble with the dishwasher",
        "The garden was my favourite part of the house",
        "You should see Rome",
        "I want a dog",
        "User wants to move to Berlin",
        "The user table is sharded",
        "In the shop a user likes a picture by a click",
        "一直在下雨",
        "我希望周末下雨",
        "用户希望去日本旅行",
        "用户表已经分库",
    ],
)
def test_what_only_begins_alike(text: str) -> None:
    assert not is_standing(text)


@pytest.mark.parametrize(
    "text",
    [
        "The deploy failed on Friday; it always does",
        "nevertheless we deploy on Friday",
        "Clara would rather stay",
        "the preference dialog crashes",
        "发布在周五，测试总是很慢",
        "这个按钮的颜色大家都喜欢",
        "别墅在山上，别人都没去过",
        "x" * 300 + " I prefer tabs",
        "",
    ],
)
def test_what_does_not(text: str) -> None:
    assert not is_standing(text)


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path / ".memory")
    world.remember("Always name the source when I ask about sales figures")
    for month in ("March", "April", "May"):
        world.later(days=1).remember(f"the sales figures of {month} were discussed")
    return world


def test_it_goes_first(world: World) -> None:
    assert world.recall("sales figures")[0].startswith("Always")
    assert world.recall("sales figures of April")[0].endswith("April were discussed")


def test_many_rules_leave_the_facts_their_places(tmp_path: Path) -> None:
    world = World(tmp_path / ".memory")
    for rule in (
        "Never restart the production database by day",
        "Always ask Lena before a migration of the production database",
        "Do not copy the production database to a laptop",
        "Make sure that two people look at the production database together",
        "Every time the production database is slow, note the queries",
        "From now on the production database is restored on Sundays",
    ):
        world.later(days=1).remember(rule)
    world.later(days=1).remember("the production database moved to Frankfurt")
    first = world.recall("production database")[:5]
    assert "the production database moved to Frankfurt" in first


def test_of_a_stranger_it_is_not_lifted(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("promptx_mem.store.trust.Origin.is_own", False)
    memories = world.memory.recall(Cues("sales figures", explain=True, touch=False)).data["memories"]
    assert len(memories) == 4
    assert not any("standing" in (memory["why"] or {}) for memory in memories)
