"""Memories that may contradict each other: their order in answers, their marks, and when both end."""

import itertools
import shlex
from pathlib import Path
from typing import Any

import pytest

from promptx_mem.core.description import references
from promptx_mem.core.entry import Entry
from promptx_mem.core.ids import make_id
from promptx_mem.core.journal import CONTRADICTED, Event, format_event
from promptx_mem.core.line import format_line
from promptx_mem.search import current, pairs
from promptx_mem.usecases.decay import Plan
from promptx_mem.usecases.intake import Options
from promptx_mem.usecases.recall import Cues
from tests.tables import rows
from tests.world import World

OLD, NEW = "We deploy on Fridays.", "We deploy on Mondays now."
SEE_OLDER, SEE_ALSO = True, False


def shown(world: World, text: str = "when do we deploy", **more: object) -> list[tuple[str, dict[str, bool]]]:
    """Return texts, each with the texts that it refers to."""
    memories = world.memory.recall(Cues(text=text, touch=False, **more)).data["memories"]  # type: ignore[arg-type]
    texts = {memory["id"]: memory["text"] for memory in memories}
    return [(m["text"], {texts.get(see["id"], see["id"]): see["older"] for see in m.get("see", ())}) for m in memories]


def suspect(world: World, newer: str, older: str) -> None:
    """Record that two memories may contradict each other, as `remember` does."""
    k = 10**6 * int(world.time.timestamp()) + 900_000
    event = Event(k, "abcdef", world.time.isoformat(), CONTRADICTED, (newer, older), reason="number")
    with world.file("journal.jsonl").open("a") as file:
        file.write(format_event(event) + "\n")


def test_the_newer_is_shown_directly_above_the_older_which_is_marked(world: World) -> None:
    world.remember(OLD, score="9")
    world.later(seconds=0.2).remember("Deploy by hand: when we deploy, we tell the team.")
    world.later(seconds=0.2).remember(NEW, score="7")
    for text in ("when do we deploy", "fridays deploy", ""):
        found = shown(world, text)
        place = found.index((NEW, {}))
        assert found[place + 1] == (OLD, {NEW: SEE_OLDER}), text
    lines = world.read("MEMORY.md").splitlines()
    place = next(number for number, line in enumerate(lines) if NEW in line)
    assert OLD in lines[place + 1]
    assert "_(noted 2026-03-01; older: see m_" in lines[place + 1]
    assert lines[place].endswith("_(noted 2026-03-01)_")


def test_several_older_memories_follow_the_newer_by_age(world: World) -> None:
    texts = ["Tom lives in Leeds", "Letters for Tom go to York, where he lives", "Tom lives in Bath with Ann"]
    ids = [world.later(hours=1).remember(text)["id"] for text in texts]
    for older in ids[:2]:
        suspect(world.later(seconds=1), ids[2], older)
    assert [text for text, _ in shown(world, "where does Tom live")] == texts[::-1]


def test_a_newer_home_is_shown_above_the_older_even_if_both_match_weakly(world: World) -> None:
    old = world.remember("I live in Bremen.")["id"]
    assert [one["id"] for one in world.later(days=7).remember("I moved to Graz in May.")["conflicts"]] == [old]
    assert world.recall("Where do I live?") == ["I moved to Graz in May.", "I live in Bremen."]


def test_a_shared_alias_reveals_a_contradiction_a_shared_tag_does_not(world: World) -> None:
    world.remember("Bugs are filed in Jira.", "work", aka=("issue tracker",))
    assert world.remember("We moved to Linear.", "work")["conflicts"] == []
    found = world.remember("We switched to Linear.", "work", aka=("issue tracker",))["conflicts"]
    assert "Bugs are filed in Jira." in [one["text"] for one in found]


def test_the_latest_short_memory_on_a_subject_ranks_first(world: World) -> None:
    texts = ["The user skips lunch", "The user has a salad for lunch", "The user eats lunch in the canteen every day"]
    for text in texts:
        world.remember(text)
        world.later(days=7)
    assert world.recall("What does the user eat for lunch?") == texts[::-1]


def test_a_later_fact_about_the_same_thing_does_not_hide_the_answer(world: World) -> None:
    texts = ["The archive service listens on port 8049", "The archive service runs on node-257"]
    for text in (*texts, queue := "The message queue is RabbitMQ", "Commit messages have at most 72 characters"):
        world.remember(text)
        world.later(days=7)
    assert world.recall("what is the port of archive")[0] == texts[0]
    assert world.recall("message broker")[0] == queue


@pytest.mark.parametrize("protected", [{"category": "core"}, {}])
def test_an_unverified_memory_ranks_below_a_contradicting_user_memory(world: World, protected: dict[str, str]) -> None:
    world.remember(OLD, **protected)
    world.later(seconds=1).remember(NEW, source="background_ai")
    for words in ("fridays deploy", "mondays deploy", "how do we deploy now"):
        assert shown(world, words) == [(OLD, {NEW: SEE_ALSO}), (NEW, {OLD: SEE_ALSO})], words


def test_an_imported_memory_ranks_below_a_contradicting_user_memory(world: World) -> None:
    old = world.remember(OLD)["id"]
    path = world.root.parent / "notes.md"
    path.write_text(f"- {NEW}\n")
    world.later(hours=1).memory.import_files(Options((str(path),), yes=True))
    memories = world.memory.recall(Cues(text="deploy", touch=False)).data["memories"]
    new = next(memory["id"] for memory in memories if memory["text"] == NEW)
    suspect(world, new, old)
    for words in ("deploy", "mondays deploy"):
        assert shown(world, words)[0] == (OLD, {NEW: SEE_ALSO})
    suspect(world.later(hours=1), old, new)
    assert shown(world, "deploy")[0] == (OLD, {})


@pytest.mark.parametrize(("source", "first"), [("user", 1), ("background_ai", 0)])
@pytest.mark.parametrize(
    ("texts", "question"),
    [
        (("The demo account is demo@acme.test.", "Demo account: try@acme.test."), "what is the demo account"),
        (("服装预算 3 万", "领导批了，服装预算加到 5 万"), "服装预算是多少"),
    ],
)
def test_the_later_of_two_on_a_subject_ranks_first_unless_unverified(
    world: World, source: str, first: int, texts: tuple[str, str], question: str
) -> None:
    world.remember(texts[0], source="user")
    world.later(days=3).remember(texts[1], source=source)
    world.later(days=60)  # the recorded contradiction has expired
    assert shown(world, question)[0][0] == texts[first]


def test_a_text_stored_again_becomes_the_newer(world: World) -> None:
    world.remember(OLD)
    world.later(hours=3).remember(NEW)
    assert world.later(hours=3).remember(OLD)["verdict"] == "repeated"
    found = shown(world)
    assert found.index((OLD, {})) + 1 == found.index((NEW, {OLD: SEE_OLDER}))


def test_the_journal_contains_no_value_of_a_contradiction(world: World) -> None:
    world.remember("The code of the gate is 4711.")
    world.later(seconds=1).remember("The code of the gate is 8822.")
    (event,) = [line for line in world.read("journal.jsonl").splitlines() if CONTRADICTED in line]
    assert not [value for value in ("4711", "8822") if value in event]
    assert '"reason":"number"' in event


def test_the_newer_is_shown_even_if_the_query_matches_only_the_older(world: World) -> None:
    old = world.remember("The office is at Lindengasse 4.")["id"]
    suspect(world.later(days=1), world.remember("The office is at Marktplatz 9 now.")["id"], old)
    for number in range(3):
        world.remember(f"Lindengasse has roadworks in week {number}, mind the detour.")
    assert [text for text, _ in shown(world, "lindengasse 4", count=1)] == ["The office is at Marktplatz 9 now."]
    for words, until in (("office", "2026-03-01"), ("lindengasse 4 -marktplatz", None), ('"lindengasse 4"', None)):
        assert shown(world, words, until=until, count=3)[0][0] == "The office is at Lindengasse 4.", words


def test_a_contradiction_lowers_no_importance_and_its_marks_end_after_30_days(world: World) -> None:
    world.remember(OLD)
    before = world.importance(OLD)
    world.later(seconds=1).remember(NEW)
    assert world.importance(OLD) == before
    world.later(days=29)
    assert any(see for _, see in shown(world))
    world.later(days=2)
    assert not any(see for _, see in shown(world))
    assert shown(world, "fridays deploy") == [(NEW, {}), (OLD, {})], "the order does not end"
    assert shown(world, "deploy 2026-03")[0] == (OLD, {})


def test_the_index_reads_only_pairs_of_the_memories_that_it_ranks(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = [world.remember(f"fact {letter} of the list", score="8")["id"] for letter in "abcdef"]
    for newer, older in itertools.pairwise(ids):
        suspect(world.later(seconds=1), newer, older)
    read: list[object] = []
    real = vars(pairs)["select"]

    def counted(*values: Any) -> list[Any]:
        rows = list(real(*values))
        read.extend(rows)
        return rows

    with current.open_current(world.memory.context.layout) as cache:
        now = world.time.timestamp()
        every = pairs.waiting(cache, now)
        states = cache.states_by_id(ids[:3])
        monkeypatch.setattr(pairs, "select", counted)
        found = pairs.between(cache, states, now)
    assert found == [pair for pair in every if {pair.newer.entry.id, pair.older.entry.id} <= states.keys()]
    assert (len(every), len(found), len(read)) == (5, 2, 3)


def test_a_contradiction_with_an_unknown_memory_is_ignored(world: World) -> None:
    old = world.remember(OLD)["id"]
    suspect(world, "m_0000000000", old)
    assert shown(world) == [(OLD, {})]


def test_a_chain_is_shown_newest_first_and_an_edited_memory_is_compared_again(world: World) -> None:
    texts = ["The API listens on port 8080.", "The API listens on port 8081.", "The API listens on port 9000."]
    for text in texts:
        world.later(seconds=1).remember(text)
    assert [text for text, _ in shown(world, "API port 8080")] == texts[::-1]
    path = world.file("declarative.md")
    path.write_text(path.read_text().replace("port 8080.", "port 8080 in tests."))
    assert all("tests" not in text or not see for text, see in shown(world, "API port 8080"))
    path.write_text(path.read_text().replace("port 8081.", "port 8082."))
    assert dict(shown(world, "API port"))["The API listens on port 8082."] == {texts[2]: SEE_OLDER}


def test_corrections_recorded_within_seconds_rank_above_the_corrected(world: World) -> None:
    table = Path(__file__).parents[1] / "core" / "rows" / "corrections.txt"
    some = [row.split("|") for row in table.read_text("utf-8").splitlines()]
    for pair in some:
        world.later(seconds=0.2).remember(pair[0])
    for pair in some:
        world.later(seconds=0.2).remember(pair[1])
    wrong = []
    for old, new, question in some:
        found = [text for text in world.recall(question) if text in (old, new)]
        wrong += [question] if found[:1] != [new] else []
    assert len(wrong) <= 1, wrong


@pytest.mark.parametrize(("old", "new", "edited", "first"), rows(__file__, "edited.jsonl"))
def test_an_edited_memory_becomes_the_newer_only_if_its_value_changed(
    world: World, old: str, new: str, edited: str, first: str
) -> None:
    ident = world.remember(old)["id"]
    world.later(days=1).remember(new)
    world.later(days=1).remember(edited, update=ident, score="6")
    (item,) = world.memory.reviews().data["reviews"]
    assert (item["text"], item["other_text"]) == ((edited, new) if first == "new" else (new, edited))


PAIRS = (
    ("Anna Berg is the CEO", "Carl Lind is our new CEO"),
    ("Never deploy on Fridays", "Deploys on Fridays are fine now"),
    ("项目用 npm 安装依赖", "从 npm 换到 pnpm"),
    ("用戶喜歡喝茶", "用户不喜欢喝茶"),
    ("禁止周五發版", "允许星期五发版"),
)


@pytest.mark.parametrize(("old", "new"), PAIRS)
def test_remember_names_the_contradicted_memory_and_keeps_it(world: World, old: str, new: str) -> None:
    world.remember(old)
    world.later(days=1).remember("Docker Compose starts the demo.")
    data = world.later(days=1).remember(new)
    (conflict,) = data["conflicts"]
    assert conflict["text"] == old
    assert conflict["reason"]
    assert f"--update {conflict['id']}" in conflict["command"]
    assert shlex.split(conflict["command"])[0] == "promptx-mem"
    assert set(world.recall(old)) >= {old}
    assert world.remember(new, update=conflict["id"])["conflicts"] == [], "it is not compared with itself"


def test_remember_names_no_memory_on_another_subject(world: World) -> None:
    world.remember("The staging server listens on port 8080")
    data = world.later(days=1).remember("The production server listens on port 9090")
    assert data["conflicts"] == []


def test_text_names_only_the_newest_of_several_newer_memories() -> None:
    see = [{"id": "m_b", "older": True}, {"id": "m_c", "older": True}, {"id": "m_d", "older": False}]
    assert references({"see": see}) == ["older: see m_c", "see also m_d"]  # type: ignore[typeddict-item]


def decay(world: World) -> list[str]:
    return world.memory.decay(Plan()).data["done"]


def test_decay_finds_the_contradictions_of_lines_that_remember_has_not_seen(world: World) -> None:
    world.remember(OLD)
    world.later(days=1)
    with world.file("declarative.md").open("a") as file:
        for text in (NEW, "The API listens on port 8080.", "The API listens on port 9090."):
            file.write(f"- {text} #x\n")
    assert shown(world)[:2] == [(NEW, {}), (OLD, {})]
    assert any("2 possible contradictions found" in step for step in decay(world.later(hours=1)))
    assert shown(world)[:2] == [(NEW, {}), (OLD, {NEW: SEE_OLDER})]
    assert not any("contradiction" in step for step in decay(world.later(hours=1)))
    item = next(one for one in world.memory.reviews().data["reviews"] if one["text"] == OLD)
    world.memory.review(item["id"], "both")
    assert not any("contradiction" in step for step in decay(world.later(days=40)))
    assert shown(world)[1] == (OLD, {})


def test_the_summary_of_a_conversation_contradicts_no_memory(world: World) -> None:
    world.remember("Lunch is at noon.")
    summary = Entry(OLD, ("对话",), 7.5, "长期", make_id(OLD), at=world.time.isoformat(), category="episode")
    with world.file("declarative.md").open("a") as file:
        file.write(format_line(summary) + "\n")
    assert [one["category"] for one in world.memory.recall(Cues(text=OLD, touch=False)).data["memories"]] == ["episode"]
    assert world.later(hours=1).remember(NEW)["conflicts"] == []
    assert not any("contradiction" in step for step in decay(world.later(hours=1)))


def test_decay_finds_two_updates_of_one_memory_after_a_merge(world: World) -> None:
    ident = world.remember("The logo is blue.")["id"]
    before = world.file("declarative.md").read_text()
    world.later(days=1).remember("The logo is blue and round.", update=ident)
    (line,) = world.file("declarative.md").read_text().removeprefix(before).splitlines()
    world.file("declarative.md").write_text(before)
    world.later(hours=1).remember("Sara draws the logo again.", update=ident)
    with world.file("declarative.md").open("a") as file:
        file.write(line + "\n")
    assert any("1 possible contradiction found" in step for step in decay(world.later(hours=1)))


def test_decay_does_not_compare_memories_of_others(world: World) -> None:
    world.remember(OLD)
    world.later(days=1).import_texts(NEW)
    events = world.read("journal.jsonl")
    assert "imported" in events
    decay(world.later(hours=1))
    assert CONTRADICTED not in world.read("journal.jsonl")
