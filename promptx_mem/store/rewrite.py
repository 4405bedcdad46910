"""Removal of parts of append-only files: compaction, purge, old audit records, and recalls moved to the journal.

An old memory file keeps a second name (a hard link) until the new file is in place. Bytes that another program appends
to the old file until then are copied to the new file.
"""

import contextlib
import datetime
import os
import re
import stat
import time
from binascii import crc32
from collections.abc import Callable, Iterable, Sequence

from promptx_mem.core import bundle, document, json_text
from promptx_mem.core.fold import fold_all
from promptx_mem.core.journal import Event, parse_event
from promptx_mem.core.json_text import load_object
from promptx_mem.core.line import line_ranges
from promptx_mem.core.state import lives
from promptx_mem.errors import BusyError, StoreError
from promptx_mem.record import NamedTuple
from promptx_mem.store import append, archive, audit, disk, files, intent, recalled, sources
from promptx_mem.store.files import Path
from promptx_mem.store.layout import Layout

_OLD = r"\.(declarative\.md|journal\.jsonl)\.(\d+)\.([0-9a-f]{8})\.old"
_OLD_RECALLED = r"\.recalled\.([0-9]{1,12})\.old"
_STALE_SECONDS = 3600

_NEEDLE = 60
"""Only this many characters of a text are searched for in the guard's records, since the guard shortens texts."""


def without(
    layout: Layout, path: str, data: bytes, ranges: Sequence[tuple[int, int]], allowed: Callable[[], bool]
) -> int:
    """Remove byte ranges from a file that was read as `data`. Return the number of bytes removed.

    The caller holds the lock. After a crash the old or the new file is complete. Bytes that another program appended
    are kept. Raises BusyError if another program has changed the bytes of `data` in the file; then nothing is removed.
    Raises LockLostError if `allowed()` is False just before the rename.
    """
    new = cut(data, ranges)
    with files.opened(path, os.O_RDONLY) as before:
        old = _link(layout, path, data)

        def check() -> None:
            begins = (files.read(path) or b"").startswith(data)
            is_ours = allowed()
            if is_ours and begins and files.is_still(path, before):
                return
            if old is not None:
                disk.remove(old)
            raise _changed(path) if is_ours else append.LockLostError

        disk.replace(path, new, stat.S_IMODE(os.fstat(before).st_mode), durable=True, check=check)
        if old is not None and os.path.lexists(old):
            if not _carry_over(layout, path, old, len(data), crc32(data)):
                raise _changed(path)
        elif tail := os.pread(before, max(os.fstat(before).st_size - len(data), 0), len(data)):
            # There is no link, or the holder of a new lock has removed it.
            append.append_settled(layout, path, _whole(tail))
    return len(data) - len(new)


def cut(data: bytes, ranges: Sequence[tuple[int, int]]) -> bytes:
    """Remove byte ranges (pairs of start and end) from `data`, and return the rest."""
    parts = []
    at = 0
    for start, stop in sorted(ranges):
        parts.append(data[at:start])
        at = max(at, stop)
    return b"".join([*parts, data[at:]])


def recover(layout: Layout, names: Sequence[str] | None = None) -> None:
    """Finish an interrupted removal. The caller holds the lock and has called `append.finish_interrupted`.

    `names` are the names in the store's root. Lines that were appended to a replaced file are copied to the new file.
    Temporary files older than an hour are removed.
    """
    for name in disk.names(layout.root) if names is None else names:
        path = os.path.join(layout.root, name)
        if match := re.fullmatch(_OLD, name):
            disk.sync_directory(layout.root)  # the new file's name is perhaps not durable yet
            _carry_over(layout, os.path.join(layout.root, match[1]), path, int(match[2]), int(match[3], 16))
        elif _is_temporary(name):
            _remove_old(path, _STALE_SECONDS)


def sweep(layout: Layout, seconds: float = _STALE_SECONDS) -> None:
    """Remove temporary files that killed writers left at least `seconds` ago. The caller holds the lock."""
    found: list[Path] = [os.path.join(layout.root, name) for name in filter(_is_temporary, disk.names(layout.root))]
    for folder in (layout.conversations, layout.archive, layout.talks[1]):
        found += [folder / name for name in filter(_is_temporary, disk.names(folder))]
    for path in found:
        _remove_old(path, seconds)


def _is_temporary(name: str) -> bool:
    # Temporary files of .gitignore and .gitattributes are written without the lock, so they could be in use.
    return name.startswith(".") and name.endswith(disk.TEMPORARY) and not name.startswith("..git")


def _remove_old(path: Path, seconds: float) -> None:
    with contextlib.suppress(OSError, StoreError):
        now = files.status(path)
        if now is not None and now.st_mtime <= time.time() - seconds:
            disk.unlink(path)


def _link(layout: Layout, path: str, data: bytes) -> str | None:
    """Create a hard link, named by the size and checksum of `data`. Return its path; None without hard links."""
    name = f".{os.path.basename(path)}.{len(data)}.{crc32(data):08x}.old"
    old = os.path.join(layout.root, name)
    disk.remove(old)
    try:
        os.link(path, old, follow_symlinks=False)
    except (OSError, NotImplementedError):
        return None
    return old


def _carry_over(layout: Layout, path: str, old: str, size: int, crc: int) -> bool:
    """Copy bytes after `size` from the old to the new file. If the old file was edited, restore it and return False."""
    was, now = files.identity(old), files.identity(path)
    if was is None or (now is not None and was[:2] == now[:2]):
        disk.remove(old)
        return True
    data = files.read(old)
    if data is None:  # it was removed meanwhile: nothing to copy
        return True
    if now is None or crc32(data[:size]) != crc:
        os.replace(old, path)
        disk.sync_directory(layout.root)
        return False
    tail = _whole(data[size:])
    if len(data) > size and b"\n" + tail not in b"\n" + (files.read(path) or b""):
        append.append_settled(layout, path, tail)
    disk.remove(old)
    return True


def _changed(path: str) -> BusyError:
    name = os.path.basename(path)
    return BusyError(
        f"{name} was changed by another program at the same time, so promptx-mem left it unchanged", hint="try again"
    )


def events_of(journal: bytes, wanted: Callable[[Event], bool]) -> list[tuple[int, int]]:
    """Return the byte range of each journal line with a `wanted` event. The range includes the newline."""
    return [
        (start, stop)
        for raw, start, stop in line_ranges(journal)
        if raw and (event := parse_event(raw.decode("utf-8", "replace"))) is not None and wanted(event)
    ]


class Gain(NamedTuple):
    """The number of removed bytes, and how many of them belonged to conflict markers."""

    size: int
    markers: int


def compact(
    where: Layout, take_out: Callable[[str, bytes, Sequence[tuple[int, int]]], int], now: datetime.datetime
) -> Gain:
    """Move ended memories, their events and conflict markers to archive/, while the lock is held. Drop purged texts.

    `take_out` is `Writer.take_out`. Raises StoreError if a newer version of promptx-mem has written to the store.
    """
    recover(where)
    sweep(where)
    append.finish_interrupted(where)
    everything = sources.read(where)
    if sources.newer(everything.problems):
        raise newer()
    states = fold_all((line.entry for line in everything.lines), everything.events)
    ended = {ident for ident, state in states.items() if not lives(state, now.timestamp())}
    endings = [line for line in everything.lines if not line.archived and line.entry.id in ended]
    data, ranges = everything.declarative, [(line.start, line.end) for line in endings]
    # A line that separates a hand-written block from the next entry stays.
    needed = {bullet.start for _, bullet in bundle.absorbing(data, ranges, cut(data, ranges))}
    endings = [line for line in endings if line.start not in needed]
    lines = [(line.start, line.end) for line in endings]
    # Purged texts are not archived. The markers of a committed conflict are removed too; the lines between them stay.
    markers = document.read(data).markers
    copies = [(line.start, line.end) for line in endings if states[line.entry.id].end != "purged"]
    journal_markers = document.markers(everything.journal)
    events = events_of(everything.journal, lambda event: ended.issuperset((*event.ids, *event.supersedes)))
    events = sorted([*events, *journal_markers])
    # Lines are moved before events. After a crash between these steps, the remaining events belong to no line. So they
    # restore no memory, even if git deletes the new archive file, which is still untracked.
    gained = 0
    for path, content, removed, archived, kind in (
        (where.declarative, data, sorted([*lines, *markers]), sorted([*copies, *markers]), archive.LINES),
        (where.journal, everything.journal, events, events, archive.EVENTS),
    ):
        if archived:
            parts = [content[start:stop] for start, stop in archived]
            lines_of = bundle.join_memories(parts) if kind == archive.LINES else b"".join(map(_whole, parts))
            archive.write(where, f"{now:%Y%m%d}", lines_of, kind)
        if removed:
            gained += take_out(path, content, removed)
    return Gain(gained, sum(stop - start for start, stop in [*markers, *journal_markers]))


def newer() -> StoreError:
    """Return the error for a store that a newer version wrote. This version cannot know which memories have ended."""
    return StoreError(
        "a newer version of promptx-mem has written to this store, so this version does not rewrite it",
        code="newer",
        hint="upgrade promptx-mem; promptx-mem audit --verify shows the lines of the newer version",
    )


def _whole(raw: bytes) -> bytes:
    """Return lines with a newline at the end."""
    return raw.removesuffix(b"\n") + b"\n"


def replace_growing(path: str, rest: Callable[[bytes], bytes], mode: int) -> bool:
    """Replace the complete lines of a file by `rest(lines)`. Return False if `rest` removes nothing.

    Lines that other processes, without the lock, append at the same time stay.
    """
    with files.opened(path, os.O_RDONLY) as fd:
        data = os.pread(fd, os.fstat(fd).st_size, 0)
        data = data[: data.rfind(b"\n") + 1]
        new = rest(data)
        if len(new) == len(data):
            return False
        disk.replace(path, new, mode)
        late = os.pread(fd, os.fstat(fd).st_size, len(data))
    with files.opened(path, os.O_RDWR | os.O_APPEND) as fd:
        present = os.pread(fd, os.fstat(fd).st_size, 0)  # a process that wrote to the old file can have written again
        lines = late.splitlines(keepends=True)
        files.write_all(fd, b"".join(line for line in lines if line.endswith(b"\n") and line not in present))
    return True


def past_recalls(layout: Layout, today: str) -> tuple[list[Event], int]:
    """Return the recalls before the first one of `today` (an ISO date), and the size in bytes of their lines.

    The caller holds the lock. A wrong clock can have dated some of these recalls in the future.
    """
    recover_recalled(layout)
    data = recalled.read(layout)
    for raw, start, _ in line_ranges(data):
        event = recalled.event_of(raw.decode("utf-8", "replace"))
        if event is not None and event.at[:10] == today:
            data = data[:start]
            break
    return recalled.parse(data), len(data)


def recover_recalled(layout: Layout) -> None:
    """Finish a `drop_recalls` that a crash interrupted. The caller holds the lock."""
    with contextlib.suppress(FileNotFoundError):
        for name in os.listdir(layout.root):
            if match := re.fullmatch(_OLD_RECALLED, name):
                _bring_rest(layout, os.path.join(layout.root, name), int(match[1]))


def drop_recalls(layout: Layout, size: int) -> None:
    """Remove the first `size` bytes of `.recalled`. Bytes that other processes append at the same time stay.

    The file is renamed, and the remaining bytes are appended to a new file. A process that has written to the old file
    notices this and writes again. After a crash, `recover_recalled` finishes the work.
    """
    if size <= 0:
        return
    old = f"{layout.recalled}.{size}.old"
    with contextlib.suppress(FileNotFoundError):
        os.rename(layout.recalled, old)
        _bring_rest(layout, old, size)


def _bring_rest(layout: Layout, old: str, size: int) -> None:
    if rest := files.read(old, size):
        with files.opened(layout.recalled, os.O_RDWR | os.O_APPEND, layout.mode) as fd:
            files.write_all(fd, _whole(rest))
    os.unlink(old)


MAX_DAYS = 30
"""Maximum age in days of lines of the audit log."""


def rotate_audit(layout: Layout, now: datetime.datetime) -> None:
    """Remove lines of the audit log older than 30 days or without a time.

    If the log exceeds audit.MAX_BYTES, keep the newest lines, up to 3/4 of the limit. Today's lines always stay.
    """
    today = now.date().isoformat()
    horizon = (now - datetime.timedelta(days=MAX_DAYS)).isoformat()

    def rest(data: bytes) -> bytes:
        excess = len(data) - audit.MAX_BYTES * 3 // 4 if len(data) > audit.MAX_BYTES else 0
        lines = []
        for line in data.splitlines(keepends=True):
            mark = line.find(b'"at":"')
            stamp = line[mark + 6 : mark + 31].decode("utf-8", "replace") if mark >= 0 else ""
            if stamp.startswith(today) or (excess <= 0 and stamp >= horizon):
                lines.append(line)
            else:
                excess -= len(line)
        return b"".join(lines)

    with contextlib.suppress(OSError, StoreError):
        if replace_growing(layout.audit, rest, layout.mode):
            audit.acknowledge(layout)


def clean_recent(layout: Layout, keep_line: Callable[[str], bool], keep_event: Callable[[str], bool]) -> bool:
    """Durably remove lines and events that the two functions reject. Return whether any was removed. Raises OSError."""
    data = intent.recent(layout)
    if not data:
        return False
    keep = {intent.MARKS["declarative.md"]: keep_line, intent.MARKS["journal.jsonl"]: keep_event}
    raws = (raw for raw in data.split(b"\n") if raw[:2] in keep)
    rest = b"".join(raw + b"\n" for raw in raws if keep[raw[:2]](raw[2:].decode("utf-8", "replace")))
    status = files.status(layout.recent)
    if rest == data and (status is None or status.st_size <= intent.RECENT_READ):
        return False
    disk.replace(layout.recent, rest, layout.mode, durable=True)
    return True


def clean_audit(layout: Layout, texts: Iterable[str]) -> bool:
    """Remove the guard's fields `lines` and `advice` from each audit record if these fields contain one of the texts.

    The caller holds the lock. Returns whether a record was changed. Raises OSError, StoreError.
    """
    needles = [needle for text in texts if (needle := _as_recorded(text)[:_NEEDLE])]
    data = audit.load(layout)
    if b'"lines":' not in data:
        return False
    lines = []
    for line in data.splitlines(keepends=True):
        record = (load_object(line) if b'"lines":' in line else None) or {}
        said = _as_recorded(f"{record.get('lines')}\n{record.get('advice')}") if record else ""
        is_doomed = any(needle in said for needle in needles)
        kept = {key: value for key, value in record.items() if key not in ("lines", "advice")}
        lines.append(json_text.as_line(kept) if is_doomed else line)
    rest = b"".join(lines)
    if rest == data:
        return False
    disk.replace(layout.audit, rest, layout.mode, durable=True)
    audit.acknowledge(layout)
    return True


def _as_recorded(text: str) -> str:
    """Return the letters and digits of a text, to compare it with a record. Records escape only other characters."""
    return "".join(filter(str.isalnum, text.replace("&lt;", "<"))).casefold()
