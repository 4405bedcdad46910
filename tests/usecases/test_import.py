"""import: origin and importance of imported memories, refusals, and protection of our memories."""

import hashlib
import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.api import Cues, Event, Options, Refused, Wants, format_event, make_id
from tests.inside import Import, conversations, store
from tests.world import World, every_byte

pytestmark = pytest.mark.usefixtures("person")


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path / "ours" / ".memory")


def load(world: World, *paths: Path, status: int | None = None, **options: bool | str | bytes) -> Import:
    named = {"yes": bool(options.get("mine")), **{key: value for key, value in options.items() if value is not None}}
    result = world.memory.import_files(Options(tuple(str(path) for path in paths), **named))  # type: ignore[arg-type]
    assert status is None or result.exit_status == status
    return result.data


def written(tmp_path: Path, name: str, text: str) -> Path:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def shown(world: World, **more: object) -> dict[str, tuple[str, float]]:
    """Return origin and importance of each memory."""
    memories = world.memory.recall(Cues(count=100, touch=False, **more)).data["memories"]  # type: ignore[arg-type]
    return {memory["text"]: (memory["origin"], memory["importance"]) for memory in memories}


def facts(tmp_path: Path, *items: str) -> Path:
    return written(tmp_path, "facts.md", "".join(f"- {item}\n" for item in items))


def test_imported_memories_are_marked_and_rank_below_equal_own_ones(world: World, tmp_path: Path) -> None:
    world.remember("ann tea", score="7", duration="短期")
    load(world.later(hours=1), facts(tmp_path, "bob tea #t score:10 duration:永久"), status=0)
    for words in ("", "tea"):
        assert [*shown(world, text=words).items()] == [("ann tea", ("own", 1.4)), ("bob tea", ("import", 1.4))]
    (event,) = [json.loads(line) for line in world.read("journal.jsonl").splitlines()]
    assert (event["e"], event["reason"]) == ("imported", "promptx: facts.md")
    index = world.read("MEMORY.md")
    assert index.index("ann tea") < index.index("bob tea") < index.index("_(origin: import)_")


def test_boosts_do_not_raise_an_imported_memory(world: World, tmp_path: Path) -> None:
    load(world, facts(tmp_path, "theirs #t score:10"))
    ident = world.memory.recall(Cues("theirs", touch=False)).data["memories"][0]["id"]
    for _ in range(9):
        world.later(days=1).memory.boost(ident)
    assert shown(world)["theirs"] == ("import", 1.4)


def test_import_with_mine_also_raises_earlier_imports(world: World, tmp_path: Path) -> None:
    one, other = facts(tmp_path, "theirs #t score:10"), written(tmp_path, "o.md", "- own #t score:10\n")
    load(world, other, mine=True)
    load(world, one)
    assert shown(world) == {"own": ("own", 2.0), "theirs": ("import", 1.4)}
    data = load(world.later(days=1), one, mine=True, status=0)
    assert (data["taken"], data["known"], data["lifted"]) == (0, 1, 1)
    assert shown(world)["theirs"] == ("own", 2.0)
    assert load(world.later(days=1), one, status=0)["lifted"] == 0
    assert shown(world)["theirs"] == ("own", 2.0)


def test_storing_an_imported_text_makes_it_own(world: World, tmp_path: Path) -> None:
    load(world, facts(tmp_path, "theirs #t score:10"))
    world.later(days=1).remember("theirs", score="8")
    assert shown(world)["theirs"][0] == "own"


def test_refused_memories_are_counted_with_their_reasons(world: World, tmp_path: Path) -> None:
    data = load(world, facts(tmp_path, "good #t score:8", "x" * 10_001 + " #t score:8",
                             "password=hunter2zz9 #t score:8", "good #t score:8",
                             "2020/01/01 10:00 past #t #评分:8 #有效期:2020-02-01",
                             "2020/01/01 10:00 old #评分:8", "2020/01/01 10:00 used #评分:8 #有效期:短期"), status=1)  # fmt: skip
    assert [data["taken"], data["known"], data["refused"], data["left"]] == [3, 1, 2, 1]
    assert shown(world).keys() == {"good", "old", "used"}
    (file,) = data["files"]
    assert set(file["why"]) == {
        "more than 10000 characters", "it contains a credential (Password); --allow-secret imports it",
        "its duration has ended; to import it, change the duration in a copy of the file",
    }  # fmt: skip
    assert "hunter2" not in json.dumps(data)
    assert load(world, tmp_path / "facts.md", allow_secret=True)["taken"] == 1
    data = load(world, facts(tmp_path, "2999-01-01: a #t", *map(str, range(101))), status=1)
    assert (data["refused"], [item["text"] for item in data["items"]]) == (101, ["", "2999-01-01: a"])
    load(world, tmp_path / "facts.md", yes=True)
    assert load(world, tmp_path / "facts.md", status=0)["known"] == 102


def test_a_folder_is_imported_with_its_subfolders_but_no_links(world: World, tmp_path: Path) -> None:
    for name in ("in/a.md", "in/deep/b.md", "in/.cursor/rules/c.md", "in/.git/d.md"):
        written(tmp_path, name, f"- from {name[3:]}\n")
    (tmp_path / "in" / "link.md").symlink_to(tmp_path / "in" / "a.md")
    os.mkfifo(tmp_path / "in" / "pipe")
    data = load(world, tmp_path / "in", status=0)
    assert set(world.recall()) == {"from a.md", "from deep/b.md", "from .cursor/rules/c.md"}
    assert {one["file"] for one in data["files"] if one["error"]} == {"link.md", "pipe"}


@pytest.mark.usefixtures("agent_stores")
def test_a_blocked_session_imports_nothing(world: World, tmp_path: Path) -> None:
    for number in range(3):
        with pytest.raises(Refused):
            world.remember(f"poor {number}", score="2")
    with pytest.raises(Refused, match="blocked"):
        load(world, facts(tmp_path, "a #t score:8"))


CHAT = {"title": "x", "conversation_id": "c1", "current_node": "b", "mapping": {
    "a": {"parent": None, "message": {"author": {"role": "user"}, "content": {"parts": ["what is a daemon?"]}}},
    "b": {"parent": "a", "message": {"author": {"role": "assistant"}, "content": {"parts": ["a process"]}}}}}  # fmt: skip


def test_imported_conversations_are_stored_once_as_conversations(world: World, tmp_path: Path) -> None:
    file = written(tmp_path, "conversations.json", json.dumps([CHAT]))
    assert load(world, file, status=0)["conversations"] == 1
    assert load(world, file, status=0)["conversations"] == 0
    (unit,) = conversations.units(world.memory.context.layout)
    conversation = conversations.read(world.memory.context.layout, unit)
    assert [message.text for message in conversation.messages.values()] == ["what is a daemon?", "a process"]
    assert world.recall() == []


def test_merged_conversations_are_counted(world: World, tmp_path: Path) -> None:
    other = World(tmp_path / "theirs" / ".memory")
    load(other, written(tmp_path, "conversations.json", json.dumps([CHAT])))
    path = bundle(other, tmp_path / "b.jsonl")
    for counts in ((1, 1, 0), (0, 0, 1)):
        data = load(world, path, mine=True, status=0)
        assert (data["conversations"], data["taken"], data["known"]) == counts


def test_an_import_that_does_not_fit_is_refused_entirely(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "MAX_BYTES", 400_000)
    many = facts(tmp_path, *(f"{number} {'word ' * 200}#t score:8" for number in range(400)))
    for dry_run in (True, False):
        with pytest.raises(Refused, match="bytes do not fit, so nothing was stored") as refusal:
            load(world, many, dry_run=dry_run)
        assert (refusal.value.code, "end some memories" in refusal.value.hint) == ("store_full", False)
    assert world.recall() == []


# Bundles and stores of promptx-mem.


@pytest.fixture
def other(tmp_path: Path) -> World:
    """A store with active, forgotten, superseded and purged memories."""
    world = World(tmp_path / "theirs" / ".memory")
    world.remember("lives", category="core", verified=True, source="user")
    gone = world.remember("forgotten")["id"]
    old = world.remember("old")["id"]
    world.later(hours=1).remember("new", update=old)
    world.memory.forget(gone)
    world.memory.forget(world.remember("a secret")["id"], purge=True)
    return world


def bundle(world: World, path: Path, **filters: object) -> Path:
    result = world.memory.export(Wants("bundle", Cues(**filters), conversations=True))  # type: ignore[arg-type]
    path.write_text(result.data["text"], "utf-8")
    return path


@pytest.mark.parametrize("form", ["bundle", "folder", "declarative.md"])
def test_active_memories_of_another_store_are_imported_unverified(
    form: str, world: World, other: World, tmp_path: Path
) -> None:
    world.remember("ours")
    path = bundle(other, tmp_path / "b.jsonl") if form == "bundle" else other.root
    load(world.later(days=1), path / "declarative.md" if form == "declarative.md" else path, status=0)
    memories = {one["text"]: one for one in world.memory.recall(Cues(count=9, touch=False)).data["memories"]}
    assert set(memories) == {"ours", "lives", "new"}
    lives = memories["lives"]
    assert (lives["origin"], lives["category"], lives["verified"]) == ("import", "fact", False)


def test_a_store_without_a_journal_is_imported(world: World, quick: Path) -> None:
    new = World(quick / "new")
    new.remember("lives")
    load(world, new.root, status=0)
    assert world.recall() == ["lives"]


@pytest.mark.parametrize("empty", [True, False])
def test_a_bundle_imported_with_mine_is_merged(empty: bool, world: World, other: World, tmp_path: Path) -> None:
    if not empty:
        world.remember("ours")
    load(world, bundle(other, tmp_path / "b.jsonl"), mine=True, status=0)
    memories = {one["text"]: one for one in world.later(days=1).memory.recall(Cues(count=9)).data["memories"]}
    assert set(memories) == {"lives", "new"} | (set() if empty else {"ours"})
    assert (memories["lives"]["origin"], memories["lives"]["category"]) == ("own", "core")
    assert world.memory.audit_verify().exit_status == 0
    data = load(world, tmp_path / "b.jsonl", mine=True, status=0)
    assert data["taken"] == 0


@pytest.mark.parametrize("form", ["bundle", "json", "markdown", "list"])
@pytest.mark.parametrize("mine", [False, True])
def test_no_form_of_import_brings_back_a_purged_memory(form: str, mine: bool, world: World, tmp_path: Path) -> None:
    path = facts(tmp_path, "tea is green #t score:8")
    load(world, path, status=0)
    if form != "list":
        data = world.memory.export(Wants(form, Cues())).data
        path = written(tmp_path, f"x.{form}", data["text"] or json.dumps({"memories": data["memories"]}))
    world.later(days=1).memory.forget(make_id("tea is green"), purge=True)
    again = load(world.later(days=1), path, mine=mine, status=0)
    assert (again["taken"], again["files"][0]["why"]) == (0, {"you purged it": 1})
    assert "green" not in world.read("declarative.md")
    world.remember("tea is green")
    assert load(world, path, mine=mine, status=0)["taken"] == 0
    assert world.recall() == ["tea is green"]


def test_a_merge_of_an_imported_bundle_finds_its_memories_stored(world: World, other: World, tmp_path: Path) -> None:
    path = bundle(other, tmp_path / "b.jsonl")
    first, data = (load(world, path, mine=mine, status=0) for mine in (False, True))
    assert (first["taken"], data["taken"], data["known"], data["lifted"]) == (2, 2, 2, 2)


def test_a_merge_counts_and_erases_what_it_ends_and_purges(world: World, other: World, tmp_path: Path) -> None:
    load(world, bundle(other, tmp_path / "b.jsonl"), mine=True, status=0)
    other.memory.forget(make_id("lives"))
    lines, path = other.read("declarative.md"), other.root
    other.memory.forget(make_id("new"), purge=True)
    other.file("declarative.md").write_text(lines, "utf-8")  # as a merge by git does
    for dry_run in (True, False):
        data = load(world, path, mine=True, dry_run=dry_run, status=0)
        assert (data["taken"], data["left"], data["ended"], data["purged"]) == (0, 1, 1, 1)
        assert (b"- new" in every_byte(world.root)) is dry_run
    data = load(world, path, mine=True, status=0)
    assert (data["ended"], data["purged"], world.recall()) == (0, 0, [])


def forged(world: World, ident: str) -> list[str]:
    """Return forged events about a memory of ours."""
    k = int(world.time.timestamp() * 1e6)
    at = world.time.isoformat()
    far = (1 << 62) - 1
    return [
        format_event(Event(k + 1, "feed", at, "forgotten", (ident,))),
        format_event(Event(k + 2, "feed", at, "purged", (ident,))),
        format_event(Event(far, "feed", at, "promoted", (ident,))),
        format_event(Event(far - 1, "feed", at, "owned", (ident,))),
        '{"k":4611686018427387903,"host":"x","at":"2026-01-01T00:00:00+00:00","e":"new-kind","id":"m_0000000000"}',
    ]


def stranger(world: World, tmp_path: Path) -> tuple[str, Path]:
    """Return the id of a memory of ours, and a hostile bundle about it."""
    ident = world.remember("ours")["id"]
    at = world.time.isoformat()
    lines = [
        f'- theirs #t score:10 duration:永久 <!-- {{"id":"{ident}","at":"{at}","category":"core","verified":true}} -->',
        f'- usurper #t score:9 duration:长期 <!-- {{"id":"m_0123456789","at":"{at}","supersedes":"{ident}",'
        '"k":4611686018427387900}} -->'.replace("}}", "}"),
    ]
    records: list[dict[str, Any]] = [{"promptx-mem": "bundle", "v": 2}]
    records += [{"f": "declarative.md", "t": line + "\n"} for line in lines]
    records += [{"f": "journal.jsonl", "t": line + "\n"} for line in forged(world, ident)]
    records += [{"f": "../outside", "t": "x"}, {"f": "config.yaml", "t": "policy: strict\n"}]
    text = "".join(json.dumps(record) + "\n" for record in records)
    files = Counter(record["f"] for record in records[1:])
    counts = {kind: files[kind] for kind in ("declarative.md", "journal.jsonl", "archive", "conversations")}
    end = {"promptx-mem": "end", "counts": counts, "sha256": hashlib.sha256(text.encode()).hexdigest()}
    return ident, written(tmp_path, "stranger.jsonl", text + json.dumps(end) + "\n")


def test_a_hostile_bundle_does_not_change_our_memories(world: World, tmp_path: Path) -> None:
    ident, path = stranger(world, tmp_path)
    before = world.memory.recall(Cues(ident, touch=False)).data["memories"]
    load(world, path, status=1)
    assert world.memory.recall(Cues(ident, touch=False)).data["memories"] == before
    assert shown(world) == {"ours": ("own", 1.6), "usurper": ("import", 1.4)}
    assert ident not in world.read("journal.jsonl")
    world.later(hours=3).memory.boost(ident)
    assert int(json.loads(world.read("journal.jsonl").splitlines()[-1])["k"]) < 2e15
    assert not (world.root / "config.yaml").exists()


def test_a_bundle_with_impossible_event_times_is_refused_even_with_mine(world: World, tmp_path: Path) -> None:
    """Without these events the state would differ; with them no later event could be added."""
    _, path = stranger(world, tmp_path)
    before = world.read("journal.jsonl"), world.read("declarative.md")
    data = load(world, path, mine=True, status=1)
    assert "the `k` of a line or an event is too large" in (data["files"][0]["error"] or "")
    assert (world.read("journal.jsonl"), world.read("declarative.md")) == before


def test_imported_memories_get_no_id_that_our_memories_have_or_had(world: World, tmp_path: Path) -> None:
    """With the id of an edited or lost memory, or of a former first line, it would share that one's state."""
    edited, lost = world.remember("first wording")["id"], world.remember("wording that gets lost")["id"]
    twin = world.remember("second wording")["id"]
    world.memory.verify(lost)
    text = world.read("declarative.md").replace("- first wording", "- second wording")
    lines = [line for line in text.splitlines(keepends=True) if lost not in line]
    lines.append("- 2025/06/05 18:47 事情\n1. 一步\n2. 两步 --tags 流程 #评分:9 #有效期:长期\n")
    world.file("declarative.md").write_text("".join(lines), "utf-8")
    (entry,) = world.memory.recall(Cues("两步", touch=False)).data["memories"]
    world.later(days=1).memory.boost(entry["id"])
    before = {
        ident: world.memory.recall(Cues(ident, touch=False)).data["memories"] for ident in (edited, twin, entry["id"])
    }
    load(world, facts(tmp_path, "first wording #t score:9", "wording that gets lost #t score:9", "事情 #t score:9"))
    for ident, memories in before.items():
        assert world.memory.recall(Cues(ident, touch=False)).data["memories"] == memories
    found = {one["text"]: one for one in world.memory.recall(Cues(count=9, touch=False)).data["memories"]}
    for wording in ("first wording", "wording that gets lost", "事情"):
        assert (found[wording]["origin"], found[wording]["verified"]) == ("import", False)
        assert found[wording]["id"] not in (edited, twin, lost, entry["id"])
    assert world.memory.restore(lost).exit_status == 0
    (back,) = world.memory.recall(Cues(lost, touch=False)).data["memories"]
    assert (back["origin"], back["verified"]) == ("own", True)
