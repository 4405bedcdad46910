"""A server whose disk is full in truth: a small file system below its tables, where this machine lets one be mounted."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.api import StoreError
from tests.team.histories import History
from tests.team.server import Server


@pytest.fixture
def small(server: Server) -> Iterator[Path]:
    """A file system of 40 MB that the server may write to."""
    place = server.folder / "small"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=40m,mode=0700", "tmpfs", str(place)]
    if os.geteuid() or subprocess.run(command, capture_output=True, check=False).returncode:
        place.rmdir()
        pytest.skip("no file system may be mounted here")
    os.chown(place, server.user, server.user)
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)
        place.rmdir()


def _fill(admin: "psycopg.Connection[tuple[object, ...]]") -> None:
    """Take up all the room that there is, to the last page."""
    admin.execute("CREATE TABLE public.filler (bytes bytea)")
    admin.execute("ALTER TABLE public.filler ALTER COLUMN bytes SET STORAGE PLAIN")
    for count in (1_000, 100, 10, 1):
        rows = f"SELECT convert_to(repeat('x', 7000), 'UTF8') FROM generate_series(1, {count})"
        for _ in range(100):
            try:
                admin.execute(f"INSERT INTO public.filler {rows}".encode())
            except psycopg.errors.DiskFull:
                break
        else:
            pytest.fail("it is not full")


def test_a_disk_that_is_full_loses_nothing(
    server: Server, small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    history = History(2, tmp_path, server, monkeypatch)
    try:
        with server.connect() as admin:
            admin.execute(f"CREATE TABLESPACE small LOCATION '{small}'".encode())
            admin.execute(f"ALTER DATABASE {history.tables.name} SET TABLESPACE small".encode())
        copy, other = history.copies[:2]
        copy.sync()
        with history.tables.admin() as admin:
            _fill(admin)
            texts = [copy.store(f"text {number} {os.urandom(1_500).hex()}") for number in range(12)]
            with pytest.raises(StoreError) as caught:
                copy.sync()
            assert caught.value.code == "server_full"
            assert "try again" in str(caught.value.hint)
            assert copy.acknowledged.keys() <= copy.states().keys()
            other.sync()
            admin.execute("DROP TABLE public.filler")
        history.check()
        assert set(texts) <= other.states().keys()
    finally:
        history.close()
        with server.connect() as admin:
            admin.execute(f"DROP DATABASE {history.tables.name} WITH (FORCE)".encode())
            admin.execute("DROP TABLESPACE IF EXISTS small")
