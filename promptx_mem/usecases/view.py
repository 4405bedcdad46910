"""view: writes an HTML page of memories into the store, under the lock, so that no purge misses the page."""

import os
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from promptx_mem.core.journal import Event
from promptx_mem.core.life import PendingReview, pending_review
from promptx_mem.core.personal_data import redacted
from promptx_mem.core.shell import PROGRAM, join
from promptx_mem.core.state import NEVER, USER, State, initial, is_unscored, lives, rate
from promptx_mem.core.text import printable
from promptx_mem.core.times import DAY, epoch, iso
from promptx_mem.core.topics import SEPARATOR, parse_path
from promptx_mem.errors import BusyError
from promptx_mem.record import TYPE_CHECKING, Any, NamedTuple, TypedDict
from promptx_mem.result import Result
from promptx_mem.search import cues
from promptx_mem.search.finder import Finder
from promptx_mem.search.importance import ranked
from promptx_mem.store import append, disk, sources
from promptx_mem.store.disk import disk_errors
from promptx_mem.usecases import stores
from promptx_mem.usecases.export import FullMemory, by_memory, full_memory
from promptx_mem.usecases.recall import by_id
from promptx_mem.usecases.recall.question import Cues, read_question
from promptx_mem.usecases.review import UNSCORED
from promptx_mem.view import page

if TYPE_CHECKING:
    from promptx_mem.search.query import Criteria
    from promptx_mem.store.layout import Layout
    from promptx_mem.store.writer import Writer
    from promptx_mem.usecases.context import Context

_PLAIN = frozenset({
    "id", "at", "e", "duration", "category", "type", "origin", "source", "scope", "review",
    "end", "superseded_by", "supersedes", "slice_ref", "role", "verdict", "command", "hash",
})  # fmt: skip
"""Keys whose values are written by the program itself and so contain no personal data."""

_NAMES = frozenset({"session", "host"})


def _redacted(value: Any, counts: Counter[str], key: str = "") -> Any:
    if key in _NAMES:
        return None
    if key in _PLAIN:
        return value
    if isinstance(value, str):
        text, kinds = redacted(value)
        counts.update(kinds)
        return text
    if isinstance(value, dict):
        return {name: _redacted(item, counts, name) for name, item in value.items()}
    return [_redacted(item, counts) for item in value] if isinstance(value, list | tuple) else value


States = dict[str, State]


def _filtered(context: "Context", states: States, criteria: "Criteria") -> States:
    """Return the memories that meet the criteria. A topic filter includes the topics below it."""
    with context.cache() as cache:
        found = cues.admitted(cache, criteria)
        if criteria.words:
            hits = by_id.find(cache, criteria.words)
            if not hits:
                hits = Finder(cache, criteria, own=context.origin.is_own).find(sys.maxsize, 0)
            # Weak results are left out, because a page could be sent to other people.
            found &= {hit.state.entry.id for hit in hits if not hit.weak}
    return {
        ident: state
        for ident, state in states.items()
        if ident in found and all(parse_path(state.entry.topic or "")[: len(path)] == path for path in criteria.paths)
    }


_LEFT_OUT = frozenset({"age", "freshness", "slice", "at", "ends_at"})
"""Fields that a page omits: values that are true only today, messages, and times, which the page formats itself."""
_OF_MEMORY = ("id", "ids", "k")
"""Fields of an event that a page omits: the memories' ids and the order key."""


class Row(FullMemory):
    """A memory on a page. Times are whole seconds since 1970 without a zone, because the reader's browser formats them.

    For `used` and `ends`, None means never. `band` is the memory's first sort key in MEMORY.md, and `began` its initial
    importance. `pace` is the factor and the length in days of one step of fading; None if the memory does not fade.
    `review` is the kind of a pending review.
    """

    noted: int
    used: int | None
    ends: int | None
    band: int
    began: float
    pace: tuple[float, int] | None
    review: str | None


def describe(
    context: "Context",
    states: Mapping[str, State],
    acts: Mapping[str, Sequence[Event]],
    now: float,
) -> list[Row]:
    """Describe memories with their events `acts`: active ones in the order of MEMORY.md, then ended ones."""
    own = context.origin.is_own
    every = [(ranked(0, state, now, own=own).place, state) for state in states.values()]
    living = [item for item in every if lives(item[1], now)]
    ended = [item for item in every if not lives(item[1], now)]
    living.sort(key=lambda item: (is_unscored(item[1], now), item[0]))
    ended.sort(key=lambda item: (-item[1].first_at, item[1].entry.id))
    return [_row(context, state, acts, now, rank[0]) for rank, state in (*living, *ended)]


def _row(context: "Context", state: State, acts: Mapping[str, Sequence[Event]], now: float, band: int) -> Row:
    unscored = is_unscored(state, now) and lives(state, now)
    question = PendingReview(UNSCORED, state.first_at) if unscored else pending_review(state, now)
    pace = rate(state.importance, state.category, state.duration)
    description = full_memory(context, state, now, acts)
    return {
        **description,
        "events": [{key: event[key] for key in event if key not in _OF_MEMORY} for event in description["events"]],
        "noted": int(epoch(description["at"])),
        "used": None if state.accessed == state.first_at else _seconds(state.accessed),
        "ends": None if state.ends_at == NEVER else _seconds(state.ends_at),
        "band": band,
        "began": initial(state.score, state.category),
        "pace": None if pace is None else (pace[0], int(pace[1] // DAY)),
        "review": None if question is None else question.kind,
    }


def _seconds(moment: float) -> int:
    """Return a time in epoch seconds, limited to the range of the calendar. A browser cannot read other times."""
    return int(epoch(iso(moment)))


_TRIES = 3
_PURGED = b'"e":"purged"'


class PageOptions(NamedTuple):
    """Options of a page. Each of `filters` is a topic path if it contains `->`, otherwise words, tags and dates.

    `redact` removes personal data. `apart` means that the page is written to a file outside the store.
    """

    filters: tuple[str, ...] = ()
    redact: bool = False
    apart: bool = False


class View(TypedDict):
    """The answer of `view`. `text` is the page if it is not stored. `redacted` counts the removed data by kind."""

    store: str
    file: str | None
    count: int
    bytes: int
    cues: list[str]
    redacted: dict[str, int]
    opened: bool
    text: str


def view(context: "Context", wants: PageOptions) -> Result[View]:
    """Create the page. Raises UsageError for an invalid filter, StoreError if the store is missing or not writable."""
    stores.demand_store(context)
    with disk_errors():
        content, text = _made(context, wants)
    data: View = {
        "store": context.path,
        "file": None if wants.apart else os.path.join(context.path, os.path.basename(context.layout.page)),
        "count": content["count"],
        "bytes": len(text.encode()),
        "cues": content["cues"],
        "redacted": content["redacted"] or {},
        "opened": False,
        "text": text if wants.apart else "",
    }
    warnings = [*context.config_warnings(), *context.origin.notice()]
    if wants.filters and not data["count"]:  # a page can be sent without being opened
        warnings.append("nothing matches, so the page is empty; `recall` also shows weak matches")
    return Result("view", data, tuple(warnings))


def _made(context: "Context", wants: PageOptions) -> tuple[page.Page, str]:
    """Create the page, and store it unless it is `apart`. Start again if a memory is purged meanwhile."""
    for _ in range(_TRIES):
        purges = _purges(context.layout)
        content = _page(context, wants)
        text = page.render(content)
        if wants.apart or context.store.write(partial(_put, text, purges)):
            return content, text
    raise BusyError("memories are being purged while the page is created", hint="try again")


def _put(text: str, purges: int, writer: "Writer") -> bool:
    if _purges(writer.layout) != purges:
        return False
    disk.replace(writer.layout.page, text.encode(), 0o600)
    return True


def _purges(where: "Layout") -> int:
    return append.read_settled(where, where.journal).count(_PURGED)


def _page(context: "Context", wants: PageOptions) -> page.Page:
    now = context.now()
    # Only the page in the store contains the store's path.
    path = [] if wants.apart or context.scope == USER else ["--memory-dir", context.layout.root]
    command = join([PROGRAM, *path]), f" --scope {USER}" if context.scope == USER else ""
    given = (Cues(topics=(cue,)) if SEPARATOR in cue else Cues(text=cue) for cue in wants.filters)
    questions = [read_question(one, now, context.config.aliases) for one in given]
    everything = sources.read(context.layout)
    folded = everything.states(context.layout)
    states = {ident: one for ident, one in folded.items() if one.end != "purged" and one.category != "episode"}
    for question in questions:
        states = _filtered(context, states, question.criteria)
    described = describe(context, states, by_memory(everything.events), now.timestamp())
    counts: Counter[str] = Counter()
    clean: Callable[[Any], Any] = partial(_redacted, counts=counts) if wants.redact else lambda value: value
    keys = [key for key in Row.__annotations__ if key not in _LEFT_OUT]
    shown, rows = clean([cue for question in questions for cue in question.cues]), clean(described)
    return {
        "at": now.isoformat(timespec="seconds"),
        "store": printable(os.path.basename(os.path.dirname(context.layout.root)) or context.layout.root),
        "commands": {context.scope: command},
        "scope": context.scope,
        "cues": shown,
        "redacted": dict(counts) if wants.redact else None,
        "count": len(described),
        "living": sum(row["lives"] for row in described),
        "memories": {key: page.column([row[key] for row in rows]) for key in keys if not rows or key in rows[0]},
    }
