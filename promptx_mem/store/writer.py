"""Writer: what may be written while the lock is held, and the work that takes the lock."""

import datetime
import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from promptx_mem.core.journal import Event, format_event
from promptx_mem.errors import BusyError, PromptxMemError
from promptx_mem.places import is_chinese
from promptx_mem.store import acknowledged, append, audit, creation, intent, planted, recent, rewrite
from promptx_mem.store.layout import Layout
from promptx_mem.store.lock import WAIT_SECONDS, Lock

if TYPE_CHECKING:
    from promptx_mem.store.files import Identity

HEADERS = (b"# Memories\n\n", "# 陈述性记忆\n\n".encode())
"""Begin a new file, for a user whose locale is not Chinese and for one whose locale is."""

_T = TypeVar("_T")
_LOCK_TRIES = 3


class Writer:
    """What may be written while the lock is held. Every method returns only when its bytes are on the disk."""

    def __init__(self, where: Layout, lock: Lock) -> None:
        self.layout = where
        self._lock = lock
        self.committed = False
        self.changes: dict[str, list[Identity]] = {}
        """What each file was before and after every append of this writer, since somebody else last changed it."""
        self.appended: list[tuple[str, bytes]] = []
        """The lines that were appended, with the name of their file."""

    def add_lines(self, lines: Sequence[str]) -> None:
        """Append memory lines in one write."""
        data = "".join(line + "\n" for line in lines).encode()
        self._append(self.layout.declarative, data, HEADERS[is_chinese()])

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
        self.appended.append((os.path.basename(path), data))

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


def run(
    where: Layout,
    work: Callable[[Writer], _T],
    wait: float | None,
    can_go_on: Callable[[Exception], bool],
    committed: Callable[[], None],
    finish: Callable[[Writer], None],
) -> tuple[Layout, _T]:
    """Run `work` under the lock of a store, which is made where there is none: `Store.write` says how.

    Returns the store as it is now, and the result. `committed` is called where anything was written, `finish` first
    where a purge was cut off.
    """
    where = creation.create(where)
    failed = False
    for _ in range(_LOCK_TRIES):
        lock = Lock(where.lock, where.mode)
        writer = Writer(where, lock)
        results: list[_T] = []
        try:
            with lock.hold(WAIT_SECONDS if wait is None else wait):
                write = acknowledged.Write(where.root)
                try:
                    _recover(where, lock, finish)
                    results.append(work(writer))
                finally:
                    write.done(writer.changes, writer.appended)
                if writer.committed:
                    recent.go_on(where, writer.changes, (data for _, data in writer.appended))
        except append.LockLostError:
            continue
        except PromptxMemError:
            raise
        except OSError:  # what is done is done, even where the lock cannot be let go of in the proper way
            if not results:
                raise
        except Exception as error:
            if failed or writer.committed or not can_go_on(error):
                raise
            failed = True
            continue
        finally:
            if writer.committed:
                committed()
        return where, results[0]
    raise BusyError("the lock file of the store is being removed again and again", hint="try again")


def _recover(where: Layout, lock: Lock, finish: Callable[[Writer], None]) -> None:
    """Finish an append, a compaction or a purge that was cut off."""
    names = planted.demand_own(where)
    append.settle(where)
    rewrite.recover(where, names)
    if os.path.basename(where.purge) in names:
        finish(Writer(where, lock))
