"""The front: the facts that matter most are those of a full ranking, whatever has happened since it was taken."""

import random
from pathlib import Path

import pytest

from promptx_mem.core.digest import MAX_LINES
from promptx_mem.core.entry import LONG, MEDIUM, PERMANENT, SHORT
from promptx_mem.errors import PromptxMemError
from promptx_mem.search import front, leading, worth
from promptx_mem.search.current import open_current
from promptx_mem.search.worth import Worth
from promptx_mem.usecases.recall import Cues
from tests.world import World

FEW = 6
CATEGORIES = ("fact", "fact", "fact", "core", "system")
DURATIONS = (SHORT, MEDIUM, LONG, LONG, "5d", PERMANENT)


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.setattr(front, "SPARE", 3)
    return World(tmp_path / ".memory")


class Walks:
    """How often the bands were walked."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.count = 0
        real = worth.walk

        def walk(*values: object, **named: object) -> object:
            self.count += 1
            return real(*values, **named)  # type: ignore[arg-type]

        patch.setattr("promptx_mem.search.leading.worth.walk", walk)


def both(world: World, count: int = FEW) -> tuple[list[Worth], list[Worth]]:
    with open_current(world.memory.context.layout) as cache:
        now = world.time.timestamp()
        return leading.facts(cache, now, count), worth.facts(cache, now, count)


def forget_the_front(world: World) -> None:
    """Let the next one be taken of a store in which more live than it holds."""
    with open_current(world.memory.context.layout) as cache:
        with cache.writing():
            cache.db.execute("DELETE FROM meta WHERE key = 'front'")
        cache.hold()


def act(world: World, pick: random.Random, ids: list[str]) -> None:
    """One thing that happens to the store, or time that goes by."""
    kind = pick.choice(("new", "new", "new", "again", "boost", "forget", "restore", "update", "recall", "wait", "wait"))
    ident = pick.choice(ids)
    if kind == "wait":
        world.later(hours=pick.choice((0.01, 1, 20, 24 * 3, 24 * 9, 24 * 40)))
    elif kind == "new":
        category, duration = pick.choice(CATEGORIES), pick.choice(DURATIONS)
        score = str(pick.randint(50, 100) / 10)
        ids.append(world.remember(f"fact {len(ids)}", score=score, category=category, duration=duration)["id"])
    elif kind == "again":
        world.remember(f"fact {ids.index(ident)}", score=str(pick.randint(7, 10)))
    elif kind == "update":
        ids.append(world.remember(f"fact {len(ids)}", score="8", update=ident)["id"])
    elif kind == "recall":
        world.memory.recall(Cues(text=ident))
    else:
        getattr(world.memory, kind)(ident)


@pytest.mark.parametrize("seed", range(3))
def test_the_same_as_a_walk_of_all_bands(world: World, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    walks = Walks(monkeypatch)
    monkeypatch.setattr("promptx_mem.usecases.index.MAX_LINES", FEW)
    pick, ids, asked = random.Random(seed), [], 0  # type: random.Random, list[str], int
    for number in range(25):
        world.later(hours=1)
        ids.append(
            world.remember(
                f"fact {number}", score=str(pick.randint(50, 100) / 10), duration=pick.choice((LONG, PERMANENT))
            )["id"]
        )
    forget_the_front(world)
    for _ in range(70):
        try:
            act(world, pick, ids)
        except PromptxMemError:
            continue  # what has ended is not boosted, what lives not restored
        assert world.memory.check_index().exit_status == 0
        before = walks.count
        quick, full = both(world)
        assert quick == full
        asked += walks.count == before + 1  # the full one alone
    assert asked > 20


def test_what_is_remembered_is_shown_without_a_walk(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(20):
        world.later(seconds=2).remember(f"fact {number}", score=str(7 + number % 4 / 2))
    walks = Walks(monkeypatch)
    for number in range(20, 40):
        world.later(seconds=2).remember(f"fact {number}", score="8")
        assert f"fact {number} #t" in world.read("MEMORY.md")
    assert walks.count == 0
    assert both(world, MAX_LINES)[0] == both(world, MAX_LINES)[1]


def test_a_front_that_has_grown_is_cut_without_a_walk(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("promptx_mem.usecases.index.MAX_LINES", FEW)
    sizes = []
    for number in range(60):
        world.later(seconds=2).remember(f"fact {number}", score="8")
        quick, full = both(world)
        assert quick == full
        with open_current(world.memory.context.layout) as cache:
            sizes.append(cache.db.execute("SELECT count(*) FROM front").fetchone()[0])
    assert max(sizes) <= FEW + 3 * front.SPARE + 1
    assert sizes[-1] < len(sizes)


def fill(world: World) -> None:
    """What fades soon goes before what never does, for some weeks."""
    for number in range(12):
        world.later(hours=1).remember(f"soon over {number}", score="10", duration=SHORT)
    for number in range(20):
        world.later(hours=1).remember(f"for ever {number}", score="8", duration=PERMANENT)


def test_what_has_faded_gives_way(world: World) -> None:
    fill(world)
    forget_the_front(world)
    quick, _ = both(world)
    assert {one.text[:9] for one in quick} == {"soon over"}
    quick, full = both(world.later(days=13))
    assert quick == full
    assert {one.text[:8] for one in quick} == {"for ever"}


def test_a_time_before_the_front_was_taken_is_walked(world: World) -> None:
    fill(world)
    forget_the_front(world)
    both(world.later(days=13))
    quick, full = both(world.later(days=-10))
    assert quick == full
    assert {one.text[:9] for one in quick} == {"soon over"}
