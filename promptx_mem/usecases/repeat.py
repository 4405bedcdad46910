"""remember for a text that is already stored, or that contradicts stored memories: the events on these memories."""

from promptx_mem.core.entry import MOST_ALIASES, Entry, clean_aliases
from promptx_mem.core.ids import make_id
from promptx_mem.core.journal import ALIASED, CONTRADICTED, Event
from promptx_mem.core.labels import unique
from promptx_mem.core.line import format_line, line_key
from promptx_mem.core.state import State, is_steady, lives
from promptx_mem.core.syntax import format_visible
from promptx_mem.core.text import shorten
from promptx_mem.record import Any, cast
from promptx_mem.search import history
from promptx_mem.search.pairs import chain, replacing
from promptx_mem.store.writer import Writer
from promptx_mem.usecases.gate import Attempt
from promptx_mem.usecases.lookup import Lookup


def repeat(attempt: Attempt, writer: Writer, lookup: Lookup, same: State, entry: Entry) -> str:
    """Append the events for a text already stored (`same`). Return the verdict: repeated, changed or restored.

    If `--update` repeats a text with new citations, also append a new line of the memory.
    """
    now, events = attempt.now.timestamp(), lookup.adoptions()
    over, target = superseded(attempt, lookup, same), attempt.target.entry.id if attempt.target else ""
    # A repeat can only raise values. --update with the same text sets score and duration; restoring sets them too.
    is_changed = target == same.entry.id and _changes(attempt, same, entry)
    restored = bool(over) or is_changed or not lives(same, now)
    tags = () if "tag" in attempt.proposal.defaults else entry.tags
    if restored and tags and target != same.entry.id:
        tags = unique((*same.tags, *tags))
    [(_, lines, _)] = history.lines_and_events(lookup.cache, [same.entry.id])
    # the last line has the values before all events
    old = max((line.entry for line in lines if line.entry.id == same.entry.id), key=line_key)
    event = lookup.event(
        "restored" if restored else "repeated",
        same.entry.id,
        at=entry.at,
        score=entry.score,
        duration=entry.duration if restored or attempt.proposal.duration else None,
        tags=tags,
        supersedes=over,
        topic=entry.topic,
        related=entry.related,
        line=format_visible("", old.tags, old.score, old.duration).strip(),
    )
    known = same.entry.aka
    aliases = clean_aliases((*known, *attempt.request.aka))
    if len(aliases) > MOST_ALIASES:
        attempt.warnings.append(f"a memory has at most {MOST_ALIASES} aliases: {', '.join(aliases[MOST_ALIASES:])}")
    if aliases[:MOST_ALIASES] != known:
        events.append(Event(event.k + 2, event.host, event.at, ALIASED, event.ids, aka=aliases[:MOST_ALIASES]))
    conflicts = suspected(attempt, lookup, same.entry, after=max(one.k for one in (*events, event)))
    writer.add_events([*events, event, *conflicts])
    old, cites = same.entry._replace(tags=tags or same.tags), (entry.cites, entry.cited_at)
    is_cited = attempt.request.update and event.kind == "restored" and bool(entry.cites)
    if is_cited and cites != (old.cites, old.cited_at) and make_id(entry.text, old.salt) == old.id:
        line = old._replace(at=entry.at, k=event.k + 1, cites=entry.cites, cited_at=entry.cited_at)
        writer.add_lines([format_line(line._replace(score=entry.score, duration=entry.duration))])
    return "changed" if event.kind == "restored" and lives(same, now) else event.kind


def superseded(attempt: Attempt, lookup: Lookup, same: State) -> tuple[str, ...]:
    """Return the memories that `same` supersedes if it is stored again: its successors, and the target of --update.

    Warn about an active successor. None of these memories is reported as similar or as a conflict.
    """
    over, target = chain(lookup.cache, same), attempt.target.entry.id if attempt.target else same.entry.id
    for heir in (state for ident in over if ident != target and (state := lookup.cache.state(ident))):
        if lives(heir, attempt.now.timestamp()):
            attempt.heir = heir.entry.id
            back = attempt.context.command("restore", attempt.heir)
            text = f"{attempt.heir} ({shorten(heir.entry.text, 40)})"
            attempt.warnings.append(
                f"it replaces {text}, which had replaced it; to keep {attempt.heir} instead: {back}"
            )
    over = over if target == same.entry.id else unique((*over, target))
    data = cast("dict[str, Any]", attempt.data)
    for key in ("conflicts", "similar", "alike"):
        data[key] = [near for near in data.get(key, ()) if near["id"] not in over]
    return over


def _changes(attempt: Attempt, same: State, entry: Entry) -> bool:
    """Return whether --update with the text of the memory itself (`same`) changes another value of the memory."""
    old, duration = same.entry, attempt.proposal.duration
    if (entry.score, entry.duration, entry.tags) != (same.score, same.duration, same.tags):
        return True
    return bool(
        (duration and not is_steady(duration))  # a duration in days begins again
        or {entry.topic, *entry.related} - {None, old.topic, *old.topics, *old.related}
        or {*clean_aliases(attempt.request.aka)} - {*old.aka}
        or (entry.cites and (entry.cites, entry.cited_at) != (old.cites, old.cited_at))
    )


def suspected(attempt: Attempt, lookup: Lookup, entry: Entry, *, after: int) -> list[Event]:
    """Return an event for each suspected contradiction: `entry` could replace an older memory.

    If `entry` is an update, a newer memory that could replace the old text can replace `entry` too. If the text is
    stored again, `entry` can replace the memories that could have replaced it. No event contains the differing values,
    because a purge would not remove them from the event.
    """
    found = {conflict["id"]: conflict["reason"].partition(":")[0] for conflict in attempt.data["conflicts"]}
    is_target = attempt.target is not None and attempt.target.entry.id == entry.id
    if attempt.same is not None and not is_target:
        found |= replacing(lookup.cache, entry.id, lookup.context.moment)
    pairs = [((entry.id, ident), why) for ident, why in found.items()]
    if not is_target:
        pairs += [((ident, entry.id), why) for ident, why in attempt.corrected.items() if ident != entry.id]
    rows = ((ids, {"at": entry.at or "", "reason": why}) for ids, why in pairs)
    return lookup.events(CONTRADICTED, rows, after=max(after, line_key(entry)))
