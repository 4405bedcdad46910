"""刚才, 上次, 最近, "what did we talk about": times that conversations give, and the wish for what was said in them.

A question that is nothing else is answered as a date is: with all of that time, in its order. Beside other words such
a word is no content: what was said, and then, goes before what was not.
"""

import re
from typing import TYPE_CHECKING, NamedTuple

from promptx_mem.core.slices import PAUSE, unit_of
from promptx_mem.core.times import DAY
from promptx_mem.search import messages
from promptx_mem.search.criteria import Favour

if TYPE_CHECKING:
    import datetime

    from promptx_mem.search.cache import Cache
    from promptx_mem.search.criteria import Span
    from promptx_mem.usecases.recall.question import Question

JUST, LAST, RECENT = "just", "last", "recent"
_TIMES = (
    (
        JUST,
        (
            r"刚才|刚刚|方才|剛才|剛剛|\bjust now\b|\ba (?:moment|minute) ago\b|\bso far\b|\bin this session\b"
            r"|\b(?:did|have|had) (?:we|you|i) just\b"
        ),
    ),
    (
        LAST,
        (
            r"上一?次|上回|前一次|\blast time\b|\bpreviously\b"
            r"|\bthe (?:last|previous) (?:time|session|conversation|chat)\b"
        ),
    ),
    (RECENT, r"最近|近来|近來|这阵子|這陣子|这几天|這幾天|\brecently\b|\blately\b|\bthese days\b"),
)
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


class Wish(NamedTuple):
    """Which time is asked for, whether what was said is, and the text without the words that say so."""

    time: str
    talks: bool
    rest: str


def read(text: str) -> Wish | None:
    """Read such words in a text; None where there are none."""
    lower = text.lower()
    time = next((name for name, pattern in _TIMES if re.search(pattern, lower)), "")
    talks = re.search(_TALK, lower) is not None
    if not (time or talks):
        return None
    rest = lower
    for _, pattern in _TIMES:
        rest = re.sub(pattern, " ", rest)
    rest = re.sub(_TALK, " ", rest) if talks else rest
    return Wish(time, talks, " ".join(rest.split()))


def is_alone(rest: str) -> bool:
    """Tell whether what is left of a question says nothing."""
    return not re.sub(_LITTLE, "", rest)


def asks_for_earlier(text: str, now: "datetime.datetime") -> bool:
    """Tell whether a text asks for earlier conversations, with their time or day, and for nothing else."""
    wish = read(text)
    if wish is None or not wish.talks or wish.time == JUST:
        return False
    return is_alone(wish.rest) if wish.time else _day(wish.rest, now) is not None


def narrowed(
    question: "Question", wish: Wish, talks: "Cache | None", session: str, now: "datetime.datetime"
) -> "Question":
    """The question as it is meant where some such words stand in it; as it is where nothing fits them."""
    criteria = question.criteria
    if criteria.paths or criteria.otherwise:
        return question
    day = _day(wish.rest, now) if wish.talks and not wish.time else None
    if criteria.spans or not (day or is_alone(wish.rest)):
        time = _favoured(wish, talks, session, criteria.now)
        return question._replace(criteria=criteria._replace(favour=time)) if time else question
    if not (wish.time or wish.rest != criteria.words.lower()):
        return question
    spot = (day, None) if day else _spot(wish.time or RECENT, talks, session, criteria.now)
    if spot is None:
        return question
    span, name = spot
    narrow = criteria._replace(
        words="",
        spans=(span,),
        session=name or criteria.session,
        category=criteria.category or ("episode" if wish.talks else None),
        newest=not day and (wish.time or RECENT) == RECENT,
    )
    return question._replace(criteria=narrow, as_words=question.as_words or criteria.words)


def _day(rest: str, now: "datetime.datetime") -> "Span | None":
    """The date that is all that is left of a question."""
    from promptx_mem.core.dates import find_dates

    mentions, _ = find_dates(rest, now)
    if len(mentions) != 1:
        return None
    first, last = mentions[0].span
    return (
        (mentions[0].start.timestamp(), mentions[0].end.timestamp()) if is_alone(rest[:first] + rest[last:]) else None
    )


def _favoured(wish: Wish, talks: "Cache | None", session: str, now: float) -> Favour | None:
    if wish.time == JUST and (spot := _spot(JUST, talks, session, now)) is not None:
        return Favour(*spot, talks=False)
    if wish.time == RECENT:
        return Favour((now - _WEEK, now + 1), None, talks=False)
    return Favour((0.0, now + 1), None, talks=True) if wish.talks or wish.time else None


def _spot(time: str, talks: "Cache | None", session: str, now: float) -> "tuple[Span, str | None] | None":
    """From when to when, and in which session if in one."""
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
