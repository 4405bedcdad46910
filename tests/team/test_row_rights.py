"""Rights: a role writes only what it was granted, with any statement."""

from typing import Any

import psycopg
import pytest
from psycopg import errors

from tests.tables import rows
from tests.team.secured import HIDDEN, MINE, SECRET, TABLES
from tests.team.server import Server
from tests.team.tables import Tables, record

NEW = ("line", "m_new", ["m_new"], 5, b"new")
_PUT = (
    "INSERT INTO promptx_mem.records (space, kind, hash, id, ids, k, bytes) VALUES (%s, %s, sha256(%s), %s, %s, %s, %s)"
)


def _put(session: psycopg.Connection[Any], space: str, values: tuple[Any, ...] = NEW) -> None:
    kind, ident, ids, k, data = values
    session.execute(_PUT.encode(), (space, kind, data, ident, ids, k, data))


def _all(tables: Tables) -> list[Any]:
    with tables.admin() as admin:
        return admin.execute("SELECT * FROM promptx_mem.records ORDER BY space, hash").fetchall()


WRITES = rows(__file__, "refused.sql")


@pytest.mark.parametrize("query", WRITES)
def test_member_cannot_run_statements_without_the_right(tables: Tables, query: str) -> None:
    before = _all(tables)
    words = {**tables.roles, "database": tables.name}
    text = (
        query.format(**words)
        if "{bob}" in query or "{alice}" in query or "{keeper}" in query or "{data" in query
        else query
    )
    *first, last = text.split("; ")
    with tables.session("alice") as session:
        for statement in first:
            session.execute(statement.encode())
        with pytest.raises(psycopg.Error) as caught:
            session.execute(last.encode())
    assert not isinstance(caught.value, errors.SyntaxError), caught.value
    assert SECRET not in str(caught.value)
    assert _all(tables) == before


def test_role_granted_to_another_does_not_pass_on_its_spaces(tables: Tables) -> None:
    tables.role("deputy", "mine")
    with tables.admin() as admin:
        admin.execute(f"GRANT {tables.roles['bob']} TO {tables.roles['deputy']}".encode())
    with tables.session("deputy") as session:
        assert session.execute("SELECT DISTINCT space FROM promptx_mem.records").fetchall() == [("mine",)]
        with pytest.raises(errors.InsufficientPrivilege):
            session.execute("SELECT * FROM promptx_mem.statistics('others', '{7}')")
        session.execute(f"SET ROLE {tables.roles['bob']}".encode())  # it is bob now, as granted
        assert session.execute("SELECT DISTINCT space FROM promptx_mem.records").fetchall() == [("others",)]
        assert session.execute("SELECT memories FROM promptx_mem.statistics('others', '{7}')").fetchall() == [(1,)]
        with pytest.raises(errors.InsufficientPrivilege):
            session.execute("SELECT * FROM promptx_mem.statistics('mine', '{7}')")


@pytest.mark.parametrize(
    ("columns", "values"), [("role", "'bob'"), ("at", "'2001-01-01'"), ("xid", "'3'"), ("seq", "3")]
)
def test_member_cannot_set_the_columns_of_the_server(alice: psycopg.Connection[Any], columns: str, values: str) -> None:
    with pytest.raises(errors.InsufficientPrivilege):
        alice.execute(
            f"INSERT INTO promptx_mem.records (space, kind, hash, id, ids, k, bytes, {columns}) "
            f"VALUES ('mine', 'line', sha256('x'), 'm_x', '{{m_x}}', 5, 'x', {values})".encode()
        )


def test_errors_for_other_spaces_are_all_alike(tables: Tables) -> None:
    with tables.session("alice") as session:
        said = []
        for space, data in (("others", SECRET.encode()), ("others", b"new"), ("nowhere", b"new")):
            with pytest.raises(errors.InsufficientPrivilege) as caught:
                _put(session, space, ("line", "m_x", ["m_x"], 5, data))
            said.append(str(caught.value))
            with pytest.raises(errors.InsufficientPrivilege) as caught:
                session.execute(
                    f"{_PUT} ON CONFLICT DO NOTHING".encode(), (space, "line", data, "m_x", ["m_x"], 5, data)
                )
            said.append(str(caught.value))
    assert len(set(said)) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"bytes": b"other bytes"},
        {"bytes": b""},
        {"bytes": b"x" * 65_537},
        {"hash": b"short"},
        {"kind": "else"},
        {"id": ""},
        {"id": "m_not_among_ids"},
        {"ids": []},
        {"k": 0},
        {"k": -5},
    ],
)
def test_invalid_record_is_refused(alice: psycopg.Connection[Any], change: dict[str, Any]) -> None:
    one = record("whole")
    fields = {"kind": one.kind, "hash": one.hash, "id": one.id, "ids": list(one.ids), "k": one.k, "bytes": one.data}
    fields |= change
    with pytest.raises((errors.CheckViolation, errors.InsufficientPrivilege)):
        alice.execute(
            "INSERT INTO promptx_mem.records (space, kind, hash, id, ids, k, bytes) "
            "VALUES ('mine', %(kind)s, %(hash)s, %(id)s, %(ids)s, %(k)s, %(bytes)s)",
            fields,
        )


def test_existing_record_is_neither_replaced_nor_duplicated(tables: Tables) -> None:
    mine = tables.space("alice", "mine")
    before = _all(tables)
    assert mine.put([MINE, MINE._replace(id="m_other", ids=("m_other",), k=99)]) == 0
    assert _all(tables) == before
    with tables.session("alice") as session, pytest.raises(psycopg.Error):
        session.execute(
            f"{_PUT} ON CONFLICT (space, hash) DO UPDATE SET k = 99".encode(),
            ("mine", "line", MINE.data, MINE.id, [MINE.id], 1, MINE.data),
        )
    assert _all(tables) == before


def test_revoked_grant_ends_open_sessions_access_at_once(tables: Tables) -> None:
    tables.role("leaver", "mine")
    with tables.session("leaver") as session:
        assert session.execute("SELECT count(*) FROM promptx_mem.records").fetchone() == (1,)
        with tables.admin() as admin:
            admin.execute("DELETE FROM promptx_mem.grants WHERE role = %s", [tables.roles["leaver"]])
        for table in ("records", "grants", "also"):
            assert session.execute(f"SELECT count(*) FROM promptx_mem.{table}".encode()).fetchone() == (0,)
        with pytest.raises(errors.InsufficientPrivilege):
            _put(session, "mine")
        with pytest.raises(errors.InsufficientPrivilege):
            session.execute("SELECT * FROM promptx_mem.statistics('mine', '{7}')")


@pytest.mark.parametrize("table", TABLES)
def test_role_without_grants_cannot_read_any_table(tables: Tables, table: str) -> None:
    with tables.session("stranger") as session, pytest.raises(errors.InsufficientPrivilege):
        session.execute(f"SELECT * FROM promptx_mem.{table}".encode())


def test_keeper_can_only_empty_records_of_its_spaces(server: Server) -> None:
    tables = Tables(server)
    tables.role("alice", "mine", "others")
    tables.role("keeper", "mine", kinds=("member", "keeper"))
    purge = record("a purge")._replace(kind="purge")
    tables.space("alice", "mine").put([MINE, purge])
    tables.space("alice", "others").put([HIDDEN])
    with tables.session("keeper") as session:
        changes = ("bytes = 'other'", "k = 1", "space = 'others'", "role = 'me'", "hash = sha256('')", "ids = '{m_x}'")
        for wrong in changes:
            with pytest.raises((errors.InsufficientPrivilege, errors.CheckViolation)):
                session.execute(f"UPDATE promptx_mem.records SET {wrong}".encode())
        for other in ("DELETE FROM promptx_mem.records", "TRUNCATE promptx_mem.records"):
            with pytest.raises(errors.InsufficientPrivilege):
                session.execute(other.encode())
        assert session.execute("UPDATE promptx_mem.records SET bytes = ''").rowcount == 1
    rows = {(row[0], row[1]): row[6] for row in _all(tables)}
    assert rows == {("mine", "line"): b"", ("mine", "purge"): b"a purge", ("others", "line"): HIDDEN.data}
    assert tables.space("alice", "mine").put([MINE]) == 0  # nobody brings them back
    assert {(row[0], row[1]): row[6] for row in _all(tables)}["mine", "line"] == b""
    tables.close()


def test_indexer_reads_its_spaces_and_writes_no_record(tables: Tables) -> None:
    with tables.session("indexer") as session:
        for table in ("records", "derived", "derived_terms", "derived_spaces", "derived_due"):
            rows = session.execute(f"SELECT space FROM promptx_mem.{table}".encode()).fetchall()
            assert rows == [("mine",)], table
        with pytest.raises(errors.InsufficientPrivilege):
            _put(session, "mine")
        for table in ("derived", "derived_due"):
            gone = session.execute(f"DELETE FROM promptx_mem.{table} WHERE space = 'others'".encode())
            assert gone.rowcount == 0
        with pytest.raises(errors.InsufficientPrivilege):
            session.execute("INSERT INTO promptx_mem.derived VALUES ('others', 'm_9', 1, 1, 1, 1, 1, '{}')")
        with pytest.raises(errors.InsufficientPrivilege):
            session.execute("UPDATE promptx_mem.derived_spaces SET memories = 9")
        with pytest.raises(errors.InsufficientPrivilege):
            session.execute("UPDATE promptx_mem.derived_terms SET docs = 9")
