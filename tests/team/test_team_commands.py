"""The commands of the page on teams, run in processes with a real server."""

import json
import sys
from pathlib import Path

import pytest

from tests import terminal, warm
from tests.cli.program import Ran, environment, run
from tests.team.server import Server


class Team:
    """A new database with roles that may log in, and a folder and a home for each person."""

    def __init__(self, server: Server, folder: Path) -> None:
        self.server, self.folder = server, folder
        self.name = server.database()
        self.roles = {role: f"{role}_{self.name}" for role in ("alice", "bob", "indexer", "carol")}
        with server.connect(self.name) as admin:
            for role in self.roles.values():
                admin.execute(f"CREATE ROLE {role} LOGIN".encode())

    def dsn(self, role: str) -> str:
        return self.server.dsn(self.name, self.roles.get(role, role), host="127.0.0.1")

    def run(self, person: str, *words: str) -> Ran:
        folder = self.folder / person
        folder.mkdir(exist_ok=True)
        return run(*words, cwd=folder, env=self._home(person))

    def in_terminal(self, person: str, *words: str, answer: str = "") -> str:
        """Run a command with stdin and stderr on a terminal. Return its stdout."""
        folder = self.folder / person
        folder.mkdir(exist_ok=True)
        command = ["/bin/sh", "-c", 'exec "$0" "$@" > said', sys.executable, "-c", warm.AS_PERSON, *words]
        status, shown = terminal.run_program(command, folder, answer, environment(folder) | self._home(person))
        assert status == 0, shown
        return (folder / "said").read_text("utf-8")

    def _home(self, person: str) -> dict[str, str]:
        home = self.folder / f"{person}-home"
        return {"HOME": str(home), "XDG_CONFIG_HOME": str(home / "config"), "XDG_STATE_HOME": str(home / "state")}

    def set_up(self) -> None:
        admin = self.dsn("postgres")
        assert self.run("admin", "sync", "admin", "setup", admin).out == "the tables were created: version 1\n"
        for role, more in (("alice", []), ("bob", []), ("indexer", ["--as", "indexer"])):
            name = self.roles[role]
            said = self.run("admin", "sync", "admin", "grant", name, admin, *more, "--space", "team")
            assert said.out.startswith(f"{name} can now use team"), said.err

    def join(self, person: str) -> str:
        return self.in_terminal(person, "sync", "--join", self.dsn(person), "--space", "team", answer="y\n")


@pytest.fixture
def team(server: Server, tmp_path: Path) -> Team:
    return Team(server, tmp_path)


def _texts(ran: Ran) -> dict[str, str]:
    assert ran.status == 0, ran.err
    return {memory["text"]: memory["origin"] for memory in ran.object["memories"]}


def test_team_is_set_up_synced_and_searched_by_commands(team: Team) -> None:
    team.set_up()
    team.run("alice", "remember", "staging runs on PostgreSQL 16", "-t", "infra", "--score", "8")
    assert "1 memory to send" in team.join("alice")
    assert team.run("alice", "sync").out.startswith("sent 1, received 0: team (")
    early = team.run("alice", "recall", "--remote", "staging", "--json")
    assert (early.status, json.loads(early.err or early.out)["error"]["code"]) == (3, "not_derived")
    team.run("bob", "remember", "the tea is green", "-t", "tea", "--score", "8")
    team.join("bob")
    assert team.run("bob", "sync").out.startswith("sent 1, received 1: team (")
    derived = team.run("cron", "sync", "admin", "derive", team.dsn("indexer"), "--space", "team")
    assert (derived.status, derived.out) == (0, "team can be searched: 2 memories were indexed\n")
    again = team.run("cron", "sync", "admin", "derive", team.dsn("indexer"), "--space", "team", "--json")
    assert again.object["done"].endswith("0 memories were indexed")
    there = team.run("alice", "recall", "--remote", "tea staging", "--json")
    assert _texts(there) == {"staging runs on PostgreSQL 16": "own", "the tea is green": f"member:{team.roles['bob']}"}
    assert there.object["store"] == "space team"
    assert "the tea is green" in team.run("alice", "recall", "--remote", "tea").out
    behind = team.run("alice", "sync", "--status")
    assert "1 to receive, 0 to send" in behind.out
    assert team.run("alice", "sync").out.startswith("sent 0, received 1")
    local = _texts(team.run("alice", "recall", "tea", "--json"))
    assert local["the tea is green"] == f"member:{team.roles['bob']}"


def test_missing_rights_and_servers_are_reported(team: Team) -> None:
    team.set_up()
    team.run("alice", "remember", "a fact", "-t", "t", "--score", "8")
    team.join("alice")
    team.run("alice", "sync")
    member = team.run("cron", "sync", "admin", "derive", team.dsn("alice"), "--space", "team")
    assert member.status == 1
    assert "denied permission to this role" in member.err
    stranger = team.run("cron", "sync", "admin", "derive", team.dsn("carol"), "--space", "team")
    assert stranger.status in (1, 3)
    assert "admin grant" in stranger.err
    assert "admin derive <dsn> --space" in team.run("cron", "sync", "admin", "derive", team.dsn("indexer")).err
    team.run("bob", "remember", "not joined", "-t", "t", "--score", "8")
    unbound = team.run("bob", "recall", "--remote", "a fact")
    assert (unbound.status, "<name>" in unbound.err) == (2, True)
    admin = team.dsn("postgres")
    pasted = team.run("admin", "sync", "admin", "grant", team.roles["carol"], admin, "--space", "<name>")
    assert (pasted.status, "a space needs a name with" in pasted.err) == (2, True)
    assert team.run("admin", "sync", "admin", "revoke", team.roles["alice"], admin).status == 0
    revoked = team.run("alice", "recall", "--remote", "a fact")
    assert revoked.status == 1
    assert "was not granted the space team" in revoked.err
    assert "a fact" in team.run("alice", "recall", "a fact").out
    team.server.stop()
    try:
        gone = team.run("alice", "recall", "--remote", "a fact", "--json")
        assert gone.status == 3
        assert "Traceback" not in gone.err
    finally:
        team.server.start()
