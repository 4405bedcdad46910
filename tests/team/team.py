"""Copies of several members, each in its own folder, bound to one space of a server in memory."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.api import Result, fold_all, layout
from tests.inside import OWN, Binding, sources
from tests.team.fake import Space, connecting
from tests.team.inside import Sync, binding
from tests.team.inside import team_sync as team
from tests.world import World

BOUND = Binding("host=/nowhere user=me dbname=memory", "team")


class Member(World):
    """One copy of one role."""

    def __init__(self, root: Path, role: str, space: Space) -> None:
        super().__init__(root, role)
        self.role, self.space = role, space

    def bind(self) -> "Member":
        self.remember(f"the first of {self.role}")
        binding.note(layout.at(str(self.root)), BOUND)
        return self

    def move(self, name: str, space: Space) -> None:
        """Join another space, and sync."""
        self.space = space
        binding.note(layout.at(str(self.root)), BOUND._replace(space=name))
        self.sync()

    def sync(self, *, accept: bool = False) -> Result[Sync]:
        return team.sync(self.memory.context, connecting(self.space, self.role), accept=accept)

    def status(self) -> Sync:
        return team.status(self.memory.context, connecting(self.space, self.role)).data

    def states(self) -> dict[str, Any]:
        """Return the folded state of every memory that was not purged, of any author."""
        everything = sources.read(layout.at(str(self.root)))
        folded = fold_all((line.entry for line in everything.lines), everything.events)
        return {ident: state for ident, state in folded.items() if state.end != "purged"}

    def origins(self) -> dict[str, str]:
        """Return the origin of each memory by its text, as recall shows it."""
        from tests.api import Cues

        shown = self.memory.recall(Cues(count=500, touch=False)).data["memories"]
        return {memory["text"]: memory.get("origin") or OWN for memory in shown}

    def bytes(self) -> bytes:
        """Return the bytes of all files of the store, with unpacked archives."""
        out = []
        for path in self.root.rglob("*"):
            if path.is_file() and ".team" not in path.parts:
                data = path.read_bytes()
                out += [data, gzip.decompress(data) if path.suffix == ".gz" else b""]
        return b"\n".join(out)

    def state(self) -> dict[str, Any]:
        value: dict[str, Any] = json.loads((self.root / ".team" / "state.json").read_text("utf-8"))
        return value


Make = Callable[[str], Member]


def members(root: Path, space: Space, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Return a function that creates a bound member by the name of its role, with settings of this test."""
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "HOME"):
        (root / name).mkdir()
        monkeypatch.setenv(name, str(root / name))
    monkeypatch.delenv("PROMPTX_MEM_CONFIG", raising=False)
    return lambda role: Member(root / role / ".memory", role, space).bind()


def settle(*members: Member) -> None:
    """Sync each member twice, so that all have the same."""
    for _ in range(2):
        for member in members:
            member.sync()
