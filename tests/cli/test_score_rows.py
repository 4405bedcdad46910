"""The scoring table of the specification, through `remember`."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.inside import app

TABLE: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "conformance" / "scoring.json").read_text(encoding="utf-8")
)


@pytest.fixture(autouse=True)
def _working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def _run(capfd: pytest.CaptureFixture[str], status: int, *arguments: str) -> Any:
    assert app.run([*arguments, "--json"]) == status
    return json.loads(capfd.readouterr().out)


@pytest.mark.parametrize("row", TABLE["verdict"], ids=lambda row: "-".join(map(str, row.values())))
def test_verdict_matches_the_table(row: dict[str, Any], tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / ".memory").mkdir()
    (tmp_path / ".memory" / "config.yaml").write_text(f"policy: {row['policy']}\n", encoding="utf-8")
    score = [] if row["score"] is None else ["--score", str(row["score"])]
    explicit = ["--explicit"] if row.get("explicit") else []
    out = _run(
        capfd, 0 if row["stored"] else 1, "remember", "a fact", "-t", "tag", "--reason", "why", *score, *explicit
    )
    if row["stored"]:
        assert any("is below the recommended" in warning for warning in out["warnings"]) is row.get("warned", False)
        assert out["score"] == row.get("final_score", row["score"])
    else:
        assert (out["violations"] == 1) is row["violation"]


@pytest.mark.parametrize("policy", ["standard", "strict"])
@pytest.mark.parametrize("explicit", [[], ["--explicit"]], ids=str)
@pytest.mark.parametrize("dims", ["10,10,10,2,10,10", "10,10,10,3,10,10", "6,6,6,6,6,6", "6,6,6,2,6,6", "1,1,1,1,1,1"])
def test_score_gives_the_verdict_of_remember(
    dims: str, explicit: list[str], policy: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / ".memory").mkdir()
    (tmp_path / ".memory" / "config.yaml").write_text(f"policy: {policy}\n", encoding="utf-8")
    scored = _run(capfd, 0, "score", dims, *explicit)
    is_stored = scored["verdict"] == "stored"
    stored = _run(capfd, 0 if is_stored else 1, "remember", "a fact", "-t", "tag", "--dims", dims, *explicit)
    assert stored["verdict"] == scored["verdict"]
    if is_stored:
        assert stored["score"] == scored["final_score"]
        assert any("is below the recommended" in warning for warning in stored["warnings"]) is scored["warned"]
    assert ("verify it before" in str(scored["warnings"])) is ("'not_credible'" in str(stored))
