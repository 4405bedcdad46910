"""Updates of a cache after appends: only memories with new lines or events are recomputed."""

from binascii import crc32
from collections.abc import Mapping, Sequence

from promptx_mem.core.fold import fold_all
from promptx_mem.core.journal import RECALLED, REPLACED, Event
from promptx_mem.core.json_text import dumps
from promptx_mem.core.line import Problem, parse_line
from promptx_mem.core.state import State, lives
from promptx_mem.search import history, tables
from promptx_mem.search.cache import Cache, archive_identity, identity, row_of, to_state
from promptx_mem.search.writes import appended, file_meta, insert_events
from promptx_mem.store import append, files, parsing
from promptx_mem.store.files import Identity
from promptx_mem.store.parsing import Line

MAX_TAIL = 1 << 20
_ABSENT = "null"
"""The stamp of a missing file."""

Changes = Mapping[str, Sequence[Identity]]
"""For each path, the identities of the file: before a writer's first append, and after each append."""


def follow(cache: Cache, changes: Changes) -> bool:
    """Index the lines that were appended to the store's files. Return False if a rebuild is needed.

    For use in `write`. `changes` are a writer's own appends. If a file has no other changes since it was indexed,
    only the appended bytes are read. Raises sqlite3.Error, OSError, StoreError.
    """
    where = cache.layout
    if cache.meta("archive") != archive_identity(where):
        return False
    declarative = _tail(cache, "declarative", where.declarative, changes)
    journal = _tail(cache, "journal", where.journal, changes)
    if declarative is None or journal is None:
        return False
    size = int(cache.meta("declarative_size"))
    lines, talks = _own_lines(declarative, size), _episodes(cache)
    events, wrong = _events(journal)
    if any(event.kind == REPLACED and len(event.ids) > 1 for event in events):
        return False  # such an event can remove a memory
    if lines is None or talks is None or wrong or (fresh := _with_recalls(cache, events)) is None:
        return False
    if size and declarative.startswith(b"\n") and files.read(where.declarative, size - 1, 1) != b"\n":
        # The last indexed line had no line end. The append has added the line end.
        cache.db.execute("UPDATE lines SET size = size + 1 WHERE start + size = ? AND archived = ''", (size,))
    displaced = _add(cache, [*lines, *talks], fresh)
    if displaced is None or (displaced and not changes):
        return False
    cache.set_meta(displaced=int(displaced))
    _advance(cache, "declarative", where.declarative, declarative)
    _advance(cache, "journal", where.journal, journal)
    return True


def _events(journal: bytes) -> tuple[list[Event], list[Problem]]:
    if not journal:
        return [], []
    from promptx_mem.store.sources import read_events

    return read_events(journal, "journal.jsonl")


def _with_recalls(cache: Cache, events: list[Event]) -> list[Event] | None:
    """Return the result of `recalls.follow_recalls`, which is `events` if there are no new recalls."""
    is_new = identity(cache.layout.recalled) != cache.meta("recalled")
    if not is_new and all(event.kind != RECALLED for event in events):
        return events
    from promptx_mem.search.recalls import follow_recalls

    return follow_recalls(cache, events)


def _tail(cache: Cache, name: str, path: str, changes: Changes) -> bytes | None:
    """Return the whole lines that were appended to a file since it was indexed; None if a rebuild is needed."""
    stamp = cache.meta(name) or _ABSENT
    now = files.identity(path)
    if now is None:
        return b"" if stamp == _ABSENT else None
    if _stamp(now) == stamp:
        return b""
    size = int(cache.meta(f"{name}_size"))
    if not 0 <= now[2] - size <= MAX_TAIL:
        return None
    own_changes = [*map(_stamp, changes.get(path, ()))]
    # Otherwise the whole file is read, since an editor could have saved the file in place with the expected size.
    start = size if stamp in own_changes and own_changes[-1] == _stamp(now) else 0
    data = append.read_settled(cache.layout, path, start)
    tail = data if start else appended(cache, name, data)
    return tail if not tail or tail.endswith(b"\n") else None


def _stamp(identity: Identity | None) -> str:
    return dumps(identity, space=" ")


def _episodes(cache: Cache) -> list[Line] | None:
    """Return the lines appended to the file of episodes, and record the file's stamp; None after any other change."""
    stamp = identity(cache.layout.episodes)
    if stamp == cache.meta("episodes"):
        return []
    from promptx_mem.store import episodes

    data = episodes.read(cache.layout)
    if (new := appended(cache, "episodes", data)) is None:
        return None
    cache.set_meta(**file_meta("episodes", stamp, data))
    return parsing.episode_lines(new, len(data) - len(new))


def _own_lines(tail: bytes, start: int) -> list[Line] | None:
    """Return the appended lines. Return None if a line is not in our format.

    Such a line could continue the previous line.
    """
    lines = []
    for raw in tail.removesuffix(b"\n").split(b"\n"):
        stop = start + len(raw) + 1
        read_back = parse_line(raw.decode("utf-8", "replace"))
        if read_back is not None and not read_back.problems and read_back.entry.at is not None:
            lines.append(Line(read_back.entry, start, stop))
        elif raw and not (start < 64 and raw.startswith(b"# ")):  # the header of a new file
            return None
        start = stop
    return lines


def _advance(cache: Cache, name: str, path: str, tail: bytes) -> None:
    size = int(cache.meta(f"{name}_size")) + len(tail)
    crc = crc32(tail, int(cache.meta(f"{name}_crc")))
    identity = files.identity(path)
    # If another process has appended since the file was read, the sizes differ, and the next update reads the rest.
    current = identity if identity and identity[2] == size else identity and (*identity[:2], size, 0)
    cache.set_meta(**{name: _stamp(current), f"{name}_size": size, f"{name}_crc": crc})


def _add(cache: Cache, lines: list[Line], events: list[Event]) -> bool | None:
    """Add new lines and events. Return True if a rebuild would now change rows or their order.

    Return None if the record of authors was lost or restored, which changes all memories.
    """
    db = cache.db
    displaced = bool(int(cache.meta("displaced")))
    # If rows are in the order of recording, the last row is the newest memory.
    newest = cache.states_where("rowid = (SELECT max(rowid) FROM memories)")
    last = tables.sort_key(newest[0])[:2] if newest else (0.0, 0)
    present = ((line.entry.id, row_of(db, line.entry.id)) for line in lines)
    history.insert_lines(db, lines, {ident: row["rowid"] for ident, row in present if row is not None})
    insert_events(db, events)
    touched = dict.fromkeys(ident for line in lines for ident in (line.entry.id, line.entry.supersedes) if ident)
    for event in events:
        ids = event.ids
        if event.kind == "adopted":  # usually, this event changes no recorded time
            rows = ((ident, row_of(db, ident)) for ident in event.ids)
            ids = tuple(ident for ident, row in rows if row is None or row["at"] != event.at)
        touched.update(dict.fromkeys((*ids, *event.supersedes)))
    touched |= {name: None for ident in tuple(touched) for name in history.current_ids(db, ident)}
    new: list[tuple[int, State, bool]] = []
    living = int(cache.meta("living"))
    top = db.execute("SELECT max(rowid) FROM memories").fetchone()[0] or 0
    noted = history.senders(cache.layout, touched)
    if (noted is not None and noted.unknown) != (cache.meta("unknown") == "1"):
        return None
    for ident, its_lines, its_events in history.lines_and_events(cache, touched):
        state = fold_all((line.entry for line in its_lines), its_events).get(ident)
        if state is None:
            continue
        if noted is not None:
            state = noted.mark({ident: state}, [line.entry for line in its_lines])[ident]
        archived = all(line.archived for line in its_lines if line.entry.id == ident)
        displaced = displaced or state.end == "purged"
        row = row_of(db, ident)
        living += lives(state, 0.0)
        if row is None:
            top += 1
            new.append((top, state, archived))
            # if equal, the order depends on the positions of the lines, which are unknown here
            displaced = displaced or tables.sort_key(state)[:2] <= last
            last = max(last, tables.sort_key(state)[:2])
        else:
            old = to_state(row)
            living -= lives(old, 0.0)
            displaced = displaced or tables.sort_key(old) != tables.sort_key(state)
            tables.update(db, row["rowid"], old, state, archived=archived)
    tables.insert(db, new)
    db.executemany("UPDATE lines SET row = ? WHERE id = ?", [(rowid, state.entry.id) for rowid, state, _ in new])
    keys = [*(event.k for event in events), *(line.entry.k or 0 for line in lines)]
    cache.set_meta(living=living, k=max([int(cache.meta("k") or 0), *keys]))
    return displaced
