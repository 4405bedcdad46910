"""The local copy of a space: its lines and events (also archived ones), and functions that write received records."""

from collections.abc import Collection, Iterator
from hashlib import sha256

from promptx_mem.core.bundle import DECLARATIVE
from promptx_mem.core.entry import NEWER, Entry
from promptx_mem.core.journal import latest
from promptx_mem.core.line import is_line, parse_line
from promptx_mem.core.text import plural
from promptx_mem.record import TYPE_CHECKING
from promptx_mem.search import build, current
from promptx_mem.store import episodes as conversations
from promptx_mem.store import members, parsing
from promptx_mem.team import port
from promptx_mem.team.port import Taken
from promptx_mem.team.postgres import Postgres
from promptx_mem.usecases import index, intake, purge
from promptx_mem.usecases.intake import StoredLine
from promptx_mem.usecases.lookup import Lookup

if TYPE_CHECKING:
    from promptx_mem.store.writer import Writer
    from promptx_mem.usecases.context import Context


class Copy:
    """The records of this copy; `records` has them by hash.

    `purged` has the order key of each purged id's last purge. `hand` has the hashes of hand-written lines, in
    file order. `unsent` is the number of records that cannot be sent.
    """

    def __init__(self, context: "Context", sent: Collection[bytes] = ()) -> None:
        self.context = context
        self.look(sent)

    def add(self, taken: Taken) -> None:
        """Add a record that is now in the files of this copy."""
        self.records[taken.record.hash] = taken
        if taken.entry is not None:
            self.ids.setdefault(taken.entry.id, []).append(taken)
        elif taken.event is not None and taken.record.kind == port.PURGE:
            later = latest([taken.event], "purged")
            self.purged |= {ident: max(k, self.purged.get(ident, 0)) for ident, k in later.items()}

    def look(self, sent: Collection[bytes] = ()) -> None:
        """Read all records that can be sent. Hashes in `sent` are not checked again. Raises OSError, StoreError."""
        now = self.context.at
        parts = intake.parse_files(intake.contents(self.context.layout, talks=False), now)
        self.records: dict[bytes, Taken] = {}
        self.ids: dict[str, list[Taken]] = {}
        self.hand: list[bytes] = []
        self.unsent = 0
        events = parts.understood()
        self.purged: dict[str, int] = latest(events, "purged")
        every = list(parts.chunks())
        talks = {entry.id for entry, _, _ in conversations.parse(conversations.read(self.context.layout))}
        episodes = talks | {chunk.entry.id for chunk in every if chunk.entry.category == "episode"}
        waiting: set[str] = set()
        if self.context.layout.is_user:
            confirmed = {ident for event in events if event.kind == "confirmed" for ident in event.ids}
            waiting = {chunk.entry.id for chunk in every if chunk.entry.unconfirmed} - confirmed
        lines = [parsing.Line(chunk.entry, 0, 0, DECLARATIVE, chunk.has_time) for chunk in every]
        for chunk, line in zip(every, parsing.with_adopted_times(lines, events), strict=True):
            if chunk.entry.id not in episodes and chunk.entry.id not in waiting:
                taken = _of_chunk(chunk, line.entry, sent)
                self._note(taken)
                if taken is not None and not chunk.has_time:
                    self.hand.append(taken.record.hash)
        for listed in parts.events.values():
            for raw, event in listed:
                if event is None:
                    self.unsent += bool(raw.strip())
                elif not episodes.issuperset(event.ids):
                    self._note(_readable(port.of_event(event, raw.strip()), sent))

    def may_send(self, taken: Taken, noted: members.Members, role: str, sent: Collection[bytes]) -> bool:
        """Return whether `role` can send a record: not another role's line, and not events about such unsent lines."""
        if taken.entry is not None:
            return not noted.is_foreign(taken.entry, role)
        lines = [line for ident in taken.record.ids for line in self.ids.get(ident, ())]
        return not lines or any(line.record.hash in sent or self.may_send(line, noted, role, sent) for line in lines)

    def _note(self, taken: Taken | None) -> None:
        if taken is None:
            self.unsent += 1
        else:
            self.add(taken)


def adopt(context: "Context", writer: "Writer") -> None:
    """Record the time of hand-written lines as events, since file times differ between copies."""
    with current.open_current(writer.layout) as cache:
        if Lookup(context, cache).adopt(writer):
            current.catch_up(cache, writer)


def _of_chunk(chunk: StoredLine, entry: Entry, sent: Collection[bytes]) -> Taken | None:
    """Return the record of a line, or None if it cannot be sent. A line that promptx-mem did not write is formatted."""
    raw = chunk.raw.strip(b"\r\n")
    if sha256(raw).digest() in sent:
        return port.of_entry(entry, raw)
    text = raw.decode("utf-8", "replace")
    line = parse_line(text) if is_line(text) and b"\n" not in raw else None
    if line is not None:
        if any(problem.startswith(NEWER) for problem in line.problems):
            return None
        if line.entry.at and (taken := _readable(port.of_entry(line.entry, raw))) is not None:
            return taken
    return _readable(port.of_entry(entry))


def _readable(taken: Taken | None, sent: Collection[bytes] = ()) -> Taken | None:
    """Return a record if other copies can read it, or if it was already sent; otherwise None."""
    if taken is None or taken.record.hash in sent:
        return taken
    again = port.read(taken.record)
    return again if isinstance(again, Taken) else None


def append(writer: "Writer", arrivals: Collection[Taken]) -> None:
    """Append received records to the files, events first. The authors of lines are recorded before the lines.

    So an interruption leaves no line without its author.
    """
    authors = ((taken.entry, taken.record.role) for taken in arrivals if taken.entry is not None)
    members.note(writer.layout, (members.sender_record(*author) for author in authors))
    writer.add_raw(
        events=b"".join(taken.record.data + b"\n" for taken in arrivals if taken.event is not None),
        lines=b"".join(taken.record.data + b"\n" for taken in arrivals if taken.entry is not None),
    )


def refresh(context: "Context", why: str = "") -> None:
    """Update the cache and MEMORY.md after an exchange. If `why` is given, record it in the audit log."""

    def work(writer: "Writer") -> None:
        if why:
            context.note(writer, "sync", verdict="done", why=why)
        with current.open_current(writer.layout) as cache:
            index.refresh(context, cache)

    context.store.write(work)


def show_anew(context: "Context") -> None:
    """Rebuild the cache and MEMORY.md after origins of memories have changed. The cache would not notice this."""
    build.remove_caches(context.layout)
    refresh(context)


def destroy(context: "Context", copy: Copy) -> int:
    """Destroy the purged memories of this copy in every file. Return their number."""
    purged = copy.purged
    which = purge.Doomed(
        lambda entry: port.entry_is_doomed(entry, purged), lambda event: port.event_is_doomed(event, purged)
    )

    def work(writer: "Writer") -> int:
        doomed = [entry for entry in purge.all_entries(writer.layout) if which.line(entry)]
        ids = {entry.id for entry in doomed}
        lost = (taken.record.ids for taken in copy.records.values() if port.is_doomed(taken, purged))
        idents = {ident for some in lost for ident in some if ident in purged}
        purge.begin(writer.layout)
        purge.clean_texts(writer, ids | idents, {entry.text for entry in doomed}, which)
        purge.end(writer.layout)
        if doomed:
            context.note(writer, "sync", *({"id": ident} for ident in sorted(ids)), verdict="purged")
        return len(ids)

    with purge.named_as_purged("a memory purged on the server"):
        return context.store.write(work)


def settle(context: "Context", copy: Copy, server: Postgres) -> str:
    """Record the missing authors of lines before an exchange. Return a warning if the record of authors was lost.

    Then every local line gets the author that the server names, or an unknown author. Otherwise return an empty text.
    If there never was a record of authors, only lines that other roles have sent to the server are recorded. Raises
    OSError, StoreError, Refused.
    """
    where = context.layout
    known = members.read(where)
    if known is not members.NO_MEMBERS and not known.unknown:
        return ""
    records = list(_records(copy, server, is_lost=known.unknown))
    context.store.write(lambda writer: members.repair(writer.layout, records))
    if records:
        show_anew(context)
    if not known.unknown:
        return ""
    lines = plural(len(records), "line")
    ways = "usage: promptx-mem sync --trust <role>, or promptx-mem review <id> keep"
    named = f"the server's records name the authors of {lines}"
    return f"{members.LOST}; {named}: to mark memories as yours (in a terminal), {ways}"


def _records(copy: Copy, server: Postgres, *, is_lost: bool) -> "Iterator[dict[str, str]]":
    lines = [taken for taken in copy.records.values() if taken.entry is not None]
    roles = {row.hash: row.role for row in server.find(hashes=[taken.record.hash for taken in lines])}
    for taken in lines:
        role = roles.get(taken.record.hash, "")
        if taken.entry is not None and (is_lost or role not in ("", server.role)):
            yield members.sender_record(taken.entry, role or members.UNKNOWN)
