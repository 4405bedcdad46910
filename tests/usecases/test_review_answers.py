"""Pending reviews are asked in prompts and answered in one call; each answer is independent."""

import json
import shutil
from pathlib import Path

import pytest

from tests.api import COMMAND, Cues, Message, Plan, Refused, UsageError, complete
from tests.inside import Review, cli_review
from tests.world import World, every_byte

pytestmark = pytest.mark.usefixtures("person")


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.setenv(COMMAND, "")
    return World(tmp_path / ".memory")


def talk(world: World, session: str, *texts: str) -> None:
    """Store a finished conversation with its episode."""
    world.session = session
    roles = ("user", "assistant")
    world.memory.converse([Message(roles[n % 2], text) for n, text in enumerate(texts)], snapshot=False)
    world.later(hours=5).memory.decay(Plan())


def open_reviews(world: World) -> dict[str, str]:
    return {item["id"]: item["review"] for item in world.memory.reviews().data["reviews"]}


def test_a_conversation_without_a_summary_gets_one_by_review(world: World) -> None:
    talk(world, "one", "our trip to Suzhou", "Try the squirrelfish")
    assert list(open_reviews(world).values()) == ["summary"]
    ident = next(iter(open_reviews(world)))
    prompt = world.memory.reviews(as_prompt=True).data["prompt"]
    assert '"Try the squirrelfish"' in prompt
    assert "and nothing else" not in prompt
    answer = {"id": ident[:8], "summary": "planned a trip to Suzhou", "topic": "travel->suzhou", "related": ["food"]}
    data = world.memory.answer_reviews(json.dumps(answer | {"activation": "0.9"})).data
    assert data["answers"] == [{"id": ident[:8], "ok": True, "decision": "summary"}]
    assert open_reviews(world) == {}
    memory = world.memory.recall(Cues()).data["memories"][0]
    assert (memory["id"], memory["text"]) == (ident, "[2026-03-01 12:00] planned a trip to Suzhou")
    assert memory["topic"] == "travel->suzhou"
    assert memory["slice"] is not None
    assert memory["slice"]["summary"] == "planned a trip to Suzhou"
    assert [one["text"] for one in memory["slice"]["messages"]] == ["our trip to Suzhou", "Try the squirrelfish"]
    assert "planned a trip" in world.read("MEMORY.md")
    assert world.recall("squirrelfish") == world.recall(topics=("travel->suzhou",)) == [memory["text"]]
    assert world.memory.audit_verify().data["problems"] == []


def test_a_corrected_summary_keeps_its_messages(world: World) -> None:
    talk(world, "one", "our trip to Suzhou", "Try the squirrelfish")
    ident = next(iter(open_reviews(world)))
    answer = {"id": ident, "summary": "planned a trip to Hangzhou", "topic": "travel"}
    assert world.memory.answer_reviews([answer]).data["answers"][0]["ok"]
    for dry_run in (True, False):
        changed = world.remember("planned a trip to Wuxi", update=ident, topic="travel->wuxi", dry_run=dry_run)
        assert (changed["id"], changed["text"]) == (ident, "[2026-03-01 12:00] planned a trip to Wuxi")
        assert ("Wuxi" in world.memory.show(ident).data["memories"][0]["text"]) is not dry_run
    assert world.memory.monitor([f"[UPDATE:{ident}] planned a trip to Suzhou"]).data["done"] == 1
    world.memory.answer_reviews([{**answer, "id": ident, "summary": "went to Suzhou", "topic": "travel->suzhou"}])
    for _ in range(2):
        memory = world.memory.show(ident).data["memories"][0]
        assert (memory["text"], memory["topic"]) == ("[2026-03-01 12:00] went to Suzhou", "travel->suzhou")
        assert memory["slice"] is not None
        assert [one["text"] for one in memory["slice"]["messages"]] == ["our trip to Suzhou", "Try the squirrelfish"]
        shutil.rmtree(world.file(".cache"))
    assert world.memory.audit_verify().data["problems"] == []
    world.memory.forget(ident)
    assert not world.memory.answer_reviews([answer]).data["answers"][0]["ok"]


def test_answers_are_found_in_the_output_of_a_model(world: World) -> None:
    first = world.remember("tea", score="7", duration="短期")["id"]
    second = world.remember("coffee", score="7", duration="短期")["id"]
    talk(world.later(days=25), "one", "hello")
    episode = next(ident for ident, kind in open_reviews(world).items() if kind == "summary")
    world.later(days=3)
    text = f"""<think>{{"id": "{first}", "decision": "delete"}} [KEEP] for both? </think>Here you are:
```json
[{{"id": "{first}", "decision": "保留"}}, {{"id": "{second}", "decision": "[DELETE]"}}]
```
and {{"id": "{episode}", "summary": "问候", "topic": null}}, {{"id": "m_0000000000", "decision": "keep"}} {{"id": 5}}
{{"id": "{first}", "decision": "keep"}}
{{"id": "{first}", "decision": "perhaps"}} {{"id": "{first}", "aka": "one word"}}"""
    result = world.memory.answer_reviews(text)
    decisions = [one["ok"] and one.get("decision") for one in result.data["answers"]]
    assert decisions == ["kept", "deleted", "summary", False, False, False, False]
    assert result.data["answers"][-1].get("error") == "aka is not a list of texts"
    assert result.exit_status == 1
    assert open_reviews(world) == {}


def test_the_last_of_several_decisions_about_one_question_counts(world: World) -> None:
    ident = world.remember("tea", score="7", duration="短期")["id"]
    world.later(days=28)
    answers = [{"id": ident, "decision": decision} for decision in ("keep", "delete", "保留")]
    assert world.memory.answer_reviews(answers).data["answers"] == [{"id": ident, "ok": True, "decision": "kept"}]
    assert "tea" in world.recall()


@pytest.mark.parametrize("wrong", ['{"id": "m_1", "aka": ["x"]', '"id": "m_1", "decision": "keep"}', '{"id": "m_1",}'])
def test_each_line_that_is_no_answer_is_an_error(world: World, wrong: str) -> None:
    good = f'{{\n"id": "{world.remember("tea")["id"]}", "aka": ["chai"]}},'
    result = world.memory.answer_reviews(f"{good}\n\n{wrong}\n{good}\n{wrong}")
    errors = [one.get("error") for one in result.data["answers"]]
    assert (result.exit_status, errors[:2]) == (1, [None, None])
    assert errors[2:] == [f"line {number} is not a JSON object" for number in (4, 7)]


@pytest.mark.parametrize("text", ["", "nothing to say", "{}", "[1, 2]", "{" * 2_000, "[" * 100_000])
def test_input_without_an_answer_is_an_error(world: World, text: str) -> None:
    world.remember("tea")
    if text == "{}":
        assert world.memory.answer_reviews(text).exit_status == 1
        return
    with pytest.raises(UsageError, match="no answer"):
        world.memory.answer_reviews(text)


def test_a_summary_with_a_credential_is_refused(world: World) -> None:
    talk(world, "one", "hello")
    ident = next(iter(open_reviews(world)))
    answer = {"id": ident, "summary": "the password is hunter2hunter2!X", "topic": "a"}
    assert not world.memory.answer_reviews([answer]).data["answers"][0]["ok"]
    assert b"hunter2" not in every_byte(world.root)
    assert open_reviews(world) == {ident: "summary"}


def test_a_day_shows_seven_reviews_most_important_first(world: World) -> None:
    ids = [world.remember(f"{n * 7919} likes tea", score=f"{6 + n / 10}", duration="短期")["id"] for n in range(10)]
    world.later(days=28)
    data = world.memory.reviews().data
    pending = data["count"]
    shown = [item["id"] for item in data["reviews"]]
    assert len(shown) == 7 < pending
    assert shown == [ident for ident in reversed(ids) if ident in shown]
    assert (
        f"{pending - 7} more pending reviews: on another day, after you answer these; to answer them now: "
        in cli_review.as_text(complete(Review, data))
    )
    prompt = world.memory.reviews(as_prompt=True).data["prompt"]
    assert f"\n{pending - 7} more questions follow on another day.\n" in prompt
    assert "ask again" not in prompt
    world.memory.answer_reviews([{"id": ident, "decision": "keep"} for ident in shown[:5]])
    assert [item["id"] for item in world.memory.reviews().data["reviews"]] == shown[5:]
    world.memory.answer_reviews([{"id": ident, "decision": "keep"} for ident in shown[5:]])
    today = world.memory.reviews().data
    assert (today["reviews"], today["more"]) == ([], pending - 7)
    assert (
        world.memory.reviews(as_prompt=True).data["asked"] == 0 < len(world.memory.reviews(every=True).data["reviews"])
    )
    world.later(days=1)
    assert len(world.memory.reviews().data["reviews"]) >= pending - 7


def test_the_list_names_the_commands_that_answer_it(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    ident = world.remember("the user likes green tea", score="9", duration="永久")["id"]
    world.later(days=40)
    data = complete(Review, world.memory.reviews().data)
    shown = cli_review.as_text(data)
    assert f"if so: promptx-mem verify {ident}\n  if not: promptx-mem forget {ident}\n" in shown
    with pytest.raises(Refused) as refusal:
        world.memory.review(ident, "keep")
    assert f"promptx-mem verify {ident}" in str(refusal.value.hint)
    world.memory.verify(ident)
    assert cli_review.as_text(complete(Review, world.memory.reviews().data)) == "no pending reviews\n"
    monkeypatch.setattr("promptx_mem.session.is_person", lambda: False)
    assert f"  if so, the user can run: promptx-mem verify {ident}\n" in cli_review.as_text(data)


def test_an_unscored_line_is_always_listed_without_a_claim_who_wrote_it(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("promptx_mem.judge.prompts.MOST", 0)  # all reviews of the day are answered
    ident = world.remember("the user hates mornings", score="9")["id"]
    with world.file("journal.jsonl").open("a", encoding="utf-8") as journal:
        at = world.later(days=1).time.isoformat()
        journal.write(json.dumps({"k": 1 << 60, "host": "h", "at": at, "e": "unscored", "id": ident}) + "\n")
    shown = cli_review.as_text(complete(Review, world.memory.reviews().data))
    assert f"{ident}  no person has confirmed it: keep it?" in shown
