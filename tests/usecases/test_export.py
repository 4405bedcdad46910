"""export: a bundle restores the store, json has every field, and other formats can be imported again."""

import json
from pathlib import Path

import pytest

from promptx_mem.core.entry import Entry
from promptx_mem.importers import promptx
from promptx_mem.importers.form import Source
from tests.api import Cues, Options, Wants, fold_all, lives
from tests.inside import FIELDS, bundle, document, export, importance_at, sources
from tests.world import World


def states(world: World, moment: float) -> dict[str, object]:
    everything = sources.read(world.memory.context.layout)
    folded = fold_all((line.entry for line in everything.lines), everything.events)
    return {ident: (state, lives(state, moment), importance_at(state, moment)) for ident, state in folded.items()}


def exported(world: World) -> str:
    return export(world.memory.context, Wants(conversations=True)).data["text"]


def test_a_bundle_keeps_bytes_and_times_of_hand_written_lines(world: World, tmp_path: Path) -> None:
    world.remember("a fact")
    typed = "- by hand\r\n  nested\n\n- 2025/07/13 23:22 START\n一\n\n一\n--tags #其他 #评分:8 #有效期:长期\n- END\nprose\n- last"
    with world.file("declarative.md").open("a", newline="") as file:
        file.write(typed)
    world.later(days=1)
    text = exported(world)
    assert '"e":"adopted"' in world.read("journal.jsonl")
    other = World(tmp_path / "b" / ".memory")
    other.time = world.time
    (tmp_path / "b").mkdir()
    other.memory.import_files(Options(("-",), stdin=text.encode(), mine=True, yes=True))
    assert other.read_bytes("declarative.md") == world.read_bytes("declarative.md")
    assert states(other, world.time.timestamp()) == states(world, world.time.timestamp())


def test_a_bundle_keeps_bytes_that_are_not_utf8() -> None:
    files = {"declarative.md": b"- \xff\xfe\r\nx\n\ny", "journal.jsonl": b"\n", "archive/2026-01-01-ab.md": b"z\n"}
    text = "".join(bundle.write(files))
    assert bundle.version(text) == bundle.VERSION
    assert bundle.read(text) == (files, [], True)


def test_a_filtered_bundle_omits_replaced_memories_without_successor(world: World, tmp_path: Path) -> None:
    """If the filters exclude the successor of a memory, that memory would be active again."""
    old, gone = world.remember("we use npm", "a")["id"], world.remember("gone", "a")["id"]
    world.later(hours=1).remember("we use pnpm", "項目", update=old)
    world.memory.forget(gone)
    world.remember("stays", "a")
    result = world.memory.export(Wants(filters=Cues(tags=("a",), archived=True)))
    assert any("1 memory that another one replaced is left out" in w and old in w for w in result.warnings)
    fresh = World(tmp_path / "b" / ".memory")
    fresh.root.parent.mkdir()
    fresh.time = world.time
    fresh.memory.import_files(Options(("-",), stdin=result.data["text"].encode(), mine=True, yes=True))
    assert fresh.recall() == ["stays"]
    assert sorted(fresh.recall(archived=True)) == ["gone", "stays"]
    assert old in world.memory.export(Wants(filters=Cues(archived=True, as_of="2030-01-01"))).data["text"]
    whole = world.memory.export(Wants(filters=Cues(tags=("项目",), archived=True)))
    assert whole.data["count"] == 1
    assert not any("left out" in warning for warning in whole.warnings)


def test_json_contains_every_field(world: World) -> None:
    ident = world.remember("a fact", "t", dims="9,7,9,8,8,9", score=None, reason="because", topic="a->b",
                           related=("c->d",), type="user")["id"]  # fmt: skip
    world.later(hours=3).memory.boost(ident)
    (one,) = export(world.memory.context, Wants("json")).data["memories"]
    names = {"slice": "slice_ref", "unconfirmed": "unscored"}
    shown = {names.get(field.name, field.name) for field in FIELDS}
    assert shown <= one.keys()
    assert (one["reason"], list(one["related"]), one["topic"]) == ("because", ["c->d"], "a->b")
    assert list(one["dims"] or ()) == [9, 7, 9, 8, 8, 9]
    assert [event["e"] for event in one["events"]] == ["boosted"]
    json.dumps(one)


HARD = ["plain", "# 标题\n\n- 一\n- 二\n```\n- END\n```", "head\n- END", "--tags #x", "- 2025/01/01 10:00 START\nx\n- END",
        "ends in #tag", "score:9", "<!-- x -->", "tab\there", "head\n- [ ] box", "- foo bar", "* star", "1. numbered",
        "- [ ] buy milk", "- 2025/07/13 23:22 START", "ends in --tags #x", r"a --tags b \--tags", "句号。#测试", "- 句号，#测试",
        "head\n\\- END", "2025/07/13 23:22 START", "- 2026-03-14: chose"]  # fmt: skip


def test_a_promptx_export_contains_all_memories(world: World) -> None:
    for text in HARD:
        world.remember(text, "t")
    result = export(world.memory.context, Wants("promptx"))
    found = document.read(result.data["text"].encode())
    assert not found.problems
    assert [item.text for item in promptx.read_markdown(Source("x", result.data["text"])).items] == HARD
    marked = {"# 标题\n\n- 一\n- 二\n```\n\\- END\n```", "\\--tags #x", "ends in \\--tags #x"}
    assert {one.text for one in found.bullets} >= marked
    assert all((one.score, one.duration) == (8.0, "长期") for one in found.bullets)
    assert any("backslash" in warning for warning in result.warnings)


def test_a_promptx_export_reports_a_backslash_only_if_one_was_added() -> None:
    line = Entry("a\rb", ("t",), id="m_0000000001", at="2026-01-01T00:00:00+08:00")
    written, warnings = bundle.promptx(list(fold_all([line], []).values()), 0.0)
    assert "\na\nb\n--tags #t" in written
    assert not any("backslash" in warning for warning in warnings)


@pytest.mark.parametrize("form", ["json", "markdown"])
def test_json_and_markdown_exports_can_be_imported_again(form: str, world: World, tmp_path: Path) -> None:
    hard = (*HARD, "not in #tags", r"nor in \\#tags")
    for number, text in enumerate([*hard, "ends\n\n    in  code\n```", "gone"]):
        world.remember(text, "t", f"x{number}", score="6.5", duration="长期", topic="a->b" if number % 2 else None)
    world.memory.forget(world.memory.recall(Cues("gone", touch=False)).data["memories"][0]["id"])
    data = export(world.memory.context, Wants(form, Cues(archived=True))).data
    other = World(tmp_path / "b" / ".memory")
    other.root.parent.mkdir()
    other.later(days=4000)  # the exported memories were active
    stdin = (data["text"] or json.dumps({"memories": data["memories"]})).encode() + b"\n"
    there = other.memory.import_files(Options(("-",), stdin=stdin))
    assert (there.exit_status, there.data["taken"]) == (0, len(hard) + 1)
    assert any("not imported: 1 memory that has ended" in warning for warning in there.warnings)
    mine, theirs = (
        {m["text"]: (m["tags"], m["score"], m["duration"], m["at"][:10], m["topic"]) for m in found.data["memories"]}
        for found in (one.memory.recall(Cues(count=99, touch=False)) for one in (world, other))
    )
    assert theirs == mine
