"""One exchange between a copy and a server. Every step can be interrupted and repeated."""

from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher

from promptx_mem.core.entry import NEWER
from promptx_mem.core.journal import ALIASED, REPLACED, latest
from promptx_mem.core.line import value_hash
from promptx_mem.core.state import UNFADING
from promptx_mem.record import TYPE_CHECKING, TypedDict
from promptx_mem.search.cache import UNDECIDED
from promptx_mem.store import members, settings
from promptx_mem.team import notes, port
from promptx_mem.team.copy import Copy, append, destroy
from promptx_mem.team.port import ASKED_AT_ONCE, PURGE, Mark, Page, Record, Taken, batched
from promptx_mem.team.postgres import PAGE, Postgres
from promptx_mem.usecases.lookup import Lookup

if TYPE_CHECKING:
    from promptx_mem.store.writer import Writer
    from promptx_mem.usecases.context import Context


class Untaken(TypedDict):
    """A record that was refused or has to wait, the role that sent it, and the reason."""

    role: str
    id: str
    why: str


Edit = tuple[Taken, Taken]
"""An old line, and the line that replaces it."""


def by_place(before: Sequence[bytes], copy: Copy, vanished: Mapping[bytes, Taken]) -> dict[bytes, Taken]:
    """Return the new version of each edited hand-written line by the old line's hash. An edit changes the id.

    `before` has the hashes of all earlier hand-written lines, in order. If as many new lines as old lines are between
    two unchanged lines, the first new line replaces the first old line, and so on.
    """
    out: dict[bytes, Taken] = {}
    for change, start, stop, first, last in SequenceMatcher(None, before, copy.hand, autojunk=False).get_opcodes():
        old = [vanished[key] for key in before[start:stop] if key in vanished]
        is_edit = change == "replace" and len(old) == stop - start == last - first
        if is_edit and not any(taken.record.id in copy.ids for taken in old):
            new = [copy.records[key] for key in copy.hand[first:last]]
            out |= {one.record.hash: other for one, other in zip(old, new, strict=True)}
    return out


def note(copy: Copy, writer: "Writer", edits: Sequence[Edit]) -> None:
    """Write an event for each replaced line, and add the events to the copy."""
    with copy.context.cache() as cache:
        lookup = Lookup(copy.context, cache)
        k = lookup.next_k([new.entry for _, new in edits if new.entry is not None])
        events = [
            lookup.event(
                REPLACED, *dict.fromkeys((new.record.id, old.record.id)), k=k + number,
                line=value_hash(old.entry), by=value_hash(new.entry),
            )
            for number, (old, new) in enumerate(edits)
        ]  # fmt: skip
    writer.add_events(events)
    for event in events:
        if (taken := port.of_event(event)) is not None:
            copy.add(taken)


FILLED = 0.8
"""Share of the store's size limit that received records can fill, so that memories can still be stored."""

_LOOKED_FROM = 0.6
_AT_ONCE = 200
_ROUNDS = 100
"""Maximum number of steps from a memory to other memories, along the connections that `partners` returns."""


class Room:
    """The number of bytes that a copy can receive, and the choice of memories if not all fit."""

    def __init__(self, context: "Context", copy: Copy, server: Postgres) -> None:
        self.context, self.copy, self.server = context, copy, server
        self.most = int(settings.most_bytes() * FILLED)
        self.budget = self.most - context.store.size()
        self.chosen: dict[bytes, Record] = {}

    def is_short(self, mark: Mark | None, left: int) -> bool:
        """Return whether the space is too large for this copy. `left` records did not fit before."""
        if left or (mark is not None and self.context.store.size() < self.most * _LOOKED_FROM):
            return bool(left)
        size = sum(len(taken.record.data) for taken in self.copy.records.values())
        return self.server.size().bytes - size > self.budget

    def choose(self, before: Mark | None) -> list[Page]:
        """Return the rows of the newest memories that fit. Only the last page has a new mark instead of `before`."""
        mark = before
        for page in self.server.newest():
            mark = page.mark
            wanted = dict.fromkeys(row.id for row in page.rows if self._is_new(row))
            if not all(map(self._add, batched(wanted, _AT_ONCE))):
                break
        return [*(Page(part, before) for part in batched(self.chosen.values(), PAGE)), Page((), mark)]

    def _is_new(self, row: Record) -> bool:
        return row.hash not in self.chosen and row.hash not in self.copy.records

    def _add(self, idents: list[str]) -> bool:
        """Choose memories and those that `partners` connects with them. Return False as soon as one does not fit."""
        fresh = [row for row in self._around(idents) if self._is_new(row) and row.data]
        size = sum(len(row.data) + 1 for row in fresh)
        if size <= self.budget:
            self.budget -= size
            self.chosen.update((row.hash, row) for row in fresh)
            return True
        half = len(idents) // 2
        return half > 0 and self._add(idents[:half]) and self._add(idents[half:])

    def _around(self, idents: Iterable[str]) -> Iterable[Record]:
        """Return all rows about some memories, and about all memories that `partners` connects with them."""
        rows: dict[bytes, Record] = {}
        waiting, asked = set(idents), set[str]()
        for _ in range(_ROUNDS):
            if not (waiting := waiting - asked):
                break
            asked |= waiting
            rows.update((row.hash, row) for row in self.server.find(ids=waiting))
            waiting = {ident for row in rows.values() for ident in partners(row)}
        return rows.values()


def partners(row: Record) -> tuple[str, ...]:
    """Return the ids of memories that a row connects because one supersedes or replaces another. Empty if none."""
    taken = port.read(row)
    if not isinstance(taken, Taken):
        return ()
    if taken.entry is not None:
        return (taken.entry.id, taken.entry.supersedes) if taken.entry.supersedes else ()
    event = taken.event
    is_tie = event is not None and (event.supersedes or event.kind == REPLACED)
    return (*event.ids, *event.supersedes) if event is not None and is_tie else ()


MAX_PURGES = 20
"""If more purges than this concern memories in this copy, a person must confirm the purges."""

LARGE = 4_000_000
"""A batch is written as soon as it has this many bytes. So a killed `sync` receives only about this much again."""


_HARMFUL = ("forgotten", "deleted", "replaced", "unscored", "imported")


class Exchange:
    """One exchange with a server, under the lock of `sync`. With `accept`, any number of purges is carried out.

    `waiting` purges need a person's confirmation. `remaining` purged records still have their bytes on the server.
    """

    def __init__(self, context: "Context", copy: Copy, server: Postgres, space: str, *, accept: bool) -> None:
        self.context, self.copy, self.server, self.accept = context, copy, server, accept
        self.pushed = self.pulled = self.destroyed = self.waiting = self.remaining = 0
        self.refused: list[Untaken] = []
        self.held: list[Untaken] = []
        self.now = context.moment
        with context.cache() as cache:
            states = cache.states_where(f"origin IS NULL AND {UNDECIDED} AND (verified OR category IN {UNFADING})")
        self.own = {state.entry.id: (state.entry.text, state.category) for state in states}
        self.layout = context.layout
        self.noted = members.read(self.layout)
        self.trusted = self.noted.trusted | {server.role}
        state = notes.read(self.layout)
        if state.space != space or state.mark is None or state.mark.server != server.life:
            # It is another space or server, or a restored one, so everything is compared again.
            notes.write_hashes(self.layout, notes.SENT, [])
            without, state = state.without, notes.State(space)
            state.doubtful, state.without = set(copy.purged), without
        self.state = state
        self.sent = set(notes.hashes(self.layout, notes.SENT))
        if len(self.sent) < state.sent:  # hashes were lost: read all rows, to find records that are missing here
            state.mark = None
        self.batch: dict[bytes, Taken] = {}
        """Received rows that are appended together."""
        self.known: set[bytes] = set()
        """Hashes of received records that this copy has, or must not store."""
        self.size = 0
        self.settled: set[bytes] = set()
        """Hashes of purges that this run has already handled. They come again with the rows after the mark."""

    def run(self) -> None:
        """Run all steps. Raises the errors of the server and the store; finished steps stay finished."""
        self._look_for_missing()
        notes.write_hashes(self.layout, notes.HAND, self.copy.hand)
        held = list(self.server.find(hashes=[bytes.fromhex(item) for item in self.state.held]))
        self.state.held = set()
        purges = [row for page in self.server.since(self.state.mark, purges=True) for row in page.rows]
        self._purge([*purges, *(row for row in held if row.kind == PURGE)])
        self._destroy()
        self._push()
        self._pull([row for row in held if row.kind != PURGE])
        self._destroy()
        self._clean_server()
        self._save()

    # Records that were here and are missing now.

    def _look_for_missing(self) -> None:
        """Restore records that disappeared without an event. If a person edited a line, record the replacement."""
        gone = {bytes.fromhex(item) for item in self.state.gone} - self.copy.records.keys()  # an edit was undone
        self.state.gone = {item.hex() for item in gone}
        if not (missing := self.sent - self.copy.records.keys() - gone):
            return
        back: dict[bytes, Taken] = {}
        for row in self.server.find(hashes=missing):
            taken = port.read(row) if row.data and row.role not in self.state.without else ""
            if not isinstance(taken, str) and not port.is_doomed(taken, self.copy.purged):
                back[row.hash] = taken
        lines = {key: taken for key, taken in back.items() if taken.entry is not None}
        moved = by_place(notes.hashes(self.layout, notes.HAND), self.copy, lines)
        changes: list[Edit] = []
        rightly = set(missing)
        for key, taken in back.items():
            same = self.copy.ids.get(taken.record.id, ()) if key in lines else ()
            unsent = (one for one in same if one.record.hash not in self.sent)
            newest = max(unsent, key=lambda one: (one.record.k, one.record.hash), default=None)
            if (new := newest or moved.get(key)) is not None:
                changes.append((taken, new))
            else:
                rightly.discard(key)
                self._take(taken.record)
        if changes:
            self.context.store.write(lambda writer: note(self.copy, writer, changes))
        self._apply()
        self.state.gone |= {item.hex() for item in rightly}
        self._save()

    # Purges.

    def _purge(self, rows: Iterable[Record]) -> None:
        """Carry out received purges. If more than MAX_PURGES would destroy records here, hold these for a person."""
        fresh: list[Record] = []
        threats: list[Record] = []
        for row in {row.hash: row for row in rows}.values():
            if row.hash in self.settled:
                continue
            self.settled.add(row.hash)
            taken = self._readable(row)
            if taken is None or taken.event is None:
                continue
            self.state.doubtful.update(taken.event.ids)
            if row.hash in self.copy.records:
                self.known.add(row.hash)
            else:
                purged = latest([taken.event], "purged")
                is_threat = any(port.is_doomed(one, purged) for one in self.copy.records.values())
                (threats if is_threat else fresh).append(row)
        if len(threats) > MAX_PURGES and not self.accept:
            self.waiting += len(threats)
            self.state.held |= {row.hash.hex() for row in threats}
        else:
            fresh += threats
        for row in fresh:
            self._take(row)
        self._apply()

    def _destroy(self) -> None:
        """Destroy purged memories in the files, including those that an interrupted run has left."""
        purged = self.copy.purged
        doomed = [one for one in self.copy.records.values() if port.is_doomed(one, purged)] if purged else []
        if not doomed:
            return
        self.destroyed += destroy(self.context, self.copy)
        self.copy.look()
        self.state.gone |= {taken.record.hash.hex() for taken in doomed}
        self._save()

    # Push.

    def _push(self) -> None:
        lacking = [taken for key, taken in self.copy.records.items() if key not in self.sent]
        for part in batched(lacking, ASKED_AT_ONCE):
            have = self.server.have([taken.record.hash for taken in part])
            self._note_sent(have)
            own = [taken.record for taken in part if self.copy.may_send(taken, self.noted, self.server.role, self.sent)]
            self.pushed += self.server.put([record for record in own if record.hash not in have])
            self._note_sent({record.hash for record in own})

    # Pull.

    def _pull(self, held: Sequence[Record]) -> None:
        """Receive the rows after the mark, page by page. The mark is saved only after earlier records are on disk."""
        for row in held:
            self._take(row)
        room = Room(self.context, self.copy, self.server)
        is_short = room.is_short(self.state.mark, self.state.left)
        late: list[Record] = []
        for page in room.choose(self.state.mark) if is_short else self.server.since(self.state.mark):
            for row in page.rows:
                if row.kind == PURGE:
                    late.append(row)
                else:
                    self._take(row)
            self.state.mark = page.mark
            if self.size >= LARGE or len(self.known) >= LARGE // 100:
                self._apply()
                before = self.state.held
                self.state.held = before | {row.hash.hex() for row in late}  # in case that this run is interrupted
                self._save()
                self.state.held = before
        self._apply()
        self._purge(late)
        if is_short:
            left = self.server.size().records - len(self.sent) - len(self.state.held) - len(self.refused)
            self.state.left = max(left, 0)

    def _take(self, row: Record) -> None:
        """Add a row to the batch, if it is new in this copy and can be accepted."""
        key = row.hash
        if key in self.copy.records or key in self.batch:
            self.known.add(key)
            return
        taken = None
        if row.data and (row.role in self.state.without or (taken := self._readable(row)) is None):
            return
        event = taken.event if taken is not None else None
        # Aliases of others could decide into which prompts the user's own memories are injected.
        is_alias = event is not None and event.kind == ALIASED and row.role not in self.trusted
        if taken is None or port.is_doomed(taken, self.copy.purged) or is_alias:
            self.state.gone.add(key.hex())
            self.known.add(key)
        else:
            self.batch[key] = taken
            self.size += len(row.data) + 1

    def _harmed(self, taken: Taken) -> str:
        """Return the id of an own core or verified memory that a record would end or change; empty if none."""
        entry, event = taken.entry, taken.event
        ids: Iterable[str | None] = ()
        if taken.record.role in self.trusted:
            return ""
        if entry is not None:
            is_same = self.own.get(entry.id) == (entry.text, entry.category)
            ids = (entry.supersedes, None if is_same else entry.id)
        elif event is not None and event.kind != port.PURGED:
            is_harmful = event.kind in _HARMFUL or (event.kind == "verified" and event.verified is False)
            ids = taken.record.ids if is_harmful else event.supersedes
        return next((ident for ident in ids if ident in self.own), None) or ""

    def _readable(self, row: Record) -> Taken | None:
        """Return the record of a row. Refuse an invalid row. Hold a row from the future or from a newer version.

        Without `accept`, also hold a row of another role that would end or change an own core or verified memory.
        """
        taken = port.read(row)
        if isinstance(taken, str):
            if not taken.startswith(NEWER):
                self.refused.append({"role": row.role, "id": row.id, "why": taken})
                return None
            why = f"{taken}; upgrade promptx-mem"
        elif port.is_ahead(taken, self.now):
            why = "its time is more than a day in the future"
        elif not self.accept and (ident := self._harmed(taken)):
            ways = f"to allow this: promptx-mem sync --accept-purges; to undo it then: promptx-mem restore {ident}"
            why = f"it would end or change your core or verified memory {ident}; {ways}"
        else:
            return taken
        self.held.append({"role": row.role, "id": row.id, "why": why})
        self.state.held.add(row.hash.hex())
        return None

    def _apply(self) -> None:
        """Append the batch, except purged records, to the files and the copy."""
        arrivals = [taken for taken in self.batch.values() if not port.is_doomed(taken, self.copy.purged)]
        if arrivals:
            self.context.store.write(lambda writer: append(writer, arrivals))
        for taken in arrivals:
            self.copy.add(taken)
            self.known.add(taken.record.hash)
        self.pulled += len(arrivals)
        self._note_sent(self.known - self.sent)
        self.batch, self.known, self.size = {}, set(), 0

    # The bytes of purged records on the server.

    def _clean_server(self) -> None:
        """If this role has the right, overwrite purged records on the server. Count records that still have bytes."""
        doubtful = sorted(self.state.doubtful & self.copy.purged.keys())
        dirty: set[str] = set()
        for part in batched(doubtful, ASKED_AT_ONCE):
            rest: dict[bytes, set[str]] = {}
            for row in self.server.find(ids=part):
                taken = port.read(row) if row.data else ""
                if not isinstance(taken, str) and port.is_doomed(taken, self.copy.purged):
                    rest[row.hash] = set(row.ids) & set(part)
            if rest and self.server.overwrite(rest.keys()) < len(rest):
                self.remaining += len(rest)
                dirty.update(*rest.values())
        self.state.doubtful = dirty | (self.state.doubtful - self.copy.purged.keys())

    def _note_sent(self, hashes: set[bytes]) -> None:
        notes.add_sent(self.layout, hashes - self.sent)
        self.sent |= hashes

    def _save(self) -> None:
        self.state.at, self.state.sent = self.context.at, len(self.sent)
        notes.write(self.layout, self.state)
