"""A database with the tables of a team, its roles and its records."""

from hashlib import sha256
from itertools import count
from typing import Any

import psycopg

from tests.team.inside import LINE, Postgres, Record
from tests.team.inside import team_setup as setup
from tests.team.server import Server

_NUMBERS = count(1)
GROUPS = {"member": "promptx_mem_member", "keeper": "promptx_mem_keeper", "indexer": "promptx_mem_indexer"}


class Tables:
    """One database. Roles belong to the whole server, so each database of a test has its own."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.name = server.database()
        self.roles: dict[str, str] = {}
        self.sessions: list[psycopg.Connection[Any]] = []
        with self.admin() as admin:
            admin.execute(setup.sql().encode())

    def admin(self) -> psycopg.Connection[Any]:
        return self.server.connect(self.name)

    def role(self, name: str, *spaces: str, kinds: tuple[str, ...] = ("member",)) -> str:
        """Create a role that may log in and use these spaces. Return its name on the server."""
        role = self.roles.get(name)
        with self.admin() as admin:
            if role is None:
                role = self.roles[name] = f"{name}_{next(_NUMBERS)}_{self.name}"
                admin.execute(f"CREATE ROLE {role} LOGIN".encode())
            for kind in kinds:
                admin.execute(f"GRANT {GROUPS[kind]} TO {role}".encode())
            for space in spaces:
                admin.execute("INSERT INTO promptx_mem.grants (space, role) VALUES (%s, %s)", (space, role))
        return role

    def session(self, name: str) -> psycopg.Connection[Any]:
        """Connect as one of the created roles."""
        session = self.server.connect(self.name, self.roles[name])
        self.sessions.append(session)
        return session

    def space(self, name: str, space: str) -> Postgres:
        """Return a space as a role sees it."""
        postgres = Postgres(self.session(name), space)
        postgres.open()
        return postgres

    def close(self) -> None:
        for session in self.sessions:
            session.close()


def record(text: str, ident: str = "", k: int = 1) -> Record:
    """Create a record of any text: the server does not parse it."""
    data = text.encode()
    name = ident or f"m_{sha256(data).hexdigest()[:10]}"
    return Record(LINE, sha256(data).digest(), name, (name,), k, data)
