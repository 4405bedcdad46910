"""Lookups for writers, in the cache."""

from collections.abc import Iterable
from datetime import datetime

from promptx_mem.core.entry import MAX_K, Entry
from promptx_mem.core.fold import line_key
from promptx_mem.core.ids import PREFIX, make_id
from promptx_mem.core.journal import Event
from promptx_mem.core.state import State, lives
from promptx_mem.core.text import shorten
from promptx_mem.core.times import epoch
from promptx_mem.errors import NotFoundError, PromptxMemError, Refused, StoreError, UsageError
from promptx_mem.record import TYPE_CHECKING
from promptx_mem.search import history, memories
from promptx_mem.search.cache import Cache, is_any_contradicted
from promptx_mem.store.layout import Layout

if TYPE_CHECKING:
    from promptx_mem.store.writer import Writer

ALIKE_FROM = 0.3

_WORDS = 60
_NAMED = 5
ADOPTED_AT_ONCE = 256
"""Ids of one `adopted` event, which is always read whole."""


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
    looks = "an id looks like m_7k2q9x4htb; a unique prefix is enough"
    words = join(["promptx-mem", "recall", *(["--"] if word.startswith("-") else []), shorten(word, _WORDS)])
    return UsageError(f"{shown!r} is not an id", hint=f"{looks}\nto find it by its words: {words}")


class Lookup:
    """The memories of a store while its lock is held."""

    def __init__(self, where: Layout, cache: Cache) -> None:
        self.layout = where
        self.cache = cache

    def by_text(self, text: str) -> State | None:
        """Return the memory whose current text is this one."""
        return min(self.cache.with_hash(make_id(text)), key=lambda state: state.entry.id, default=None)

    def by_id(self, prefix: str) -> State:
        """Return the memory with this id or unique prefix. Raises NotFoundError, UsageError, StoreError."""
        prefix = prefix.strip().lower()
        if not PREFIX.fullmatch(prefix):
            raise not_an_id(prefix)
        ids = self.cache.matching(prefix)
        if len(ids) > 1:
            raise ambiguous(prefix, ids)
        state = self.state(ids[0]) if ids else None
        if state is None:
            raise self._missing(prefix)
        return state

    def _missing(self, prefix: str) -> PromptxMemError:
        """Return the error for an unknown id: where the memory may be, or how to restore a vanished line."""
        from promptx_mem.search import lost

        if self.cache.meta("whole") == "0":
            return StoreError(
                f"no memory that can be read has the id {prefix}, and some of archive/ may not be read",
                hint="look at the permissions of .memory/archive and its owner",
            )
        hint = "ids are shown by: promptx-mem list"
        saved = lost.find_missing(self.cache, prefix).lines
        if matches := [ident for ident in saved if ident.startswith(prefix)]:
            hint = f"its line has vanished from declarative.md, and was saved: promptx-mem restore {matches[0]}"
        return NotFoundError(f"no memory has the id {prefix}", hint=hint)

    def state(self, ident: str) -> State | None:
        return self.cache.state(ident)

    def happened(self, ident: str) -> bool:
        """Return whether events act on an id, even one without a line: a new line of it must come after them."""
        return history.happened(self.cache, ident)

    def newer(self) -> bool:
        """Return whether a newer version is known to have written in the store."""
        return int(self.cache.meta("newer") or 0) > 0

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
        """Return newer memories that may replace one, each with the difference."""
        if not is_any_contradicted(self.cache):
            return {}
        from promptx_mem.search import pairs

        found = (pair for pair in pairs.with_ids(self.cache, [ident], now) if pair.older.entry.id == ident)
        return {pair.newer.entry.id: pair.reason for pair in found}

    def entries(self, *idents: str | None) -> list[Entry]:
        """Return the lines of some ids: a new event or line that acts on them must come after them."""
        return [state.entry for ident in idents if ident and (state := self.state(ident)) is not None]

    def noted_at(self, at: str) -> bool:
        """Return whether a memory was created in the same second."""
        second = epoch(at)
        return memories.is_noted_between(self.cache, second, second + 1)

    def tags_in_use(self, tags: Iterable[str]) -> list[str]:
        """Return a warning for each new tag that differs from one in use only in case or number."""
        found = ((tag, memories.tag_in_use(self.cache, tag)) for tag in tags)
        return [f"#{tag} is new; #{name} is in use: use that" for tag, name in found if name]

    def around(self, text: str, aka: Iterable[str]) -> list[tuple[State, float]]:
        """Return memories that share rare words with a text or its aliases, those with most equal trigrams first."""
        return memories.around(self.cache, text, aka)

    def next_k(self, now: float, touched: Iterable[Entry] = ()) -> int:
        """Return the order key of a new event: after every event seen, and after the lines it acts on."""
        last = int(self.cache.meta("k") or 0)
        # Stay below the limit even if a file exceeds it: an event beyond it could not be read.
        return max(int(now * 1e6), min(last + 1, MAX_K - 1), *(line_key(entry) + 1 for entry in touched))

    def adoptions(self, now: float, host: str) -> list[Event]:
        """Return events that fix the time of hand-written lines, as first seen."""
        by_time: dict[float, list[str]] = {}
        for at, ident in self.cache.unseen():
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

    def adopt(self, writer: "Writer", now: float, host: str) -> bool:
        """Append the `adoptions`; return whether there were any."""
        events = self.adoptions(now, host)
        if events:
            writer.add_events(events)
        return bool(events)
