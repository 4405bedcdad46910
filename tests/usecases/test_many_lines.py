"""Entries of many lines by PromptX and people: removed whole, restored byte for byte."""

import tempfile
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.api import Event, Plan, Wants, format_event, make_id
from tests.inside import document
from tests.world import World

pytestmark = [pytest.mark.thorough, pytest.mark.usefixtures("person")]

BODY = ("a", "a", "", "", "  nested", "- bullet", "1. one", "* star", "# head", "  ", "\ttab", "> quote", "é 中文", "-")
FENCE = ("```", "x", "", "x", "- 2025/01/01 00:00 in a fence", "```")
GRADE = "#评分:8 #有效期:长期"

bodies = st.lists(st.one_of(st.sampled_from(BODY).map(lambda one: (one,)), st.just(FENCE)), max_size=6).map(
    lambda parts: [line for part in parts for line in part]
)


@st.composite
def chunks(draw: st.DrawFn) -> str:
    """One entry in one of the formats, with all its lines."""
    name = f"t{draw(st.integers(0, 99))}"
    body = draw(bodies)
    nested = ["  " + line if line.strip() else line for line in body if line not in FENCE]
    while nested and not nested[-1].strip():
        nested.pop()
    lines = draw(
        st.sampled_from(
            [
                [f"- 2025/06/05 18:47 {name} ##其他 {GRADE}"],
                [f"- {name} #x #评分:9 #时间:2025/05/21 22:47"],
                ["- 2025/07/13 23:22 START", name, *body, f"--tags #其他 {GRADE}", "- END"],
                ["- 2025/07/13 23:22 START", name, "", f"--tags #其他 {GRADE}", "", "- END"],
                [f"- 2025/06/09 22:11 {name}", *body, f"end --tags a b ##其他 {GRADE}"],
                [f"- 2025/06/09 22:11 {name}", *body, f"- end ##其他 {GRADE}"],
                [f"- 2025/06/09 22:11 {name}"],
                [f"- {name} ##其他 {GRADE}"],
                [f"- {name} #t", *nested],
                [f"- {name}", *nested],
            ]
        )
    )
    end = draw(st.sampled_from(["\n", "\r\n"]))
    return "".join(line + end for line in lines)


files = st.lists(st.one_of(chunks(), st.sampled_from(["", "\n", "prose\n", "# head\n\n"])), min_size=1, max_size=7)


def found(world: World) -> dict[str, list[bytes]]:
    """Return the bytes of each memory in the file, by its id."""
    data = world.read_bytes("declarative.md")
    out: dict[str, list[bytes]] = {}
    for one in document.read(data).bullets:
        out.setdefault(one.as_entry().id, []).append(data[one.start : one.end])
    return out


def active(world: World) -> set[tuple[str, tuple[str, ...], float]]:
    memories = world.memory.export(Wants("json")).data["memories"]
    return {(one["text"], tuple(one["tags"]), one["score"]) for one in memories}


@settings(max_examples=25, deadline=None)
@given(files, st.randoms(use_true_random=False))
def test_restore_returns_the_bytes_that_compaction_removed(parts: list[str], random: Random) -> None:
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder) / ".memory")
        world.root.mkdir()
        world.file("declarative.md").write_bytes("".join(parts).encode())
        world.remember("ours")
        before, whole = found(world), active(world)
        gone = [ident for ident in before if random.random() < 0.6]
        for ident in gone:
            world.memory.forget(ident)
        world.later(hours=1).memory.decay(Plan(compact=True))
        assert found(world) == {ident: raw for ident, raw in before.items() if ident not in gone}
        for ident in gone:
            world.memory.restore(ident)
        assert found(world) == before
        assert active(world) == whole
        for ident in gone:
            world.memory.forget(ident, purge=True)
        assert found(world) == {ident: raw for ident, raw in before.items() if ident not in gone}


MANY = "- 2025/06/07 09:16 title\n  1. one\n- two\n\nend ##c #评分:8 #有效期:长期\n"
WHOLE = "title\n  1. one\n- two\n\nend"
FIRST_LINE_ID = make_id("title\n1. one")


def event(kind: str) -> str:
    return format_event(Event(1_769_900_000_000_000, "h", "2026-02-01T10:00:00+00:00", kind, (FIRST_LINE_ID,))) + "\n"


def world_of(tmp_path: Path, text: str, journal: str = "") -> World:
    world = World(tmp_path / ".memory")
    world.root.mkdir()
    world.file("declarative.md").write_text(text)
    world.file("journal.jsonl").write_text(journal)
    return world


def test_events_of_the_first_line_apply_to_the_whole_entry(tmp_path: Path) -> None:
    world = world_of(tmp_path, MANY, event("boosted"))
    (one,) = world.memory.export(Wants("json")).data["memories"]
    assert (one["text"], [change["e"] for change in one["events"]]) == (WHOLE, ["boosted", "adopted"])
    assert world.memory.audit_verify().data["problems"] == []
    with world.file("journal.jsonl").open("a") as file:  # an older version writes, too
        file.write(event("forgotten"))
    assert world.recall() == []
    world.remember("other")
    assert world.recall() == ["other"]
