"""One PostgreSQL for all tests of a process, and members with copies of a space in memory."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.team import binaries
from tests.team.fake import Space
from tests.team.histories import History
from tests.team.secured import secured
from tests.team.server import Server
from tests.team.tables import Tables
from tests.team.team import Make, members


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A running server. If it is missing, the tests are skipped, or fail if CI is set."""
    programs = binaries.find()
    if programs is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(binaries.HOW)
    # Background work such as ANALYZE would delay the newest rows. Tests of such delays open a transaction.
    with Server(programs, "autovacuum = off\n") as one:
        yield one


@pytest.fixture(scope="module")
def tables(server: Server) -> Iterator[Tables]:
    """A database with two spaces; `alice` may read one."""
    yield from secured(server)


@pytest.fixture
def alice(tables: Tables) -> Iterator[psycopg.Connection[Any]]:
    with tables.session("alice") as session:
        yield session


@pytest.fixture
def history(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[History]:
    """A team without any changes yet."""
    one = History(1, tmp_path, server, monkeypatch)
    yield one
    one.close()


@pytest.fixture
def space() -> Space:
    return Space()


@pytest.fixture
def member(tmp_path: Path, space: Space, monkeypatch: pytest.MonkeyPatch) -> Make:
    return members(tmp_path, space, monkeypatch)
