"""recall: by words, tags, topic, date; without a cue, what matters most now (SPEC 3)."""

import datetime
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from promptx_mem.core import freshness
from promptx_mem.core.decay import NEVER
from promptx_mem.core.entry import CATEGORIES, TYPES
from promptx_mem.core.state import DECIDED, State, importance_at, lives
from promptx_mem.core.syntax import normalise_tag
from promptx_mem.errors import UsageError
from promptx_mem.result import Result
from promptx_mem.search import current, lexical, rows
from promptx_mem.search.cache import Cache

if TYPE_CHECKING:
    from promptx_mem.memory import Memory
    from promptx_mem.search.build import Progress

DEFAULT_COUNT = 10
MAX_COUNT = 10_000
_POOL = 3
_IMPORTANCE, _RECENCY = 0.05, 0.02
_RECENT_DAYS = 30.0
"""How importance and recency break near ties between memories of like relevance (docs/decisions/0006)."""

_LIVING = f"ends_at > ? AND (end IS NULL OR end NOT IN ({','.join(repr(e) for e in sorted(DECIDED))}))"


@dataclass(frozen=True, slots=True)
class Cues:
    """What to look for. Words widen, everything else narrows."""

    text: str = ""
    tags: tuple[str, ...] = ()
    type: str | None = None
    category: str | None = None
    session: str | None = None
    min_score: float | None = None
    count: int = DEFAULT_COUNT
    explain: bool = False


def recall(memory: "Memory", cues: Cues, progress: "Progress | None" = None) -> Result:
    """Find memories that live now. Reading notes nothing in the store but the day's recalls."""
    words, tags = _words(cues, memory.config.aliases)
    where, params = _where(cues, tags, memory.now().timestamp())
    cache = current.open_current(memory.layout, progress)
    try:
        return _Recall(memory, cues, cache).run(words, where, params)
    finally:
        cache.close()


class _Recall:
    def __init__(self, memory: "Memory", cues: Cues, cache: Cache) -> None:
        self.memory = memory
        self.cues = cues
        self.cache = cache
        self.now = memory.now().timestamp()

    def run(self, words: str, where: str, params: list[Any]) -> Result:
        found = self._by_words(words, where, params) if words else self._by_worth(where, params)
        shown = found[: self.cues.count]
        data = {
            "store": self.memory.layout.shown(),
            "count": len(shown),
            "total": self._total(),
            "left_out": len(found) - len(shown),
            "memories": [self._shown(state, terms) for state, terms in shown],
            "near_misses": [] if shown else self._near_misses(words),
            "cues": [words, *(f"#{tag}" for tag in self.cues.tags)] if words else [f"#{t}" for t in self.cues.tags],
        }
        warnings = list(self.memory.config_warnings())
        if problems := int(self.cache.meta("problems") or 0):
            warnings.append(f"{problems} places in the store are not understood and stay as they are")
        return Result("recall", data, tuple(warnings))

    def _by_words(self, words: str, where: str, params: list[Any]) -> list[tuple[State, dict[str, float]]]:
        """By lexical relevance; importance and recency decide between memories of like relevance."""
        query = lexical.parse_query(words)
        hits = lexical.search(
            self.cache.db,
            query,
            limit=self.cues.count * _POOL,
            where=where,
            params=params,
        )
        ranked = []
        for hit in hits:
            row = self.cache.db.execute("SELECT * FROM memories WHERE rowid=?", (hit.rowid,)).fetchone()
            state = rows.to_state(row)
            importance, recency = self._worth(state)
            terms = {**hit.terms, "importance": importance, "recency": recency} if self.cues.explain else {}
            ranked.append((hit.score + importance + recency, hit.rowid, state, terms))
        ranked.sort(key=lambda item: (-item[0], -item[1]))
        return [(state, {**terms, "score": total} if terms else {}) for total, _, state, terms in ranked]

    def _by_worth(self, where: str, params: list[Any]) -> list[tuple[State, dict[str, float]]]:
        """What matters most now, by importance as it is at this moment."""
        # Fading only lowers importance, so the stored one bounds it from above: stop when no row can still win.
        keep = self.cues.count
        best: list[tuple[float, int, State]] = []
        sql = f"SELECT * FROM memories WHERE {where} ORDER BY importance DESC, rowid DESC"  # noqa: S608 - conditions of ours
        for row in self.cache.db.execute(sql, params):
            if len(best) >= keep and row["importance"] < best[keep - 1][0]:
                break
            state = rows.to_state(row)
            best.append((importance_at(state, self.now), row["rowid"], state))
            best.sort(key=lambda item: (-item[0], -item[1]))
            del best[keep:]
        return [(state, {"importance": worth} if self.cues.explain else {}) for worth, _, state in best]

    def _worth(self, state: State) -> tuple[float, float]:
        importance = min(importance_at(state, self.now) / 3.0, 1.0) * _IMPORTANCE
        age = max(self.now - state.fresh_at, 0.0) / 86_400
        return importance, _RECENCY / (1.0 + age / _RECENT_DAYS)

    def _shown(self, state: State, terms: dict[str, float]) -> dict[str, Any]:
        return {**describe(state, self.now, self.memory.config.freshness), **({"why": terms} if terms else {})}

    def _total(self) -> int:
        return int(
            self.cache.db.execute(f"SELECT count(*) FROM memories WHERE {_LIVING}", (self.now,)).fetchone()[0]  # noqa: S608
        )

    def _near_misses(self, words: str) -> list[str]:
        """Why nothing was found: a tag with another spelling, a memory that matches but has ended."""
        misses = []
        for tag in self.cues.tags:
            known = [row[0] for row in self.cache.db.execute("SELECT DISTINCT tag FROM tags")]
            import difflib

            near = difflib.get_close_matches(tag.casefold(), known, 3, 0.5)
            near += [other for other in known if tag.casefold() in other and other not in near][:3]
            if near and tag.casefold() not in known:
                misses.append(f"no memory has #{tag}; there is " + ", ".join(f"#{other}" for other in near))
        if words:
            for hit in lexical.search(self.cache.db, lexical.parse_query(words), limit=3):
                row = self.cache.db.execute("SELECT * FROM memories WHERE rowid=?", (hit.rowid,)).fetchone()
                state = rows.to_state(row)
                if not lives(state, self.now):
                    misses.append(f"{state.entry.id} matches, but has ended ({state.end})")
        return misses


def describe(state: State, now: float, config: freshness.Freshness) -> dict[str, Any]:
    """A memory as every JSON answer shows it."""
    entry = state.entry
    note = freshness.sentence(state.fresh_at, freshness.threshold_for(config, entry.type), now)
    return {
        "id": entry.id,
        "text": entry.text,
        "tags": list(state.tags),
        "score": state.score,
        "duration": state.duration,
        "at": entry.at,
        "category": state.category,
        "type": entry.type,
        "topic": entry.topic,
        "source": entry.source,
        "verified": state.verified,
        "session": entry.session,
        "importance": round(importance_at(state, now), 3),
        "lives": lives(state, now),
        "ends_at": None if state.ends_at == NEVER else _iso(state.ends_at),
        "end": None if lives(state, now) else state.end,
        "superseded_by": list(state.superseded_by),
        "supersedes": entry.supersedes,
        "age": freshness.age_text(now - state.fresh_at),
        "freshness": note or None,
    }


def _words(cues: Cues, aliases: dict[str, str]) -> tuple[str, tuple[str, ...]]:
    """Split `#tag` words off the text: they are filters."""
    words, tags = [], [aliases.get(tag, tag) for tag in cues.tags]
    for word in cues.text.split():
        tag = normalise_tag(word) if word[:1] in "#＃" else None
        if tag is None:
            words.append(word)
        else:
            tags.append(aliases.get(tag, tag))
    return " ".join(words), tuple(tags)


def _where(cues: Cues, tags: tuple[str, ...], now: float) -> tuple[str, list[Any]]:
    if not 1 <= cues.count <= MAX_COUNT:
        raise UsageError(f"-n {cues.count} is not a number of results", hint=f"1 to {MAX_COUNT}")
    conditions, params = [_LIVING], [now]
    for name, value, allowed in (("type", cues.type, TYPES), ("category", cues.category, CATEGORIES)):
        if value is not None:
            if value not in allowed:
                raise UsageError(f"--{name} {value!r} is not known", hint=f"one of {', '.join(allowed)}")
            conditions.append(f"{name} = ?")
            params.append(value)  # type: ignore[arg-type]
    if cues.session is not None:
        conditions.append("session = ?")
        params.append(cues.session)  # type: ignore[arg-type]
    if cues.min_score is not None:
        conditions.append("score >= ?")
        params.append(cues.min_score)
    for tag in tags:
        conditions.append("rowid IN (SELECT row FROM tags WHERE tag = ?)")
        params.append(tag.casefold())  # type: ignore[arg-type]
    return " AND ".join(conditions), params


def _iso(epoch: float) -> str:
    return datetime.datetime.fromtimestamp(epoch).astimezone().isoformat(timespec="seconds")
