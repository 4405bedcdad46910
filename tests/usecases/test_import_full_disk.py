"""import on a full disk: a second run adds the rest."""

import errno
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.api import Options, StoreError, Wants
from tests.faults.faulty_os import Call, FaultyOs
from tests.inside import conversations
from tests.world import World


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path / "ours" / ".memory")


def failing(error: int, data: Callable[[bytes], bool], name: str = "write") -> FaultyOs:
    """Return an `os` whose calls fail from the first write with matching bytes."""
    begun = False

    def fault(_number: int, called: str, real: Call, args: tuple[object, ...], kwargs: dict[str, object]) -> object:
        nonlocal begun
        begun = begun or (called == "write" and data(bytes(args[1])))  # type: ignore[call-overload]
        if begun and called == name:
            raise OSError(error, "the disk says no")
        return real(*args, **kwargs)

    return FaultyOs(fault)


def stopped(world: World, options: Options, shim: FaultyOs) -> StoreError:
    memory = world.memory
    with pytest.MonkeyPatch.context() as patch:
        shim.install(patch)
        with pytest.raises(StoreError) as caught:
            memory.import_files(options)
    assert caught.value.exit_status == 3
    return caught.value


def facts(tmp_path: Path, name: str, first: int, stop: int) -> Path:
    path = tmp_path / name
    path.write_text("".join(f"- fact {number} #t score:8\n" for number in range(first, stop)), "utf-8")
    return path


@pytest.mark.parametrize("name", ["write", "fdatasync"])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EROFS, errno.EFBIG])
def test_a_failed_import_can_be_repeated(code: int, name: str, world: World, tmp_path: Path) -> None:
    world.remember("fact 3")
    one, two = facts(tmp_path, "one.md", 0, 8), facts(tmp_path, "two.md", 8, 25)
    options = Options((str(one), str(two)))
    error = stopped(world, options, failing(code, lambda data: b"- fact 11 " in data and b"- fact 1 " in data, name))
    assert f"promptx-mem import {one} {two}" in error.hint
    assert world.recall() == ["fact 3"]
    again = world.memory.import_files(options)
    assert (again.exit_status, again.data["taken"], again.data["known"]) == (0, 24, 1)
    assert sorted(world.recall()) == sorted(f"fact {number}" for number in range(25))
    assert world.memory.audit_verify().data["problems"] == []
    origins = {line["e"] for line in map(json.loads, world.read("journal.jsonl").splitlines())}
    assert origins == {"imported"}


def test_the_first_of_two_bundles_is_stored(world: World, tmp_path: Path) -> None:
    paths = []
    for name in ("a", "b"):
        other = World(tmp_path / name / ".memory")
        other.root.parent.mkdir()
        for number in range(3):
            other.remember(f"{name} {number}")
        paths.append(tmp_path / f"{name}.jsonl")
        paths[-1].write_text(other.memory.export(Wants()).data["text"], "utf-8")
    options = Options(tuple(map(str, paths)), mine=True, yes=True)
    error = stopped(world, options, failing(errno.ENOSPC, lambda data: b"- b 0 " in data and data.startswith(b"- ")))
    assert "promptx-mem import --mine --yes " in error.hint
    assert sorted(world.recall()) == ["a 0", "a 1", "a 2"]
    assert world.memory.import_files(options).data["taken"] == 3
    assert len(world.recall()) == 6


def test_conversations_before_the_error_are_stored(world: World, tmp_path: Path) -> None:
    def talk(name: str) -> dict[str, object]:
        message = {"author": {"role": "user"}, "content": {"parts": [f"said in {name}"]}}
        return {"conversation_id": name, "current_node": "a", "mapping": {"a": {"parent": None, "message": message}}}

    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([talk("c1"), talk("c2"), talk("c3")]))
    options = Options((str(path),))
    error = stopped(world, options, failing(errno.ENOSPC, lambda data: b"said in c2" in data))
    assert f"promptx-mem import {path}" in error.hint
    result = world.memory.import_files(options)
    assert (result.exit_status, result.data["conversations"], result.data["known"]) == (0, 2, 1)
    assert len(conversations.units(world.memory.context.layout)) == 3
