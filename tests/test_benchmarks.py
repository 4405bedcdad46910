"""The speed benchmark runs, and the page and the picture match its results. Times are not checked."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks import beginning
from benchmarks.speed import beside, ours, picture, process, sampling, table
from benchmarks.speed.__main__ import main
from benchmarks.speed.rows import rows

pytestmark = pytest.mark.thorough

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / "benchmarks" / "results" / "performance.json"
MEMORIES = 200


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The results of the smallest possible run."""
    folder = tmp_path_factory.mktemp("speed")
    small = ["--memories", str(MEMORIES), "--peer-memories", str(MEMORIES), "--rounds", "1", "--peers", "floor"]
    few = ["--writers", "1", "2", "--seconds", "0.2", "--calls", "1"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(beside, "WRITERS", 4)
        patch.setattr(beside, "STORMS", 1)
        patch.setattr(ours, "REBUILDS", 1)
        main([*small, *few, "--python", sys.executable, "--scratch", str(folder), "--json", str(folder / "kept.json")])
    return json.loads((folder / "kept.json").read_text("utf-8"))


def test_benchmark_measures_every_row(result: Any) -> None:
    assert [row["name"] for row in result["rows"]] == [row.name for row in rows("2026-11-01")]
    for row in result["rows"]:
        assert 0 < row["q1"] <= row["ms"] <= row["q3"]
        assert row["ratio"] == pytest.approx(row["ms"] / result["bare"]["ms"], abs=0.01)
        assert row["mb"] >= result["bare"]["mb"] * 0.9
    (rebuild,) = result["rebuild"]
    assert rebuild["s"] == sorted(rebuild["all"])[len(rebuild["all"]) // 2] > 0
    assert set(result["writers"]["writers"]) == {"1", "2"}
    assert set(result["mcp"]["tools"]) == {"recall", "remember", "list", "review"}
    for side in result["peers"]:
        assert side["kept"] == side["exit_0"] == [side["of"]]
        assert "why" not in side
        assert all(side["sizes"][str(MEMORIES)][what]["ms"] > 0 for what in ("write", "search"))


def test_a_slow_program_runs_in_every_nth_round(tmp_path: Path) -> None:
    jobs = [sampling.Job((name,), lambda _: bare, every=every) for name, every in (("quick", 1), ("slow", 4))]
    bare = process.Command(("/bin/sh", "-c", ":"), tmp_path)
    with process.Launcher(tmp_path) as launcher:
        plain = sampling.interleave(launcher, bare, jobs, 5)
    assert [len(runs) for runs in (plain, *(job.runs for job in jobs))] == [5, 5, 2]


def test_page_and_picture_match_the_results() -> None:
    result = json.loads(KEPT.read_text("utf-8"))
    page = (ROOT / "docs" / "performance.md").read_text("utf-8")
    assert table.put_into(page, result) == page, (
        "python -m benchmarks.speed.table benchmarks/results/performance.json docs/performance.md"
    )
    drawn = KEPT.with_suffix(".svg").read_text("utf-8")
    assert drawn == picture.picture(result), (
        "python -m benchmarks.speed.picture benchmarks/results/performance.json benchmarks/results/performance.svg"
    )


@pytest.mark.parametrize("language", beginning.PAGES)
def test_commands_of_the_first_steps_are_in_the_pages(language: str) -> None:
    readme, agents = ((beginning.ROOT / name).read_text("utf-8") for name in beginning.PAGES[language])
    (first,), (second,) = beginning.steps(readme, "run-command"), beginning.steps(readme, "test-command")
    assert "promptx-mem recall" in first.command
    assert second.command.rpartition("&&")[2].split()[0].endswith("pytest")
    assert first.line < second.line
    assert beginning.FACT in beginning.steps(agents, "runs")[0].command
