"""The recall benchmark runs, and gives the figures that its page says; what lies in one second is taken as it lies."""

import datetime
import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.recall.__main__ import quality, searches, silence
from benchmarks.recall.data import coding, small
from benchmarks.recall.rankers import RANKERS
from promptx_mem.core.entry import Entry
from promptx_mem.core.ids import make_id
from promptx_mem.core.line import format_line
from promptx_mem.memory import Memory
from promptx_mem.store import layout
from promptx_mem.usecases.intake.merge import Options

PAGE = Path(__file__).resolve().parents[2] / "benchmarks" / "recall" / "README.md"
FREE = [name for name, (_, needs) in RANKERS.items() if not needs]
NOW = datetime.datetime(2026, 11, 20, 12, 0, tzinfo=datetime.UTC)
AT = "2026-11-19T12:00:00+00:00"


def published() -> dict[str, str]:
    """The figures of the page for the set that lies in the repository, by ranking."""
    rows = PAGE.read_text("utf-8").partition("| ranking | our small set |")[2].partition("\n\n")[0]
    return dict(re.findall(r"^\| \**([^|*]+?)\** \| ([0-9./ |]+?) \|$", rows, re.MULTILINE))


@pytest.mark.parametrize("name", FREE)
def test_the_published_figures_are_true(name: str) -> None:
    made = searches(RANKERS[name][0], small())
    figures = [f"{number:.1f}" for number in (*quality(made, small()), silence(made, small()))]
    assert f"{' / '.join(figures[:4])} | {' / '.join(figures[4:])}" == published()[name]


def test_every_ranking_that_needs_nothing_is_published() -> None:
    assert sorted(published()) == sorted(FREE)


def test_the_small_set_tells_orders_apart() -> None:
    """Were the memories of a day taken in another order than the file's, its figures would be others."""
    whole = small()
    mixed = {name: random.Random(3).sample(memories, len(memories)) for name, memories in whole.stores.items()}
    other = type(whole)(whole.name, mixed, whole.questions)
    one, two = (quality(searches(RANKERS["promptx-mem"][0], data), data) for data in (whole, other))
    assert one != two


STEPS = [f"step {number}: {what}" for number, what in enumerate(("oil", "flour", "salt", "yeast", "water", "rest"))]


def _ours(texts: list[str]) -> list[str]:
    """Lines as another program would write ours: of one second, without `k`."""
    return [format_line(Entry(text, ("bread",), 8.0, "长期", make_id(text), AT)) for text in texts]


def _typed(texts: list[str]) -> list[str]:
    return [f"- {text} #bread score:8" for text in texts]


def _promptx(texts: list[str]) -> list[str]:
    return [f"- 2026/11/19 12:00 {text} ##其他 #评分:8 #有效期:长期" for text in texts]


def _memory(root: Path, name: str = ".memory") -> Memory:
    return Memory(layout.at(str(root / name)), "test", clock=lambda: NOW)


@pytest.mark.parametrize("write", [_ours, _typed, _promptx])
@pytest.mark.parametrize("seed", range(4))
def test_foreign_lines_of_one_second_keep_their_order(
    write: Callable[[list[str]], list[str]], seed: int, tmp_path: Path
) -> None:
    texts = random.Random(seed).sample(STEPS, len(STEPS))
    lines = write(texts)
    file = tmp_path / ".memory" / "declarative.md"
    file.parent.mkdir()
    file.write_text("".join(line + "\n" for line in lines[:4]), "utf-8")
    assert neighbours(_memory(tmp_path)) == texts[:4]
    with file.open("a", encoding="utf-8") as there:
        there.write("".join(line + "\n" for line in lines[4:]))
    assert neighbours(_memory(tmp_path)) == texts
    foreign = tmp_path / "foreign.md"
    foreign.write_text("".join(line + "\n" for line in lines), "utf-8")
    taken = _memory(tmp_path, "other")
    taken.import_files(Options((str(foreign),)))
    assert neighbours(taken) == texts


def neighbours(memory: Memory) -> list[str]:
    """The texts in the order of noting, as the cache holds it."""
    from promptx_mem.search import current

    with current.open_current(memory.context.layout) as cache:
        return [row[0] for row in cache.db.execute("SELECT text FROM memories ORDER BY rowid")]


def test_aliases_answer_questions_in_other_words_and_in_the_other_language() -> None:
    """The figures of `python -m benchmarks.recall.coding`, with some room: R@5 without aliases and with them."""
    found = {
        (data.name, aliases): quality(searches(RANKERS["promptx-mem"][0], data), data)[1]
        for aliases in (False, True)
        for data in coding(aliases=aliases)
    }
    assert found["coding", True] >= 80 > found["coding", False] + 20
    assert found["coding, other language", True] >= 90 > found["coding, other language", False] + 70
