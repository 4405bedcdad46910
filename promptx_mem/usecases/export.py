"""export: the whole store, or the memories that match filters, in one of four formats (docs/import-export.md)."""

from collections.abc import Iterable, Mapping, Sequence

from promptx_mem.core import bundle
from promptx_mem.core.description import Description
from promptx_mem.core.entry import FIELDS
from promptx_mem.core.journal import Event, format_event
from promptx_mem.core.json_text import load_object
from promptx_mem.core.life import SUPERSEDED
from promptx_mem.core.slices import joined
from promptx_mem.core.state import State, is_unscored
from promptx_mem.core.text import plural
from promptx_mem.errors import PromptxMemError
from promptx_mem.machine import named_duration
from promptx_mem.record import Any, NamedTuple, NotRequired, TypedDict
from promptx_mem.result import Result
from promptx_mem.search import cues, memories
from promptx_mem.store import conversations, sources
from promptx_mem.usecases import change, intake
from promptx_mem.usecases.context import Context
from promptx_mem.usecases.recall.question import Cues, read_question


class FullMemory(Description):
    """A memory with all fields and its events, as `export` writes it.

    `slice_ref` names the part of a conversation that the memory summarises. `history`: the memories that this memory
    replaced and the memories that replaced it, the oldest first. `commit` (only with `show`): short hash and time of
    the git commit that added the memory's line.
    """

    topics: list[str]
    related: list[str]
    aka: list[str]
    profile: list[float] | None
    dims: list[float] | None
    reason: str | None
    slice_ref: str | None
    k: int | None
    salt: int
    events: list[dict[str, Any]]
    cited_at: str | None
    history: NotRequired[list[Description]]
    commit: NotRequired[str]


def full_memory(context: Context, state: State, now: float, acts: Mapping[str, Sequence[Event]]) -> FullMemory:
    """Return a memory with every field and its events. `acts` has the events by memory id."""
    entry = state.entry
    description = context.describe(state, now)
    happened = (*(acts.get(entry.was, ()) if entry.was else ()), *acts.get(entry.id, ()))
    shown = {*description, "unconfirmed"}  # `unconfirmed` is shown as `unscored`
    more = {field.name: getattr(entry, field.name) for field in FIELDS if field.name not in shown}
    return {
        **description,
        **more,  # type: ignore[typeddict-item] # FIELDS has their names
        "slice_ref": entry.slice,
        "events": [load_object(format_event(event)) or {} for event in happened],
    }


FORMATS = ("bundle", "json", "markdown", "promptx")


class Wants(NamedTuple):
    """Options of export: a format, the filters of a recall, and whether a bundle includes conversations."""

    form: str = "bundle"
    filters: Cues = Cues()
    conversations: bool = False


class Export(TypedDict):
    """The answer of `export`. `text` is the export. For the format json, `memories` is filled instead."""

    store: str
    form: str
    count: int
    events: int
    file: str | None
    text: str
    memories: list[FullMemory]


def export(context: Context, wants: Wants) -> Result[Export]:
    """Export memories. Warn of fields that the format lacks. Store times of hand-written lines. Raises UsageError."""
    criteria = read_question(wants.filters, context.now(), context.config.aliases).criteria
    warnings = [*context.config_warnings(), *_adopt(context)]
    narrowed = wants.filters._replace(archived=False) != Cues()
    everything = sources.read(context.layout)
    with context.cache() as cache:
        selected = cues.admitted(cache, criteria)
    states = {ident: state for ident, state in everything.states(context.layout).items() if ident in selected}
    text, events, listed = "", 0, list[FullMemory]()
    if wants.form == "bundle":
        kept = _without_revived(states) if narrowed else states
        if lacking := [ident for ident in states if ident not in kept]:
            number = plural(len(lacking), "memory that another one replaced is", "memories that others replaced are")
            named = ", ".join(sorted(lacking)[:3])
            warnings.append(f"{number} left out (the filters exclude the replacement): {named}")
        text, count, events = _bundle(context, kept if narrowed else None, talks=wants.conversations)
    else:
        ordered = _ordered(context, states, warnings, talks=wants.conversations)
        if wants.form == "json":
            acts = by_memory(everything.events)
            listed = [full_memory(context, state, criteria.now, acts) for state in ordered]
            count, events = len(listed), sum(len(memory["events"]) for memory in listed)
        else:
            scored = [state for state in ordered if not is_unscored(state, criteria.now)]
            if unscored := len(ordered) - len(scored):
                left = plural(unscored, "unscored memory is", "unscored memories are")
                warnings.append(f"{left} left out: promptx-mem review")
            count = len(scored)
            if wants.form == "markdown":
                text, lost = bundle.markdown(scored, criteria.now, named_duration)
            else:
                text, lost = bundle.promptx(scored, criteria.now)
            warnings += lost
    data: Export = {
        "store": context.path, "form": wants.form, "count": count, "events": events, "file": None, "text": text,
        "memories": listed,
    }  # fmt: skip
    return Result("export", data, tuple(warnings))


def _ordered(context: Context, states: Mapping[str, State], warnings: list[str], *, talks: bool) -> list[State]:
    """Return the memories, the oldest first; episodes only with `talks`. Add warnings about left-out conversations."""
    facts = [state for state in states.values() if state.category != "episode" or talks]
    if len(facts) < len(states):
        left = plural(len(states) - len(facts), "episode of conversations is", "episodes of conversations are")
        warnings.append(f"{left} left out; to include them: --conversations")
    units = conversations.every_unit(context.layout) if talks else ()
    if said := sum(len(joined(conversations.read(context.layout, name).messages)) for name in units):
        left = plural(said, "message of conversations is", "messages of conversations are")
        warnings.append(f"{left} left out; to export them: --format bundle")
    return sorted(facts, key=lambda state: (state.first_at, state.entry.k or 0, state.entry.id))


def _adopt(context: Context) -> list[str]:
    """Store the times of hand-written lines, since a copied file can have another time. Return warnings."""
    try:
        with context.cache() as cache:
            unseen = memories.unseen(cache)
        if unseen:
            change.with_lock(context, lambda _: Result("export", {}))
    except PromptxMemError as error:
        return [f"the time of hand-written lines cannot be stored: {error.message}"]
    return []


def _bundle(context: Context, selection: dict[str, State] | None, *, talks: bool) -> tuple[str, int, int]:
    """Return a bundle of the selected memories (None: the whole store), with its numbers of memories and events."""
    at = context.at
    files = intake.contents(context.layout, talks=talks)
    apart = intake.parse_files(files, at)
    if selection is not None:
        chosen = selection.keys() | {state.entry.was or "" for state in selection.values()}
        lines = {
            name: bundle.join_memories(chunk.raw for chunk in listed if chunk.entry.id in selection)
            for name, listed in apart.lines.items()
        }
        events = {
            name: b"".join(raw for raw, event in listed if event and not chosen.isdisjoint(event.ids))
            for name, listed in apart.events.items()
        }
        files = {name: data for name, data in (apart.talks | lines | events).items() if data}
        apart = intake.parse_files(files, at)
    count = len({chunk.entry.id for chunk in apart.chunks()})
    return "".join(bundle.write(files)), count, len(apart.understood())


def _without_revived(states: dict[str, State]) -> dict[str, State]:
    """Leave out replaced memories without an exported replacement, because an import would make them active."""
    while revived := [
        ident
        for ident, state in states.items()
        if state.end == SUPERSEDED and states.keys().isdisjoint(state.superseded_by)
    ]:
        states = {ident: state for ident, state in states.items() if ident not in revived}
    return states


def by_memory(events: Iterable[Event]) -> dict[str, list[Event]]:
    """Return the events in order, grouped by the ids of the memories on which they act."""
    out: dict[str, list[Event]] = {}
    for event in events:
        for ident in event.ids:
            out.setdefault(ident, []).append(event)
    return out
