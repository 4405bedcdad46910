"""The scoring table, through the commands."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.inside import app

TABLE: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "conformance" / "scoring.json").read_text(encoding="utf-8")
)


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def _run(capfd: pytest.CaptureFixture[str], status: int, *arguments: str) -> Any:
    assert app.run([*arguments, "--json"]) == status
    return json.loads(capfd.readouterr().out)


@pytest.mark.parametrize("case", TABLE["cases"], ids=lambda case: "-".join(map(str, case["dims"])))
@pytest.mark.parametrize("profile", ["execution", "declarative", "declarative_explicit"])
def test_score(case: dict[str, Any], profile: str, capfd: pytest.CaptureFixture[str]) -> None:
    name, _, explicit = profile.partition("_")
    flags = ["--explicit"] if explicit else []
    out = _run(capfd, 0, "score", ",".join(map(str, case["dims"])), "--profile", name, *flags)
    assert out["score"] == case[profile]
    total = sum(term["product"] for term in out["terms"]) / out["divisor"] + out["bonus"]
    assert min(total, 10) == pytest.approx(out["score"], abs=0.0501)


@pytest.mark.parametrize("case", TABLE["sub_questions"], ids=lambda case: case["given"])
def test_sub_questions(case: dict[str, Any], capfd: pytest.CaptureFixture[str]) -> None:
    terms = _run(capfd, 0, "score", case["given"])["terms"]
    assert [term["value"] for term in terms] == case["dims"]


@pytest.mark.parametrize("dims", TABLE["bad"])
def test_bad(dims: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert _run(capfd, 2, "score", dims)["error"]["code"] == "usage"


@pytest.mark.parametrize("row", TABLE["verdict"], ids=lambda row: "-".join(map(str, row.values())))
def test_verdict(row: dict[str, Any], tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / ".memory").mkdir()
    (tmp_path / ".memory" / "config.yaml").write_text(f"policy: {row['policy']}\n", encoding="utf-8")
    score = [] if row["score"] is None else ["--score", str(row["score"])]
    explicit = ["--explicit"] if row.get("explicit") else []
    out = _run(
        capfd, 0 if row["stored"] else 1, "remember", "a fact", "-t", "tag", "--reason", "why", *score, *explicit
    )
    if row["stored"]:
        assert any("stored; score" in warning for warning in out["warnings"]) is row.get("warned", False)
        assert out["score"] == row.get("final_score", row["score"])
    else:
        assert (out["violations"] == 1) is row["violation"]
