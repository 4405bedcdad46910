"""The page and the picture of the half year say what its results say, and these are as they should be."""

import json
from pathlib import Path

from benchmarks.year import figures, proof

KEPT = Path(__file__).resolve().parent.parent / "docs" / "year.json"


def test_the_page_and_the_picture_agree_with_the_results() -> None:
    how = "python -m benchmarks.year.figures docs/year.json docs/year.md docs/year.svg"
    results = json.loads(KEPT.read_text("utf-8"))
    page = KEPT.with_suffix(".md").read_text("utf-8")
    assert figures.put_into(page, results) == page, how
    assert KEPT.with_suffix(".svg").read_text("utf-8") == figures.picture(results[figures.PLAIN]), how
    assert [result["days"] for result in results.values()] == [181] * 4
    assert [proof.failures(result["proof"], judge=result["judge"]) for result in results.values()] == [[]] * 4
    assert figures.failures(results) == []
