"""Stored lines and events that are missing from the files, for example because an editor saved an old version.

They are found in `.recent` and in archive/lost-*, where `search/build` saves lines that only the old cache has. Saved
lines are not memories: `audit --verify` lists them, `restore` appends them to the store again, and a purge removes
purged texts from them. A memory that a person edited counts as a hand-written line, with an id made from its new text.
"""

from collections.abc import Iterable

from promptx_mem.core.entry import Entry
from promptx_mem.core.ids import is_id
from promptx_mem.core.journal import AUTOMATIC_KINDS, DELETED_LINE, Event, format_event, parse_event
from promptx_mem.core.json_text import objects
from promptx_mem.core.line import line_key, parse_line
from promptx_mem.errors import NotFoundError, PromptxMemError, StoreError
from promptx_mem.record import Any, NamedTuple
from promptx_mem.search import build, current, history, pairs
from promptx_mem.search.cache import Cache
from promptx_mem.store import append, archive, checks, intent, trust
from promptx_mem.store.checks import Lost
from promptx_mem.store.layout import Layout


class Missing(NamedTuple):
    """The missing lines and events by id.

    `saved` has the ids of lines in archive/lost-*. `purged` has purged ids with a saved copy. `deleted` has the
    lines whose deletion was confirmed with `forget`. Lines in `deleted` are not in `lines`.
    """

    lines: dict[str, list[str]]
    saved: frozenset[str]
    purged: frozenset[str]
    events: dict[str, dict[str, Event]]
    deleted: dict[str, list[str]]

    def idents(self) -> set[str]:
        """Return the ids of the lines and events that `restore` can restore."""
        return self.lines.keys() | self.events.keys() | self.deleted.keys()


_NOTHING = Missing({}, frozenset(), frozenset(), {}, {})


def find_missing(cache: Cache, prefix: str = "") -> Missing:
    """Find missing lines and events of ids that begin with `prefix`; none if parts of archive/ could not be read."""
    if cache.meta("whole") == "0":
        return _NOTHING
    saved = dict.fromkeys(archive.lost_lines(cache.layout, archive.LINES))
    saved_ids = frozenset(entry.id for entry in entries_of(saved))
    lines: dict[str, list[str]] = {}
    deleted: dict[str, list[str]] = {}
    purged = set()
    for number, raw in enumerate((*saved, *intent.read_recent(cache.layout).lines)):
        read_back = parse_line(raw)
        if read_back is None or read_back.entry.at is None or not read_back.entry.id.startswith(prefix):
            continue
        ident, was_saved, is_here = read_back.entry.id, number < len(saved), pairs.has_line(cache, read_back.entry.id)
        if line_key(read_back.entry) < _last_k(cache, ident, "purged"):
            if was_saved or not is_here:
                purged.add(ident)
        elif (was_saved or ident not in saved_ids) and not is_here:
            # A line in archive/ was saved when it vanished, so it can be newer than its copy in `.recent`.
            kind = deleted if line_key(read_back.entry) < _last_k(cache, ident, "forgotten", DELETED_LINE) else lines
            kind.setdefault(ident, []).append(raw)
    return Missing(lines, saved_ids, frozenset(purged), _missing_events(cache, prefix), deleted)


def unknown_id(cache: Cache, prefix: str) -> PromptxMemError:
    """Return the error for an unknown id. The error names unreadable files, or a saved line to restore."""
    if cache.meta("whole") == "0":
        message = f"no memory has the id {prefix}, but some files of archive/ cannot be read"
        return StoreError(message, hint="check the owner and permissions of .memory/archive")
    hint = "to list ids: promptx-mem list"
    if saved := find_missing(cache, prefix).lines:
        first = next(iter(saved))
        hint = f"its line is missing from declarative.md, but a copy was saved: promptx-mem restore {first}"
    return NotFoundError(f"no memory has the id {prefix}", hint=hint)


def _missing_events(cache: Cache, prefix: str) -> dict[str, dict[str, Event]]:
    events: dict[str, dict[str, Event]] = {}
    for raw in (*intent.read_recent(cache.layout).events, *archive.lost_lines(cache.layout, archive.EVENTS)):
        event = parse_event(raw)
        if event is None or event.kind in AUTOMATIC_KINDS or history.has_event(cache, event):
            continue
        for ident in event.ids:
            if ident.startswith(prefix) and event.k > _last_k(cache, ident, "purged"):
                events.setdefault(ident, {})[format_event(event)] = event
    return events


def entries_of(raws: Iterable[str]) -> list[Entry]:
    """Return the entries of the lines that can be read."""
    return [read_back.entry for raw in raws if (read_back := parse_line(raw)) is not None]


def _last_k(cache: Cache, ident: str, kind: str, reason: str = "") -> int:
    """Return the greatest `k` of a memory's events of this kind whose reason begins with `reason`; 0 if none does."""
    acts = (act for act in history.events(cache, ident) if ident in act.ids and act.kind == kind)
    return max((act.k for act in acts if (act.reason or "").startswith(reason)), default=0)


def is_deletion(cache: Cache, ident: str) -> bool:
    """Return whether the last `forget` of a memory only confirmed that its line had been deleted."""
    last = _last_k(cache, ident, "forgotten")
    return 0 < last == _last_k(cache, ident, "forgotten", DELETED_LINE)


def lost_by_accident(cache: Cache) -> Missing:
    """Return all lines and events that were removed by accident. `restore --lost` restores them.

    Lines that a person edited, lines whose deletion was confirmed with `forget`, and committed lines that git removed
    are left out. Raises OSError, StoreError.
    """
    where = cache.layout
    missing = find_missing(cache)
    edits = edited_forms(cache, missing)
    lines = {ident: raws for ident, raws in missing.lines.items() if ident not in edits}
    gone = _taken_by_git(where, where.declarative, [raw for raws in lines.values() for raw in raws])
    kept = {ident: raws for ident, raws in lines.items() if not gone.issuperset(raws)}
    events = {ident: its for ident, its in missing.events.items() if ident in lines or pairs.has_line(cache, ident)}
    gone = _taken_by_git(where, where.journal, [raw for its in events.values() for raw in its])
    lost = {
        ident: rest
        for ident, its in events.items()
        if (ident in kept or ident not in lines) and (rest := {raw: its[raw] for raw in its if raw not in gone})
    }
    return missing._replace(lines=kept, events=lost, deleted={})


def edited_forms(cache: Cache, missing: Missing) -> dict[str, Entry]:
    """Return the hand-written memories that are edited versions of missing ones, by the old ids.

    A memory that a command stored is left out, even if its comment was damaged or deleted.
    """
    if not missing.lines:
        return {}
    from promptx_mem.store import audit

    known = {entry.id for entry in entries_of(intent.read_recent(cache.layout).lines)} | missing.saved
    known |= stored(objects(audit.read(cache.layout))).keys()
    written = [entry for entry in pairs.written_by_hand(cache) if entry.id not in known]
    return build.edited_forms(written, entries_of(raws[-1] for raws in missing.lines.values()))


def stored(records: Iterable[dict[str, Any]]) -> dict[str, str]:
    """Return the ids of memories that the log records as stored, each with the time when it was last stored."""
    return {
        record["id"]: str(record.get("at", ""))
        for record in records
        if record.get("verdict") == "stored" and isinstance(record.get("id"), str) and is_id(record["id"])
    }


def _in_git(where: Layout) -> bool:
    """Return whether git may track the store. Then git can remove lines."""
    known = trust.read(where)
    return known is None or known.kind not in (trust.PRIVATE, trust.REPLACED)


def _taken_by_git(where: Layout, path: str, missing: list[str]) -> set[str]:
    """Return the missing lines that git removed; an empty set for a private store."""
    if not missing or not _in_git(where):
        return set()
    from promptx_mem.store import git

    return git.removed_by_git(where, path, missing)


def compare(where: Layout) -> Lost:
    """Compare `.recent` with the files. Return and record the result, which is valid until the files change.

    After most edits, every line of `.recent` is in its file. Then nothing is parsed. Raises OSError, StoreError.
    """
    at, noted = checks.stamps(where), intent.read_recent(where)
    lost = Lost()
    if archive.names(where, lost=True) or not _has_all(where, noted):
        stash = ""
        if _in_git(where):
            from promptx_mem.store import git

            stash = git.stash_log(where)
        at = checks.stamps(where, stash)
        with current.open_current(where) as cache:
            missing = lost_by_accident(cache)
        events = {raw for ident, its in missing.events.items() if ident not in missing.lines for raw in its}
        lost = Lost(len(missing.lines), len(events), tuple(sorted(missing.idents()))[: checks.MOST_IDS], stash)
    if noted.lines or noted.events or lost.lines or lost.events:
        intent.store_comparison(where, at, lost)
    return lost


def _has_all(where: Layout, noted: intent.Recent) -> bool:
    for path, raws in ((where.declarative, noted.lines), (where.journal, noted.events)):
        needed = {raw.encode() for raw in raws}
        if needed and not needed <= set(append.read_settled(where, path).replace(b"\r\n", b"\n").split(b"\n")):
            return False
    return True
