"""remember: checks and scores a text, and stores it with one durable append."""

import contextlib
from functools import partial

from promptx_mem import __released__, session
from promptx_mem.core.entry import Entry
from promptx_mem.core.ids import make_id, normalise, short_hash
from promptx_mem.core.labels import unique
from promptx_mem.core.line import format_line, line_key, micros
from promptx_mem.core.request import Request
from promptx_mem.core.state import State, importance_at, initial, is_steady, is_unscored, lives, rounded
from promptx_mem.core.text import format_score, pattern
from promptx_mem.core.times import DAY, epoch
from promptx_mem.errors import PromptxMemError, Refused, UsageError
from promptx_mem.record import TYPE_CHECKING, Any, cast
from promptx_mem.result import Failure, Result
from promptx_mem.search import current, history, memories
from promptx_mem.search.cache import DAMAGE
from promptx_mem.store import audit, files
from promptx_mem.store.append import LockLostError
from promptx_mem.store.writer import Writer
from promptx_mem.usecases import index, limits
from promptx_mem.usecases.gate import Attempt, Item, Remember, check_request
from promptx_mem.usecases.limits import demand_config
from promptx_mem.usecases.lookup import Lookup

if TYPE_CHECKING:
    from promptx_mem.usecases.context import Context


def remember(context: "Context", request: Request) -> Result[Remember]:
    """Score and store one text, or each part of it with `split`. Raises Refused or another PromptxMemError."""
    demand_config(context)
    attempt = Attempt(context, request)
    if request.verified:
        session.demand_person("--verified", attempt.command(session=None))
    try:
        return _summary(attempt) or (_each if request.split else _one)(attempt)
    except UsageError as error:
        if error.code == "user_store":
            error.hint = attempt.command(user=True)
        raise


def _summary(attempt: Attempt) -> Result[Remember] | None:
    """Change a conversation's summary. Return None if the request does not update one."""
    where, request = attempt.context.layout, attempt.request
    if not request.update or where.is_user or not files.status(where.episodes):
        return None
    from promptx_mem.usecases import rollup

    return rollup.update(attempt)


def _each(attempt: Attempt) -> Result[Remember]:
    """Check and store each part of a text. A refused part does not affect the other parts."""
    from promptx_mem.usecases import split

    context, request = attempt.context, attempt.request
    items: list[Item] = []
    warnings: list[str] = []
    for part in split.parts(request, context.config, person=attempt.person):
        try:
            result = _one(Attempt(context, part))
            items.append({**result.data, "error": None})
            warnings += result.warnings
        except Refused as error:
            failure: Failure = {"code": error.code, "message": error.message, "hint": error.hint}
            items.append({**cast("Remember", error.data), "error": failure})
    data: Remember = {"store": context.path, "scope": context.scope, "items": items, "dry_run": request.dry_run}
    return Result("remember", data, unique(warnings), exit_status=int(any(item["error"] for item in items)))


def _one(attempt: Attempt) -> Result[Remember]:
    """Check one text, and store it under one lock unless `dry_run`."""
    context, request = attempt.context, attempt.request
    try:
        duration = attempt.read().proposal.duration
    except Refused as error:  # the score does not match the dimensions
        if not (request.dry_run or _is_new_for_user(context)):
            why = error.code

            def note(writer: Writer) -> None:
                number = audit.scorings(audit.read(writer.layout), context.now()) + 1
                context.note(writer, "remember", verdict="refused", why=why, len=len(request.text), n=number)

            context.store.write(note)
        raise
    if duration and not is_steady(duration):
        from promptx_mem.core.durations import end_of

        if (end_of(duration, attempt.now) or 0.0) <= attempt.now.timestamp():
            hint = f"without it: {attempt.command(duration=None)}"
            raise UsageError(f"duration {duration} is in the past", hint=hint)
    cited = _collect(attempt)
    if request.dry_run:
        return _dry(attempt)
    if _is_new_for_user(context):  # a refusal does not create the user store
        _dry(Attempt(context, request).read())
    return context.store.write(partial(_locked, attempt, cited))


def _is_new_for_user(context: "Context") -> bool:
    return context.layout.is_user and not context.layout.exists()


def _dry(attempt: Attempt) -> Result[Remember]:
    where = attempt.context.layout
    with current.open_current(where) as cache:
        lookup, log = Lookup(attempt.context, cache), audit.read(where)
        try:
            entry = _admitted(attempt, lookup, log, _record(attempt, log))
        except Refused as error:
            attempt.refuse(error)
            raise
        same, entry = _same(attempt, lookup, entry)
        if same is not None:
            from promptx_mem.usecases import repeat

            repeat.superseded(attempt, lookup, same)
    if same is None:
        return _result(attempt, entry, "stored", make_id(entry.text))
    verdict = "repeated" if lives(same, attempt.now.timestamp()) else "restored"
    return _result(attempt, entry, verdict, same.entry.id)


def _admitted(attempt: Attempt, lookup: Lookup, log: bytes, record: audit.Record) -> Entry:
    """Check the limits and the gate, and return the memory to store. Raises Refused."""
    limits.check_day(audit.scorings(log, attempt.now), attempt.now, explicit=attempt.proposal.explicit)
    if not attempt.person:
        limits.check_block(attempt.context, log, attempt.request)
    limits.check_refused_before(log, record, attempt.request)
    return check_request(attempt, lookup)


def _record(attempt: Attempt, log: bytes) -> audit.Record:
    proposal, names = attempt.proposal, session.request_names(attempt.context.session)
    return {
        "at": attempt.now.isoformat(timespec="seconds"),
        "s": attempt.context.session,
        **({"by": list(names)} if len(names) > 1 else {}),
        "cmd": "remember",
        "score": proposal.score,
        "basis": "explicit" if proposal.explicit else proposal.basis,
        "len": len(proposal.text),
        "hash": short_hash(normalise(proposal.text).encode("utf-8", "surrogatepass")),
        "n": audit.scorings(log, attempt.now) + 1,
    }


def _locked(attempt: Attempt, cited: dict[str, Any], writer: Writer) -> Result[Remember]:
    context, log = attempt.context, audit.read(writer.layout)
    with current.open_current(writer.layout) as cache:
        lookup, record = Lookup(context, cache), _record(attempt, log)
        try:
            entry = _admitted(attempt, lookup, log, record)._replace(**cited)
            limits.check_size(context, writer, len(entry.text.encode("utf-8", "replace")) + limits.LINE_EXTRA)
        except Refused as error:
            _refuse(attempt, writer, error, log, record)
            index.by_writer(context, cache)
            raise
        result = _store(attempt, writer, lookup, entry)
        stored = result.data
        record |= {"verdict": stored["verdict"], "id": stored["id"], "score": stored["score"]}
        record["adjust"] = [adjustment["by"] for adjustment in attempt.adjustments]
        writer.note([record], attempt.now)
        writer.carry_over_if_large(attempt.now.date().isoformat())
        warnings = [*result.warnings]
        with contextlib.suppress(*DAMAGE):  # the memory is already stored
            warnings += cache.warnings()
            if current.add_appended(cache, writer.changes):
                if stored["verdict"] != "stored" and (state := cache.state(stored["id"])) is not None:
                    stored |= {"score": state.score, "duration": state.duration, "tags": list(state.tags)}
                warnings += index.refresh_after(context, cache, stored["id"], attempt.now)
        return result._replace(warnings=(*warnings, *index.by_writer(context, cache)))


def _refuse(attempt: Attempt, writer: Writer, error: Refused, log: bytes, record: audit.Record) -> None:
    """Record a refusal without the text. For a low score, count a violation, and add the count to the hint."""
    attempt.refuse(error)
    record |= {"verdict": "refused", "why": error.code}
    if error.code == "score_too_low" and not attempt.request.proposed and not attempt.person:
        record["x"] = 1
        from promptx_mem.usecases import advice

        advice.escalate(attempt.context, error, limits.violations(attempt.context, log) + 1, record)
    if error.code == "daily_limit":
        del record["n"]
    writer.note([record], attempt.now)


def _same(attempt: Attempt, lookup: Lookup, entry: Entry) -> tuple[State | None, Entry]:
    """Return the stored memory with this text, and the entry. The entry supersedes an unscored memory instead."""
    same = lookup.by_text(entry.text) or attempt.variant
    if same is None or not is_unscored(same, attempt.now.timestamp()):
        return same, entry
    attempt.target = attempt.target or same  # its other values, such as `verified`, must not count
    return None, entry._replace(supersedes=attempt.target.entry.id)


def _store(attempt: Attempt, writer: Writer, lookup: Lookup, entry: Entry) -> Result[Remember]:
    is_newer, (attempt.same, entry) = lookup.is_newer(), _same(attempt, lookup, entry)
    if attempt.same is not None:
        from promptx_mem.usecases.repeat import repeat

        verdict, ident = repeat(attempt, writer, lookup, attempt.same, entry), attempt.same.entry.id
    else:
        entry = _identified(attempt, lookup, entry)
        verdict, ident = "stored", entry.id
        _add(attempt, writer, lookup, entry)
    warnings = limits.size_warnings(attempt.context)
    if entry.type == "user":
        from promptx_mem.usecases import stores

        warnings += stores.hints(attempt.context, attempt.request)
    if entry.behind:
        behind = f"this machine's clock is behind (it shows {attempt.now.isoformat(timespec='seconds')})"
        warnings += (f"{behind}, or the store has a date in the future. The memory does not end before its first use",)
    if is_newer:
        newer = "a newer version of promptx-mem has written to this store"
        warnings += (f"{newer}: upgrade promptx-mem (details: audit --verify)",)
    return _result(attempt, entry, verdict, ident, warnings)


def _add(attempt: Attempt, writer: Writer, lookup: Lookup, entry: Entry) -> None:
    events = lookup.adoptions()
    if attempt.target is not None and any(attempt.target.entry.id in event.ids for event in events):
        writer.add_events(events)  # first, so that a hand-written line is older than its replacement
        events = []
    replaced = {*attempt.corrected, *(conflict["id"] for conflict in attempt.data["conflicts"])}
    similar = (lookup.cache.state(near["id"]) for near in attempt.data["similar"] if near["id"] not in replaced)
    numbers = pattern(r"\d+").findall
    same = (state for state in similar if state and numbers(state.entry.text) == numbers(entry.text))
    if nearest := next(same, None):  # repeated facts matter more (source 000)
        events.append(lookup.event("repeated", nearest.entry.id, at=entry.at))
    target = attempt.target
    if target is not None and entry.score == target.score and not entry.behind:  # keep what boosts have added
        lead = rounded(importance_at(target, attempt.now.timestamp()) - initial(entry.score, entry.category))
        if lead > 0:
            events.append(lookup.event("boosted", entry.id, after=line_key(entry), at=entry.at, gain=lead))
    writer.add_lines([format_line(entry)])
    if attempt.data["conflicts"] or attempt.corrected:
        from promptx_mem.usecases.repeat import suspected

        events += suspected(attempt, lookup, entry, after=max((event.k for event in events), default=0))
    if not events:
        return
    try:
        writer.add_events(events)
    except (OSError, PromptxMemError, LockLostError) as error:  # the line is on the disk
        reason = getattr(error, "strerror", None) or str(error) or "another process is writing to the store"
        attempt.warnings.append(f"stored, but its events could not be written to journal.jsonl: {reason}")


def _identified(attempt: Attempt, lookup: Lookup, entry: Entry) -> Entry:
    """Return the entry with an id made from its text, a salt if an edited memory has this id, and an order key."""
    salt = 0
    while lookup.cache.state(make_id(entry.text, salt)) is not None:
        salt += 1
    entry = entry._replace(id=make_id(entry.text, salt), salt=salt)
    now, second = attempt.now.timestamp(), epoch(entry.at or "")
    k = lookup.next_k(lookup.entries(entry.supersedes))
    if now < epoch(__released__) or k > (now + DAY) * 1e6:
        return entry._replace(k=max(k, micros(__released__)), behind=True)
    # The order key must be above the keys of earlier events on this id, and above those of lines of the same second.
    is_late = history.has_events(lookup.cache, entry.id) or memories.is_any_recorded_between(
        lookup.cache, second, second + 1
    )
    return entry._replace(k=k) if entry.supersedes or is_late else entry


def _result(
    attempt: Attempt, entry: Entry, verdict: str, ident: str, warnings: tuple[str, ...] = ()
) -> Result[Remember]:
    asked, proposal = attempt.request, attempt.proposal
    target = attempt.target.entry.id if attempt.target else None
    attempt.data |= {
        "verdict": verdict,
        "id": ident,
        "duration": entry.duration,
        "tags": list(entry.tags),
        "adjustments": attempt.adjustments,
        "superseded": attempt.heir or (target if target != ident else None),
        "defaults": [],
        "change": None,
    }
    if proposal.defaults and verdict != "repeated" and not asked.dry_run:
        from promptx_mem.core.pasteable import command

        score = None if proposal.score is None else format_score(proposal.score)
        request = Request(proposal.text, proposal.tags, score, proposal.duration, memory_dir=asked.memory_dir)
        change = command(request, update=ident, user=asked.user, explicit=asked.explicit)
        attempt.data |= {"defaults": list(proposal.defaults), "change": change}
    if attempt.variant is not None and ident == attempt.variant.entry.id:
        attempt.data["text"] = attempt.variant.entry.text
    middling = (attempt.middling,) if attempt.middling and verdict != "repeated" else ()
    return Result("remember", attempt.data, (*attempt.warnings, *middling, *warnings))


_OF_PATHS = (
    "/", "`", "file", "licen", "copying", "notice", "readme", "changelog", "contribut", "owners", "build", "space",
)  # fmt: skip
_DOT = r"\.[^\W\d_]"
"""A dot before a letter. Like each text in `_OF_PATHS`, it is a sign of a path or a code name."""


def _collect(attempt: Attempt) -> dict[str, Any]:
    """Return the text's citations as fields of a memory. The module `citations` is loaded only if needed."""
    text, given = attempt.proposal.text, attempt.request.cite
    lower = text.lower()
    if not given and not any(mark in lower for mark in _OF_PATHS) and not pattern(_DOT).search(lower):
        return {}
    from promptx_mem.usecases import citations

    cites, commit = citations.collect(attempt.context, text, given)
    return {"cites": cites, "cited_at": commit} if cites else {}
