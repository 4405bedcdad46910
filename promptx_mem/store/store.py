"""Access to one store. Writes under the lock use the module `writer`, which a recall does not import."""

from collections.abc import Callable

from promptx_mem.record import TYPE_CHECKING, TypeVar
from promptx_mem.store import files
from promptx_mem.store.layout import Layout

if TYPE_CHECKING:
    from promptx_mem.store.writer import Writer

MAX_BYTES = 10_000_000
WARN_BYTES = MAX_BYTES * 9 // 10
COMPACT_BYTES = MAX_BYTES * 8 // 10

_T = TypeVar("_T")


class Store:
    """One store. `write` calls a function while it holds the lock; reading needs no lock."""

    def __init__(self, where: Layout, can_go_on: Callable[[Exception], bool] = lambda _: False) -> None:
        self.layout = where
        self.can_go_on = can_go_on
        self.finish: Callable[[Writer], None] = lambda _: None
        """A function that finishes an interrupted purge. It is called while the lock is held."""
        self.committed = False
        """True after a `write` has changed memories or events."""
        self.unlogged = ""
        """The warning that an audit record was not written; else empty."""
        self.is_new = False
        """True if `write` has created the store's directory."""

    def write(self, work: "Callable[[Writer], _T]", wait: float | None = None) -> _T:
        """Finish an interrupted purge, then call `work` while the lock is held, and return its result.

        If nothing was written yet, `work` is called again in two cases: the lock file disappeared, or `can_go_on`
        returns True for the first error. Raises UsageError, BusyError, StoreError (also for an OSError), and Refused
        in a private session.
        """
        from promptx_mem.store import writer

        return writer.run(self, work, wait)

    def size(self) -> int:
        """Return the total bytes of declarative.md and journal.jsonl. The store's limit applies to this size."""
        return files.total_size((self.layout.declarative, self.layout.journal))
