"""Freshness: the table freshness.json (all except "truncate") and its configuration."""

import json
from pathlib import Path
from typing import Any

import pytest

from promptx_mem.core.description import sentence
from promptx_mem.core.digest import annotation
from promptx_mem.core.durations import parse_threshold
from promptx_mem.core.state import Freshness, age_text, old_age, threshold_for
from promptx_mem.errors import ConfigError
from promptx_mem.store.settings import of_store
from tests.tables import rows

TABLE: dict[str, Any] = json.loads((Path(__file__).parents[1] / "conformance/freshness.json").read_text("utf-8"))
NOW = 1_800_000_000.0


AMOUNTS = "is not an age; write an amount such as 30m, 24h, 7d, 2w or 6mo, or 0 (always warn), or null (never)"
TYPES = "freshness.types.user, freshness.types.feedback, freshness.types.project, freshness.types.reference"


def configured(section: object) -> Freshness:
    found: Freshness = of_store("config.yaml", json.dumps({"freshness": section}).encode())["freshness"]
    return found


@pytest.mark.parametrize("row", TABLE["annotation"], ids=str)
def test_annotation_shows_the_age_of_old_memories(row: dict[str, Any]) -> None:
    assert annotation(NOW - row["age"], row["threshold"], NOW) == row["text"]


@pytest.mark.parametrize(("age", "text"), TABLE["age_text"])
def test_age_is_written_in_words(age: float, text: str) -> None:
    assert age_text(age) == text


@pytest.mark.parametrize("row", TABLE["should_warn"], ids=str)
def test_warning_depends_on_age_and_threshold(row: dict[str, Any]) -> None:
    modified = NOW - row["age"] if "age" in row else row["modified"]
    assert bool(old_age(modified, row["threshold"], NOW)) is row["warn"]


@pytest.mark.parametrize("row", TABLE["types"]["cases"], ids=str)
def test_warning_depends_on_the_type(row: dict[str, Any]) -> None:
    config = configured(TABLE["types"]["config"])
    assert bool(old_age(NOW - row["age"], threshold_for(config, row["type"]), NOW)) is row["warn"]


def test_reminder_contains_the_warning() -> None:
    row = TABLE["note"]
    warning = sentence(NOW - row["age"], row["threshold"], NOW)
    assert f"<system-reminder>\n{warning}\n</system-reminder>" == row["text"]


@pytest.mark.parametrize(("value", "seconds"), rows(__file__, "thresholds.jsonl"))
def test_thresholds_are_parsed(value: object, seconds: float | None) -> None:
    assert parse_threshold(value) == seconds


@pytest.mark.parametrize(
    "value",
    ["", "never", "1.5h", "-1h", "0h", "3", 3, -1, 2.5, True, False, [], {}, "2026-12-31", "长期", float("nan")],
)  # fmt: skip
def test_invalid_thresholds_are_rejected(value: object) -> None:
    with pytest.raises(ValueError, match="write an amount such as 30m"):
        parse_threshold(value)


@pytest.mark.parametrize(
    ("section", "message", "hint"),
    [
        ("24h", "freshness: '24h'", "allowed: a mapping with threshold, types"),
        ({"treshold": 0}, "unknown key freshness.treshold", "allowed: freshness.threshold, freshness.types"),
        ({"threshold": "soon"}, f"freshness.threshold: 'soon' {AMOUNTS}", "fix config.yaml"),
        ({"types": {"users": 0}}, "unknown key freshness.types.users", f"allowed: {TYPES}"),
        ({"types": {"user": "x"}}, f"freshness.types.user: 'x' {AMOUNTS}", "fix config.yaml"),
        (
            {"types": ["user"]},
            "freshness.types: ['user']",
            "allowed: a mapping with user, feedback, project, reference",
        ),
        ({1: 2}, "unknown key freshness.1", "allowed: freshness.threshold, freshness.types"),
    ],
)
def test_invalid_configuration_error_names_key_and_allowed_values(section: object, message: str, hint: str) -> None:
    with pytest.raises(ConfigError) as caught:
        configured(section)
    assert (caught.value.message, caught.value.hint) == (f"config.yaml: {message}", hint)
