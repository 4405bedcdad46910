"""Sync with a real server, and its errors."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.api import PromptxMemError, Result, parse_event
from tests.inside import Binding
from tests.team.fake import Space
from tests.team.inside import Sync, binding, postgres, records
from tests.team.inside import team_setup as setup
from tests.team.inside import team_sync as team
from tests.team.team import Member, settle
from tests.team.team import members as made

pytest.importorskip("psycopg")
pytest.importorskip("tests.team.server")

ROLES = ("ada", "bob", "keeper", "outsider")


class Real(Member):
    """A copy bound to a space of a real server."""

    def reach(self, dsn: str) -> "Real":
        self.remember(f"the first of {self.role}")
        binding.note(self.memory.context.layout, Binding(dsn, "team"))
        return self

    def sync(self, *, accept: bool = False) -> Result[Sync]:
        return team.sync(self.memory.context, postgres.connect, accept=accept)


Make = Callable[[str], Real]


@pytest.fixture
def database(server: Any) -> str:
    """A database with the tables, and the roles of a team."""
    name: str = server.database()
    with server.connect() as admin:
        for role in ROLES:
            admin.execute(
                f"DO $$ BEGIN CREATE ROLE {role} LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$".encode()
            )
    assert setup.setup(server.dsn(name)) == "the tables were created: version 1"
    for role in ROLES[:3]:
        setup.grant(server.dsn(name), role, "team", "keeper" if role == "keeper" else None)
    return name


@pytest.fixture
def member(server: Any, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    made(tmp_path, Space(), monkeypatch)
    return lambda role: Real(tmp_path / role / ".memory", role, Space()).reach(server.dsn(database, role))


def test_row_that_commits_late_is_received(member: Make, server: Any, database: str) -> None:
    ada, bob = member("ada"), member("bob")
    settle(ada, bob)
    boost = parse_event(_BOOST.replace("ID", next(iter(ada.states()))))
    assert boost is not None
    taken = records.of_event(boost)
    assert taken is not None
    one = taken.record
    with server.connect(database, "ada") as slow, slow.transaction():
        values = ("team", one.kind, one.hash, one.id, list(one.ids), one.k, one.data)
        slow.execute(_INSERT, values)
        ada.remember("a later number, committed first")
        ada.sync()
        assert bob.sync().data["pulled"] == 0  # everything after the open transaction waits
    assert bob.sync().data["pulled"] == 2
    assert "a later number, committed first" in bob.recall()


_INSERT = b"""
INSERT INTO promptx_mem.records (space, kind, hash, id, ids, k, bytes) VALUES (%s, %s, %s, %s, %s, %s, %s)
"""
_BOOST = '{"k":1772366500000000,"host":"x","at":"2026-03-01T12:01:40+00:00","e":"boosted","id":"ID"}'


def test_tables_that_need_a_newer_program_are_refused(member: Make, server: Any, database: str) -> None:
    ada = member("ada")
    with server.connect(database) as admin:
        admin.execute("UPDATE promptx_mem.about SET version = 9")
        assert ada.sync().exit_status == 0  # newer tables that still support this program
        admin.execute("UPDATE promptx_mem.about SET oldest = 9")
    with pytest.raises(PromptxMemError) as caught:
        ada.sync()
    assert caught.value.code == "server_version"
    with pytest.raises(PromptxMemError):
        setup.setup(server.dsn(database))


def test_sync_fails_while_the_server_is_slow(member: Make, server: Any, database: str, monkeypatch: object) -> None:
    ada = member("ada")
    assert isinstance(monkeypatch, pytest.MonkeyPatch)
    monkeypatch.setattr(postgres, "LOCK_SECONDS", 1)
    with server.connect(database) as admin, admin.transaction():
        admin.execute("LOCK TABLE promptx_mem.records IN ACCESS EXCLUSIVE MODE")
        with pytest.raises(PromptxMemError) as caught:
            ada.sync()
    assert caught.value.code == "server_slow"
    assert ada.sync().data["pushed"] >= 1


def test_copies_agree_after_a_restored_dump(member: Make, server: Any, database: str) -> None:
    ada, bob = member("ada"), member("bob")
    settle(ada, bob)
    dump = server.database(database)
    ada.remember("after the dump")
    ada.sync()
    with server.connect() as admin:
        admin.execute(f"DROP DATABASE {database}".encode())
        admin.execute(f"ALTER DATABASE {dump} RENAME TO {database}".encode())
    assert ada.sync().data["pushed"] == 1
    with server.connect(database) as admin:  # as if the rows came from a server with many more transactions
        admin.execute("ALTER TABLE promptx_mem.records NO FORCE ROW LEVEL SECURITY")
        admin.execute("UPDATE promptx_mem.records SET xid = '900000000000'")
        admin.execute("ALTER TABLE promptx_mem.records FORCE ROW LEVEL SECURITY")
    with pytest.raises(PromptxMemError) as caught:
        ada.sync()
    assert caught.value.code == "server_restored"
    assert "restored dump" in setup.setup(server.dsn(database))
    ada.remember("after the restore")
    settle(ada, bob)
    assert ada.states() == bob.states()


def test_revoked_role_cannot_sync(member: Make, server: Any, database: str) -> None:
    ada = member("ada")
    ada.sync()
    assert setup.revoke(server.dsn(database), "ada", "team") == 1
    with pytest.raises(PromptxMemError) as caught:
        ada.sync()
    assert caught.value.code == "server_right"
    with pytest.raises(PromptxMemError) as caught:
        setup.grant(server.dsn(database), "nobody_such", "team")
    assert caught.value.code == "no_role"


def test_setup_accepts_tables_created_by_hand(server: Any) -> None:
    name = server.database()
    with server.connect(name) as admin:
        admin.execute(setup.sql().encode())
    assert setup.setup(server.dsn(name)) == "the tables already existed: version 1"


def test_password_is_not_in_the_list_of_processes(server: Any, database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = os.urandom(12).hex()
    monkeypatch.setenv("PGPASSWORD", secret)
    with postgres.connection(server.dsn(database, "ada")) as connection:
        connection.execute("SELECT 1")
        names = subprocess.run(["ps", "-eww", "-o", "args"], capture_output=True, text=True, check=False).stdout
    assert "postgres" in names
    assert secret not in names
