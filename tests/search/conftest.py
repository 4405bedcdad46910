"""What several tests of searching begin with."""

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
    """An index over the TEXTS of the module that asks."""
    empty.texts(list(request.module.TEXTS))
    return empty
