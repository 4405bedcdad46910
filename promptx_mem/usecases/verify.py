"""audit --verify: reads the whole store again, and compares it with the files derived from it."""

import gzip
import os
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from promptx_mem.core import document as conflicts
from promptx_mem.core.credentials import find_credentials
from promptx_mem.core.entry import NEWER
from promptx_mem.core.fold import fold_all, without_replaced
from promptx_mem.core.ids import is_prefix, normalise
from promptx_mem.core.journal import AUTOMATIC_KINDS
from promptx_mem.core.json_text import objects
from promptx_mem.core.shell import join, quote
from promptx_mem.core.syntax import format_visible
from promptx_mem.core.text import plural, printable, shorten
from promptx_mem.errors import StoreError
from promptx_mem.record import TYPE_CHECKING
from promptx_mem.result import Result
from promptx_mem.search import current, importance, pairs
from promptx_mem.search.build import compare
from promptx_mem.search.cache import Cache, Progress, stamps_of
from promptx_mem.store import archive, audit, conversations, files, git, layout, members, settings, sources, writer
from promptx_mem.store.layout import Layout
from promptx_mem.store.parsing import read_lines
from promptx_mem.store.sources import Sources, read_events
from promptx_mem.usecases import init, lost, stores
from promptx_mem.usecases.audit_log import Audit, Checked, Finding
from promptx_mem.usecases.context import Context
from promptx_mem.usecases.lost import edited_forms, entries_of, find_missing

if TYPE_CHECKING:
    from promptx_mem.core.entry import Entry

_TEXT = 40
_NAMED = 3
_ENDS = ("forgotten", "deleted")
_ID = re.compile(rb'"id":"(m_[0-9a-z]{10})"')

Row = tuple[str, str, str, str]
"""A row of the report: the place, the problem, the fix, and the command for the fix."""


class Losses:
    """The missing lines and events found in one pass of `verify`. The method `problems` also fills `notes`."""

    def __init__(self, cache: Cache, everything: Sources) -> None:
        self.notes: list[str] = []
        self._cache = cache
        self.missing = find_missing(cache)
        self._here = {line.entry.id for line in everything.lines}
        self._acts = {(ident, event.kind) for event in everything.events for ident in event.ids}

    def ids(self) -> set[str]:
        """Return the ids with missing or saved lines. Events on these ids are not reported."""
        return self.missing.lines.keys() | self.missing.deleted.keys() | self.missing.saved

    def problems(self) -> Iterator[Row]:
        """Yield every loss. If another commit of git has the missing data, add a note instead."""
        rows = [*self._lines(), *self._events(), *self._logged()]
        places = self._elsewhere() if rows else {}
        yield from (row for row in rows if row[0] not in places)
        groups: dict[str, list[str]] = {}
        for ident in dict.fromkeys(row[0] for row in rows if row[0] in places):
            groups.setdefault(places[ident], []).append(ident)
        for place, ids in groups.items():
            found = plural(len(ids), "memory has other lines or events", "memories have other lines or events")
            self.notes.append(f"{found} in git ({printable(place)}): {_few(ids)}")

    def _lines(self) -> Iterator[Row]:
        edits = edited_forms(self._cache, self.missing)
        for ident, lines in self.missing.lines.items():
            text = entries_of(lines)[-1].text
            message, why = "its line is missing from declarative.md, but a copy was saved", "if you deleted it"
            if now := edits.get(ident):
                message = f"its text was edited, so it is now {now.id}; a copy of the old memory was saved"
                message, why = f"{message}, with its boosts", f"to keep only {now.id}"
            message += f": {shorten(text, _TEXT)}"
            command = f"promptx-mem restore {ident}  # {why}: promptx-mem forget {ident}"
            yield ident, message, "bring it back", command

    def _events(self) -> Iterator[Row]:
        for ident, events in self.missing.events.items():
            if ident not in self._here or ident in self.missing.lines:
                continue  # reported with the missing line, or not at all because nothing can be restored
            kinds = ", ".join(event.kind for event in sorted(events.values(), key=lambda event: event.k))
            count = plural(len(events), "event about it is", "events about it are")
            message = f"{count} missing from journal.jsonl: {kinds}"
            if any(event.kind == "purged" for event in events.values()):
                yield ident, message, "erase it again", f"promptx-mem forget {ident} --purge"
            else:
                yield ident, message, "restore the events", f"promptx-mem restore {ident}"

    def _logged(self) -> Iterator[Row]:
        """Yield memories and events that are found only in the records of this store's audit log."""
        if self._cache.meta("whole") == "0":
            return
        records = objects(audit.read(self._cache.layout))
        purged = {ident for ident, kind in self._acts if kind == "purged"}
        ids = self._here | purged | self.ids() | self.missing.events.keys()
        for ident, at in lost.stored(records).items():
            if ident in ids:
                continue
            message = f"it was stored at {at}, but its line is missing, and there is no copy"
            command = f"promptx-mem forget {ident} --purge  # to confirm that it is gone"
            yield ident, message, "restore its line from a backup, or accept the loss", command
        for record in records:
            ident, kind = str(record.get("id")), record.get("verdict")
            is_here = ident in self._here and ident not in self.missing.events
            if kind in _ENDS and is_here and self._acts.isdisjoint([(ident, kind), (ident, "purged")]):
                message = f"it was {kind} at {record.get('at', '')}, but the event is missing, and there is no copy"
                yield ident, message, "end it again", f"promptx-mem forget {ident}"

    def _elsewhere(self) -> dict[str, str]:
        """Return, by id, the place in git that has a missing line, or all missing events of a stored memory."""
        where = self._cache.layout
        events = git.lines_in_other_commits(where, where.journal)
        places: dict[str, str] = {}
        for line, place in (git.lines_in_other_commits(where, where.declarative) | events).items():
            for ident in map(bytes.decode, _ID.findall(line)):
                places.setdefault(ident, place)
        for ident, raws in self.missing.events.items():
            if ident in self._here and not all(raw.encode() in events for raw in raws):
                places.pop(ident, None)
        return places


_TRIES = 3
_AT_ONCE = 500
_TEXTS = ("text", "tags", "aka", "topic", "topics", "related", "reason", "session", "summary")


def verify(context: Context, progress: Progress | None = None, *, secrets: bool = False) -> Result[Audit]:
    """Check everything. If there are problems, the exit status is 1. Each problem has a fix.

    With `secrets`, also search all stored texts for credentials. No lock is held: if another process writes meanwhile,
    the check starts again. Raises StoreError if there is no store.
    """
    stores.demand_store(context)
    for _ in range(_TRIES):
        check = _Check(context, stamps_of(context.layout), progress)
        check.run()
        if stamps_of(context.layout) == check.stamps:
            break
    if secrets:
        check.secrets()
    count = len(check.problems)
    data: Audit = {"count": count, "problems": check.problems, "notes": check.notes, "checked": check.checked}
    return Result("audit", {"store": context.path, **data}, exit_status=1 if count else 0)


@dataclass(slots=True)
class _Check:
    """One pass over a store. Each method checks one part of it."""

    context: Context
    stamps: dict[str, str]
    progress: Progress | None
    problems: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    checked: Checked = field(default_factory=Checked)

    def run(self) -> None:
        self._files()
        everything = sources.read(self.context.layout)
        for problem in everything.problems:
            command = _editing(f"+{problem.line} {self._path(problem.file)}")
            if problem.message == conflicts.CONFLICT:
                command = conflicts.CONFLICT_COMMAND
            elif problem.message.startswith(NEWER):
                command = ""  # an edit does not help, and each way to install promptx-mem has its own command
            self._wrong("lines", f"{problem.file}:{problem.line}", problem.message, problem.fix, command)
        self._bytes(everything)
        self._archives()
        self._members()
        self._ids(everything)
        self._cache(everything)
        self._sizes()
        with current.open_current(self.context.layout, self.progress) as cache:
            self._place(cache)
            losses = Losses(cache, everything)
            self._events(everything, losses.ids())
            for row in losses.problems():
                self._wrong("vanished", *row)
            self.notes += losses.notes
            for ident in sorted(losses.missing.purged):  # the purge could have been made on another machine
                message = "it was purged, but a saved copy of its line still contains the text"
                self._wrong("purged", ident, message, "purge it here too", f"promptx-mem forget {ident} --purge")
            for ident in pairs.purged(cache):
                message = "it was purged, and a merge has brought its text back"
                self._wrong("purged", ident, message, "erase it again", "promptx-mem decay")
            self._index(cache)
            self._cites(cache)
            self.checked["memories"] = importance.active(cache, self.context.moment)
        self.checked |= {"lines": len(everything.lines), "events": len(everything.events)}

    def secrets(self) -> None:
        """Report each place that contains a credential, with the kinds of credentials, never their values."""
        parts = list(_stored(self.context))
        for number, (texts, place, fix, command) in enumerate(parts, 1):
            found = {name: kinds for name, text in texts if (kinds := find_credentials(text))}
            if found:
                verb = "contains" if len(found) == 1 else "contain"
                every = sorted({kind for some in found.values() for kind in some})
                message = f"{_few(list(found))} {verb} a credential ({', '.join(every)})"
                self._wrong("secrets", place, message, fix, command)
            if self.progress is not None and (number % _AT_ONCE == 0 or number == len(parts)):
                self.progress(number, len(parts))

    def _wrong(self, check: str, where: str, message: str, fix: str, command: str = "") -> None:
        self.problems.append({"check": check, "where": where, "what": message, "mend": fix, "command": command})

    def _path(self, *names: str) -> str:
        return quote(os.path.join(self.context.path, *names))

    def _files(self) -> None:
        where = self.context.layout
        for place in layout.unexpected_files(where):
            message = f"{files.wrong_kind(place).message}: it is ignored"
            self._wrong("files", "/".join(place.names), message, *files.remedy(place))
        for name in (".gitignore", ".gitattributes")[writer.is_made_by_another_program(where) :]:
            if not os.path.lexists(os.path.join(where.root, name)):
                message = "the file is missing: git may list files of the store, or merge the store wrongly"
                self._wrong("files", name, message, "create it", "promptx-mem init")
        if (problem := self.context.config.problem) is not None:
            fix = f"fix it ({problem.hint})" if problem.hint else "fix it"
            self._wrong("config", "config.yaml", problem.message, fix, _editing(self._path("config.yaml")))

    def _archives(self) -> None:
        where = self.context.layout
        names = [*archive.names(where), *archive.names(where, lost=True)]
        self.checked["archives"] = len(names)
        for name in names:
            path = os.path.join("archive", name)
            try:
                data = gzip.decompress(files.load(where.archive / name))
            except (OSError, EOFError, zlib.error, StoreError):
                message = "it is damaged, so only the readable part is used"
                self._wrong("archive", path, message, "restore it from a backup", f"gzip -t {self._path(path)}")
                continue
            is_journal = name.endswith(archive.EVENTS)
            wrong = read_events(data, name)[1] if is_journal else read_lines(data, archived=name).problems
            for problem in wrong:
                if problem.message != conflicts.CONFLICT:
                    message = f"{problem.message}; it was not changed"
                    self._wrong("archive", f"{path}:{problem.line}", message, "show it", f"zcat {self._path(path)}")

    def _bytes(self, everything: Sources) -> None:
        for name, data in (("declarative.md", everything.declarative), ("journal.jsonl", everything.journal)):
            for number, raw in enumerate(data.split(b"\n"), 1):
                if raw.decode("utf-8", "replace").encode() != raw:
                    fix = "convert this line to UTF-8, for Chinese often: iconv -f gbk -t utf-8"
                    command = _editing(f"+{number} {self._path(name)}")
                    self._wrong("lines", f"{name}:{number}", "it is not UTF-8", fix, command)

    def _members(self) -> None:
        """Report damage to the file of memories' authors. Without this file, an unknown member counts as the author."""
        where = self.context.layout
        is_bound = os.path.realpath(where.root) in settings.of().sync
        command = "promptx-mem sync" if is_bound else "usage: promptx-mem sync --join <dsn> --space <name>"
        if path := members.damaged(where):
            message = "it records the authors of memories, and is missing or damaged"
            self._wrong("members", path, message, "restore it from the server", command)

    def _ids(self, everything: Sources) -> None:
        """Report memories whose lines in declarative.md differ, as after a merge of two edits.

        Lines stored at different times are reported only if their texts differ.
        """
        places = {line.entry: line.start for line in everything.lines if line.archived is None}
        of: dict[str, list[Entry]] = {}
        for entry in without_replaced((line.entry for line in everything.lines), everything.events):
            of.setdefault(entry.id, []).append(entry)
        for ident, entries in of.items():
            if len(lines := sorted({*entries} & places.keys(), key=lambda entry: places[entry])) < 2:
                continue
            texts = {normalise(entry.text) for entry in lines}
            stored = {(entry.at, entry.k) for entry in lines}
            if len(texts) > 1 or len({(entry.at, entry.k, *entry[:4]) for entry in lines}) > len(stored):
                counted = fold_all(lines, ())[ident]
                same = [entry[0] == counted.entry.text and entry[2:4] == counted[3:5] for entry in lines]
                numbers = [everything.declarative.count(b"\n", 0, places[entry]) + 1 for entry in lines]
                one = f"line {numbers[same.index(True)]} counts, with the tags of all"
                message = f"its lines differ; {one if len(set(same)) > 1 else 'their tags are combined'}: "
                message += " | ".join(
                    f"line {number}: {format_visible(shorten(entry.text, _TEXT), *entry[1:4])}"
                    for number, entry in zip(numbers, lines, strict=True)
                )
                fix = "delete the wrong lines" + ", or the comments at their ends" * (len(texts) > 1)
                self._wrong("ids", ident, message, fix, _editing(f"+{numbers[0]} {self._path('declarative.md')}"))

    def _events(self, everything: Sources, lost: set[str]) -> None:
        """Report events on memories that were not purged and have no stored, archived or saved line."""
        ids = {ident for line in everything.lines for ident in (line.entry.id, line.entry.was) if ident} | lost
        ids |= {ident for event in everything.events if event.kind == "purged" for ident in event.ids}
        acts = (ident for event in everything.events if event.kind not in AUTOMATIC_KINDS for ident in event.ids)
        for ident, count in Counter(ident for ident in acts if ident not in ids).items():
            message = f"{plural(count, 'event acts', 'events act')} on {shorten(ident, _TEXT)}, which has no line"
            command = f"grep -n {quote(ident)} {self._path('journal.jsonl')}"
            if is_prefix(ident):
                command += f"  # if it is lost for ever: promptx-mem forget {ident} --purge"
            self._wrong("events", "journal.jsonl", message, "restore its line from a backup", command)

    def _cites(self, cache: Cache) -> None:
        from promptx_mem.core.pasteable import usage
        from promptx_mem.core.request import Request
        from promptx_mem.usecases import citations

        for state, told in citations.failing(self.context, citations.unanswered(cache, self.context.moment)):
            ident = state.entry.id
            self.notes.append(f"{ident}: {'; '.join(told)}; to correct it: {usage(Request('', update=ident))}")

    def _cache(self, everything: Sources) -> None:
        """Compare the cache, if it is marked as current, with a new one built in memory."""
        if differ := compare(self.context.layout, everything, self.stamps, self.context.moment, self.progress):
            message, fix = f"it differs from the files: {_few(differ)}", "delete it; the next recall rebuilds it"
            self._wrong("cache", ".cache", message, fix, f"rm -r {self._path('.cache')}")

    def _place(self, cache: Cache) -> None:
        """Note if the cache is outside the store or not saved."""
        if cache.place is None:
            why = "it cannot be saved, since the disk is full or no directory for it belongs only to you"
            self.notes.append(f"every command rebuilds the cache: {why}")
        elif not cache.place.inside:
            reason = "other users could write to .memory/.cache, or the store cannot keep the cache's secret name"
            self.notes.append(f"the cache is in {cache.place.folder}: {reason}")

    def _sizes(self) -> None:
        size = self.context.store.size()
        if settings.is_nearly_full(size):
            message = f"it has {size / 1e6:.1f} MB of {settings.most_bytes(lenient=True) / 1e6:.0f} MB"
            fix = "if no memory has ended, forget some; then archive ended memories"
            self._wrong("sizes", self.context.path, message, fix, "promptx-mem decay --compact")
        try:
            log = audit.load(self.context.layout)
        except OSError as error:
            message, command = f"it cannot be read: {error.strerror}", f"ls -l {self._path('audit.jsonl')}"
            self._wrong("files", "audit.jsonl", message, "check its owner and permissions", command)
            return
        if len(log) > audit.MAX_BYTES:
            message = f"it has {len(log) / 1e6:.1f} MB of {audit.MAX_BYTES / 1e6:.0f} MB"
            self._wrong("sizes", "audit.jsonl", message, "remove its oldest lines", "promptx-mem decay")
        unread = sum(bool(line.strip()) for line in log.split(b"\n")) - len(objects(log))
        if unread:
            self.notes.append(f"{plural(unread, 'line')} of audit.jsonl cannot be read; decay removes them")

    def _index(self, cache: Cache) -> None:
        where, path = self.context.layout, self._path("MEMORY.md")
        try:
            digest, difference, _ = init.compare(self.context, cache)
        except (OSError, StoreError) as error:
            difference = f"it cannot be read: {error}"
            digest = None
        if digest is None or difference == init.FOREIGN:
            self._wrong("index", "MEMORY.md", str(difference), "move it away", f"mv {path} {path}.old")
        elif difference and not os.path.lexists(where.memory_md):
            if digest.ids or digest.hidden:  # a fresh clone has no MEMORY.md
                self.notes.append(f"{difference}; to update it: promptx-mem index")
        elif difference:
            message = f"only this index is out of date: {difference}"
            self._wrong("index", "MEMORY.md", message, "update it", "promptx-mem index")


def _few(names: Sequence[str]) -> str:
    return ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")


_Stored = tuple[list[tuple[str, str]], str, str, str]
"""Named texts, the place (a memory's id or a file name), and the fix and the command that destroy the texts."""


def _stored(context: Context) -> Iterator[_Stored]:
    """Yield all stored texts: memories, events, other lines of declarative.md, conversations, names of sessions."""
    from promptx_mem.usecases import purge

    where, everything = context.layout, sources.read(context.layout)
    memories: dict[str, list[tuple[str, str]]] = {}
    for entry in purge.all_entries(where):
        memories.setdefault(entry.id, []).extend(_words("the memory", entry._asdict()))
    for event in everything.events:
        if words := _words("an event", event._asdict()):
            memories.setdefault(event.ids[0] if event.ids else "journal.jsonl", []).extend(words)
    for ident, texts in memories.items():
        yield texts, ident, "erase it", context.command("forget", ident, "--purge")
    yield from _other_lines(where, everything)
    for name in conversations.every_unit(where):
        unit = conversations.read(where, name)
        words = [(f"message {number}", message.text) for number, message in unit.messages.items()]
        for part in unit.slices.values():
            words += _words(f"slice {part.number}", part._asdict())
        command = context.command("forget", "--conversation", name, "--purge")
        yield words, f"conversations/{name}{conversations.SUFFIX}", "erase it", command
    sessions = dict.fromkeys(str(record.get("s")) for record in objects(audit.read(where)))
    command = _editing(quote(os.path.join(where.display(), "audit.jsonl")))
    yield [("a session's name", name) for name in sessions], "audit.jsonl", "delete its lines", command


def _words(name: str, fields: dict[str, object]) -> list[tuple[str, str]]:
    """Return the texts among the fields of a memory, an event or a slice. Ids, times and hosts do not count."""
    values = (fields.get(field_name) for field_name in _TEXTS)
    texts = (one for value in values for one in (value if isinstance(value, tuple) else (value,)))
    return [(name, text) for text in texts if isinstance(text, str)]


def _other_lines(where: Layout, everything: Sources) -> Iterator[_Stored]:
    """Yield the lines of declarative.md that do not belong to a memory."""
    start = end = 0
    ends: dict[int, int] = {}
    for line in everything.lines:
        if line.archived is None and line.start < line.end:
            ends[line.start] = max(line.end, ends.get(line.start, 0))
    for number, raw in enumerate(everything.declarative.split(b"\n"), 1):
        end = ends.get(start, end)
        if raw.strip() and start >= end:
            command = _editing(f"+{number} {quote(os.path.join(where.display(), 'declarative.md'))}")
            texts = [("the line", raw.decode("utf-8", "replace"))]
            yield texts, f"declarative.md:{number}", "delete it", command
        start += len(raw) + 1


def _editing(place: str) -> str:
    """Return a command that opens the user's editor. It runs in sh, because fish cannot replace a missing EDITOR."""
    return join(["sh", "-c", f"${{EDITOR:-vi}} {place}"])
