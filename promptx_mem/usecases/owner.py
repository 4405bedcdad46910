"""Which of two stores an id is of."""

from typing import TYPE_CHECKING

from promptx_mem.core.ids import PREFIX
from promptx_mem.core.origin import PROJECT, USER
from promptx_mem.core.text import shorten
from promptx_mem.errors import UsageError
from promptx_mem.search import current

if TYPE_CHECKING:
    from promptx_mem.usecases.context import Context


def context_with(context: "Context", ident: str) -> "Context":
    """The context of the store that has an id, or the beginning of one; the first where none has it.

    Raises UsageError where both have it: equal ids are not one memory.
    """
    prefix = ident.strip().lower()
    if not PREFIX.fullmatch(prefix):
        return context
    having = [candidate for candidate in context.both() if _has(candidate, prefix)]
    if len(having) > 1:
        raise UsageError(
            f"{shorten(prefix, 40)} is in both stores",
            code="both_scopes",
            hint=f"say which: the same with --scope {PROJECT}, or --scope {USER}",
        )
    having = having or [candidate for candidate in context.both() if _has_lost(candidate, prefix)]
    return having[0] if having else context


def _has(context: "Context", prefix: str) -> bool:
    with current.open_current(context.layout) as cache:
        return bool(cache.matching(prefix, 1))


def _has_lost(context: "Context", prefix: str) -> bool:
    from promptx_mem.search import lost

    with current.open_current(context.layout) as cache:
        return bool(lost.find_missing(cache, prefix).idents())
