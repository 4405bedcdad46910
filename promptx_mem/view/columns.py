"""Columns of a page: 40,000 memories name no key 40,000 times, and no value more often than it is needed."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Column = list[Any] | dict[str, Any]
"""A value for each memory; or `{"same": value}` for all; or `{"words": values, "of": numbers}`: which of few it has."""

_FEW = 0.5
"""Of the rows: fewer different values than these are named once, and then by their number."""


def columns(rows: Sequence[Mapping[str, Any]], keys: Iterable[str]) -> dict[str, Column]:
    """Turn rows into columns."""
    return {key: column([row[key] for row in rows]) for key in keys}


def column(values: list[Any]) -> Column:
    """Write a column the shortest way. Values are equal where their JSON is: 1 is neither 1.0 nor true."""
    names = [json.dumps(value, ensure_ascii=False) for value in values]
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    if len(numbers) == 1:
        return {"same": values[0]}
    if len(numbers) >= len(values) * _FEW:
        return values
    return {"words": [json.loads(name) for name in numbers], "of": [numbers[name] for name in names]}
