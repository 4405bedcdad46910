"""The numbers of docs/design.md: each row names a constant and its value, and no number of a rule is missing there."""

import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from tests import ranking_table
from tests.inside import ranking

PAGE = Path(__file__).parents[1] / "docs" / "design.md"
SECONDS = {"hour": 3_600.0, "hours": 3_600.0, "day": 86_400.0, "days": 86_400.0}
MODULES = (
    "core.state", "core.fold", "core.scoring", "usecases.gate", "store.audit", "search.candidates", "search.postings",
    "core.digest", "core.state",
)  # fmt: skip
"""Modules whose numbers are all rules, except those in `INTERNAL`."""

INTERNAL = {
    "core.state._CREDIBILITY", "core.state.MOST_FOREIGN",
    "core.state._TICK", "core.state._PLACES", "core.state.NEVER", "core.scoring._UNIT",
    "core.scoring._MAX", "core.digest._WARNING_LINES", "search.candidates._SCAN", "search.candidates._BEGINNING", "search.candidates.BUDGET",
    "search.candidates.WORDS", "search.candidates.PROMOTED", "search.passages._PORTION",
    "core.scoring._REVERSED", "usecases.gate._CREDIBILITY", "store.audit._BLOCK",
    "usecases.gate.MOST_CONFLICTS", "search.postings.PAGE", "search.postings.BLOCK",
    "search.postings.SEGMENTS", "search.postings.FOLLOWS", "search.postings.LONGEST",
    "search.candidates.FOUND",
    "search.candidates.FOUND_LEAST", "core.digest.TEXT_LENGTH", "core.digest._TOPIC_LENGTH",
    "core.digest._TAG_LENGTH", "core.digest._TAGS",
}  # fmt: skip
"""Numbers that only affect computation or display, or that no user notices."""


def _rows(text: str) -> list[tuple[str, str, list[str]]]:
    """Return the rule, the value and the constants of each row."""
    out = []
    for line in text.split("\n"):
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        names = re.findall(r"`([a-z_.]+\.[A-Z_0-9]+)`", cells[2]) if len(cells) == 5 else []
        if names:
            out.append((cells[0], cells[1], names))
    return out


ROWS = _rows(PAGE.read_text(encoding="utf-8"))


def _constant(name: str) -> Any:
    module, _, attribute = name.rpartition(".")
    return getattr(importlib.import_module(f"promptx_mem.{module}"), attribute)


def _numbers(value: Any) -> Iterator[float]:
    if isinstance(value, dict):
        for one in value.values():
            yield from _numbers(one)
    elif isinstance(value, tuple | list):
        for one in value:
            yield from _numbers(one)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield abs(float(value))


def _matches(value: str, constants: list[Any]) -> bool:
    """Return whether the constants contain the numbers of a cell, in its order; times also in seconds."""
    numbers = [
        float(number.replace(",", "")) for number in re.findall(r"[0-9][0-9,]*(?:\.[0-9]+)?", re.sub(", ", " ", value))
    ]
    unit = next((SECONDS[word] for word in value.split() if word in SECONDS), 1.0)
    there = list(_numbers(constants))
    return bool(numbers) and any(
        there[start : start + len(numbers)] == [number * by for number in numbers]
        for by in (1.0, unit)
        for start in range(len(there))
    )


def test_constants_have_the_values_of_the_page() -> None:
    for rule, value, names in ROWS:
        assert _matches(value, [_constant(name) for name in names]), f"{rule}: {[_constant(name) for name in names]}"


def test_page_lists_every_number_of_the_rules() -> None:
    named = {name for _, _, names in ROWS for name in names} | INTERNAL
    missing = [
        f"{module}.{name}"
        for module in MODULES
        for name, value in _constants_of(importlib.import_module(f"promptx_mem.{module}"))
        if list(_numbers(value)) and f"{module}.{name}" not in named
    ]
    assert not missing


def _constants_of(module: ModuleType) -> list[tuple[str, Any]]:
    """Return the constants that a module assigns."""
    assert module.__file__ is not None
    text = Path(module.__file__).read_text(encoding="utf-8")
    names = {name for line in text.split("\n") for name in re.findall(r"^([A-Z_0-9, ]+)(?::[^=]+)? = ", line)}
    return [(name.strip(), getattr(module, name.strip())) for line in names for name in line.split(",")]


def test_table_of_signals_is_current_and_names_are_unique() -> None:
    text = ranking_table.FILE.read_text("utf-8")
    assert ranking_table.page(text) == text
    names = [one.name for one in ranking.SIGNALS]
    assert len(set(names)) == len(names)
