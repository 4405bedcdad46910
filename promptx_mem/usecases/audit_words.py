"""The first words of what an attempt stored, beside its record."""

from typing import TYPE_CHECKING

from promptx_mem.usecases import audit_log
from promptx_mem.usecases.first_words import words_of

if TYPE_CHECKING:
    from promptx_mem.result import Result
    from promptx_mem.usecases.audit_log import Attempted, Audit, Filters
    from promptx_mem.usecases.context import Context

_NOTHING_STORED = ("refused", "denied", "dry-run")


def audit(context: "Context", filters: "Filters") -> "Result[Audit]":
    """List attempts, newest first, each that stored something with the first words of it."""
    if filters.handouts:
        from promptx_mem.usecases.audit_handouts import handouts

        return handouts(context, filters.session, filters.count)
    result = audit_log.audit(context, filters)
    return result._replace(data={**result.data, "records": _with_words(context, result.data["records"])})


def _with_words(context: "Context", records: "list[Attempted]") -> "list[Attempted]":
    """Add the words to records of what was stored and is still there; a store that cannot be asked adds none."""
    idents = {record["id"] for record in records if record["id"] and record["verdict"] not in _NOTHING_STORED}
    words = words_of(context, idents)
    return [
        {**record, "words": words.get(record["id"] or "") if record["verdict"] not in _NOTHING_STORED else None}
        for record in records
    ]
