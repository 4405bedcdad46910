"""Parts of the exchange with a server that the tests change or look into, named in one place."""

from promptx_mem.team import binding, derive, dsn, exchange, notes, postgres, records, remote, statements
from promptx_mem.team import setup as team_setup
from promptx_mem.team import sync as team_sync
from promptx_mem.team.copy import Copy
from promptx_mem.team.derived import Derived
from promptx_mem.team.port import LINE, MAX_BYTES, PURGE, Mark, Record
from promptx_mem.team.postgres import Postgres
from promptx_mem.team.sync import Sync
from promptx_mem.team.without import without

__all__ = ["LINE", "MAX_BYTES", "PURGE", "Copy", "Derived", "Mark", "Postgres", "Record", "Sync", "binding", "derive", "dsn", "exchange", "notes", "postgres", "records", "remote", "statements", "team_setup", "team_sync", "without"]  # fmt: skip
