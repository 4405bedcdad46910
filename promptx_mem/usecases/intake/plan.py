"""The plan of an import, which is stored at once: accepted memories, and conversations of other programs."""

import datetime
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from promptx_mem.core import scoring
from promptx_mem.core.credentials import credentials_in, find_credentials
from promptx_mem.core.entry import LONG, MAX_K, SHORT, Entry
from promptx_mem.core.ids import make_id
from promptx_mem.core.journal import NOTES, Event
from promptx_mem.core.labels import unique
from promptx_mem.core.life import fold
from promptx_mem.core.line import format_line
from promptx_mem.core.slices import Message, unit_of
from promptx_mem.core.state import IMPORT, lives
from promptx_mem.core.text import clean, plural, shorten
from promptx_mem.core.times import DAY, epoch, micros, parse_at
from promptx_mem.importers.form import Item, Reading, Talk
from promptx_mem.importers.forms import OWN, PROMPTX
from promptx_mem.record import TYPE_CHECKING, NamedTuple
from promptx_mem.search import current, history, memories
from promptx_mem.store import conversations
from promptx_mem.store.writer import Writer
from promptx_mem.usecases import index, limits
from promptx_mem.usecases.gate import MAX_LENGTH
from promptx_mem.usecases.intake.merge import Merge, Options, Report
from promptx_mem.usecases.lookup import Lookup

if TYPE_CHECKING:
    from promptx_mem.search.cache import Cache
    from promptx_mem.usecases.context import Context

SCORE = 7.0
"""The score of imported items whose format has no score."""

MOST_BARE = 100
"""If a file has more list items with neither tags nor a score, these items are refused unless --yes is given."""

_LONG_FROM = 7.0
_BARE = f"the file has more than {MOST_BARE} list items with neither tags nor a score: --yes imports them"


class _Case(NamedTuple):
    """An item, and the entry that would be stored for it. An item that is not accepted has a verdict and a reason."""

    item: Item
    entry: Entry
    verdict: str = ""
    why: str = ""

    def texts(self) -> list[tuple[str, str]]:
        """Return the texts that could contain a credential, each with its name in messages."""
        entry = self.entry
        parts = [("it", entry.text), ("its topic", entry.topic), ("its reason", entry.reason)]
        parts += [("its session", entry.session), ("its related topics", " ".join(entry.related))]
        parts += [("its citations", " ".join(entry.cites)), ("its tags", " ".join(entry.tags))]
        parts += [("an alias", alias) for alias in entry.aka]
        return [(name, text) for name, text in parts if text]


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
        """The ids of older entries in `taken` without a duration. They fade from the import, not from their time."""
        self.lifted: dict[str, None] = {}
        self.merges: list[Merge] = []
        self._texts = memories.by_text(cache, self.now.timestamp())
        self._ids = history.line_ids(cache)
        self._purged = history.purged_ids(cache)

    def read(self, name: str, form: str, reading: Reading, modified: str) -> None:
        """Check every memory of one file, and plan to store the accepted ones."""
        self.report.files[name]["notes"] += reading.notes
        for rest in reading.repeats:
            self.report.note(name, rest.line, rest.text, "known", rest.why)
        many = sum(item.bare for item in reading.items) > MOST_BARE and not self.options.yes
        before = self.report.counts["taken"]
        cases = []
        for item in reading.items:
            entry = self._entry(item, modified)
            least = 0.0 if form == OWN or (form == PROMPTX and item.at) else scoring.REFUSE_BELOW
            objection = self._objection(entry, least, is_lasting=item.duration is not None)
            objection = ("refused", _BARE) if many and item.bare else objection
            cases.append(_Case(item, entry, *objection))
        for case in cases:
            self._judge(name, form, case)
        for rest in reading.leftovers:
            self.report.note(name, rest.line, rest.text, "left", rest.why)
        if self.report.counts["taken"] > before and any(
            item.at and _moment(item.at) > self.now for item in reading.items
        ):
            self.report.files[name]["notes"].append("future times are set to now")

    def note(self, writer: Writer) -> None:
        """Write an audit record for each file, with the file's counts, and another if memories were refused."""
        records = []
        for file in self.report.files.values():
            counts = ", ".join(f"{file[verdict]} {verdict}" for verdict in ("taken", "known", "refused", "left"))
            why = f"{file['form'] or 'no form'}: {shorten(file['file'], 60)}: {counts}"
            if file["refused"]:
                records.append({"verdict": "refused", "count": file["refused"], "why": why})
            if file["taken"] or not file["refused"]:
                records.append({"verdict": "stored" if file["taken"] else "known", "count": file["taken"], "why": why})
        self.context.note(writer, "import", *records)

    def _judge(self, name: str, form: str, case: _Case) -> None:
        item, entry = case.item, case.entry
        holder = self._texts.get(entry.id)
        if case.why == _BARE:
            self.report.note(name, item.line, item.text, case.verdict, case.why)
        elif holder is not None:
            if self.options.mine and holder.origin == IMPORT:
                self.lifted[holder.id] = None
            self.report.note(name, item.line, entry.text, "known", holder.why, holder.id)
        elif not self.options.allow_secret and (found := credentials_in(case.texts())):
            self.report.note(name, item.line, "", "refused", f"{found[0]}; --allow-secret imports it")
        elif case.verdict:
            self.report.note(name, item.line, entry.text, case.verdict, case.why, is_failure=bool(entry.text))
        else:
            text_id = entry.id
            entry = self._free_id(entry)
            self.taken[entry.id] = entry
            if item.duration is None and epoch(str(entry.at)) < self.now.timestamp() - DAY:
                self.renewed.add(entry.id)
            self.came_from[entry.id] = (form, name)
            self._texts[text_id] = memories.Holder(entry.id)
            self._ids.add(entry.id)
            self.report.note(name, item.line, entry.text, "taken", ident=entry.id)

    def _entry(self, item: Item, modified: str) -> Entry:
        """Return an item's entry. Its time is the item's or else the file's.

        A time without a zone is local. A future time becomes now.
        """
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

    def merge(self, merge: Merge) -> None:
        """Plan to merge one of the user's own stores. Memories imported from it earlier become the user's own."""
        merge.say(self.report)
        self.merges.append(merge)
        for chunk in merge.pieces.chunks():
            holder = self._texts.get(make_id(chunk.entry.text))
            if holder is not None and holder.origin == IMPORT:
                self.lifted[holder.id] = None

    def _objection(self, entry: Entry, least: float, *, is_lasting: bool) -> tuple[str, str]:
        """Return the verdict and the reason for an entry that is not accepted; two empty texts if it is accepted.

        `least` is the lowest score to accept. It is 0 for entries that a store has already accepted. `is_lasting`: the
        file contains the duration.
        """
        if not entry.text:
            return "left", "it is empty"
        if len(entry.text) > MAX_LENGTH:
            return "refused", f"more than {MAX_LENGTH} characters"
        if is_lasting and not lives(fold([entry], []), self.now.timestamp()):
            return "left", "its duration has ended; to import it, change the duration in a copy of the file"
        if round(entry.score, 1) < least:
            return "refused", scoring.too_low(entry.score, least)
        return "", ""

    def _free_id(self, entry: Entry) -> Entry:
        """Give an entry an id that no line and no event uses. The id of a purged memory can be used again.

        The id of an edited memory, or of one whose line was lost, is not used: the entry would get that memory's state.
        """
        salt = 0
        while (ident := make_id(entry.text, salt)) in self._ids or (
            ident not in self._purged and any(event.kind not in NOTES for event in history.events(self.cache, ident))
        ):
            salt += 1
        k = None
        if history.happened(self.cache, ident):  # a purged memory that is imported again must be newer than the purge
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


IDS = 200
"""Maximum number of ids in one event."""

_ID_BYTES = 16


def store(context: "Context", plan: Plan) -> None:
    """Store the memories of a plan and their origin. Raises Refused if they do not fit, and StoreError, BusyError."""
    for merge in plan.merges:
        context.store.write(merge.write)
    context.store.write(partial(_store, context, plan))


def _store(context: "Context", plan: Plan, writer: Writer) -> None:
    """Append the events, then the lines. If a text was stored meanwhile, both its lines are one memory."""
    entries = list(_ordered(plan.taken.values()))
    lines = [format_line(entry) for entry in entries]
    limits.check_size(context, writer, sum(len(line.encode()) + _ID_BYTES for line in lines))
    with current.open_current(writer.layout) as cache:
        lookup = Lookup(context, cache)
        adoptions = lookup.adoptions() if entries else []
        k = lookup.next_k(entries) + len(adoptions)
        if events := [*adoptions, *_marks(context, plan, entries, k)]:
            writer.add_events(events)
        if lines:
            writer.add_lines(lines)
        current.catch_up(cache, writer)
        index.refresh(context, cache, context.now())
    plan.note(writer)


def _marks(context: "Context", plan: Plan, entries: Sequence[Entry], k: int) -> Iterator[Event]:
    """Yield events that record the origin of memories: `imported`, or `owned` for memories already stored.

    A `restored` event restarts the fading of older memories without a duration. The order keys begin with `k`.
    """
    groups: dict[tuple[str, str | None], list[str]] = {}
    if plan.options.mine:
        groups["owned", None] = list(plan.lifted)
    else:
        for entry in entries:
            groups.setdefault(("imported", ": ".join(plan.came_from[entry.id])), []).append(entry.id)
    groups["restored", None] = [entry.id for entry in entries if entry.id in plan.renewed]
    at = context.now().isoformat(timespec="seconds")
    parts = (
        (kind, reason, tuple(ids[start : start + IDS]))
        for (kind, reason), ids in groups.items()
        for start in range(0, len(ids), IDS)
    )
    for number, (kind, reason, ids) in enumerate(parts):
        yield Event(min(k + number, MAX_K - 1), context.host(), at, kind, ids, reason=reason)


def store_talks(context: "Context", report: Report, file: str, talks: tuple[Talk, ...], options: Options) -> None:
    """Add the new messages of each conversation, unless they contain a credential that is not allowed."""
    for talk in talks:
        good = [message for message in talk.messages if options.allow_secret or not find_credentials(message.text)]
        if withheld := len(talk.messages) - len(good):
            why = "the conversation contains a credential; --allow-secret imports it"
            report.note(file, 0, "", "refused", why, count=withheld)
        unit = unit_of(talk.name)
        conversation = conversations.read(context.layout, unit)
        stored = [conversation.messages[number] for number in sorted(conversation.messages)]
        said = [[(one.role, one.text) for one in messages] for messages in (good[: len(stored)], stored)]
        fresh = good[len(stored) :] if said[0] == said[1] else []
        if fresh and not options.dry_run:
            context.store.write(partial(_add, talk.name, fresh))
        amount = plural(len(fresh or good), "message")
        report.talks += bool(fresh)
        verdict = "taken" if fresh else "known" if stored else "left"
        why = "" if fresh else "the conversation is already stored" if stored else "none of its messages can be stored"
        report.note(file, 0, f"a conversation: {amount}", verdict, why)


def _add(name: str, messages: list[Message], writer: Writer) -> None:
    conversations.add_messages(writer.layout, unit_of(name), messages, name)
