"""`forget --last` and `audit --undo` take back what a session wrote, and only that."""

import pytest

from tests.api import Memory, NotFoundError, Request, layout
from tests.world import World


def commands(world: World, session: str | None = None) -> list[str]:
    return [step["command"] for step in world.memory.undo(session).data["undo"] or []]


def test_the_last_write_of_this_session_ends(world: World) -> None:
    first, second = world.remember("first")["id"], world.remember("second")["id"]
    other = Memory(layout.at(str(world.root)), "other", clock=lambda: world.time)
    other.remember(Request("of another session", tags=("t",), score="8"))
    assert world.memory.forget_last().data["id"] == second
    assert world.memory.forget_last().data["id"] == first
    with pytest.raises(NotFoundError, match="stored no memory"):
        world.memory.forget_last()
    assert world.recall() == ["of another session"]


def test_what_an_update_replaced_is_active_again(world: World) -> None:
    old = world.remember("the port is 1")["id"]
    world.remember("the port is 2", update=old)
    data = world.memory.forget_last().data
    assert (data["text"], data["lives"]) == ("the port is 2", False)
    assert old in str(data["note"])
    assert world.recall() == ["the port is 1"]


def test_the_commands_take_back_a_session(world: World) -> None:
    world.session = "before"
    kept, gone = world.remember("kept")["id"], world.remember("gone")["id"]
    world.session = "test"
    a = world.later(seconds=1).remember("a")["id"]
    b = world.later(seconds=1).remember("b", update=a)["id"]
    world.later(seconds=1).remember("c", update=b)
    world.later(seconds=1).memory.forget(gone)
    steps = [command.split()[1:] for command in commands(world)]
    assert steps == [["restore", gone], ["restore", b], ["restore", a], ["forget", a]]
    for action, ident in steps:
        world.later(seconds=1)
        getattr(world.memory, action)(ident)
    assert sorted(world.recall()) == ["gone", "kept"]
    assert commands(world, "nobody") == []
    assert commands(world, "before")[-1].split()[-1] == kept
