"""The first words of memories, for lists that hold no text themselves."""

from typing import TYPE_CHECKING

from promptx_mem.core.state import State
from promptx_mem.core.text import shorten
from promptx_mem.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from promptx_mem.usecases.context import Context

_LENGTH = 40


def words_of(context: "Context", idents: "Iterable[str]") -> dict[str, str | None]:
    """The first words of memories by id; none of a store that cannot be asked."""
    every = set(idents)
    if not every or not context.layout.exists():
        return {}
    from promptx_mem.search import current
    from promptx_mem.search.cache import DAMAGE

    try:
        with current.open_current(context.layout) as cache:
            return {ident: _words(cache.state(ident)) for ident in every}
    except (OSError, StoreError, *DAMAGE):
        return {}  # the log is what was asked for


def _words(state: State | None) -> str | None:
    return None if state is None or state.end == "purged" else shorten(state.entry.text, _LENGTH)
