"""What matters most, in MEMORY.md and where nothing is asked for: who the user is stays before what was only talked of."""

import pytest

from tests.api import Message, Plan, layout
from tests.inside import order, trust
from tests.world import World


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    """Somebody who said who he is once, and talked for a month. For all tests of the file: none changes it."""
    world = World(tmp_path_factory.mktemp("month") / ".memory")
    world.memory.monitor(["[ADD] his name is Wang Lei #id score:9", "[ADD] he lives in Shanghai #id score:8.5"])
    world.remember("the birthday is 3 May", "id", score="5", explicit=True)
    world.remember("core: allergic to nuts", "id", score="7", category="core")
    for day in range(30):
        world.later(days=1)
        ident = world.remember(f"noodles on day {day}", "food", score="7")["id"]
        for _ in range(3):
            world.later(hours=3)
            world.memory.boost(ident)
        world.session = f"talk {day}"
        world.memory.converse([Message("user", f"what is there to eat on day {day}?")], snapshot=False)
        world.later(hours=6)
        world.memory.decay(Plan())
    return world


@pytest.fixture(autouse=True)
def _own(world: World) -> None:
    """Each test has a state folder of its own, so the store is noted there again."""
    trust.note(layout.at(str(world.root)), trust.PRIVATE)


IDENTITY = ["core: allergic to nuts", "his name is Wang Lei", "he lives in Shanghai", "the birthday is 3 May"]


@pytest.mark.thorough
def test_who_the_user_is_stays_on_top(world: World) -> None:
    lines = [line for line in world.read("MEMORY.md").splitlines() if line.startswith("- ")]
    assert lines[0].startswith(f"- {IDENTITY[0]}")
    assert {line.partition(" #")[0] for line in lines[1:4]} == {f"- {text}" for text in IDENTITY[1:]}
    talks = [line for line in lines if "#对话" in line]
    assert lines[-len(talks) :] == talks
    assert len(talks) == order.NEWEST
    assert all(f"on day {day}" in world.read("MEMORY.md") for day in (27, 28, 29))
    assert world.memory.check_index().exit_status == 0
