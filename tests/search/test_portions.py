"""Many values in statements of few lengths."""

from __future__ import annotations

import pytest

from promptx_mem.search.postings import portions


@pytest.mark.parametrize("size", [0, 1, 15, 16, 17, 479, 480, 481, 2_000])
def test_every_value_is_asked_for_in_order_and_nothing_else(size: int) -> None:
    asked = [value for _, some in portions(range(size)) for value in some]
    assert list(dict.fromkeys(asked)) == list(range(size))


def test_statements_have_few_lengths_and_a_mark_for_each_value() -> None:
    every = [part for size in range(1, 2_000) for part in portions(range(size))]
    assert all(marks.split(",") == ["?"] * len(some) for marks, some in every)
    assert len({marks for marks, _ in every}) <= 30
    assert max(len(some) for _, some in every) + 100 < 999  # what SQLite before 3.32 takes
