"""import of many lines: what a line costs, and what cannot fit is refused before the work."""

import cProfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.api import Options, Refused
from tests.inside import batches, plan, store
from tests.world import World

FORMS: dict[str, Callable[[int], str]] = {
    "promptx.md": lambda n: (
        f"- 2025/05/21 {n % 24:02}:{n % 60:02} 第 {n} 次会议 release {n} --tags 其他 #评分:8 #有效期:长期\n"
    ),
    "ours.md": lambda n: f"- item {n}: the token of customer {n} is checked at night #ops score:8 duration:长期\n",
}
CALLS = 1_000
"""Of Python's functions for one memory, from the file to the index; 700 to 850 when this was written."""


def written(folder: Path, name: str, count: int) -> Path:
    path = folder / f"{count}-{name}"
    head = "text,tags,score\n" if name.endswith(".csv") else ""
    path.write_text(head + "".join(map(FORMS[name], range(count))), "utf-8")
    return path


def take(world: World, path: Path, **options: Any) -> int:
    return world.memory.import_files(Options((str(path),), **options)).data["taken"]


def calls(world: World, path: Path, count: int) -> int:
    profile = cProfile.Profile()
    assert profile.runcall(take, world, path) == count
    return sum(entry.callcount for entry in profile.getstats())


@pytest.mark.parametrize("name", FORMS)
def test_a_line_costs_the_same_among_many(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "LINES", 50)
    take(World(tmp_path / "first" / ".memory"), written(tmp_path, name, 75))  # whatever is loaded or compiled once
    few, many = (
        calls(World(tmp_path / str(count) / ".memory"), written(tmp_path, name, count), count) for count in (100, 400)
    )
    assert (many - few) / 300 < CALLS
    assert many < few * 4


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit of 400 KB."""
    monkeypatch.setattr(store, "MAX_BYTES", 400_000)


def large(folder: Path, count: int, day: str = "2026/02/21", duration: str = "长期") -> Path:
    """A file with memories of 1,100 bytes."""
    path = folder / f"{count}-{day[:4]}.md"
    items = (
        f"- {day} 10:00 {n} of {day[:4]}{day[-2:]} {'word ' * 200}#t #评分:8 #有效期:{duration}\n" for n in range(count)
    )
    path.write_text("".join(items), "utf-8")
    return path


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("dry_run", [True, False])
def test_what_cannot_fit_is_refused_before_the_work(
    dry_run: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan, "rows_of", None)  # whoever looks for credentials fails
    world = World(tmp_path / ".memory")
    with pytest.raises(Refused, match=r"0\.[0-9] MB do not fit; nothing was stored") as refusal:
        take(world, large(tmp_path, 400), dry_run=dry_run)
    assert refusal.value.code == "store_full"
    assert not world.root.exists()
