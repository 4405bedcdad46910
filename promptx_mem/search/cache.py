"""The cache: a SQLite file with the state and the search index of all memories. It can be deleted at any time."""

import contextlib
import os
import sqlite3
import stat
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from sqlite3 import sqlite_version

from promptx_mem import machine
from promptx_mem.core.entry import Entry
from promptx_mem.core.ids import short_hash
from promptx_mem.core.json_text import dumps, loads
from promptx_mem.core.state import BAND_EPISODE, DECIDED, NEVER, OWN, State
from promptx_mem.record import Any, NamedTuple, Self
from promptx_mem.store import files, trust
from promptx_mem.store.files import Path, StorePath
from promptx_mem.store.layout import Layout

VERSION = 28
"""Version of the cache. Increase it with every change of the tables, the terms, the parser or the fold."""

_BESIDE = ("-journal", "-wal")
"""Suffixes of files that SQLite reads together with a database file. We create none, since our journal is in memory."""

NEW = ".new"
"""Suffix of a cache file that is still being filled."""

_STAMP_BYTES = 200
_TRIES, _PAUSE = 8, 0.004
OPEN = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
OTHERS = stat.S_IWGRP | stat.S_IWOTH

MEMORIES, TALKS = "", "talks"
"""The kinds of caches: for memories and for messages. A store without conversations has only the first kind."""


class Place(NamedTuple):
    """The folder and name of a cache.

    `inside`: the folder is in the store. `names`: the names of the store's caches of both kinds.
    """

    folder: StorePath
    name: str
    inside: bool
    names: tuple[str, ...]

    @property
    def path(self) -> str:
        return os.path.join(str(self.folder), f"{self.name}.db")

    @property
    def stamp(self) -> str:
        return os.path.join(str(self.folder), f"{self.name}.stamp")


def places(where: Layout, kind: str = MEMORIES, *, create: bool = False) -> Iterator[Place]:
    """Yield the possible locations of a cache of this store, the best first; nothing if the store does not exist.

    In the user's folder, a cache is named after the identity of the store's directory. With `create`, a directory
    without an identity gets one.
    """
    try:
        root = os.stat(where.root)
    except OSError:
        return
    secret = machine.secret()
    if secret and is_ours(root, stat.S_IFDIR):  # users who can write to the store could replace the cache's folder
        names = _names(root, secret, "")
        yield Place(where.cache_directory, names[kind == TALKS], True, names)
    if folder := user_folder():
        # Without an identity (the store can be read-only), the key changes with the store's files.
        own_files = (where.declarative, where.journal, where.episodes)
        key = trust.identity(where, create=create) or repr([files.identity(path) for path in own_files])
        names = _names(root, secret or machine.boot(), key)
        yield Place(folder, names[kind == TALKS], False, names)


def _names(root: os.stat_result, secret: str, key: str) -> tuple[str, str]:
    made_by = f"{VERSION} {sqlite_version} {secret} {root.st_dev} {root.st_ino} {os.geteuid()}{key}"
    memories, talks = (short_hash(made_by + each, 10) for each in (MEMORIES, TALKS))
    return f"{prefix(root)}-{memories}", f"{prefix(root)}-{talks}"


def prefix(root: os.stat_result) -> str:
    """Return the common prefix of a store's cache names. Every version of promptx-mem uses the same prefix."""
    return short_hash(f"{root.st_dev} {root.st_ino} {os.geteuid()}", 5)


def user_folder() -> StorePath | None:
    """Return the user's folder for caches; None if its path is not absolute."""
    home = os.path.expanduser("~")
    folder = os.path.join(home, "Library/Caches") if machine.is_mac() else os.path.join(home, ".cache")
    folder = os.environ.get("XDG_CACHE_HOME") or folder
    return StorePath(folder, ("promptx-mem",)) if os.path.isabs(folder) else None


def is_ours(status: os.stat_result, kind: int) -> bool:
    """Return whether the user owns a file with one hard link, or a folder to which nobody else can write."""
    if stat.S_IFMT(status.st_mode) != kind or status.st_uid != os.geteuid():
        return False
    return status.st_nlink == 1 if kind == stat.S_IFREG else not status.st_mode & OTHERS


def own_folder(path: StorePath) -> bool:
    """Return whether a path is a real directory (not a link) of this user, to which nobody else can write."""
    try:
        return is_ours(os.lstat(str(path)), stat.S_IFDIR)
    except OSError:
        return False


def safe_inode(place: Place) -> int | None:
    """Return the inode of the cache; None if it is missing, unsafe or changed by another program."""
    return None if not own_folder(place.folder) or has_sqlite_files(place) else inode_if_stamped(place)


def inode_if_stamped(place: Place) -> int | None:
    """Return the inode of the cache; None if it is missing, unsafe, or differs from the stamp of our last write.

    If another process is writing, wait a moment. The file is not opened, since closing it would release SQLite's locks.
    """
    for _ in range(_TRIES):
        try:
            status = os.lstat(place.path)
        except OSError:
            return None
        if not is_ours(status, stat.S_IFREG):
            return None
        if _read_stamp(place) == stamp_of(status):
            return status.st_ino
        if abs(time.time() - status.st_ctime) > 1:
            return None
        time.sleep(_PAUSE)
    return None


def has_sqlite_files(place: Place) -> bool:
    """Return whether there is another file, such as a journal, that SQLite would read with the cache."""
    return any(os.path.lexists(place.path + end) for end in _BESIDE)


def stamp_of(status: os.stat_result) -> bytes:
    """Return the stamp of a cache file with this status."""
    parts = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
    return (b"%d %d %d %d %d" % parts).ljust(_STAMP_BYTES)


def _read_stamp(place: Place) -> bytes:
    with contextlib.suppress(OSError):
        fd = os.open(place.stamp, os.O_RDONLY | OPEN)
        try:
            return os.read(fd, _STAMP_BYTES)
        finally:
            os.close(fd)
    return b""


_VARIABLES = 480
"""Maximum number of values in an IN list. SQLite before 3.32 accepts 999 variables in a whole statement."""

_STEP = 16


def select(db: sqlite3.Connection, query: str, values: Iterable[Any], after: Iterable[Any] = ()) -> Iterator[Any]:
    """Yield the rows of a query in which `{}` stands for the `values` of SQL's IN. Other parameters come `after` these.

    The values are passed in portions. The last value is repeated to fill a portion, so that few statements differ.
    """
    every = list(values)
    for start in range(0, len(every), _VARIABLES):
        some = every[start : start + _VARIABLES]
        some += some[-1:] * (-len(some) % _STEP)
        yield from db.execute(query.format(",".join("?" * len(some))), (*some, *after)).fetchall()


DAMAGE = (sqlite3.Error, ValueError, LookupError, TypeError, AttributeError, ArithmeticError)
"""Errors that a damaged cache causes. Code that reads the store's files raises none of them."""

_BUSY_SECONDS = 0.2
_LONGEST_VALUE = 1 << 28
"""Maximum size in bytes of a text or blob that SQLite reads. We write only far smaller values."""


BY_ID = "rowid = (SELECT row FROM lines WHERE id = ? AND row IS NOT NULL LIMIT 1)"
"""SQL condition for the row of an id. It uses the index of `lines`, so `memories` needs no index of ids."""

Progress = Callable[[int, int], None]
"""A function that is called with the number of finished memories or messages and the number of all."""
COLUMNS = (
    "id, hash, text, tags, score, duration, category, type, topic, session, source, verified, at, first_at, "
    "importance, accessed, fresh_at, ends_at, end, superseded_by, fading_at, promotion_at, archived, extra, origin, "
    "band, unscored_until"
)

_OTHER_FIELDS = tuple(Entry._field_defaults.values())[Entry._fields.index("session") :]
"""The default values of the fields after `session`."""

# number of columns, with rowid
_WIDTH = COLUMNS.count(",") + 2


def to_state(row: sqlite3.Row) -> State:
    """Return the memory in a row that begins with rowid and COLUMNS."""
    return _state(row[:_WIDTH])


@lru_cache(maxsize=2048)  # a process that answers several calls reads the same memories again
def _state(row: tuple[Any, ...]) -> State:
    (
        _rowid, ident, _hash, text, tags, score, duration, category, kind, topic, session, source, verified,
        at, first_at, importance, accessed, fresh_at, ends_at, end, superseded_by, fading_at, promotion_at,
        _archived, extra, origin, _band, unscored_until,
    ) = row  # fmt: skip
    entry = Entry(
        text, tuple(tags.split()), score, duration, ident, at, topic, (), None, category, kind, source, bool(verified),
        session, *_OTHER_FIELDS,
    )  # fmt: skip
    if extra:
        more: dict[str, Any] = loads(extra)
        more = {key: tuple(value) if isinstance(value, list) else value for key, value in more.items()}
        entry = entry._replace(**more)
    return State(
        entry, first_at, entry.tags, entry.score, entry.duration, entry.category, entry.verified, importance, accessed,
        fresh_at, ends_at, end, tuple(superseded_by.split()), NEVER if fading_at is None else fading_at,
        NEVER if promotion_at is None else promotion_at, origin or OWN, unscored_until or 0.0,
    )  # fmt: skip


def row_of(db: sqlite3.Connection, ident: str) -> sqlite3.Row | None:
    """Return a memory's row in `memories`; None if there is none."""
    row: sqlite3.Row | None = db.execute(f"SELECT * FROM memories WHERE {BY_ID}", (ident,)).fetchone()  # noqa: S608 - a constant
    return row


UNDECIDED = f"(end IS NULL OR end NOT IN ({','.join(map(repr, sorted(DECIDED)))}))"
"""SQL condition: nobody has ended the memory. It may have expired by time."""

LIVING = f"{UNDECIDED} AND ends_at > ?"
TALKING = f"{UNDECIDED} AND (ends_at > ? OR band = {BAND_EPISODE})"
UNPURGED = "(end IS NULL OR end <> 'purged')"
UNSCORED = "ifnull(unscored_until, 0) > ?"


class Cache:
    """A connection to the cache of a store. The modules `follow` and `build` bring the cache up to date.

    Without a `place`, the cache is in memory. After `hold`, no other process can write to the cache, so reads are
    consistent.
    """

    def __init__(self, where: Layout, db: sqlite3.Connection, spot: Place | None = None, inode: int = 0) -> None:
        self.layout = where
        self.place = spot
        self.inode = inode
        self.is_new = False
        """True if the cache was updated or rebuilt when it was opened, unless only `.recalled` had changed."""
        self.db = db
        db.row_factory = sqlite3.Row

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection, or release the lock and keep the connection for the next use (see `keep_open`)."""
        if _keeps and self.place is not None and self.place.path not in _idle:
            with contextlib.suppress(sqlite3.Error):
                if self.db.in_transaction:
                    self.db.execute("ROLLBACK")
                _idle[self.place.path] = self.inode, self.db
                return
        self.db.close()

    def become(self, cache: "Cache") -> None:
        """Close this connection, and use the connection of another Cache instead."""
        self.close()
        self.place, self.inode, self.db = cache.place, cache.inode, cache.db

    def hold(self) -> bool:
        """Lock the cache for reading. Return False if another program has changed the file."""
        if self.place is None:
            return True
        if self.db.in_transaction:
            self.db.execute("ROLLBACK")
        self.db.execute("BEGIN")
        self.db.execute("SELECT 1 FROM meta LIMIT 1").fetchone()  # the lock is taken by this read, not by BEGIN
        return inode_if_stamped(self.place) == self.inode

    def meta(self, key: str) -> str:
        row = self.db.execute("SELECT value FROM meta WHERE key=?", (key,)).fetchone()
        return "" if row is None else str(row[0])

    def set_meta(self, **values: object) -> None:
        self.db.executemany("INSERT OR REPLACE INTO meta VALUES (?,?)", list(values.items()))

    def state(self, ident: str) -> State | None:
        row = row_of(self.db, ident)
        return None if row is None else to_state(row)

    def total(self) -> int:
        """Return the number of memories, including ended memories."""
        return indexed(self.db)

    def has(self, rows: str, *params: object) -> bool:
        """Return whether there is a row. `rows` is SQL: a table and a condition."""
        return self.db.execute(f"SELECT 1 FROM {rows} LIMIT 1", params).fetchone() is not None  # noqa: S608 - conditions of ours

    def states_where(self, condition: str, *params: object) -> list[State]:
        """Return the memories that meet an SQL condition, which can end in ORDER BY and LIMIT."""
        query = f"SELECT * FROM memories WHERE {condition}"  # noqa: S608 - conditions of ours
        return list(map(to_state, self.db.execute(query, params)))

    def states_at(self, rowids: Sequence[int]) -> dict[int, State]:
        """Return the memories in these rows, by rowid."""
        rows = select(self.db, "SELECT * FROM memories WHERE rowid IN ({})", rowids)
        return {row[0]: to_state(row) for row in rows}

    def states_by_id(self, ids: Collection[str]) -> dict[str, tuple[int, State]]:
        """Return rowid and memory, by id. Ids without a memory are left out."""
        query = "SELECT memories.*, lines.id FROM lines JOIN memories ON memories.rowid = row WHERE lines.id IN ({})"
        return {row[-1]: (row[0], to_state(row)) for row in select(self.db, query, ids)}

    def has_conflicts(self) -> bool:
        """Return whether a merge has left conflict markers in the files."""
        return self.meta("conflicts") not in ("", "0")

    def warnings(self) -> list[str]:
        """Return up to two warnings: about conflict markers, and about a lost record of the memories' authors."""
        out = []
        if self.has_conflicts():
            out.append("a merge left conflict markers in the store; to remove them: promptx-mem decay --compact")
        if self.meta("unknown") == "1":
            lost = "the record of authors is lost, so all memories are marked member:_"
            out.append(f"{lost}; for details: promptx-mem audit --verify")
        return out


def connect(where: Layout, kind: str = MEMORIES) -> Cache | None:
    """Open and lock the cache for reading. Return None if it is missing, unsafe or changed by another program.

    The cache can be older than the store's files. It is written without syncs, so a crash of the machine could damage
    the cache. Therefore the name depends on the last start of the machine, and a cache is not used after a restart.
    """
    for spot in places(where, kind):
        inode = safe_inode(spot)
        idle_inode, idle = _idle.pop(spot.path, (None, None))
        if idle is not None and idle_inode != inode:
            idle.close()
            idle = None
        if inode is None:
            continue
        with contextlib.suppress(sqlite3.Error):
            cache = Cache(where, idle or _opened(spot), spot, inode)
            with contextlib.suppress(sqlite3.Error):
                if cache.hold():
                    return cache
            cache.db.close()
    return None


def _opened(spot: Place) -> sqlite3.Connection:
    db = sqlite3.connect(spot.path, timeout=_BUSY_SECONDS, isolation_level=None)
    try:
        db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
        # Without a journal file, a killed write cannot be undone. The stamp shows such a write; the cache is rebuilt.
        db.executescript("PRAGMA synchronous=OFF; PRAGMA journal_mode=MEMORY; PRAGMA temp_store=MEMORY;")
    except sqlite3.Error:
        db.close()
        raise
    return db


_keeps = False
_idle: dict[str, tuple[int, sqlite3.Connection]] = {}
"""By the path of the cache: its inode and an unused connection (see `keep_open`)."""


def keep_open() -> None:
    """Let `Cache.close` keep connections open for the next use, which must be in the same thread."""
    global _keeps  # noqa: PLW0603 - set once per process
    _keeps = True


def stamps_of(where: Layout) -> dict[str, str]:
    """Return the identities of the store's files. If two calls return equal values, no file was written in between."""
    return {
        "declarative": identity(where.declarative),
        "journal": identity(where.journal),
        "archive": archive_identity(where),
        "recalled": identity(where.recalled),
        "episodes": identity(where.episodes),
    }


def changed(cache: Cache) -> set[str]:
    """Return the names of the files that have changed since they were indexed; "members" for a restored record."""
    names = {name for name, stamp in stamps_of(cache.layout).items() if cache.meta(name) != stamp}
    if cache.meta("unknown") == "1":
        from promptx_mem.store import members  # for few stores

        if not members.read(cache.layout, ()).unknown:
            names.add("members")
    return names


def identity(path: Path) -> str:
    try:
        return dumps(files.identity(path), space=" ")
    except PermissionError:  # the folder cannot be opened, so the file is not in the cache
        return "unreadable"


def archive_identity(where: Layout) -> str:
    names = None
    with contextlib.suppress(PermissionError):
        if files.status(where.archive) is None:
            return "[]"
        from promptx_mem.store import archive

        names = archive.names(where)
    return dumps(names and [(name, files.identity(where.archive / name)) for name in names], space=" ")


def indexed(db: sqlite3.Connection) -> int:
    """Return the number of indexed texts. It is read from the index's blocks, since counting rows takes longer."""
    return int(db.execute("SELECT coalesce(sum(docs), 0) FROM lex_blocks").fetchone()[0])


def is_any_contradicted(cache: Cache, ids: Collection[str] | None = None) -> bool:
    """Return whether any memory, or one of these, was ever suspected of contradicting another."""
    if ids is None or not cache.has("suspected"):
        return ids is None and cache.has("suspected")
    queries = (f"SELECT 1 FROM suspected WHERE {name} IN ({{}})" for name in ("newer", "older"))  # noqa: S608 - names of ours
    return any(True for query in queries for _ in select(cache.db, query, ids))
