"""Memories that come near where a search found nothing: they match, but have ended or are kept out by a filter."""

from promptx_mem.core.state import State
from promptx_mem.search import lexical, memories, rows
from promptx_mem.search.cache import Cache
from promptx_mem.search.criteria import Criteria
from promptx_mem.search.query import parse_query


def in_topic(cache: Cache, criteria: Criteria, path: str, count: int) -> list[State]:
    """The newest memories bound to a topic, ended or not, whatever the filters say."""
    where, params = criteria.where(alive=False, filtered=False)
    sql = (
        "SELECT * FROM memories WHERE rowid IN (SELECT row FROM topics WHERE path = ? AND bound = 1) "  # noqa: S608 - conditions of ours
        f"AND {where} ORDER BY first_at DESC LIMIT ?"
    )
    return [rows.to_state(row) for row in cache.db.execute(sql, (path, *params, count))]


def by_words(cache: Cache, criteria: Criteria, count: int) -> list[State]:
    """The memories that the words find best, ended or not, whatever the filters say."""
    where, params = criteria.where(alive=False, filtered=False)
    query = parse_query(criteria.words, today=criteria.today, groups=criteria.spellings)
    matches = lexical.search(cache.db, query, limit=count, where=where, params=params)
    return [memories.at(cache, match.rowid) for match in matches]


def in_filters(cache: Cache, criteria: Criteria, count: int) -> list[State]:
    """The memories that meet the filters, ended or not, those that last longest first."""
    where, params = criteria.where(alive=False)
    sql = f"SELECT * FROM memories WHERE {where} ORDER BY ends_at DESC LIMIT ?"  # noqa: S608 - conditions of ours
    return [rows.to_state(row) for row in cache.db.execute(sql, (*params, count))]
