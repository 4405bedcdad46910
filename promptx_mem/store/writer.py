"""Writes to a store: the creation of its folder, and all changes that need the lock."""

import contextlib
import datetime
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from promptx_mem import session
from promptx_mem.core.journal import Event, format_event
from promptx_mem.errors import BusyError, PromptxMemError, Refused, StoreError, UsageError
from promptx_mem.machine import is_chinese
from promptx_mem.places import OFF, guard_folder, home_store, is_parent_private, is_private, is_same_entry, user_store
from promptx_mem.record import Protocol, TypeVar
from promptx_mem.store import append, audit, checks, disk, files, intent, trust
from promptx_mem.store.append import WAIT_SECONDS, Lock
from promptx_mem.store.files import Identity, StorePath
from promptx_mem.store.layout import DIRECTORY, FILES, FOLDERS, Layout, at, has_other_files

_MEMORY_FILES = ("declarative.md", "journal.jsonl")
_PROMPTX = ".promptx"
_PRIVATE = "*\n"
_SHARED = "\n".join(
    ["*", *(f"!{n}" for n in (".gitignore", ".gitattributes", "declarative.md", "journal.jsonl")), "!archive/"]
)
_SHARED += "\n!archive/*.gz\narchive/lost-*\n!config.yaml\n"
_ATTRIBUTES = "declarative.md merge=union -text\njournal.jsonl merge=union -text\narchive/* -text\n"


def create(layout: Layout, *, shared: bool = False) -> Layout:
    """Create a store's missing directory and git files, which hide it unless `shared`. Return its layout."""
    check_place(layout)
    is_made = not layout.exists()
    if is_made:
        _make_parents(os.path.dirname(layout.root))
        disk.make_directory(layout.root, 0o700)
        layout = layout._replace(mode=at(layout.root).mode)
    is_unclaimed = is_made or (trust.is_new(layout) and trust.read(layout) is None and trust.Origin(layout).is_own)
    if is_unclaimed:  # its first memory will be the user's
        trust.record(layout, trust.SHARED if shared else trust.PRIVATE)
    if not is_made and not os.path.lexists(layout.gitignore):
        disk.sync_directory(os.path.dirname(layout.root))  # its creator could have been killed
    templates = ((".gitignore", _SHARED if shared else _PRIVATE), (".gitattributes", _ATTRIBUTES))
    for name, text in templates[is_made_by_another_program(layout) :]:
        path = os.path.join(layout.root, name)
        if files.link_target(path) is not None:
            raise files.wrong_kind(path)
        if not os.path.lexists(path) or (
            shared and name == ".gitignore" and files.read(path, 0, 16) == _PRIVATE.encode()
        ):
            # Durable: an empty .gitignore after a power cut would show private memories to git.
            disk.replace(path, text.encode(), layout.mode, durable=True)
    return layout


def check_place(layout: Layout) -> None:
    """Raise UsageError if promptx-mem is not allowed to write to this store, or to create one here."""
    if has_other_files(layout):
        from promptx_mem.core.shell import quote

        raise UsageError(
            f"{layout.root} is not a store: it contains other files",
            code="not_a_store",
            hint=f"use a separate directory: --memory-dir {quote(os.path.join(layout.root, DIRECTORY))}",
        )
    is_here = is_same_entry(layout.root, user_store())
    is_users_place = is_here or (not layout.named and is_same_entry(layout.root, home_store()))
    if not layout.may_write or (not layout.exists() and not layout.is_user and is_users_place):
        shows, makes = "to see its memories: promptx-mem list --scope user", "to create it: promptx-mem init --user"
        raise UsageError(
            f"{layout.root} is the user store, which applies to all projects"
            if is_here
            else f"{layout.root} is never used as a project's store: your user store is {user_store()}",
            code="user_store",
            hint=shows if layout.exists() else makes,
        )


def has_replaced(layout: Layout) -> bool:
    """Return whether another store was recorded at this store's path. Each process that creates a store records it."""
    root = os.path.realpath(layout.root)
    with contextlib.suppress(OSError, StoreError):
        marks = {mark for _, _, mark, place in trust.records() if place == root}
        return not marks <= set(trust.marks(layout))  # a mark is written to the store before it is recorded
    return False


def _make_parents(path: str) -> None:
    if not os.path.isdir(path):
        _make_parents(os.path.dirname(path))
        disk.make_directory(path, 0o700)


def is_made_by_another_program(layout: Layout) -> bool:
    """Return whether another program, such as PromptX, created this folder. Then no .gitignore is written."""
    if os.path.basename(layout.root) == DIRECTORY or os.path.lexists(layout.gitignore):
        return False
    if os.path.basename(os.path.dirname(layout.root)) == _PROMPTX:  # even if PromptX has stored nothing yet
        return True
    # promptx-mem writes .gitignore first. If one of these files exists, .gitignore was left out on purpose.
    return any(os.path.lexists(os.path.join(layout.root, name)) for name in ("declarative.md", ".gitattributes"))


HEADERS = (b"# Memories\n\n", "# 陈述性记忆\n\n".encode())
"""First bytes of a new declarative.md, in English and in Chinese."""

_T = TypeVar("_T")
_LOCK_TRIES = 3


class Writer:
    """The writes of one command while it holds the lock. When a method returns, its memories and events are on disk."""

    def __init__(self, where: Layout, lock: Lock) -> None:
        self.layout = where
        self._lock = lock
        self.committed = False
        self.changes: dict[str, list[Identity]] = {}
        """For each path, the file's identities before and after this writer's appends.

        After a change by another program, the list starts again.
        """
        self.appended: list[tuple[str, bytes]] = []
        """The names of files, each with the bytes that were appended to it."""
        self.unlogged = ""
        """The warning that an audit record was not written; else empty."""

    def add_lines(self, lines: Sequence[str]) -> None:
        """Append memory lines in one write."""
        data = "".join(line + "\n" for line in lines).encode()
        self._append(self.layout.declarative, data, HEADERS[is_chinese()])

    def add_events(self, events: Sequence[Event]) -> None:
        """Append journal events in one write."""
        self.add_raw(events="".join(format_event(event) + "\n" for event in events).encode())

    def add_raw(self, *, lines: bytes = b"", events: bytes = b"") -> None:
        """Append lines and events unchanged. The events are appended first."""
        if events:
            self._append(self.layout.journal, events)
        if lines:
            self._append(self.layout.declarative, lines)

    def carry_over(self, today: str) -> int:
        """Move the recalls before `today` (an ISO date) from `.recalled` to the journal. Return the number of ids."""
        from promptx_mem.store import rewrite

        over, size = rewrite.past_recalls(self.layout, today)
        if over:
            lines = {line for line in (files.read(self.layout.journal) or b"").split(b"\n") if b'"recalled"' in line}
            if fresh := [event for event in over if format_event(event).encode() not in lines]:
                self.add_events(fresh)
        rewrite.drop_recalls(self.layout, size)
        return sum(len(event.ids) for event in over)

    def carry_over_if_large(self, today: str) -> int:
        """Call `carry_over` if `.recalled` exceeds CARRY_BYTES. Every writer calls this, so errors are ignored."""
        with contextlib.suppress(OSError, PromptxMemError):
            if (identity := files.identity(self.layout.recalled)) is not None:
                from promptx_mem.store import recalled

                return self.carry_over(today) if identity[2] > recalled.CARRY_BYTES else 0
        return 0

    def note(self, records: list[audit.Record], now: datetime.datetime) -> None:
        """Append records to the audit log. After an error, set `unlogged`, which the command prints as a warning."""
        try:
            with disk.disk_errors():
                is_large = audit.append(self.layout, records)
        except StoreError as error:
            self.unlogged = f"the audit record was not written: {error.in_one_line()}"
            return
        if is_large:
            from promptx_mem.store import rewrite

            rewrite.rotate_audit(self.layout, now)

    def take_out(self, path: str, data: bytes, ranges: Sequence[tuple[int, int]]) -> int:
        """Remove byte ranges from a file that was read as `data`. Return the number of bytes removed.

        Raises BusyError if another program has changed the file.
        """
        from promptx_mem.store import rewrite

        size = self._locked(lambda: rewrite.without(self.layout, path, data, ranges, self._lock.still_ours))
        intent.clear(self.layout)  # records that MEMORY.md is out of date
        return size

    def _append(self, path: str, data: bytes, header: bytes = b"") -> None:
        def work() -> list[Identity]:
            append.finish_interrupted(self.layout)
            return append.append_settled(self.layout, path, data, header=header, allowed=self._lock.still_ours)

        identities = self._locked(work)
        history = self.changes.get(path, [])
        self.changes[path] = history + identities[1:] if identities and history[-1:] == identities[:1] else identities
        self.appended.append((os.path.basename(path), data))

    def _locked(self, work: Callable[[], _T]) -> _T:
        try:
            result = work()
        except append.LockLostError:
            if not self.committed:
                raise
            # The work cannot start again, so it continues under the new lock file, for which other writers wait.
            self._lock = Lock(self.layout.lock, self.layout.mode)
            with self._lock.hold():
                result = work()
        self.committed = True
        return result


class Target(Protocol):
    """The attributes of `Store` that `run` uses."""

    layout: Layout
    committed: bool
    unlogged: str
    is_new: bool
    finish: Callable[[Writer], None]
    can_go_on: Callable[[Exception], bool]


def run(store: Target, work: Callable[[Writer], _T], wait: float | None) -> _T:
    """Create the store if it is missing, and call `work` while its lock is held: see `Store.write`."""
    if is_private() or (is_parent_private() and session.is_in_host()):  # an agent can change its own variables
        hint = f"to store it anyway, put this before the command: env -u {OFF}" if session.is_person() else ""
        raise Refused(f"this session is private ({OFF} is set): nothing is stored", code="private", hint=hint)
    is_missing = not store.layout.exists()
    with disk.disk_errors():
        try:
            return _run(store, work, wait)
        finally:
            store.is_new = store.is_new or (is_missing and store.layout.exists())


def _run(store: Target, work: Callable[[Writer], _T], wait: float | None) -> _T:
    where = store.layout = create(store.layout)
    failed = False
    for _ in range(_LOCK_TRIES):
        lock = Lock(where.lock, where.mode)
        writer = Writer(where, lock)
        results: list[_T] = []
        try:
            with lock.hold(WAIT_SECONDS if wait is None else wait):
                with _acknowledging(writer):
                    _recover(where, lock, store.finish)
                    results.append(work(writer))
                if writer.committed:
                    _keep_check(where, writer.changes, (data for _, data in writer.appended))
        except append.LockLostError:
            continue
        except PromptxMemError:
            raise
        except OSError:  # if the lock cannot be released, the work is still done
            if not results:
                raise
        except Exception as error:
            if failed or writer.committed or not store.can_go_on(error):
                raise
            failed = True
            continue
        finally:
            store.committed = store.committed or writer.committed
            store.unlogged = store.unlogged or writer.unlogged
        return results[0]
    raise BusyError("another program keeps deleting the store's .lock", hint="stop that program, then try again")


def _keep_check(layout: Layout, changes: Mapping[str, Sequence[Identity]], appended: Iterable[bytes]) -> None:
    """Keep the result of the last comparison valid after promptx-mem's own appends. The caller holds the lock.

    The result becomes invalid if another program changed a file, or if an append contains the id of a missing memory.
    """
    with contextlib.suppress(OSError, StoreError):
        known = checks.stored_comparison(layout)
        if known is None or known[0] == (now := checks.stamps(layout, known[1].stash)):
            return
        paths = (layout.declarative, layout.journal, known[1].stash)
        steps = zip(paths, known[0], now, strict=True)
        if not all(_follows(before, after, changes.get(path, ())) for path, before, after in steps):
            return
        lost, needles = known[1], [ident.encode() for ident in known[1].ids]
        is_complete = lost.lines + lost.events == 0 or 0 < len(needles) < checks.MOST_IDS
        if is_complete and not any(needle in data for data in appended for needle in needles):
            intent.store_comparison(layout, now, lost)


def _follows(before: Identity | None, after: Identity | None, steps: Sequence[Identity]) -> bool:
    """Return whether a file is unchanged except by promptx-mem's appends. `steps` has its identities."""
    if before == after:
        return True
    is_first = bool(steps) and (before in steps or (before is None and steps[0][2] == 0))
    return is_first and steps[-1] == after


@contextlib.contextmanager
def _acknowledging(writer: Writer) -> Iterator[None]:
    """Record the writes in this `with` block as promptx-mem's own, if the guard (which checks tool calls) is in use."""
    if guard_folder(writer.layout.root) is None:
        yield
        return
    from promptx_mem.store import acknowledged

    write = acknowledged.Write(writer.layout.root)
    try:
        yield
    finally:
        write.done(writer.changes, writer.appended)


def _recover(where: Layout, lock: Lock, finish: Callable[[Writer], None]) -> None:
    names = check_files(where)
    append.finish_interrupted(where)
    if any(name.endswith((".old", disk.TEMPORARY)) for name in names):
        from promptx_mem.store import rewrite

        rewrite.recover(where, names)
    if os.path.basename(where.purge) in names:
        finish(Writer(where, lock))


def check_files(where: Layout) -> list[str]:
    """Check the files in the store's folder before a write. Return all names in the folder.

    Raises StoreError if a file of the store is a link, or if declarative.md or journal.jsonl is not a regular file.
    """
    listing: dict[str, os.DirEntry[str]] = {}
    with contextlib.suppress(FileNotFoundError), os.scandir(where.root) as entries:
        listing |= {entry.name: entry for entry in entries}
    for name in (*FILES, *FOLDERS):
        entry = listing.get(name)
        if entry and (entry.is_symlink() or (name in _MEMORY_FILES and not entry.is_file(follow_symlinks=False))):
            raise files.wrong_kind(StorePath(where.root, (name,)))
    return list(listing)
