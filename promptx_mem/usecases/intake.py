"""The import of files: options, report, the merge of the user's own stores, and the plan of the memories to store."""

import datetime
import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence

from promptx_mem.core import bundle, document
from promptx_mem.core import request as scoring
from promptx_mem.core.bundle import ARCHIVED_EVENTS, ARCHIVED_LINES, CONVERSATION, DECLARATIVE, JOURNAL, Files
from promptx_mem.core.credentials import credentials_in, find_credentials
from promptx_mem.core.entry import LONG, MAX_K, SHORT, Entry
from promptx_mem.core.fold import fold_all
from promptx_mem.core.ids import make_id, short_hash
from promptx_mem.core.journal import AUTOMATIC_KINDS, Event, format_event, latest, parse_event
from promptx_mem.core.labels import unique
from promptx_mem.core.line import Problem, format_line, line_key, micros, state_of_line
from promptx_mem.core.slices import is_unit
from promptx_mem.core.state import IMPORT, State, lives
from promptx_mem.core.text import clean, plural, shorten
from promptx_mem.core.times import DAY, epoch, parse_at
from promptx_mem.importers import OWN, PROMPTX
from promptx_mem.importers.form import SAME, Item, Reading, Rest
from promptx_mem.importers.promptx import of_entry
from promptx_mem.record import TYPE_CHECKING, Any, NamedTuple, NotRequired, TypedDict, cast
from promptx_mem.result import complete
from promptx_mem.search import current, history, pairs
from promptx_mem.store import append, archive, conversations, files, parsing, recalled
from promptx_mem.store.layout import Layout
from promptx_mem.store.writer import Writer
from promptx_mem.usecases import index, limits
from promptx_mem.usecases.gate import MAX_LENGTH
from promptx_mem.usecases.lookup import Lookup
from promptx_mem.usecases.purge import destroy_again

if TYPE_CHECKING:
    from collections.abc import Callable

    from promptx_mem.search.cache import Cache
    from promptx_mem.usecases.context import Context


class Options(NamedTuple):
    """Options of an import: `paths` are files, folders, or `-` for the content of `stdin`.

    `form`: the format of all files; if None, the format of each file is detected by its content. `mine`: the files are
    the user's own, so memories are not marked as imported, and a store is merged with its events. `yes`: import even if
    a file has more than 100 items with neither tags nor score; a script confirms `mine` with `yes`. `ask_own` asks the
    person at the terminal whether the files are their own notes. `ask_name` asks them to type the store's name before
    another store is merged into it. Its numbers are those of the memories that the merge ends and purges.
    """

    paths: tuple[str, ...]
    form: str | None = None
    mine: bool = False
    yes: bool = False
    allow_secret: bool = False
    dry_run: bool = False
    stdin: bytes | None = None
    ask_own: "Callable[[], bool] | None" = None
    ask_name: "Callable[[str, int, int], bool] | None" = None


SHOWN = 1_000
"""Maximum number of memories of each verdict that are listed. All are counted."""


class Copied(TypedDict):
    """The result for one memory or conversation of a file. `verdict` is `taken`, `known`, `refused` or `left`."""

    file: str
    line: int
    text: str
    verdict: str
    why: str
    id: str | None


class FileCount(TypedDict):
    """The result for one file. `why` has counts by reason. `error` is the reason why the file could not be imported."""

    file: str
    form: str | None
    taken: int
    known: int
    refused: int
    left: int
    why: dict[str, int]
    notes: list[str]
    error: str | None


class Import(TypedDict):
    """The answer of `import`.

    `items` has at most 1,000 memories of each verdict. `lifted` is the number of memories that were imported earlier
    and are now marked as the user's own. `ended` and `purged` count the memories of this store that a merge ends or
    purges.
    """

    store: str
    made_store: NotRequired[str | None]
    taken: int
    known: int
    refused: int
    left: int
    lifted: int
    ended: int
    purged: int
    conversations: int
    dry_run: bool
    mine: bool
    files: list[FileCount]
    items: list[Copied]


class Report:
    """The counts and listed items of an import so far."""

    def __init__(self) -> None:
        self.items: list[Copied] = []
        self.files: dict[str, FileCount] = {}
        self.counts: Counter[str] = Counter()
        self.talks = 0
        self.others = 0
        """Number of purged memories that were skipped, plus merges that have events."""
        self.failures = 0
        """Number of recognised memories that were not stored, plus files that could not be read."""

    def file(self, name: str, form: str | None, error: str, *, is_failure: bool) -> None:
        self.failures += bool(error) and is_failure
        self.files[name] = complete(FileCount, cast("FileCount", {"file": name, "form": form, "error": error or None}))

    def note(
        self,
        file: str,
        line: int,
        text: str,
        verdict: str,
        why: str = "",
        ident: str | None = None,
        count: int = 1,
        *,
        is_failure: bool = False,
    ) -> None:
        """Count the result for `count` memories of a file. `text` is empty if it must not be shown.

        `is_failure` means that the item was recognised as a memory but not stored.
        """
        self.others += why == _PURGED
        self.failures += count if is_failure or verdict == "refused" else 0
        row = self.files[file]
        row[verdict] += count  # type: ignore[literal-required] # the verdicts are its keys
        self.counts[verdict] += count
        if why:
            row["why"][why] = row["why"].get(why, 0) + count
        if self.counts[verdict] <= SHOWN:
            self.items.append(
                {"file": file, "line": line, "text": shorten(text, 60), "verdict": verdict, "why": why, "id": ident}
            )

    def status(self) -> int:
        """Return the exit status: 0 if a file had a memory, a conversation or an event, and nothing failed; else 1."""
        some = self.counts["taken"] + self.counts["known"] + self.talks + self.others > 0
        return 0 if some and not self.failures else 1


class StoredLine(NamedTuple):
    """A memory and its bytes in a file. `has_time` is False for a hand-written line, which contains no time."""

    raw: bytes
    entry: Entry
    line: int
    has_time: bool


class ParsedStore(NamedTuple):
    """The parsed files of a store; `lines` and `events` by file name. `modified` is the time of hand-written lines."""

    lines: dict[str, list[StoredLine]]
    events: dict[str, list[tuple[bytes, Event | None]]]
    talks: dict[str, bytes]
    problems: tuple[Problem, ...]
    modified: str

    def chunks(self) -> Iterable[StoredLine]:
        return (chunk for chunks in self.lines.values() for chunk in chunks)

    def understood(self) -> list[Event]:
        return [event for events in self.events.values() for _, event in events if event is not None]


def parse_files(files: Files, modified: str) -> ParsedStore:
    """Parse a store's files. `modified` becomes the time of hand-written lines, which contain no time."""
    lines: dict[str, list[StoredLine]] = {}
    events: dict[str, list[tuple[bytes, Event | None]]] = {}
    problems: list[Problem] = []
    for name, data in files.items():
        if name == DECLARATIVE or ARCHIVED_LINES.fullmatch(name):
            content = document.read(data, name)
            lines[name] = []
            for bullet in content.bullets:
                entry = bullet.as_entry()
                entry = entry if entry.at else entry._replace(at=modified)
                raw = data[bullet.start : bullet.end]
                lines[name].append(StoredLine(raw, entry, bullet.line, has_time=bullet.entry is not None))
            problems += content.problems
        elif name == JOURNAL or ARCHIVED_EVENTS.fullmatch(name):
            raws = filter(bytes.strip, data.splitlines(keepends=True))
            events[name] = [(raw, parse_event(raw.decode("utf-8", "replace").strip())) for raw in raws]
    talks = {name: data for name, data in files.items() if CONVERSATION.fullmatch(name)}
    return ParsedStore(lines, events, talks, tuple(problems), modified)


def reading(pieces: ParsedStore, now: float) -> Reading:
    """Return a store's active memories, except episodes, for an import without `mine`.

    Events, core marks and confirmations are not imported.
    """
    folded = states(pieces)
    alive = [state for state in folded.values() if lives(state, now)]
    facts = [state for state in alive if state.category != "episode"]
    notes = []
    if ended := len(folded) - len(alive):
        notes.append(f"{plural(ended, 'ended memory', 'ended memories')} left out: --mine imports them")
    if episodes := len(alive) - len(facts):
        notes.append(f"{plural(episodes, 'episode')} of conversations left out: --mine imports them")
    if pieces.talks:
        notes.append(f"{plural(len(pieces.talks), 'conversation')} left out: --mine imports them")
    leftovers = tuple(Rest(problem.line, f"{problem.message}: {problem.fix}") for problem in pieces.problems)
    entries = (one.entry._replace(tags=one.tags, score=one.score, duration=one.duration) for one in facts)
    return Reading(tuple(of_entry(entry, 0) for entry in entries), leftovers, notes=tuple(notes))


def states(pieces: ParsedStore) -> dict[str, State]:
    """Return the states of a store's memories, except purged ones."""
    lines = [parsing.Line(chunk.entry, 0, 0, None, chunk.has_time) for chunk in pieces.chunks()]
    events = pieces.understood()
    folded = fold_all((line.entry for line in parsing.with_adopted_times(lines, events)), events)
    return {ident: state for ident, state in folded.items() if state.end != "purged"}


_LAST_K = 253_402_300_800_000_000
"""The end of the year 9999 in microseconds. If an order key `k` is higher, nothing is imported."""

_K = re.compile(rb'"k":\s*(\d+)')
_PURGED = "you purged it"
TALK_STORED = "the conversation is already stored"


class Merge:
    """The merge of another store's new lines, events and conversations into this store.

    A line is merged with all its events or not at all. If the event that ended a memory were missing, the memory would
    be active again.
    """

    def __init__(self, context: "Context", files: Files, name: str, modified: str) -> None:
        self.context, self.files, self.name = context, files, name
        self.pieces: ParsedStore = parse_files(files, modified)
        self.look()

    def look(self) -> None:
        """Read the lines, events and purges of this store."""
        self.present = contents(self.context.layout, talks=True)
        self.own = own = parse_files(self.present, self.context.at)
        self.our_chunks = {chunk.raw.strip() for chunk in own.chunks()}
        self.our_events = {raw.strip() for events in own.events.values() for raw, _ in events}
        self.purged = latest(own.understood(), "purged")

    def fault(self) -> str:
        """Return the reason why the other store cannot be merged into this one; empty if it can."""
        chunks = {chunk.raw.strip() for chunk in self.pieces.chunks()}
        events = {raw.strip() for events in self.pieces.events.values() for raw, _ in events}
        if self.our_chunks <= chunks and self.our_events <= events:
            return ""  # the other store has all our data, as after an interrupted merge
        if any((chunk.entry.k or 0) > _LAST_K for chunk in self.pieces.chunks()) or any(
            int(k[:30]) > _LAST_K for raw in events for k in _K.findall(raw)
        ):
            return "the `k` of a line or an event is too large, so nothing is imported"
        return ""

    def _is_purged(self, chunk: StoredLine) -> bool:
        purge = self.purged.get(chunk.entry.id)
        return purge is not None and line_key(chunk.entry) <= purge

    def say(self, report: Report, held: Container[str]) -> None:
        """Count, in the report, the result for each memory and conversation. `held` has the hashes of our texts."""
        ids: set[str] = set()
        kept, notes = states(self.pieces), report.files[self.name]["notes"]
        for chunk in self.pieces.chunks():
            ident, text = chunk.entry.id, chunk.entry.text
            if self._is_purged(chunk):
                report.note(self.name, chunk.line, "", "left", _PURGED, ident)
            elif ident not in kept:
                report.note(self.name, chunk.line, "", "left", "it is purged in the file", ident)
            elif ident not in ids:
                is_known = make_id(text) in held or chunk.raw.strip() in self.our_chunks
                verdict = "known" if is_known else "taken"
                if not is_known and (found := credentials_in(_texts(chunk.entry))):
                    text = ""
                    notes.append(f"{found[0]}; it is merged; to erase it: promptx-mem forget {ident} --purge")
                report.note(self.name, chunk.line, text, verdict, ident=ident)
            ids.add(ident)
        for name, data in self.pieces.talks.items():
            if (fresh := self._talk(name, data)) is None:
                why = "a conversation that both copies continued"
                report.note(self.name, 0, "", "left", why, is_failure=True)
            elif name != parsing.EPISODES:
                report.talks += bool(fresh)
                if kinds := find_credentials(fresh.decode("utf-8", "replace")):
                    way = f"promptx-mem forget --conversation {_unit_of(name)} --purge"
                    notes.append(f"it contains a credential ({', '.join(kinds)}); it is merged; to erase it: {way}")
                verdict, why = ("taken", "") if fresh else ("known", TALK_STORED)
                report.note(self.name, 0, "a conversation", verdict, why)

    def size(self) -> int:
        """Return the number of bytes of the new lines and events, without archived ones."""
        parts = self._parts()
        return len(parts.get(DECLARATIVE, b"")) + len(parts.get(JOURNAL, b""))

    def write(self, writer: Writer) -> None:
        """Append the new parts: events first, then conversations and lines, and archived lines last.

        So no ended memory becomes active if the merge is interrupted. The next merge adds the missing parts.
        """
        self.look()
        limits.check_size(self.context, writer, self.size())
        parts = self._parts()
        self._archive(writer, {name: parts[name] for name in self.pieces.events}, archive.EVENTS)
        writer.add_raw(events=parts.get(JOURNAL, b""))
        for name, data in self.pieces.talks.items():
            conversations.add_raw(writer.layout, _unit_of(name), self._talk(name, data) or b"")
        writer.add_raw(lines=parts.get(DECLARATIVE, b""))
        self._archive(writer, {name: parts[name] for name in sorted(self.pieces.lines, reverse=True)}, archive.LINES)
        if any(event.kind == "purged" for event in self.pieces.understood()):
            destroy_again(writer)
        with current.open_current(writer.layout) as cache:
            index.refresh(self.context, cache)

    def losses(self) -> tuple[set[str], set[str]]:
        """Return the ids of this store's memories that the merge ends, and of those that it purges."""
        parts, now = self._parts(), self.context.moment
        before = states(self.own)
        merged = {name: self.present.get(name, b"") + b"\n" + parts.get(name, b"") for name in self.present | parts}
        after = states(parse_files(merged, self.context.at)) if any(parts.values()) else before
        active = {ident for ident, state in before.items() if lives(state, now) and ident in after}
        return {ident for ident in active if not lives(after[ident], now)}, before.keys() - after.keys()

    def _parts(self) -> dict[str, bytes]:
        """Return the new lines and events, by file name."""
        parts = {name: self._lines(name) for name in self.pieces.lines}
        return parts | {name: self._events(name) for name in self.pieces.events}

    def _archive(self, writer: Writer, parts: dict[str, bytes], kind: str) -> None:
        for name, data in parts.items():
            if data and name not in (DECLARATIVE, JOURNAL):
                day = name.removeprefix("archive/").rpartition("-")[0] or self.context.now().date().isoformat()
                archive.write(writer.layout, day, data, kind)

    def _lines(self, name: str) -> bytes:
        chunks = self.pieces.lines[name]
        new = [chunk for chunk in chunks if chunk.raw.strip() not in self.our_chunks and not self._is_purged(chunk)]
        present = self.present.get(name, b"")
        if len(new) == len(chunks) and self.files[name].startswith(present):
            return self.files[name].removeprefix(present)
        before = present if name == DECLARATIVE else b""
        return bundle.appended(before, (chunk.raw for chunk in new), self.pieces.modified)[0]

    def _events(self, name: str) -> bytes:
        new = (raw for raw, _ in self.pieces.events[name] if raw.strip() not in self.our_events)
        return b"".join(raw.removesuffix(b"\n") + b"\n" for raw in new)

    def _talk(self, name: str, data: bytes) -> bytes | None:
        """Return the new part of a conversation; None if both stores have continued it."""
        unit, present = _unit_of(name), self.present.get(name, b"")
        if unit == conversations.EPISODES:
            lines = set(present.splitlines())
            return b"".join(raw + b"\n" for raw in data.splitlines() if raw not in lines)
        other = _CONVERSATIONS if name.startswith(_SHELVED) else _SHELVED
        counterpart = self.present.get(f"{other}{unit}.jsonl", b"")
        if present.startswith(data) or counterpart.startswith(data):
            return b""
        return data[len(present) :] if data.startswith(present) and not counterpart.startswith(data) else None


_TRIES = 5
_CONVERSATIONS, _SHELVED = "conversations/", "archive/conversations/"


def contents(layout: Layout, *, talks: bool) -> dict[str, bytes]:
    """Return the files of a store by name, as they were at one moment. Raises OSError, StoreError."""
    for _ in range(_TRIES):
        names = archive.names(layout)
        files = {
            DECLARATIVE: append.read_settled(layout, layout.declarative),
            JOURNAL: append.read_settled(layout, layout.journal),
        }
        # Add the recalls that `decay` has not yet moved to the journal, as lines of the journal.
        present = set(files[JOURNAL].split(b"\n"))
        recalls = (format_event(event).encode() for event in recalled.parse(recalled.read(layout)))
        if fresh := b"".join(line + b"\n" for line in recalls if line not in present):
            files[JOURNAL] += (b"" if files[JOURNAL].endswith(b"\n") or not files[JOURNAL] else b"\n") + fresh
        packed = {_label(name, data): data for name in names if (data := archive.read_permitted(layout, name))}
        if archive.names(layout) == names:
            break  # otherwise a compaction could have moved lines between the reads
    files |= dict(sorted(packed.items()))
    return files | (_talks(layout) if talks else {})


def _label(name: str, data: bytes) -> str:
    """Return an archive file's name in a bundle. It has a hash of the unpacked bytes, because packed bytes vary."""
    stamp = name[: name.rindex("-")] if "-" in name else name.partition(".")[0]
    return f"archive/{stamp}-{short_hash(data)}{'.md' if name.endswith(archive.LINES) else '.jsonl'}"


def _talks(layout: Layout) -> dict[str, bytes]:
    live = {f"{_CONVERSATIONS}{unit}.jsonl": conversations.path(layout, unit) for unit in conversations.units(layout)}
    live[parsing.EPISODES] = layout.episodes
    out = {name: data for name, path in live.items() if (data := files.read(path))}
    return out | {
        f"{_SHELVED}{unit}.jsonl": data
        for unit in conversations.shelved_units(layout)
        if is_unit(unit) and (data := conversations.read_shelved(layout, unit))
    }


def _unit_of(name: str) -> str:
    return name.rpartition("/")[2].removesuffix(".jsonl")


SCORE = 7.0
"""The score of items without a score."""

MOST_BARE = 100
"""If a file has more list items with neither tags nor a score, these items are refused unless --yes is given."""

_LONG_FROM = 7.0
_BARE = f"the file has more than {MOST_BARE} list items with neither tags nor a score: --yes imports them"


def _texts(entry: Entry) -> list[tuple[str, str | None]]:
    """Return the texts that could contain a credential, each with its name in messages."""
    parts = [("it", entry.text), ("its topic", entry.topic), ("its reason", entry.reason)]
    parts += [("its session", entry.session), ("its related topics", " ".join(entry.related))]
    parts += [("its citations", " ".join(entry.cites)), ("its tags", " ".join(entry.tags))]
    return [*parts, *(("an alias", alias) for alias in entry.aka)]


IDS = 200
"""Maximum number of ids in one event."""

_ID_BYTES = 16


class Plan:
    """The entries to store, and the report on all items."""

    def __init__(self, context: "Context", cache: "Cache", options: Options) -> None:
        self.context, self.cache, self.options = context, cache, options
        self.now = context.now()
        self.report = Report()
        self.taken: dict[str, Entry] = {}
        self.came_from: dict[str, tuple[str, str]] = {}
        """The format and the file of each entry, by id."""
        self.renewed: set[str] = set()
        """The ids of entries in `taken` whose fading starts now: old ones without a duration, or used after its end."""
        self.lifted: dict[str, None] = {}
        self.ended: set[str] = set()
        self.purged: set[str] = set()
        self.merges: list[Merge] = []
        self._texts = pairs.by_text(cache, self.now.timestamp())
        self._ids = pairs.line_ids(cache)
        self._purged = pairs.purged_ids(cache)

    def read(self, name: str, form: str, reading: Reading, modified: str) -> None:
        """Check every memory of one file, and plan to store the accepted ones."""
        self.report.files[name]["notes"] += reading.all_notes()
        before, entries = self.report.counts["taken"], [(item, self._entry(item, modified)) for item in reading.items]
        new = [(item, entry) for item, entry in entries if not item.bare or entry.id in self._texts]
        if (bare := len(entries) - len(new)) > MOST_BARE and not self.options.yes:
            self.report.note(name, 0, "", "refused", _BARE, count=bare)
            entries = new
        for item, entry in entries:
            self._judge(name, form, item, entry)
        for rest in reading.leftovers:
            self.report.note(name, rest.line, rest.text, "left", rest.why, is_failure=rest.is_damaged)
        if self.report.counts["taken"] > before and any(
            item.at and _moment(item.at) > self.now for item in reading.items
        ):
            self.report.files[name]["notes"].append("future times are set to now")

    def _size(self) -> int:
        """Return the number of bytes of the planned memories and their events."""
        return sum(len(format_line(entry).encode()) + _ID_BYTES for entry in self.taken.values())

    def _note(self, writer: Writer) -> None:
        """Write an audit record with each file's counts, or two if some memories were taken and some refused.

        With `mine`, no `imported` event has the ids of the memories, so the record has them, if at most `IDS`.
        """
        records: list[dict[str, Any]] = []
        for file in self.report.files.values():
            counts = ", ".join(f"{file[verdict]} {verdict}" for verdict in ("taken", "known", "refused", "left"))
            why = f"{file['form'] or 'no format'}: {shorten(file['file'], len(file['file']))}: {counts}"
            if file["refused"]:
                records.append({"verdict": "refused", "count": file["refused"], "why": why})
            if file["taken"] or not file["refused"]:
                records.append({"verdict": "stored" if file["taken"] else "known", "count": file["taken"], "why": why})
                own = self.taken if self.options.mine else ()
                ids = sorted(ident for ident in own if self.came_from[ident][1] == file["file"])
                records[-1] |= {"ids": ids} if 0 < len(ids) <= IDS else {}
        self.context.note(writer, "import", *records)

    def _judge(self, name: str, form: str, item: Item, entry: Entry) -> None:
        has_ended = not lives(state_of_line(entry), self.now.timestamp())
        verdict, why = self._objection(form, item, entry, has_ended=has_ended)
        holder = self._texts.get(entry.id)
        if holder is not None:
            if self.options.mine and holder.origin == IMPORT:
                self.lifted[holder.id] = None
            self.report.note(name, item.line, entry.text, "known", holder.why, holder.id)
        elif not self.options.allow_secret and (found := credentials_in(_texts(entry))):
            self.report.note(name, item.line, "", "refused", f"{found[0]}; --allow-secret imports it")
        elif verdict:
            self.report.note(name, item.line, entry.text, verdict, why, is_failure=bool(entry.text))
        elif (free := self._free_id(entry)) is None:
            self.report.note(name, item.line, "", "left", _PURGED)
        else:
            text_id, entry = entry.id, free
            self.taken[entry.id] = entry
            is_old = item.duration is None and epoch(str(entry.at)) < self.now.timestamp() - DAY
            if is_old or has_ended:
                self.renewed.add(entry.id)
            self.came_from[entry.id] = (form, name)
            self._texts[text_id] = pairs.Holder(entry.id)
            self._ids.add(entry.id)
            self.report.note(name, item.line, entry.text, "taken", ident=entry.id)

    def _entry(self, item: Item, modified: str) -> Entry:
        """Return an item's entry. Its time is the item's or else the file's.

        A time without a zone is local. A future time becomes now.
        """
        # A future date cannot be the memory's time, so it stays in the text.
        text = clean(item.date + item.text if item.at and _moment(item.at) > self.now else item.text)
        aliases, default = self.context.config.aliases, self.context.config.default_tag
        tags = unique(aliases.get(tag, tag) for tag in item.tags) or ((default,) if default else ())
        score = SCORE if item.score is None else item.score
        return Entry(
            text=text,
            tags=tags,
            score=score,
            duration=item.duration or (LONG if score >= _LONG_FROM else SHORT),
            id=make_id(text),
            at=_placed(item.at or modified, self.now),
            **{name: getattr(item, name) for name in SAME},
        )

    def store(self) -> None:
        """Store the memories and their origin, except in a dry run.

        Raises Refused if they do not fit, and StoreError, BusyError.
        """
        if self.options.dry_run:
            limits.check_size(self.context, None, sum(merge.size() for merge in self.merges) + self._size())
            return
        for merge in self.merges:
            self.context.store.write(merge.write)
        self.context.store.write(self._write)

    def _write(self, writer: Writer) -> None:
        """Append the events, then the lines. If a text was stored meanwhile, both lines are one memory."""
        limits.check_size(self.context, writer, self._size())
        with current.open_current(writer.layout) as cache:
            entries = list(_ordered(self.taken.values()))
            lookup = Lookup(self.context, cache)
            adoptions = lookup.adoptions() if entries else []
            k = lookup.next_k(entries) + len(adoptions)
            if events := [*adoptions, *self._marks(entries, k)]:
                writer.add_events(events)
            if entries:
                writer.add_lines([format_line(entry) for entry in entries])
            current.catch_up(cache, writer)
            index.refresh(self.context, cache)
        self._note(writer)

    def _marks(self, entries: Sequence[Entry], k: int) -> Iterator[Event]:
        """Yield events that record the origin of memories: `imported`, or `owned` for memories already stored.

        A `restored` event restarts the fading of memories in `renewed`. The order keys begin with `k`.
        """
        groups: dict[tuple[str, str | None], list[str]] = {}
        if self.options.mine:
            groups["owned", None] = list(self.lifted)
        else:
            for entry in entries:
                groups.setdefault(("imported", ": ".join(self.came_from[entry.id])), []).append(entry.id)
        groups["restored", None] = [entry.id for entry in entries if entry.id in self.renewed]
        host, at = self.context.host(), self.context.at
        for (kind, reason), ids in groups.items():
            for start in range(0, len(ids), IDS):
                yield Event(min(k, MAX_K - 1), host, at, kind, tuple(ids[start : start + IDS]), reason=reason)
                k += 1

    def merge(self, merge: Merge) -> None:
        """Plan to merge one of the user's own stores. Memories imported from it earlier become the user's own."""
        merge.say(self.report, self._texts)
        self.merges.append(merge)
        self.report.others += bool(merge.pieces.understood())
        ended, purged = merge.losses()
        self.ended |= ended
        self.purged |= purged
        for chunk in merge.pieces.chunks():
            holder = self._texts.get(make_id(chunk.entry.text))
            if holder is not None and holder.origin == IMPORT:
                self.lifted[holder.id] = None

    def _objection(self, form: str, item: Item, entry: Entry, *, has_ended: bool) -> tuple[str, str]:
        """Return the verdict and the reason for an entry that is not accepted; two empty texts if it is accepted."""
        if not entry.text:
            return "left", "it is empty"
        if len(entry.text) > MAX_LENGTH:
            return "refused", f"more than {MAX_LENGTH} characters"
        is_accepted = form == OWN or (form == PROMPTX and item.at)  # another store has accepted it
        is_date = "-" in entry.duration
        if item.duration is not None and has_ended and (is_date or not is_accepted):
            return "left", "its duration has ended; to import it, change the duration in a copy of the file"
        if round(entry.score, 1) < scoring.REFUSE_BELOW and not is_accepted:
            return "refused", scoring.too_low(entry.score, scoring.REFUSE_BELOW)
        return "", ""

    def _free_id(self, entry: Entry) -> Entry | None:
        """Return the entry with an id that no line and no event uses; None if a memory with its text was purged.

        The id of an edited memory, or of one whose line was lost, is not used: the entry would get that memory's state.
        """
        salt = 0
        while (ident := make_id(entry.text, salt)) in self._ids or any(
            event.kind not in AUTOMATIC_KINDS for event in history.events(self.cache, ident)
        ):
            if ident in self._purged and self.cache.state(ident) is None:
                return None
            salt += 1
        k = None
        if history.has_events(self.cache, ident):  # the memory must be newer than events of a lost line with this id
            k = max(int(self.now.timestamp() * 1e6), int(self.cache.meta("k") or 0) + 1, micros(str(entry.at)) + 1)
        return entry._replace(id=ident, salt=salt, k=k)


def _moment(at: str) -> datetime.datetime:
    moment = parse_at(at)
    return moment if moment.tzinfo is not None else moment.astimezone()


def _placed(at: str, now: datetime.datetime) -> str:
    moment = _moment(at)
    if moment > now:
        return now.isoformat(timespec="seconds")
    return at if parse_at(at).tzinfo is not None else moment.isoformat(timespec="seconds")


def _ordered(entries: Iterable[Entry]) -> Iterator[Entry]:
    """Yield the entries with order keys (`k`), so that entries of the same second keep the order of the file."""
    counts: Counter[str] = Counter()
    for entry in entries:
        at = str(entry.at)
        yield entry._replace(k=micros(at) + counts[at]) if counts[at] and entry.k is None else entry
        counts[at] += 1
