"""Trust: whether a store is the user's own, decided by notes outside every project, never by the store.

The notes are one file in the user's state folder. A line is `KIND device inode mark path`. The mark, drawn at random,
is also in the store's `.own`, which no clone contains: a directory with the inode of a removed one has another mark.
The last line of a directory counts. A line without KIND was written by an earlier version: the store was created or
trusted here.
"""

import os
import stat
from collections.abc import Iterator

from promptx_mem.core.ids import digest
from promptx_mem.core.state import CLONE, NOTICE, REPLACED_NOTICE
from promptx_mem.errors import StoreError
from promptx_mem.places import is_trusted, main_store, state_folder, worktrees
from promptx_mem.store import files
from promptx_mem.store.layout import DIRECTORY, Layout

MAX_BYTES = 512 * 1024
"""Maximum size in bytes of the file. Of a larger one only the end is read, and the next note halves it."""

PRIVATE, SHARED = "private", "shared"
"""Made or trusted here, while git tracked nothing of it, or some of it."""

REPLACED = "replaced"
"""Made or trusted here as a private store; then git tracked some of it, so its files may be another person's."""

SEEN = "seen"
"""Neither made nor trusted here; the note only names the directory, for its cache."""

TRUSTED = "trusted"
"""Created or trusted here by an earlier version, which did not record whether git tracked it."""

_SPEAKS = ("declarative.md", "journal.jsonl", "archive", "conversations", "MEMORY.md", ".team")

_MARK_BYTES = 16
_MAX_OWN = 4 * 1024
_READ = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
_APPEND = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


class Note:
    """The kind of a store and the mark of its directory."""

    __slots__ = ("kind", "mark")

    def __init__(self, kind: str, mark: bytes) -> None:
        self.kind, self.mark = kind, mark


class Origin:
    """Whether a store and its memories are the user's own. It is computed on first use."""

    def __init__(self, where: Layout) -> None:
        self._where = where
        self._kind = ""

    @property
    def is_own(self) -> bool:
        """Return whether the store was made or trusted here, and git has not replaced its files since."""
        return self.kind in (PRIVATE, SHARED)

    @property
    def kind(self) -> str:
        """Return how a store is trusted: PRIVATE, SHARED, REPLACED or SEEN."""
        self._kind = self._kind or _kind(self._where)
        return self._kind

    def of(self, folded: str) -> str:
        """Return the origin of a memory, given its origin in the fold. Only this function decides about origins."""
        return folded if self.is_own else CLONE

    def notice(self) -> tuple[str, ...]:
        """Return the line about an untrusted store. Empty for an own one."""
        return () if self.is_own else (REPLACED_NOTICE if self.kind == REPLACED else NOTICE,)


def _kind(where: Layout) -> str:
    """Return a store's kind. Git is run for a private store if its index has changed since the last run."""
    if not where.exists():
        return PRIVATE
    known = read(where)
    if known is None:
        return _kind_without_note(where)
    if known.kind not in (PRIVATE, TRUSTED):
        return known.kind if known.kind in (SHARED, REPLACED) else _kind_of_main(where) or SEEN
    if not _tracks(where):  # a git that cannot be asked has not brought a file either
        if known.kind == TRUSTED:
            note(where, PRIVATE)
        return PRIVATE
    now = SHARED if known.kind == TRUSTED else REPLACED
    note(where, now)
    return now


def _kind_without_note(where: Layout) -> str:
    """Return the kind of a store that was neither made nor trusted here.

    In a linked worktree it has the trust of the main worktree's shared store. Without memories it contains nobody
    else's words. Nor does the user store come with a project. If no note can be kept, git decides.
    """
    if kind := _kind_of_main(where):
        return kind
    if (is_new(where) or where.is_user or folder() is None) and _tracks(where) is False:
        return PRIVATE
    return SEEN


def _kind_of_main(where: Layout) -> str:
    """Return SHARED in a linked worktree if its main worktree's shared store was made or trusted here; else ''."""
    main = main_store(where.root)
    known = read(Layout(main)) if main else None
    return SHARED if known is not None and known.kind in (SHARED, TRUSTED) else ""


def is_new(where: Layout) -> bool:
    """Return whether a store has no memory yet, and so no text of other people."""
    return not any(os.path.lexists(os.path.join(where.root, name)) for name in _SPEAKS)


def is_unclaimed(where: Layout) -> bool:
    """Return whether a store has no memory and no note yet, and did not come with a project."""
    return is_new(where) and read(where) is None and Origin(where).is_own


def _tracks(where: Layout) -> bool | None:
    folders = {os.path.realpath(where.root), os.path.realpath(os.path.dirname(where.root))}
    if not any(next(worktrees(folder), None) for folder in folders):
        return False
    from promptx_mem.store.git import tracks

    return tracks(where.root)


def note_new(where: Layout) -> bool:
    """Write the note of a store that was just created or trusted."""
    return note(where, SHARED if _tracks(where) else PRIVATE)


def path() -> str | None:
    """Return the path of the notes; None without a home."""
    folder = state_folder()
    return folder and os.path.join(folder, "stores")


def folder() -> str | None:
    """Return the user's state folder, created if it is missing; None if it cannot be."""
    try:
        notes = path()
        return os.path.dirname(notes) if notes is not None and _make(os.path.dirname(notes)) else None
    except OSError:
        return None


def read(where: Layout) -> Note | None:
    """Return the note of exactly this directory, even after a move. None if there is none.

    A failed read is repeated, since after a temporary error MEMORY.md would show own memories as another person's.
    """
    for _ in range(2):
        try:
            return _read(where)
        except (OSError, StoreError, ValueError):
            continue
    return None


def _read(where: Layout) -> Note | None:
    marks = frozenset(_marks(where))
    status = os.stat(where.root) if marks else None
    if status is None:
        return None
    place, found = [b"%d" % status.st_dev, b"%d" % status.st_ino], None
    for line in _notes():
        words = line.split(b" ", 4)
        if words[0].isdigit():
            words.insert(0, TRUSTED.encode())
        if words[1:3] == place and words[3] in marks:
            found = Note(words[0].decode("ascii", "replace"), words[3])
    return found


def is_noted(where: Layout) -> bool:
    """Return whether exactly this directory was created or trusted here, and git has not replaced its files since."""
    note = read(where)
    return note is not None and note.kind in (PRIVATE, SHARED, TRUSTED)


def note(where: Layout, kind: str) -> bool:
    """Write the note of a store. Return False if this fails."""
    known = read(where)
    if known is not None and known.kind == kind:
        return True
    mark = known.mark if known else os.urandom(_MARK_BYTES).hex().encode()
    try:
        notes = path()
        if notes is None or not _make(os.path.dirname(notes)):
            return False
        if known is None:
            _write_mark(where, mark)
        real = os.path.realpath(where.root)
        status = os.stat(real)
        named = os.fsencode(real).replace(b"%", b"%25").replace(b"\n", b"%0A")
        _append(notes, b"%s %d %d %s %s" % (kind.encode(), status.st_dev, status.st_ino, mark, named))
    except (OSError, StoreError, ValueError):
        return False
    return True


def places() -> list[str]:
    """Return the paths of all stores that were made, trusted or read here, whether or not they still exist."""
    try:
        return [_path(line) for line in _notes() if line.count(b" ") > 2]
    except OSError:
        return []


def gone(folder: str) -> str:
    """Return the path of a missing store in this folder or above it that was created or trusted here."""
    try:
        noted = {_path(line) for line in _notes() if line.count(b" ") > 2 and not line.startswith(SEEN.encode())}
    except OSError:
        return ""
    folder = os.path.realpath(folder)
    while noted:
        place = os.path.join(folder, DIRECTORY)
        if os.path.lexists(place):
            return ""
        if place in noted:
            return place
        parent = os.path.dirname(folder)
        if parent == folder:
            break
        folder = parent
    return ""


def was_there(where: Layout) -> bool:
    """Return whether another store was made or trusted at this path before."""
    return places().count(os.path.realpath(where.root)) > 1


def _path(line: bytes) -> str:
    place = line.split(b" ", 3 if line[:1].isdigit() else 4)[-1]
    return os.fsdecode(place.replace(b"%0A", b"\n").replace(b"%25", b"%"))


def identity(where: Layout, *, create: bool = False) -> str:
    """Return a unique name of this directory. A clone, or a directory with the same inode, has another name.

    Empty if it has none and `create` is False, or if it cannot be stored.
    """
    found, status = read(where), os.stat(where.root)
    if found is None and create and status.st_mode & stat.S_IWUSR and note(where, SEEN):
        found = read(where)
    if found is None:
        return ""
    return digest(b"%d %d %s" % (status.st_dev, status.st_ino, found.mark), 10)


def _write_mark(where: Layout, mark: bytes) -> None:
    """Add a mark to the store's `.own`. Raises OSError, StoreError."""
    with files.opened(where.own, os.O_RDWR | os.O_APPEND, where.mode) as fd:
        if os.fstat(fd).st_size > _MAX_OWN // 2:
            os.ftruncate(fd, 0)
        os.write(fd, b"\n" + mark + b"\n")
        files.sync(fd)


def _marks(where: Layout) -> list[bytes]:
    """Return the marks in a store: of each user who trusted it, or, in a clone, of anybody."""
    lines = (files.read(where.own, 0, _MAX_OWN) or b"").split(b"\n")
    return [line for line in lines if len(line) == 2 * _MARK_BYTES and line.isalnum()]


def _notes() -> Iterator[bytes]:
    """Yield the lines of the notes if only the user can have written them."""
    notes = path()
    if notes is None:
        return
    fd = os.open(notes, _READ)
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode) or not is_trusted(status) or status.st_mode & 0o022:
            return
        yield from _tail(fd, status.st_size, MAX_BYTES).split(b"\n")
    finally:
        os.close(fd)


def _tail(fd: int, size: int, most: int) -> bytes:
    """Return the last bytes of a file, from the beginning of a line on."""
    if size <= most:
        return os.pread(fd, most, 0)
    return os.pread(fd, most, size - most).partition(b"\n")[2]


def _append(notes: str, line: bytes) -> None:
    """Append a line in one write, so that concurrent writers do not mix. Raises OSError."""
    fd = os.open(notes, _APPEND, 0o600)
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode) or not is_trusted(status):
            raise PermissionError(f"{notes} is not the user's own file")
        if status.st_size > MAX_BYTES:
            files.replace(notes, _tail(fd, status.st_size, MAX_BYTES // 2) + line + b"\n", 0o600)
            return
        # A newline first: the line before may have been cut short.
        os.write(fd, b"\n" + line + b"\n")
        files.sync(fd)  # a lost note would make the user's own store an untrusted one
    finally:
        os.close(fd)


def _make(folder: str) -> bool:
    """Create the private directory of the notes. Return False if it would belong to somebody else, as with sudo."""
    missing = []
    while not os.path.isdir(folder):
        missing.append(folder)
        parent = os.path.dirname(folder)
        if parent == folder:
            return False
        folder = parent
    if hasattr(os, "geteuid") and os.stat(folder).st_uid != os.geteuid():
        return False
    for directory in reversed(missing):
        try:
            os.mkdir(directory, 0o700)
        except FileExistsError:  # another command has made it meanwhile
            continue
    return True
