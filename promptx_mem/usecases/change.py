"""Changes to stored memories: boost, verify, forget, restore, edit.

A text saved in $EDITOR is scored like a new one and supersedes the old text.
"""

import contextlib
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Sequence

from promptx_mem import session
from promptx_mem.core import bundle
from promptx_mem.core.credentials import CODE, demand_no_credential
from promptx_mem.core.durations import end_of
from promptx_mem.core.entry import LONG, MAX_K, clean_aliases
from promptx_mem.core.fold import fold_all
from promptx_mem.core.ids import is_prefix
from promptx_mem.core.journal import ALIASED, DELETED_LINE, ENDING_KINDS, REPLACED, Event
from promptx_mem.core.life import is_expired_episode
from promptx_mem.core.request import Request
from promptx_mem.core.shell import TEXT
from promptx_mem.core.state import GREATEST, MEMBER, State, importance_at, lives
from promptx_mem.core.syntax import format_visible, is_token, parse_argument
from promptx_mem.core.text import clean, format_score, plural, shorten
from promptx_mem.core.times import parse_at
from promptx_mem.errors import PromptxMemError, Refused, StoreError, UsageError
from promptx_mem.machine import named_duration
from promptx_mem.record import TYPE_CHECKING, Any, NamedTuple, TypedDict, cast
from promptx_mem.result import Payload, Result
from promptx_mem.search import current, history, pairs
from promptx_mem.search.cache import DAMAGE, Cache
from promptx_mem.store import append, archive, files, members, parsing
from promptx_mem.store.writer import Writer
from promptx_mem.usecases import index, lost
from promptx_mem.usecases.limits import demand_config
from promptx_mem.usecases.lookup import Lookup
from promptx_mem.usecases.stores import demand_request, demand_store

if TYPE_CHECKING:
    from promptx_mem.usecases.context import Context
    from promptx_mem.usecases.gate import Remember

ACTIVE = "it is active already"
"""Note of a restore that changed nothing."""

_OPEN = "declarative.md ends inside a code fence or after START, so each restored memory is a separate line"


def _unarchive(cache: "Cache", writer: "Writer", ident: str) -> str | None:
    """Append the lines of an archived memory to declarative.md again.

    If an open block (code fence, START) would include the lines, convert them to our line format and return a note.
    """
    if not pairs.is_archived(cache, ident):
        return None
    where = writer.layout
    places = history.line_places(cache, ident)
    if any(name == parsing.EPISODES for _, _, name in places):  # its lines stay in this private file
        return None
    raws = [(name, archive.read_permitted(where, name)[start:stop]) for start, stop, name in places]
    # append a line once, even if two merged stores have archived it
    parts = dict.fromkeys((raw, raws[:number].count((name, raw))) for number, (name, raw) in enumerate(raws))
    before = append.read_settled(where, where.declarative)
    data, same = bundle.appended(before, (raw for raw, _ in parts), cache.meta("seen_at"))
    writer.add_raw(lines=data)
    current.catch_up(cache, writer)
    return None if same else _OPEN


_CAPS = f"boosts and repeats count once in 2 hours, add at most 1.0 per day, and end at {GREATEST:g}"


class Change(TypedDict, total=False):
    """The answer of boost, verify and restore: a memory before and after. `restore --lost` sets `ids`."""

    store: str
    id: str
    text: str
    note: str | None
    lives: bool | None
    end: str | None
    importance_before: float
    importance: float
    verified: bool | None
    ids: list[str]


class Forget(Change, total=False):
    """The answer of `forget`. `files` are the files from which a purge removed the text.

    The answer for conversations has their names, the number of `messages`, and the `ids` of memories made from them.
    """

    files: list[str]
    conversations: list[str]
    messages: int


class LockedStore(NamedTuple):
    """A store that is locked for one change. `lookup` finds memories."""

    context: "Context"
    writer: Writer
    lookup: Lookup
    cache: Cache

    def event(self, kind: str, state: State, **fields: Any) -> Event:
        """Return a new event on a memory, without writing it."""
        return self.lookup.event(kind, state.entry.id, **fields)

    def commit(self, command: str, events: list[Event], *records: dict[str, Any], **record: Any) -> None:
        """Append events durably, then update the audit log and the cache. Failed updates only cause warnings.

        Write an audit record for each dict in `records`, or one if there is none. Each also has the fields `record`.
        """
        if events:
            self.writer.add_events(events)
            if ended := {ident for event in events if event.kind in ENDING_KINDS for ident in event.ids}:
                from promptx_mem.usecases import vectors

                with contextlib.suppress(OSError, StoreError):
                    vectors.drop(self.context.layout, ended)
        self.context.note(self.writer, command, *records, **record)
        current.catch_up(self.cache, self.writer)

    def after(self, before: State) -> State:
        """Return the new state of the memory that had the state `before`; `before` if the cache cannot be read."""
        with contextlib.suppress(*DAMAGE):
            return self.cache.state(before.entry.id) or before
        return before


def with_lock(context: "Context", work: Callable[[LockedStore], Result[Payload]]) -> Result[Payload]:
    """Lock the store, record the times of hand-written lines as events, run `work`, and update MEMORY.md."""
    demand_config(context)
    demand_store(context)

    def locked(writer: Writer) -> Result[Payload]:
        with current.open_current(writer.layout) as cache:
            lookup = Lookup(context, cache)
            is_adopted = lookup.adopt(writer)
            if writer.carry_over_if_large(context.now().date().isoformat()) or is_adopted:
                current.catch_up(cache, writer)
            try:
                result = work(LockedStore(context, writer, lookup, cache))
            except PromptxMemError:
                index.by_writer(context, cache)
                raise
            return result._replace(warnings=(*result.warnings, *index.by_writer(context, cache)))

    return context.store.write(locked)


def boost(context: "Context", ident: str) -> Result[Change]:
    """Raise a memory's importance by 0.3, at most once every 2 hours and by at most 1.0 per day."""

    def work(store: LockedStore) -> Result[Change]:
        before = active(store, ident, "boost")
        demand_request(context, before.entry.text, context.command("boost", before.entry.id))
        store.commit("boost", [store.event("boosted", before)], verdict="boosted", id=before.entry.id)
        result = _changed(store, "boost", before)
        stays = result.data["importance"] == result.data["importance_before"]
        return result._replace(data={**result.data, "note": _CAPS}) if stays else result

    return with_lock(context, work)


def verify(context: "Context", ident: str) -> Result[Change]:
    """Mark a memory as confirmed by the user. Raises Refused unless a person runs the command."""

    def work(store: LockedStore) -> Result[Change]:
        before = active(store, ident, "verify")
        session.demand_person("verify", context.command("verify", before.entry.id))
        accept(store, before)
        event = store.event("verified", before, verified=True)
        store.commit("verify", [event], verdict="verified", id=before.entry.id)
        return _changed(store, "verify", before)

    return with_lock(context, work)


def accept(store: LockedStore, state: State) -> None:
    """Record that a member's memory, with its present text, counts as the user's own, before an event about it."""
    if state.origin.startswith(MEMBER):
        members.note(store.context.layout, map(members.own_record, pairs.entries(store.cache, [state])))


def forget(context: "Context", ident: str, reason: str | None, **record: str) -> Result[Forget]:
    """End a memory. Its line stays in the file, but recall does not show it. `restore` makes it active again.

    If its line is missing, confirm the deletion. Else add the fields of `record` to the audit record.
    """
    demand_no_credential("--reason", reason)

    def work(store: LockedStore) -> Result[Forget]:
        prefix, note = ident.strip().lower(), None
        if is_prefix(prefix) and not pairs.matching(store.cache, prefix):
            lines = lost.find_missing(store.cache, prefix).lines
            if len(lines) == 1:
                return _confirm_deletion(store, lines, reason)
        before = store.lookup.by_id(ident)
        if not lives(before, context.moment) and not is_expired_episode(before):
            heir = pairs.heir(store.cache, before, context.moment)
            now_is = f"; {heir.id} replaced it; to remove {heir.id} too: promptx-mem forget {heir.id}" if heir else ""
            note = f"it had ended already ({before.end}){now_is}"
        else:
            event = store.event("forgotten", before, reason=clean(reason or "") or None)
            store.commit("forget", [event], verdict="forgotten", id=before.entry.id, **record)
        return Result("forget", cast("Forget", _changed(store, "forget", before, note).data))

    return with_lock(context, work)


def forget_lost(context: "Context", reason: str | None) -> Result[Forget]:
    """Record in both stores that the missing lines were deleted on purpose. `restore ID` can still restore them."""
    demand_no_credential("--reason", reason)

    def work(store: LockedStore) -> Result[Forget]:
        missing = lost.lost_by_accident(store.cache)
        events.update(missing.events)
        return _confirm_deletion(store, missing.lines, reason)

    events: dict[str, Any] = {}
    results = [with_lock(one, work) for one in context.both()]
    ids = [ident for result in results for ident in result.data["ids"]]
    warnings = tuple(warning for result in results for warning in result.warnings)
    if len(ids) == 1:
        return next(result for result in results if result.data["ids"])._replace(warnings=warnings)
    note = f"the deletion of {plural(len(ids), 'line')} is confirmed" if ids else "no line is missing"
    if events and not ids:
        note += "; to restore the missing events: promptx-mem restore --lost"
    data: Forget = {**results[0].data, "id": "", "text": "", "note": note, "ids": ids}
    return results[0]._replace(data=data, warnings=warnings)


def _confirm_deletion(store: LockedStore, lines: dict[str, list[str]], reason: str | None) -> Result[Forget]:
    """End the memories whose lines were deleted. `lines` has all copies of each line, the newest last."""
    entries = lost.entries_of(raws[-1] for raws in lines.values())
    k = store.lookup.next_k(entries)
    why = f"{DELETED_LINE}: {clean(reason)}" if reason and clean(reason) else DELETED_LINE
    ids = [entry.id for entry in entries]
    events = [store.lookup.event("forgotten", ident, k=k + number, reason=why) for number, ident in enumerate(ids)]
    if events:
        store.commit("forget", events, *({"id": ident} for ident in ids), verdict="forgotten")
    one = entries[0] if len(ids) == 1 else None
    data: Forget = {
        "store": store.context.path,
        "id": one.id if one else "",
        "text": one.text if one else "",
        "note": f"its line had been deleted; promptx-mem restore {one.id} brings it back" if one else None,
        "lives": False,
        "end": "forgotten",
        "ids": ids,
    }
    return Result("forget", data)


def restore_lost(context: "Context") -> Result[Change]:
    """Restore, in both stores, all lines and events that were removed by accident."""
    counts: Counter[str] = Counter()
    ids: list[str] = []

    def work(store: LockedStore) -> Result[Change]:
        """Restore a store, events first, so that forgotten memories stay ended."""
        losses = lost.lost_by_accident(store.cache)
        events = {raw: event for its in losses.events.values() for raw, event in its.items()}
        if events:
            store.writer.add_events(sorted(events.values(), key=lambda event: event.k))
        if lines := dict.fromkeys(raw for raws in losses.lines.values() for raw in raws):
            store.writer.add_lines([*lines])
        back = sorted(losses.idents())
        if back:
            store.commit("restore", [], *({"id": ident} for ident in back), verdict="restored")
        counts.update(lines=len(losses.lines), events=len(events))
        ids.extend(back)
        return Result("restore", {"store": store.context.path})

    results = [with_lock(one, work) for one in context.both()]
    parts = [plural(counts["lines"], "memory", "memories")] if counts["lines"] else []
    parts += [plural(counts["events"], "event")] if counts["events"] else []
    note = " and ".join(parts) or "no memory or event is missing"
    warnings = tuple(warning for result in results for warning in result.warnings)
    return results[0]._replace(data={**results[0].data, "note": note, "ids": ids}, warnings=warnings)


def _bring_back(store: LockedStore, prefix: str) -> tuple[State, str] | None:
    """Append the missing lines and events of a memory again. Return the memory and a note.

    Return None if nothing is missing, or if several ids begin with `prefix`.
    """
    prefix = prefix.strip().lower()
    if not is_prefix(prefix):
        return None
    losses = lost.find_missing(store.cache, prefix)
    if len(idents := losses.idents()) != 1 or set(pairs.matching(store.cache, prefix)) - idents:
        return None
    (ident,) = idents
    events = sorted(losses.events.get(ident, {}).values(), key=lambda event: event.k)
    lines = losses.lines.get(ident) or losses.deleted.get(ident, [])
    if events:  # before the lines: a line without its events could make an ended memory active
        store.writer.add_events(events)
    if lines:
        store.writer.add_lines(lines)
    current.catch_up(store.cache, store.writer)
    entries = lost.entries_of(lines)
    state = fold_all(entries, events)[ident] if entries else store.lookup.by_id(ident)
    kinds = ", ".join(event.kind for event in events)
    note = f"{plural(len(events), 'event')} ({kinds})" if events else ""
    if lines:
        note = "its lost line" + (f" and {note}" if note else "")
    return state, note if lines else f"{note} in the journal"


def restore(context: "Context", ident: str, **record: str) -> Result[Change]:
    """Restore an ended, archived or lost memory. A lost one can stay ended.

    Unless it is lost, it supersedes each memory that had superseded it, and its audit record gets `record`.
    """

    def work(store: LockedStore) -> Result[Change]:
        back = _bring_back(store, ident)
        before = store.lookup.by_id(ident) if back is None else store.after(back[0])
        living = lives(before, context.moment)
        if back is not None:
            edits = (event.ids[0] for event in history.events(store.cache, before.entry.id) if event.kind == REPLACED)
            # If an edited line replaced this memory, other copies of the store need an event to show this memory again.
            is_edited = any(ident != before.entry.id for ident in edits)
            was_deleted = before.end == "forgotten" and lost.is_deletion(store.cache, before.entry.id)
            events = [store.event("restored", before)] if is_edited or was_deleted else []
            store.commit("restore", events, verdict="restored", id=before.entry.id)
            rest = (
                ""
                if living or was_deleted
                else f"; the memory has ended ({before.end}): run restore again to make it active"
            )
            return _changed(store, "restore", before, back[1] + rest)
        if living:
            return _changed(store, "restore", before, ACTIVE)
        note = _unarchive(store.cache, store.writer, before.entry.id)
        chain = pairs.chain(store.cache, before)
        states = filter(None, map(store.cache.state, chain))
        heirs = [state.entry.id for state in states if lives(state, context.moment)]
        end = end_of(before.duration, parse_at(context.at))
        duration = LONG if end is not None and end <= context.moment else None  # its end date is in the past
        event = store.event("restored", before, supersedes=chain, duration=duration)
        store.commit("restore", [event], verdict="restored", id=before.entry.id, **record)
        return _changed(store, "restore", before, f"it replaces {', '.join(heirs)}" if heirs else note)

    return with_lock(context, work)


def active(store: LockedStore, ident: str, command: str) -> State:
    """Return the memory that `command` changes. Raises Refused if it has ended, or errors of `by_id`."""
    state = store.lookup.by_id(ident)
    if not lives(state, store.context.moment):
        store.lookup.refuse_superseded(state, lambda heir: f"for that one: promptx-mem {command} {heir}")
        raise Refused(
            f"{state.entry.id} has ended ({state.end}), so {command} does not apply",
            code="ended",
            hint=f"to bring it back: promptx-mem restore {state.entry.id}",
        )
    return state


def _changed(store: LockedStore, command: str, before: State, note: str | None = None) -> Result[Change]:
    now, after = store.context.moment, store.after(before)
    data: Change = {
        "store": store.context.path,
        "id": before.entry.id,
        "text": before.entry.text,
        "note": note,
        "lives": lives(after, now),
        "end": None if lives(after, now) else after.end,
        "importance_before": round(importance_at(before, now), 3),
        "importance": round(importance_at(after, now), 3),
        "verified": after.verified,
    }
    return Result(command, data)


def ended_among(context: "Context", idents: list[str]) -> set[str]:
    """Return the ids of ended memories among `idents`; none if the store cannot be read."""
    with contextlib.suppress(OSError, PromptxMemError), context.cache() as cache:
        states = filter(None, map(cache.state, idents))
        return {state.entry.id for state in states if not lives(state, context.moment)}
    return set()


def unscore(context: "Context", idents: Sequence[str]) -> None:
    """Mark memories as unscored, because their lines bypassed scoring. Raises StoreError, BusyError.

    The cache is not used, since the guard cannot wait for a rebuild.
    """

    def work(writer: Writer) -> None:
        known = re.findall(rb'"k":(\d{1,18})', files.read(writer.layout.journal) or b"")
        k = max(int(context.moment * 1e6), min(max(map(int, known), default=0) + 1, MAX_K - len(idents)))
        at, host = context.at, context.host()
        writer.add_events([Event(k + number, host, at, "unscored", (ident,)) for number, ident in enumerate(idents)])
        context.note(writer, "guard", verdict="unscored")

    context.store.write(work)


_NOTE = "<!-- The text is above this line; tags, score and duration are below it. -->"


def set_aliases(context: "Context", ident: str, aliases: tuple[str, ...]) -> "Result[Remember]":
    """Replace all aliases of a memory. A single empty alias removes all.

    Raises UsageError, NotFoundError, Refused.
    """
    from promptx_mem.usecases.request import check_aliases

    check_aliases(aliases)
    for alias in aliases:
        demand_no_credential("--aka", alias)

    def work(store: LockedStore) -> "Result[Remember]":
        state = active(store, ident, "edit")
        entry = state.entry
        demand_request(context, entry.text, context.command("edit", entry.id, "--aka", *aliases[:1]))
        is_new = clean_aliases(aliases) != entry.aka
        if is_new:
            event = store.event(ALIASED, state, aka=clean_aliases(aliases))
            store.commit("edit", [event], verdict=ALIASED, id=entry.id)
        return _edit_result(context, state, ALIASED if is_new else "unchanged")

    return with_lock(context, work)


def _edit_result(context: "Context", state: State, verdict: str) -> "Result[Remember]":
    data: Remember = {"verdict": verdict, "id": state.entry.id, "text": state.entry.text}
    return Result("edit", {"store": context.path, **data})


def edit(context: "Context", ident: str) -> "Result[Remember]":
    """Open a memory's text in an editor, with tags, score and duration on the last line. Store a changed text."""
    demand_config(context)
    demand_store(context)
    with context.cache() as cache:
        lookup = Lookup(context, cache)
        state = lookup.by_id(ident)
        lookup.refuse_superseded(state, lambda heir: f"for that one: promptx-mem edit {heir}")
    tokens = format_visible("", state.tags, state.score, named_duration(state.duration)).strip()
    before = f"{state.entry.text}\n\n{_NOTE}\n{tokens}\n"
    after, path = _edited(before, state.entry.id)
    try:
        result = _store_edited(context, state, before, after)
    except PromptxMemError as error:
        if error.code == CODE:  # a credential must not stay on the disk
            os.unlink(path)
            error.hint = (
                f"your text was not kept; to edit again without the credential: promptx-mem edit {state.entry.id}"
            )
        else:
            kept = f"your text is kept in {path}; to edit the memory again: promptx-mem edit {state.entry.id}"
            error.hint = f"{error.hint}\n{kept}".strip()
        raise
    os.unlink(path)
    return result


def _store_edited(context: "Context", state: State, before: str, after: str) -> "Result[Remember]":
    """Store the edited text of a memory. Raises UsageError or Refused if the text or its last line is wrong."""
    if after.strip() == before.strip():
        return _edit_result(context, state, "unchanged")
    text, note, tokens = clean(after).rpartition(_NOTE if _NOTE in after else "\n")
    wrong = [word for word in tokens.split() if not is_token(word)]
    if wrong and note == _NOTE:
        message = f"{shorten(' '.join(wrong), 40)!r} is below the comment, but is not a tag, a score or a duration"
        raise UsageError(message, hint="write the text above the comment")
    if wrong:
        text, tokens = clean(after), ""
    if not text.strip():
        raise UsageError("the text is empty", code="no_text")
    parsed = parse_argument(" ".join(["x", *tokens.split()]))
    if parsed.problems:
        raise UsageError("; ".join(parsed.problems))
    if note == _NOTE and state.tags and not parsed.tags:
        raise UsageError("a memory needs a tag", hint="write at least one #tag below the comment")
    request = Request(
        text=clean(text),
        tags=parsed.tags or state.tags,
        score=format_score(state.score if parsed.score is None else parsed.score),
        duration=parsed.duration or state.duration,
        update=state.entry.id,
        reason="edited",
    )
    from promptx_mem.usecases.remember import remember

    return remember(context, request)._replace(command="edit")


def _edited(text: str, ident: str) -> tuple[str, str]:
    """Open a text in an editor. Return the edited text, and the path of its file.

    Raises UsageError if there is no editor, or if the editor fails. Then the file is removed.
    """
    import shlex
    import subprocess
    import tempfile

    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if not editor:
        if sys.stdin is None or not sys.stdin.isatty():
            hint = f"to edit without an editor, usage: promptx-mem remember '{TEXT}' --update {ident}"
            message = "EDITOR is not set, and there is no terminal"
            raise UsageError(message, code="no_editor", hint=hint)
        editor = "vi"
    edited = None
    handle, path = tempfile.mkstemp(prefix="promptx-mem-", suffix=".md")
    try:
        os.write(handle, text.encode("utf-8", "replace"))
        os.close(handle)
        try:
            process = subprocess.run([*shlex.split(editor), path], check=False)  # noqa: S603 - the user's own editor
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", error)
            raise UsageError(f"the editor {editor!r} cannot be run: {why}", hint="set EDITOR") from None
        if process.returncode != 0:
            raise UsageError(f"the editor {editor!r} ended with status {process.returncode}; nothing was changed")
        with open(path, encoding="utf-8", errors="replace") as file:
            edited = file.read()
    finally:
        if edited is None:
            os.unlink(path)
    return edited, path
