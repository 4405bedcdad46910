"""The class EverydayMemory: the most frequent use cases. The commands `recall` and `remember` load only this class."""

from collections.abc import Callable
from functools import partial

from promptx_mem import usecases
from promptx_mem.record import TYPE_CHECKING, Self
from promptx_mem.result import Payload, Result
from promptx_mem.store import location
from promptx_mem.store.layout import Layout
from promptx_mem.usecases.context import Clock, Context, now_here, of_reading, retry_without_cache

if TYPE_CHECKING:
    import promptx_mem.usecases.limits
    import promptx_mem.usecases.purge  # noqa: F401 - so that mypy knows the module
    from promptx_mem.core.description import Recall
    from promptx_mem.core.request import Request
    from promptx_mem.search.cache import Progress
    from promptx_mem.store.writer import Writer
    from promptx_mem.usecases.gate import Remember
    from promptx_mem.usecases.recall import Cues


@retry_without_cache
class EverydayMemory:
    """Recall and remember in a store, or in two stores: the project's store and the user store."""

    def __init__(
        self, where: Layout, session_name: str | None = None, clock: Clock = now_here, other: Layout | None = None
    ) -> None:
        second = None if other is None else Context(other, session_name, clock)
        self.context = Context(where, session_name, clock, second)
        if second is not None:
            self.context.project = second.project = self.context.project or second.project
        for context in filter(None, (self.context, second)):
            context.store.finish = partial(_finish_purge, context)

    @classmethod
    def of(cls, stores: "location.Stores", session_name: str | None = None) -> Self:
        """Return an instance for stores that `location` has found."""
        memory = cls(stores.layout, session_name, other=stores.other)
        memory.context.left_out = stores.warning
        memory.context.project = memory.context.project or stores.project
        return memory

    @classmethod
    def open(
        cls,
        directory: str | None = None,
        session_name: str | None = None,
        scope: str | None = None,
        *,
        writes: bool = False,
    ) -> Self:
        """Open the stores that `locate` finds for these arguments. The stores need not exist."""
        return cls.of(location.locate(directory, scope, writes=writes), session_name)

    @classmethod
    def open_user(cls, directory: str | None = None, session_name: str | None = None) -> Self:
        """Open the user store, which the first write creates. The project's store is the second store if it exists."""
        return cls.of(location.locate_user(directory), session_name)

    def remember(self, request: "Request") -> "Result[Remember]":
        """Check a text, and store it durably if its score is high enough.

        Raises Refused, UsageError, StoreError, NotFoundError, BusyError.
        """
        return self._write(lambda: usecases.remember.remember(self.context, request))

    def recall(self, cues: "Cues", progress: "Progress | None" = None) -> "Result[Recall]":
        """Find memories. An empty result is not an error. Raises UsageError, StoreError."""
        return self._read(usecases.recall.recall(self.context, cues, progress))

    def _read(self, result: Result[Payload]) -> Result[Payload]:
        return of_reading(self.context, result)

    def _write(self, work: Callable[[], Result[Payload]]) -> Result[Payload]:
        return usecases.limits.run_write(self.context, work)


def _finish_purge(context: Context, writer: "Writer") -> None:
    usecases.purge.finish(context, writer)
