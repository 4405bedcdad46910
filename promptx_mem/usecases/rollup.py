"""rollup: the oldest messages of a conversation become a slice and an episode memory (source 004).

In order: the slice's line, the memory's line, the record that it is stored; each durable before the next, or several
slices at once if no judge is asked. After a crash the next run continues: the memory's text and id follow from the
slice's line.
"""

import datetime
from collections.abc import Callable
from functools import partial

from promptx_mem.core.credentials import demand_no_credential, find_credentials
from promptx_mem.core.description import Rolled
from promptx_mem.core.entry import LONG, Entry
from promptx_mem.core.fold import value_hash
from promptx_mem.core.ids import make_id
from promptx_mem.core.journal import REPLACED
from promptx_mem.core.line import format_line, is_edited
from promptx_mem.core.slices import (
    SCORE,
    TAG,
    WORKING_MEMORY,
    Message,
    Reference,
    Slice,
    Unit,
    cut,
    first_words,
    parse_reference,
)
from promptx_mem.core.state import State, lives
from promptx_mem.core.times import DAY
from promptx_mem.core.topics import DEFAULT_PROFILE
from promptx_mem.errors import Refused, StoreError
from promptx_mem.judge import judge as answers
from promptx_mem.judge import prompts
from promptx_mem.judge.judge import CallingAgent, JudgeError, appointed
from promptx_mem.record import TYPE_CHECKING, NamedTuple
from promptx_mem.search import current, labels, memories
from promptx_mem.store import conversations, episodes
from promptx_mem.store.layout import Layout
from promptx_mem.store.store import disk_errors
from promptx_mem.store.writer import Writer
from promptx_mem.usecases import index, retention
from promptx_mem.usecases.judging import MAX_FAILURES, note_failure
from promptx_mem.usecases.lookup import Lookup

if TYPE_CHECKING:
    from promptx_mem.search.cache import Cache
    from promptx_mem.usecases.context import Context

DAYS = 14
"""Days after the last message in which a slice's summary is requested."""


class Fallback(NamedTuple):
    """An episode whose text is only the first words, with its slice."""

    state: State
    part: Slice
    messages: list[Message]


def waiting(cache: "Cache", now: float) -> list[State]:
    """Return the active episodes without a summary, the oldest first."""
    return memories.unsummarised(cache, now - DAYS * DAY, now)


def find(context: "Context", prefix: str) -> State | None:
    """Return the episode whose id is, or begins with, a text."""
    with current.open_current(context.layout) as cache:
        idents = cache.matching(prefix.lower(), 2)
        return cache.state(idents[0]) if len(idents) == 1 else None


def read(context: "Context", state: State) -> Fallback | None:
    """Return an episode with its messages; None if those are no longer stored."""
    reference = parse_reference(state.entry.slice or "")
    try:
        content = conversations.read_slice(context.layout, reference) if reference else None
    except (OSError, StoreError):
        return None
    return Fallback(state, *content) if content and content[1] else None


def put(context: "Context", ident: str, profile: answers.RecallProfile) -> State:
    """Replace the summary of an active episode. Raises Refused for another memory, or a credential in the summary."""
    for text in (profile.summary, profile.topic, *profile.related):
        demand_no_credential("summary", text)
    return context.store.write(partial(_put, context, ident, profile))


def ask(context: "Context", most: int) -> tuple[int, str]:
    """Ask the judge about up to `most` of them; return how many were summarised, and why one was not."""
    judge = appointed()
    if isinstance(judge, CallingAgent) or most <= 0:
        return 0, ""
    now = context.now().timestamp()
    with current.open_current(context.layout) as cache:
        states = waiting(cache, now)[:most]
        topics = labels.largest_topics(cache, prompts.MAX_TOPICS) if states else []
    summarised = 0
    for fallback in filter(None, (read(context, state) for state in states)):
        try:
            reply = judge.ask(prompts.summary(fallback.messages, topics))
            profile = answers.demand_profile(reply or "", len(fallback.messages))
            put(context, fallback.state.entry.id, profile)
        except (JudgeError, Refused) as error:
            if isinstance(error, JudgeError):
                note_failure(context, error, fallback.state.entry.id)
            return summarised, error.message
        summarised += 1
    return summarised, ""


def _put(context: "Context", ident: str, profile: answers.RecallProfile, writer: Writer) -> State:
    where, now = writer.layout, context.now()
    with current.open_current(where) as cache, disk_errors():
        state = cache.state(ident)
        fallback = read(context, state) if state is not None and lives(state, now.timestamp()) else None
        if state is None or fallback is None:
            raise Refused(
                f"{ident} is not an active conversation with its messages",
                code="no_review",
                hint="to list pending reviews: promptx-mem review --list",
            )
        weights = profile.profile or DEFAULT_PROFILE
        lookup = Lookup(context, cache)
        _write(context, writer, lookup, fallback, profile._replace(profile=weights))
        if current.add_appended(cache, writer):
            index.refresh(context, cache)
        after = cache.state(ident)
    return after or state


def _write(
    context: "Context", writer: Writer, lookup: Lookup, fallback: Fallback, profile: answers.RecallProfile
) -> None:
    """Append the episode's line first: after a crash the summary is requested again."""
    where, entry, part = writer.layout, fallback.state.entry, fallback.part
    weights = profile.profile or DEFAULT_PROFILE
    numbers = (weights.activation, weights.diffusion, weights.context_independence)
    reference = parse_reference(entry.slice or "")
    assert reference is not None
    text = f"[{part.at[:10]} {part.at[11:16]}] {profile.summary}"
    fresh = entry._replace(text=text, topic=profile.topic, related=profile.related, profile=numbers, salt=0)
    raws = (raw for raw in episodes.read(where).splitlines() if entry.id.encode() in raw)
    earlier = dict.fromkeys(filter(None, map(episodes.entry_of, raws)))
    by = value_hash(fresh)
    wrong = [value_hash(line) for line in earlier if line.id == entry.id and is_edited(line)]
    episodes.add(where, [format_line(fresh)])
    if wrong := [line for line in wrong if line != by]:  # of two summaries the fold would take either
        lookup.adopt(writer)
        event = lookup.event(REPLACED, entry.id, by=by)
        writer.add_events([event._replace(k=event.k + number, line=line) for number, line in enumerate(wrong)])
    whole = part._replace(summary=profile.summary, topic=profile.topic, related=profile.related, profile=numbers)
    conversations.replace_slice(where, reference.unit, whole)
    writer.changes.setdefault(episodes.NAME, [])  # this writer appended it: the cache may follow
    context.note(writer, "review", verdict="summarised", id=entry.id)


Progress = Callable[[int, int], None]

AT_ONCE = 32
"""Slices written under one lock if no judge is asked: each then costs little besides its syncs."""

_Cut = tuple[Unit, list[Slice]]
"""A conversation as it was read, and its new slices."""


def roll(
    context: "Context",
    unit: str,
    *,
    is_over: bool = False,
    asking: bool = True,
    progress: Progress | None = None,
    problems: list[str] | None = None,
) -> list[Rolled]:
    """Roll up the due messages, or all if the conversation `is_over`; return the stored memories.

    The judge is asked while nothing is locked, unless `asking` is False; its failures go to `problems`. Raises
    BusyError, StoreError; then no message is lost.
    """
    work = _Work(context, asking=asking)
    work.take(unit, is_over=is_over, progress=progress)
    return work.done(problems)


def roll_idle(
    context: "Context", now: datetime.datetime, *, everywhere: bool = False, problems: list[str] | None = None
) -> list[Rolled]:
    """Roll up every conversation that has been idle for 4 hours, and finish an interrupted roll-up.

    Slices that are too old are then removed; with `everywhere` even if that was done today.
    """
    work = _Work(context, asking=True)
    for unit in retention.look(context, everywhere=everywhere):
        conversation = conversations.read(context.layout, unit)
        work.take(unit, is_over=retention.is_over(conversation, now.timestamp()), before=conversation)
    rolled = work.done(problems)
    if not everywhere:
        retention.keep_within(context, now)
    return rolled


def finish(context: "Context", unit: str, writer: Writer) -> list[Rolled]:
    """Store the missing memories of slices, under the lock."""
    return _commit(context, [(conversations.read(writer.layout, unit), [])], writer)


class _Work:
    """The roll-up of several conversations, which writes their slices together."""

    def __init__(self, context: "Context", *, asking: bool) -> None:
        self._context = context
        self._summaries = _Summaries(context, asking=asking)
        self._cuts: list[_Cut] = []
        self._rolled: list[Rolled] = []

    def take(self, unit: str, *, is_over: bool, before: Unit | None = None, progress: Progress | None = None) -> None:
        """Cut the due messages of a conversation into slices, and write them once there are enough."""
        where = self._context.layout
        conversation = before or conversations.read(where, unit)
        total = len(conversation.waiting())
        while parts := self._summaries.slices(conversation, is_over=is_over):
            self._cuts.append((conversation, parts))
            if sum(len(parts) for _, parts in self._cuts) < self._summaries.at_once:
                return
            self._write()
            conversation = conversations.read(where, unit, conversation)
            if progress is not None:
                progress(total - len(conversation.waiting()), total)
        if conversation.unfinished():
            self._cuts.append((conversation, []))

    def done(self, problems: list[str] | None) -> list[Rolled]:
        """Write the remaining slices; return all stored memories, and add the judge's failures to `problems`."""
        self._write()
        if problems is not None and self._summaries.trouble:
            problems.append(f"the judge gave no summary; the first words are used: {self._summaries.trouble}")
        return self._rolled

    def _write(self) -> None:
        if self._cuts:
            self._rolled += self._context.store.write(partial(_commit, self._context, self._cuts))
            self._cuts = []


def _commit(context: "Context", cuts: list[_Cut], writer: Writer) -> list[Rolled]:
    """Write slices and their memories, unless another process has rolled up the same messages meanwhile."""
    pending: list[tuple[Unit, Slice]] = []
    for previous, parts in cuts:
        now = conversations.read(writer.layout, previous.id, previous)
        if parts and now.rolled() == previous.rolled():
            conversations.add_slices(writer.layout, now, parts)
            now = conversations.read(writer.layout, previous.id, now)
        pending += [(now, part) for part in now.unfinished()]
    return _store(context, writer, pending) if pending else []


def _store(context: "Context", writer: Writer, pending: list[tuple[Unit, Slice]]) -> list[Rolled]:
    """Store the missing episodes of slices, then record that they are stored."""
    where = writer.layout
    with current.open_for_writer(where) as cache:
        lookup = Lookup(context, cache)
        namer = _Namer(lookup, where)
        entries = [(namer.entry(unit, part), Reference(unit.id, part.number)) for unit, part in pending]
        if namer.fresh:
            lookup.adopt(writer)
            episodes.add(where, [format_line(entry) for entry in namer.fresh])
            writer.changes.setdefault(episodes.NAME, [])  # this writer appended it: the cache may follow
        conversations.add_episodes(where, [(reference, entry.id) for entry, reference in entries])
        if namer.fresh:
            ids = ({"id": entry.id} for entry in namer.fresh)
            context.note(writer, "converse", *ids, verdict="stored", why="episode")
        if current.add_appended(cache, writer):
            index.refresh(context, cache)
    return [
        {"id": entry.id, "text": entry.text, "slice": str(reference), "topic": entry.topic}
        for entry, reference in entries
    ]


class _Namer:
    """The episodes of slices, with distinct ids for equal texts. `fresh`: those still to be stored."""

    def __init__(self, lookup: Lookup, where: Layout) -> None:
        self._lookup = lookup
        self._stored = episodes.read(where)
        self.fresh: list[Entry] = []

    def entry(self, unit: Unit, part: Slice) -> Entry:
        """Return the episode of a slice, which an interrupted command may have stored."""
        reference = Reference(unit.id, part.number)
        if (stored := episodes.of_slice(self._stored, reference)) is not None:
            return stored
        text = f"[{part.at[:10]} {part.at[11:16]}] {part.summary}"
        salt = 0
        while (state := self._lookup.state(make_id(text, salt))) is not None or self._is_taken(make_id(text, salt)):
            if state is not None and state.entry.slice == str(reference):
                return state.entry
            salt += 1
        entry = Entry(
            text=text,
            tags=(self._lookup.context.config.aliases.get(TAG, TAG),),
            score=SCORE,
            duration=LONG,
            id=make_id(text, salt),
            at=part.at,
            topic=part.topic,
            related=part.related,
            profile=part.profile,
            category="episode",
            source="system",
            session=unit.session,
            slice=str(reference),
            salt=salt,
        )
        self.fresh.append(entry)
        return entry

    def _is_taken(self, ident: str) -> bool:
        return ident.encode() in self._stored or any(entry.id == ident for entry in self.fresh)


class _Summaries:
    """The source of summaries: the judge, or else the user's first words."""

    def __init__(self, context: "Context", *, asking: bool) -> None:
        self._context = context
        self._judge = appointed()
        self._is_asked = asking and not isinstance(self._judge, CallingAgent)
        self._failures = 0
        self.trouble = ""
        """Why the judge gave no summary, if it was asked."""

    @property
    def at_once(self) -> int:
        """Return how many slices are made before they are written: a judge's answer is stored at once."""
        return 1 if self._is_asked else AT_ONCE

    def slices(self, unit: Unit, *, is_over: bool) -> list[Slice]:
        """Return the slices of due messages, as many as are made at once; they are numbered when written.

        They are the same no matter how many messages came at a time.
        """
        waiting = sorted(unit.waiting().items())
        out: list[Slice] = []
        start = 0
        while len(out) < self.at_once:
            next_ones = [message for _, message in waiting[start : start + WORKING_MEMORY + 1]]
            count = cut(next_ones, is_over=is_over)
            if not count:
                break
            numbers = [number for number, _ in waiting[start : start + count]]
            out.append(self._slice(next_ones[:count], numbers[0], numbers[-1]))
            start += count
        return out

    def _slice(self, messages: list[Message], first: int, last: int) -> Slice:
        answer = self._ask(messages)
        if answer is None:
            answer = answers.RecallProfile(first_words(messages))
        answer = _without_secrets(answer, len(messages))
        weights = answer.profile
        profile = (weights.activation, weights.diffusion, weights.context_independence) if weights else None
        at = _spoken(messages, self._context.now())
        return Slice(0, first, last, at, answer.summary, answer.topic, answer.related, profile)

    def _ask(self, messages: list[Message]) -> answers.RecallProfile | None:
        if not self._is_asked or self._failures >= MAX_FAILURES:
            return None
        try:
            reply = self._judge.ask(prompts.summary(messages, _topics(self._context)))
            if reply is None:
                return None
            profile = answers.demand_profile(reply, len(messages))
            profile = profile._replace(profile=profile.profile or DEFAULT_PROFILE)
        except JudgeError as error:
            self._failures += 1
            self.trouble = error.message
            note_failure(self._context, error)
            return None
        self._failures = 0
        return profile


def _without_secrets(answer: answers.RecallProfile, messages: int) -> answers.RecallProfile:
    """Remove credentials from a judge's answer: a slice may be shared through git, raw messages never are."""
    if find_credentials(answer.summary):
        answer = answer._replace(summary=f"{messages} messages (a credential among their first words is left out)")
    related = tuple(path for path in answer.related if not find_credentials(path))
    return answer._replace(
        topic=answer.topic if answer.topic and not find_credentials(answer.topic) else None, related=related
    )


def _topics(context: "Context") -> list[str]:
    """Return the topic paths with the most memories."""
    with current.open_current(context.layout) as cache:
        return labels.largest_topics(cache, prompts.MAX_TOPICS)


def _spoken(messages: list[Message], now: datetime.datetime) -> str:
    """Return the time of the last of some messages, in this zone; now if none has one."""
    moment = max(message.times()[0] for message in messages)
    time = datetime.datetime.fromtimestamp(moment, now.tzinfo) if moment else now
    return time.isoformat(timespec="seconds")
