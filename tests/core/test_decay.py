"""Fading and expiry: the tables of decay.json that need no events, and properties."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptx_mem.core.state import ENDS_BELOW, FADING_BELOW, NEVER, ending, faded, falls_below, initial, rate, rounded
from promptx_mem.core.times import DAY

TABLE: dict[str, Any] = json.loads((Path(__file__).parents[1] / "conformance/decay.json").read_text("utf-8"))
NOW = 1_800_000_000.0

categories = st.sampled_from(["system", "core", "fact", "episode"])
durations = st.sampled_from(["短期", "中期", "长期", "永久", "30d", "2030-01-01"])
importances = st.floats(0, 4)


@pytest.mark.parametrize("row", TABLE["initial"], ids=str)
def test_initial_importance_depends_on_score_and_category(row: dict[str, Any]) -> None:
    assert initial(row["score"], row["category"]) == row["importance"]


@pytest.mark.parametrize("row", TABLE["effective"], ids=str)
def test_importance_fades_with_time(row: dict[str, Any]) -> None:
    left = faded(row["base"], row["category"], row["duration"], row["days"] * DAY)
    assert left == pytest.approx(row["importance"], abs=1e-6)


@pytest.mark.parametrize("row", TABLE["outcome"], ids=str)
def test_memory_is_active_until_its_end(row: dict[str, Any]) -> None:
    stored = NOW - row.get("stored_days_ago", 0) * DAY
    accessed = NOW - row.get("accessed_days_ago", 0) * DAY
    due = stored + 30 * DAY if row.get("duration") == "30d" else None
    ends_at, _ = ending(
        row.get("importance", 1.8),
        row["category"],
        row.get("duration", "短期"),
        accessed=accessed,
        since=stored,
        due=due,
    )
    assert (ends_at > NOW) is row["lives"]


def test_ending_returns_time_and_reason() -> None:
    def why(importance: float, category: str, duration: str, due: float | None = None) -> tuple[float, str | None]:
        return ending(importance, category, duration, accessed=0.0, since=0.0, due=due)

    assert why(1.8, "episode", "永久") == (14 * DAY, "expired")
    assert why(3.2, "episode", "短期") == (14 * DAY, "expired")
    assert why(1.8, "fact", "短期") == (42 * DAY, "faded")
    assert why(1.8, "fact", "30d", due=30 * DAY) == (30 * DAY, "expired")
    assert why(0.29, "fact", "30d", due=30 * DAY) == (0.0, "faded")
    assert why(0.29, "fact", "长期") == (0.0, "faded")
    assert why(3.0, "fact", "30d", due=30 * DAY) == (NEVER, None)
    assert why(0.1, "core", "30d", due=30 * DAY) == (NEVER, None)
    assert why(0.1, "system", "短期") == (NEVER, None)
    assert why(0.1, "fact", "永久") == (NEVER, None)


def test_tidy_makes_boosts_add_up() -> None:
    assert rounded(1.6 + 0.3 + 0.3 + 0.3) == 2.5
    assert initial(8.7, "fact") == 1.74


@given(importances, categories, durations, st.floats(0, 4000 * DAY), st.floats(0, 4000 * DAY))
def test_fading_never_raises_importance(importance: float, category: str, duration: str, a: float, b: float) -> None:
    early, late = sorted((a, b))
    assert (
        importance >= faded(importance, category, duration, early) >= faded(importance, category, duration, late) >= 0
    )


@given(importances, categories, durations, st.sampled_from([ENDS_BELOW, FADING_BELOW]))
def test_falls_below_returns_the_first_time(importance: float, category: str, duration: str, limit: float) -> None:
    after = falls_below(limit, importance, category, duration)
    if rate(importance, category, duration) is None:
        assert after == NEVER
    elif importance < limit:
        assert after == 0.0
    else:
        assert faded(importance, category, duration, after) < limit <= faded(importance, category, duration, after - 1)


@given(importances, st.sampled_from(["短期", "中期", "长期"]), st.integers(0, 2**52))
def test_fact_is_active_until_importance_is_below_limit(importance: float, duration: str, microseconds: int) -> None:
    accessed = 1.7e9 + microseconds / 1e6
    ends_at, _ = ending(importance, "fact", duration, accessed=accessed, since=accessed, due=None)
    if ends_at != NEVER:
        assert faded(importance, "fact", duration, ends_at - accessed) < ENDS_BELOW
        assert ends_at == accessed or faded(importance, "fact", duration, ends_at - 1 - accessed) >= ENDS_BELOW
