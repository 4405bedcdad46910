"""The context of every use case: a store, with the settings, the session and the clock of one call."""

import contextlib
import datetime
import os
from collections.abc import Callable, Iterable
from functools import cached_property, wraps

from promptx_mem import machine
from promptx_mem.core.text import plural
from promptx_mem.errors import PromptxMemError
from promptx_mem.record import TYPE_CHECKING, Any, TypeVar
from promptx_mem.result import Payload, Result
from promptx_mem.search.cache import DAMAGE
from promptx_mem.store import checks, config, files, layout, trust
from promptx_mem.store.layout import Layout
from promptx_mem.store.store import Store
from promptx_mem.store.trust import Origin

if TYPE_CHECKING:
    from promptx_mem.core.description import Description
    from promptx_mem.core.state import State
    from promptx_mem.search.cache import Cache
    from promptx_mem.store.writer import Writer

Clock = Callable[[], datetime.datetime]


def now_here() -> datetime.datetime:
    return datetime.datetime.now().astimezone()


class Context:
    """A store with its settings. `other` is the second store (project or user) if a command uses both."""

    def __init__(
        self, where: Layout, session_name: str | None = None, clock: Clock = now_here, other: "Context | None" = None
    ) -> None:
        self.other = other
        self.project = "" if where.is_user else where.root
        """The path of the project's store; empty if this store is the user store."""
        self.store = Store(where, self.can_go_on)
        self.config = config.load(where)
        self.now = clock
        self._session_name = session_name
        self.origin = Origin(where)
        self.left_out = ""
        """The warning that the other store is not read; else empty. Results of reads contain this warning."""

    @cached_property
    def session(self) -> str:
        """Return the session's name, which is determined at the first use."""
        from promptx_mem import session

        return session.name(self._session_name, self.now())

    def note(self, writer: "Writer", command: str, *records: dict[str, Any], **fields: Any) -> None:
        """Write an audit record for each dict in `records`, but at least one. Each record also has `fields`."""
        now = self.now()
        common = {"at": now.isoformat(timespec="seconds"), "s": self.session, "cmd": command, **fields}
        writer.note([{**common, **record} for record in records or ({},)], now)

    @property
    def layout(self) -> Layout:
        return self.store.layout

    @property
    def scope(self) -> str:
        return self.layout.scope

    @property
    def path(self) -> str:
        """Return the store's path for messages."""
        return self.layout.display()

    @property
    def moment(self) -> float:
        """Return the present time in epoch seconds."""
        return self.now().timestamp()

    @property
    def at(self) -> str:
        """Return the present time as RFC 3339."""
        return self.now().isoformat(timespec="seconds")

    def cache(self) -> "Cache":
        """Update the store's cache, and open it."""
        from promptx_mem.search.current import open_current

        return open_current(self.layout)

    def describe(self, state: "State", now: float) -> "Description":
        """Return a memory of this store as a dictionary for answers."""
        from promptx_mem.core.description import describe

        return describe(state, now, self.config.freshness, self.origin.of(state.origin), self.scope)

    def both(self) -> "tuple[Context, ...]":
        """Return the contexts of the stores that exist, or only this context if no store exists."""
        if self.other is None:
            return (self,)
        return tuple(context for context in (self, self.other) if context.layout.exists()) or (self,)

    def alone(self) -> "Context":
        """Return a copy of this context without the other store."""
        import copy

        context = copy.copy(self)
        context.other = None
        return context

    def can_go_on(self, error: Exception) -> bool:
        """Discard the cache if its damage can have caused the error. Return whether the caller can try again."""
        if not isinstance(error, DAMAGE):
            return False
        from promptx_mem.search.build import discard

        return discard(self.layout)

    def host(self) -> str:
        return machine.host()

    def config_warnings(self) -> tuple[str, ...]:
        """Return a warning about invalid settings (reading uses defaults for them), or else about ignored settings."""
        if (problem := self.config.problem) is not None:
            return (f"{problem.in_one_line()}; commands that only read use the defaults",)
        if self.config.has_llm:
            from promptx_mem.store.settings import llm_warning

            return (llm_warning(),)
        return ()

    def command(self, *words: str, user: str = "--scope=user") -> str:
        """Return a promptx-mem command for this store, quoted for a shell. The option `user` selects the user store."""
        from promptx_mem.core.shell import join

        where = self.layout
        place = user.split("=") if where.is_user else ["--memory-dir", where.root] if where.named else []
        return join(["promptx-mem", *words, *place])

    def gone(self) -> str:
        """Return a message if the project's store was moved or deleted, even if a new one replaced it; else empty."""
        where = self.layout
        if where.named or (where.exists() and not where.is_user):
            if self.store.is_new and not where.is_user:
                from promptx_mem.store import writer

                if writer.has_replaced(where):
                    return f"the store that was at {where.display()} is gone; this is a new one"
            return ""
        try:
            gone = trust.missing_store(os.getcwd())
        except FileNotFoundError:
            return ""
        return f"the store {gone} is gone: it was moved or deleted" if gone else ""

    def no_store(self) -> str:
        """Return a message if the store is gone or the named folder is not a store; else an empty text."""
        where = self.layout
        if not where.exists() and (gone := self.gone()):
            return gone
        if not where.named or (where.exists() and not layout.has_other_files(where)):
            return ""
        return f"there is no store at {self.path}{': the folder contains other files' if where.exists() else ''}"


def of_reading(context: Context, result: Result[Payload]) -> Result[Payload]:
    """Add warnings about the store to the result of a read. A message of `no_store` is also put in `instead`."""
    if missing := context.no_store():
        return result._replace(warnings=tuple(dict.fromkeys((*result.warnings, missing))), instead=missing)
    absent = (*layout.warnings(context.layout), *filter(None, [context.left_out]))
    return result._replace(warnings=(*result.warnings, *absent)) if absent else result


def finish_purges(contexts: Iterable[Context]) -> None:
    """Finish each store's interrupted purge, unless another process is writing to that store."""
    for context in contexts:
        if files.identity(context.layout.purge) is not None:
            with contextlib.suppress(OSError, PromptxMemError):
                context.store.write(lambda _: None, wait=MOMENT)


def with_state(context: Context, result: Result[Payload]) -> Result[Payload]:
    """Add warnings to a result: about a store, lines or audit records that are missing, and an unfinished purge."""
    contexts = context.both()
    noted = tuple(filter(None, (context.gone(), *(one.store.unlogged for one in contexts), *losses(contexts))))
    if any(files.identity(one.layout.purge) is not None for one in contexts):
        noted = (*noted, _UNFINISHED)
    return result._replace(warnings=tuple(dict.fromkeys((*result.warnings, *noted)))) if noted else result


MOMENT = 0.5
_UNFINISHED = (
    "a purge is not finished; the next command that can write will finish it, and until then no messages are shown"
)
_WAY = ". To restore: promptx-mem restore --lost"
_ON_PURPOSE = "; if you deleted them: promptx-mem forget --lost"


def losses(contexts: Iterable[Context], way: str | None = None) -> tuple[str, ...]:
    """Return a warning about stored memories or events that are missing from the files. `way` replaces its advice.

    If the files did not change, only one small file is read. Errors are ignored, because opening the store reports
    them.
    """
    found = [*map(_lost, contexts)]
    if not (count := sum(lost.lines + lost.events for lost in found)):
        return ()
    lines = plural(count, "stored memory or event is", "stored memories or events are")
    if way is None:
        way = _WAY + _ON_PURPOSE * any(lost.lines for lost in found)
    return (f"{lines} missing: an editor or git removed lines from a file{way}",)


def _lost(context: Context) -> checks.Lost:
    where = context.layout
    found = checks.last_comparison(where)
    with contextlib.suppress(OSError, PromptxMemError):
        if found is None and (files.status(where.recent) or files.status(where.archive)):
            from promptx_mem.store import archive

            if files.status(where.recent) or archive.names(where, lost=True):
                from promptx_mem.usecases.lost import compare

                found = compare(where)
    return found or checks.Lost()


_T = TypeVar("_T")


def retry_without_cache(facade: type[_T]) -> type[_T]:
    """Decorate a class: a method that fails because of a damaged cache runs again without the cache.

    A method that has written something does not run again, except `decay`, which can run twice. (`Store.write` itself
    repeats the work that it runs under the lock.) Each result gets warnings about the state of the store.
    """
    for name, method in list(vars(facade).items()):
        if not name.startswith("_") and callable(method):
            setattr(facade, name, _tried_again(method))
    return facade


def _tried_again(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def call(facade: Any, *values: Any, **named: Any) -> Any:
        finish_purges(facade.context.both())
        try:
            result = method(facade, *values, **named)
        except (PromptxMemError, OSError):
            raise
        except Exception as error:
            contexts: list[Context] = [facade.context, *filter(None, [facade.context.other])]
            is_final = any(context.store.committed for context in contexts) and method.__name__ != "decay"
            doubted = [context.can_go_on(error) for context in contexts]  # call each, even if the first returns True
            if is_final or not any(doubted):
                raise
            result = method(facade, *values, **named)
        return with_state(facade.context, result) if isinstance(result, Result) else result

    return call
