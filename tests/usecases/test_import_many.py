"""import of many lines: what a line costs, what cannot fit is refused before the work, and how a store may be larger."""

import cProfile
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.api import ConfigError, Options, Refused, UsageError, layout
from tests.inside import batches, plan, store
from tests.world import World

FORMS: dict[str, Callable[[int], str]] = {
    "promptx.md": lambda n: (
        f"- 2025/05/21 {n % 24:02}:{n % 60:02} 第 {n} 次会议 release {n} --tags 其他 #评分:8 #有效期:长期\n"
    ),
    "ours.md": lambda n: f"- item {n}: the token of customer {n} is checked at night #ops score:8 duration:长期\n",
    "memory.jsonl": lambda n: f'{{"type":"entity","name":"e{n}","entityType":"host","observations":["runs {n}"]}}\n',
    "rows.csv": lambda n: f"fact {n} of many,ops,8\n",
}
CALLS = 1_000
"""Of Python's functions for one memory, from the file to the index; 700 to 850 when this was written."""

OPENED = 7
"""Bytes read for each byte of the store: what is written is read back, and read whole once."""


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


def test_no_batch_reads_what_the_others_wrote(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "LINES", 50)
    amounts: list[int] = []

    def counted(real: Callable[..., bytes]) -> Callable[..., bytes]:
        def read(*args: Any) -> bytes:
            data = real(*args)
            amounts.append(len(data))
            return data

        return read

    for name in ("read", "pread"):
        monkeypatch.setattr(os, name, counted(getattr(os, name)))
    shares = []
    for count in (500, 1_500):
        world = World(tmp_path / str(count) / ".memory")
        path = written(tmp_path, "ours.md", count)
        amounts.clear()
        take(world, path)
        shares.append(sum(amounts) / len(world.read_bytes("declarative.md")))
    assert max(shares) < OPENED


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
    with pytest.raises(Refused, match=r"0\.[0-9] MB do not fit, and nothing of them was stored") as refusal:
        take(world, large(tmp_path, 400), dry_run=dry_run)
    assert refusal.value.code == "store_full"
    assert not world.root.exists()


@pytest.mark.thorough
@pytest.mark.usefixtures("small")
def test_what_is_known_or_not_taken_needs_no_room(tmp_path: Path) -> None:
    world = World(tmp_path / ".memory")
    path = large(tmp_path, 320)
    assert take(world, path, mine=True, yes=True) == 320
    assert world.memory.context.store.size() > 350_000
    assert take(world, path, mine=True, yes=True) == 0
    ended = large(tmp_path, 400, "2020/05/21", "短期")
    assert world.memory.import_files(Options((str(ended),))).data["left"] == 400


@pytest.mark.thorough
@pytest.mark.usefixtures("small")
def test_what_has_ended_makes_room_for_an_import(tmp_path: Path) -> None:
    world = World(tmp_path / ".memory")
    take(world, large(tmp_path, 250, duration="30d"), mine=True, yes=True)
    assert take(world.later(days=40), large(tmp_path, 220, day="2026/02/22"), mine=True, yes=True) == 220
    assert world.memory.context.store.size() < 400_000


@pytest.mark.thorough
@pytest.mark.usefixtures("small")
def test_the_line_that_a_refusal_prints_lets_it_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = tmp_path / "settings.yaml"
    settings.write_text("{}\n")
    monkeypatch.setenv("PROMPTX_MEM_CONFIG", str(settings))
    world = World(tmp_path / ".memory")
    path = large(tmp_path, 400)
    with pytest.raises(Refused) as refusal:
        take(world, path)
    line = refusal.value.hint.partition("put `")[2].partition("`")[0]
    assert str(settings) in refusal.value.hint
    settings.write_text(line + "\n")
    assert take(world, path) == 400
    assert world.memory.audit_verify().exit_status == 0
    (status,) = world.memory.status().data["stores"]
    assert {limit["name"]: limit["limit"] for limit in status["limits"]}["store"] == 10_000_000
    assert world.remember("one more")["id"]


@pytest.mark.parametrize("value", ["5", "51", "many", "true"])
def test_another_size_is_named(value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = tmp_path / "settings.yaml"
    settings.write_text(f"store: {{megabytes: {value}}}\n")
    monkeypatch.setenv("PROMPTX_MEM_CONFIG", str(settings))
    monkeypatch.setattr(store, "MAX_BYTES", 1_000)
    world = World(tmp_path / ".memory")
    with pytest.raises(ConfigError, match=r"store\.megabytes"):
        take(world, written(tmp_path, "ours.md", 50))


def test_where_no_store_may_be_nothing_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    world = World(tmp_path / ".memory")
    assert layout.at(str(world.root)).exists() is False
    with pytest.raises(UsageError, match="is the user store, for every project"):
        take(world, tmp_path / "nowhere.md")
