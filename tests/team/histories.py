"""Random histories of several copies of one space: acts of people, failures of machines and of the server."""

import contextlib
import os
import random
import shutil
from pathlib import Path

import pytest

from tests.api import BusyError, Event, Plan, PromptxMemError, Result, State, StoreError, fold_all, layout
from tests.inside import Binding, sources, trust
from tests.team.fake import Space
from tests.team.front import Front
from tests.team.inside import Sync, binding, postgres
from tests.team.inside import team_sync as team
from tests.team.server import Server
from tests.team.tables import Tables
from tests.team.team import Member

NAME = "team"


class Copy(Member):
    """A copy of one role, with its own connection."""

    def __init__(self, root: Path, role: str, front: Front, database: str) -> None:
        super().__init__(root, role, Space())
        self.front = front
        dsn = f"host=127.0.0.1 port={front.port} user={role} dbname={database} sslmode=disable"
        self.acknowledged: dict[str, str] = {}
        self.remember(f"the first of {root.parent.name}")
        binding.note(layout.at(str(root)), Binding(dsn, NAME))

    def store(self, text: str) -> str:
        """Remember a text; return its id."""
        ident = str(self.later(seconds=30).remember(text)["id"])
        self.acknowledged[ident] = text
        return ident

    def sync(self, *, accept: bool = True) -> Result[Sync]:
        return team.sync(self.memory.context, postgres.connect, accept=accept)

    def cut_off(self, after: int) -> None:
        """Sync over a connection that is cut after so many bytes."""
        self.front.left = after
        with contextlib.suppress(StoreError):
            self.sync()
        self.front.left = None

    def events(self) -> set[Event]:
        return set(sources.read(layout.at(str(self.root))).events)


class History:
    """One random history. Each acknowledged memory that was not purged must end up in every copy, once."""

    def __init__(self, number: int, folder: Path, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
        self.pick = random.Random(number)
        self.folder, self.server = folder, server
        for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "HOME"):
            (folder / name).mkdir()
            monkeypatch.setenv(name, str(folder / name))
        self.tables = Tables(server)
        size = self.pick.randint(3, 8)
        socket = server.folder / f".s.PGSQL.{server.port}"
        self.fronts = [Front(socket) for _ in range(size)]
        roles = [
            self.tables.role(f"role{place}", NAME, kinds=("member", "keeper") if not place else ("member",))
            for place in range(size)
        ]
        self.copies = [
            Copy(folder / f"copy{place}" / ".memory", role, front, self.tables.name)
            for place, (role, front) in enumerate(zip(roles, self.fronts, strict=True))
        ]
        self.purged: dict[str, str] = {}
        self.texts = 0

    def close(self) -> None:
        for front in self.fronts:
            front.__exit__(None, None, None)
        self.tables.close()

    def run(self, steps: int) -> None:
        """Run so many random acts, of which many fail."""
        acts = (
            *((self.remember,) * 5), *((self.sync,) * 5), self.same_text, self.boost, self.forget, self.purge,
            self.edit, self.write, self.cut_off, self.cut_off, self.server_dies, self.restore, self.replay, self.compact,
        )  # fmt: skip
        for _ in range(steps):
            copy = self.pick.choice(self.copies)
            copy.later(seconds=self.pick.choice((0, 1, 3_600)))
            self.pick.choice(acts)(copy)

    def remember(self, copy: Copy) -> None:
        self.texts += 1
        copy.store(f"text {self.texts} of {copy.root.parent.name} {self.pick.random()}")

    def same_text(self, copy: Copy) -> None:
        """Several copies store the same text."""
        copy.store(f"what everybody knows {self.pick.randrange(3)}")

    def sync(self, copy: Copy) -> None:
        copy.sync()

    def boost(self, copy: Copy) -> None:
        copy.memory.boost(self._random_active(copy))

    def forget(self, copy: Copy) -> None:
        copy.memory.forget(self._random_active(copy), "no more")

    def _random_active(self, copy: Copy) -> str:
        """Return the id of a random active memory of a copy."""
        alive = [ident for ident, state in copy.states().items() if not state.end]
        return self.pick.choice(sorted(alive)) if alive else copy.store("a new one")

    def purge(self, copy: Copy) -> None:
        states = {ident: state for ident, state in copy.states().items() if "text" in state.entry.text}
        if states:
            ident = self.pick.choice(sorted(states))
            copy.memory.forget(ident, purge=True)
            self.purged[ident] = states[ident].entry.text

    def write(self, copy: Copy) -> None:
        """A person writes a line into the file."""
        self.texts += 1
        path = copy.root / "declarative.md"
        data = path.read_bytes()
        with path.open("ab") as file:
            file.write((b"" if data.endswith(b"\n") else b"\n") + f"- text {self.texts} by hand\n".encode())
        os.utime(path, (copy.time.timestamp(),) * 2)

    def edit(self, copy: Copy) -> None:
        """A person edits a line in the file."""
        path = copy.root / "declarative.md"
        lines = path.read_bytes().splitlines(keepends=True)
        places = [place for place, line in enumerate(lines) if b"- text" in line and b"edited" not in line]
        if places:
            place = self.pick.choice(places)
            lines[place] = lines[place].replace(b"- text", b"- text edited", 1)
            path.write_bytes(b"".join(lines))
            os.utime(path, (copy.time.timestamp(),) * 2)

    def cut_off(self, copy: Copy) -> None:
        """The connection is cut after some bytes."""
        copy.cut_off(self.pick.randrange(6_000))

    def server_dies(self, copy: Copy) -> None:
        """The server is sometimes killed or stopped before a sync, and started again."""
        if self.pick.random() < 0.3:
            way = self.pick.choice(("kill", "SIGINT", "SIGQUIT"))
            self.server.kill() if way == "kill" else self.server.stop(way)
            with pytest.raises(PromptxMemError):
                copy.sync()
            self.server.start()

    def restore(self, copy: Copy) -> None:
        """A copy sends everything, then is restored from a backup; the first time it is backed up."""
        backup = copy.root.parent / "backup"
        if backup.exists():
            copy.sync()
            shutil.rmtree(copy.root)
            shutil.copytree(backup, copy.root)
            trust.record(layout.at(str(copy.root)), trust.PRIVATE)
        else:
            shutil.copytree(copy.root, backup)

    def replay(self, copy: Copy) -> None:
        """A copy loses its sync state."""
        if (copy.root / ".team").exists():
            for name in self.pick.sample(("state.json", "sent"), self.pick.randint(1, 2)):
                (copy.root / ".team" / name).unlink(missing_ok=True)

    def compact(self, copy: Copy) -> None:
        copy.memory.decay(Plan(compact=True))

    def settle(self) -> None:
        """Sync all copies until none has anything new."""
        for _ in range(6):
            answers = []
            for copy in self.copies:
                try:
                    answers.append(copy.sync().data)
                except BusyError:
                    continue
            if not any(answer["pushed"] or answer["pulled"] or answer["destroyed"] for answer in answers):
                return
        raise AssertionError("the copies still have changes after six syncs")

    def check(self) -> None:
        """Check that every copy has the state of all copies together, all acknowledged memories, and no purged ones."""
        self.settle()
        states = [copy.states() for copy in self.copies]
        union = self._union()
        for copy, state in zip(self.copies, states, strict=True):
            assert state == union, copy.root.parent.name
        for copy in self.copies:
            for ident in copy.acknowledged.keys() - self.purged.keys():
                assert ident in union, copy.acknowledged[ident]
        events = [copy.events() for copy in self.copies]
        assert all(some == events[0] for some in events)
        self._check_purged()

    def _union(self) -> dict[str, State]:
        every = [sources.read(layout.at(str(copy.root))) for copy in self.copies]
        lines = {line.entry: None for one in every for line in one.lines}
        folded = fold_all(lines, {event for one in every for event in one.events})
        return {ident: state for ident, state in folded.items() if state.end != "purged"}

    def _check_purged(self) -> None:
        """Check that no copy, and not the server, contains a text that was purged and not stored again."""
        alive = {state.entry.text for state in self.copies[0].states().values()}
        gone = [text.encode() for text in self.purged.values() if text not in alive]
        with self.tables.admin() as admin:
            there = b"".join(row[0] for row in admin.execute("SELECT bytes FROM promptx_mem.records"))
        for text in gone:
            assert text not in there
            for copy in self.copies:
                assert text not in copy.bytes(), copy.root.parent.name
