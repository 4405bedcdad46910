"""rollup: makes a slice (messages with a summary) and an episode (a memory) from a conversation's oldest messages.

The slice's line, the memory's line and the record that the memory is stored are written in this order, each durably
before the next. If no judge is asked, several slices are written at once. After a crash, the next run continues: the
memory's text and id can be computed from the slice's line (source 004).
"""

import contextlib
import datetime
import itertools
from functools import partial

from promptx_mem.core.credentials import demand_no_credential, find_credentials
from promptx_mem.core.entry import LONG, Entry
from promptx_mem.core.ids import make_id
from promptx_mem.core.journal import REPLACED
from promptx_mem.core.line import format_line, is_edited, value_hash
from promptx_mem.core.slices import (
    DATED,
    SCORE,
    TAG,
    WORKING_MEMORY,
    Message,
    NewEpisode,
    Reference,
    Slice,
    Unit,
    first_words,
    parse_reference,
    slice_size,
)
from promptx_mem.core.state import State, lives
from promptx_mem.core.text import shorten
from promptx_mem.core.times import DAY
from promptx_mem.core.topics import DEFAULT_PROFILE, Profile
from promptx_mem.errors import Refused, StoreError
from promptx_mem.judge import judge as answers
from promptx_mem.judge import prompts
from promptx_mem.judge.judge import JudgeError, appointed
from promptx_mem.record import TYPE_CHECKING
from promptx_mem.result import Result
from promptx_mem.search import cues, current, pairs
from promptx_mem.store import conversations, episodes, parsing
from promptx_mem.store.disk import disk_errors
from promptx_mem.store.writer import Writer
from promptx_mem.usecases import index, retention
from promptx_mem.usecases.judging import MAX_FAILURES, note_failure
from promptx_mem.usecases.lookup import Lookup

if TYPE_CHECKING:
    from promptx_mem.search.cache import Cache, Progress
    from promptx_mem.usecases.context import Context
    from promptx_mem.usecases.gate import Attempt, Remember

DAYS = 14
"""For this number of days after the last message of an episode, its summary is requested."""


def waiting(cache: "Cache", now: float) -> list[State]:
    """Return the recent active episodes (memories made from conversations) without a summary, the oldest first."""
    return pairs.unsummarised(cache, now - DAYS * DAY, now)


def find(context: "Context", prefix: str) -> State | None:
    """Return the memory with this id or unique prefix, or None."""
    with context.cache() as cache:
        idents = pairs.matching(cache, prefix.lower(), 2)
        return cache.state(idents[0]) if len(idents) == 1 else None


def read(context: "Context", state: State) -> tuple[Slice, list[Message]] | None:
    """Return the slice and the messages from which a memory was made; None if the messages are no longer stored."""
    content = None
    with contextlib.suppress(OSError, StoreError):
        if reference := parse_reference(state.entry.slice or ""):
            content = conversations.read_slice(context.layout, reference)
    return content if content and content[1] else None


def put(context: "Context", ident: str, profile: answers.RecallProfile) -> State:
    """Replace the summary of a conversation's active memory. Raises Refused for other memories and for a credential."""
    for text in (profile.summary, profile.topic, *profile.related):
        demand_no_credential("summary", text)
    return context.store.write(partial(_put, context, ident, profile))


def update(attempt: "Attempt") -> "Result[Remember] | None":
    """Change a conversation's summary, but not its id and messages. Return None if it or its messages are missing."""
    context, request = attempt.context, attempt.request
    state = find(context, str(request.update))
    content = None if state is None else read(context, state)
    if state is None or content is None:
        return None
    entry = state.entry
    text = DATED.sub("", attempt.read().proposal.text, count=1)
    profile = Profile(*entry.profile) if entry.profile else None
    topic, related = request.topic or entry.topic, request.related or entry.related
    summary = shorten(text, answers.MAX_SUMMARY)
    if request.dry_run:
        demand_no_credential("summary", summary)
        after = state._replace(entry=entry._replace(text=_dated(content[0], summary)))
    else:
        after = put(context, entry.id, answers.RecallProfile(summary, topic, related, profile))
    data: Remember = {"store": context.path, "scope": context.scope, "verdict": "changed", "dry_run": request.dry_run}
    data |= {"superseded": None, "id": entry.id, "text": after.entry.text, "score": after.score}
    ignored = request.score is not None or request.tags
    warnings = ("the tags and score of a conversation's memory stay as they are",) if ignored else ()
    return Result("remember", {**data, "duration": after.duration, "tags": list(after.tags)}, warnings)


def ask(context: "Context", most: int) -> tuple[int, str]:
    """Ask the judge to summarise at most `most` conversations. Return their number, and the error that ended this."""
    if (judge := appointed()) is None:
        return 0, ""
    with context.cache() as cache:
        states = waiting(cache, context.moment)[:most]
        topics = cues.largest_topics(cache) if states else []
    summarised = 0
    for state in states:
        if (content := read(context, state)) is None:
            continue
        try:
            put(context, state.entry.id, _summary(judge, content[1], topics))
        except (JudgeError, Refused) as error:
            if isinstance(error, JudgeError):
                note_failure(context, error, state.entry.id)
            return summarised, error.message
        summarised += 1
    return summarised, ""


def _summary(judge: answers.CommandJudge, messages: list[Message], topics: list[str]) -> answers.RecallProfile:
    return answers.recall_profile(judge.ask(prompts.summary(messages, topics)), len(messages))


def _put(context: "Context", ident: str, profile: answers.RecallProfile, writer: Writer) -> State:
    where, now = writer.layout, context.now()
    with current.open_current(where) as cache, disk_errors():
        state = cache.state(ident)
        content = read(context, state) if state is not None and lives(state, now.timestamp()) else None
        if state is None or content is None:
            raise Refused(
                f"{ident} is not an active conversation whose messages are stored",
                code="no_review",
                hint="to list pending reviews: promptx-mem review --list",
            )
        part, entry = content[0], state.entry
        topic, related, weights = profile.topic, profile.related, profile.profile or DEFAULT_PROFILE
        text = _dated(part, profile.summary)
        fresh = entry._replace(text=text, topic=topic, related=related, profile=weights, salt=0)
        by = value_hash(fresh)
        earlier = (one for one, _, _ in episodes.parse(episodes.read(where)) if one.id == entry.id and is_edited(one))
        wrong = [line for line in map(value_hash, dict.fromkeys(earlier)) if line != by]
        episodes.add(where, [format_line(fresh)])  # first, so that after a crash the summary is requested again
        if wrong:  # without the event, either summary could be used
            lookup = Lookup(context, cache)
            lookup.adopt(writer)
            event = lookup.event(REPLACED, entry.id, by=by)
            writer.add_events([event._replace(k=event.k + number, line=line) for number, line in enumerate(wrong)])
        unit = str(entry.slice).partition(":")[0]
        part = part._replace(summary=profile.summary, topic=topic, related=related, profile=weights)
        conversations.replace_slice(where, unit, part)
        context.note(writer, "review", verdict="summarised", id=entry.id)
        _follow(context, writer, cache)
        return cache.state(ident) or state


def _follow(context: "Context", writer: Writer, cache: "Cache") -> None:
    """Update the cache and MEMORY.md after lines were appended to the file of episodes."""
    writer.changes.setdefault(parsing.EPISODES, [])  # this writer made the change, so the cache can add it
    if current.add_appended(cache, writer.changes):
        index.refresh(context, cache)


def _dated(part: Slice, summary: str) -> str:
    return f"[{part.at[:10]} {part.at[11:16]}] {summary}"


AT_ONCE = 32
"""Number of slices (runs of messages) written under one lock if no judge is asked. A lock for each would be slower."""

_Cut = tuple[Unit, list[Slice]]
"""A conversation as it was read, and the new slices of it."""


def roll(
    context: "Context",
    unit: str,
    *,
    is_over: bool = False,
    asking: bool = True,
    progress: "Progress | None" = None,
    problems: list[str] | None = None,
) -> list[NewEpisode]:
    """Summarise the due messages of a conversation, or all messages if it `is_over`. Return the stored memories.

    With `asking`, the judge is asked while the lock is not held, and its failures are added to `problems`. Raises
    BusyError, StoreError. Even after an error, no message is lost.
    """
    work = _RollUp(context, asking=asking)
    work.take(conversations.read(context.layout, unit), is_over=is_over, progress=progress)
    return work.done(problems)


def roll_idle(
    context: "Context", now: datetime.datetime, *, everywhere: bool = False, problems: list[str] | None = None
) -> list[NewEpisode]:
    """Summarise the due messages of each conversation, all if it is idle for 4 hours. Finish interrupted summaries.

    Then remove slices over the limits. With `everywhere`, check older conversations too, but remove nothing.
    """
    work = _RollUp(context)
    for unit in retention.check_conversations(context, everywhere=everywhere):
        conversation = conversations.read(context.layout, unit)
        work.take(conversation, is_over=retention.is_over(conversation, now.timestamp()))
    rolled = work.done(problems)
    if not everywhere:
        retention.keep_within(context, now)
    return rolled


def finish(context: "Context", unit: str, writer: Writer) -> list[NewEpisode]:
    """Store, under the lock, the missing memories of summarised messages."""
    return _commit(context, [(conversations.read(writer.layout, unit), [])], writer)


class _RollUp:
    """The summarising of several conversations. Their slices are written in batches.

    A summary comes from the judge, or else consists of the user's first words.
    """

    def __init__(self, context: "Context", *, asking: bool = True) -> None:
        self._context = context
        appointee = appointed()  # also without `asking`, to report an error in the settings
        self._judge = appointee if asking else None
        self._at_once = 1 if self._judge else AT_ONCE  # a judge's answer is stored immediately
        self._failures, self._trouble = 0, ""
        self._cuts: list[_Cut] = []
        self._rolled: list[NewEpisode] = []

    def take(self, conversation: Unit, *, is_over: bool, progress: "Progress | None" = None) -> None:
        """Cut the due messages of a conversation into summarised slices. Write slices in batches of `_at_once`."""
        total = len(conversation.waiting())
        while parts := self._slices(conversation, is_over=is_over):
            self._cuts.append((conversation, parts))
            if sum(len(parts) for _, parts in self._cuts) < self._at_once:
                return
            self._write()
            conversation = conversations.read(self._context.layout, conversation.id, conversation)
            if progress is not None:
                progress(total - len(conversation.waiting()), total)
        if conversation.unfinished():
            self._cuts.append((conversation, []))

    def done(self, problems: list[str] | None) -> list[NewEpisode]:
        """Write the remaining slices. Return all stored memories, and add the judge's failure to `problems`."""
        self._write()
        if problems is not None and self._trouble:
            problems.append(f"the first words are used as the summary: {self._trouble}")
        return self._rolled

    def _write(self) -> None:
        if self._cuts:
            self._rolled += self._context.store.write(partial(_commit, self._context, self._cuts))
            self._cuts = []

    def _slices(self, unit: Unit, *, is_over: bool) -> list[Slice]:
        """Return the next slices (runs of messages with a summary), at most `_at_once`.

        Slices get their numbers when they are written. The same messages form the same slices, even if they arrive
        singly.
        """
        waiting = sorted(unit.waiting().items())
        out: list[Slice] = []
        while len(out) < self._at_once:
            messages = [message for _, message in waiting[: WORKING_MEMORY + 1]]
            if not (count := slice_size(messages, is_over=is_over)):
                break
            out.append(self._slice(messages[:count], waiting[0][0], waiting[count - 1][0]))
            waiting = waiting[count:]
        return out

    def _slice(self, messages: list[Message], first: int, last: int) -> Slice:
        """Return a slice without credentials, because it can be shared through git, unlike the messages."""
        answer = self._ask(messages)
        profile = (answer.profile or DEFAULT_PROFILE) if answer is not None else None
        summary, topic, related, _ = answer or answers.RecallProfile(first_words(messages))
        if find_credentials(summary):
            summary = f"{len(messages)} messages (a credential among their first words is left out)"
        if topic and find_credentials(topic):
            topic = None
        related = tuple(path for path in related if not find_credentials(path))
        now = self._context.now()
        spoken = max(message.times()[0] for message in messages)
        at = datetime.datetime.fromtimestamp(spoken, now.tzinfo) if spoken else now  # no message has a time
        return Slice(0, first, last, at.isoformat(timespec="seconds"), summary, topic, related, profile)

    def _ask(self, messages: list[Message]) -> answers.RecallProfile | None:
        if self._judge is None or self._failures >= MAX_FAILURES:
            return None
        try:
            with self._context.cache() as cache:
                topics = cues.largest_topics(cache)
            profile = _summary(self._judge, messages, topics)
        except JudgeError as error:
            self._failures, self._trouble = self._failures + 1, error.message
            note_failure(self._context, error)
            return None
        self._failures = 0
        return profile


def _commit(context: "Context", cuts: list[_Cut], writer: Writer) -> list[NewEpisode]:
    """Write slices and the memories made from them, unless another process has summarised the messages meanwhile."""
    pending: list[tuple[Unit, Slice]] = []
    for previous, parts in cuts:
        now = conversations.read(writer.layout, previous.id, previous)
        if parts and now.rolled() == previous.rolled():
            conversations.add_slices(writer.layout, now, parts)
            now = conversations.read(writer.layout, previous.id, now)
        pending += [(now, part) for part in now.unfinished()]
    return _store(context, writer, pending) if pending else []


def _store(context: "Context", writer: Writer, pending: list[tuple[Unit, Slice]]) -> list[NewEpisode]:
    """Store the missing memories of slices (summarised messages), then record that they are stored."""
    where = writer.layout
    with current.open_current(where) as cache:
        lookup, stored = Lookup(context, cache), episodes.read(where)
        fresh: dict[str, Entry] = {}
        made = [
            (_episode(lookup, stored, fresh, unit, part), Reference(unit.id, part.number)) for unit, part in pending
        ]
        if fresh:
            lookup.adopt(writer)
            episodes.add(where, [format_line(entry) for entry in fresh.values()])
        conversations.add_episodes(where, [(reference, entry.id) for entry, reference in made])
        if fresh:
            context.note(writer, "converse", *({"id": ident} for ident in fresh), verdict="stored", why="episode")
        _follow(context, writer, cache)
    return [{"id": entry.id, "text": entry.text, "slice": str(of), "topic": entry.topic} for entry, of in made]


def _episode(lookup: Lookup, stored: bytes, fresh: dict[str, Entry], unit: Unit, part: Slice) -> Entry:
    """Return the memory of a slice. If the memory is not stored yet, create it and add it to `fresh`."""
    reference = Reference(unit.id, part.number)
    if (found := episodes.of_slice(stored, reference)) is not None:
        return found
    text = _dated(part, part.summary)
    for salt in itertools.count():
        ident = make_id(text, salt)
        state = lookup.cache.state(ident)
        if state is not None and state.entry.slice == str(reference):
            return state.entry
        if state is None and ident.encode() not in stored and ident not in fresh:
            break
    fresh[ident] = Entry(
        text=text,
        tags=(lookup.context.config.aliases.get(TAG, TAG),),
        score=SCORE,
        duration=LONG,
        id=ident,
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
    return fresh[ident]
