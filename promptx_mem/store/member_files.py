"""Where it is noted which lines came from a server: in the store, and a second time with the user, outside of it.

The two are kept equal. What one of them has lost the other still says; where neither is whole nobody knows whose a
memory is, and all count as a member's. What a person has said counts only from the user's own.
"""

import os
import re
from collections.abc import Iterable
from hashlib import blake2b
from typing import NamedTuple

from promptx_mem import places
from promptx_mem.errors import StoreError
from promptx_mem.store import files, inside, trust
from promptx_mem.store.layout import Layout

NAME = "members.jsonl"
MAX_BYTES = 100_000_000
"""More than a line about each memory of the largest store takes; a larger file is not read."""

_HEAD = re.compile(rb'\{"copy":"([0-9a-f]{32})"\}\n')


class Place(NamedTuple):
    """One of the two files: its bytes, and what is wrong with it as a whole, empty for nothing."""

    data: bytes = b""
    trouble: str = ""

    @property
    def mark(self) -> bytes:
        """Drawn when a copy joins, the same in both files; empty where the first line does not say it."""
        match = _HEAD.match(self.data)
        return match[1] if match else b""

    def is_sound(self) -> bool:
        """Whether it looks whole: every line begins and ends as ours do."""
        if self.trouble or not self.mark or not self.data.endswith(b"\n"):
            return False
        lines = self.data.count(b"\n") - 1
        begun = self.data.count(b'\n{"id":"m_') + self.data.count(b'\n{"trust":')
        return lines == begun == self.data.count(b'"}\n') - 1


MISSING = "it is missing"


class Pair(NamedTuple):
    """The notes of a copy, in the store and with the user."""

    inside: Place
    outside: Place

    def is_equal(self) -> bool:
        """Whether both say the same: what happened to one of them has not happened to the other."""
        one, two = self
        return bool(one.mark) and one.data == two.data and one.data.endswith(b"\n")

    def is_one_copy(self) -> bool:
        """Whether neither says that it is another copy's."""
        return not self.inside.mark or not self.outside.mark or self.inside.mark == self.outside.mark

    def mark(self) -> bytes:
        """What is drawn anew where the two do not agree."""
        return (self.inside.mark or self.outside.mark) if self.is_one_copy() else b""


def read(layout: Layout) -> Pair | None:
    """The two files; None for a store that has never met a server."""
    outside = path(layout)
    second = Place(trouble=MISSING) if outside is None or not os.path.lexists(outside) else _load(outside)
    if files.status(layout.team) is None:
        return None if second.trouble == MISSING else Pair(Place(trouble=MISSING), second)
    first = _load(layout.team / NAME)
    if first.trouble == MISSING and second.trouble == MISSING and _is_new(layout):
        return None
    return Pair(first, second)


def _is_new(layout: Layout) -> bool:
    """Whether the folder holds nothing yet: it is made before the first exchange."""
    status = files.status(layout.team / "state.json") or files.status(layout.team / "sent")
    return status is None and os.path.isdir(str(layout.team)) and not os.path.islink(str(layout.team))


def _load(place: inside.Path) -> Place:
    try:
        status = files.status(place)
        if status is not None and status.st_size > MAX_BYTES:
            return Place(trouble="it is far too large")
        if isinstance(place, str) and status is not None and not places.is_trusted(status):  # of a store several write
            return Place(trouble="it is another user's")
        return Place(files.load(place, 0, MAX_BYTES))
    except FileNotFoundError:
        return Place(trouble=MISSING)
    except StoreError as error:
        return Place(trouble=error.message)
    except OSError as error:
        return Place(trouble=f"it cannot be read ({error.strerror})")


def path(layout: Layout) -> str | None:
    """Where the user's file of a store lies; None without a home, or where no store's was ever made."""
    folder = places.members_folder()
    return None if folder is None or not os.path.isdir(folder) else os.path.join(folder, _name(layout))


def _name(layout: Layout) -> str:
    return blake2b(os.fsencode(os.path.realpath(layout.root)), digest_size=16).hexdigest() + ".jsonl"


def append(layout: Layout, data: bytes) -> None:
    """Add whole lines to both, which are equal. Raises OSError, StoreError."""
    for place in _both(layout):
        with files.opened(place, os.O_RDWR | os.O_APPEND, layout.mode) as fd:
            files.write_all(fd, data)
            files.sync(fd)


def write(layout: Layout, lines: Iterable[bytes], mark: bytes = b"") -> None:
    """Put both anew, durably. Raises OSError, StoreError."""
    head = b'{"copy":"%s"}\n' % (mark or os.urandom(16).hex().encode())
    data = head + b"".join(b"%s\n" % line for line in lines)
    for place in _both(layout):
        files.replace(place, data, layout.mode, durable=True)


def _both(layout: Layout) -> list[inside.Path]:
    files.make_directory(layout.team, layout.directory_mode)
    folder = places.members_folder()
    if folder is None or trust.folder() is None:
        raise StoreError(
            "it cannot be noted outside of the store whose the memories are",
            hint=f"{folder or 'a home'} must be writable; XDG_STATE_HOME names another place",
        )
    files.make_directory(folder, 0o700)
    return [layout.team / NAME, os.path.join(folder, _name(layout))]
