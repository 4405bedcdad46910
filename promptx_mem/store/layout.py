"""Where everything lies. Every path of the store is named here, once."""

import os
import stat
from typing import NamedTuple

from promptx_mem.core.origin import PROJECT, USER
from promptx_mem.errors import StoreError
from promptx_mem.places import STORE
from promptx_mem.store.inside import Inside

DIRECTORY = ".memory"
ENVIRONMENT = STORE

FILES = (
    "declarative.md", "journal.jsonl", "audit.jsonl", "MEMORY.md", "config.yaml", ".gitignore", ".gitattributes",
    ".lock", ".decay.lock", ".sync.lock", ".intent", ".own", ".recalled", ".recent", ".lost", ".purge", ".view.html",
)  # fmt: skip
FOLDERS = ("archive", "conversations", ".cache", ".hosts", ".team")
_BEFORE_THE_FIRST = {*FILES, *FOLDERS} - {"declarative.md"}
"""What may lie in a store that has no memory yet."""


EPISODES = "episodes.jsonl"
"""In conversations/, and no conversation: the lines of the memories that were made of slices."""


class Layout(NamedTuple):
    """The paths of one store. `mode` is what new files get: 0600, unless an older directory says otherwise.

    `named`: somebody said that it is there, by an option or a variable; it was not looked for. `is_user`: it is the
    user store. `may_write` False: nobody has said that it should be written to, where that takes saying so.
    """

    root: str
    mode: int = 0o600
    named: bool = False
    is_user: bool = False
    may_write: bool = True

    @property
    def scope(self) -> str:
        return USER if self.is_user else PROJECT

    @property
    def name(self) -> str:
        """The store's name for a person to type: its project's folder, or `user`."""
        folder = os.path.dirname(self.root) if os.path.basename(self.root) == DIRECTORY else self.root
        return USER if self.is_user else os.path.basename(os.path.realpath(folder)) or folder

    @property
    def declarative(self) -> str:
        return os.path.join(self.root, "declarative.md")

    @property
    def journal(self) -> str:
        return os.path.join(self.root, "journal.jsonl")

    @property
    def gitignore(self) -> str:
        return os.path.join(self.root, ".gitignore")

    @property
    def memory_md(self) -> str:
        return os.path.join(self.root, "MEMORY.md")

    @property
    def audit(self) -> str:
        return os.path.join(self.root, "audit.jsonl")

    @property
    def config(self) -> str:
        return os.path.join(self.root, "config.yaml")

    @property
    def conversations(self) -> Inside:
        return Inside(self.root, ("conversations",))

    @property
    def talks(self) -> tuple[Inside, Inside]:
        """The folders in which conversations lie, live and shelved."""
        return self.conversations, self.archive / "conversations"

    @property
    def episodes(self) -> Inside:
        return self.conversations / EPISODES

    @property
    def archive(self) -> Inside:
        return Inside(self.root, ("archive",))

    @property
    def intent(self) -> str:
        return os.path.join(self.root, ".intent")

    @property
    def recalled(self) -> str:
        return os.path.join(self.root, ".recalled")

    @property
    def hosts(self) -> Inside:
        return Inside(self.root, (".hosts",))

    @property
    def team(self) -> Inside:
        return Inside(self.root, (".team",))

    @property
    def recent(self) -> str:
        return os.path.join(self.root, ".recent")

    @property
    def lost(self) -> str:
        return os.path.join(self.root, ".lost")

    @property
    def purge(self) -> str:
        return os.path.join(self.root, ".purge")

    @property
    def page(self) -> str:
        return os.path.join(self.root, ".view.html")

    @property
    def own(self) -> str:
        return os.path.join(self.root, ".own")

    @property
    def lock(self) -> str:
        return os.path.join(self.root, ".lock")

    @property
    def decay_lock(self) -> str:
        return os.path.join(self.root, ".decay.lock")

    @property
    def sync_lock(self) -> str:
        return os.path.join(self.root, ".sync.lock")

    @property
    def cache_directory(self) -> Inside:
        return Inside(self.root, (".cache",))

    @property
    def directory_mode(self) -> int:
        """The mode of a new directory: who may read a file may search it."""
        return self.mode | (self.mode & 0o444) >> 2

    def exists(self) -> bool:
        return os.path.isdir(self.root)

    def is_store(self) -> bool:
        """Whether the directory is a store, and not one that was only named: that stays as it is."""
        is_ours = os.path.basename(self.root) == DIRECTORY or os.path.lexists(self.declarative)
        return is_ours and self.exists()

    def display(self) -> str:
        """The store's path for messages: relative where it lies below the working directory."""
        try:
            relative = os.path.relpath(self.root)
        except FileNotFoundError:  # the working directory is gone
            return self.root
        return self.root if relative.startswith("..") else os.path.join(".", relative)


def at(root: str) -> Layout:
    """The layout of the store at a path, whether it exists or not. Raises StoreError where a file is in its place."""
    try:
        status = os.stat(root)
    except FileNotFoundError:
        if os.path.islink(root):
            raise StoreError(f"{root} is a symbolic link to nowhere", hint="remove or mend the link") from None
        return Layout(root)
    if not stat.S_ISDIR(status.st_mode):
        raise StoreError(f"{root} is not a directory", hint="move it away, or give another one with --memory-dir")
    if hasattr(os, "getuid") and os.path.islink(root) and status.st_uid != os.getuid():
        raise StoreError(f"{root} is a link to a directory of another user", hint="use --memory-dir to name a store")
    return Layout(root, stat.S_IMODE(status.st_mode) & 0o666 | 0o600)


def is_foreign(layout: Layout) -> bool:
    """Whether a directory named by hand is somebody's project: a store's `*` in its .gitignore would hide it all."""
    if os.path.basename(layout.root) == DIRECTORY or not layout.exists():
        return False
    names = {name for name in os.listdir(layout.root) if not name.endswith(".tmp")}  # a crash may leave those
    return "declarative.md" not in names and not names <= _BEFORE_THE_FIRST
