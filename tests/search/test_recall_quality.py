"""Ranking must not rot: a small set of memories and queries, in two languages, with what has been reached."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from promptx_mem.search import candidates, index_write
from promptx_mem.search.index_write import Doc
from promptx_mem.search.query import parse_query

LINES = [json.loads(line) for line in (Path(__file__).parent / "recall_set.jsonl").read_text("utf-8").splitlines()]
MEMORIES = [line for line in LINES if "text" in line]
QUERIES = [line for line in LINES if "query" in line]


def first_places(language: str) -> list[int]:
    """Return for each query the place (from 1) of the first memory expected; 99 if it is not found."""
    with closing(sqlite3.connect(":memory:")) as db:
        db.executescript(index_write.SCHEMA + "CREATE TABLE memories(rowid INTEGER PRIMARY KEY, text TEXT);")
        index_write.add(db, [Doc(n, line["text"], day=line["day"]) for n, line in enumerate(MEMORIES)])
        places = []
        for line in QUERIES:
            if line["expected"][0].startswith(language):
                found = [MEMORIES[h.rowid]["id"] for h in candidates.search(db, parse_query(line["query"]), limit=20)]
                places.append(min((found.index(e) + 1 for e in line["expected"] if e in found), default=99))
        return places


@pytest.mark.parametrize("language", ["en", "zh"])
def test_recall_is_as_good_as_it_was(language: str) -> None:
    places = first_places(language)
    assert sum(place == 1 for place in places) >= 0.95 * len(places)
    assert max(places) <= 3


def test_the_set_is_whole() -> None:
    ids = [line["id"] for line in MEMORIES]
    assert len(set(ids)) == len(ids) >= 60
    assert len(QUERIES) >= 40
    assert all(set(line["expected"]) <= set(ids) for line in QUERIES)
