"""Searches by topic, date and importance, and for corrections of found memories.

Also lists of a store's tags and topics.
"""

import sys
from functools import partial

from promptx_mem.core import state as order
from promptx_mem.core.json_text import loads
from promptx_mem.core.state import may_go_first
from promptx_mem.core.text import pattern
from promptx_mem.core.topics import Path, format_path, parse_path
from promptx_mem.record import TYPE_CHECKING, Any
from promptx_mem.search import candidates, ranking
from promptx_mem.search.cache import LIVING, UNDECIDED, UNSCORED, Cache, to_state
from promptx_mem.search.query import Condition, Criteria, parse_query, tag_key
from promptx_mem.search.ranking import COMMON_WORDS, CORRECTS, NEWER, Hit
from promptx_mem.search.tokens import STOP_WORDS, contains, fold

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from promptx_mem.core.topics import Binding, TopicHit
    from promptx_mem.search.importance import Ranked

TOPIC_SCALE = 2.16


def by_topic(hits: dict[int, Hit], path: "Path", limit: int, cache: Cache, criteria: Criteria) -> None:
    """Add to `hits` the best `limit` memories of a topic path, scored as in source 004.

    If there are none, add those of its subtopics. The filters apply to all candidates.
    """
    from promptx_mem.core.topics import collect

    where, params = criteria.where()
    bindings: dict[str, int] = {}

    def lookup(node: "Path", newest: int | None) -> "Sequence[Binding]":
        records = cache.db.execute(
            "SELECT memories.rowid AS row, id, noted, extra FROM topics "  # noqa: S608 - conditions of ours
            "JOIN memories ON memories.rowid = topics.row "
            f"WHERE path = ? AND bound = 1 AND {where} "
            "ORDER BY noted DESC, id LIMIT ?",
            (format_path(node), *params, -1 if newest is None else newest),
        ).fetchall()
        bindings.update((row["id"], row["row"]) for row in records)
        return [binding(row, node) for row in records]

    def exists(node: "Path") -> bool:
        return cache.has("topics WHERE path = ?", format_path(node))

    def matches(node: "Path") -> "list[TopicHit]":
        return collect(node, lookup, exists, criteria.now, limit)

    found = matches(path)
    if not found:
        below = labels(cache, PATHS, format_path((*path, "")))
        found = [match for name in below for match in matches(parse_path(name))]
    states = cache.states_at([bindings[match.binding.id] for match in found])
    for match in found:
        rowid = bindings[match.binding.id]
        hit = hits.setdefault(rowid, Hit(rowid, states[rowid]))
        terms = {name: ranking.TOPIC.weight * part / TOPIC_SCALE for name, part in match.parts.items()}
        topic_terms = {name: part for name, part in hit.terms.items() if name.startswith("topic ")}
        hit.weak = False
        if sum(terms.values()) > sum(topic_terms.values()):  # if another path found the memory, the better score counts
            hit.terms = {name: part for name, part in hit.terms.items() if name not in topic_terms} | terms
            hit.via = [way for way in hit.via if not way.startswith("topic")] + [next(iter(terms))]


def admitted(cache: Cache, criteria: Criteria) -> set[str]:
    """Return the ids of the memories that pass the filters of a search."""
    where, params = criteria.where()
    return {ident for (ident,) in cache.db.execute(f"SELECT id FROM memories WHERE {where}", params)}  # noqa: S608 - conditions of ours


def by_date(cache: Cache, criteria: Criteria, count: int | None, talks: Cache | None) -> list[Hit]:
    """Return `count` memories (None: all, with `newest` 10) of the search's dates. With `talks`, also conversations."""
    where, given = criteria.where()
    if criteria.newest:
        count = 10 if count is None else count
    limit = "" if count is None else f" LIMIT {int(count)}"
    down = " DESC" if criteria.newest else ""
    ordered = f"ORDER BY {UNSCORED}, first_at{down}, rowid{down}{limit}"
    sql = f"SELECT * FROM memories WHERE {where} {ordered}"  # noqa: S608 - conditions of ours
    params = [*given, criteria.now]
    hits = [Hit(row["rowid"], to_state(row), via=["date"]) for row in cache.db.execute(sql, params)]
    if talks is None:
        return hits
    from promptx_mem.search import messages

    return messages.MessageSearch(talks, cache.db, criteria).of_dates(hits)[:count]


def by_importance(cache: Cache, criteria: Criteria, count: int, *, own: bool) -> list[Hit]:
    """Return the `count` most important matches, in the order of `core.state`. Unscored memories are last."""
    from promptx_mem.search import importance

    (where, params), now = criteria.where(), criteria.now

    def best(condition: str, most: int) -> "list[Ranked]":
        is_narrow, given = criteria.ended or _tagged(cache, criteria) < _RARE, [*params, now]
        return importance.best(cache, f"{where} AND {condition}", given, most, now, own=own, narrow=is_narrow)

    if criteria.is_narrowed() or criteria.ended:
        ranked = best(f"NOT {UNSCORED}", count)
    else:
        facts = importance.facts(cache, now, count, own=own)
        talks = importance.talks(cache, now, count, own=own)
        of_facts, of_talks = _shares(count, len(facts), len(talks))
        ranked = [*facts[:of_facts], *sorted(talks, key=lambda one: one.place)[:of_talks]]
    if len(ranked) < count and not criteria.scored and importance.unscored_memories(cache, now):
        ranked += best(UNSCORED, count - len(ranked))
    return [Hit(one.rowid, one.state, {"importance": -one.place[1]}, ["importance"]) for one in ranked]


_RARE = 300
"""Number of memories with a tag. If it is smaller, sorting them is faster than reading all by importance."""


def _tagged(cache: Cache, criteria: Criteria) -> int:
    """Return the number of memories, active or ended, that have the rarest tag of a search; all without tags."""
    sql = "SELECT count(*) FROM tags WHERE tag = ?"
    rows = (cache.db.execute(sql, (tag_key(tag),)).fetchone() for tag in criteria.tags)
    return min((int(row[0]) for row in rows), default=cache.total())


_ENDED = f"SELECT rowid FROM memories INDEXED BY memories_ended WHERE NOT {UNDECIDED}"  # noqa: S608 - a constant
_EXPIRED = f"SELECT rowid FROM memories INDEXED BY memories_ending WHERE {UNDECIDED} AND ends_at <= ?"  # noqa: S608 - a constant


def count(cache: Cache, criteria: Criteria) -> int:
    """Count the memories that pass the filters, for a recall without words and topics."""
    where, params = criteria.where()
    sql = f"SELECT count(*) FROM memories WHERE {where}"  # noqa: S608 - conditions of ours
    if not (criteria.spans or criteria.ended):
        from promptx_mem.search import importance

        active = importance.active(cache, criteria.now)
        if not criteria.is_narrowed():
            return active
        has_only_tags = not (criteria.scored or criteria.talks or criteria._replace(tags=()).is_narrowed())
        if has_only_tags and cache.total() - active <= _tagged(cache, criteria):
            # Subtracting the few inactive memories is faster than reading the rows of all memories with the tags.
            having = " INTERSECT ".join(["SELECT row FROM tags WHERE tag = ?"] * len(criteria.tags))
            sql = f"SELECT count(*) FROM ({having} EXCEPT {_ENDED} EXCEPT {_EXPIRED})"  # noqa: S608 - constants
            params = [*map(tag_key, criteria.tags), criteria.now]
    return int(cache.db.execute(sql, params).fetchone()[0])


def active_tags(cache: Cache, now: float) -> list[str]:
    """Return the tags of all active memories as written, repeated for each memory that has them."""
    rows = cache.db.execute(f"SELECT tags FROM memories WHERE tags <> '' AND {LIVING}", (now,))  # noqa: S608 - constants
    return [tag for (tags,) in rows for tag in tags.split()]


TAGS, PATHS = "SELECT tag AS name, row FROM tags", "SELECT path AS name, row FROM topics"


def labels(cache: Cache, names: str, begun: str = "", count: int = -1) -> list[str]:
    """Return up to `count` (-1: all) TAGS (case-folded) or PATHS that begin with `begun`, the most frequent first."""
    sql = f"SELECT name FROM ({names}) WHERE name >= ? AND name < ? GROUP BY name ORDER BY count(*) DESC, name LIMIT ?"  # noqa: S608 - constants
    return [row[0] for row in cache.db.execute(sql, (begun, begun + chr(sys.maxunicode), count))]


def newest(cache: Cache, begun: str, now: float, count: int, *, lives: bool) -> list[tuple[str, str]]:
    """Return id and text of the newest memories, active (with `lives`) or ended, whose ids begin with `begun`."""
    condition = LIVING if lives else f"NOT ({LIVING}) AND ifnull(end, '') <> 'purged'"
    query = (
        "SELECT id, text FROM memories WHERE rowid IN (SELECT row FROM lines WHERE id >= ? AND id < ?) "  # noqa: S608 - constants
        f"AND {condition} ORDER BY first_at DESC, id LIMIT ?"
    )
    return [tuple(row) for row in cache.db.execute(query, (begun, begun + "~", now, count))]


def topics(cache: Cache, now: float) -> dict[str, int]:
    """Return the number of memories active at `now` in each topic; 0 for a topic that is only declared as related."""
    query = f"SELECT topic, count(*) FROM memories WHERE topic IS NOT NULL AND {LIVING} GROUP BY topic"  # noqa: S608 - constants
    gains = [(topic, count) for topic, count in cache.db.execute(query, (now,))]
    has_more = "(instr(extra, '\"topics\"') OR instr(extra, '\"related\"'))"
    for (extra,) in cache.db.execute(f"SELECT extra FROM memories WHERE {has_more} AND {LIVING}", (now,)):  # noqa: S608 - constants
        fields = loads(extra)
        gains += [(name, 1) for name in fields.get("topics", ())]
        gains += [(name, 0) for name in fields.get("related", ())]
    counts: dict[str, int] = {}
    for name, gain in gains:
        if path := format_path(parse_path(name)):
            counts[path] = counts.get(path, 0) + gain
    return counts


MAX_TOPICS = 50
"""Maximum number of topic paths in a prompt for a judge."""


def largest_topics(cache: Cache) -> list[str]:
    """Return up to MAX_TOPICS topic paths, those with the most memories (active or ended) first."""
    cursor = cache.db.execute(
        "SELECT path FROM topics GROUP BY path ORDER BY sum(bound) DESC, count(*) DESC, path LIMIT ?", (MAX_TOPICS,)
    )
    return [str(row[0]) for row in cursor]


def binding(row: Any, path: Path) -> "Binding":
    """Return the connection of a memory (`row`) to a topic path, with the memory's related paths and weights."""
    from promptx_mem.core.topics import DEFAULT_PROFILE, Binding, Profile

    extra = loads(row["extra"]) if row["extra"] else {}
    related = tuple(parse_path(node) for node in extra.get("related", ()))
    profile = Profile(*extra["profile"]) if extra.get("profile") else DEFAULT_PROFILE
    return Binding(row["id"], path, row["noted"], related, profile)


NEAR_BEST = 0.5
"""A memory gains from being newer only if its own words score at least this share of the best score."""


def favour_newer(hits: "Sequence[Hit]", noted: "Callable[[Hit], float]") -> None:
    """Among hits with at least NEAR_BEST of the best score, raise the scores of newer memories."""
    top = max((hit.score for hit in hits), default=0.0)
    near = sorted((hit for hit in hits if hit.own >= NEAR_BEST * top), key=lambda hit: ranking.age(hit, noted))
    for place, hit in enumerate(near):
        if place:
            hit.add(NEWER, NEWER.weight * top * place / (len(near) - 1))


BEST, CANDIDATES = 2, 30
"""Number of best matches for which corrections are searched, and number of candidates for each match."""

_LONGEST = 300
"""Number of compared characters of a memory. Corrections are short."""

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

_SELF = r"\b(?:i|my|me|we|our|us|the user)\b|我|咱|家|用户"
_TELLING = r"\b(?:i|we|the user)(?:'ve| have| has)?(?: just| now| recently| finally)? "
_TELLING_CHINESE = (
    "(?:^|[，。；,;])(?:我们?|用户|咱们?|全家|家里|已经?|刚刚?|又|上个?月|这个?月|上周|这周|今年|去年|昨天|今天|最近"
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
        r"\b(?:lives?|living|home|address|apartment|flat|town|city)\b|住|家在|地址",
        _MOVED,
        "moved relocated 搬到 搬去 搬进 搬来 搬家",
    ),
    (
        r"\b(?:works?|working|job|employer|company)\b|上班|工作|单位|公司|雇主",
        _HIRED,
        "joined job employer 工作 跳槽 入职 换到",
    ),
    (r"\b(?:phone|number|mobile)\b|电话|号码|手机", _CALLED, "phone number sim reach 换号 换了"),
)
"""Rows: a pattern of a question and its match, a pattern of a text about the change, and words that find this text."""


def add_corrections(hits: dict[int, Hit], cache: Cache, criteria: Criteria, admits: "Callable[[int], bool]") -> None:
    """For each of a question's best matches, rank the newest correction directly above the match.

    A correction is a newer memory that replaces the match. It can lack the question's words: "Where do I live now"
    finds "I live in Graz", but not "I moved to Linz". There are two kinds. In the first, the newer text names an older
    value as given up (`Boris took over from Anna`, 从 MySQL 迁走了). In the second, the author describes a change that
    ends the older state (`we moved to`, 换了工作).
    """
    if not CORRECTS.weight:
        return
    question = fold(criteria.words).lower()
    newer = partial(_newer, cache, criteria.where(), admits)
    clear = (hit for hit in hits.values() if not hit.weak)
    for old in sorted(clear, key=lambda hit: -hit.score)[:BEST]:
        text = fold(old.state.entry.text[:_LONGEST]).lower()
        told = newer(old, text, partial(_names_as_left, old=text))
        for asks, tells, terms in _STATES:
            if all(pattern(form).search(said) for form in (asks, _SELF) for said in (question, text)):
                told += newer(old, terms, pattern(tells).search)
        new = max(told, key=lambda hit: (hit.state.first_at, hit.rowid), default=None)
        if new is None:
            continue
        hit = hits.setdefault(new.rowid, new)
        if hit.score <= old.score:
            hit.add(CORRECTS, old.score - hit.score + CORRECTS.weight)
        hit.weak = False
        if hit is new:
            hit.via.append("words")


def _newer(
    cache: Cache, where: Condition, admits: "Callable[[int], bool]", old: Hit, words: str, tells: "Callable[[str], Any]"
) -> list[Hit]:
    sql, params = where
    matches = candidates.search(cache.db, parse_query(words, literal=True), limit=CANDIDATES, where=sql, params=params)
    states = cache.states_at([match.rowid for match in matches])
    return [
        Hit(row, state)
        for row, state in states.items()
        if state.first_at > old.state.first_at
        and may_go_first(state, old.state)
        and tells(fold(state.entry.text[:_LONGEST]).lower())
        and admits(row)
    ]


def _names_as_left(new: str, old: str) -> bool:
    """Return whether the text `new` names a value of `old` as given up. Both texts are folded and in lower case."""
    names = [match[1] for match in pattern(_LEFT).finditer(new)]
    names += [match[1] or match[2] or match[3] for match in pattern(_LEFT_CHINESE).finditer(new)]
    return any(contains(old, name.rstrip(".")) for name in names if name not in STOP_WORDS and name not in COMMON_WORDS)


def _shares(count: int, facts: int, talks: int) -> tuple[int, int]:
    """Return the numbers of facts and of conversations in a list of `count` lines, so that no line stays unused."""
    room = min(talks, max(min(order.MIN_NEWEST, count // order.MIN_NEWEST), min(order.MOST, count // order.SHARE)))
    of_facts = min(facts, count - room)
    return of_facts, min(talks, count - of_facts)
