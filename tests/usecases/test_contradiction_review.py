"""Reviews of two memories that may contradict each other, answered by a person, an agent or a judge."""

from pathlib import Path

import pytest

from promptx_mem.cli.details import more_about
from promptx_mem.errors import Refused
from promptx_mem.usecases import review
from tests.world import World

OLD, NEW = "We deploy on Fridays.", "We deploy on Mondays now."


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path / ".memory")
    world.remember(OLD)
    world.later(hours=1).remember(NEW)
    return world


def question(world: World) -> dict[str, object]:
    (item,) = world.memory.reviews().data["reviews"]
    return dict(item)


@pytest.mark.parametrize(
    ("by", "answer", "left"),
    [("id", "both", {OLD, NEW}), ("other", "新", {NEW}), ("id", "older", {OLD}), ("id", "都保留", {OLD, NEW})],
)
def test_an_answer_decides_and_closes_the_review(world: World, by: str, answer: str, left: set[str]) -> None:
    item = question(world)
    world.memory.review(str(item[by]), answer)
    assert set(world.recall()) == left
    assert world.memory.reviews().data["reviews"] == []
    if left == {OLD, NEW}:
        [*_, first, second] = more_about(world.memory.show(str(item["id"])).data["memories"][0])
        assert f"  possibly contradicted by {item['other']}  " in first
        assert second.endswith(f"  both are valid: {item['other']}")
        assert world.later(hours=3).remember(NEW)["conflicts"] == []
        assert world.memory.reviews().data["reviews"] == []


def test_a_wrong_answer_is_refused_and_the_review_ends_after_30_days(world: World) -> None:
    item = question(world)
    with pytest.raises(Refused, match="no pending review that accepts promote"):
        world.memory.review(str(item["id"]), "promote")
    world.later(days=31)
    assert not [one for one in world.memory.reviews().data["reviews"] if one["review"] == "contradiction"]
    with pytest.raises(Refused):
        world.memory.review(str(item["id"]), "newer")
    assert {OLD, NEW} <= set(world.recall())


def test_one_answer_decides_one_pair_and_names_the_ended_memory(tmp_path: Path) -> None:
    world = World(tmp_path / "other" / ".memory")
    world.root.parent.mkdir()
    texts = "部署用蓝绿发布，周五不发版", "周五可以发版了", "部署用蓝绿发布,周五可以发版"
    for text in texts:
        world.later(hours=1).remember(text)
    first = question(world)
    assert (first["text"], first["other_text"]) == texts[:2]
    note = world.memory.review(str(first["id"]), "older").data["note"]
    assert note == f"ended: {first['other']} {texts[1]}; to bring it back: promptx-mem restore {first['other']}"
    assert question(world)["other_text"] == texts[2]
    (answer,) = world.memory.answer_reviews(f'{{"id": "{first["id"]}", "decision": "older"}}').data["answers"]
    assert texts[2] in answer["note"]
    assert set(world.recall()) == {texts[0]}


class _Judge:
    def __init__(self, answer: str) -> None:
        self.answer, self.prompts = answer, list[str]()

    def ask(self, prompt: str) -> str:
        self.prompts.append(prompt)
        return self.answer


@pytest.mark.parametrize(
    ("answer", "left"), [("[OLDER]? No, [NEWER]", {NEW}), ("[DELETE] is no answer, so [都保留]", {OLD, NEW})]
)
def test_a_judge_decides_a_contradiction(
    world: World, monkeypatch: pytest.MonkeyPatch, answer: str, left: set[str]
) -> None:
    judge = _Judge(answer)
    monkeypatch.setattr(review, "appointed", lambda: judge)
    assert review.ask_judge(world.memory.context, 5) == ["the judge answered 1 review"]
    assert NEW in judge.prompts[0]
    assert "[NEWER]" not in judge.prompts[0]
    assert set(world.recall()) == left


def test_a_judge_is_not_asked_about_an_unverified_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(tmp_path / "other" / ".memory")
    world.root.parent.mkdir()
    world.remember(OLD)
    world.later(hours=1).remember(NEW, source="background_ai")
    judge = _Judge("[NEWER]")
    monkeypatch.setattr(review, "appointed", lambda: judge)
    assert review.ask_judge(world.memory.context, 5) == []
    assert judge.prompts == []
    assert set(world.recall()) == {OLD, NEW}


def test_reviews_and_their_prompt_list_both_memories_of_the_pair(world: World) -> None:
    item = question(world)
    assert (item["review"], item["text"], item["other_text"]) == ("contradiction", OLD, NEW)
    assert str(item["at"]) < str(item["other_at"])
    prompt = world.memory.reviews(as_prompt=True).data["prompt"]
    assert f'{item["id"]} contradiction "{OLD}"' in prompt
    assert f'newer: {item["other"]} "{NEW}"' in prompt
