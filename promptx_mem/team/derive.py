"""`sync admin derive`: make the table that `recall --remote` searches in follow the records. Done by an indexer."""

import json
from typing import TYPE_CHECKING, NamedTuple

from promptx_mem.search import index_write, postings, tables, tokens
from promptx_mem.team import derived, extract
from promptx_mem.team.port import Mark
from promptx_mem.team.terms import Terms

if TYPE_CHECKING:
    from collections.abc import Iterable

    from promptx_mem.core.state import State
    from promptx_mem.team.derived import Derived
    from promptx_mem.team.port import Server

BATCH = 20_000
"""Memories that are derived in one transaction."""


class Derivation(NamedTuple):
    """How many memories were looked at, and whether nothing is left."""

    looked_at: int
    is_complete: bool


def derive(server: "Server", table: "Derived", space: str, now: float, batch: int = BATCH) -> Derivation:
    """Follow the records from where the last run ended; one step is whole or not at all."""
    terms, looked_at = Terms(space), 0
    while True:
        with table.writing(tokens.VERSION) as text:
            mark = Mark(*json.loads(text)) if text else None
            ids, end, is_last = _tail(server, mark, batch)
            if mark is not None and end is not None and end.server != mark.server:
                table.clear(tokens.VERSION)  # another life of the server: what was read may be gone
                ids, end, is_last = _tail(server, None, batch)
            ids |= set(table.due(batch))
            table.put(ids, _rows(extract.read(server, ids, now).states(ids), terms))
            table.done(ids)
            if end is not None:
                table.note(json.dumps(end))
        looked_at += len(ids)
        if is_last:
            return Derivation(looked_at, is_complete=True)


def _tail(server: "Server", mark: Mark | None, most: int) -> tuple[set[str], Mark | None, bool]:
    """Return the ids of what is new behind a mark, the mark behind it, and whether that is all."""
    ids: set[str] = set()
    end = mark
    for page in server.since(mark):
        if len(ids) >= most:
            return ids, end, False
        ids.update(ident for row in page.rows for ident in row.record.ids)
        end = page.mark
    return ids, end, True


def _rows(states: "Iterable[State]", terms: Terms) -> "list[derived.Row]":
    every = list(states)
    documents = [tables.document(number, state) for number, state in enumerate(every)]
    out = []
    for state, document, (length, words) in zip(every, documents, index_write.terms_of(documents), strict=True):
        noted, k, _, _ = tables.place_of(state)
        out.append(
            derived.Row(
                state.entry.id, noted, k, index_write.context_of(document.session, document.day), state.ends_at,
                min(length, postings.LONG), sorted(map(terms.number, words)),
            )
        )  # fmt: skip
    return out
