"""The page and the picture of the half year say what its results say, and these are as they should be."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks.year import figures, proof
from benchmarks.year.person import CORRECTED, DECISIONS, IDENTITY

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


def answering(texts: Callable[[str], list[str]]) -> Callable[..., list[Any]]:
    """Return a recall that finds some texts for a question."""
    return lambda _, question, *_more: [{"text": text, "slice": None} for text in texts(question)]


def test_the_figures_with_bounds_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    facts = [*IDENTITY, *DECISIONS, *(fact for pair in CORRECTED for fact in pair)]
    texts = {fact.question: fact.text for fact in (*IDENTITY, *DECISIONS)}
    second, prompted = {fact.question for fact in IDENTITY[:3]}, {fact.question for fact in DECISIONS[:4]}
    monkeypatch.setattr(
        proof, "_recall", answering(lambda question: ["other"] * (question in second) + [texts.get(question, "no")])
    )
    blocks = dict.fromkeys(prompted, "a cat (m_0123456789)") | {IDENTITY[0].question: ""}
    monkeypatch.setattr(proof, "_hook", lambda *row: blocks.get(row[-1]["prompt"], f"{texts[row[-1]['prompt']]} (m_1)"))
    questions = proof._questions(Path(), facts, 0)
    assert [questions[kind]["first"] for kind in ("identity", "decisions", "corrected")] == [9, 10, 0]
    assert {kind: row["unrelated"] for kind, row in questions.items() if "unrelated" in row} == {
        "identity, by hook prompt": 0,
        "decisions, by hook prompt": 4,
    }
    old, new = ({pair[1].question: pair[number].text for pair in CORRECTED} for number in (0, 1))
    monkeypatch.setattr(proof, "_recall", answering(lambda question: [old[question], new[question]]))
    assert proof._older_above(Path(), facts) == 2
    monkeypatch.setattr(proof, "_recall", answering(lambda question: [new[question], old[question]]))
    assert proof._older_above(Path(), facts) == 0

    shown = {"identity": 12, "identity_in_index": 12, "identity_in_context": 11, "context": 30}
    result = {"seed": 7, "proof": {**shown, "older_above": 1, "corrected": 2, "questions": questions}}
    assert figures.bounds([result, {**result, "seed": 8}]).splitlines()[-4:] == [
        "| memories that `recall -n 30` shows | 30 | 30 |",
        "| questions answered first | 19 of 28 | 19 of 28 |",
        "| an older value above the newer | 1 of 2 | 1 of 2 |",
        "| prompts that got only unrelated memories | 4 of 22 | 4 of 22 |",
    ]
