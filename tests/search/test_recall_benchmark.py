"""The recall benchmark runs and gives the figures of its page."""

import re
from pathlib import Path

import pytest

from benchmarks.recall.__main__ import quality, searches, silence
from benchmarks.recall.data import small
from benchmarks.recall.rankers import RANKERS

PAGE = Path(__file__).resolve().parents[2] / "benchmarks" / "recall" / "README.md"
FREE = [name for name, (_, needs) in RANKERS.items() if not needs]


def published() -> dict[str, str]:
    """Return the page's figures for the set in the repository, by ranking."""
    rows = PAGE.read_text("utf-8").partition("| ranking | our small set |")[2].partition("\n\n")[0]
    return dict(re.findall(r"^\| \**([^|*]+?)\** \| ([0-9./ |]+?) \|$", rows, re.MULTILINE))


@pytest.mark.parametrize("name", FREE)
def test_published_figures_are_correct(name: str) -> None:
    made = searches(RANKERS[name][0], small())
    figures = [f"{number:.1f}" for number in (*quality(made, small()), silence(made, small()))]
    assert f"{' / '.join(figures[:4])} | {' / '.join(figures[4:])}" == published()[name]


def test_every_ranking_without_requirements_is_published() -> None:
    assert sorted(published()) == sorted(FREE)
