"""What is said to the server. Each statement names the space, so that it needs one partition and one index."""

BOUNDS = (
    "SET statement_timeout = '{}s'; SET lock_timeout = '{}s'; SET idle_in_transaction_session_timeout = '60s'; "
    "SET client_encoding = 'UTF8'; SET search_path = pg_catalog"
)

ABOUT = """
SELECT current_user AS role, version, oldest, born,
    (SELECT system_identifier FROM pg_control_system()) || '.' ||
    (SELECT timeline_id FROM pg_control_checkpoint()) AS life
FROM promptx_mem.about
"""

GRANTED = "SELECT EXISTS (SELECT FROM promptx_mem.grants WHERE space = %(space)s AND role = current_user) AS granted"

# After a dump was restored elsewhere, rows carry transaction ids from the future of that server.
RESTORED = """
SELECT EXISTS (
    SELECT FROM promptx_mem.records
    WHERE space = %(space)s AND xid >= pg_snapshot_xmax(pg_current_snapshot())
) AS restored
"""

_COLUMNS = "kind, hash, id, ids, k, bytes, role, xid::text, seq"

HAVE = "SELECT hash FROM promptx_mem.records WHERE space = %(space)s AND hash = ANY (%(hashes)s)"

PUT = """
INSERT INTO promptx_mem.records (space, kind, hash, id, ids, k, bytes)
SELECT %(space)s, kind, hash, id, ids::text[], k, bytes
FROM unnest(
    %(kinds)s::text[], %(hashes)s::bytea[], %(names)s::text[], %(ids)s::text[], %(ks)s::bigint[], %(data)s::bytea[]
)
AS new (kind, hash, id, ids, k, bytes)
ON CONFLICT DO NOTHING
"""

# By `records.xid`: a bare `xid` would be the text that is selected, for which 1000 stands before 999.
_BEHIND = """
    AND (xid, seq) > (%(xid)s::xid8, %(seq)s) AND xid < pg_snapshot_xmin(pg_current_snapshot())
ORDER BY records.xid, records.seq LIMIT %(most)s
"""

TAIL = f"SELECT {_COLUMNS} FROM promptx_mem.records WHERE space = %(space)s {_BEHIND}"  # noqa: S608 - constants

PURGES = f"SELECT {_COLUMNS} FROM promptx_mem.records WHERE space = %(space)s AND kind = 'purge' {_BEHIND}"  # noqa: S608 - constants

BY_HASH = f"SELECT {_COLUMNS} FROM promptx_mem.records WHERE space = %(space)s AND hash = ANY (%(hashes)s)"  # noqa: S608 - constants

# Not by `ids`: under row level security no index on an array is used (sql/1/5_also.sql).
BY_ID = f"""
SELECT {_COLUMNS} FROM promptx_mem.records WHERE space = %(space)s AND id = ANY (%(ids)s)
UNION
SELECT {_COLUMNS} FROM promptx_mem.records WHERE space = %(space)s AND hash = ANY (
    ARRAY(SELECT hash FROM promptx_mem.also WHERE space = %(space)s AND id = ANY (%(ids)s))
)
"""  # noqa: S608 - constants

END = "SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS xid"

NEWEST = f"""
SELECT {_COLUMNS} FROM promptx_mem.records
WHERE space = %(space)s AND xid < %(xid)s::xid8 AND (k, hash) < (%(k)s, %(hash)s)
ORDER BY k DESC, hash DESC LIMIT %(most)s
"""  # noqa: S608 - constants

MAY_OVERWRITE = "SELECT has_column_privilege('promptx_mem.records', 'bytes', 'UPDATE') AS may"

OVERWRITE = """
UPDATE promptx_mem.records SET bytes = ''
WHERE space = %(space)s AND hash = ANY (%(hashes)s) AND kind <> 'purge' AND octet_length(bytes) > 0
"""

SIZE = """
SELECT count(*) AS records, count(*) FILTER (WHERE kind = 'line') AS lines,
    coalesce(sum(octet_length(bytes)), 0)::bigint AS bytes
FROM promptx_mem.records WHERE space = %(space)s
"""

VERSION = "SELECT version, oldest FROM promptx_mem.about"
EXISTS = "SELECT to_regclass('promptx_mem.about') IS NOT NULL AS there"
GRANT_SPACE = "INSERT INTO promptx_mem.grants (space, role) VALUES (%(space)s, %(role)s) ON CONFLICT DO NOTHING"
REVOKE_SPACE = "DELETE FROM promptx_mem.grants WHERE role = %(role)s AND space = %(space)s"
REVOKE_ALL = "DELETE FROM promptx_mem.grants WHERE role = %(role)s"
IS_ROLE = "SELECT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = %(role)s) AS there"

# After a dump was restored: new transaction ids, in the order of the old ones, and a new life.
RENEW = """
ALTER TABLE promptx_mem.records NO FORCE ROW LEVEL SECURITY;
UPDATE promptx_mem.records SET seq = renewed.number, xid = pg_current_xact_id()
FROM (SELECT space, hash, row_number() OVER (ORDER BY xid, seq) AS number FROM promptx_mem.records) AS renewed
WHERE records.space = renewed.space AND records.hash = renewed.hash;
SELECT setval('promptx_mem.seq', (SELECT coalesce(max(seq), 1) FROM promptx_mem.records));
UPDATE promptx_mem.about SET born = gen_random_uuid();
ALTER TABLE promptx_mem.records FORCE ROW LEVEL SECURITY
"""
IS_RESTORED = """
SELECT EXISTS (
    SELECT FROM promptx_mem.records WHERE xid >= pg_snapshot_xmax(pg_current_snapshot())
) AS restored
"""
