"""Writes outside of every store: output files that a user names with -o, and the records of the user's own stores."""

import contextlib
import errno
import os
import stat
from collections.abc import Iterable

from promptx_mem.core.shell import quote
from promptx_mem.errors import StoreError, UsageError
from promptx_mem.places import home_store, is_trusted, parents, state_folder, user_store
from promptx_mem.store import files
from promptx_mem.store.layout import DIRECTORY, Layout

_OURS = frozenset({"journal.jsonl", "audit.jsonl", ".gitattributes", ".lock", ".intent", ".own", "conversations"})
"""Names. A folder that contains declarative.md and one of these is a store, whatever its own name is."""


def demand(path: str, stores: Iterable[Layout]) -> None:
    """Check that a path can be an output file outside of every store (`stores`, the user store, any other store).

    Raises UsageError if the path leads into a store, even by a symbolic link or another spelling. Raises UsageError
    also if the path is a directory, or if its folder is missing. Raises StoreError if the check fails.
    """
    if not path or "\0" in path:
        raise UsageError("-o needs the name of a file", code="no_file", hint="for example: -o memory.jsonl")
    there = _status(path)
    real = os.path.realpath(path)
    is_folder = path.endswith(os.sep) if there is None else stat.S_ISDIR(there.st_mode)
    folder = real if is_folder else os.path.dirname(real)
    root = _store_around(folder, [*(where.root for where in stores), *filter(None, (user_store(), home_store()))])
    if root is not None:
        raise UsageError(
            f"{path} is inside the store {root}. Only promptx-mem can write there",
            code="inside_store",
            hint="name a file outside of the store",
        )
    if is_folder:
        raise UsageError(f"{path} is a directory", code="no_file", hint="name a file in this directory")
    if there is None and not os.path.isdir(folder):
        raise UsageError(f"there is no directory {folder}", code="no_file", hint=f"create it: mkdir -p {quote(folder)}")


def write(path: str, text: str, stores: Iterable[Layout]) -> None:
    """Replace a file, or create one that only its owner can read. If the path is a link, replace its target.

    Devices and pipes are written directly. An existing file keeps its mode; if the write fails, it also keeps its
    content. Raises the errors of `demand`, and StoreError if the write fails.
    """
    from promptx_mem.store import disk

    demand(path, stores)
    there = _status(path)
    try:
        if there is not None and not os.access(path, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        if there is None or stat.S_ISREG(there.st_mode):
            mode = 0o600 if there is None else stat.S_IMODE(there.st_mode) & 0o777
            disk.replace(os.path.realpath(path), text.encode(), mode, durable=True)
            return
        fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC | os.O_NOCTTY)
        try:
            files.write_all(fd, text.encode())
        finally:
            os.close(fd)
    except OSError as error:
        raise _failed(path, error) from error


def _failed(path: str, error: OSError) -> StoreError:
    hint = "name a file in another directory or on another disk; if the file existed, it is unchanged"
    return StoreError(f"{path} could not be written: {error.strerror or error}", hint=hint)


def _status(path: str) -> os.stat_result | None:
    """Return the status of a path's target; None if missing. Raises UsageError for invalid paths, else StoreError."""
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        failed = _failed(path, error)
        if error.errno in (errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG):
            raise UsageError(failed.message, code="no_file", hint="name another file") from None
        raise failed from error


def _store_around(folder: str, known: Iterable[str]) -> str | None:
    """Return the first store among a folder and its parents; None if there is none. `folder` must contain no links.

    A store is recognised by its files or its name, or because it is one of `known`.
    """
    roots = {os.path.realpath(root): root for root in known}
    for upper in parents(folder):
        if upper in roots or os.path.basename(upper).casefold() == DIRECTORY or _is_store(upper):
            return roots.get(upper, upper)
    return None


def _is_store(folder: str) -> bool:
    if not os.path.lexists(os.path.join(folder, "declarative.md")):
        return False
    parent, name = os.path.split(folder)
    is_promptx = (os.path.basename(parent), name) == (".promptx", "memory")
    return is_promptx or any(os.path.lexists(os.path.join(folder, other)) for other in _OURS)


_MAX_OWN = 4 * 1024


def folder() -> str | None:
    """Return the user's state folder, created if it is missing.

    None if it cannot be created, or if its first existing parent belongs to another user (e.g. with sudo).
    """
    folder = state_folder()
    missing = []
    with contextlib.suppress(OSError):
        for upper in parents(folder) if folder is not None else ():
            if not os.path.isdir(upper):
                missing.append(upper)
            elif os.stat(upper).st_uid != os.geteuid():
                return None
            else:
                for directory in reversed(missing):
                    with contextlib.suppress(FileExistsError):  # another command has created it meanwhile
                        os.mkdir(directory, 0o700)
                return folder
    return None


def record(notes: str, where: Layout, kind: str, mark: bytes | None, most: int) -> bool:
    """Append a record of a store to the file `notes`; halve it above `most` bytes. Return False if this fails.

    `mark` is the store's mark (see `trust`). Without `mark`, the store gets a new mark.
    """
    from promptx_mem.store import disk  # a recall in a store without a record only calls `folder`

    try:
        if folder() is None:
            return False
        if mark is None:
            mark = os.urandom(16).hex().encode()
            with files.opened(where.own, os.O_RDWR | os.O_APPEND, where.mode) as fd:
                if os.fstat(fd).st_size > _MAX_OWN // 2:
                    os.ftruncate(fd, 0)
                os.write(fd, b"\n" + mark + b"\n")
                disk.sync(fd)
        real = os.path.realpath(where.root)
        status = os.stat(real)
        named = os.fsencode(real).replace(b"%", b"%25").replace(b"\n", b"%0A")
        _append(notes, b"%s %d %d %s %s" % (kind.encode(), status.st_dev, status.st_ino, mark, named), most)
    except (OSError, StoreError, ValueError):
        return False
    return True


def _append(notes: str, line: bytes, most: int) -> None:
    """Append a line in one write, so that lines of concurrent writers do not mix. Raises OSError, StoreError."""
    from promptx_mem.store import disk

    with files.opened(notes, os.O_RDWR | os.O_APPEND) as fd:
        status = os.fstat(fd)
        if not is_trusted(status):
            raise PermissionError(f"{notes} is not the user's own file")
        if status.st_size > most:
            _, _, tail = os.pread(fd, most // 2, status.st_size - most // 2).partition(b"\n")
            disk.replace(notes, tail + line + b"\n", 0o600)
            return
        # Begin with a newline, since the line before could be incomplete.
        os.write(fd, b"\n" + line + b"\n")
        disk.sync(fd)  # without the record, the user's own store would not be trusted
