"""Internals of the sync with a server that tests change or read, imported in one place."""

from promptx_mem.team import administration as team_setup
from promptx_mem.team import exchange, notes, postgres, remote
from promptx_mem.team import notes as binding
from promptx_mem.team import port as records
from promptx_mem.team import sync as team_sync
from promptx_mem.team.copy import Copy
from promptx_mem.team.port import LINE, MAX_BYTES, PURGE, Mark, Record
from promptx_mem.team.postgres import Derived, Postgres
from promptx_mem.team.sync import Sync, without

__all__ = ["LINE", "MAX_BYTES", "PURGE", "Copy", "Derived", "Mark", "Postgres", "Record", "Sync", "binding", "exchange", "notes", "postgres", "records", "remote", "team_setup", "team_sync", "without"]  # fmt: skip
