"""What a person meets who mixes forms, names the wrong place or the wrong memory: said, never done in silence."""

import os
from pathlib import Path

import pytest

from tests.api import Memory, NotFoundError, Refused, Request, UsageError, layout
from tests.inside import config, propose
from tests.world import World


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path / ".memory")


@pytest.mark.parametrize(
    ("request_", "code", "command"),
    [
        (Request("x y #b", score="8"), "mixed_forms", "promptx-mem remember 'x y' '#b' score:8"),
        (Request("x y #b score:8", duration="short"), "mixed_forms", "remember 'x y' '#b' score:8 duration:short"),
        (Request("x y score:8", tags=("a",)), "mixed_forms", "promptx-mem remember 'x y' '#a' score:8"),
        (Request("#a score:8 the text"), "tokens_first", "promptx-mem remember 'the text' '#a' score:8"),
        (Request("plain words"), "no_tokens", "usage: promptx-mem remember 'plain words' '#<tag>' 'score:<0-10>'"),
        (Request("只有文字"), "no_tokens", "promptx-mem remember '只有文字' '#<tag>' 'score:<0-10>'"),
    ],
)
def test_tokens_in_the_wrong_place(request_: Request, code: str, command: str) -> None:
    with pytest.raises(UsageError) as error:
        propose(request_, config.Config())
    assert error.value.code == code
    assert error.value.hint.endswith(command)


def test_tokens_that_stay_text_are_said(world: World) -> None:
    result = world.memory.remember(Request("mixed forms #b", tags=("a",), score="8"))
    assert result.data["text"] == "mixed forms #b"
    assert any("stored as text" in warning for warning in result.warnings)


def test_a_project_is_no_store(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("print()\n")
    with pytest.raises(UsageError, match="is not a store") as error:
        Memory(layout.at(str(tmp_path)), "test").remember(Request("x #t score:8"))
    assert error.value.hint.endswith(os.path.join(str(tmp_path), ".memory"))
    assert sorted(os.listdir(tmp_path)) == ["main.py"]


@pytest.mark.parametrize(
    "names", [[], [".gitignore", ".gitattributes"], ["config.yaml"], ["declarative.md", "notes.md"]]
)
def test_a_directory_of_its_own_becomes_a_store(tmp_path: Path, names: list[str]) -> None:
    for name in names:
        (tmp_path / name).write_text("")
    assert Memory(layout.at(str(tmp_path)), "test").remember(Request("x #t score:8")).data["verdict"] == "stored"


def test_an_update_goes_to_the_memory_that_is_current(world: World) -> None:
    old = world.remember("meetings on monday")["id"]
    new = world.later(1).remember("meetings on tuesday", update=old, score=None)["id"]
    with pytest.raises(Refused, match=f"superseded by {new}") as refused:
        world.remember("meetings on friday", update=old, score=None)
    assert f"--update {new}" in refused.value.hint
    assert world.recall("meetings") == ["meetings on tuesday"]


def test_a_restore_says_whose_place_it_takes(world: World) -> None:
    old = world.remember("meetings on monday")["id"]
    new = world.later(1).remember("meetings on tuesday", update=old, score=None)["id"]
    assert world.later(1).memory.restore(old).data["note"] == f"in the place of {new}"


def test_a_repeat_answers_with_what_is_stored(world: World) -> None:
    world.remember("uv installs packages", "pkg", score="8", duration="长期")
    result = world.later(1).memory.remember(
        Request("uv installs packages", tags=("py",), score="6", topic="a->b", type="project")
    )
    assert (result.data["verdict"], result.data["score"], result.data["duration"]) == ("repeated", 8, "长期")
    assert result.data["tags"] == ["pkg", "py"]
    assert [warning for warning in result.warnings if "stored; score" in warning] == []
    assert any(": --type changed nothing" in warning for warning in result.warnings)  # a path is taken, a kind is not


def test_an_explicit_minimum_is_said(world: World) -> None:
    result = world.memory.remember(Request("remember this", tags=("t",), score="4", explicit=True))
    assert result.data["score"] == 8
    assert result.warnings == ("what the user asks for counts at least 8: 4 was given",)


def test_an_edit_is_no_violation_and_needs_a_terminal(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    ident = world.remember("a fact", "one", "two")["id"]
    monkeypatch.setenv("EDITOR", "sed -i s/score:8/score:3/")
    with pytest.raises(UsageError, match="is below 5"):
        world.memory.edit(ident)
    monkeypatch.setenv("EDITOR", "sed -i s/#two//")
    assert any("#two stays" in warning for warning in world.memory.edit(ident).warnings)
    monkeypatch.delenv("EDITOR")
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(UsageError, match="EDITOR is not set"):
        world.memory.edit(ident)
    assert '"x":1' not in world.read("audit.jsonl")


def test_an_id_that_cannot_be_is_not_found(world: World) -> None:
    world.remember("a fact")
    with pytest.raises(NotFoundError):
        world.memory.forget("m_doesnotexi")


def test_a_hand_line_without_newline_leaves_the_cache_right(world: World) -> None:
    world.remember("a fact")
    with world.file("declarative.md").open("a", encoding="utf-8") as file:
        file.write("- typed third #y")
    assert sorted(world.recall()) == ["a fact", "typed third"]
    world.later(1).remember("one more")
    world.memory.index()
    assert world.memory.audit_verify().data["problems"] == []
    assert sorted(world.recall()) == ["a fact", "one more", "typed third"]
