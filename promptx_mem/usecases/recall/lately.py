"""Queries for past conversations, and for a time such as 上次 or `recently`. Descriptions of past conversations."""

import contextlib
import re

from promptx_mem.core.slices import DATED, PAUSE, unit_of
from promptx_mem.core.state import DECIDED
from promptx_mem.core.text import narrowed, printable, shorten
from promptx_mem.core.times import DAY, iso
from promptx_mem.record import TYPE_CHECKING, NamedTuple
from promptx_mem.search import messages
from promptx_mem.search.cache import DAMAGE

if TYPE_CHECKING:
    import datetime
    from collections.abc import Collection

    from promptx_mem.search.cache import Cache
    from promptx_mem.search.messages import Past
    from promptx_mem.search.query import Criteria, Span
    from promptx_mem.usecases.context import Context

JUST, LAST, RECENT = "just", "last", "recent"
_TIMES = {
    JUST: r"刚才|刚刚|方才|剛才|剛剛|\bjust now\b|\ba (?:moment|minute) ago\b|\bso far\b|\bin this session\b"
    r"|\b(?:did|have|had) (?:we|you|i) just\b",
    LAST: r"上一?次|上回|前一次|\blast time\b|\bpreviously\b"
    r"|\bthe (?:last|previous) (?:time|session|conversation|chat)\b",
    RECENT: r"最近|近来|近來|这阵子|這陣子|这几天|這幾天|\brecently\b|\blately\b|\bthese days\b",
}
_TALK = (
    r"[聊谈談讲講说說提讨討](?:[论論]|[天话話]|起|到|及|[了过過]|的是|些|点|點)*|做[了过過]|干了"
    r"|\b(?:talk(?:ed|ing)?|discuss(?:ed|ing)?|chat(?:ted|ting)?|sp(?:eak|oke|oken)|sa(?:y|id)|mention(?:ed)?)\b"
    r"|\b(?:our |the )?(?:conversations?|chats?)\b|(?:(?<=\bwe )|(?<=\byou ))(?:do|done|work(?:ed)? on)\b"
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
    talks = re.search(narrowed(_TALK, lower), lower) is not None
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
    """Return the subject of a question about past conversations; an empty text for other texts."""
    request = read(text)
    is_earlier = request and request.time != JUST and (request.time == LAST or re.search(_EARLIER, text.lower()))
    if request is None or not is_earlier:
        return ""
    return re.sub(r"\b(?:regarding|concerning|topics?|subject)\b", " ", request.rest)


def with_filters(criteria: "Criteria", talks: "Cache | None", context: "Context") -> "Criteria":
    """If the words only request a time or conversations, replace the words with filters, else return `criteria`."""
    now = context.now()
    request = read(criteria.words)
    if request is None or criteria.paths or criteria.otherwise or criteria.spans:
        return criteria
    day = _day(request.rest, now) if request.talks and not request.time else None
    is_all = day or is_alone(request.rest)
    if not is_all or not (request.time or request.rest != criteria.words.lower()):
        return criteria
    spot = (day, None) if day else _requested_span(request.time or RECENT, talks, context.session, criteria.now)
    if spot is None:
        return criteria
    span, name = spot
    if request.time == JUST and not request.talks and "session" not in criteria.words.lower():
        # facts too, which any session can have stored
        span, name = (min(span[0], criteria.now - PAUSE), span[1]), None
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


def _requested_span(time: str, talks: "Cache | None", session: str, now: float) -> "tuple[Span, str | None] | None":
    """Return the time span that a word like 上次 means, and a session's name if it means only one; None if unknown."""
    if time == RECENT:
        return (now - _WEEK, now + 1), None
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


_SUBJECT = 100


def last_conversations(context: "Context", session: str, count: int, shown: "Collection[str]") -> list[str]:
    """Describe up to `count` conversations, newest first. Omit the session's own and those with a memory in `shown`."""
    talks = messages.open_if_quick(context.layout)
    if talks is None:
        return []
    with talks, contextlib.suppress(*DAMAGE):
        last = messages.last_conversations(talks, unit_of(session), count)
        return list(filter(None, (_described(context, past) for past in last if not {*shown} & {*past.ids})))
    return []


def sharing_rare_words(
    context: "Context", session: str, words: str, common: "Collection[str]", known: "Collection[str]", *, asked: bool
) -> tuple[str, str]:
    """Return the name and the description of the past conversation that shares rare words with a prompt.

    Ignore the session's own conversation. Return empty texts if no conversation is found, or if `known` has its name or
    the id of its memory. If `asked`, the prompt asks for a conversation, so one word is enough, even a frequent one.
    """
    from promptx_mem.search.query import parse_query

    talks = messages.open_if_quick(context.layout) if asked else messages.open_if_made(context.layout)
    if talks is None:
        return "", ""
    with talks, contextlib.suppress(*DAMAGE):
        query = parse_query(words, literal=True)
        past = messages.sharing_rare_words(talks, query, unit_of(session), common, asked=asked)
        if past is not None and not {*known} & {past.unit, *past.ids}:
            return past.unit, _described(context, past)
    return "", ""


def _described(context: "Context", past: "Past") -> str:
    """Return the day and subject of a past conversation with the command that shows it; empty if it was forgotten."""
    from promptx_mem.core.credentials import find_credentials
    from promptx_mem.core.shell import join

    subject = past.first
    with context.cache() as cache:
        kept = [one for one in map(cache.state, past.ids) if one is not None and one.end not in DECIDED]
    if len(kept) < len(past.ids):
        return ""
    if kept:
        subject = DATED.sub("", kept[0].entry.text, count=1)
    elif find_credentials(subject):
        subject = "(its first message contains a credential)"
    day = iso(past.spoken)[:10]
    shown = ["show", past.id] if past.id else ["recall", "--category", "episode", "--date", day]
    line = f'{day}, "{printable(shorten(subject, _SUBJECT))}": {join(["promptx-mem", *shown])}'
    return line.replace("<", "&lt;")
