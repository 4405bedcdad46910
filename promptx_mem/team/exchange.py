"""One exchange of a copy with a server. Every step may be cut off, and done again."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from promptx_mem.core.journal import ALIASED, Event
from promptx_mem.store import members
from promptx_mem.team import edits, notes, records
from promptx_mem.team.apply import Batch, apply, batched, destroy
from promptx_mem.team.copy import Copy
from promptx_mem.team.counts import Counts, Refusal
from promptx_mem.team.port import PURGE, Mark, Record, Row, Server
from promptx_mem.team.records import Taken
from promptx_mem.team.room import Room

if TYPE_CHECKING:
    from promptx_mem.usecases.context import Context

MAX_PURGES = 20
"""Purges that destroy something here which one pull takes without being asked."""

ASKED_AT_ONCE, PUT_AT_ONCE, PUT_BYTES = 5_000, 1_000, 4_000_000
MAX_HELD = 1_000


class Exchange:
    """An exchange under the lock of `sync`; `accept`: however many purges come, they are done."""

    def __init__(self, context: "Context", copy: Copy, server: Server, space: str, *, accept: bool) -> None:
        self.context, self.copy, self.server, self.accept = context, copy, server, accept
        self.counts = Counts()
        self.now = context.now().timestamp()
        self.layout = context.layout
        state = notes.read(self.layout)
        if state.space != space or state.mark is None or state.mark.server != server.life:
            # Another server, or another life of it: everything is compared again.
            notes.reset_sent(self.layout)
            doubtful = frozenset(copy.purged)
            state = notes.State(
                space, doubtful=doubtful, without=state.without if state.space == space else frozenset()
            )
            self._demand_whole()
        self.state = state
        self.sent = notes.sent(self.layout)
        if len(self.sent) < self.state.sent:  # of what is known no more the server has to say what is missing here
            self.state = state = state._replace(mark=None)
            self._demand_whole()
        self.batch = Batch(self.layout, copy)
        self.settled: set[bytes] = set()
        """Purges that were decided in this run: the tail gives them again."""
        self.start, self.again = state.mark or Mark(server.life, 0, 0), False

    def run(self) -> Counts:
        """Do it all. Raises what the server and the store raise: what was done until then is done."""
        if self.copy.is_whole:  # else all that was here is here
            self._look_for_missing()
            notes.write_hand(self.layout, self.copy.hand)
        held = list(self._rows(hashes=[bytes.fromhex(item) for item in self.state.held]))
        self.state = self.state._replace(held=frozenset())
        purges = [row for page in self.server.since(self.state.mark, purges=True) for row in page.rows]
        self._purge([*purges, *(row for row in held if row.record.kind == PURGE)])
        self._destroy()
        self._push()
        self._pull([row for row in held if row.record.kind != PURGE])
        self._destroy()
        self._clean_server()
        self._save(is_over=True)
        return self.counts

    def _demand_whole(self) -> None:
        """Read all of the copy where only what is new was read."""
        if not self.copy.is_whole:
            self.copy.look()

    # What was here, and is here no more.

    def _look_for_missing(self) -> None:
        """Take back what vanished without an event; of a line that a person edited say what stands in its place."""
        gone = {bytes.fromhex(item) for item in self.state.gone} - self.copy.records.keys()  # an edit taken back
        self.state = self.state._replace(gone=frozenset(item.hex() for item in gone))
        if not (missing := self.sent - self.copy.records.keys() - gone):
            return
        back: dict[bytes, tuple[Row, Taken]] = {}
        for row in self._rows(hashes=missing):
            taken = records.read(row) if row.record.data else ""
            if not (isinstance(taken, str) or records.is_doomed(taken, self.copy.purged) or self._is_out(row)):
                back[row.record.hash] = row, taken
        lines = {key: taken for key, (_, taken) in back.items() if taken.entry is not None}
        moved = edits.by_place(notes.hand(self.layout), self.copy, lines)
        changes: list[edits.Edit] = []
        rightly = set(missing)
        for key, (row, taken) in back.items():
            new = edits.new_line(self.copy, taken, self.sent) if key in lines else None
            if (new := new or moved.get(key)) is not None:
                changes.append((taken, new))
            else:
                rightly.discard(key)
                self._take(row)
        if changes:
            self.context.store.write(lambda writer: edits.note(self.copy, writer, changes))
        self._apply()
        self.state = self.state._replace(gone=self.state.gone | {item.hex() for item in rightly})
        self._save()

    # Purges.

    def _purge(self, rows: Iterable[Row]) -> None:
        """Take the purges that came, unless they would destroy more here than anybody should without being asked."""
        fresh: list[Row] = []
        threats: list[Row] = []
        for row in {row.record.hash: row for row in rows}.values():
            if row.record.hash in self.settled:
                continue
            self.settled.add(row.record.hash)
            taken = self._readable(row)
            if taken is None or taken.event is None:
                continue
            self.state = self.state._replace(doubtful=self.state.doubtful | set(taken.event.ids))
            if self.copy.is_here(row.record.hash):
                self.batch.known.append(row.record.hash)
            elif self._threatens(taken.event):
                threats.append(row)
            else:
                fresh.append(row)
        if len(threats) > MAX_PURGES and not self.accept:
            self.counts.waiting += len(threats)
            self._hold(threats)
        else:
            fresh += threats
        for row in fresh:
            self._take(row)
        self._apply()

    def _threatens(self, event: Event) -> bool:
        self._demand_whole()
        purged = records.purges([event])
        return any(records.is_doomed(taken, purged) for taken in self.copy.records.values())

    def _destroy(self) -> None:
        """Destroy what a purge names, also what an interrupted run has left."""
        purged = self.copy.purged
        doomed = [one for one in self.copy.records.values() if records.is_doomed(one, purged)] if purged else []
        if not doomed:
            return
        self.counts.destroyed += destroy(self.context, self.copy)
        gone = {taken.record.hash.hex() for taken in doomed}
        self.copy.look()
        self.state = self.state._replace(gone=self.state.gone | gone)
        self._save()

    # Push.

    def _push(self) -> None:
        lacking = [taken.record for key, taken in self.copy.records.items() if key not in self.sent]
        for part in batched(lacking, ASKED_AT_ONCE):
            have = self.server.have([record.hash for record in part])
            self._note_sent(have)
            group: list[Record] = []
            size = 0
            for record in part:
                if record.hash in have:
                    continue
                if group and (len(group) == PUT_AT_ONCE or size + len(record.data) > PUT_BYTES):
                    self._put(group)
                    group, size = [], 0
                group.append(record)
                size += len(record.data)
            self._put(group)

    def _put(self, group: list[Record]) -> None:
        if group:
            self.counts.pushed += self.server.put(group)
            self._note_sent({record.hash for record in group})

    # Pull.

    def _pull(self, held: Sequence[Row]) -> None:
        """Take the tail, page by page; the mark moves when what lies before it is on the disk."""
        for row in held:
            self._take(row)
        room = Room(self.context, self.copy, self.server)
        if room.is_short(self.state.mark, self.state.left):
            self._demand_whole()
            self._pull_what_fits(room)
            return
        late: list[Row] = []
        for page in self.server.since(self.state.mark):
            for row in page.rows:
                if row.record.kind == PURGE:
                    late.append(row)
                else:
                    self._take(row)
            self.state = self.state._replace(mark=page.mark)
            if self.batch.is_large():
                self._apply()
                self._save()
        self._apply()
        self._purge(late)

    def _pull_what_fits(self, room: Room) -> None:
        rows, mark = room.choose(self.state.mark)
        self._purge([row for row in rows if row.record.kind == PURGE])
        for row in rows:
            self._take(row)
            if self.batch.is_large():
                self._apply()
        self._apply()
        left = self.server.size().records - len(self.sent) - len(self.state.held) - len(self.counts.refused)
        self.state = self.state._replace(mark=mark, left=max(left, 0))

    def _take(self, row: Row) -> None:
        """Put a row that is new here into the batch."""
        key = row.record.hash
        if self.copy.is_here(key) or key in self.batch.rows:
            self.batch.known.append(key)
        elif not row.record.data:
            self.state = self.state._replace(gone=self.state.gone | {key.hex()})
            self.batch.known.append(key)
        elif not self._is_out(row) and (taken := self._readable(row)) is not None:
            if records.is_doomed(taken, self.copy.purged) or self._is_foreign_alias(row, taken):
                self.state = self.state._replace(gone=self.state.gone | {key.hex()})
                self.batch.known.append(key)
            else:
                self.batch.add(row, taken)

    def _is_foreign_alias(self, row: Row, taken: Taken) -> bool:
        """Return whether an event gives aliases and comes from a role that is neither this one nor trusted.

        It could choose the prompts into which the user's own memories are injected.
        """
        if taken.event is None or taken.event.kind != ALIASED or row.role == self.server.role:
            return False
        return row.role not in members.read(self.layout, ()).trusted

    def _is_out(self, row: Row) -> bool:
        return row.role in self.state.without

    def _readable(self, row: Row) -> Taken | None:
        """What a row holds; one that is wrong is refused, one from the future or of a newer version waits."""
        taken = records.read(row)
        if isinstance(taken, str) and not records.is_newer(taken):
            self.counts.refused.append(Refusal(row.role, row.record.id, taken))
            return None
        if isinstance(taken, str) or records.is_ahead(taken, self.now):
            why = f"{taken}; upgrade promptx-mem" if isinstance(taken, str) else "its time lies more than a day ahead"
            self.counts.held.append(Refusal(row.role, row.record.id, why))
            self._hold([row])
            return None
        return taken

    def _hold(self, rows: Sequence[Row]) -> None:
        held = self.state.held | {row.record.hash.hex() for row in rows}
        if len(held) > MAX_HELD:  # the mark stays before them: they are read again
            self.again = True
            held = self.state.held
        self.state = self.state._replace(held=held)

    def _apply(self) -> None:
        self.counts.pulled += apply(self.context, self.batch)
        self._note_sent(set(self.batch.known) - self.sent)
        self.batch = Batch(self.layout, self.copy)

    # The server's bytes of what was purged.

    def _clean_server(self) -> None:
        """Overwrite on the server what was purged, where this role may; count what is still there."""
        doubtful = sorted(self.state.doubtful & self.copy.purged.keys())
        dirty: set[str] = set()
        for part in batched(doubtful, ASKED_AT_ONCE // 10):
            rest: dict[bytes, set[str]] = {}
            for row in self._rows(ids=part):
                taken = records.read(row) if row.record.data else ""
                if not isinstance(taken, str) and records.is_doomed(taken, self.copy.purged):
                    rest[row.record.hash] = set(row.record.ids) & set(part)
            if rest and self.server.overwrite(rest.keys()) < len(rest):
                self.counts.remaining += len(rest)
                dirty.update(*rest.values())
        waiting = self.state.doubtful - self.copy.purged.keys()
        self.state = self.state._replace(doubtful=frozenset(dirty | waiting))

    def _rows(self, *, hashes: Iterable[bytes] = (), ids: Iterable[str] = ()) -> Iterator[Row]:
        for some in batched(hashes, ASKED_AT_ONCE):
            for page in self.server.since(None, hashes=some):
                yield from page.rows
        for idents in batched(ids, ASKED_AT_ONCE):
            for page in self.server.since(None, ids=idents):
                yield from page.rows

    def _note_sent(self, hashes: set[bytes]) -> None:
        notes.add_sent(self.layout, hashes - self.sent)
        self.sent |= hashes

    def _save(self, *, is_over: bool = False) -> None:
        files = self.copy.files if is_over and not self.again else None
        self.state = self.state._replace(seen=files.seen(self.layout, self.copy.bytes()) if files is not None else None)
        at = self.context.now().isoformat(timespec="seconds")
        self.state = self.state._replace(at=at, sent=len(self.sent))
        notes.write(self.layout, self.state._replace(mark=self.start) if self.again else self.state)
