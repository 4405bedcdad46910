"""After each exit 0 the next recall shows the change: forgotten, restored, superseded, archived, purged."""

import datetime
import errno
import os
from pathlib import Path
from typing import Any

import pytest

from tests.api import Cues, NotFoundError, Plan, Recall, Refused, Request, StoreError, UsageError, complete, make_id
from tests.inside import as_text, recalled, rewrite
from tests.world import World, every_byte

pytestmark = pytest.mark.usefixtures("person")


def test_forget_hides_a_memory_and_restore_shows_it_again(world: World) -> None:
    ident = world.remember("I like coffee")["id"]
    assert world.recall("coffee") == ["I like coffee"]
    world.later(hours=1).memory.forget(ident, "not any more")
    assert world.recall("coffee") == []
    world.later(hours=1).memory.restore(ident)
    assert world.recall("coffee") == ["I like coffee"]


def test_a_unique_prefix_of_an_id_is_accepted_others_are_refused(world: World) -> None:
    ident = world.remember("I like coffee")["id"]
    assert world.memory.verify(ident[:5]).data["id"] == ident
    with pytest.raises(NotFoundError):
        world.memory.forget("m_0000000000")
    with pytest.raises(UsageError, match="is not an id"):
        world.memory.forget("coffee")
    world.remember("I like chai")
    for act in (world.memory.forget, world.memory.verify, world.memory.boost):
        with pytest.raises(UsageError, match="2 ids begin with m_k: ") as error:
            act("m_k")
        assert error.value.hint.endswith("to list these memories: promptx-mem recall m_k -n 2")


def test_the_letters_before_an_id_do_not_name_the_only_memory(world: World) -> None:
    world.remember("I like coffee")
    memory = world.memory
    for act in (memory.forget, memory.boost, memory.verify, memory.restore, memory.text_of, memory.show):
        with pytest.raises(UsageError, match="'m_' is not an id"):
            act("m_")
    assert world.recall("coffee") == ["I like coffee"]


def test_memories_can_supersede_each_other_repeatedly(world: World) -> None:
    coffee = world.remember("I like coffee")["id"]
    world.later(seconds=1)
    world.remember("I like tea", update=coffee, score=None)
    assert world.recall("like") == ["I like tea"]
    assert world.remember("I like coffee")["verdict"] == "restored"
    assert world.recall("like") == ["I like coffee"]
    assert world.remember("I like tea")["verdict"] == "restored"
    assert world.recall("like") == ["I like tea"]
    world.memory.restore(coffee)
    assert world.recall("like") == ["I like coffee"]
    assert world.read("declarative.md").count("\n- ") == 2


@pytest.mark.parametrize("command", ["boost", "verify"])
def test_boost_and_verify_do_not_restore_an_ended_memory(world: World, command: str) -> None:
    ident = world.remember("I like coffee")["id"]
    world.memory.forget(ident)
    with pytest.raises(Refused, match="has ended") as refused:
        getattr(world.memory, command)(ident)
    assert refused.value.hint == f"to bring it back: promptx-mem restore {ident}"


def test_edit_supersedes_a_memory_through_the_gate(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    ident = world.remember("I like coffee", "drink")["id"]
    world.memory.boost(ident)
    monkeypatch.setenv("EDITOR", "sed -i s/coffee/espresso/")
    data = world.later(1).memory.edit(ident).data
    assert (data["verdict"], data["superseded"], data["tags"]) == ("stored", ident, ["drink"])
    assert world.recall("like") == ["I like espresso"]
    assert world.memory.recall(Cues()).data["memories"][0]["importance"] == 1.9
    monkeypatch.setenv("EDITOR", "true")
    assert world.memory.edit(data["id"]).data["verdict"] == "unchanged"
    monkeypatch.setenv("EDITOR", "sed -i -e s/espresso/tea/ -e s/score:8/score:eight/")
    with pytest.raises(UsageError, match="score 'eight' is not a number") as refused:
        world.memory.edit(data["id"])
    assert "I like tea" in Path(refused.value.hint.partition(";")[0].partition(" kept in ")[2]).read_text("utf-8")
    for editor, error in (
        ("sh -c 'echo more >> $0'", "'more' is below the comment"), ("sed -i s/#drink//", "needs a tag"),
        ("false", "ended with status 1"), ("/nonexistent/editor", "cannot be run: No such file"),
    ):  # fmt: skip
        monkeypatch.setenv("EDITOR", editor)
        with pytest.raises(UsageError, match=error):
            world.memory.edit(data["id"])
    monkeypatch.setenv("EDITOR", "sed -i s/#drink/#cup/")
    assert world.memory.edit(data["id"]).data["tags"] == ["cup"]
    monkeypatch.setenv("EDITOR", f"sed -i s/espresso/{'tea_' * 2_600}/")
    with pytest.raises(Refused, match="too long") as long:
        world.memory.edit(data["id"])
    assert "--split" not in long.value.hint
    monkeypatch.setenv("EDITOR", "sed -i s/espresso/AKIAIOSFODNN7EXAMPLE/")
    with pytest.raises(Refused, match="credential") as secret:
        world.memory.edit(data["id"])
    assert secret.value.hint.endswith(f": promptx-mem edit {data['id']}")


SECRET = "the door code is 4711"


@pytest.mark.parametrize("mode", [0o700, 0o770])
def test_a_purge_leaves_no_byte_of_a_text(world: World, mode: int) -> None:
    ident = world.remember(SECRET, "door", reason="the user said the door code is 4711")["id"]
    world.remember("something else")
    world.recall("door")
    world.memory.index()
    world.later(1).memory.forget(ident, f"because {SECRET}")
    world.memory.decay(Plan(compact=True))
    world.later(1).remember(SECRET, "door")
    world.memory.forget(ident, f"because {SECRET}")
    assert SECRET.encode() in every_byte(world.root)
    for folder in (world.root, world.file(".cache")):
        folder.chmod(mode)
    world.memory.forget(ident, purge=True)
    assert SECRET.encode() not in every_byte(world.root)
    assert b"4711" not in every_byte(world.root)
    assert world.recall("door") == []
    assert world.recall("something") == ["something else"]
    assert f'"e":"purged","id":"{ident}"' in world.read("journal.jsonl")


def test_a_purge_that_cannot_remove_a_cache_is_finished_later(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(path: object) -> None:
        if ".cache" in str(path):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))

    ident = world.remember(SECRET, "door")["id"]
    world.recall("door")
    with monkeypatch.context() as patch:
        patch.setattr("promptx_mem.store.disk.remove", fail)
        with pytest.raises(StoreError, match="was purged, but") as error:
            world.memory.forget(ident, purge=True)
    assert error.value.code == "purge_unfinished"
    assert SECRET.encode() in every_byte(world.file(".cache"))
    world.recall("door")
    assert SECRET.encode() not in every_byte(world.root)
    assert not world.file(".purge").exists()


@pytest.mark.parametrize("cached", [True, False])
def test_a_hand_written_line_stays_superseded_after_its_file_changes(cached: bool, world: World) -> None:
    world.remember("I like coffee")
    declarative = world.root / "declarative.md"
    with declarative.open("a", encoding="utf-8") as file:
        file.write("- 用户喜欢红茶 #t\n")
    if cached:
        world.recall()
    ident = make_id("用户喜欢红茶")
    world.remember("用户喜欢绿茶", update=ident)
    assert f'"e":"adopted","id":"{ident}"' in world.read("journal.jsonl")
    later = declarative.stat().st_mtime + 90
    os.utime(declarative, (later, later))
    assert world.recall("喜欢") == ["用户喜欢绿茶"]


@pytest.mark.parametrize("dry_run", [True, False])
def test_an_old_text_that_is_stored_again_names_the_memory_that_it_replaces(world: World, *, dry_run: bool) -> None:
    first = world.remember("We use Postgres 15")["id"]
    second = world.remember("We use Postgres 16", update=first)["id"]
    third = world.remember("We use Postgres 17", update=second)["id"]
    result = world.memory.remember(Request("We use Postgres 15", ("db",), "8", dry_run=dry_run))
    assert (result.data["superseded"], result.data["conflicts"], result.data["similar"]) == (third, [], [])
    [warning] = result.warnings
    assert f"replaces {third} (We use Postgres 17)" in warning
    assert warning.endswith(f"promptx-mem restore {third}")
    assert second not in warning


def test_a_purged_text_restored_by_a_merge_stays_hidden(world: World) -> None:
    ident = world.remember(SECRET)["id"]
    before = world.read("declarative.md")
    world.memory.forget(ident, purge=True)
    world.file("declarative.md").write_text(before, "utf-8")
    assert world.recall("door") == []
    world.memory.decay(Plan(compact=True))
    assert SECRET.encode() not in every_byte(world.root)
    assert world.recall("door") == []


@pytest.mark.parametrize("days", [0, -3], ids=["in the same second", "after the clock was set back"])
def test_a_purged_text_that_is_stored_again_is_active(days: int, world: World) -> None:
    world.remember("my name is Wei")
    world.memory.forget(world.remember(SECRET)["id"], purge=True)
    world.later(days=days)
    assert world.remember(SECRET)["verdict"] == "stored"
    assert sorted(world.recall()) == ["my name is Wei", SECRET]


def test_a_purged_hand_written_line_restored_by_a_merge_stays_hidden(world: World) -> None:
    world.remember("my name is Wei")
    stamp = world.later(days=1).time.timestamp()
    with world.file("declarative.md").open("a") as file:
        file.write(f"- {SECRET}\n")
    os.utime(world.file("declarative.md"), (stamp, stamp))
    merged = world.read("declarative.md")
    world.later(hours=1).memory.forget(make_id(SECRET), purge=True)
    world.file("declarative.md").write_text(merged)
    assert world.later(days=1).recall() == ["my name is Wei"]


def test_the_reason_of_a_purge_does_not_contain_the_text(world: World) -> None:
    one, two = world.remember(SECRET)["id"], world.remember("the wifi is called home")["id"]
    world.memory.forget(one, f"it said {SECRET}", purge=True)
    world.memory.forget(two, "a personal wish", purge=True)
    assert SECRET.encode() not in every_byte(world.root)
    assert '"reason":"a personal wish"' in world.read("journal.jsonl")


def test_a_memory_superseded_by_a_purged_one_stays_ended_and_is_named(world: World) -> None:
    old = world.remember("I like coffee")["id"]
    new = world.later(1).remember("I like tea", update=old, score=None)["id"]
    purged = world.later(1).memory.forget(new, purge=True)
    assert purged.warnings == (
        f"it had replaced {old} (I like coffee); to erase that too: promptx-mem forget --purge {old}",
    )
    assert world.recall("like") == []


def test_compaction_archives_ended_memories_and_keeps_all_other_bytes(world: World) -> None:
    foreign = "# notes\r\nprose with \ttabs\n<<<<<<< ours\n* star\n\n- 手写的一条 #手写\n  - nested\n\0\0damaged\n"
    world.root.mkdir()
    world.file("declarative.md").write_bytes(foreign.encode() + b"\xff\xfe not utf-8\n")
    ended = [world.remember(f"short fact number {n}", duration="短期", score="7")["id"] for n in range(5)]
    kept = world.remember("lasting fact", duration="永久")["id"]
    world.memory.boost(kept)
    world.memory.boost(ended[0])
    line = next(line for line in world.read_bytes("declarative.md").split(b"\n") if kept.encode() in line)
    world.later(days=60)
    assert world.memory.decay(Plan(compact=True)).data["done"]
    assert world.read_bytes("declarative.md") == foreign.encode() + b"\xff\xfe not utf-8\n" + line + b"\n"
    assert ended[0] not in world.read("journal.jsonl")
    assert kept in world.read("journal.jsonl")
    archived = every_byte(world.root / "archive").decode("utf-8", "replace")
    assert all(ident in archived for ident in ended)
    assert sorted(world.recall()) == ["lasting fact", "手写的一条\n- nested"]


def test_an_archived_memory_can_be_restored_or_stored_again(world: World) -> None:
    ident = world.remember("a short fact", duration="短期", score="7")["id"]
    world.later(days=60).memory.decay(Plan(compact=True))
    assert ident not in world.read("declarative.md")
    world.memory.restore(ident)
    assert world.recall("short") == ["a short fact"]
    assert ident in world.read("declarative.md")
    world.later(days=60).memory.decay(Plan(compact=True))
    assert world.remember("a short fact", score="8")["verdict"] == "restored"
    assert world.recall("short") == ["a short fact"]


def test_recalls_of_past_days_move_into_the_journal(world: World) -> None:
    one, two = world.remember("fact one")["id"], world.remember("fact two")["id"]
    where, host = world.memory.context.layout, world.memory.context.host()
    for _ in range(3):
        recalled.note(where, world.time, [one], host)
    recalled.note(where, world.time, [two, "m_0000000000"], host)
    recorded = world.read(".recalled")
    assert recorded.count("\n") == 2
    world.memory.decay(Plan())
    assert "recalled" not in world.read("journal.jsonl")
    world.later(days=1)
    assert "3 recalls recorded in the journal" in world.memory.decay(Plan()).data["done"]
    assert world.read("journal.jsonl") == recorded
    assert world.read(".recalled") == ""
    world.file(".recalled").write_text(recorded)
    world.memory.decay(Plan())
    assert world.read("journal.jsonl") == recorded


@pytest.mark.parametrize("writes", ["remember", "boost"])
def test_a_writer_empties_a_large_recall_log(world: World, monkeypatch: pytest.MonkeyPatch, writes: str) -> None:
    """Without `decay` it would otherwise fill up, and recalls would no longer count."""
    ident = world.remember("fact one")["id"]
    world.memory.recall(Cues())
    recorded = world.read(".recalled")

    def write() -> None:
        if writes == "boost":
            world.memory.boost(ident)
        else:
            world.remember("fact two")

    world.later(days=1)
    write()
    assert world.read(".recalled") == recorded
    monkeypatch.setattr(recalled, "CARRY_BYTES", len(recorded) - 1)
    world.later(days=1)
    write()
    assert (world.read(".recalled"), world.read("journal.jsonl").count(recorded)) == ("", 1)
    assert [problem["check"] for problem in world.memory.audit_verify().data["problems"] or []] == []
    before = world.importance("fact one")
    world.file(".cache").rename(world.file("cache that was"))
    assert world.importance("fact one") == before


@pytest.mark.parametrize("daily", [True, False])
def test_a_recalled_fact_stays_active(world: World, daily: bool) -> None:
    world.remember("used fact", duration="短期", score="7")
    world.remember("unused fact", duration="短期", score="7")
    for _ in range(12):
        world.later(days=5).memory.recall(Cues(text="used", count=1))
        world.later(days=1)
        if daily:
            world.memory.decay(Plan())
    assert world.recall("fact") == ["used fact"]


def test_hand_written_lines_are_adopted_at_the_next_change(world: World) -> None:
    world.remember("a fact")
    with world.file("declarative.md").open("a") as file:
        file.write("- by hand #x\n- 2025/06/05 18:47 dated #y #评分:8 #有效期:永久\n")
    os.utime(world.file("declarative.md"), (world.time.timestamp(), world.time.timestamp()))
    assert sorted(world.recall()) == ["a fact", "by hand", "dated"]
    world.later(1).remember("another")
    events = world.read("journal.jsonl")
    assert events.count('"adopted"') == 2
    assert make_id("by hand") in events
    world.later(1).remember("one more")
    assert world.read("journal.jsonl") == events


def test_compaction_destroys_a_purged_text_restored_by_a_merge(world: World) -> None:
    ident = world.remember("a personal wish")["id"]
    lines = world.read("declarative.md")
    world.memory.forget(ident, purge=True)
    (world.root / "declarative.md").write_text(lines, encoding="utf-8")
    world.memory.context.store.write(
        lambda writer: rewrite.compact(writer.layout, writer.take_out, world.time)
    )  # as a `remember` in a full store does
    assert "wish" not in world.read("declarative.md")


def test_repeated_decays_do_not_change_the_result(world: World, tmp_path: Path) -> None:
    other = World(tmp_path / "other")
    for one in (world, other):
        for number in range(8):
            one.remember(
                f"fact number {number}", duration=("短期", "中期", "长期", "20d")[number % 4], score=str(5 + number % 5)
            )
        one.later(days=3).memory.boost(make_id("fact number 1"))
    for _ in range(30):
        world.later(days=2).memory.decay(Plan(compact=True))
        world.memory.decay(Plan())
    other.later(days=60)
    assert [(text, world.importance(text)) for text in world.recall()] == [
        (text, other.importance(text)) for text in other.recall()
    ]


def test_a_purged_hand_written_line_can_be_stored_again(world: World) -> None:
    world.remember("my name is Wei")
    with world.file("declarative.md").open("a") as file:
        file.write(f"- {SECRET}\n")
    os.utime(world.file("declarative.md"), (world.time.timestamp(), world.time.timestamp()))
    ident = world.later(days=1).remember(SECRET)["id"]
    world.later(days=1).memory.forget(ident, purge=True)
    assert world.later(days=1).remember(SECRET)["verdict"] == "stored"
    assert world.recall("door code") == [SECRET]


def test_decay_compacts_a_nearly_full_store(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("promptx_mem.store.store.MAX_BYTES", 5_000)
    monkeypatch.setattr("promptx_mem.store.store.COMPACT_BYTES", 4_000)
    for number in range(11):
        world.remember(f"{number} " + "passing " * 30, duration="短期", score="7")
    assert 4_000 < world.later(days=60).memory.context.store.size() < 5_000
    world.memory.decay(Plan())
    assert world.memory.context.store.size() < 4_000


def test_a_promoted_memory_becomes_core(world: World) -> None:
    ident = world.remember("the user is called 小明", score="9", duration="短期")["id"]
    for _ in range(3):
        world.later(hours=3).memory.boost(ident)
    assert [item["review"] for item in world.memory.reviews().data["reviews"]] == ["promotion"]
    data = world.memory.review(ident, "promote").data
    assert (data["category"], data["importance"]) == ("core", 3.0)
    assert world.later(days=4000).recall("小明") == ["the user is called 小明"]


def test_a_fading_memory_gets_a_review_that_can_be_answered(world: World) -> None:
    ident = world.remember("a short fact", duration="短期", score="7")["id"]
    assert world.memory.reviews().data["count"] == 0
    review = world.later(days=28).memory.reviews().data["reviews"][0]
    assert (review["id"], review["review"]) == (ident, "fading")
    prompt = world.memory.reviews(as_prompt=True).data["prompt"]
    assert f'{ident} fading "a short fact"' in prompt
    assert "promptx-mem review --answers -" in prompt
    assert world.memory.review(ident, "promote").data["decision"] == "kept"
    assert world.memory.reviews().data["count"] == 0
    assert world.importance("a short fact") == pytest.approx(0.5)
    with pytest.raises(Refused, match="no pending review"):
        world.memory.review(ident, "keep")
    with pytest.raises(UsageError, match="is not an answer"):
        world.memory.review(ident, "maybe")


def test_an_archived_line_restored_by_a_merge_stays_ended(world: World) -> None:
    ident = world.remember("a fact")["id"]
    line = world.read("declarative.md")
    world.memory.forget(ident)
    world.memory.decay(Plan(compact=True))
    with world.file("declarative.md").open("a") as file:
        file.write(line)
    assert world.recall("fact") == []
    assert world.later(1).remember("a fact")["verdict"] == "restored"
    assert world.recall("fact") == ["a fact"]


RIGHT = datetime.datetime(2026, 11, 22, 12, tzinfo=datetime.UTC)
BEHIND = RIGHT.replace(year=2016)


@pytest.mark.parametrize("used_before", [True, False])
@pytest.mark.parametrize("duration", ["短期", "30d", "2016-12-31"])
def test_a_memory_stored_with_a_slow_clock_stays_until_used(tmp_path: Path, duration: str, used_before: bool) -> None:
    world = World(tmp_path / ".memory")
    if used_before:
        world.time = RIGHT
        world.remember("stored before", "a")
        world.memory.boost(world.memory.recall(Cues("before")).data["memories"][0]["id"])
    world.time = BEHIND
    stored = world.memory.remember(Request("the clock was behind", ("a",), "8", duration))
    assert any(
        "clock is behind (it shows 2016-11-22" in warning and "or the store has a date" in warning
        for warning in stored.warnings
    )
    world.time = RIGHT + datetime.timedelta(days=400)
    result = world.memory.recall(Cues("clock", touch=False))  # with touch this would be its first use
    (memory,) = result.data["memories"]
    assert (memory["behind"], memory["lives"], memory["ends_at"]) == (True, True, None)
    assert memory["at"] >= "2025"
    assert "[stored while the machine's clock was behind" in as_text(complete(Recall, result.data))
    world.memory.boost(memory["id"])
    used = world.memory.recall(Cues("clock")).data["memories"]
    assert len(used) == (duration != "2016-12-31"), "a past end date ends it"
    for memory in used:  # after its first use it expires as usual
        assert memory["ends_at"] is not None
        world.time += datetime.timedelta(days=300)
        assert world.memory.recall(Cues("clock")).data["memories"] == []


def test_a_project_folder_is_not_a_store(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("print()\n")
    with pytest.raises(UsageError, match="is not a store") as error:
        World(tmp_path).memory.remember(Request("x #t score:8"))
    assert error.value.hint.endswith(os.path.join(str(tmp_path), ".memory"))
    assert sorted(os.listdir(tmp_path)) == ["main.py"]


def test_an_update_of_a_superseded_memory_is_refused(world: World) -> None:
    old = world.remember("meetings on monday")["id"]
    new = world.later(1).remember("meetings on tuesday", update=old, score=None)["id"]
    with pytest.raises(Refused, match=f"superseded by {new}") as refused:
        world.remember("meetings on friday", update=old, score=None)
    assert f"--update {new}" in refused.value.hint
    assert world.recall("meetings") == ["meetings on tuesday"]


def test_a_repeated_text_returns_the_stored_score_and_duration(world: World) -> None:
    world.remember("uv installs packages", "pkg", score="8", duration="长期")
    result = world.later(1).memory.remember(
        Request("uv installs packages", tags=("py",), score="6", topic="a->b", type="project")
    )
    assert (result.data["verdict"], result.data["score"], result.data["duration"]) == ("repeated", 8, "长期")
    assert result.data["tags"] == ["pkg", "py"]
    assert [warning for warning in result.warnings if "is below the recommended" in warning] == []


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [
        ({}, "repeated"),
        ({"score": "8", "duration": "长期", "aka": ("chai",), "topic": "user->drinks"}, "repeated"),
        ({"score": "7"}, "changed"),
        ({"tags": ("other",)}, "changed"),
        ({"duration": "中期"}, "changed"),
        ({"duration": "30d"}, "changed"),
        ({"aka": ("matcha",)}, "changed"),
        ({"topic": "user->tea"}, "changed"),
    ],
    ids=str,
)
def test_update_with_the_same_text_is_a_change_only_if_a_value_changes(
    changes: dict[str, Any], verdict: str, world: World
) -> None:
    same: dict[str, Any] = {"text": "the user likes tea", "score": "8", "tags": ("t",)}
    ident = world.remember(**same, aka=("chai",), topic="user->drinks")["id"]
    world.later(days=1)
    assert world.remember(**{**same, "score": None, **changes}, update=ident)["verdict"] == verdict
    if changes.get("duration") == "30d":  # the 30 days begin again
        world.later(days=1)
        assert world.remember(**{**same, **changes}, update=ident)["verdict"] == "changed"
