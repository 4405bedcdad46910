"""Write output files that a user names with -o, after a check that the path is outside of every store."""

import errno
import os
import stat
from collections.abc import Iterable

from promptx_mem.core.shell import quote
from promptx_mem.errors import StoreError, UsageError
from promptx_mem.places import home_store, parents, user_store
from promptx_mem.store import disk, files
from promptx_mem.store.layout import DIRECTORY, Layout

_OURS = frozenset({"journal.jsonl", "audit.jsonl", ".gitattributes", ".lock", ".intent", ".own", "conversations"})
"""Names of files. A folder with declarative.md and one of these files is a store, whatever its name is."""


def demand(path: str, stores: Iterable[Layout]) -> None:
    """Raise an error if a path is inside a store: one of `stores`, the user store, or any other store.

    Raises UsageError if the path leads into a store, even by a symbolic link or another spelling. Raises UsageError
    also if the path is a directory, or if no file can be created there. Raises StoreError if the check fails.
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
            f"{path} is inside the store {root}, which only promptx-mem writes",
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
