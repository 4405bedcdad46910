"""Row level security: no query of a role reads or counts a row of another space."""

from typing import Any

import psycopg
import pytest
from psycopg import errors

from tests.tables import rows
from tests.team.secured import HIDDEN, PARTITIONED, SECRET, TABLES
from tests.team.tables import Tables, record

READS = rows(__file__, "reads.sql")


@pytest.mark.parametrize("query", READS)
def test_queries_return_no_row_of_another_space(alice: psycopg.Connection[Any], query: str) -> None:
    answer = []
    try:
        answer = [str(row) for row in alice.execute(query.encode())]
    except psycopg.Error as error:
        answer = [str(error).replace(query, "")]
    assert not [line for line in answer if "others" in line or SECRET in line]


def test_copy_statement_returns_no_row_of_another_space(alice: psycopg.Connection[Any]) -> None:
    for source in ("promptx_mem.records", "(SELECT * FROM promptx_mem.records)"):
        with alice.cursor() as cursor, cursor.copy(f"COPY {source} TO STDOUT".encode()) as copy:
            data = b"".join(map(bytes, copy))
        assert data.count(b"\n") == data.count(b"mine\t")
        assert b"others" not in data


def _where(condition: str) -> str:
    return f"SELECT count(*) FROM promptx_mem.records WHERE {condition}"


@pytest.mark.parametrize(
    "query",
    [
        "SELECT count(*) FROM promptx_mem.records",
        _where("space IN ('mine', 'others')"),
        _where("EXISTS (SELECT FROM promptx_mem.records AS r WHERE r.hash = records.hash)"),
        "SELECT count(*) FILTER (WHERE true) FROM promptx_mem.records",
        "SELECT count(DISTINCT (space, hash)) FROM promptx_mem.records",
        "SELECT max(n) FROM (SELECT row_number() OVER () AS n FROM promptx_mem.records) AS r",
    ],
)
def test_counts_exclude_rows_of_other_spaces(alice: psycopg.Connection[Any], query: str) -> None:
    assert alice.execute(query.encode()).fetchone() == (1,)


LEAKS = [
    _where("1 / (CASE WHEN space = 'others' THEN 0 ELSE 1 END) = 1"),
    _where("convert_from(bytes, 'UTF8')::text::int = 1 AND space = 'others'"),
    "SELECT pg_temp.tell(space, bytes) FROM promptx_mem.records",
    "SELECT * FROM promptx_mem.records WHERE pg_temp.tell(space, bytes)",
    "SELECT * FROM promptx_mem.records AS r JOIN public.open_to_all AS o ON pg_temp.tell(r.space, r.bytes)",
    "SELECT * FROM pg_temp.seen WHERE pg_temp.tell(space, bytes)",
    "UPDATE public.open_to_all SET space = '' FROM promptx_mem.records AS r WHERE pg_temp.tell(r.space, r.bytes)",
]


@pytest.mark.parametrize("query", LEAKS)
def test_functions_in_queries_receive_no_hidden_row(tables: Tables, query: str) -> None:
    heard: list[str] = []
    with tables.session("alice") as session:
        session.add_notice_handler(lambda notice: heard.append(str(notice.message_primary)))
        session.execute(
            "CREATE FUNCTION pg_temp.tell(text, bytea) RETURNS boolean COST 0.0000001 LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE NOTICE '% %', $1, encode($2, 'escape'); RETURN true; END $$"
        )
        session.execute("CREATE VIEW pg_temp.seen AS SELECT space, bytes FROM promptx_mem.records")
        try:
            session.execute(query.encode())
        except psycopg.Error as error:
            heard += [str(error), *(["others"] if isinstance(error, errors.DivisionByZero) else [])]
    assert not [line for line in heard if SECRET in line or line.startswith("others")]


def test_planner_estimates_do_not_show_if_a_space_has_rows(tables: Tables) -> None:
    tables.space("bob", "others").put([record(f"text {number}") for number in range(1_000)])
    with tables.admin() as admin:
        admin.execute("ANALYZE")
        names = ["others", *(f"empty{number}" for number in range(100))]
        query = (
            "SELECT part, name FROM unnest(%s::text[]) AS name, generate_series(0, 15) AS part "
            "WHERE satisfies_hash_partition('promptx_mem.records'::regclass, 16, part, name)"
        )
        parts = {name: part for part, name in admin.execute(query, [names])}
    empty = next(name for name in names[1:] if parts[name] == parts["others"])
    estimates = []
    with tables.session("alice") as session:
        for space in ("others", empty):
            for column, value in (("space", space), ("id", HIDDEN.id), ("kind", "line")):
                query = f"EXPLAIN (FORMAT JSON) SELECT FROM promptx_mem.records WHERE space = %s AND {column} = %s"
                row = session.execute(query.encode(), (space, value)).fetchone()
                assert row is not None
                estimates.append(row[0][0]["Plan"]["Plan Rows"])
    assert estimates[:3] == estimates[3:]


def test_member_cannot_grant_rights_to_others(tables: Tables) -> None:
    with tables.session("alice") as session:
        session.execute("GRANT SELECT ON promptx_mem.records TO PUBLIC")  # a warning
    with tables.session("stranger") as session, pytest.raises(errors.InsufficientPrivilege):
        session.execute("SELECT * FROM promptx_mem.records")


def test_every_table_has_a_policy_or_is_inaccessible(tables: Tables) -> None:
    with tables.admin() as admin:
        rows = admin.execute(
            "SELECT relname, relrowsecurity FROM pg_class WHERE relnamespace = 'promptx_mem'::regnamespace "
            "AND relkind IN ('r', 'p')"
        ).fetchall()
        open_ = admin.execute(
            "SELECT c.relname FROM pg_class AS c WHERE c.relnamespace = 'promptx_mem'::regnamespace AND c.relkind = 'r' "
            "AND NOT c.relrowsecurity AND EXISTS (SELECT FROM unnest(%s::text[]) AS r WHERE "
            "has_table_privilege(r, c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER'))",
            [list(tables.roles.values())],
        ).fetchall()
    assert {name for name, secure in rows if secure} == set(TABLES)
    assert open_ == []
    assert len(rows) == len(TABLES) + 16 * len(PARTITIONED)
