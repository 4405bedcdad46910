"""The lookup file of the dictionary: what a word may be in the other language. Made once, and only read by a hook.

It lies in the user's own folder of caches. It says of what it was made: where that is gone or another, it counts as
none, so that nothing is looked up without the extra.
"""

import contextlib
import os
import sqlite3
import stat
from collections.abc import Iterable, Iterator
from typing import Self

from promptx_mem.search import place, tokens
from promptx_mem.search.place import Place
from promptx_mem.search.portions import portions

FORM = 1
"""Goes up with every change of what lies in the file; so does its name."""

MISSING, READY, OLD, DAMAGED = "none", "ready", "out of date", "damaged"


def _place() -> Place | None:
    folder = place.user_folder()
    name = f"dictionary-{FORM}.{tokens.VERSION}"
    return Place(folder, name, False, (name,)) if folder else None


def path() -> str:
    """Return where the file lies; empty where the user has no folder for caches."""
    spot = _place()
    return spot.path if spot else ""


def source_of(file: str) -> str:
    """Return what tells one dictionary from another; empty where it is not there."""
    try:
        return f"{os.stat(file).st_size} {file}"
    except (OSError, ValueError):
        return ""


class Dictionary:
    """The file, opened."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        self._db.close()

    def is_current(self) -> bool:
        """Tell whether what it was made of is still there."""
        (source,) = self._db.execute("SELECT words FROM words WHERE word = ''").fetchone() or ("",)
        return bool(source) and source_of(source.partition(" ")[2]) == source

    def check(self) -> str:
        """Say how it stands."""
        (answer,) = self._db.execute("PRAGMA quick_check(1)").fetchone()
        if answer != "ok":
            return DAMAGED
        return READY if self.is_current() else OLD

    def look_up(self, words: Iterable[str]) -> dict[str, list[str]]:
        """Return those of `words` that are in it, each with what it may be in the other language.

        A file that turns out to be damaged has none.
        """
        every = list(dict.fromkeys(words))
        out: dict[str, list[str]] = {}
        with contextlib.suppress(sqlite3.Error, AttributeError, TypeError):
            self._read(every, out)
        return out

    def _read(self, every: list[str], out: dict[str, list[str]]) -> None:
        for marks, some in portions(every):
            query = f"SELECT word, words FROM words WHERE word IN ({marks})"  # noqa: S608 - question marks only
            out.update((word, text.split("\n") if text else []) for word, text in self._db.execute(query, some))


def opened() -> Dictionary | None:
    """Open the file; None where there is none, or not one that we made of what is there now."""
    try:
        dictionary = _connect()
    except sqlite3.Error:
        return None
    if dictionary is not None:
        with contextlib.suppress(sqlite3.Error, AttributeError, TypeError, ValueError):
            if dictionary.is_current():
                return dictionary
        dictionary.close()
    return None


def _connect() -> Dictionary | None:
    spot = _place()
    try:
        if spot is None or not place.own_folder(spot.folder) or not place.is_ours(os.lstat(spot.path), stat.S_IFREG):
            return None
    except OSError:
        return None
    db = sqlite3.connect(spot.path, isolation_level=None)
    db.executescript("PRAGMA query_only=ON; PRAGMA trusted_schema=OFF; PRAGMA temp_store=MEMORY;")
    return Dictionary(db)


def state() -> str:
    """Say how the file stands; reads all of it."""
    try:
        dictionary = _connect()
        if dictionary is None:
            return MISSING
        with dictionary:
            return dictionary.check()
    except (sqlite3.Error, AttributeError, TypeError, ValueError):
        return DAMAGED


def make(rows: Iterable[tuple[str, str]], source: str) -> str:
    """Make the file, and say where it lies. Raises OSError or StoreError where that cannot be."""
    spot = _place()
    if spot is None:
        raise FileNotFoundError("the user has no folder for caches")
    from promptx_mem.search import sweep

    sweep.make_folder(spot, 0o700)
    with _new_file(spot) as (new, db):
        db.execute("BEGIN")
        db.execute("CREATE TABLE words(word TEXT PRIMARY KEY, words TEXT NOT NULL) WITHOUT ROWID")
        db.executemany("INSERT INTO words VALUES (?, ?)", sorted({"": source, **dict(rows)}.items()))
        db.execute("COMMIT")
        db.close()
        os.replace(new, spot.path)
    return spot.path


@contextlib.contextmanager
def _new_file(spot: Place) -> Iterator[tuple[str, sqlite3.Connection]]:
    new = os.path.join(str(spot.folder), f"{spot.name}.{os.urandom(6).hex()}{place.NEW}")
    os.close(os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600))
    try:
        db = sqlite3.connect(new, isolation_level=None)
        with contextlib.closing(db):
            db.executescript("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;")
            yield new, db
    except sqlite3.Error as error:
        raise OSError(f"{new} cannot be written ({error})") from None
    finally:
        with contextlib.suppress(OSError):
            os.unlink(new)
