"""The page and the picture of the half year say what its results say, and these are as they should be."""

import json
from pathlib import Path

from benchmarks.year import figures, proof

BENCHMARKS = Path(__file__).resolve().parent.parent / "benchmarks"
KEPT = BENCHMARKS / "results" / "year.json"
PAGE = BENCHMARKS / "year" / "README.md"


def test_the_page_and_the_picture_agree_with_the_results() -> None:
    how = "python -m benchmarks.year.figures benchmarks/results/year.json benchmarks/year/README.md benchmarks/results/year.svg"
    results = json.loads(KEPT.read_text("utf-8"))
    page = PAGE.read_text("utf-8")
    assert figures.put_into(page, results) == page, how
    assert KEPT.with_suffix(".svg").read_text("utf-8") == figures.picture(results[figures.PLAIN]), how
    assert [result["days"] for result in results.values()] == [181] * 4
    assert [proof.failures(result["proof"], judge=result["judge"]) for result in results.values()] == [[]] * 4
    assert figures.failures(results) == []
