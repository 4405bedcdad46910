"""What the page costs: the benchmark does its work, and its table and picture say what its results say. No time is judged."""

import json
import shutil
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from benchmarks.view import browser, figures
from benchmarks.view.__main__ import measure
from benchmarks.view.results import Result
from tests.view.conftest import HOW, NAMES

KEPT = Path(__file__).parents[2] / "docs" / "view.json"
SPACE = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def kept() -> Result:
    result: Result = json.loads(KEPT.read_text("utf-8"))
    return result


def test_a_page_is_written_opened_filtered_and_scrolled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("playwright.sync_api", reason="needs Playwright: pip install -e '.[dev]'")
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip(HOW)
    monkeypatch.setattr(browser, "_IDLE_MS", 50)
    result = measure(tmp_path, program, 300, 1)
    assert result["opened"]["least"] > 0
    left = {one["name"]: one["left"] for one in result["filters"]}
    assert set(left) == {"the first letters", *browser.FILTERS}
    assert left["nothing again"] == "300 of 300 memories"
    assert left["words that nothing has"] == "0 of 300 memories"
    assert 0 < int(left["a Chinese word"].split()[0]) < 300
    _check(result)


def test_the_page_and_the_picture_agree_with_the_results(kept: Result) -> None:
    how = "python -m benchmarks.view.figures docs/view.json docs/view.md docs/view.svg"
    page = KEPT.with_suffix(".md").read_text("utf-8")
    assert figures.put_into(page, kept) == page, how
    assert KEPT.with_suffix(".svg").read_text("utf-8") == figures.picture(kept), how
    assert kept["memories"] == 40_000
    _check(kept)


def _check(result: Result) -> None:
    """Every time is in the table, and in the picture as a figure and as a bar no longer than the picture."""
    table = figures.table(result)
    for one in (result["opened"], *result["filters"]):
        assert f"{one['ms']:.0f} ms ({one['least']:.0f}–{one['most']:.0f})" in table
    root = ET.fromstring(figures.picture(result))
    texts = [element.text for element in root.iter(f"{SPACE}text")]
    drawn = [result["opened"], *(one for one in result["filters"] if not one["first"])]
    for one in drawn:
        assert f"{one['ms']:,.0f} ms" in texts
    bars = [float(bar.get("width", "")) for bar in root.iter(f"{SPACE}rect")]
    assert len(bars) == len(drawn) == len(browser.FILTERS) + 1
    assert all(0 <= figures.LEFT + bar <= figures.WIDTH for bar in bars)


def test_what_takes_too_long_is_seen_to_be_over_the_bound() -> None:
    assert figures.x(99, 100) < figures.x(100, 100) < figures.x(101, 100)
    assert figures.x(500, 100) == figures.x(5_000, 100) < figures.WIDTH


def test_a_page_without_marks_is_not_written_over(kept: Result) -> None:
    with pytest.raises(ValueError, match="has no"):
        figures.put_into("# A page\n", kept)
