"""Store: the files of one memory directory, and the only way to write to them."""

import contextlib
import datetime
import os
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

from promptx_mem.core.journal import Event, format_event
from promptx_mem.errors import BusyError, PromptxMemError, Refused, StoreError
from promptx_mem.private import VARIABLE, is_private
from promptx_mem.store import append, audit, creation, inside, intent, planted, rewrite
from promptx_mem.store.inside import Inside, Path
from promptx_mem.store.layout import Layout
from promptx_mem.store.lock import WAIT_SECONDS, Lock

if TYPE_CHECKING:
    from promptx_mem.store.files import Identity

MAX_BYTES = 10_000_000
WARN_BYTES = MAX_BYTES * 9 // 10
COMPACT_BYTES = MAX_BYTES * 8 // 10
HEADER = "# 陈述性记忆\n\n".encode()

_T = TypeVar("_T")
_LOCK_TRIES = 3
_MAX_DEPTH = 8  # nothing of ours lies deeper than two folders


class Writer:
    """What may be written while the lock is held. Every method returns only when its bytes are on the disk."""

    def __init__(self, where: Layout, lock: Lock) -> None:
        self.layout = where
        self._lock = lock
        self.committed = False
        self.changes: dict[str, list[Identity]] = {}
        """What each file was before and after every append of this writer, since somebody else last changed it."""

    def add_lines(self, lines: Sequence[str]) -> None:
        """Append memory lines in one write."""
        data = "".join(line + "\n" for line in lines).encode()
        self._append(self.layout.declarative, data, HEADER)

    def add_events(self, events: Sequence[Event]) -> None:
        """Append journal events in one write."""
        self._append(self.layout.journal, "".join(format_event(event) + "\n" for event in events).encode(), b"")

    def add_raw(self, *, lines: bytes = b"", events: bytes = b"") -> None:
        """Append bytes that another store holds as they are, the events first."""
        if events:
            self._append(self.layout.journal, events, b"")
        if lines:
            self._append(self.layout.declarative, lines, b"")

    def note(self, records: list[audit.Record], now: datetime.datetime) -> None:
        """Append to the audit log; its errors fail nothing."""
        audit.append(self.layout, records, now)

    def take_out(self, path: str, data: bytes, ranges: Sequence[tuple[int, int]]) -> int:
        """Take byte ranges out of a file whose bytes were `data`; returns the bytes gained. Raises BusyError."""
        size = self._locked(lambda: rewrite.without(self.layout, path, data, ranges, self._lock.still_ours))
        intent.clear(self.layout)  # MEMORY.md may show what is in an archive now
        return size

    def _append(self, path: str, data: bytes, header: bytes) -> None:
        identities = self._locked(lambda: append.append(self.layout, self._lock, path, data, header=header))
        history = self.changes.get(path, [])
        self.changes[path] = history + identities[1:] if identities and history[-1:] == identities[:1] else identities

    def _locked(self, work: Callable[[], _T]) -> _T:
        try:
            result = work()
        except append.LockLostError:
            if not self.committed:
                raise
            # The work cannot start again: go on under the new lock. Nobody who waits for it waits for the old one.
            self._lock = Lock(self.layout.lock, self.layout.mode)
            with self._lock.hold():
                result = work()
        self.committed = True
        return result


class Store:
    """One memory directory. Reading takes no lock; `write` runs its work under the lock."""

    def __init__(self, where: Layout, can_go_on: Callable[[Exception], bool] = lambda _: False) -> None:
        self.layout = where
        self._can_go_on = can_go_on
        self.committed = False
        """Whether anything has been written, by whichever work."""
        self.is_new = False
        """Whether it was made here, to be written to."""

    def write(self, work: Callable[[Writer], _T], wait: float = WAIT_SECONDS) -> _T:
        """Run `work` under the lock; from the start again if, before anything was written, the lock file vanished.

        So it is where `can_go_on` says of an error that another try may do without what raised it.

        Raises BusyError, StoreError, Refused in a private session; OSError is turned into StoreError.
        """
        if is_private():
            raise Refused(
                f"this session is private ({VARIABLE} is set): nothing is stored",
                code="private",
                hint=f"to store all the same, before the command: env -u {VARIABLE}",
            )
        with disk_errors():
            is_missing = not self.layout.exists()
            self.layout = creation.create(self.layout)
            self.is_new = self.is_new or is_missing
            failed = False
            for _ in range(_LOCK_TRIES):
                lock = Lock(self.layout.lock, self.layout.mode)
                writer = Writer(self.layout, lock)
                results: list[_T] = []
                try:
                    with lock.hold(wait):
                        names = planted.demand_own(self.layout)
                        append.settle(self.layout)
                        rewrite.recover(self.layout, names)
                        results.append(work(writer))
                except append.LockLostError:
                    continue
                except PromptxMemError:
                    raise
                except OSError:  # what is done is done, even where the lock cannot be let go of in the proper way
                    if not results:
                        raise
                except Exception as error:
                    if failed or writer.committed or not self._can_go_on(error):
                        raise
                    failed = True
                    continue
                finally:
                    self.committed = self.committed or writer.committed
                return results[0]
        raise BusyError("the lock file of the store is being removed again and again", hint="try again")

    def size(self) -> int:
        """Bytes that count for the limit: not conversations, which have their own, nor archives and what is derived."""
        derived = ("archive", "conversations", ".cache", ".recent", os.path.basename(self.layout.page))
        return _tree_size(self.layout.root, derived)


def _tree_size(folder: Path, without: tuple[str, ...] = (), depth: int = 0) -> int:
    total = 0
    with (
        contextlib.suppress(FileNotFoundError, StoreError),
        inside.opened_folder(folder) as place,
        os.scandir(place) as entries,
    ):
        for entry in entries:
            if entry.name in without:
                continue
            if not entry.is_dir(follow_symlinks=False):
                with contextlib.suppress(FileNotFoundError):
                    total += entry.stat(follow_symlinks=False).st_size
            elif depth < _MAX_DEPTH:
                inner = Inside(folder, (entry.name,)) if isinstance(folder, str) else folder / entry.name
                total += _tree_size(inner, depth=depth + 1)
    return total


@contextlib.contextmanager
def disk_errors() -> Iterator[None]:
    """Turn an OSError into a StoreError with a way out."""
    try:
        yield
    except PromptxMemError:
        raise
    except OSError as error:
        import errno

        name = os.path.basename(str(error.filename)) if error.filename else "the store"
        hint = {
            errno.ENOSPC: "free some space on the disk; what was acknowledged before is safe",
            errno.EDQUOT: "free some space in your quota; what was acknowledged before is safe",
            errno.EFBIG: "the file may not grow: look at `ulimit -f`; what was acknowledged before is safe",
            errno.EACCES: "look at the permissions of .memory and its owner",
            errno.EPERM: "look at the permissions of .memory and its owner",
            errno.EROFS: "this place is read-only; give another one with --memory-dir",
            errno.ELOOP: "a symbolic link stands where a file should be: move it away",
            errno.EISDIR: "a directory stands where a file should be: move it away",
            errno.ENOTDIR: "a file or a link stands where a directory should be: move it away",
            errno.EMFILE: "too many files are open: look at `ulimit -n`",
            errno.ENFILE: "too many files are open on this machine: try again",
            errno.EIO: "the disk reports errors: look at the system's log; what was acknowledged before is safe",
            errno.ENXIO: "a pipe or device stands where a file should be: move it away",
        }.get(error.errno or 0, "what was acknowledged before is safe")
        reason = error.strerror or str(error)
        raise StoreError(f"{name} could not be read or written: {reason}", hint=hint) from error
