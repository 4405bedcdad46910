"""A disk that forgets: which files a power cut may leave, given the calls made so far.

Unsynced bytes may be kept, dropped, torn or zeroed; unsynced names may be kept or dropped, in their order.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.faults.faulty_os import Call

Files = dict[str, bytes | None]
"""Contents by path; None is a directory."""

FATES = ("kept", "dropped", "torn", "zeroed", "begins zeroed")


@dataclass
class Inode:
    """A file's bytes on the disk, and what has been done to it since: (offset, bytes), or a new size."""

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


class Disk:
    """Follows the calls as a fault that changes none; `cuts` holds the states that a power cut after each may leave."""

    def __init__(self, top: Path) -> None:
        self.top = str(top)
        self.names: dict[str, Inode | None] = {}
        self.waiting: list[tuple[str, Inode | None, bool]] = []
        self.cuts: list[list[Files]] = []
        self._fds: dict[int, Inode | str] = {}
        for path in top.rglob("*"):
            self.names[str(path)] = None if path.is_dir() else Inode(path.read_bytes())

    def fault(self, _number: int, name: str, real: Call, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        answer = real(*args, **kwargs)
        if name == "open":
            self._opened(answer, str(args[0]), args[1])
            return answer
        if name == "write":
            start = os.lseek(args[0], 0, os.SEEK_CUR) - answer
            self._change(args[0], (start, bytes(args[1])[:answer]))
        elif name == "ftruncate":
            self._change(args[0], args[1])
        elif name in ("fsync", "fdatasync"):
            self._sync(args[0])
        elif name in ("mkdir", "replace", "link", "unlink"):
            self._name(name, *(str(arg) for arg in args[: 2 if name in ("replace", "link") else 1]))
        else:
            return answer
        self.cuts.append(list(self._possible()))
        return answer

    def final(self) -> list[Files]:
        return list(self._possible())

    def _opened(self, fd: int, path: str, flags: int) -> None:
        if path not in self._now() and flags & os.O_CREAT and path.startswith(self.top):
            self.waiting.append((path, Inode(), True))
        self._fds[fd] = self._now().get(path) or path

    def _change(self, fd: int, change: tuple[int, bytes] | int) -> None:
        inode = self._fds[fd]
        assert isinstance(inode, Inode)
        inode.pending.append(change)

    def _sync(self, fd: int) -> None:
        target = self._fds[fd]
        if isinstance(target, Inode):
            target.sync()
            return
        rest = []
        for path, inode, there in self.waiting:
            if os.path.dirname(path) == target:
                _set(self.names, path, inode, there=there)
            else:
                rest.append((path, inode, there))
        self.waiting = rest

    def _name(self, call: str, path: str, to: str = "") -> None:
        inode = self._now().get(path)
        if call == "mkdir":
            self.waiting.append((path, None, True))
        if call in ("replace", "link"):
            self.waiting.append((to, inode, True))
        if call in ("replace", "unlink"):
            self.waiting.append((path, None, False))

    def _now(self) -> dict[str, Inode | None]:
        names = dict(self.names)
        for path, inode, there in self.waiting:
            _set(names, path, inode, there=there)
        return names

    def _possible(self) -> Iterator[Files]:
        for names in (self.names, self._now()):
            for fate in FATES:
                yield {
                    path: None if inode is None else inode.after(fate)
                    for path, inode in names.items()
                    if os.path.dirname(path) == self.top or os.path.dirname(path) in names
                }


def _set(names: dict[str, Inode | None], path: str, inode: Inode | None, *, there: bool) -> None:
    if there:
        names[path] = inode
    else:
        names.pop(path, None)


def put_back(files: Files, top: Path, elsewhere: Path) -> None:
    """Make the state in another place."""
    for path, data in sorted(files.items()):
        place = elsewhere / Path(path).relative_to(top)
        if data is None:
            place.mkdir()
        else:
            place.write_bytes(data)
