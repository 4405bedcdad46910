"""forget --purge, the only command that destroys data: it removes a text from every file and from the cache.

`.purge` is written before the first byte is destroyed, and is deleted after the last one. If the file exists, a purge
was interrupted, and the next command finishes it. The file never contains the purged text.

forget --conversation hides or purges the messages of a session or a day, and the memories made from them (episodes). To
hide messages, their episodes are forgotten. Messages without an episode are summarised first, without a judge, so that
`restore` has a memory to restore. The text of purged messages is removed. Their ids from the host stay, so that the
messages are not stored again from the host's transcript.
"""

import contextlib
import datetime
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import accumulate, compress, pairwise

from promptx_mem import session
from promptx_mem.core import bundle
from promptx_mem.core.credentials import demand_no_credential
from promptx_mem.core.dates import parse_date
from promptx_mem.core.ids import is_prefix
from promptx_mem.core.journal import Event, format_event, parse_event
from promptx_mem.core.json_text import as_line, load_object, objects
from promptx_mem.core.life import is_expired_episode
from promptx_mem.core.line import format_line
from promptx_mem.core.slices import PART, PURGED, Message, Slice, Unit, is_unit, joined, parse_reference
from promptx_mem.core.state import lives
from promptx_mem.core.text import clean, escape_json, shorten
from promptx_mem.core.times import epoch
from promptx_mem.errors import BusyError, NotFoundError, PromptxMemError, StoreError, UsageError
from promptx_mem.record import TYPE_CHECKING, NamedTuple
from promptx_mem.result import Result
from promptx_mem.search import build, current, pairs
from promptx_mem.search.cache import DAMAGE, Cache
from promptx_mem.search.history import events
from promptx_mem.search.pairs import purged_ids
from promptx_mem.store import (
    acknowledged,
    archive,
    audit,
    conversations,
    disk,
    episodes,
    files,
    intent,
    parsing,
    rewrite,
    sources,
    trust,
)
from promptx_mem.store.append import finish_interrupted, read_settled
from promptx_mem.store.disk import disk_errors
from promptx_mem.store.layout import Layout, unexpected_files
from promptx_mem.store.rewrite import cut, events_of, newer, recover, sweep
from promptx_mem.store.writer import Writer
from promptx_mem.usecases import index, retention, rollup, stores
from promptx_mem.usecases.change import Forget, LockedStore, with_lock
from promptx_mem.usecases.limits import demand_config
from promptx_mem.usecases.lookup import Lookup
from promptx_mem.usecases.lost import entries_of, find_missing, stored

if TYPE_CHECKING:
    from promptx_mem.core.entry import Entry
    from promptx_mem.usecases.context import Context


_ALONE = "\u2e80-\U0010ffff"
"""Range of the characters of scripts without spaces between words."""

_EDGE = f"(?:(?<![^\\W{_ALONE}])|(?![^\\W{_ALONE}]))"  # not inside a word


def _expression(texts: set[str]) -> re.Pattern[str]:
    """Return an expression for texts, also as JSON escapes them. Their case and white space can differ in messages."""
    encoded = [json.dumps(text, ensure_ascii=ascii_only)[1:-1] for text in texts for ascii_only in (False, True)]
    wanted = []
    for text in sorted(filter(str.strip, {*texts, *encoded, *map(escape_json, encoded)}), key=len, reverse=True):
        parts = re.findall(f"[{_ALONE}]|[^\\s{_ALONE}]+", text)
        gaps = ["", *(r"\s+" if max(pair) < _ALONE else r"\s*" for pair in pairwise(parts))]
        edge = _EDGE if len(text) <= 4 else ""  # a short text is redacted only as a whole word
        wanted.append("".join((edge, *(gap + re.escape(part) for gap, part in zip(gaps, parts, strict=True)), edge)))
    return re.compile("|".join(wanted) or "(?!)", re.IGNORECASE)


def _redacted(wanted: re.Pattern[str], raw: bytes) -> bytes:
    """Redact the wanted texts in the texts of a conversation's line, or anywhere in a damaged line."""
    if (fields := load_object(raw.decode("utf-8", "replace"))) is None:
        return wanted.sub(PURGED, raw.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
    texts = {key: fields[key] for key in ("text", "summary", "topic") if isinstance(fields.get(key), str)}
    new = {key: wanted.sub(PURGED, text) for key, text in texts.items()}
    entry = episodes.entry_of(raw) if "line" in fields else None
    if entry and (text := wanted.sub(PURGED, entry.text)) != entry.text:
        new["line"] = format_line(entry._replace(text=text))
    return raw if new == texts else as_line({**fields, **new})[:-1]


def _redact_messages(where: Layout, texts: set[str]) -> list[str]:
    """Redact the texts in stored messages and summaries. Return the names of the changed files."""
    touched: list[str] = []
    wanted = _expression(texts)

    def without(data: bytes) -> bytes:
        return b"\n".join(_redacted(wanted, raw) for raw in data.split(b"\n")) if texts else data

    for name in sorted({*disk.names(where.conversations)} - {conversations.KEPT}):
        path = where.conversations / name
        data = files.read(path) or b""
        if (redacted := without(data)) != data:
            disk.replace(path, redacted, where.mode, durable=True)
            touched.append(f"conversations/{name}")
    for unit in conversations.shelved_units(where):
        data = conversations.read_shelved(where, unit)
        if (redacted := without(data)) != data:
            conversations.write_shelved(where, unit, redacted)
            touched.append(f"archive/conversations/{unit}{conversations.SHELF_SUFFIX}")
    for name in conversations.every_unit(where):
        conversation = conversations.read(where, name)
        if numbers := _parts_with_text(conversation.messages, wanted):
            conversations.redact(where, conversation, (), numbers, PURGED)
            touched.append(f"conversations/{name}{conversations.SUFFIX}")
    return touched


def _parts_with_text(messages: Mapping[int, Message], wanted: re.Pattern[str]) -> set[int]:
    """Return the numbers of the parts of long messages that contain a piece of a text. A part is one message."""
    found: set[int] = set()
    run: list[int] = []
    for number in [*sorted(messages), 0]:
        before, after = messages.get(run[-1]) if run else None, messages.get(number)
        if before and after and len(before.text) >= PART // 2 and (before.role, before.at) == (after.role, after.at):
            run.append(number)
            continue
        starts = [0, *accumulate(len(messages[part].text) for part in run)]
        whole = "".join(messages[part].text for part in run)
        for match in wanted.finditer(whole) if len(run) > 1 else ():
            inside = (match.start() < stop and start < match.end() for start, stop in pairwise(starts))
            found |= set(compress(run, inside))
        run = [number]
    return found


def redact_parts(where: Layout, units: Iterable[tuple[str, Iterable[int], Iterable[int]]]) -> list[str]:
    """Redact slices (summarised runs of messages) and messages of conversations. Return the changed files' names.

    Unsummarised messages up to a redacted one are never summarised.
    """
    touched = []
    for name, slices, messages in units:
        unit = conversations.read(where, name)
        parts = [number for number in slices if number in unit.slices]
        named = [number for number in messages if number in unit.messages]
        if not parts and not named:
            continue
        conversations.redact(where, unit, parts, named, PURGED)
        if unit.waiting().keys() & set(named):
            last = {number: message for number, message in unit.messages.items() if number <= max(named)}
            conversations.close(where, unit._replace(messages=last))
        touched.append(f"conversations/{name}{conversations.SUFFIX}")
    return touched


def purge(context: "Context", prefix: str, reason: str | None, others: "Iterable[Context]" = ()) -> Result[Forget]:
    """Destroy one memory. The `purged` event is written first, so that no crash or merge restores the memory.

    The HTML pages of `others` (other stores) are also deleted, because they could show the memory.
    """
    demand_config(context)
    demand_no_credential("--reason", reason)
    stores.demand_store(context)
    if not session.is_person():
        ident, _ = text_of(context, prefix)
        why = ["--reason", reason] if reason else []
        session.demand_person("a purge", context.command("forget", ident, "--purge", *why))
    result = context.store.write(lambda writer: _purge(context, writer, prefix, reason))
    with disk_errors():
        for member in others:
            delete_page(member.layout)
    return result


def text_of(context: "Context", ident: str) -> tuple[str, str]:
    """Return the whole id, and the text that a purge would destroy, or a note if it is gone."""
    stores.demand_store(context)
    with context.cache() as cache:
        full_id, lines = _find(Lookup(context, cache), ident)
        state = cache.state(full_id)
    return full_id, state.entry.text if state else lines[-1].text if lines else "(the text was already deleted)"


def _purge(context: "Context", writer: Writer, prefix: str, reason: str | None) -> Result[Forget]:
    where = writer.layout
    _demand_no_unexpected_files(where)
    with current.open_current(where) as cache:
        lookup = Lookup(context, cache)
        if lookup.is_newer():
            raise newer()
        try:
            ident, lines = _find(lookup, prefix)
        except PromptxMemError:
            index.by_writer(context, cache)
            raise
        texts = {line.text for line in lines}
        why = None if reason and any(text in reason for text in texts) else reason
        events = retention.purges(lookup, [ident], why)
        left = [state.entry for state in map(cache.state, events[-1].supersedes) if state is not None]
    references = filter(None, (parse_reference(line.slice or "") for line in lines))
    units = tuple((reference.unit, (reference.number,), ()) for reference in dict.fromkeys(references))
    data: Forget = {"store": context.path, "id": ident, "text": PURGED, "lives": False, "end": "purged"}
    data["files"] = carry_out(context, writer, ident, events, units, {ident}, texts)
    way = context.command("forget", "--purge")
    notes = (f"it had replaced {one.id} ({shorten(one.text, 40)}); to erase that too: {way} {one.id}" for one in left)
    return Result("forget", data, (*notes, *index.still_behind(context)))


def carry_out(
    context: "Context", writer: Writer, named: str, events: list[Event], units: "_Units", ids: set[str], texts: set[str]
) -> list[str]:
    """Carry out the purge of memories and `units` under the lock. Return the changed files' names.

    `named` is the name of the purged data in error messages.
    """
    where = writer.layout
    begin(where, events, units)
    touched: list[str] = []
    if events:
        writer.add_events(events)
    with named_as_purged(named):
        touched += redact_parts(where, units)
        touched += clean_texts(writer, ids, texts)
        end(where)
    if ids:
        context.note(writer, "forget", *({"id": ident} for ident in sorted(ids)), verdict="purged")
    refresh_index(context)
    return list(dict.fromkeys(touched))


_Units = tuple[tuple[str, tuple[int, ...], tuple[int, ...]], ...]
"""For each conversation: its name, the numbers of slices (runs of messages) and the numbers of messages to redact."""


def begin(where: Layout, events: Iterable[Event] = (), units: _Units = ()) -> None:
    """Record a purge durably, under the lock: its events, and the slices and messages to destroy.

    A purge is final as soon as its events are in the journal. Without events, it is final as soon as it is recorded.
    """
    with files.opened(where.purge, os.O_RDWR, where.mode) as fd:
        note = {"made": _inodes(where, fd), "events": [*map(format_event, events)], "units": units}
        os.ftruncate(fd, 0)
        files.write_all(fd, json.dumps(note).encode() + b"\n")
        disk.sync(fd)
    disk.sync_directory(where.root)
    intent.clear(where)


def end(where: Layout) -> None:
    """Remove the record of a purge durably. After that, the same text can be stored again."""
    with contextlib.suppress(FileNotFoundError):
        disk.unlink(where.purge)
        disk.sync_directory(where.root)


def finish(context: "Context", writer: Writer) -> None:
    """Finish an interrupted purge; drop it if its events are missing. If this fails, the next command tries again."""
    where = writer.layout
    with contextlib.suppress(OSError, PromptxMemError, *DAMAGE):
        _demand_no_unexpected_files(where)
        events, units = _recorded(where)
        journal = set(read_settled(where, where.journal).decode("utf-8", "replace").split("\n"))
        if journal.issuperset(events):
            redact_parts(where, units)
            destroy_again(writer)
            clean_texts(writer, set(), set())
        end(where)
        refresh_index(context)


def _recorded(where: Layout) -> tuple[list[str], _Units]:
    """Return the lines of events, and the units, in `.purge`; none if it is incomplete, or from a copy or git."""
    with contextlib.suppress(ValueError, TypeError, KeyError, FileNotFoundError):
        with files.opened(where.purge, os.O_RDONLY) as fd:
            made = _inodes(where, fd)
        note = load_object((files.read(where.purge, 0, _MOST) or b"").decode()) or {}
        if note["made"] == made:
            units = tuple((str(unit), tuple(map(int, one)), tuple(map(int, two))) for unit, one, two in note["units"])
            return [*map(str, note["events"])], units
    return [], ()


def _inodes(where: Layout, fd: int) -> list[int]:
    """Return the inodes of `.purge` and its folder. In a copy of the store they are different."""
    return [os.fstat(fd).st_ino, os.stat(where.root).st_ino]


def refresh_index(context: "Context") -> None:
    """Update MEMORY.md after a purge. A failure is repaired later."""
    with contextlib.suppress(OSError, StoreError, *DAMAGE), context.cache() as cache:
        index.refresh(context, cache)


@contextlib.contextmanager
def named_as_purged(ident: str) -> Iterator[None]:
    """Add to each error in the block: the memory was purged, but some files can still contain its text."""
    try:
        with disk_errors():
            yield
    except (StoreError, BusyError) as error:
        raise type(error)(
            f"{ident} was purged, but its text is not yet erased from every file: {error.message}",
            code="purge_unfinished",
            hint=f"{error.hint}\nthen erase the rest: promptx-mem decay".lstrip("\n"),
        ) from error


def destroy_again(writer: Writer) -> int:
    """Destroy, under the lock, texts that are still stored although they were purged. Return the number of memories.

    A merge can restore a purged line, or add a `purged` event for a text that only this copy of the store has.
    """
    where = writer.layout
    with current.open_current(where) as cache:
        ids = {ident for ident in purged_ids(cache) if cache.state(ident) is None}
        back = ids.intersection(pairs.purged(cache)) if ids else set()
    if not ids:
        return 0
    copies = entries_of([*intent.read_recent(where).lines, *archive.lost_lines(where, archive.LINES)])
    back |= ids.intersection(entry.id for entry in copies)
    everything = all_entries(where) if back else []
    for ident in back:
        clean_texts(writer, {ident}, {entry.text for entry in everything if entry.id == ident})
    for unit in map(partial(conversations.read, where), conversations.every_unit(where)):
        made = {number: ident for number, ident in unit.episodes.items() if ident in ids and number in unit.slices}
        parts = [number for number in made if unit.slices[number].summary != PURGED]
        if parts:
            redact_parts(where, [(unit.id, parts, ())])
        back |= {made[number] for number in parts}
    return len(back)


def all_entries(where: Layout) -> "list[Entry]":
    """Return the entries of all lines: stored, archived, or missing but saved."""
    lost = [
        line.entry
        for name in archive.names(where, lost=True)
        for line in parsing.read_lines(archive.read(where, name), archived=name).lines
    ]
    return [*lost, *entries_of(intent.read_recent(where).lines), *(line.entry for line in sources.read(where).lines)]


def _find(lookup: Lookup, prefix: str) -> "tuple[str, list[Entry]]":
    """Return the memory's id and the entries of its lines in all files. Find lost and purged memories too."""
    needle = prefix.strip().lower()
    entries = all_entries(lookup.context.layout)
    ident = _hidden(lookup.cache, needle, entries) if is_prefix(needle) else None
    ident = ident or lookup.by_id(prefix).entry.id
    return ident, [entry for entry in entries if entry.id == ident]


def _hidden(cache: Cache, prefix: str, everywhere: "list[Entry]") -> str | None:
    """Return the id of a lost memory; None if none or several match, or if the cache has a match.

    The prefix is searched in all lines, and in events lost from the files. Other events and the audit log are searched
    only for a whole id, which must not be purged.
    """
    if pairs.matching(cache, prefix):
        return None
    lost = find_missing(cache, prefix).idents()
    if lines := {entry.id for entry in everywhere if entry.id.startswith(prefix)} | lost:
        return lines.pop() if len(lines) == 1 else None
    kinds = {event.kind for event in events(cache, prefix) if prefix in event.ids}
    if "purged" in kinds:
        return None
    return prefix if kinds or prefix in stored(objects(audit.read(cache.layout))) else None


_MOST = 1 << 24


class Doomed(NamedTuple):
    """Predicates of a purge: `line` selects lines to destroy, and `event` selects events that could quote them."""

    line: "Callable[[Entry], bool]"
    event: Callable[[Event], bool]


def clean_texts(writer: Writer, idents: set[str], texts: set[str], doomed: Doomed | None = None) -> list[str]:
    """Remove memories from each file, and `texts` from messages and the audit log. Return the changed files' names.

    The lines are removed last, so that an interrupted purge can be repeated. Without `doomed`, all lines of `idents`
    are removed.
    """
    where = writer.layout

    def is_about_them(event: Event) -> bool:
        return idents.issuperset(event.ids) and bool(event.reason or event.aka) and event.kind != "purged"

    doomed = doomed or Doomed(lambda entry: entry.id in idents, is_about_them)
    recover(where)
    sweep(where, 0.0)
    finish_interrupted(where)
    with contextlib.suppress(OSError, StoreError):
        build.remove_caches(where)  # again at the end, because a reader can create one meanwhile
    _remove_index(where)
    acknowledged.remove_copies(where.root, known.paths if (known := trust.read(where)) else ())
    touched = _redact_messages(where, texts)
    touched += delete_page(where)
    if rewrite.clean_audit(where, texts):
        touched.append(os.path.basename(where.audit))
    if _clean_recent(where, idents, doomed):
        touched.append(os.path.basename(where.recent))
    names = [*archive.names(where), *archive.names(where, lost=True)]
    touched += [f"archive/{name}" for name in names if _clean_archived(where, name, doomed)]
    everything = sources.read(where)
    lines = [(line.start, line.end) for line in everything.lines if not line.archived and doomed.line(line.entry)]
    if events := events_of(everything.journal, doomed.event):
        writer.take_out(where.journal, everything.journal, events)
        touched.append("journal.jsonl")
    if episodes.take_out(where, idents):
        touched.append(parsing.EPISODES)
    if lines:
        data = everything.declarative
        if bullets := [bullet for bullet, _ in bundle.absorbing(data, lines, cut(data, lines))]:
            parts = [data[bullet.start : bullet.end] for bullet in bullets]
            # Without the purged lines, these memories would absorb the text after them: convert them to our format.
            writer.add_raw(lines=bundle.as_lines(b"".join(parts), sources.modified(where.declarative)))
            everything = sources.read(where)
            lines += [(bullet.start, bullet.end) for bullet in bullets]
        writer.take_out(where.declarative, everything.declarative, lines)
        touched.append("declarative.md")
    build.remove_caches(where)
    intent.delete_comparison(where)
    intent.clear(where)
    # Sync the folders, because an interrupted purge can have renamed files that this run skipped.
    for folder in (where.root, where.archive, where.conversations, where.talks[1]):
        if files.status(folder) is not None:
            disk.sync_directory(folder)
    return touched


def _remove_index(where: Layout) -> None:
    if (text := index.read(where)) is not None and not index.is_foreign(text):
        disk.remove(where.memory_md)


def delete_page(where: Layout) -> list[str]:
    if files.status(where.page) is None:
        return []
    disk.unlink(where.page)
    return [os.path.basename(where.page)]


def _clean_recent(where: Layout, idents: set[str], doomed: Doomed) -> bool:
    """Remove from `.recent` incomplete lines, the lines of the memories, and events only about them (not `purged`)."""

    def keep_line(raw: str) -> bool:
        return any(not doomed.line(entry) for entry in entries_of([raw]))

    def keep_event(raw: str) -> bool:
        event = parse_event(raw)
        return event is not None and (not idents.issuperset(event.ids) or event.kind == "purged")

    return rewrite.clean_recent(where, keep_line, keep_event)


def _clean_archived(where: Layout, name: str, doomed: Doomed) -> bool:
    data = archive.read_permitted(where, name)
    if name.endswith(archive.EVENTS):
        ranges = events_of(data, doomed.event)
    else:
        lines = parsing.read_lines(data, archived=name).lines
        ranges = [(line.start, line.end) for line in lines if doomed.line(line.entry)]
    if not ranges:
        return False
    archive.replace(where, name, cut(data, ranges))
    return True


_NAMES = "to see the current conversation's name (`unit`): promptx-mem converse --show --json"
_THERE = "to list them: promptx-mem recall --category episode --archived"


class _Part(NamedTuple):
    """A part of a conversation: the numbers of its slices (summarised messages) and of its unsliced messages."""

    unit: Unit
    slices: list[int]
    waiting: list[int]

    def size(self) -> int:
        """Return the number of the messages that were not purged earlier."""
        numbers = {number for part in self.slices for number in self.unit.numbers(self.unit.slices[part])}
        parts = {number: self.unit.messages[number] for number in numbers | set(self.waiting)}
        return len(joined({number: part for number, part in parts.items() if part.text != PURGED}))


def forget_conversation(context: "Context", named: str, reason: str | None) -> Result[Forget]:
    """End the memories made from a conversation or a day. `restore` restores them. Raises NotFoundError, UsageError."""
    demand_no_credential("--reason", reason)
    demand_config(context)
    stores.demand_store(context)
    for part in _parts(context, named):
        if part.waiting or part.unit.unfinished():
            rollup.roll(context, part.unit.id, is_over=bool(part.waiting), asking=False)

    def work(store: LockedStore) -> Result[Forget]:
        parts = _parts(context, named)
        ids = [ident for part in parts for number, ident in part.unit.episodes.items() if number in part.slices]
        now, why = context.moment, clean(reason or "") or None
        found = filter(None, map(store.cache.state, ids))
        states = [state for state in found if lives(state, now) or is_expired_episode(state)]
        for state in states:
            event = store.event("forgotten", state, reason=why)
            store.commit("forget", [event], verdict="forgotten", id=state.entry.id)
        ended = [state.entry.id for state in states]
        slices = ([one for one in part.slices if part.unit.episodes.get(one) in ended] for part in parts)
        fresh = [part._replace(slices=some) for part, some in zip(parts, slices, strict=True) if some]
        result = _of_conversation(context, named, fresh, ended, "forgotten")
        if fresh:
            return result
        back = " && ".join(context.command("restore", ident) for ident in ids)
        return result._replace(data={**result.data, "note": f"its memories had already ended; to restore them: {back}"})

    return with_lock(context, work)


def purge_conversation(context: "Context", named: str) -> Result[Forget]:
    """Destroy the messages of a conversation, and the memories made from them, in every file.

    Raises the errors of `forget_conversation`, and Refused unless a person runs the command.
    """
    session.demand_person("a purge", context.command("forget", "--conversation", named, "--purge"))
    demand_config(context)
    stores.demand_store(context)
    for part in _parts(context, named):
        if part.unit.unfinished():
            context.store.write(partial(rollup.finish, context, part.unit.id))
    result = context.store.write(lambda writer: _purge_conversation(context, writer, named))
    with disk_errors():
        for member in context.both():
            delete_page(member.layout)
    return result


def _purge_conversation(context: "Context", writer: Writer, named: str) -> Result[Forget]:
    where = writer.layout
    _demand_no_unexpected_files(where)
    parts = _parts(context, named)
    ids = [ident for part in parts for number, ident in part.unit.episodes.items() if number in part.slices]
    texts = {entry.text for entry, _, _ in episodes.parse(episodes.read(where)) if entry.id in ids}
    events: list[Event] = []
    if ids:
        with current.open_current(where) as cache:
            texts |= {state.entry.text for ident in ids if (state := cache.state(ident)) is not None}
            events = retention.purges(Lookup(context, cache), sorted(set(ids)))
    units = tuple((part.unit.id, tuple(part.slices), tuple(part.waiting)) for part in parts)
    touched = carry_out(context, writer, named, events, units, set(ids), texts)
    result = _of_conversation(context, named, parts, ids, "purged")
    return result._replace(data={**result.data, "files": touched}, warnings=index.still_behind(context))


def _of_conversation(context: "Context", named: str, parts: list[_Part], ids: list[str], end: str) -> Result[Forget]:
    data: Forget = {
        "store": context.path,
        "text": named,
        "end": end,
        "conversations": [part.unit.id for part in parts],
        "messages": sum(part.size() for part in parts),
        "ids": ids,
    }
    return Result("forget", data)


def _parts(context: "Context", named: str) -> list[_Part]:
    """Return the parts of conversations that a name or a date selects. Raises NotFoundError, UsageError."""
    where = context.layout
    names = conversations.every_unit(where)
    if is_unit(named) and named in names:
        unit = conversations.read(where, named)
        parts = [_Part(unit, sorted(unit.slices), sorted(unit.waiting()))]
    else:
        span = _span(named, context.now())
        parts = [_of_day(conversations.read(where, name), span) for name in names]
    parts = [part for part in parts if part.slices or part.waiting]
    if not parts:
        raise NotFoundError(f"no messages are stored for {shorten(named, 40)!r}", hint=_THERE)
    return parts


def _span(named: str, now: datetime.datetime) -> tuple[float, float]:
    try:
        found = parse_date(named, now)
    except ValueError as error:
        problem = f"{shorten(named, 40)!r} is not a stored conversation"
        if named.startswith("u_"):
            raise NotFoundError(problem, hint=_NAMES) from None
        raise UsageError(f"{problem}, and {error}", hint=_NAMES) from None
    return found.start.timestamp(), found.end.timestamp()


def _of_day(unit: Unit, span: tuple[float, float]) -> _Part:
    """Return the slices with a message in a time span. If an unsliced message is in it, add all unsliced messages."""

    def is_in(message: Message) -> bool:
        return span[0] <= message.times()[0] < span[1]

    def is_meant(part: Slice) -> bool:
        messages = unit.of(part)
        return any(map(is_in, messages)) or (not messages and span[0] <= epoch(part.at) < span[1])

    waiting = unit.waiting()
    slices = sorted(number for number, part in unit.slices.items() if is_meant(part))
    return _Part(unit, slices, sorted(waiting) if any(map(is_in, waiting.values())) else [])


def _demand_no_unexpected_files(where: Layout) -> None:
    """Raise StoreError if the store contains a link or another unexpected file. A purge cannot clean such files."""
    for place in unexpected_files(where):
        raise files.wrong_kind(place)
