"""Columns: read back they are what was written, and the short forms are short."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.inside import column
from tests.view.pages import unpacked

VALUES = st.sampled_from(
    [None, True, 1, 1.0, 0, False, 0.0, "", "1", "同", "\u2028", [], ["a"], ["a", "b"], [0.95, 30], [{"e": "boosted"}]]
)


@given(st.lists(VALUES, min_size=1, max_size=30))
def test_a_column_is_read_back_as_it_was(values: list[Any]) -> None:
    """To the letter: 1 is neither 1.0 nor true."""
    written = json.loads(json.dumps(column(values)))
    assert json.dumps(unpacked(written, len(values))) == json.dumps(values)


def test_one_value_few_values_and_many() -> None:
    assert column([None, None]) == {"same": None}
    assert column(["a", "b", "a", "a", "b"]) == {"words": ["a", "b"], "of": [0, 1, 0, 0, 1]}
    assert column(["a", "b", "a", "a"]) == ["a", "b", "a", "a"]
    assert column([]) == []
