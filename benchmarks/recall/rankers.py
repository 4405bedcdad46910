"""The rankers that are compared. Each makes a search function of a store's memories; it returns their positions."""

from __future__ import annotations

import atexit
import functools
import importlib
import os
import re
import shutil
import sqlite3
import tempfile
import weakref
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.recall.data import Memory
from promptx_mem.core.entry import Entry
from promptx_mem.core.ids import make_id
from promptx_mem.core.line import format_line
from promptx_mem.core.text import clean
from promptx_mem.hooks.prompt import given
from promptx_mem.memory import Memory as Store
from promptx_mem.store import layout, trust
from promptx_mem.usecases.recall import Cues

Search = Callable[[str, int], list[int]]
Ranker = Callable[[Sequence[Memory]], Search]


def program(memories: Sequence[Memory]) -> Search:
    """Search with `recall` in a store on the disk, with the clock at the last day."""
    asked, places = store(memories)

    def search(query: str, limit: int) -> list[int]:
        found = asked.recall(Cues(text=query, count=limit, touch=False)).data["memories"]
        return [place for one in found for place in places[one["text"]]][:limit]

    return search


def hook(memories: Sequence[Memory]) -> Search:
    """Search with `hook prompt`, which adds few memories to a message, or none."""
    asked, places = store(memories)

    def search(query: str, limit: int) -> list[int]:
        return [place for one in given(asked, query)[1] for place in places[one["text"]]][:limit]

    return search


def store(memories: Sequence[Memory]) -> tuple[Store, dict[str, list[int]]]:
    """Create a store on the disk. Return it, and the positions of each text in the memories."""
    root = Path(tempfile.mkdtemp(prefix="promptx-mem-bench-"))
    atexit.register(shutil.rmtree, root, ignore_errors=True)
    places: dict[str, list[int]] = {}
    lines = []
    moments = list(_moments(memories))
    now = max(moments[-1].replace(hour=23, minute=0, second=0), max(moments) + timedelta(minutes=5))
    for place, (memory, moment) in enumerate(zip(memories, moments, strict=True)):
        text = clean(memory.text)
        places.setdefault(text, []).append(place)
        if len(places[text]) == 1:
            at = moment.isoformat(timespec="seconds")
            entry = Entry(text, (), memory.score, "长期", make_id(text), at, session=memory.session, aka=memory.aka)
            lines.append(format_line(entry) + "\n")
    (root / "declarative.md").write_text("".join(lines), "utf-8")
    _own_state()
    trust.record(layout.at(str(root)), trust.PRIVATE)
    return Store(layout.at(str(root)), "bench", clock=lambda: now), places


@functools.cache
def _own_state() -> None:
    """Use another state folder, so that these stores are not recorded in the user's."""
    folder = tempfile.mkdtemp(prefix="promptx-mem-bench-state-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.environ["XDG_STATE_HOME"] = folder


def _moments(memories: Sequence[Memory]) -> Iterator[datetime]:
    """Yield the time of each memory: from the data, or noon of its day and one second more for each later one."""
    last = max((memory.day for memory in memories if memory.day), default="2026-01-01")
    counts: Counter[str] = Counter()
    for memory in memories:
        if memory.at:
            yield datetime.fromisoformat(memory.at)
        else:
            day = memory.day or last
            yield datetime.fromisoformat(f"{day}T12:00:00+00:00") + timedelta(seconds=counts[day])
            counts[day] += 1


def fts5(tokenizer: str, *, pairs: bool = False) -> Ranker:
    """Return a ranker by FTS5's bm25(): words (for `trigram`, trigrams) joined by OR; Chinese is cut into `pairs`."""

    def cut(text: str) -> str:
        return re.sub(r"[\u4e00-\u9fff]+", lambda m: f" {' '.join(_pairs(m[0]))} ", text) if pairs else text

    def build(memories: Sequence[Memory]) -> Search:
        db = sqlite3.connect(":memory:")
        db.execute(f"CREATE VIRTUAL TABLE f USING fts5(text, tokenize='{tokenizer}')")
        db.executemany("INSERT INTO f(rowid, text) VALUES (?, ?)", ((n, cut(m.words)) for n, m in enumerate(memories)))

        def search(query: str, limit: int) -> list[int]:
            words = re.findall(r"\w+", cut(query))
            if tokenizer == "trigram":
                words = [query[n : n + 3].replace('"', " ") for n in range(len(query) - 2)]
            match = " OR ".join(f'"{word}"' for word in dict.fromkeys(words))
            if not match:
                return []
            rows = db.execute("SELECT rowid FROM f WHERE f MATCH ? ORDER BY rank LIMIT ?", (match, limit))
            return [rowid for (rowid,) in rows]

        weakref.finalize(search, db.close)
        return search

    return build


def bm25s(memories: Sequence[Memory]) -> Search:
    """Search with the library bm25s: Snowball stems, English stop words, Chinese as characters and pairs."""
    library: Any = importlib.import_module("bm25s")
    stemmer = importlib.import_module("Stemmer").Stemmer("english")

    def cut(texts: list[str]) -> Any:
        spaced = [re.sub(r"[\u4e00-\u9fff]+", lambda m: f" {' '.join(_grams(m[0]))} ", text) for text in texts]
        return library.tokenize(
            spaced, stopwords="en", stemmer=stemmer, show_progress=False, token_pattern=r"(?u)\b\w+\b"
        )

    index = library.BM25()
    index.index(cut([m.words for m in memories]), show_progress=False)

    def search(query: str, limit: int) -> list[int]:
        found, scores = index.retrieve(cut([query]), k=min(limit, len(memories)), show_progress=False)
        return [int(n) for n, s in zip(found[0], scores[0], strict=True) if s > 0]

    return search


def _pairs(run: str) -> list[str]:
    return [run[n : n + 2] for n in range(len(run) - 1)] or [run]


def _grams(run: str) -> list[str]:
    return [*run, *(run[n : n + 2] for n in range(len(run) - 1))]


def characters(memories: Sequence[Memory]) -> Search:
    """Search by TF-IDF of character n-grams of 2 to 4, with scikit-learn."""
    text: Any = importlib.import_module("sklearn.feature_extraction.text")
    vectors = text.TfidfVectorizer(analyzer="char", ngram_range=(2, 4), sublinear_tf=True)
    matrix = vectors.fit_transform([m.words for m in memories])

    def search(query: str, limit: int) -> list[int]:
        scores = (matrix @ vectors.transform([query]).T).toarray().ravel()
        return [int(n) for n in scores.argsort()[::-1][:limit] if scores[n] > 0]

    return search


RANKERS: dict[str, tuple[Ranker, tuple[str, ...]]] = {
    "promptx-mem": (program, ()),
    "promptx-mem, hook prompt": (hook, ()),
    "FTS5 unicode61": (fts5("unicode61"), ()),
    "FTS5 porter": (fts5("porter unicode61"), ()),
    "FTS5 pairs + porter": (fts5("porter unicode61", pairs=True), ()),
    "FTS5 trigram": (fts5("trigram"), ()),
    "bm25s": (bm25s, ("bm25s", "Stemmer")),
    "TF-IDF, characters": (characters, ("sklearn",)),
}
"""Rankers by name, each with the modules that it needs."""
