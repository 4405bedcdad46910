"""Messages of past conversations in an answer, and queries for past conversations."""

import contextlib
import re
from collections.abc import Callable

from promptx_mem.core import prompt_block
from promptx_mem.core.description import Activation, Description, Turn
from promptx_mem.core.times import DAY
from promptx_mem.errors import UsageError
from promptx_mem.record import TYPE_CHECKING, NamedTuple
from promptx_mem.search.query import Criteria, Favour, Span

if TYPE_CHECKING:
    import datetime

    from promptx_mem.core.slices import Message, Slice
    from promptx_mem.search.cache import Cache
    from promptx_mem.store.layout import Layout

LONGEST_MESSAGE, SHORT_MESSAGE = 2_000, 160
"""Maximum lengths, in characters, of a message in an answer. The second is used if the token budget is small."""


def activate(
    where: "Layout", reference: str, *, messages: bool, number: int | None = None, words: str = ""
) -> Activation:
    """Return a slice of a conversation with summary, date, time and messages (source 004's *ActivatedMemorySlice*).

    If a slice has more than 10 messages, return only the first 2, the middle 4 and the last 2. If `number` (of the
    matching message) is given, return 4 messages around it instead of the middle ones. `left_out` has the number of
    omitted messages in each gap. If a slice cannot be read, `missing` is True and there are no messages. Of a long
    matching message, return only the passage with most of `words`.
    """
    from promptx_mem.core.topics import excerpt

    blank: Activation = {
        "ref": reference, "date": None, "time": None, "summary": None, "messages": [], "left_out": [], "missing": True,
    }  # fmt: skip
    content = _read(where, reference)
    if content is None:
        return blank
    part, raw, first = content
    match = None if number is None else number - first
    extract = excerpt(len(raw), match)
    whole: list[Turn] = [
        {"role": raw[i].role, "text": _bounded(raw[i].text, words if i == match else ""), "at": raw[i].at}
        for i in extract.indices
    ]
    blank |= {"date": part.at[:10], "time": part.at[11:16], "summary": part.summary, "missing": False}
    left_out = list(extract.left_out) if messages else [len(raw)]
    return {**blank, "messages": whole if messages else [], "left_out": left_out}


def _read(where: "Layout", reference: str) -> "tuple[Slice, list[Message], int] | None":
    """Return a slice, its messages, and the first message's number. Messages without a summary count as one slice."""
    from promptx_mem.core.slices import Slice, first_words, is_unit, parse_reference
    from promptx_mem.errors import StoreError
    from promptx_mem.search.messages import WAITING
    from promptx_mem.store import conversations, files

    if files.identity(where.purge) is not None:  # a message could still contain a purged text
        return None
    name, _, part = reference.rpartition(":")
    with contextlib.suppress(OSError, StoreError):
        if part == WAITING and is_unit(name):
            waiting = sorted(conversations.read(where, name).waiting().items())
            raw = [message for _, message in waiting]
            if waiting:
                first, last = waiting[0][0], waiting[-1][0]
                return Slice(0, first, last, raw[-1].at or "", first_words(raw)), raw, first
        elif (named := parse_reference(reference)) and (content := conversations.read_slice(where, named)):
            return (*content, content[0].first)
    return None


def _bounded(text: str, words: str = "", room: int = LONGEST_MESSAGE) -> str:
    if len(text) <= room:
        return text
    from promptx_mem.core.slices import passage
    from promptx_mem.search.tokens import fold, plain_terms

    return passage(text, plain_terms(fold(words).lower()), room)


_LEAST = 20
"""Minimum number of tokens of a memory in any format. If fewer tokens remain, no further memory is rendered."""


def fit(
    memories: list[Description], limit: int, build: Callable[[list[Description], int], str], words: str = ""
) -> list[Description]:
    """Return as many of `memories`, in order, as fit into `limit` tokens.

    `build(memories, left_out)` renders an answer. If the messages of a slice do not fit, they are cut to the passages
    with most of `words`, or omitted.
    """
    many = len(memories)
    if prompt_block.tokens(build(memories, 0)) <= limit:
        return memories
    empty = prompt_block.tokens(build([], many))
    if empty > limit:
        raise UsageError(
            f"--budget {limit} is too small: an answer without any memory already has {empty} tokens",
            hint=f"give at least {empty}; each memory adds about 60",
        )
    selection: list[Description] = []
    spent = empty
    for memory in memories:
        if limit - spent < _LEAST:
            break
        forms = [memory]
        if part := memory["slice"]:
            turns: list[Turn] = [
                {**turn, "text": _bounded(turn["text"], words, SHORT_MESSAGE)} for turn in part["messages"]
            ]
            every = len(turns) + sum(part["left_out"])
            forms.append({**memory, "slice": {**part, "messages": turns}})
            forms.append({**memory, "slice": {**part, "messages": [], "left_out": [every]}})
        for form in forms:
            cost = prompt_block.tokens(build([form], many)) - empty
            if spent + cost <= limit:
                selection.append(form)
                spent += cost
                break
    # The parts together can have more tokens than estimated, so the whole answer is counted again.
    while selection and prompt_block.tokens(build(selection, many - len(selection))) > limit:
        selection.pop()
    return selection


JUST, LAST, RECENT = "just", "last", "recent"
_TIMES = {
    JUST: r"刚才|刚刚|方才|剛才|剛剛|\bjust now\b|\ba (?:moment|minute) ago\b|\bso far\b|\bin this session\b"
    r"|\b(?:did|have|had) (?:we|you|i) just\b",
    LAST: r"上一?次|上回|前一次|\blast time\b|\bpreviously\b"
    r"|\bthe (?:last|previous) (?:time|session|conversation|chat)\b",
    RECENT: r"最近|近来|近來|这阵子|這陣子|这几天|這幾天|\brecently\b|\blately\b|\bthese days\b",
}
_TALK = (
    r"[聊谈談讲講说說提讨討](?:[论論]|[天话話]|起|到|及|[了过過]|的是|些|点|點)*"
    r"|\b(?:talk(?:ed|ing)?|discuss(?:ed|ing)?|chat(?:ted|ting)?|sp(?:eak|oke|oken)|sa(?:y|id)|mention(?:ed)?)\b"
    r"|\b(?:our |the )?(?:conversations?|chats?)\b"
)
_LITTLE = (
    r"我们|我們|咱们|咱們|[我你您咱跟和与與都的了吗嗎呢呀啊在有还還是过過啥些]|什么|什麼|哪些|内容|內容|话题|話題|事情"
    r"|东西|東西|记得|記得|[\s\W_]"
    r"|\b(?:we|i|you|us|me|our|my|the|a|an|did|do|does|have|has|had|been|were|was|is|are|what|which|things?|topics?"
    r"|about|in|on|of|with|to|and|it|that|remember|can|tell|so|just)\b"
)
_WEEK = 7 * DAY


class TimeRequest(NamedTuple):
    """A query for a time or conversations.

    `time` is JUST, LAST, RECENT or empty. `talks` is True for conversations. `rest` has the other words of the query.
    """

    time: str
    talks: bool
    rest: str


def read(text: str) -> TimeRequest | None:
    """Return the request for a time or for conversations in a text; None if there is none."""
    lower = text.lower()
    time = next((name for name, pattern in _TIMES.items() if re.search(pattern, lower)), "")
    talks = re.search(_TALK, lower) is not None
    if not (time or talks):
        return None
    rest = lower
    for pattern in _TIMES.values():
        rest = re.sub(pattern, " ", rest)
    rest = re.sub(_TALK, " ", rest) if talks else rest
    return TimeRequest(time, talks, " ".join(rest.split()))


def is_alone(rest: str) -> bool:
    """Return whether the rest of a query has no words that can be searched."""
    return not re.sub(_LITTLE, "", rest)


def asks_for_earlier(text: str, now: "datetime.datetime") -> bool:
    """Return whether a text asks only for earlier conversations, by a time or a day."""
    request = read(text)
    if request is None or not request.talks or request.time == JUST:
        return False
    return is_alone(request.rest) if request.time else _day(request.rest, now) is not None


_EARLIER = (
    r"\b(?:did|have|had|were) (?:we|you|i)\b|\b(?:we|you|i)(?:['’](?:d|ve)| had| have)?(?: \w{1,12})? "
    r"(?:talked|discussed|chatted|spoken?|said|mentioned)\b"
    r"|\b(?:our|last|previous|earlier|past) (?:\w{1,12} )?(?:conversation|chat)s?\b"
    r"|[聊谈談讨討][论論]?[过過]"
    r"|(?:[我咱][们們]|上次|上一次|上回|前一次|之前|以前|曾|记得|記得|[昨前]天).{0,12}"
    r"[聊谈談讲講说說提讨討](?:[论論]|起)?(?:[了过過到及]|的(?![话話]))"
)


def subject_of_earlier(text: str) -> str:
    """Return a question about past conversations without the words of asking; for another text an empty one."""
    request = read(text)
    is_earlier = request and request.time != JUST and (request.time == LAST or re.search(_EARLIER, text.lower()))
    if request is None or not is_earlier:
        return ""
    return re.sub(r"\b(?:regarding|concerning|topics?|subject)\b", " ", request.rest)


def narrowed(
    criteria: "Criteria", request: TimeRequest, talks: "Cache | None", session: str, now: "datetime.datetime"
) -> "Criteria":
    """Return criteria that limit the results to the requested time or conversations, or rank these higher."""
    if criteria.paths or criteria.otherwise:
        return criteria
    day = _day(request.rest, now) if request.talks and not request.time else None
    if criteria.spans or not (day or is_alone(request.rest)):
        time = _favoured(request, talks, session, criteria.now)
        return criteria._replace(favour=time) if time else criteria
    if not (request.time or request.rest != criteria.words.lower()):
        return criteria
    spot = (day, None) if day else _requested_span(request.time or RECENT, talks, session, criteria.now)
    if spot is None:
        return criteria
    span, name = spot
    return criteria._replace(
        words="",
        spans=(span,),
        session=name or criteria.session,
        category=criteria.category or ("episode" if request.talks else None),
        newest=not day and (request.time or RECENT) == RECENT,
    )


def _day(rest: str, now: "datetime.datetime") -> "Span | None":
    """Return the span of a date or range of dates if the rest of a query is only that, else None."""
    from promptx_mem.usecases.recall.dates import span_in

    found = span_in(rest, now)
    return found[0] if found and is_alone(found[1]) else None


def _favoured(request: TimeRequest, talks: "Cache | None", session: str, now: float) -> Favour | None:
    if request.time == JUST and (spot := _requested_span(JUST, talks, session, now)) is not None:
        return Favour(*spot, talks=False)
    if request.time == RECENT:
        return Favour((now - _WEEK, now + 1), None, talks=False)
    return Favour((0.0, now + 1), None, talks=True) if request.talks or request.time else None


def _requested_span(time: str, talks: "Cache | None", session: str, now: float) -> "tuple[Span, str | None] | None":
    """Return the time span that a word like 上次 means, and a session's name if the word means only one session."""
    if time == RECENT:
        return (now - _WEEK, now + 1), None
    from promptx_mem.core.slices import PAUSE, unit_of
    from promptx_mem.search import messages

    if talks is None:
        return ((now - PAUSE, now + 1), session) if time == JUST else None
    own = unit_of(session)
    run = messages.stretch(talks, own, now + 1)
    if time == JUST:
        return ((run[0], now + 1), session) if run else ((now - PAUSE, now + 1), None)
    start = run[0] if run and run[1] > now - PAUSE else now + 1
    last = messages.newest_conversation(talks, own, start)
    before = messages.stretch(talks, last[0], start if last[0] == own else now + 1) if last else None
    return (before, last[1]) if last and before else None
