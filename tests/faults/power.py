"""A simulated disk: the files that a power cut may leave after the calls made so far.

Unsynced bytes may be kept, dropped, torn or zeroed, in all files or in only one. Of the unsynced names, the first
ones may be kept, or all except one.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.faults.faulty_os import Call, Fault

Files = dict[str, bytes | None]
"""Contents by path; None is a directory."""

FATES = ("kept", "dropped", "torn", "zeroed", "begins zeroed")
_NAMING = {"mkdir": 1, "unlink": 1, "replace": 2, "rename": 2, "link": 2}
"""Calls that change names, with the number of their paths."""


@dataclass(eq=False)
class Inode:
    """A file's synced bytes and its later changes: (offset, bytes), or a new size."""

    synced: bytes = b""
    pending: list[tuple[int, bytes] | int] = field(default_factory=list)

    def after(self, fate: str) -> bytes:
        data = bytearray(self.synced)
        if fate == "dropped":
            return bytes(data)
        for number, change in enumerate(self.pending, 1):
            if isinstance(change, int):
                del data[change:]
                continue
            offset, written = change
            half = len(written) // 2
            if fate == "zeroed":
                written = bytes(len(written))
            elif fate == "begins zeroed":
                written = bytes(half) + written[half:]
            elif fate == "torn" and number == len(self.pending):
                written = written[:half]
            data[len(data) :] = bytes(max(offset - len(data), 0))
            data[offset : offset + len(written)] = written
        return bytes(data)

    def sync(self) -> None:
        self.synced = self.after("kept")
        self.pending.clear()


Names = dict[str, Inode | None]
Change = list[tuple[str, Inode | None, bool]]
"""The names that one call changes: path, inode, and whether the name exists afterwards."""


class Disk:
    """Follows calls without changing them; `cuts` contains the states that a power cut after each may leave."""

    def __init__(self, top: Path) -> None:
        self.top = str(top)
        self.names: Names = {self.top: None}
        self.waiting: list[Change] = []
        self.cuts: list[tuple[str, list[Files]]] = []
        self._fds: dict[int, Inode | str] = {}
        for path in top.rglob("*"):
            self.names[str(path)] = None if path.is_dir() else Inode(path.read_bytes())

    def fault(self, _number: int, name: str, real: Call, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        answer = real(*args, **kwargs)
        if name == "open":
            self._opened(answer, self._path(args[0], kwargs.get("dir_fd")), args[1])
            return answer
        if name == "write":
            start = os.lseek(args[0], 0, os.SEEK_CUR) - answer
            self._change(args[0], (start, bytes(args[1])[:answer]))
        elif name == "ftruncate":
            self._change(args[0], args[1])
        elif name == "truncate":
            inode = self._now().get(str(args[0]))
            assert inode is not None
            inode.pending.append(args[1])
        elif name in ("fsync", "fdatasync"):
            self._sync(args[0])
        elif name in _NAMING:
            folders = (kwargs.get("dir_fd", kwargs.get("src_dir_fd")), kwargs.get("dst_dir_fd"))
            self._name(name, *map(self._path, args[: _NAMING[name]], folders))
        else:
            return answer
        self.cuts.append((name, list(self.possible())))
        return answer

    def under(self, fault: Fault) -> Fault:
        """Combine with another fault: calls that it lets through are followed."""

        def both(number: int, name: str, real: Call, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            def follow(*given: Any, **named: Any) -> Any:
                return self.fault(number, name, real, given, named)

            return fault(number, name, follow, args, kwargs)

        return both

    def possible(self) -> Iterator[Files]:
        """Yield every possible state of the disk, with duplicates."""
        now = self._now()
        for number in range(len(self.waiting)):
            for names in (self._after(self.waiting[:number]), self._after(self._without(number))):
                yield self._files(names, lambda _: "kept")
                yield self._files(names, lambda _: "dropped")
        for names in (self.names, now):
            for fate in FATES:
                yield self._files(names, lambda _, fate=fate: fate)
        for one in [inode for inode in now.values() if inode and inode.pending]:
            for mine, others in (("dropped", "kept"), ("zeroed", "kept"), ("kept", "dropped"), ("torn", "dropped")):
                yield self._files(now, lambda i, o=one, m=mine, t=others: m if i is o else t)

    def _files(self, names: Names, fate: Any) -> Files:
        return {
            path: None if inode is None else inode.after(fate(inode))
            for path, inode in names.items()
            if path != self.top and "/.cache" not in path and self._has_parents(path, names)
        }

    def _has_parents(self, path: str, names: Names) -> bool:
        folder = os.path.dirname(path)
        return folder == self.top or (folder in names and self._has_parents(folder, names))

    def _path(self, name: object, folder: int | None) -> str:
        """Return the full path of a name relative to a folder's descriptor."""
        return str(name) if folder is None else os.path.join(str(self._fds[folder]), str(name))

    def _opened(self, fd: int, path: str, flags: int) -> None:
        if path not in self._now() and flags & os.O_CREAT and path.startswith(self.top):
            self.waiting.append([(path, Inode(), True)])
        self._fds[fd] = self._now().get(path) or path

    def _change(self, fd: int, change: tuple[int, bytes] | int) -> None:
        inode = self._fds[fd]
        if isinstance(inode, str):
            assert not inode.startswith(self.top)  # files outside the store are not followed
            return
        inode.pending.append(change)

    def _sync(self, fd: int) -> None:
        target = self._fds[fd]
        if isinstance(target, Inode):
            target.sync()
            return
        rest: list[Change] = []
        for change in self.waiting:
            done = [one for one in change if os.path.dirname(one[0]) == target]
            _apply(self.names, done)
            rest += [[one for one in change if one not in done]] if len(done) < len(change) else []
        self.waiting = rest

    def _name(self, call: str, path: str, to: str = "") -> None:
        inode = self._now().get(path)
        change: Change = []
        if call == "mkdir":
            change.append((path, None, True))
        if call in ("replace", "rename", "link"):
            change.append((to, inode, True))
        if call in ("replace", "rename", "unlink"):
            change.append((path, inode, False))
        self.waiting.append(change)

    def _now(self) -> Names:
        return self._after(self.waiting)

    def _without(self, number: int) -> list[Change]:
        """Return all waiting names except one call's; changes of names that are then missing are skipped."""
        return self.waiting[:number] + self.waiting[number + 1 :]

    def _after(self, changes: list[Change]) -> Names:
        names = dict(self.names)
        for change in changes:
            _apply(names, change)
        return names


def _apply(names: Names, change: Change) -> None:
    for path, inode, there in change:
        if there:
            names[path] = inode
        else:
            names.pop(path, None)


def put_back(files: Files, top: Path, elsewhere: Path) -> None:
    """Create the state in another folder."""
    for path, data in sorted(files.items()):
        place = elsewhere / Path(path).relative_to(top)
        if data is None:
            place.mkdir()
        else:
            place.write_bytes(data)
