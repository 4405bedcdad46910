"""rollup: the oldest messages of a conversation become a slice and an episode memory (source 004).

In order: the slice's line, the memory's line, the note that it is stored; each durable before the next. After a
crash in between the next run goes on where it stopped: the memory's text and id follow from the slice's line.
"""

import datetime
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from promptx_mem.core.description import Rolled
from promptx_mem.core.entry import LONG, Entry
from promptx_mem.core.ids import make_id
from promptx_mem.core.line import format_line
from promptx_mem.core.slices import SCORE, TAG, Message, Reference, Slice, Unit, cut, first_words
from promptx_mem.core.topics import DEFAULT_PROFILE
from promptx_mem.judge import answers, turns
from promptx_mem.judge.failure import JudgeError
from promptx_mem.judge.judge import appointed
from promptx_mem.search import current, labels
from promptx_mem.store import conversations, episodes
from promptx_mem.store.writer import Writer
from promptx_mem.usecases import idle, index, retention
from promptx_mem.usecases.credential_check import kinds_in
from promptx_mem.usecases.judge_failure import MAX_FAILURES, note_failure
from promptx_mem.usecases.lookup import Lookup

if TYPE_CHECKING:
    from promptx_mem.usecases.context import Context

Progress = Callable[[int, int], None]


def roll(
    context: "Context",
    unit: str,
    *,
    is_over: bool = False,
    asking: bool = True,
    progress: Progress | None = None,
    problems: list[str] | None = None,
) -> list[Rolled]:
    """Roll up what is due, all that waits where the conversation `is_over`; returns the memories that were stored.

    The judge is asked while nothing is locked, unless `asking` is False; what it failed at goes to `problems`.
    Raises BusyError, StoreError; no message is lost by that.
    """
    episodes: list[Rolled] = []
    if conversations.read(context.layout, unit).unfinished():
        episodes += context.store.write(partial(finish, context, unit))
    judge = _Summaries(context, asking=asking)
    total = 0
    conversation = None
    while True:
        conversation = conversations.read(context.layout, unit, conversation)
        waiting = conversation.waiting()
        total = total or len(waiting)
        batch = _batch(waiting, is_over=is_over)
        if not batch:
            if problems is not None and judge.trouble:
                problems.append(f"no summary by the judge, the first words stand for it: {judge.trouble}")
            return episodes
        part = judge.slice([waiting[number] for number in batch], batch, conversation)
        stored = context.store.write(partial(_commit, context, conversation, part))
        if stored is not None:
            episodes.append(stored)
        if progress is not None:
            progress(total - len(waiting) + len(batch), total)


def roll_idle(
    context: "Context", now: datetime.datetime, *, everywhere: bool = False, problems: list[str] | None = None
) -> list[Rolled]:
    """Roll up every conversation that has been idle for 4 hours, and finish what a crash interrupted.

    What is too old then goes; who looks `everywhere` sees to that, and says so.
    """
    episodes = []
    for unit in idle.look(context, everywhere=everywhere):
        conversation = conversations.read(context.layout, unit)
        is_over = idle.is_over(conversation, now.timestamp())
        if is_over or conversation.is_due() or conversation.unfinished():
            episodes += roll(context, unit, is_over=is_over, problems=problems)
    if not everywhere:
        retention.keep_within(context, now)
    return episodes


def finish(context: "Context", unit: str, writer: Writer) -> list[Rolled]:
    """Under the lock: store the memories of slices that have none yet."""
    conversation = conversations.read(writer.layout, unit)
    return [_store(context, writer, conversation, part) for part in conversation.unfinished()]


def _batch(waiting: dict[int, Message], *, is_over: bool) -> list[int]:
    """The numbers of the messages that are next to go; the same whether they came singly or at once."""
    numbers = sorted(waiting)
    return numbers[: cut([waiting[number] for number in numbers], is_over=is_over)]


def _commit(context: "Context", previous: Unit, part: Slice, writer: Writer) -> "Rolled | None":
    """Write a slice and its memory, unless another process has rolled up the same messages meanwhile."""
    now = conversations.read(writer.layout, previous.id, previous)
    if now.rolled() != previous.rolled():
        return None
    conversations.add_slice(
        writer.layout,
        now,
        part.last,
        part.at,
        part.summary,
        topic=part.topic,
        related=part.related,
        profile=part.profile,
    )
    now = conversations.read(writer.layout, previous.id, now)
    return _store(context, writer, now, now.unfinished()[-1])


def _store(context: "Context", writer: Writer, unit: Unit, part: Slice) -> "Rolled":
    """Store the episode of a slice if that has not happened, then note that it has."""
    reference = Reference(unit.id, part.number)
    with current.open_for_writer(writer.layout) as cache:
        lookup = Lookup(writer.layout, cache)
        entry, is_new = _entry(context, lookup, unit, part, reference)
        if is_new:
            if adoptions := lookup.adoptions(context.now().timestamp(), context.host()):
                writer.add_events(adoptions)
            episodes.add(writer.layout, format_line(entry))
            writer.changes.setdefault(episodes.NAME, [])  # an append of this writer's: the cache may follow it
        conversations.add_episode(writer.layout, reference, entry.id)
        if is_new:
            now = context.now()
            record = {"at": now.isoformat(timespec="seconds"), "s": context.session, "cmd": "converse"}
            writer.note([{**record, "verdict": "stored", "why": "episode", "id": entry.id}], now)
        if cache is not None and current.add_appended(cache, writer):
            index.refresh(context, cache)
    return {"id": entry.id, "text": entry.text, "slice": str(reference), "topic": entry.topic}


def _entry(context: "Context", lookup: Lookup, unit: Unit, part: Slice, reference: Reference) -> tuple[Entry, bool]:
    """The episode of a slice, and whether it has to be stored; two slices of one text get ids of their own."""
    text = f"[{part.at[:10]} {part.at[11:16]}] {part.summary}"
    for episode, _, _ in episodes.parse(episodes.read(lookup.layout)):
        if episode.slice == str(reference):
            return episode, False
    salt = 0
    while (state := lookup.state(make_id(text, salt))) is not None:
        if state.entry.slice == str(reference):
            return state.entry, False
        salt += 1
    entry = Entry(
        text=text,
        tags=(context.config.aliases.get(TAG, TAG),),
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
    if context.layout.is_user:
        from promptx_mem.usecases import confirmation

        entry = entry._replace(unconfirmed=confirmation.mark(context))
    return entry, True


class _Summaries:
    """Says what messages were about: the judge's words, else the user's first ones."""

    def __init__(self, context: "Context", *, asking: bool) -> None:
        self._context = context
        self._judge = appointed()
        self._failures = 0 if asking else MAX_FAILURES
        self.trouble = ""
        """Why the judge gave no summary, where it was asked."""

    def slice(self, messages: list[Message], numbers: list[int], unit: Unit) -> Slice:
        """The slice that is to be written; its number is given when it is."""
        answer = self._ask(messages)
        if answer is None:
            answer = answers.RecallProfile(first_words(messages))
        answer = _without_secrets(answer, len(messages))
        weights = answer.profile
        profile = (weights.activation, weights.diffusion, weights.context_independence) if weights else None
        at = _spoken(messages, self._context.now())
        return Slice(
            len(unit.slices) + 1, numbers[0], numbers[-1], at, answer.summary, answer.topic, answer.related, profile
        )

    def _ask(self, messages: list[Message]) -> answers.RecallProfile | None:
        if self._failures >= MAX_FAILURES:
            return None
        try:
            reply = self._judge.ask(turns.summary(messages, _topics(self._context)))
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
    """What is said of a slice may be shared through git, raw messages never are: no credential is repeated in it."""
    if kinds_in(answer.summary):
        answer = answer._replace(summary=f"{messages} messages (a credential among their first words is left out)")
    related = tuple(path for path in answer.related if not kinds_in(path))
    return answer._replace(topic=answer.topic if answer.topic and not kinds_in(answer.topic) else None, related=related)


def _topics(context: "Context") -> list[str]:
    """The topic paths that most memories are bound to."""
    with current.open_current(context.layout) as cache:
        return labels.largest_topics(cache, turns.MAX_TOPICS)


def _spoken(messages: list[Message], now: datetime.datetime) -> str:
    """When the last of some messages was said, in this zone; now where none says so."""
    moment = max(message.times()[0] for message in messages)
    time = datetime.datetime.fromtimestamp(moment, now.tzinfo) if moment else now
    return time.isoformat(timespec="seconds")
