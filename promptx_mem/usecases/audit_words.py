"""The first words of what an attempt stored, beside its record."""

from typing import TYPE_CHECKING

from promptx_mem.core.state import State
from promptx_mem.core.text import shorten
from promptx_mem.errors import StoreError
from promptx_mem.usecases import audit_log

if TYPE_CHECKING:
    from promptx_mem.result import Result
    from promptx_mem.usecases.audit_log import Attempted, Audit, Filters
    from promptx_mem.usecases.context import Context

_LENGTH = 40
_NOTHING_STORED = ("refused", "denied", "dry-run")


def audit(context: "Context", filters: "Filters") -> "Result[Audit]":
    """List attempts, newest first, each that stored something with the first words of it."""
    result = audit_log.audit(context, filters)
    return result._replace(data={**result.data, "records": _with_words(context, result.data["records"])})


def _with_words(context: "Context", records: "list[Attempted]") -> "list[Attempted]":
    """Add the words to records of what was stored and is still there; a store that cannot be asked adds none."""
    idents = {record["id"] for record in records if record["id"] and record["verdict"] not in _NOTHING_STORED}
    if not idents or not context.layout.exists():
        return records
    from promptx_mem.search import current
    from promptx_mem.search.cache import DAMAGE

    try:
        with current.open_current(context.layout) as cache:
            words = {ident: _words(cache.state(ident)) for ident in idents if ident is not None}
    except (OSError, StoreError, *DAMAGE):
        return records  # the log is what was asked for
    return [
        {**record, "words": words.get(record["id"] or "") if record["verdict"] not in _NOTHING_STORED else None}
        for record in records
    ]


def _words(state: State | None) -> str | None:
    """None for what was purged, and for what only a person may see before it is confirmed."""
    return None if state is None or state.end == "purged" or state.is_waiting else shorten(state.entry.text, _LENGTH)
