"""MEMORY.md: current after every remember, the same bytes for the same time, never an obstacle."""

import datetime
import shutil
from typing import Any

import pytest

from tests.api import Entry, Request, StoreError, format_line, make_id
from tests.inside import INDEX_BYTES as MAX_BYTES
from tests.inside import INDEX_LINES as MAX_LINES
from tests.inside import current, trust
from tests.inside import usecase_index as index
from tests.world import START, World


def fill(world: World, count: int, score: float = 8.0, text: str = "fact") -> None:
    """Write lines as another process does, and update the cache."""
    at = (START - datetime.timedelta(hours=1)).isoformat(timespec="seconds")
    lines = [
        format_line(Entry(f"{text} {n}", ("t",), score, "长期", make_id(f"{text} {n}"), at)) + "\n"
        for n in range(count)
    ]
    world.root.mkdir(mode=0o700, exist_ok=True)
    with world.file("declarative.md").open("a", encoding="utf-8") as file:
        file.writelines(lines)
    trust.record(world.memory.context.layout, trust.PRIVATE)
    current.open_current(world.memory.context.layout).close()


def remember(world: World, text: str, score: str = "9") -> tuple[str, ...]:
    return world.memory.remember(Request(text, tags=("t",), score=score)).warnings


def is_current(world: World) -> bool:
    return world.memory.check_index().exit_status == 0


def test_remember_writes_the_index(world: World) -> None:
    world.remember("用户喜欢咖啡", topic="用户->偏好")
    ident = world.later(hours=1).remember("the build runs on fridays")["id"]
    text = world.read("MEMORY.md")
    assert "\n## 用户->偏好\n- 用户喜欢咖啡 #t (m_" in text
    assert f"\n- the build runs on fridays #t ({ident})\n" in text
    assert f"<!-- as of {world.time.isoformat()} -->" in text
    assert is_current(world.later(days=400))


def test_a_new_cache_gives_the_same_index(world: World) -> None:
    fill(world, 300)
    remember(world, "newest")
    before = world.read_bytes("MEMORY.md")
    shutil.rmtree(world.file(".cache"))
    world.file("MEMORY.md").unlink()
    assert world.memory.index().data["written"]
    assert world.read_bytes("MEMORY.md") == before


def test_check_describes_the_difference(world: World) -> None:
    ident = world.remember("a fact")["id"]
    text = world.read("MEMORY.md")
    world.memory.forget(ident)
    assert "a fact" not in world.read("MEMORY.md")
    world.file("MEMORY.md").write_text(text, "utf-8")
    result = world.memory.check_index()
    assert (result.exit_status, result.data["current"]) == (1, False)
    assert result.data["difference"] == "its lines differ"
    world.file("MEMORY.md").unlink()
    assert world.memory.check_index().data["difference"] == "there is no MEMORY.md yet"


def test_the_index_keeps_its_limits_and_counts_omitted_memories(world: World) -> None:
    fill(world, 500)
    remember(world, "newest")
    text = world.read("MEMORY.md")
    assert len(text.splitlines()) <= MAX_LINES
    assert len(text.encode()) <= MAX_BYTES
    shown = text.count("\n- ")
    assert f"(exceeded 200 lines). {501 - shown} memories are not shown." in text


def test_a_full_index_is_rendered_again_only_if_needed(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(world, 500)
    renders: list[None] = []
    real = vars(index)["render_index"]

    def counted(*args: Any, **named: Any) -> Any:
        renders.append(None)
        return real(*args, **named)

    monkeypatch.setattr(index, "render_index", counted)
    for text in ("the lamp is blue", "cheese lies in the cellar", "a train goes to Basel"):
        world.later(seconds=1).remember(text, score="7")
        assert is_current(world)
    assert len(renders) == 1 + 3  # one for the first memory and one for each check
    ident = world.remember("a great thing", score="9")["id"]
    assert ident in world.read("MEMORY.md")
    world.memory.boost(ident)
    for text, hours in (("roses need water", 0), ("the door squeaks", 2)):
        world.later(hours=hours).remember(text, score="7")
        assert is_current(world)
    assert len(renders) >= 4 + 2 + 4  # after the boost and after an hour the whole file is rendered


def test_a_memory_md_of_another_author_is_not_overwritten(world: World) -> None:
    world.remember("a fact")
    world.file("MEMORY.md").write_text("# My notes\n", "utf-8")
    world.later(hours=1).remember("another fact")
    assert world.read("MEMORY.md") == "# My notes\n"
    with pytest.raises(StoreError, match="not written by promptx-mem") as caught:
        world.memory.index()
    assert caught.value.hint.startswith("move it away: mv ")
    assert world.memory.check_index().exit_status == 1


@pytest.mark.parametrize("left", [b"", b"\0" * 100, b"\0" * 9 + b"- as of 2026", b"# Memory index\n<!-- as of 20"])
def test_an_index_torn_by_a_power_cut_is_replaced(world: World, left: bytes) -> None:
    world.remember("a fact")
    world.file("MEMORY.md").write_bytes(left)
    world.memory.index()
    assert "- a fact #t" in world.read("MEMORY.md")
