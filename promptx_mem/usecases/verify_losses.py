"""What audit --verify says of lines and events that vanished: how they come back, or that nothing holds them any more.

A switch of branches, a purge, a compaction and an edit by hand take lines away on purpose: these are no problems.
"""

import re
from collections.abc import Iterator

from promptx_mem.core.line import parse_line
from promptx_mem.core.text import plural, shorten
from promptx_mem.search.cache import Cache
from promptx_mem.search.lost import ByHand, find_missing
from promptx_mem.store import audit, git
from promptx_mem.store.sources import Sources

_TEXT = 40
_NAMED = 3
_ENDS = ("forgotten", "deleted")
_ID = re.compile(rb'"id":"(m_[0-9a-z]{10})"')

Row = tuple[str, str, str, str]
"""Where, what, what to do, and the command."""


class Losses:
    """What one pass of verify knows of what vanished. `notes` is filled by `problems`."""

    def __init__(self, cache: Cache, everything: Sources) -> None:
        self.notes: list[str] = []
        self._cache = cache
        self._everything = everything
        self._missing = find_missing(cache)
        self._here = {line.entry.id for line in everything.lines}
        self._purged = {ident for event in everything.events if event.kind == "purged" for ident in event.ids}
        self._branches: set[str] | None = None

    def ids(self) -> set[str]:
        """Ids whose lines can be brought back: their events are no orphans."""
        return set(self._missing.lines) | set(self._missing.deleted) | self._missing.saved

    def problems(self) -> Iterator[Row]:
        """Name all of it; what another branch of git holds becomes a note."""
        switched: dict[str, None] = {}
        for row in (*self._lines(), *self._events(), *self._logged()):
            if row[0] in self._elsewhere():
                switched[row[0]] = None
            else:
                yield row
        if switched:
            named = ", ".join(list(switched)[:_NAMED]) + (" …" if len(switched) > _NAMED else "")
            lie = plural(len(switched), "memory lies", "memories lie")
            way = f"promptx-mem restore {next(iter(switched))}"
            self.notes.append(f"{lie}, in whole or in part, on another branch of git: {named}; {way}")

    def purged(self) -> Iterator[Row]:
        """Name the copies of texts that were purged, perhaps on another host: the next `decay` destroys them here."""
        for ident in sorted(self._missing.purged):
            message = "it was purged, but a saved line still holds its text"
            yield ident, message, "purge it here too", f"promptx-mem forget {ident} --purge"

    def _lines(self) -> Iterator[Row]:
        by_hand = ByHand(self._everything)
        for ident, lines in self._missing.lines.items():
            read_back = parse_line(lines[-1])
            if read_back is None:
                continue
            text = shorten(read_back.entry.text, _TEXT)
            message, why = f"its line vanished from declarative.md, and was saved: {text}", "deleted on purpose"
            if now := by_hand.edited_form(read_back.entry):
                message = f"its text was edited by hand, which makes it a new memory, {now.id}; the old one was saved"
                message, why = f"{message}, with its boosts: {text}", "is the new one enough"
            yield (
                ident,
                message,
                "bring it back",
                f"promptx-mem restore {ident}  # {why}? promptx-mem forget {ident}",
            )

    def _events(self) -> Iterator[Row]:
        for ident, events in self._missing.events.items():
            if ident not in self._here or ident in self._missing.lines:
                continue  # named with its line, which brings them along, or gone for good
            kinds = ", ".join(event.kind for event in sorted(events.values(), key=lambda event: event.k))
            message = f"{plural(len(events), 'event', 'events')} on it vanished from journal.jsonl: {kinds}"
            if any(event.kind == "purged" for event in events.values()):
                yield ident, message, "destroy it again", f"promptx-mem forget {ident} --purge"
            else:
                yield ident, message, "bring back what happened", f"promptx-mem restore {ident}"

    def _logged(self) -> Iterator[Row]:
        """What this store's own log says was done, and nothing else knows of."""
        if self._cache.meta("whole") == "0":
            return
        records = audit.records(audit.read(self._cache.layout))
        ids = self._here | self._purged | self.ids() | self._missing.events.keys()
        stored = audit.stored(records)
        lost = {ident: at for ident, at in stored.items() if ident not in ids}
        older = len(lost) > 1 and all(ident in lost for ident, at in stored.items() if at >= min(lost.values()))
        for ident, at in lost.items():
            message = f"it was stored at {at}, but no line has it, and nothing holds a copy"
            if older:
                message += "; all that was stored since then is gone: declarative.md looks like an older copy of itself"
            command = f"promptx-mem forget {ident} --purge  # that it is gone for good"
            yield ident, message, "put its line back from a backup, or accept it", command
        yield from self._forgotten(records)

    def _forgotten(self, records: list[audit.Record]) -> Iterator[Row]:
        ends: dict[str, set[str]] = {}
        for event in self._everything.events:
            for ident in event.ids:
                ends.setdefault(ident, set()).add(event.kind)
        for record in records:
            ident, kind = str(record.get("id")), record.get("verdict")
            if kind not in _ENDS or ident not in self._here or ident in self._missing.events:
                continue
            if not ends.get(ident, set()) & {kind, "purged"}:
                message = f"it was {kind} at {record.get('at', '')}, but no event says so, and nothing holds a copy"
                yield ident, message, "end it again", f"promptx-mem forget {ident}"

    def _elsewhere(self) -> set[str]:
        """The ids in lines and events that another branch has, and this one has not."""
        if self._branches is None:
            where = self._cache.layout
            lines = git.elsewhere(where, where.declarative) | git.elsewhere(where, where.journal)
            self._branches = {match.decode() for line in lines for match in _ID.findall(line)}
        return self._branches
