"""The slices whose summary is only the first words: who can say what they were about is asked, for 14 days.

What somebody has said has a profile, which the first words have not. The episode keeps its id, its time and what
happened to it: its line comes again with the new text, as if a person had edited it.
"""

import datetime
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from promptx_mem.core.line import format_line
from promptx_mem.core.slices import Message, Slice, parse_reference
from promptx_mem.core.state import State, lives
from promptx_mem.core.times import DAY
from promptx_mem.core.topics import DEFAULT_PROFILE
from promptx_mem.errors import Refused, StoreError
from promptx_mem.judge import answers, turns
from promptx_mem.judge.failure import JudgeError
from promptx_mem.judge.judge import CallingAgent, appointed
from promptx_mem.search import current, labels, memories
from promptx_mem.store import conversations, episodes
from promptx_mem.store.store import disk_errors
from promptx_mem.store.writer import Writer
from promptx_mem.usecases import index
from promptx_mem.usecases.credential_check import demand_none
from promptx_mem.usecases.judge_failure import note_failure

if TYPE_CHECKING:
    from promptx_mem.search.cache import Cache
    from promptx_mem.usecases.context import Context

DAYS = 14
"""For so long after it was said somebody is asked what a slice was about."""


class Fallback(NamedTuple):
    """An episode whose text is only the first words, with its slice."""

    state: State
    part: Slice
    messages: list[Message]


def waiting(cache: "Cache", now: float) -> list[State]:
    """The living episodes that nobody has summarised, the oldest first."""
    return memories.unsummarised(cache, now - DAYS * DAY, now)


def find(context: "Context", prefix: str) -> State | None:
    """The episode whose id is, or begins with, a text."""
    with current.open_current(context.layout) as cache:
        idents = cache.matching(prefix.lower(), 2)
        return cache.state(idents[0]) if len(idents) == 1 else None


def read(context: "Context", state: State) -> Fallback | None:
    """An episode with what was said; None where that is not kept any more."""
    reference = parse_reference(state.entry.slice or "")
    try:
        content = conversations.read_slice(context.layout, reference) if reference else None
    except (OSError, StoreError):
        return None
    return Fallback(state, *content) if content and content[1] else None


def put(context: "Context", ident: str, profile: answers.RecallProfile) -> State:
    """Replace the summary of an episode. Raises Refused where it does not wait for one, or holds a credential."""
    for text in (profile.summary, profile.topic, *profile.related):
        demand_none("summary", text)
    return context.store.write(partial(_put, context, ident, profile))


def ask(context: "Context", most: int) -> tuple[int, str]:
    """Ask the judge about up to `most` of them; returns how many were summarised, and why one was not."""
    judge = appointed()
    if isinstance(judge, CallingAgent) or most <= 0:
        return 0, ""
    now = context.now().timestamp()
    with current.open_current(context.layout) as cache:
        states = waiting(cache, now)[:most]
        topics = labels.largest_topics(cache, turns.MAX_TOPICS) if states else []
    summarised = 0
    for fallback in filter(None, (read(context, state) for state in states)):
        try:
            reply = judge.ask(turns.summary(fallback.messages, topics))
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
        waits = state is not None and state in waiting(cache, now.timestamp())
        fallback = read(context, state) if state is not None and waits else None
        if state is None or fallback is None or not lives(state, now.timestamp()):
            raise Refused(
                f"no summary of {ident} is waited for",
                code="no_review",
                hint="promptx-mem review --list shows what waits",
            )
        weights = profile.profile or DEFAULT_PROFILE
        _write(writer, state, fallback.part, profile._replace(profile=weights), now, context.session)
        if current.add_appended(cache, writer):
            index.refresh(context, cache)
        after = cache.state(ident)
    return after or state


def _write(
    writer: Writer, state: State, part: Slice, profile: answers.RecallProfile, now: datetime.datetime, session: str
) -> None:
    """The episode's line first: where a crash comes in between, the summary is asked for again."""
    where, entry = writer.layout, state.entry
    weights = profile.profile or DEFAULT_PROFILE
    numbers = (weights.activation, weights.diffusion, weights.context_independence)
    reference = parse_reference(entry.slice or "")
    assert reference is not None
    text = f"[{part.at[:10]} {part.at[11:16]}] {profile.summary}"
    fresh = entry._replace(text=text, topic=profile.topic, related=profile.related, profile=numbers, salt=0)
    episodes.add(where, [format_line(fresh)])
    whole = part._replace(summary=profile.summary, topic=profile.topic, related=profile.related, profile=numbers)
    conversations.replace_slice(where, reference.unit, whole)
    writer.changes.setdefault(episodes.NAME, [])  # an append of this writer's: the cache may follow it
    record = {"at": now.isoformat(timespec="seconds"), "s": session, "cmd": "review", "verdict": "summarised"}
    writer.note([{**record, "id": entry.id}], now)
