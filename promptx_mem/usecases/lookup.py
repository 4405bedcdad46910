"""Lookups for writers. They use the cache if it is current, and otherwise search the files."""

import re
from collections.abc import Iterable
from datetime import datetime

from promptx_mem.core.entry import MAX_K, Entry
from promptx_mem.core.fold import fold_all, line_key
from promptx_mem.core.ids import PREFIX, make_id
from promptx_mem.core.journal import Event, parse_event
from promptx_mem.core.line import is_line
from promptx_mem.core.state import State, lives
from promptx_mem.core.syntax import escape_visible
from promptx_mem.core.text import shorten
from promptx_mem.core.times import epoch
from promptx_mem.errors import NotFoundError, PromptxMemError, Refused, StoreError, UsageError
from promptx_mem.search import history, memories
from promptx_mem.search.cache import Cache, is_any_contradicted
from promptx_mem.store import append, members, recalled, sources
from promptx_mem.store.layout import Layout

ALIKE_FROM = 0.3
_LEAST_ALIKE = 0.02
"""Two spellings of a short text, one with spaces between scripts, share little more than this."""

_WORDS = 60
_NAMED = 5
ADOPTED_AT_ONCE = 256
"""Ids of one `adopted` event, which is always read whole."""

_K = re.compile(rb'"k":(\d{1,19})')


def ambiguous(prefix: str, ids: list[str]) -> UsageError:
    """Return the error for a prefix of several ids, with their number and the command that shows them."""
    examples = ", ".join(ids[:_NAMED])
    command = "promptx-mem list" if prefix == "m_" else f"promptx-mem recall {prefix} -n {len(ids)}"
    return UsageError(
        f"{prefix} begins {len(ids)} ids: {examples}{', …' if len(ids) > _NAMED else ''}",
        code="ambiguous",
        hint=f"type more of it; to see them: {command}",
    )


def not_an_id(word: str) -> UsageError:
    """Return the error for a word that is no prefix of an id, with the command that searches for it."""
    from promptx_mem.core.shell import join

    shown = shorten(word, 40)
    if word.startswith("u_"):
        return UsageError(
            f"{shown} is a conversation, not a memory",
            hint=f"to hide its messages: {join(['promptx-mem', 'forget', '--conversation', word])}",
        )
    looks = "an id looks like m_7k2q9x4htb; its beginning is enough"
    words = join(["promptx-mem", "recall", *(["--"] if word.startswith("-") else []), shorten(word, _WORDS)])
    return UsageError(f"{shown!r} is not an id", hint=f"{looks}\nto find it by its words: {words}")


class Lookup:
    """The memories of a store while its lock is held. `cache` is None where it is stale."""

    def __init__(self, where: Layout, cache: Cache | None) -> None:
        self.cache = cache
        self._where = self.layout = where
        self._data: tuple[bytes, bytes] | None = None
        self._read_whole: dict[str, State] = {}
        self._by_hand: dict[str, str] = {}
        """Times, by id, of hand-written lines that were read without a cache, and that no event has fixed yet."""

    def by_text(self, text: str) -> State | None:
        """Return the memory whose current text is this one."""
        ident = make_id(text)
        if self.cache is not None:
            states = self.cache.with_hash(ident)
        else:
            states = list(self._folded(self._lines_with(ident, escape_visible(text))).values())
            states = [state for state in states if make_id(state.entry.text) == ident]
        return min(states, key=lambda state: state.entry.id, default=None)

    def by_id(self, prefix: str) -> State:
        """Return the memory with this id or unique prefix. Raises NotFoundError, UsageError, StoreError."""
        prefix = prefix.strip().lower()
        if not PREFIX.fullmatch(prefix):
            raise not_an_id(prefix)
        if self.cache is not None:
            ids = self.cache.matching(prefix)
        else:
            pattern = re.compile(rb'"id":"(' + prefix.encode() + rb'[0-9a-z]*)"')
            ids = sorted({match.decode() for match in pattern.findall(self._bytes()[0])})
            ids = ids or sorted(ident for ident in self._everything() if ident.startswith(prefix))
        if len(ids) > 1:
            raise ambiguous(prefix, ids)
        state = self.state(ids[0]) if ids else None
        if state is None:
            raise self._missing(prefix)
        return state

    def _missing(self, prefix: str) -> PromptxMemError:
        """Return the error for an unknown id: where the memory may be, or how to restore a vanished line."""
        from promptx_mem.search import lost

        if self.cache is not None and self.cache.meta("whole") == "0":
            return StoreError(
                f"no memory that can be read has the id {prefix}, and some of archive/ may not be read",
                hint="look at the permissions of .memory/archive and its owner",
            )
        hint = "ids are shown by: promptx-mem list"
        saved = lost.saved_lines(self._where) if self.cache is None else lost.find_missing(self.cache, prefix).lines
        if matches := [ident for ident in saved if ident.startswith(prefix)]:
            hint = f"its line has vanished from declarative.md, and was saved: promptx-mem restore {matches[0]}"
        return NotFoundError(f"no memory has the id {prefix}", hint=hint)

    def state(self, ident: str) -> State | None:
        if self.cache is not None:
            return self.cache.state(ident)
        return self._folded(self._lines_with(ident, None)).get(ident) or self._read_whole.get(ident)

    def happened(self, ident: str) -> bool:
        """Return whether events act on an id, even one without a line: a new line of it must come after them."""
        if self.cache is None:
            return any(ident.encode() in raw for raw in self._bytes())
        return history.happened(self.cache, ident)

    def newer(self) -> bool:
        """Return whether a newer version is known to have written in the store."""
        return self.cache is not None and int(self.cache.meta("newer") or 0) > 0

    def chain(self, state: State) -> tuple[str, ...]:
        """Return all memories that led to this one by superseding; restoring it supersedes them."""
        ids: dict[str, None] = {}
        waiting = list(state.superseded_by)
        while waiting:
            ident = waiting.pop()
            if ident in ids or ident == state.entry.id:
                continue
            ids[ident] = None
            if (further := self.state(ident)) is not None:
                waiting += further.superseded_by
        return tuple(ids)

    def heir(self, state: State, now: float) -> Entry | None:
        """Return the active memory that has replaced an ended one."""
        if lives(state, now):
            return None
        states = (self.state(ident) for ident in self.chain(state))
        return next((other.entry for other in states if other is not None and lives(other, now)), None)

    def refuse_superseded(self, state: State, now: float, command: str) -> None:
        """Refuse to change a superseded memory, and name the one that superseded it."""
        if heir := self.heir(state, now):
            raise Refused(
                f"{state.entry.id} has been superseded by {heir.id} ({shorten(heir.text, 40)})",
                code="superseded",
                hint=f"for that one: promptx-mem {command}".replace("ID", heir.id),
            )

    def replacing(self, ident: str, now: float) -> dict[str, str]:
        """Return newer memories that may replace one, each with the difference; none without a cache."""
        if self.cache is None or not is_any_contradicted(self.cache):
            return {}
        from promptx_mem.search import pairs

        found = (pair for pair in pairs.beside(self.cache, [ident], now) if pair.older.entry.id == ident)
        return {pair.newer.entry.id: pair.reason for pair in found}

    def entries(self, *idents: str | None) -> list[Entry]:
        """Return the lines of some ids: a new event or line that acts on them must come after them."""
        return [state.entry for ident in idents if ident and (state := self.state(ident)) is not None]

    def noted_at(self, at: str) -> bool:
        """Return whether a memory was created in the same second, or that cannot be found out quickly."""
        if self.cache is None:
            return True
        second = epoch(at)
        return memories.is_noted_between(self.cache, second, second + 1)

    def tags_in_use(self, tags: Iterable[str]) -> list[str]:
        """Return a warning for each new tag that differs from one in use only in case or number."""
        if self.cache is None:
            return []
        found = ((tag, memories.tag_in_use(self.cache, tag)) for tag in tags)
        return [f"#{tag} is new; #{name} is in use: use that" for tag, name in found if name]

    def similar(self, text: str) -> list[tuple[State, float]]:
        """Return memories that share at least a fiftieth of a text's trigrams, most similar first.

        None without a cache.
        """
        if self.cache is None:
            return []
        return memories.similar(self.cache, text, _LEAST_ALIKE)

    def closest(self, text: str, now: float, count: int) -> list[State]:
        """Return the active memories that match the words of a text best; none without a cache."""
        return [] if self.cache is None else memories.closest(self.cache, text, now, without="", count=count)

    def next_k(self, now: float, touched: Iterable[Entry] = ()) -> int:
        """Return the order key of a new event: after every event seen, and after the lines it acts on."""
        if self.cache is not None:
            last = int(self.cache.meta("k") or 0)
        else:
            last = max((int(k) for data in self._bytes() for k in _K.findall(data)), default=0)
        # Stay below the limit even if a file exceeds it: an event beyond it could not be read.
        return max(int(now * 1e6), min(last + 1, MAX_K - 1), *(line_key(entry) + 1 for entry in touched))

    def adoptions(self, now: float, host: str) -> list[Event]:
        """Return events that fix the time of hand-written lines, as first seen.

        With a stale cache, only for lines that were read: a change of one comes after it, so its time must no longer
        follow that of the file.
        """
        by_time: dict[float, list[str]] = {}
        unseen = ((epoch(at), ident) for ident, at in self._by_hand.items())
        for at, ident in self.cache.unseen() if self.cache is not None else unseen:
            by_time.setdefault(at, []).append(ident)
        if not by_time:
            return []
        parts = [
            (
                datetime.fromtimestamp(at).astimezone().isoformat(timespec="seconds"),
                ids[start : start + ADOPTED_AT_ONCE],
            )
            for at, ids in sorted(by_time.items())
            for start in range(0, len(ids), ADOPTED_AT_ONCE)
        ]
        k = self.next_k(now)
        return [Event(k + number, host, at, "adopted", tuple(ids)) for number, (at, ids) in enumerate(parts)]

    def _everything(self) -> dict[str, State]:
        """Fold the whole store with its archives, for an id that is in no line, such as one of a hand-written line."""
        if not self._read_whole:
            everything = sources.read(self._where)
            lines = [line.entry for line in everything.lines]
            self._read_whole = members.read(self._where).mark(fold_all(lines, everything.events), lines)
            self._note_by_hand([line for line in everything.lines if not line.archived], everything.events)
        return self._read_whole

    def _note_by_hand(self, read: Iterable[sources.Line], events: Iterable[Event]) -> None:
        adopted = {ident for event in events if event.kind == "adopted" for ident in event.ids}
        unseen = (line.entry for line in read if not line.has_time and line.entry.id not in adopted)
        self._by_hand |= {entry.id: entry.at or "" for entry in unseen}

    def _bytes(self) -> tuple[bytes, bytes]:
        if self._data is None:
            where = self._where
            self._data = (
                append.read_settled(where, where.declarative),
                append.read_settled(where, where.journal),
            )
        return self._data

    def _lines_with(self, ident: str, visible: str | None) -> list[sources.Line]:
        """Return our lines that have or superseded an id, and bullets whose visible part begins with a text."""
        data = self._bytes()[0]
        needles = [f'"{ident}"'.encode()]
        if visible is not None:
            needles.append(f"\n- {visible}".encode("utf-8", "replace"))
        lines: dict[int, sources.Line] = {}
        for needle in needles:
            place = data.find(needle)
            while place >= 0:
                start = data.rfind(b"\n", 0, place + 1) + 1
                stop = data.find(b"\n", place + 1)
                stop = len(data) if stop < 0 else stop
                if start not in lines:
                    lines.update((start, line) for line in self._read(data[start:stop]))
                place = data.find(needle, stop)
        return list(lines.values())

    def _read(self, raw: bytes) -> list[sources.Line]:
        seen_at = sources.modified(self._where.declarative)
        if raw.endswith(b"START") and not is_line(raw.decode("utf-8", "replace")):
            return []
        return sources.read_lines(raw, seen_at).lines

    def _folded(self, own: list[sources.Line]) -> dict[str, State]:
        """Fold the memories of some lines with all their events."""
        ids = {line.entry.id for line in own}
        events: list[Event] = []
        for raw in (*self._bytes()[1].split(b"\n"), *recalled.loose(self._where).split(b"\n")):
            if any(ident.encode() in raw for ident in ids):
                event = parse_event(raw.decode("utf-8", "replace"))
                if event is not None:
                    events.append(event)
        self._note_by_hand(own, events)
        superseding = [line for ident in ids for line in self._lines_with(ident, None)]
        lines_of = [line.entry for line in sources.settled([*own, *superseding], events)]
        return members.read(self._where, ids).mark(fold_all(lines_of, events), lines_of)
