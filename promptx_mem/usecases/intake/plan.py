"""Which memories of the files are taken: what the gate's checks of content say, and what is known already."""

import datetime
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from promptx_mem.core.credentials import rows_of
from promptx_mem.core.entry import LONG, SHORT, Entry
from promptx_mem.core.events import fold
from promptx_mem.core.ids import make_id
from promptx_mem.core.journal import NOTES
from promptx_mem.core.origin import IMPORT
from promptx_mem.core.state import lives
from promptx_mem.core.tags import unique
from promptx_mem.core.text import clean, shorten
from promptx_mem.core.times import micros, parse_at
from promptx_mem.importers.form import Item, Reading
from promptx_mem.search import history, memories
from promptx_mem.store import audit
from promptx_mem.usecases import limits
from promptx_mem.usecases.credential_check import holdings
from promptx_mem.usecases.gate import MAX_LENGTH
from promptx_mem.usecases.intake.merge import Merge
from promptx_mem.usecases.intake.options import Options
from promptx_mem.usecases.intake.report import FileCount, Report

if TYPE_CHECKING:
    from promptx_mem.core.credentials import Rows
    from promptx_mem.search.cache import Cache
    from promptx_mem.usecases.context import Context

SCORE = 7.0
"""The score of what a form gives none."""

MOST_BARE = 100
"""List items without tags and score that one file may have unasked."""

_LONG_FROM = 7.0
_BARE = f"one of more than {MOST_BARE} list items with neither tags nor a score: --yes takes them"

LOOK = 1_000
"""Memories among which the marks of credentials are looked for at once."""

_LEAST = 90
"""Bytes that a memory takes at least beside its text and tags: the rest of its line."""


class _Case(NamedTuple):
    """An item as it would be stored; the verdict on what is not taken and why, known memories and secrets apart."""

    item: Item
    entry: Entry
    verdict: str = ""
    why: str = ""

    def words(self) -> list[str]:
        """What a credential may stand in."""
        entry = self.entry
        parts = (entry.text, entry.topic, entry.reason, entry.session, *entry.related, *entry.tags, *entry.aka)
        return [part for part in parts if part]


class Plan:
    """What is to be stored, and what is said of the rest."""

    def __init__(self, context: "Context", cache: "Cache", options: Options, stamp: object) -> None:
        self.context, self.cache, self.options, self.stamp = context, cache, options, stamp
        self.now = context.now()
        self.report = Report()
        self.taken: dict[str, Entry] = {}
        self.came_from: dict[str, tuple[str, str]] = {}
        """The form and the file of each."""
        self.lifted: dict[str, None] = {}
        self.stored: set[str] = set()
        """The ids of `taken` that are on the disk."""
        self.merges: list[Merge] = []
        self.merged = 0
        """The first of `merges` that are done."""
        self._texts: dict[str, memories.Holder] = {}
        self._clean_tags: set[str] = set()
        self._more = 0
        self.look_again(cache)

    def look_again(self, cache: "Cache") -> None:
        """Learn what the store knows."""
        self.cache = cache
        self._texts = memories.by_text(cache, self.now.timestamp())
        self._ids = history.line_ids(cache)
        self._purged = history.purged_ids(cache)

    def read(self, name: str, form: str, reading: Reading, modified: str) -> None:
        """Judge every memory of one file."""
        self.report.files[name]["notes"] += reading.notes
        for rest in reading.repeats:
            self.report.note(name, rest.line, rest.text, "known", rest.why)
        many = sum(item.bare for item in reading.items) > MOST_BARE and not self.options.yes
        before = self.report.counts["taken"]
        cases = [self._case(item, modified, refused=many and item.bare) for item in reading.items]
        self._demand_room(cases)
        for start in range(0, len(cases), LOOK):
            batch = cases[start : start + LOOK]
            rows = None if self.options.allow_secret else rows_of(word for case in batch for word in case.words())
            for case in batch:
                self._judge(name, form, case, rows)
        for rest in reading.leftovers:
            self.report.note(name, rest.line, rest.text, "left", rest.why)
        if self.report.counts["taken"] > before and any(self._is_ahead(item) for item in reading.items):
            self.report.files[name]["notes"].append("times that are to come count as now")

    def still_new(self, entries: Sequence[Entry]) -> list[Entry]:
        """Leave out what somebody else has stored since the plan was made; it counts as known."""
        out = []
        for entry in entries:
            if (holder := self._texts.get(make_id(entry.text))) is None and entry.id not in self._ids:
                out.append(entry)
                continue
            _, file = self.came_from[entry.id]
            self.report.files[file]["taken"] -= 1
            self.report.counts["taken"] -= 1
            self.report.note(
                file, 0, entry.text, "known", "somebody stored it meanwhile", holder.id if holder else None
            )
        return out

    def take_back(self, why: str) -> None:
        """Count what could not be stored as left over, for the reason given."""
        files: dict[str, set[str]] = {}
        for ident in self.taken.keys() - self.stored:
            files.setdefault(self.came_from[ident][1], set()).add(ident)
        for merge in self.merges[self.merged :]:
            files.setdefault(merge.name, set()).update(merge.missing())
        for file, idents in files.items():
            self.report.take_back(file, f"not stored: {why}", idents)
        self.lifted.clear()

    def records(self, session: str, now: datetime.datetime) -> list[audit.Record]:
        """One record of the audit log for each file, with its numbers."""
        record: audit.Record = {"at": now.isoformat(timespec="seconds"), "s": session, "cmd": "import"}
        return [
            {**record, "verdict": "stored" if file["taken"] else "known", "count": file["taken"], "why": _numbers(file)}
            for file in self.report.files.values()
        ]

    def _case(self, item: Item, modified: str, *, refused: bool) -> _Case:
        entry = self._entry(item, modified)
        return _Case(item, entry, *(("refused", _BARE) if refused else self._objection(entry)))

    def _demand_room(self, cases: Sequence[_Case]) -> None:
        """Refuse what can never fit before the work begins; whether the rest does is looked at when it is stored."""
        new = {
            case.entry.id: case.entry.text for case in cases if not case.verdict and case.entry.id not in self._texts
        }
        self._more += sum(len(text.encode()) + _LEAST for text in new.values())
        limits.demand_room(self.context, self.cache, self._more)

    def _judge(self, name: str, form: str, case: _Case, rows: "Rows | None") -> None:
        item, entry = case.item, case.entry
        holder = self._texts.get(entry.id)
        if case.why == _BARE:
            self.report.note(name, item.line, item.text, case.verdict, case.why)
        elif holder is not None:
            if self.options.mine and holder.origin == IMPORT:
                self.lifted[holder.id] = None
            self.report.note(name, item.line, entry.text, "known", holder.why, holder.id)
        elif why := self._secret(entry, rows):
            self.report.note(name, item.line, "", "refused", why)
        elif case.verdict:
            self.report.note(name, item.line, entry.text, case.verdict, case.why, is_failure=bool(entry.text))
        else:
            text_id = entry.id
            entry = self._free_id(entry)
            self.taken[entry.id] = entry
            self.came_from[entry.id] = (form, name)
            self._texts[text_id] = memories.Holder(entry.id)
            self._ids.add(entry.id)
            self.report.note(name, item.line, entry.text, "taken", ident=entry.id)

    def _entry(self, item: Item, modified: str) -> Entry:
        """The memory as it would be stored: its own time (local where it names no zone), never one to come."""
        text = clean(item.text)
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
            topic=item.topic,
            related=item.related,
            type=item.type,
            dims=item.dims,
            reason=item.reason,
            session=item.session,
            aka=item.aka,
            cites=item.cites,
        )

    def forget(self) -> None:
        """Let go of what has been stored; the counts stay."""
        for table in (self.taken, self.came_from, self.stored, self._texts, self._ids, self._purged):
            table.clear()

    def merge(self, merge: Merge) -> None:
        """Plan to merge a store of ours; what came in before as an import becomes own."""
        merge.say(self.report)
        self.merges.append(merge)
        for chunk in merge.pieces.chunks():
            holder = self._texts.get(make_id(chunk.entry.text))
            if holder is not None and holder.origin == IMPORT:
                self.lifted[holder.id] = None

    def _is_ahead(self, item: Item) -> bool:
        return item.at is not None and _moment(item.at) > self.now

    def _secret(self, entry: Entry, rows: "Rows | None") -> str:
        if self.options.allow_secret:
            return ""
        parts = [("it", entry.text), ("its topic", entry.topic), ("its reason", entry.reason)]
        parts += [("its session", entry.session), ("its related topics", " ".join(entry.related))]
        parts += [("its citations", " ".join(entry.cites))] if entry.cites else []
        parts += [("an alias", alias) for alias in entry.aka]
        words = " ".join(entry.tags)
        if words not in self._clean_tags:  # most items of a file have the same few
            parts.append(("its tags", words))
        if problems := holdings(parts, rows):
            return f"{problems[0]}; --allow-secret takes it"
        self._clean_tags.add(words)
        return ""

    def _objection(self, entry: Entry) -> tuple[str, str]:
        """The verdict on what is not taken, and why; empty where it is."""
        if not entry.text:
            return "left", "it is empty"
        if len(entry.text) > MAX_LENGTH:
            return "refused", f"more than {MAX_LENGTH} characters"
        if not lives(fold([entry], []), self.now.timestamp()):
            return "left", "it has ended by now"
        return "", ""

    def _free_id(self, entry: Entry) -> Entry:
        """Give an entry an id that no line and no event is about, but for a purge of the same text.

        Under the id of a memory whose text was edited, or whose line was lost, it would share that one's state.
        """
        salt = 0
        while (ident := make_id(entry.text, salt)) in self._ids or self._is_acted_on(ident):
            salt += 1
        k = None
        if history.happened(self.cache, ident):  # what was purged and is taken again has to come after its purge
            k = max(int(self.now.timestamp() * 1e6), int(self.cache.meta("k") or 0) + 1, micros(str(entry.at)) + 1)
        return entry._replace(id=ident, salt=salt, k=k)

    def _is_acted_on(self, ident: str) -> bool:
        return ident not in self._purged and any(event.kind not in NOTES for event in history.events(self.cache, ident))


def _numbers(file: FileCount) -> str:
    counts = ", ".join(f"{file[verdict]} {verdict}" for verdict in ("taken", "known", "refused", "left"))
    return f"{file['form'] or 'no form'}: {shorten(file['file'], 60)}: {counts}"


def _moment(at: str) -> datetime.datetime:
    moment = parse_at(at)
    return moment if moment.tzinfo is not None else moment.astimezone()


def _placed(at: str, now: datetime.datetime) -> str:
    moment = _moment(at)
    if moment > now:
        return now.isoformat(timespec="seconds")
    return at if parse_at(at).tzinfo is not None else moment.isoformat(timespec="seconds")


def ordered(entries: Iterable[Entry]) -> Iterator[Entry]:
    """Let memories of one second keep the order of their file."""
    counts: Counter[str] = Counter()
    for entry in entries:
        at = str(entry.at)
        yield entry._replace(k=micros(at) + counts[at]) if counts[at] and entry.k is None else entry
        counts[at] += 1
