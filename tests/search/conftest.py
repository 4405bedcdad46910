"""What several tests of searching begin with."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from tests.search.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def store(request: pytest.FixtureRequest) -> Iterator[Store]:
    """An index over the TEXTS of the module that asks."""
    made = Store()
    with closing(made.db):
        made.texts(list(request.module.TEXTS))
        yield made
