"""Rebuild of the cache from all files: in the first folder of `places` that can be used, or else in memory.

The folder of a cache is created so that only the user can write to it. Old caches in this folder are removed. `compare`
checks a cache row by row against a new cache that is built in memory.
"""

import contextlib
import errno
import fcntl
import gc
import os
import re
import sqlite3
import stat
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from promptx_mem.core import document as conflicts
from promptx_mem.core.entry import Entry
from promptx_mem.core.fold import fold_all
from promptx_mem.core.ids import normalise
from promptx_mem.core.journal import AUTOMATIC_KINDS, format_event, latest, parse_event
from promptx_mem.core.line import format_line, line_key, parse_line, with_offset
from promptx_mem.core.state import State, lives
from promptx_mem.errors import BusyError, StoreError
from promptx_mem.processes import detach
from promptx_mem.processes import read as read_process
from promptx_mem.record import TYPE_CHECKING, NamedTuple
from promptx_mem.search import history, importance, index_write, memories, tables, tokens
from promptx_mem.search.cache import (
    DAMAGE,
    MEMORIES,
    NEW,
    OPEN,
    OTHERS,
    TALKS,
    Cache,
    Place,
    Progress,
    changed,
    connect,
    has_sqlite_files,
    is_ours,
    own_folder,
    places,
    prefix,
    stamps_of,
    user_folder,
)
from promptx_mem.search.writes import file_meta, insert_events, write_stamp
from promptx_mem.store import archive, conversations, disk, files, sources, trust
from promptx_mem.store.append import Lock, is_held
from promptx_mem.store.files import StorePath
from promptx_mem.store.layout import DIRECTORY, Layout
from promptx_mem.store.parsing import Line
from promptx_mem.store.sources import Sources

if TYPE_CHECKING:
    from promptx_mem.store.members import Members


@contextlib.contextmanager
def uncollected() -> Iterator[None]:
    """Turn off garbage collection in a `with` block, since it makes work with growing lists 50 % slower."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@uncollected()
def rebuild(where: Layout, progress: Progress | None = None) -> Cache:
    """Build a new cache, and save vanished lines. Raises OSError or StoreError only if a file cannot be read."""
    before = stamps_of(where)
    stamps = {**before, "seen_at": sources.modified(where.declarative)}
    everything: Sources | None = None
    with contextlib.suppress(OSError, StoreError, sqlite3.Error), new_file(where) as (spot, temporary, db):
        # Read after the file was created: a purge meanwhile removes this file, so it never becomes the cache.
        everything = sources.read(where)
        if not everything.whole:
            raise StoreError("a file of archive/ cannot be read")
        cache = _fill(Cache(where, db), everything, stamps, progress)
        if not save_vanished(where, everything, before):
            os.unlink(temporary)
            return cache
        fresh = publish(where, spot, temporary, db)
        if fresh is not None and all(fresh.meta(name) == value for name, value in stamps.items()):
            return fresh
    return in_memory(where, everything or sources.read(where), stamps, progress)


def save_vanished(where: Layout, everything: Sources, before: dict[str, str]) -> bool:
    """Save the lines and events that the user's old cache has but the files lack, each once, in archive/lost-*.

    `before` is a result of `stamps_of` that is older than `everything`. Returns False if they could not be saved. Then
    the old cache has the only copy, and must not be replaced. Raises OSError.
    """
    old = connect(where)
    if old is None:
        return True
    try:
        # Only a cache in the store, made while the store was the user's, has the user's lines.
        if old.place is None or not old.place.inside or old.meta("own") == "0":
            return True
        purged = latest(everything.events, "purged")
        lines, events = _lost_lines(old, everything, purged), _lost_events(old, everything, purged)
    except DAMAGE:  # the cache is damaged
        return True
    finally:
        old.close()
    # Git branches can remove a line repeatedly, with another comment each time.
    saved = (parse_line(raw) for raw in (archive.lost_lines(where, archive.LINES) if lines else ()))
    known = {(one.entry.id, normalise(one.entry.text)) for one in saved if one is not None}
    raws = [format_line(entry) for entry in lines if (entry.id, normalise(entry.text)) not in known]
    known_events = archive.lost_lines(where, archive.EVENTS) if events else []
    events = [raw for raw in events if raw not in known_events]
    if not raws and not events:
        return True
    # The writers' lock is taken, so that a running purge is not undone. BusyError: another process holds it.
    alone = contextlib.nullcontext() if is_held(where.lock) else Lock(where.lock, where.mode).hold(0.0)
    with contextlib.suppress(BusyError, StoreError), alone:
        if stamps_of(where) == before:
            for some, kind in ((raws, archive.LINES), (events, archive.EVENTS)):
                if some:
                    archive.write(where, archive.LOST, "".join(raw + "\n" for raw in some).encode(), kind)
            return True
    return False


def _lost_lines(old: Cache, everything: Sources, purged: Mapping[str, int]) -> list[Entry]:
    """Return the old cache's memories whose lines are missing from the files, except purged and some edited ones."""
    rows = old.db.execute("SELECT id, max(seen = 1) FROM lines WHERE archived = '' GROUP BY id")
    marks = {row[0]: bool(row[1]) for row in rows}
    missing = sorted(marks.keys() - {line.entry.id for line in everything.lines})
    entries = {ident: state.entry for ident in missing if (state := old.state(ident)) is not None}
    written = (line.entry for line in everything.lines if not line.has_time and line.entry.id not in marks)
    edits = edited_forms(written, entries.values()) if entries else {}
    # Events keep the id of the old text. So an edited line with events is saved too.
    acted_on = {ident for event in everything.events if event.kind not in AUTOMATIC_KINDS for ident in event.ids}
    return [
        with_offset(entry)
        for ident, entry in entries.items()
        if purged.get(ident, 0) <= line_key(entry) and (marks[ident] or ident in acted_on or ident not in edits)
    ]


def _lost_events(old: Cache, everything: Sources, purged: Mapping[str, int]) -> list[str]:
    """Return the old cache's events that are missing from the files, in order, without automatic and purged ones."""
    missing = {raw for (raw,) in old.db.execute("SELECT raw FROM events")}
    missing -= set(everything.journal.decode("utf-8", "replace").split("\n"))
    if missing:
        missing -= {format_event(event) for event in everything.events}
    events = [event for raw in missing if (event := parse_event(raw)) is not None and event.kind not in AUTOMATIC_KINDS]
    kept = [one for one in events if one.kind == "purged" or any(one.k > purged.get(ident, 0) for ident in one.ids)]
    return [format_event(event) for event in sorted(kept, key=lambda event: event.k)]


def publish(where: Layout, spot: Place, temporary: str, db: sqlite3.Connection, kind: str = MEMORIES) -> Cache | None:
    """Replace the cache by a filled file, and open the cache; None if this fails."""
    inode = os.lstat(temporary).st_ino
    os.replace(temporary, spot.path)
    write_stamp(spot, inode)  # SQLite still locks the renamed file, so other processes wait
    db.close()
    return connect(where, kind)


_REBUILD = "import sys; from promptx_mem.usecases import acts; acts.rebuild(sys.argv[1])"


def start(where: Layout) -> None:
    """Start a background process that rebuilds what hooks read, unless one is running. Errors are ignored."""
    for spot in places(where, create=True):
        with contextlib.suppress(OSError, StoreError):
            make_folder(spot, where.directory_mode)
            lock = os.open(os.path.join(str(spot.folder), f"{spot.name}{_LOCK}"), os.O_CREAT | os.O_RDWR | OPEN, 0o600)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                detach(["-c", _REBUILD, os.path.realpath(where.root)], lock)  # the process keeps the lock until it ends
            except BlockingIOError:  # another process rebuilds
                return
            finally:
                os.close(lock)
            return


class Extract(NamedTuple):
    """The part of a larger store that one question needs: the memories, and their origins.

    Each of `pairs` has the ids of two memories that were recorded directly one after the other.
    """

    ids: frozenset[str]
    pairs: frozenset[tuple[str, str]]
    roles: "Members"


def in_memory(
    where: Layout,
    everything: Sources,
    stamps: Mapping[str, str],
    progress: Progress | None = None,
    part: Extract | None = None,
) -> Cache:
    """Build a cache in memory from contents that were already read. If `part` is given, use only this part."""
    db = sqlite3.connect(":memory:", isolation_level=None)
    return _fill(Cache(where, db), everything, stamps, progress, part)


@contextlib.contextmanager
def new_file(where: Layout, kind: str = MEMORIES) -> Iterator[tuple[Place, str, sqlite3.Connection]]:
    """Create a cache file in the first usable folder, or raise OSError. If the block fails, remove the file."""
    spot, path = _first_file(where, kind)
    db: sqlite3.Connection | None = None
    try:
        db = sqlite3.connect(path, isolation_level=None)
        # No other process uses this file yet, so it needs no journal. WAL does not work on network file systems.
        db.executescript("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE;")
        db.execute("PRAGMA cache_size=-65536")  # in KiB: to sort an index in 2 MB, SQLite would write it several times
        yield spot, path, db
    except BaseException:
        if db is not None:
            db.close()
        with contextlib.suppress(OSError):
            os.unlink(path)
        raise


def _first_file(where: Layout, kind: str) -> tuple[Place, str]:
    is_named = os.path.basename(where.root) == DIRECTORY or os.path.lexists(where.declarative)
    if not (is_named and where.exists()):
        raise FileNotFoundError(where.root)
    for spot in places(where, kind, create=True):
        # The process id shows whether the file is still needed. Containers can share an id.
        path = os.path.join(str(spot.folder), f"{spot.name}.{os.getpid():08x}{os.urandom(2).hex()}{NEW}")
        with contextlib.suppress(OSError, StoreError):
            make_folder(spot, where.directory_mode)
            fd = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600)
            try:
                is_safe = is_ours(os.fstat(fd), stat.S_IFREG)
                if spot.inside and where.mode & 0o077:
                    os.fchmod(fd, where.mode & ~OTHERS)
            finally:
                os.close(fd)
            if is_safe and not has_sqlite_files(spot):
                _sweep_folder(spot)
                if not spot.inside:  # so that the caches can be removed when the store is gone
                    root = os.path.realpath(where.root)
                    name = f"{prefix(os.stat(root))}{_PATH}"
                    if files.read(spot.folder / name) != os.fsencode(root):
                        disk.replace(spot.folder / name, os.fsencode(root), 0o600)
                return spot, path
            os.unlink(path)
    raise FileNotFoundError(where.root)


SCHEMA = """
CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE memories(
    rowid INTEGER PRIMARY KEY, id TEXT NOT NULL, hash TEXT, text TEXT NOT NULL, tags TEXT NOT NULL,
    score REAL NOT NULL, duration NOT NULL, category NOT NULL, type TEXT, topic TEXT, session TEXT,
    source NOT NULL, verified INTEGER NOT NULL, at TEXT NOT NULL, first_at REAL NOT NULL,
    importance REAL NOT NULL, accessed REAL NOT NULL, fresh_at REAL NOT NULL, ends_at REAL NOT NULL, end,
    superseded_by TEXT NOT NULL, fading_at REAL, promotion_at REAL, archived INTEGER NOT NULL,
    extra TEXT, origin TEXT, band INTEGER NOT NULL, unscored_until REAL);
CREATE TABLE topics(
    path TEXT NOT NULL, bound INTEGER NOT NULL, noted REAL NOT NULL, row INTEGER NOT NULL,
    PRIMARY KEY(path, bound, noted, row)) WITHOUT ROWID;
CREATE TABLE tags(tag TEXT NOT NULL, row INTEGER NOT NULL, PRIMARY KEY(tag, row)) WITHOUT ROWID;
CREATE TABLE lines(
    id TEXT NOT NULL, start INTEGER NOT NULL, size INTEGER NOT NULL, archived TEXT NOT NULL, seen INTEGER NOT NULL,
    supersedes TEXT, was TEXT, row INTEGER, PRIMARY KEY(id, archived, start)) WITHOUT ROWID;
CREATE TABLE events(
    number INTEGER PRIMARY KEY, kind TEXT NOT NULL, raw TEXT NOT NULL, recalled_at REAL);
CREATE TABLE acts(id TEXT NOT NULL, event INTEGER NOT NULL, PRIMARY KEY(id, event)) WITHOUT ROWID;
CREATE TABLE suspected(
    event INTEGER PRIMARY KEY, newer TEXT, older TEXT, k INTEGER, hash TEXT, opened REAL, answered INTEGER, reason);
"""

INDEXES = """
CREATE INDEX memories_hash ON memories(hash) WHERE hash IS NOT NULL;
CREATE INDEX memories_session ON memories(session) WHERE session IS NOT NULL;
CREATE INDEX memories_noted ON memories(first_at);
CREATE INDEX topics_row ON topics(row);
CREATE INDEX lines_supersedes ON lines(supersedes) WHERE supersedes IS NOT NULL;
CREATE INDEX lines_unseen ON lines(row) WHERE seen = 0;
CREATE INDEX lines_was ON lines(was) WHERE was IS NOT NULL;
CREATE INDEX memories_unscored ON memories(unscored_until) WHERE unscored_until IS NOT NULL;
CREATE INDEX events_purged ON events(kind) WHERE kind = 'purged';
CREATE INDEX suspected_newer ON suspected(newer);
CREATE INDEX suspected_older ON suspected(older);
CREATE INDEX events_recalled ON events(recalled_at) WHERE recalled_at IS NOT NULL;
"""
"""SQL for the indexes. Creating them after the tables are filled is twice as fast."""


def _fill(
    cache: Cache, everything: Sources, stamps: Mapping[str, str], progress: Progress | None, part: Extract | None = None
) -> Cache:
    db = cache.db
    folded = fold_all((line.entry for line in everything.lines), everything.events)
    # A merge can bring back a purged text. This text must not become a memory, or count for the weights of words.
    states = {ident: state for ident, state in folded.items() if state.end != "purged"}
    if part is not None:
        states = {ident: state for ident, state in states.items() if ident in part.ids}
    roles = history.senders(cache.layout) if part is None else part.roles
    if roles is not None:
        states = roles.mark(states, (line.entry for line in everything.lines))
    archived = {line.entry.id for line in everything.lines if line.archived}
    archived -= {line.entry.id for line in everything.lines if not line.archived}
    db.executescript(SCHEMA + index_write.SCHEMA)
    db.execute("BEGIN")
    # Memories are not sorted by line, since two merges of the same copies can order the lines differently. `tie_keys`
    # orders lines that another program wrote in one second.
    lies = tie_keys(everything.lines)
    ordered = sorted(states.items(), key=lambda item: tables.sort_key(item[1], lies.get(item[0])))
    items: list[tuple[int, State, bool]] = []
    rowid, last = 0, ""
    for ident, state in ordered:  # in a part, one rowid stays unused where memories are left out
        rowid += 1 if part is None or (last, ident) in part.pairs else 2
        last = ident
        items.append((rowid, state, ident in archived))
    history.insert_lines(db, everything.lines, {state.entry.id: rowid for rowid, state, _ in items})
    insert_events(db, everything.events)
    tables.insert(db, items, progress)
    for index in (*INDEXES.strip().split("\n"), *importance.INDEXES):
        db.execute(index)
    for name in ("declarative", "journal", "recalled", "episodes"):
        cache.set_meta(**file_meta(name, stamps[name], getattr(everything, name)))
    cache.set_meta(
        archive=stamps["archive"],
        seen_at=stamps["seen_at"],
        k=max([0, *(event.k for event in everything.events), *(line.entry.k or 0 for line in everything.lines)]),
        problems=sum(problem.message != conflicts.CONFLICT for problem in everything.problems),
        conflicts=sum(problem.message == conflicts.CONFLICT for problem in everything.problems),
        newer=sources.newer(everything.problems),
        whole=int(everything.whole),
        living=sum(lives(state, 0.0) for state in states.values()),
        displaced=0,
        own=int(trust.Origin(cache.layout).is_own),
        unknown=int(roles is not None and roles.unknown),
    )
    db.execute("COMMIT")
    return cache


def tie_keys(lines: Iterable[Line]) -> dict[str, tuple[str, int]]:
    """Return sort keys, by id, for lines whose times do not show their order.

    These are lines without a time, and successive lines with the same second and without `k`. Another program wrote
    these lines. If promptx-mem writes two lines in one second, it gives the later line a `k` (its position).
    """
    out: dict[str, tuple[str, int]] = {}
    before: Entry | None = None
    for number, line in enumerate(lines):
        entry = line.entry
        if not line.has_time:
            out.setdefault(entry.id, ("", number))
        elif before is not None and entry.at == before.at and entry.k is None and before.k is None:
            head, _ = out.setdefault(before.id, (before.id, number - 1))
            out.setdefault(entry.id, (head, number))
        before = entry if line.has_time else None
    return out


STALE_SECONDS = 3600
_PATH = ".path"
_LONGEST_PATH = 8_192
_MONTH = 30 * 86_400
_LOCK = ".lock"
_FORM = re.compile(r"[0-9a-f]{10}-[0-9a-f]{20}\.(?:db|stamp|vectors|lock|([0-9a-f]{8})[0-9a-f]{4}\.new)")
_FIRST_EDITION = re.compile(r"cache\.db(?:[.-].*)?")


def make_folder(where: Place, mode: int) -> None:
    """Create the folder of a cache so that only the user can write to it. Raises OSError.

    A folder in the store gets the permissions `mode`, without writing by others.
    """
    if not where.inside:
        os.makedirs(where.folder.root, mode=0o700, exist_ok=True)
    disk.make_directory(where.folder, mode & ~OTHERS if where.inside else 0o700)
    with files.opened_folder(where.folder) as folder:
        status = os.stat(folder)
        if status.st_mode & OTHERS and status.st_uid == os.geteuid():
            os.chmod(folder, stat.S_IMODE(status.st_mode) & ~OTHERS)
    if not own_folder(where.folder):
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM), str(where.folder))


def sweep_deleted() -> None:
    """In the user's folder, remove the caches of stores that were deleted or moved."""
    folder = user_folder()
    if folder is None:
        return
    with contextlib.suppress(OSError, StoreError):
        names = disk.names(folder)
        for name in names:
            store = name.removesuffix(_PATH)
            if store == name or not _is_gone(folder, name, store):
                continue
            for other in names:
                if other == name or (other.startswith(f"{store}-") and _FORM.fullmatch(other)):
                    disk.unlink(folder / other)


def _is_gone(folder: StorePath, name: str, store: str) -> bool:
    """Return whether the recorded path of a store is missing, or now leads to another directory."""
    try:
        return prefix(os.stat(files.load(folder / name, 0, _LONGEST_PATH))) != store
    except (FileNotFoundError, NotADirectoryError):
        return True
    except (OSError, StoreError, ValueError):
        return False


def _sweep_folder(where: Place) -> None:
    """Remove unused caches: caches of other versions, of killed rebuilds, and from before the machine's last start.

    Files of this store are removed after an hour, files of other stores in the user's folder after a month, and files
    of killed rebuilds at once. The current caches are not removed.
    """
    now = time.time()
    if not where.inside:
        sweep_deleted()
    for name in disk.names(where.folder):
        if not name.endswith(NEW) and name.rpartition(".")[0] in where.names:
            continue
        match = _FORM.fullmatch(name)
        if not (match or (where.inside and _FIRST_EDITION.fullmatch(name))):
            continue
        is_left = match and match[1] and read_process(int(match[1], 16)) is None  # its process was killed
        least = STALE_SECONDS if where.inside or name.startswith(where.name.partition("-")[0]) else _MONTH
        with contextlib.suppress(OSError, StoreError):
            status = files.status(where.folder / name)
            if status and is_ours(status, stat.S_IFREG) and status.st_mtime <= now - (0 if is_left else least):
                disk.unlink(where.folder / name)


def remove_caches(layout: Layout) -> None:
    """Remove every cache and derived file of this store: it could contain purged texts. Raises OSError, StoreError."""
    sweep_deleted()
    own, old = f"{prefix(os.stat(layout.root))}-", time.time() - STALE_SECONDS
    with contextlib.ExitStack() as removals:  # each is carried out, also after an error
        for derived in (layout.act, layout.cited):
            removals.callback(disk.remove, derived)
        for folder in filter(None, (layout.cache_directory, user_folder())):
            for name in conversations.identities(folder):  # without folders and links
                is_inside, status = folder == layout.cache_directory, files.status(folder / name)
                is_first = is_inside and _FIRST_EDITION.fullmatch(name) and status and status.st_mtime <= old
                if is_first or (_FORM.fullmatch(name) and (is_inside or name.startswith(own))):
                    removals.callback(disk.remove, folder / name)


def discard(where: Layout) -> bool:
    """Remove the stamps of the caches after an error, so that the caches are rebuilt. Return whether any existed.

    A stamp shows only changes by other programs, not damage by the disk.
    """
    is_any = False
    for spot in (spot for kind in (MEMORIES, TALKS) for spot in places(where, kind)):
        with contextlib.suppress(OSError):
            os.unlink(spot.stamp)
            is_any = True
    return is_any


def compare(
    where: Layout, everything: Sources, stamps: Mapping[str, str], now: float, progress: Progress | None = None
) -> list[str]:
    """If the cache is current, compare it with `everything`, which was read from files with these `stamps`.

    Return the differences: ids of memories, and other texts.
    """
    present = connect(where)
    if present is None:
        return []
    try:
        if changed(present):
            return []
        with in_memory(where, everything, {**stamps, "seen_at": present.meta("seen_at")}, progress) as fresh:
            return _differences(present, fresh, now)
    except sqlite3.Error as error:
        return [f"it cannot be read ({error})"]
    finally:
        present.close()


def _differences(present: Cache, fresh: Cache, now: float) -> list[str]:
    lying = "SELECT 1 FROM lines WHERE lines.id = memories.id AND lines.row = memories.rowid"
    rows = f"SELECT *, EXISTS ({lying}) FROM memories ORDER BY id"  # noqa: S608 - a constant
    old, new = ({row["id"]: tuple(row)[1:] for row in cache.db.execute(rows)} for cache in (present, fresh))
    # Until a writing command records the time of a hand-written line, the line has the file's time, which changes.
    unseen = {ident for _, ident in memories.unseen(present)}
    out = [
        ident for ident in sorted(old.keys() | new.keys()) if old.get(ident) != new.get(ident) and ident not in unseen
    ]
    lines = "SELECT id, start, size, archived FROM lines ORDER BY 1, 2, 3, 4"
    if [tuple(row) for row in present.db.execute(lines)] != [tuple(row) for row in fresh.db.execute(lines)]:
        out.append("positions of lines")
    if not unseen and importance.active(present, now) != importance.active(fresh, now):
        out.append("number of active memories")
    return out


EDITED_FROM = 0.5
"""Minimum similarity at which a new hand-written line counts as the edited version of a missing line."""


_COMPARED, _RAREST = 64, 16
"""For each of its _RAREST rarest trigrams, a missing line is compared with the first _COMPARED lines that have it."""


def edited_forms(written: Iterable[Entry], missing: Iterable[Entry]) -> dict[str, Entry]:
    """Return the edited versions of missing memories among the `written` ones, by the ids of the missing memories."""
    holders: defaultdict[str, list[Entry]] = defaultdict(list)
    for one in written:
        for gram in tokens.shingles(one.text):
            holders[gram].append(one)
    best: dict[str, tuple[float, str, Entry]] = {}
    for entry in missing if holders else ():
        grams = tokens.shingles(entry.text)
        rarest = sorted(grams & holders.keys(), key=lambda gram: (len(holders[gram]), gram))[:_RAREST]
        near = {one.id: one for gram in rarest for one in holders[gram][:_COMPARED]}
        alike = [(tokens.jaccard(grams, tokens.shingles(one.text)), ident) for ident, one in near.items()]
        share, ident = max(alike, default=(0.0, ""))
        if share >= EDITED_FROM:
            best[ident] = max(best.get(ident, (0.0, "", entry)), (share, entry.id, near[ident]))
    return {ident: edited for _, ident, edited in best.values()}
