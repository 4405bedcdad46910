"""Corrections: newer memories that replace found memories, but share no word with the question.

A question about the present finds "we live in Graz", but not "I moved to Linz". Two kinds of such corrections are
found. In the first, the newer text names an older value as given up (`Boris took over from Anna`, 从 MySQL 迁走了). In
the second, the author describes a change that ends the older state (`we moved to`, 换了工作).
"""

from __future__ import annotations

from functools import partial

from promptx_mem.core.state import may_go_first
from promptx_mem.core.text import pattern
from promptx_mem.record import TYPE_CHECKING
from promptx_mem.search import candidates
from promptx_mem.search.query import Condition, parse_query
from promptx_mem.search.ranking import COMMON_WORDS, CORRECTS, Hit
from promptx_mem.search.tokens import STOP_WORDS, contains, fold

if TYPE_CHECKING:
    from collections.abc import Callable

    from promptx_mem.search.cache import Cache


BEST, CANDIDATES = 2, 30
"""Number of best matches for which corrections are searched, and number of candidates for each match."""

_LONGEST = 300
"""Number of compared characters of a memory. A small number is enough, since corrections are short."""

_LEFT = (
    r"\b(?:from|left|leaving|replace[ds]|replacing|sold|quit|dropped|dropping|retired|instead of|gave up|away from"
    r"|got rid of|(?:no longer|not|never) (?:\w{1,20} )?(?:any ?more )?)\s{0,2}(?:(?:the|our|my|his|her|their|an?) )?"
    r"([a-z][\w.-]{0,40})"
)
_LEFT_CHINESE = (
    "(?:从|离开|接替|代替|取代|替换|告别|戒掉?|不再[^，。0-9a-z]{0,2})了? ?([0-9a-z][\\w.]{1,40}|[\u4e00-\u9fff]{2})"
    "|([0-9a-z][\\w.]{1,40}|[\u4e00-\u9fff]{2}) ?(?:已经?|都)?(?:卖|停用|下线|弃用|退)(?:掉|了)"
    "|把 ?([0-9a-z][\\w.]{1,40}|[\u4e00-\u9fff]{2,4}?) ?(?:换|改|停|卖|退)"
)

_SELF = r"\b(?:i|my|me|we|our|us)\b|我|咱|家"
_TELLING = r"\b(?:i|we)(?:'ve| have)?(?: just| now| recently| finally)? "
_TELLING_CHINESE = (
    "(?:^|[，。；,;])(?:我们?|咱们?|全家|家里|已经?|刚刚?|又|上个?月|这个?月|上周|这周|今年|去年|昨天|今天|最近"
    "|[0-9一二三四五六七八九十]+月份?|[ ，])*"
)
_MOVED = f"{_TELLING}(?:moved|relocated) (?:in)?to\\b|{_TELLING_CHINESE}搬(?:到|去|进|来|家)"
_HIRED = (
    f"{_TELLING}joined\\b|(?:^|{_TELLING})(?:started|got|have) (?:a|my) new job\\b|\\bmy new (?:job|employer)\\b"
    f"|{_TELLING_CHINESE}(?:换了工作|换到|跳槽|入职)"
)
_CALLED = f"\\bmy new (?:phone|number|sim)\\b|\\breach me (?:at|on)\\b|{_TELLING_CHINESE}换(?:了)?号"
_STATES = (
    (
        r"\b(?:live|living|home|address|apartment|flat|town|city)\b|住|家在|地址",
        _MOVED,
        "moved relocated 搬到 搬去 搬进 搬来 搬家",
    ),
    (
        r"\b(?:work|working|job|employer|company)\b|上班|工作|单位|公司|雇主",
        _HIRED,
        "joined job employer 工作 跳槽 入职 换到",
    ),
    (r"\b(?:phone|number|mobile)\b|电话|号码|手机", _CALLED, "phone number sim reach 换号 换了"),
)
"""Rows: the pattern of a question, the pattern of a text that describes the change, and words that find this text."""


def add(hits: dict[int, Hit], cache: Cache, question: str, where: Condition) -> None:
    """For each of a question's best matches, insert the newest correction directly before the match."""
    clear = (hit for hit in hits.values() if not hit.weak)
    for old in sorted(clear, key=lambda hit: -hit.score)[:BEST]:
        text = fold(old.state.entry.text[:_LONGEST]).lower()
        told = _newer(cache, where, old, text, partial(_names_as_left, old=text))
        for asks, tells, terms in _STATES:
            if all(pattern(form).search(said) for form in (asks, _SELF) for said in (fold(question).lower(), text)):
                told += _newer(cache, where, old, terms, pattern(tells).search)
        new = max(told, key=lambda hit: (hit.state.first_at, hit.rowid), default=None)
        if new is None:
            continue
        hit = hits.setdefault(new.rowid, new)
        if hit.score <= old.score:
            hit.add(CORRECTS, old.score - hit.score + CORRECTS.weight)
        hit.weak = False
        if hit is new:
            hit.via.append("words")


def _newer(cache: Cache, where: Condition, old: Hit, words: str, tells: Callable[[str], object]) -> list[Hit]:
    sql, params = where
    matches = candidates.search(cache.db, parse_query(words, literal=True), limit=CANDIDATES, where=sql, params=params)
    states = cache.states_at([match.rowid for match in matches])
    return [
        Hit(row, state)
        for row, state in states.items()
        if state.first_at > old.state.first_at
        and may_go_first(state, old.state)
        and tells(fold(state.entry.text[:_LONGEST]).lower())
    ]


def _names_as_left(new: str, old: str) -> bool:
    """Return whether the text `new` names a value of `old` as given up. Both texts are folded and in lower case."""
    names = [match[1] for match in pattern(_LEFT).finditer(new)]
    names += [match[1] or match[2] or match[3] for match in pattern(_LEFT_CHINESE).finditer(new)]
    return any(contains(old, name.rstrip(".")) for name in names if name not in STOP_WORDS and name not in COMMON_WORDS)
