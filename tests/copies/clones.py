"""Clones of one git repository that share a store: each is a host with its own clock."""

import datetime
import os
import subprocess
from pathlib import Path
from typing import Any

from tests.api import Cues, Description, Memory, Remember, Request, Result, layout
from tests.inside import short_hash, trust
from tests.world import START

_AUTHOR = {"NAME": "a test", "EMAIL": "test@example.org"}
_ENVIRONMENT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    **{f"GIT_{role}_{name}": value for role in ("AUTHOR", "COMMITTER") for name, value in _AUTHOR.items()},
}


class Clone:
    """One working copy. Its clock differs from the world's by `ahead`."""

    def __init__(self, root: Path, name: str, ahead: datetime.timedelta = datetime.timedelta()) -> None:
        self.root = root / name
        self.name = name
        self.ahead = ahead
        self.time = START

    @classmethod
    def first(cls, root: Path, name: str, ahead: datetime.timedelta = datetime.timedelta()) -> "Clone":
        """Create the repository with an empty shared store."""
        clone = cls(root, name, ahead)
        clone.root.mkdir()
        clone.git("init", "--quiet", "--initial-branch=main")
        clone.memory.init(shared=True)
        clone.commit()
        return clone

    def clone(self, name: str, ahead: datetime.timedelta = datetime.timedelta()) -> "Clone":
        """Clone the committed files."""
        other = Clone(self.root.parent, name, ahead)
        self.git("clone", "--quiet", str(self.root), str(other.root))
        trust.record(layout.at(str(other.store)), trust.SHARED)  # as `init --trust` does once on each machine
        other.time = self.time
        other.touch()
        return other

    @property
    def store(self) -> Path:
        return self.root / ".memory"

    @property
    def memory(self) -> Memory:
        """Open the store as a new process does."""
        return self._memory(self.ahead)

    def _memory(self, ahead: datetime.timedelta) -> Memory:
        """Open the store on a machine with this clone's name."""
        memory = Memory(layout.at(str(self.store)), "a test", clock=lambda: self.time + ahead)
        memory.context.host = lambda: short_hash(self.name.encode(), 3)  # type: ignore[method-assign]
        return memory

    def remember(self, text: str, *tags: str, score: str = "8", **more: Any) -> Result[Remember]:
        return self.memory.remember(Request(text, tags=tags or ("t",), score=score, **more))

    def recall(self, text: str = "", **more: Any) -> list[Description]:
        """Return the memories found at the world's time, so that two clones can be compared."""
        cues = Cues(text=text, count=500, touch=False, **more)
        return self._memory(datetime.timedelta()).recall(cues).data["memories"]

    def texts(self, text: str = "", **more: Any) -> list[str]:
        return sorted(found["text"] for found in self.recall(text, **more))

    def ident(self, text: str) -> str:
        """Return the id of the memory with this text, active or ended."""
        return next(str(found["id"]) for found in self.recall(archived=True) if found["text"] == text)

    def git(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        words, env = ["git", *arguments], os.environ | _ENVIRONMENT
        done = subprocess.run(words, cwd=self.root, env=env, capture_output=True, text=True, check=False)
        assert not check or done.returncode == 0, done.stdout + done.stderr
        return done

    def commit(self) -> None:
        """Commit all files of the store that git sees."""
        self.git("add", "--all")
        if self.git("diff", "--cached", "--quiet", check=False).returncode:
            self.git("commit", "--quiet", "--message", f"of {self.name}")

    def fetch(self, other: "Clone") -> str:
        """Fetch the commits of another clone. Return their ref."""
        self.git("fetch", "--quiet", str(other.root), "+HEAD:refs/remotes/other/" + other.name)
        return f"refs/remotes/other/{other.name}"

    def merge(self, theirs: str) -> None:
        """Merge; a conflict fails the test."""
        self.git("merge", "--quiet", "--no-edit", theirs)
        self.touch()

    def touch(self) -> None:
        """Set the time of the file by this clone's clock: hand-written lines get their time from it."""
        path, now = self.store / "declarative.md", (self.time + self.ahead).timestamp()
        if path.exists():
            os.utime(path, (now, now))


def exchange(*clones: Clone) -> None:
    """Merge into every clone the commits that all others had before; the next exchange joins the merges."""
    for clone in clones:
        clone.commit()
    theirs = [[clone.fetch(other) for other in clones if other is not clone] for clone in clones]
    for clone, names in zip(clones, theirs, strict=True):
        for name in names:
            clone.merge(name)
