"""Paths of the files and folders of a store."""

import contextlib
import os
import stat
from collections.abc import Iterator

from promptx_mem.core.state import PROJECT, USER
from promptx_mem.errors import StoreError
from promptx_mem.places import STORE
from promptx_mem.record import NamedTuple
from promptx_mem.store import files
from promptx_mem.store.files import StorePath

DIRECTORY = ".memory"
ENVIRONMENT = STORE

FILES = (
    "declarative.md", "journal.jsonl", "audit.jsonl", "MEMORY.md", "config.yaml", ".gitignore", ".gitattributes",
    ".lock", ".decay.lock", ".sync.lock", ".intent", ".own", ".recalled", ".recent", ".lost", ".purge", ".view.html",
)  # fmt: skip
FOLDERS = ("archive", "conversations", ".cache", ".hosts", ".team")
_BEFORE_THE_FIRST = {*FILES, *FOLDERS} - {"declarative.md"}
"""Names of files and folders that can exist in a store before the first memory is stored."""

EPISODES = "episodes.jsonl"
"""Name of the file in conversations/ with the memories made from summaries of conversations."""


class _File:
    """An attribute that returns the path of a file in the store's root folder."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, layout: "Layout", _: object = None) -> str:
        return os.path.join(layout.root, self._name)


class _Within:
    """An attribute that returns a path below the store's root, to be opened folder by folder (see `StorePath`)."""

    def __init__(self, *names: str) -> None:
        self._names = names

    def __get__(self, layout: "Layout", _: object = None) -> StorePath:
        return StorePath(layout.root, self._names)


class _Place(NamedTuple):
    """The location of one store.

    `mode` is the mode of new files: 0600, or that of an existing directory without x. `named`: an option or environment
    variable names the store. `is_user`: this is the user store. `may_write`: promptx-mem is allowed to write here.
    """

    root: str
    mode: int = 0o600
    named: bool = False
    is_user: bool = False
    may_write: bool = True


class Layout(_Place):
    """The paths of one store."""

    declarative = _File("declarative.md")
    journal = _File("journal.jsonl")
    gitignore = _File(".gitignore")
    memory_md = _File("MEMORY.md")
    audit = _File("audit.jsonl")
    config = _File("config.yaml")
    intent = _File(".intent")
    recalled = _File(".recalled")
    recent = _File(".recent")
    lost = _File(".lost")
    purge = _File(".purge")
    page = _File(".view.html")
    own = _File(".own")
    lock = _File(".lock")
    decay_lock = _File(".decay.lock")
    sync_lock = _File(".sync.lock")
    archive = _Within("archive")
    conversations = _Within("conversations")
    episodes = _Within("conversations", EPISODES)
    hosts = _Within(".hosts")
    team = _Within(".team")
    cache_directory = _Within(".cache")
    act = _Within(".cache", "act")
    cited = _Within(".cache", "cited.json")

    @property
    def talks(self) -> tuple[StorePath, StorePath]:
        """Return the folder of conversations, and the archive folder to which earlier versions moved some of them."""
        return self.conversations, self.archive / "conversations"

    @property
    def scope(self) -> str:
        return USER if self.is_user else PROJECT

    @property
    def name(self) -> str:
        """Return the name that a person types to confirm an action: the project folder's name, or "user"."""
        folder = os.path.dirname(self.root) if os.path.basename(self.root) == DIRECTORY else self.root
        return USER if self.is_user else os.path.basename(os.path.realpath(folder)) or folder

    @property
    def directory_mode(self) -> int:
        """Return the mode of a new directory. Users who can read the store's files can also enter it."""
        return self.mode | (self.mode & 0o444) >> 2

    def exists(self) -> bool:
        return os.path.isdir(self.root)

    def display(self) -> str:
        """Return the store's path for messages: relative if it is below the working directory."""
        try:
            relative = os.path.relpath(self.root)
        except FileNotFoundError:  # the working directory is gone
            return self.root
        return self.root if relative == "." or relative.startswith("..") else os.path.join(".", relative)


def at(root: str) -> Layout:
    """Return the layout of the store at a path, which does not have to exist.

    Raises StoreError if the path is a file, a broken link, or a link to another user's directory.
    """
    try:
        status = os.stat(root)
    except FileNotFoundError:
        if os.path.islink(root):
            raise StoreError(
                f"{root} is a symbolic link whose target does not exist", hint="remove or fix the link"
            ) from None
        return Layout(root)
    if not stat.S_ISDIR(status.st_mode):
        raise StoreError(
            f"{root} is not a directory", hint="move the file away, or give another folder with --memory-dir"
        )
    if os.path.islink(root) and status.st_uid != os.getuid():
        raise StoreError(f"{root} is a link to a directory of another user", hint="use --memory-dir to name a store")
    return Layout(root, stat.S_IMODE(status.st_mode) & 0o666 | 0o600)


def has_other_files(layout: Layout) -> bool:
    """Return whether a folder not named `.memory` has files, but is not a store.

    A store there would hide these files from git by its .gitignore.
    """
    if os.path.basename(layout.root) == DIRECTORY or not layout.exists():
        return False
    names = {name for name in os.listdir(layout.root) if not name.endswith(".tmp")}  # a crash can leave those
    return "declarative.md" not in names and not names <= _BEFORE_THE_FIRST


_SHOWN = 3


def warnings(where: Layout) -> tuple[str, ...]:
    """Return warnings about files of an unexpected kind in the store. Readers ignore these files."""
    planted: list[StorePath] = []
    with contextlib.suppress(OSError):  # no permission to list a folder
        planted += (place for place in unexpected_files(where) if place.names != ("config.yaml",))  # config reports it
    texts = [f"ignored: {files.wrong_kind(place).in_one_line()}" for place in planted[:_SHOWN]]
    if len(planted) > _SHOWN:
        texts.append(f"{len(planted) - _SHOWN} more such files are ignored; to list them: promptx-mem audit --verify")
    return tuple(texts)


def unexpected_files(where: Layout) -> Iterator[StorePath]:
    """Yield the path of each file of an unexpected kind in the root, conversations/, archive/ or its subfolder."""
    kinds = _kinds(where.root)
    for name in (*FILES, *FOLDERS):
        if kinds.get(name, name in FOLDERS) is not (name in FOLDERS):
            yield StorePath(where.root, (name,))
    shelf = where.archive / "conversations"
    for folder in (where.archive, where.conversations, shelf):
        if kinds.get(folder.names[0]):
            inner = _kinds(folder)
            if folder == where.archive and inner.pop(shelf.names[-1], True) is not True:
                yield shelf
            for name in sorted(name for name, is_folder in inner.items() if is_folder is not False):
                if inner[name] is None or name.endswith((".gz", ".jsonl")):
                    yield folder / name


def _kinds(folder: str | StorePath) -> dict[str, bool | None]:
    """Return the kind of each name in a folder: True for a folder, False for a regular file, None for anything else.

    Empty if `folder` is missing or not a folder.
    """
    try:
        with files.opened_folder(folder) as place, os.scandir(place) as entries:
            found = list(entries)
            kinds = {entry.name: entry.is_dir(follow_symlinks=False) or None for entry in found}
            return kinds | {entry.name: False for entry in found if entry.is_file(follow_symlinks=False)}
    except (FileNotFoundError, NotADirectoryError, StoreError):
        return {}
