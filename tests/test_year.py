"""The page and the picture of the half year match its results, which have no failures."""

import json
from pathlib import Path

from benchmarks.year import figures, proof

BENCHMARKS = Path(__file__).resolve().parent.parent / "benchmarks"
KEPT = BENCHMARKS / "results" / "year.json"
PAGE = BENCHMARKS / "year" / "README.md"


def test_page_and_picture_match_the_results_without_failures() -> None:
    how = "python -m benchmarks.year.figures benchmarks/results/year.json benchmarks/year/README.md benchmarks/results/year.svg"
    results = json.loads(KEPT.read_text("utf-8"))
    page = PAGE.read_text("utf-8")
    assert figures.put_into(page, results) == page, how
    assert KEPT.with_suffix(".svg").read_text("utf-8") == figures.picture(results[figures.PLAIN]), how
    assert [result["days"] for result in results.values()] == [181] * 4
    assert [proof.failures(result["proof"], judge=result["judge"]) for result in results.values()] == [[]] * 4
    assert figures.failures(results) == []
