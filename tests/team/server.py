"""A real PostgreSQL for the tests, which create, start, kill and remove it.

It always runs as an ordinary user. Nothing is synced to the disk: a killed process loses nothing that it has written,
and these tests simulate no power cuts.
"""

import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Self

import psycopg

from tests.team import binaries, warden

_WARDEN = Path(warden.__file__)
_SETTINGS = """
listen_addresses = '127.0.0.1'
fsync = off
full_page_writes = off
max_connections = 80
shared_buffers = '64MB'
max_wal_size = '4GB'
autovacuum_naptime = '5s'
log_min_messages = warning
timezone = 'UTC'
"""


class Server:
    """One server. `dsn` names its socket, or TCP if `host` is `127.0.0.1`."""

    def __init__(self, programs: Path, settings: str = "") -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="team-", dir=tempfile.gettempdir()))
        self.user = _ordinary_user()
        if os.geteuid() == 0:
            os.chown(self.folder, self.user, self.user)
            if not _may_run(programs / "initdb", self.user):
                programs = binaries.copied(programs, self.folder / "programs")
        self.programs = programs
        self.port = warden.free_port()
        self._databases = 0
        command: list[str | Path] = [
            sys.executable,
            _WARDEN,
            self.folder,
            programs,
            str(self.port),
            str(self.user),
            _SETTINGS + settings,
        ]
        self._warden = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
        )
        self._expect("made")
        self.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop the server and remove its folder."""
        assert self._warden.stdin is not None
        assert self._warden.stdout is not None
        self._warden.stdin.close()
        self._warden.wait(90)
        self._warden.stdout.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self) -> None:
        self._send("start", "started")

    def stop(self, signal: str = "SIGINT") -> None:
        """End the server: SIGTERM waits for its clients, SIGINT disconnects them, SIGQUIT does not shut down cleanly."""
        self._send(f"stop {signal}", "stopped")

    def kill(self) -> None:
        """Kill every process of the server."""
        self._send("kill", "killed")

    def _send(self, command: str, answer: str) -> None:
        assert self._warden.stdin is not None
        self._warden.stdin.write(f"{command}\n")
        self._warden.stdin.flush()
        self._expect(answer)

    def _expect(self, answer: str) -> None:
        assert self._warden.stdout is not None
        line = self._warden.stdout.readline().strip()
        assert line == answer, f"the server: {line or 'its warden has exited'}"

    def dsn(self, database: str = "postgres", role: str = "postgres", host: str = "", **more: str) -> str:
        """Return the DSN of a database for a role."""
        place = {"host": host or str(self.folder), "port": str(self.port), "dbname": database, "user": role}
        return " ".join(f"{key}={value}" for key, value in (place | more).items())

    def connect(self, database: str = "postgres", role: str = "postgres", **more: Any) -> psycopg.Connection[Any]:
        """Connect through the socket; each statement is one transaction."""
        return psycopg.connect(self.dsn(database, role), autocommit=True, **more)

    def database(self, template: str = "template1") -> str:
        """Create a database as a copy of `template`. Return its name."""
        self._databases += 1
        name = f"team{self._databases}"
        with self.connect() as admin:
            admin.execute(f"CREATE DATABASE {name} TEMPLATE {template}".encode())
        return name


def _ordinary_user() -> int:
    return pwd.getpwnam("nobody").pw_uid if os.geteuid() == 0 else os.geteuid()


def _may_run(program: Path, user: int) -> bool:
    """Return whether an ordinary user may run a program: only root may be able to read its folder."""
    try:
        done = subprocess.run(
            [str(program), "--version"], capture_output=True, check=False, user=user, group=user, extra_groups=[]
        )
    except OSError:
        return False
    return done.returncode == 0
