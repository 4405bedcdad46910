"""One PostgreSQL for all tests of a process."""

import os
from collections.abc import Iterator

import pytest

from tests.team import binaries
from tests.team.server import Server


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A server that runs; with CI set it has to be there."""
    programs = binaries.find()
    if programs is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(binaries.HOW)
    with Server(programs) as one:
        yield one
