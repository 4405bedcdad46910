"""The cache during a use case: kept open, and a second try without it if it is corrupt."""

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

from promptx_mem.errors import PromptxMemError
from promptx_mem.result import Result
from promptx_mem.search.cache import keep_open
from promptx_mem.usecases import context as outcome

if TYPE_CHECKING:
    from promptx_mem.usecases.context import Context

_T = TypeVar("_T")

_REPEATABLE = ("decay",)
"""Use cases that may run twice: the second time changes nothing."""


def whatever_the_cache(facade: type[_T]) -> type[_T]:
    """Retry a facade's use cases without the cache if it failed and nothing was written; add warnings.

    Work under the lock is retried there (Store.write), and guarded once it is written.
    """
    for name, method in list(vars(facade).items()):
        if not name.startswith("_") and callable(method):
            setattr(facade, name, _tried_again(method))
    return facade


def _tried_again(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def call(facade: Any, *values: Any, **named: Any) -> Any:
        outcome.finish_purges(facade.context.both())
        try:
            result = method(facade, *values, **named)
        except (PromptxMemError, OSError):
            raise
        except Exception as error:
            contexts: list[Context] = [facade.context, *filter(None, [facade.context.beside])]
            is_final = any(context.store.committed for context in contexts) and method.__name__ not in _REPEATABLE
            doubted = [context.can_go_on(error) for context in contexts]  # call each, even if the first returns True
            if is_final or not any(doubted):
                raise
            result = method(facade, *values, **named)
        return outcome.with_state(facade.context, result) if isinstance(result, Result) else result

    return call


def begin() -> None:
    """Keep the cache open between calls, which must all come from one thread."""
    keep_open()
