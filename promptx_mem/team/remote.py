"""`recall --remote` searches a whole space, which can be larger than any copy. `derive` updates the search table."""

import contextlib
import json
from itertools import pairwise, takewhile

from promptx_mem.core.fold import fold_all
from promptx_mem.core.ids import is_id
from promptx_mem.core.journal import latest
from promptx_mem.core.shell import quote
from promptx_mem.core.state import NEVER, OWN
from promptx_mem.core.text import plural
from promptx_mem.errors import StoreError, UsageError
from promptx_mem.record import TYPE_CHECKING, NamedTuple
from promptx_mem.search import build, candidates, index_write, meant, ranking, tables, tokens
from promptx_mem.search.candidates import Corpus
from promptx_mem.search.query import Query, parse_query
from promptx_mem.store import members
from promptx_mem.store.parsing import Line
from promptx_mem.store.sources import Sources
from promptx_mem.team import port, postgres, sync
from promptx_mem.team.port import Bounds, Mark
from promptx_mem.team.postgres import term_number
from promptx_mem.usecases.recall import Answer
from promptx_mem.usecases.recall.question import DEFAULT_COUNT, StoreQuery

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from promptx_mem.core.description import Recall
    from promptx_mem.core.entry import Entry
    from promptx_mem.core.journal import Event
    from promptx_mem.core.state import State
    from promptx_mem.result import Result
    from promptx_mem.search.cache import Cache, Progress
    from promptx_mem.search.finder import Finder
    from promptx_mem.search.query import Criteria
    from promptx_mem.team.port import Candidate
    from promptx_mem.team.postgres import Derived, Postgres
    from promptx_mem.usecases.context import Context
    from promptx_mem.usecases.recall.question import Cues


class Extract(NamedTuple):
    """Lines and events of some memories, the roles that sent the lines, and the number of refused records."""

    entries: "tuple[Entry, ...]"
    events: "tuple[Event, ...]"
    roles: "tuple[str, ...]"
    refused: int


def read(server: "Postgres", ids: "Collection[str]", now: float) -> Extract:
    """Read all records about these memories. Omit purged lines, and what a copy would refuse at `now` (in seconds)."""
    every: dict[bytes, port.Taken] = {}
    refused = 0
    for row in server.find(ids=sorted(ids)):
        one = port.read(row)
        if isinstance(one, str) or port.is_ahead(one, now):
            refused += bool(row.data)  # records overwritten after a purge have no bytes
        else:
            every[row.hash] = one
    events = tuple(one.event for one in every.values() if one.event is not None)
    purged = latest(events, "purged")
    lines = [(one.entry, one.record.role) for one in every.values() if one.entry and not port.is_doomed(one, purged)]
    return Extract(tuple(entry for entry, _ in lines), events, tuple(role for _, role in lines), refused)


BATCH = 20_000
"""Approximate number of memories that are indexed in one transaction."""


def derive(server: "Postgres", table: "Derived", now: float, batch: int = BATCH) -> int:
    """Add the new records to the search table, in atomic steps. Return the number of memories that were read."""
    looked_at = 0
    while True:
        with table.writing(tokens.VERSION) as text:
            mark = Mark(*json.loads(text)) if text else None
            ids, end, is_last = _tail(server, mark, batch)
            if mark is not None and end is not None and end.server != mark.server:
                table.clear(tokens.VERSION)  # the server was restored: records that were read can be gone
                ids, end, is_last = _tail(server, None, batch)
            ids |= set(table.due(batch))
            records = read(server, ids, now)
            folded = fold_all(records.entries, records.events)
            states = [state for ident in sorted(ids) if (state := folded.get(ident)) and state.end != port.PURGED]
            table.replace(ids, _derived_rows(states, server.space), end and json.dumps(end))
        looked_at += len(states)
        if is_last:
            return looked_at


def _tail(server: "Postgres", mark: Mark | None, most: int) -> tuple[set[str], Mark | None, bool]:
    """Return the ids in the next records after a mark, the mark after these records, and True if no more follow."""
    ids: set[str] = set()
    end = mark
    for page in server.since(mark):
        if len(ids) >= most:
            return ids, end, False
        ids.update(ident for row in page.rows for ident in row.ids)
        end = page.mark
    return ids, end, True


def _derived_rows(states: "Sequence[State]", space: str) -> "list[postgres.SearchRow]":
    documents = [tables.document(number, state) for number, state in enumerate(states)]
    return [
        (
            state.entry.id, *tables.sort_key(state)[:2], index_write.context_of(document.session, document.day),
            state.ends_at, min(length, ranking.LONG), sorted(term_number(space, word) for word in words),
        )
        for state, document, (length, words) in zip(states, documents, meant.terms_of(documents), strict=True)
    ]  # fmt: skip


MOST = 2_000
"""Maximum number of candidates of a query. A query with a filter asks for up to this many active memories."""

ENOUGH = 600
"""Minimum number of active candidates of a query with a filter. If rare words find fewer, common words are used too."""

DRAWN = 4
"""A server returns this many times the candidates of a local search, because it ignores the lengths of memories."""

_EMPTY = "~"
_DERIVE = "ask an indexer to run this; usage: promptx-mem sync admin derive <dsn> --space"
_STAMPS = dict.fromkeys(("declarative", "journal", "archive", "recalled", "episodes", "seen_at"), "")


def ask(context: "Context", cues: "Cues", connect: sync.Connect) -> "Result[Recall]":
    """Find memories in the space to which the store is connected. Raises UsageError, StoreError, Refused."""
    bound = sync.demand(context)
    with connect(bound.server, bound.space) as server:
        return recall(context, cues, server)


def recall(context: "Context", cues: "Cues", server: "Postgres") -> "Result[Recall]":
    """Find memories in a space. Raises UsageError, StoreError."""
    with contextlib.ExitStack() as stack:
        query = RemoteQuery(context.alone(), cues, server, stack)
        return query.complete(Answer(query.context, cues, [query]).run())


class RemoteQuery(StoreQuery):
    """A query of a space on a server instead of a store."""

    def __init__(self, context: "Context", cues: "Cues", server: "Postgres", stack: contextlib.ExitStack) -> None:
        self._server = server
        self._whole: list[Corpus] = []
        self._refused = 0
        super().__init__(context, cues, None, stack)

    def _open(self, progress: "Progress | None") -> "Cache":
        criteria = self.question.criteria
        if criteria.paths or not criteria.words or self.cues.as_of:
            raise UsageError(
                "--remote searches only by words",
                hint="leave out --remote to search by topic, by date only or with --as-of",
            )
        word = criteria.words.lower()
        ids, pairs = ({word}, set[tuple[str, str]]()) if is_id(word) else self._candidates(criteria)
        records = read(self._server, ids, self.context.moment)
        self._refused = records.refused
        sent = zip(records.entries, records.roles, strict=True)
        roles = members.of_senders(sent, members.read(self.context.layout, ()).trusted, self._own(ids))
        limits = build.Extract(frozenset(ids), frozenset(pairs), roles)
        texts = Sources(
            tuple(Line(entry, n, n) for n, entry in enumerate(records.entries)), records.events, (), b"", b""
        )
        return build.in_memory(self.context.layout, texts, _STAMPS, progress, limits)

    def _own(self, ids: set[str]) -> set[tuple[str, str]]:
        """Return the ids and texts of the user's own memories in the local store."""
        if not self.context.layout.exists() or not self.context.origin.is_own:
            return set()
        with self.context.cache() as cache:
            states = cache.states_by_id(ids)
        return {(state.entry.id, state.entry.text) for _, state in states.values() if state.origin == OWN}

    def search(self, criteria: "Criteria") -> "Finder":
        """Prepare a search in the memories that were read. Words are weighed by the statistics of the whole space."""
        search = super().search(criteria)
        search.whole = self._whole
        return search

    def complete(self, result: "Result[Recall]") -> "Result[Recall]":
        """Return the answer with the name of the space and its number of memories."""
        data: Recall = {**result.data, "store": f"space {self._server.space}", "more": None, "near_misses": []}
        data["total"] = max((corpus.docs for corpus in self._whole), default=result.data["total"])
        return result._replace(data=data)

    def _candidates(self, criteria: "Criteria") -> tuple[set[str], set[tuple[str, str]]]:
        """Return the ids of memories to read, and pairs of ids of successive memories, the earlier memory first."""
        ids: set[str] = set()
        pairs: set[tuple[str, str]] = set()
        living_at = -NEVER if criteria.ended else criteria.now
        for words in (criteria.words, *criteria.otherwise):
            query = parse_query(words, today=criteria.today, groups=criteria.spellings)
            weights = self.weigh(query)
            # A filter could exclude the best of the candidates.
            narrows = criteria.is_narrowed() or criteria.spans or query.phrases or query.excluded
            bounds = self.bounds(narrows=bool(narrows))
            some = self._server.search(weights, living_at, bounds) if weights else ()
            for chain in map(_chain, some):
                ids.update(chain)
                pairs.update(pairwise(chain))
        return ids, pairs

    def bounds(self, *, narrows: bool = False) -> Bounds:
        """Return the usual limits of a search, or the highest limits if a filter `narrows` the search."""
        drawn, enough = candidates.draws(candidates.found(self.cues.count or DEFAULT_COUNT))
        drawn = min(DRAWN * drawn, MOST)
        return Bounds(candidates.BUDGET, drawn, *((ENOUGH, MOST) if narrows else (enough, drawn)))

    def weigh(self, query: Query) -> dict[int, float]:
        """Return the weights of a query's terms, computed from the server's statistics. The rarest term is first."""
        terms = [term for term, _, _ in query.terms]
        answer = self._server.statistics([term_number(self._server.space, term) for term in terms])
        derive = f"{_DERIVE} {quote(self._server.space)}"
        if answer is None:
            raise StoreError("the space has no search table yet", code="not_derived", hint=derive)
        if answer.version != tokens.VERSION:
            older = "an older" if answer.version < tokens.VERSION else "a newer"
            raise StoreError(
                f"the search table was made by {older} version of promptx-mem",
                code="derived_version",
                hint=derive if older == "an older" else "upgrade promptx-mem",
            )
        counts = {term: docs for term, docs in zip(terms, answer.docs, strict=True) if docs > 0}
        weights = candidates.weigh(query, counts, max(answer.memories, 1))
        asked = {term: counts[term] for term in weights if term in counts}
        self._whole.append(Corpus(answer.memories, counts))
        return {term_number(self._server.space, term): weights[term] for term in sorted(asked, key=asked.__getitem__)}

    def notices(self) -> list[str]:
        """Return the warnings that are shown before the answer."""
        warnings = list(self.context.config_warnings())
        if self._refused:
            what = plural(self._refused, "record of the server was", "records of the server were")
            warnings.append(f"{what} refused: promptx-mem sync shows the reasons")
        return warnings

    def update_index(self) -> None:
        """Do nothing, since the local store was not searched."""


def _chain(candidate: "Candidate") -> list[str]:
    """Return a candidate between its neighbours of the same session and day, the earliest first.

    A neighbour without a term of the query is left out, unless a neighbour beyond it has one.
    """
    before, after = (list(takewhile(bool, side)) for side in (candidate.before, candidate.after))
    for side in (before, after):
        while side and side[-1].startswith(_EMPTY):
            side.pop()
    return [name.removeprefix(_EMPTY) for name in (*reversed(before), candidate.id, *after)]
