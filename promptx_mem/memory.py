"""Memory: the use cases, one method each. The command line, hooks and servers know nothing else."""

import datetime
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from promptx_mem import session
from promptx_mem.core.journal import Event
from promptx_mem.errors import ConfigError
from promptx_mem.result import Result
from promptx_mem.store import config, layout
from promptx_mem.store.layout import Layout
from promptx_mem.store.store import Store, Writer

if TYPE_CHECKING:
    from promptx_mem.search.build import Progress
    from promptx_mem.usecases.known import Known
    from promptx_mem.usecases.recall import Cues
    from promptx_mem.usecases.request import Request


def _clock() -> datetime.datetime:
    return datetime.datetime.now().astimezone()


class Memory:
    """One store and the settings, session and clock under which it is used."""

    def __init__(
        self, where: Layout, session_name: str | None = None, clock: Callable[[], datetime.datetime] = _clock
    ) -> None:
        self.store = Store(where)
        self.config = config.load(where)
        self.now = clock
        self.session = session.name(session_name, clock())

    @classmethod
    def open(cls, directory: str | None = None, session_name: str | None = None) -> "Memory":
        """The store that `directory`, PROMPTX_MEM_DIR or the working directory decides on; it need not exist yet."""
        return cls(layout.locate(directory), session_name)

    def remember(self, request: "Request") -> Result:
        """Judge a text and store it durably. Raises Refused, UsageError, StoreError, NotFoundError, BusyError."""
        from promptx_mem.usecases.remember import remember

        return remember(self, request)

    def recall(self, cues: "Cues", progress: "Progress | None" = None) -> Result:
        """Find memories. Raises UsageError and StoreError; finding none is no error."""
        from promptx_mem.usecases.recall import recall

        return recall(self, cues, progress)

    def score(self, dims: str | None, profile: str | None, *, explicit: bool = False, guide: bool = False) -> Result:
        """Evaluate six dimensions without storing. Raises UsageError, Refused past the daily limit."""
        from promptx_mem.usecases.score import score

        return score(self, dims, profile, explicit=explicit, guide=guide)

    def import_files(self, paths: list[str], *, dry_run: bool = False, allow_secret: bool = False) -> Result:
        """Copy the memories of files into the store; the files are only read."""
        from promptx_mem.usecases.import_files import import_files

        return import_files(self, paths, dry_run=dry_run, allow_secret=allow_secret)

    def init(self, *, shared: bool = False) -> Result:
        """Make the store, or make an existing private one shared."""
        from promptx_mem.usecases.init import init

        return init(self, shared=shared)

    def compact(self, writer: Writer) -> int:
        """Move lines and events of ended memories to archive/, under the lock; returns the bytes gained."""
        from promptx_mem.usecases.compact import compact

        return compact(self, writer)

    def demand_config(self) -> None:
        """Refuse to write while config.yaml is wrong (SPEC 10)."""
        if self.config.problem is not None:
            problem = self.config.problem
            raise ConfigError(problem.message, hint=problem.hint)

    def config_warnings(self) -> tuple[str, ...]:
        """For readers: they go on with defaults, and say so."""
        problem = self.config.problem
        return () if problem is None else (f"{problem.message} ({problem.hint}); reading goes on with defaults",)

    def store_shown(self) -> str | None:
        """The store's path where it is not ./.memory, so that a write says where it went."""
        where = self.store.layout
        return None if where.is_here() else where.shown()

    @property
    def layout(self) -> Layout:
        return self.store.layout

    def host(self) -> str:
        return session.host()

    def adoptions(self, known: "Known") -> list[Event]:
        """Events that fix the time of lines written by hand, as first seen; none where the cache is stale."""
        if known.cache is None:
            return []
        states = known.cache.unseen()
        if not states:
            return []
        k = known.next_k(self.now().timestamp())
        by_time: dict[float, list[str]] = {}
        for state in states:
            by_time.setdefault(state.first_at, []).append(state.entry.id)
        first = Event(k=k, host=self.host(), at="", kind="adopted", ids=())
        return [
            replace(first, k=k + number, at=_rfc3339(at), ids=tuple(ids))
            for number, (at, ids) in enumerate(sorted(by_time.items()))
        ]


def _rfc3339(epoch: float) -> str:
    return datetime.datetime.fromtimestamp(epoch).astimezone().isoformat(timespec="seconds")
