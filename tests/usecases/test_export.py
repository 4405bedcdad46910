"""export: a bundle says the same again, json holds every field, and the form of PromptX is read back."""

import datetime
import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.api import Cues, Entry, Event, Message, Options, Wants, fold_all, format_event, format_line, lives, make_id
from tests.inside import FIELDS, archive, bundle, conversations, document, export, importance_at, sources
from tests.strategies import entries
from tests.world import START, World


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path / ".memory")


def states(world: World, moment: float) -> dict[str, object]:
    everything = sources.read(world.memory.context.layout)
    folded = fold_all((line.entry for line in everything.lines), everything.events)
    return {ident: (state, lives(state, moment), importance_at(state, moment)) for ident, state in folded.items()}


def exported(world: World) -> str:
    return export(world.memory.context, Wants(conversations=True)).data["text"]


def test_lines_by_hand_and_of_promptx_keep_their_bytes_and_their_time(world: World, tmp_path: Path) -> None:
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


def test_bytes_that_are_no_text_survive() -> None:
    files = {"declarative.md": b"- \xff\xfe\r\nx\n\ny", "journal.jsonl": b"\n", "archive/2026-01-01-ab.md": b"z\n"}
    text = "".join(bundle.write(files))
    assert bundle.is_bundle(text)
    assert bundle.read(text) == (files, [], "", True)


def test_a_filtered_bundle_has_no_line_without_what_ends_it(world: World, tmp_path: Path) -> None:
    """Where the filters leave out the memory that replaced another one, the replaced one would be active again."""
    old, gone = world.remember("we use npm", "a")["id"], world.remember("gone", "a")["id"]
    world.later(hours=1).remember("we use pnpm", "b", update=old)
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
    whole = world.memory.export(Wants(filters=Cues(tags=("b",), archived=True)))
    assert whole.data["count"] == 1
    assert not any("left out" in warning for warning in whole.warnings)


def test_json_holds_every_field(world: World) -> None:
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
        "ends in #tag", "score:9", "<!-- x -->", "tab\there", "head\n- [ ] box"]  # fmt: skip


def test_what_is_written_for_promptx_is_read_back(world: World) -> None:
    for text in HARD:
        world.remember(text, "t")
    result = export(world.memory.context, Wants("promptx"))
    found = document.read(result.data["text"].encode())
    assert not found.problems
    assert len(found.bullets) == len(HARD)
    by_text = {one.text for one in found.bullets}
    assert by_text >= {
        "plain",
        "# 标题\n\n- 一\n- 二\n```\n\\- END\n```",
        "head\n\\- END",
        "\\--tags #x",
        "head\n- [ ] box",
    }
    assert all((one.score, one.duration) == (8.0, "长期") for one in found.bullets)
    assert any("backslash" in warning for warning in result.warnings)


def make(world: World, drawn: tuple[list[Entry], list[Entry], list[Event], list[Event], list[Message]]) -> None:
    lines, old_lines, events, old_events, said = drawn
    world.root.mkdir(mode=0o700)
    layout = world.memory.context.layout
    text = "# 陈述性记忆\n\n" + "".join(format_line(entry) + "\n" for entry in lines)
    layout_lines = text.encode()
    (world.root / "declarative.md").write_bytes(layout_lines)
    (world.root / "journal.jsonl").write_text("".join(format_event(event) + "\n" for event in events), "utf-8")
    if old_lines:
        archive.write(
            layout, "2026-01-01", "".join(format_line(one) + "\n" for one in old_lines).encode(), archive.LINES
        )
    if old_events:
        raw = "".join(format_event(one) + "\n" for one in old_events).encode()
        archive.write(layout, "2026-01-02", raw, archive.EVENTS)
    if said:
        conversations.add_messages(layout, "u_one", said, "a session")


KINDS = ["repeated", "boosted", "recalled", "verified", "kept", "promoted", "deleted", "forgotten", "restored", "purged",
         "imported", "owned"]  # fmt: skip


@st.composite
def stores(draw: st.DrawFn) -> tuple[list[Entry], list[Entry], list[Event], list[Event], list[Message]]:
    """Lines and events, some of them archived, and what was said; all of it noted before now."""
    past = st.integers(0, 400 * 86_400).map(lambda ago: (START - datetime.timedelta(seconds=ago)).isoformat())
    lines = [
        entry._replace(at=draw(past), k=None, slice=None, id=make_id(entry.text), salt=0)
        for entry in draw(st.lists(entries(), max_size=5))
        if entry.text.strip()
    ]
    ids = [entry.id for entry in lines] or ["m_0123456789"]
    happened = [
        Event(draw(st.integers(1, int(START.timestamp() * 1e6))), "abcdef", draw(past), kind, (draw(st.sampled_from(ids)),),
              score=draw(st.sampled_from([None, 9.0])) if kind in ("repeated", "restored") else None)
        for kind in draw(st.lists(st.sampled_from(KINDS), max_size=6))
    ]  # fmt: skip
    cut, gone = draw(st.integers(0, len(lines))), draw(st.integers(0, len(happened)))
    said = draw(st.lists(st.text(min_size=1, max_size=9).map(lambda text: Message("user", text)), max_size=3))
    return lines[cut:], lines[:cut], happened[gone:], happened[:gone], said


@pytest.mark.thorough
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(stores(), st.lists(st.integers(-300, 3_000), max_size=3))
def test_a_bundle_gives_the_same_state_for_every_moment(
    drawn: tuple[list[Entry], list[Entry], list[Event], list[Event], list[Message]], days: list[int]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        one, other = World(Path(folder, "a", ".memory")), World(Path(folder, "b", ".memory"))
        for world in (one, other):
            world.root.parent.mkdir()
        make(one, drawn)
        text = exported(one)
        path = Path(folder, "bundle.jsonl")
        path.write_bytes(text.encode())
        empty = not any(drawn)
        result = other.memory.import_files(Options((str(path),), mine=True, yes=True))
        assert result.data["refused"] == result.data["left"] == 0
        for moment in (START.timestamp(), *(START.timestamp() + day * 86_400.0 for day in days)):
            assert states(other, moment) == states(one, moment)
        assert empty or exported(other) == text
