"""Fixtures of the search tests."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from tests.search.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def empty() -> Iterator[Store]:
    made = Store()
    with closing(made.db):
        yield made


@pytest.fixture
def store(empty: Store, request: pytest.FixtureRequest) -> Store:
    """An index of the TEXTS of the test module."""
    empty.texts(list(request.module.TEXTS))
    return empty
