"""remember: the gate, then one durable append."""

import contextlib
from collections.abc import Mapping

from promptx_mem import __released__, session
from promptx_mem.core.entry import MOST_ALIASES, Entry, clean_aliases
from promptx_mem.core.ids import digest, make_id, normalise
from promptx_mem.core.journal import ALIASED, CONTRADICTED, Event
from promptx_mem.core.labels import unique
from promptx_mem.core.line import format_line
from promptx_mem.core.request import Request
from promptx_mem.core.state import State, is_unscored, lives
from promptx_mem.core.text import format_score, shorten
from promptx_mem.core.times import DAY, epoch, micros
from promptx_mem.errors import Refused, UsageError
from promptx_mem.record import TYPE_CHECKING, Any, cast
from promptx_mem.result import Failure, Result
from promptx_mem.search import current
from promptx_mem.search.cache import DAMAGE, Cache
from promptx_mem.store import audit, files, recalled
from promptx_mem.store.writer import Writer
from promptx_mem.usecases import index, limits
from promptx_mem.usecases.credential_check import Holding
from promptx_mem.usecases.gate import Attempt, Item, Remember, add_late_events, check_end, judge, secrets_in
from promptx_mem.usecases.lookup import Lookup
from promptx_mem.usecases.request import Proposal, parts, pasteable, propose

if TYPE_CHECKING:
    from promptx_mem.usecases.context import Context


def remember(context: "Context", request: Request) -> Result[Remember]:
    """Judge and store one text, or each part of it with `split`. Raises Refused or another PromptxMemError."""
    context.demand_config()
    if request.verified:
        session.demand_person("--verified", pasteable(request, session=None))
    try:
        person = session.is_person()
        if request.update and not request.dry_run and (corrected := _summary(context, request, person)) is not None:
            return corrected
        return _each(context, request, person) if request.split else _Remember(context, request, person).run()
    except UsageError as error:
        if error.code == "user_store":
            error.hint = pasteable(request, user=True)
        raise


def _summary(context: "Context", request: Request, person: bool) -> Result[Remember] | None:
    """Correct the summary of a conversation, which keeps its id and messages; None if the update is of a fact."""
    if files.status(context.layout.episodes) is None:
        return None
    from promptx_mem.core.slices import DATED
    from promptx_mem.core.topics import Profile
    from promptx_mem.judge.judge import MAX_SUMMARY, RecallProfile
    from promptx_mem.usecases import rollup

    state = rollup.find(context, request.update or "")
    if state is None or context.layout.is_user or rollup.read(context, state) is None:
        return None
    entry = state.entry
    text = DATED.sub("", propose(request, context.config, person=person).text, count=1)
    profile = Profile(*entry.profile) if entry.profile else None
    topic, related = request.topic or entry.topic, request.related or entry.related
    after = rollup.put(context, entry.id, RecallProfile(shorten(text, MAX_SUMMARY), topic, related, profile))
    data: Remember = {
        "store": context.layout.display(),
        "scope": context.scope,
        "verdict": "changed",
        "superseded": None,
    }
    data |= {"id": entry.id, "text": after.entry.text, "score": after.score, "duration": after.duration}
    return Result("remember", {**data, "tags": list(after.tags)})


def _each(context: "Context", request: Request, person: bool) -> Result[Remember]:
    """Judge and store each part of a text; a refused part does not affect the others."""
    items: list[Item] = []
    warnings: list[str] = []
    for part in parts(request, context.config, person=person):
        try:
            result = _Remember(context, part, person).run()
            items.append({**result.data, "error": None})
            warnings += result.warnings
        except Refused as error:
            failure: Failure = {"code": error.code, "message": error.message, "hint": error.hint}
            items.append({**cast("Remember", error.data), "error": failure})
    status = 1 if any(item["error"] for item in items) else 0
    place = context.layout
    data: Remember = {"store": place.display(), "scope": place.scope, "items": items, "dry_run": request.dry_run}
    return Result("remember", data, unique(warnings), status)


class _Remember:
    """The task of judging and storing one text under a single lock."""

    def __init__(self, context: "Context", request: Request, person: bool) -> None:
        self.context = context
        self.request = request
        self.person = person
        self.now = context.now()
        self.cited: dict[str, Any] = {}
        """The citations of the text, where it has any, and the commit."""

    def run(self) -> Result[Remember]:
        request, context = self.request, self.context
        try:
            proposal = propose(request, context.config, person=self.person)
        except Refused as error:
            self._note_refusal(error)
            raise
        check_end(proposal, self.now, request)
        secrets = secrets_in(request, proposal)
        self.cited = _collect(context, proposal.text, request.cite)
        if request.dry_run:
            return self._dry(proposal, secrets)
        return context.store.write(lambda writer: self._locked(writer, proposal, secrets))

    def _locked(self, writer: Writer, proposal: Proposal, secrets: tuple[Holding, ...]) -> Result[Remember]:
        attempt = self._attempt(proposal, secrets)
        log = audit.read(writer.layout)
        with current.open_for_writer(writer.layout) as cache:
            lookup = Lookup(writer.layout, cache)
            scorings = audit.scorings(log, self.now)
            record = self._record(proposal, scorings + 1)
            try:
                limits.check_day(scorings, self.now, explicit=proposal.explicit)
                self._check_block(log)
                limits.check_doubted(log, record, self.request)
                entry = judge(self.context, attempt, lookup)._replace(**self.cited)
                limits.check_size(self.context, writer, len(entry.text.encode("utf-8", "replace")) + limits.LINE_EXTRA)
            except Refused as error:
                self._refuse(writer, attempt, error, log, record)
                index.by_writer(self.context, cache)
                raise
            result = self._store(writer, attempt, lookup, entry)
            stored = result.data
            record |= {"verdict": stored["verdict"], "id": stored["id"], "score": stored["score"]}
            record["adjust"] = [adjustment["by"] for adjustment in attempt.adjustments]
            writer.note([record], self.now)
            recalled.carry_over_if_large(writer, self.now.date().isoformat())
            warnings = [*result.warnings]
            with contextlib.suppress(*DAMAGE):  # it is stored
                warnings += self._followed(writer, cache, attempt, stored)
            return result._replace(warnings=(*warnings, *index.by_writer(self.context, cache)))

    def _followed(self, writer: Writer, cache: Cache, attempt: Attempt, stored: Remember) -> tuple[str, ...]:
        """Update the cache and MEMORY.md; return warnings."""
        warnings = cache.conflicted()
        if not current.add_appended(cache, writer):
            return warnings
        if stored["verdict"] != "stored" and (state := cache.state(stored["id"])) is not None:
            stored |= {"score": state.score, "duration": state.duration, "tags": list(state.tags)}
            warnings += attempt.kept(state)
        return (*warnings, *index.refresh_after(self.context, cache, stored["id"], self.now))

    def _check_block(self, log: bytes) -> None:
        """Refuse a text from a blocked session; a person has none."""
        if not self.person:
            limits.check_block(self.context, log, self.request)

    def _attempt(self, proposal: Proposal, secrets: tuple[Holding, ...]) -> Attempt:
        data: Remember = {
            "store": self.context.layout.display(),
            "scope": self.context.scope,
            "text": "" if secrets else proposal.text,
            "tags": [] if secrets else list(proposal.tags),
            "score": proposal.score,
            "dry_run": self.request.dry_run,
        }
        return Attempt(self.request, proposal, data, secrets)

    def _refuse(self, writer: Writer, attempt: Attempt, error: Refused, log: bytes, record: audit.Record) -> None:
        """Record a refusal, never with the text; a violation is counted, and the count is added to the hint."""
        error.data = {**_known_data(attempt, error), "adjustments": attempt.adjustments}
        record |= {"verdict": "refused", "why": error.code}
        if error.code in limits.VIOLATIONS and not self.request.proposed and not self.person:
            record["x"] = 1
            limits.escalate(self.context, error, log, record)
        if error.code == "daily_limit":
            del record["n"]
        writer.note([record], self.now)

    def _store(self, writer: Writer, attempt: Attempt, lookup: Lookup, entry: Entry) -> Result[Remember]:
        newer, same = lookup.newer(), lookup.by_text(entry.text) or attempt.variant
        events = lookup.adoptions(self.now.timestamp(), self.context.host())
        if same is not None:
            attempt.same = same
            event = self._again(attempt, lookup, same, entry)
            if is_unscored(same, self.now.timestamp()):  # the gate has admitted it now
                events.append(Event(event.k + 1, event.host, event.at, "confirmed", event.ids))
            # A memory that the restored one supersedes has been replaced.
            conflicts = attempt.data.get("conflicts", ())
            attempt.data["conflicts"] = [one for one in conflicts if one["id"] not in event.supersedes]
            events += self._more_aliases(attempt, same, event)
            suspected = self._suspected(attempt, lookup, same.entry, after=max(one.k for one in (*events, event)))
            writer.add_events([*events, event, *suspected])
            ident = same.entry.id
            self._cite_again(writer, event, same, entry)
            own = attempt.target is not None and attempt.target.entry.id == ident
            verdict = "changed" if own and not event.supersedes and lives(same, self.now.timestamp()) else event.kind
            attempt.warnings += attempt.not_taken(verdict)
        else:
            entry = self._identified(lookup, entry)
            if attempt.target is not None and any(attempt.target.entry.id in event.ids for event in events):
                writer.add_events(events)  # otherwise a hand-written line would be newer than its replacement
                events = []
            near = self._near(attempt, lookup, entry)
            writer.add_lines([format_line(entry)])
            events += near
            events += self._suspected(attempt, lookup, entry, after=events[-1].k if events else 0)
            if events:
                attempt.warnings += add_late_events(writer, events)
            verdict, ident = "stored", entry.id
        warnings = limits.size_warnings(self.context)
        if entry.type == "user":
            from promptx_mem.usecases import stores

            warnings += stores.hints(self.context, entry, self.request)
        if entry.behind:
            clock = self.now.isoformat(timespec="seconds")
            warnings += (f"the clock is behind: it shows {clock}; the memory does not end before it is used",)
        if newer:
            warnings += ("a newer version of promptx-mem has written to this store: upgrade (audit --verify)",)
        return self._result(attempt, entry, verdict, ident, warnings)

    def _result(
        self, attempt: Attempt, entry: Entry, verdict: str, ident: str, warnings: tuple[str, ...] = ()
    ) -> Result[Remember]:
        target = attempt.target.entry.id if attempt.target else None
        attempt.data |= {
            "verdict": verdict,
            "id": ident,
            "duration": entry.duration,
            "tags": list(entry.tags),
            "adjustments": attempt.adjustments,
            "superseded": target if target != ident else None,
            **self._changeable(attempt, verdict, ident),
        }
        if attempt.variant is not None and ident == attempt.variant.entry.id:
            attempt.data["text"] = attempt.variant.entry.text
        middling = (attempt.middling,) if attempt.middling and verdict != "repeated" else ()
        return Result("remember", attempt.data, (*attempt.warnings, *middling, *warnings))

    def _changeable(self, attempt: Attempt, verdict: str, ident: str) -> Remember:
        """Return the default values of a person's memory, and the command that changes them."""
        asked, proposal = self.request, attempt.proposal
        if not proposal.defaults or verdict == "repeated" or asked.dry_run:
            return {"defaults": [], "change": None}
        score = None if proposal.score is None else format_score(proposal.score)
        request = Request(proposal.text, proposal.tags, score, proposal.duration, memory_dir=asked.memory_dir)
        change = pasteable(request, update=ident, user=asked.user, explicit=asked.explicit)
        return {"defaults": list(proposal.defaults), "change": change}

    def _identified(self, lookup: Lookup, entry: Entry) -> Entry:
        """Add an id from the text, salted if an edited memory has it already."""
        salt = 0
        while lookup.state(make_id(entry.text, salt)) is not None:
            salt += 1
        entry = entry._replace(id=make_id(entry.text, salt), salt=salt)
        now = self.now.timestamp()
        k = lookup.next_k(now, lookup.entries(entry.supersedes))
        if now < epoch(__released__) or k > (now + DAY) * 1e6:
            return entry._replace(k=max(k, micros(__released__)), behind=True)
        if entry.supersedes or lookup.happened(entry.id) or lookup.noted_at(entry.at or ""):
            return entry._replace(k=k)
        return entry

    def _again(self, attempt: Attempt, lookup: Lookup, same: State, entry: Entry) -> Event:
        """Return the event for a repeated text: repeated, or restored if it has ended or is to replace another."""
        now = self.now.timestamp()
        over = lookup.chain(same)
        rescored = attempt.target is not None and attempt.target.entry.id == same.entry.id
        if attempt.target is not None and not rescored:
            over = unique((*over, attempt.target.entry.id))
        # A repeat only raises; --update of the same text sets a new score and duration, as restoring does.
        restored = bool(over) or rescored or not lives(same, now)
        return Event(
            k=lookup.next_k(now, lookup.entries(same.entry.id, *over)),
            host=self.context.host(),
            at=entry.at or "",
            kind="restored" if restored else "repeated",
            ids=(same.entry.id,),
            score=entry.score,
            duration=entry.duration if restored or attempt.proposal.duration else None,
            tags=() if "tag" in attempt.proposal.defaults else entry.tags,
            supersedes=over,
            topic=entry.topic,
            related=entry.related,
        )

    def _cite_again(self, writer: Writer, event: Event, same: State, entry: Entry) -> None:
        """Add a line of the same memory for other citations, if `--update` repeats its text."""
        target, old = self.request.update, same.entry
        is_new = bool(entry.cites) and (entry.cites, entry.cited_at) != (old.cites, old.cited_at)
        if target and is_new and event.kind == "restored" and make_id(entry.text, old.salt) == old.id:
            line = old._replace(at=entry.at, k=event.k + 1, cites=entry.cites, cited_at=entry.cited_at)
            writer.add_lines([format_line(line._replace(score=entry.score, duration=entry.duration))])

    def _more_aliases(self, attempt: Attempt, same: State, event: Event) -> list[Event]:
        """Add aliases to a stored text, as far as there is room."""
        known = same.entry.aka
        every = clean_aliases((*known, *self.request.aka))
        if len(every) > MOST_ALIASES:
            attempt.warnings.append(f"a memory has at most {MOST_ALIASES} aliases: {', '.join(every[MOST_ALIASES:])}")
        if every[:MOST_ALIASES] == known:
            return []
        return [Event(event.k + 2, event.host, event.at, ALIASED, event.ids, aka=every[:MOST_ALIASES])]

    def _near(self, attempt: Attempt, lookup: Lookup, entry: Entry) -> list[Event]:
        """Add a repeat to the nearest duplicate: repeated facts matter more (source 000)."""
        replaced = {conflict["id"] for conflict in attempt.data["conflicts"]}
        similar = (near["id"] for near in attempt.data["similar"] if near["id"] not in replaced)
        nearest = next(map(lookup.state, similar), None)
        if nearest is None:
            return []
        k = lookup.next_k(self.now.timestamp(), [nearest.entry])
        return [Event(k=k, host=self.context.host(), at=entry.at or "", kind="repeated", ids=(nearest.entry.id,))]

    def _suspected(self, attempt: Attempt, lookup: Lookup, entry: Entry, *, after: int) -> list[Event]:
        """Record each memory that this one may replace, and, if it is stored again, each that may have replaced it.

        No event contains the differing values: a purge would not remove them.
        """
        found = {conflict["id"]: conflict["reason"].partition(":")[0] for conflict in attempt.data["conflicts"]}
        if attempt.same is not None:
            found |= lookup.replacing(entry.id, self.now.timestamp())
        if not found:
            return []
        k = max(lookup.next_k(self.now.timestamp(), [entry, *lookup.entries(*found)]), after + 1)
        return [
            Event(k + number, self.context.host(), entry.at or "", CONTRADICTED, (entry.id, ident), reason=reason)
            for number, (ident, reason) in enumerate(found.items())
        ]

    def _dry(self, proposal: Proposal, secrets: tuple[Holding, ...]) -> Result[Remember]:
        """Return the verdict, and write nothing."""
        attempt = self._attempt(proposal, secrets)
        with current.open_for_writer(self.context.layout) as cache:
            try:
                lookup = Lookup(self.context.layout, cache)
                log = audit.read(self.context.layout)
                limits.check_day(audit.scorings(log, self.now), self.now, explicit=proposal.explicit)
                self._check_block(log)
                limits.check_doubted(log, self._record(proposal, 0), self.request)
                entry = judge(self.context, attempt, lookup)
                same = lookup.by_text(entry.text) or attempt.variant
            except Refused as error:
                error.data = {**_known_data(attempt, error), "adjustments": attempt.adjustments}
                raise
        if same is None:
            return self._result(attempt, entry, "stored", make_id(entry.text))
        verdict = "repeated" if lives(same, self.now.timestamp()) else "restored"
        return self._result(attempt, entry, verdict, same.entry.id)

    def _record(self, proposal: Proposal, number: int) -> audit.Record:
        return {
            "at": self.now.isoformat(timespec="seconds"),
            "s": self.context.session,
            "cmd": "remember",
            "score": proposal.score,
            "basis": "explicit" if proposal.explicit else proposal.basis,
            "len": len(proposal.text),
            "hash": digest(normalise(proposal.text).encode("utf-8", "surrogatepass")),
            "n": number,
        }

    def _note_refusal(self, error: Refused) -> None:
        """Record a refusal before the gate, for a score that its dimensions do not support."""
        if self.request.dry_run:
            return

        def note(writer: Writer) -> None:
            number = audit.scorings(audit.read(writer.layout), self.now) + 1
            about = {"why": error.code, "len": len(self.request.text), "n": number}
            self.context.note(writer, "remember", verdict="refused", **about)

        self.context.store.write(note)


def _collect(context: "Context", text: str, given: tuple[str, ...]) -> dict[str, Any]:
    """Return the fields with the citations of a text; the search for them is loaded only if there may be any."""
    if not given and not any(mark in text for mark in ("/", ".", "`", "file")):
        return {}
    from promptx_mem.usecases import citations

    cites, commit = citations.collect(context, text, given)
    return {"cites": cites, "cited_at": commit} if cites else {}


def _known_data(attempt: Attempt, error: Refused) -> Mapping[str, object]:
    return {**attempt.data, **error.data, "verdict": "refused"}
