"""The directory of a cache, made in our hands, and what old caches have left there."""

import contextlib
import errno
import os
import re
import stat
import time

from promptx_mem.errors import StoreError
from promptx_mem.search import place
from promptx_mem.search.place import Place
from promptx_mem.store import files, inside
from promptx_mem.store.inside import Inside
from promptx_mem.store.layout import Layout

STALE_SECONDS = 3600
_PATH = ".path"
_LONGEST = 8_192
_MONTH = 30 * 86_400
_FORM = re.compile(r"[0-9a-f]{10}-[0-9a-f]{20}\.(?:db|stamp|[0-9a-f]{12}\.new)")
_FIRST_EDITION = re.compile(r"cache\.db(?:[.-].*)?")
_DICTIONARY = re.compile(r"dictionary-[0-9]+\.[0-9]+(?:\..*)?")
"""The lookup file of an extra of the second edition."""


def make_folder(where: Place, mode: int) -> None:
    """Make the directory, in the store with `mode`, and let nobody else write to it.

    Raises OSError or StoreError where that is not in our hands.
    """
    if not where.inside:
        os.makedirs(where.folder.root, mode=0o700, exist_ok=True)
    files.make_directory(where.folder, mode & ~place.OTHERS if where.inside else 0o700)
    with inside.opened_folder(where.folder) as folder:
        status = os.stat(folder)
        if status.st_mode & place.OTHERS and status.st_uid == place.me():
            os.chmod(folder, stat.S_IMODE(status.st_mode) & ~place.OTHERS)
    if not place.own_folder(where.folder):
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM), str(where.folder))


def note_store(where: Place, layout: Layout) -> None:
    """Record beside the caches of a store in the user's folder where the store is, to sweep them when it is gone."""
    path = os.path.realpath(layout.root)
    name = f"{place.prefix(os.stat(path))}{_PATH}"
    if files.read(where.folder / name) != os.fsencode(path):
        files.replace(where.folder / name, os.fsencode(path), 0o600)


def sweep_deleted() -> None:
    """Remove the caches in the user's folder of stores that are gone, and the dictionary of earlier versions."""
    folder = place.user_folder()
    if folder is None:
        return
    with contextlib.suppress(OSError, StoreError):
        names = files.names(folder)
        for name in names:
            if _DICTIONARY.fullmatch(name):
                files.unlink(folder / name)
            store = name.removesuffix(_PATH)
            if store == name or not _is_gone(folder, name, store):
                continue
            for other in names:
                if other == name or (other.startswith(f"{store}-") and _FORM.fullmatch(other)):
                    files.unlink(folder / other)


def _is_gone(folder: Inside, name: str, store: str) -> bool:
    """Return whether another directory, or none, is where a store was."""
    try:
        return place.prefix(os.stat(files.load(folder / name, 0, _LONGEST))) != store
    except (FileNotFoundError, NotADirectoryError):
        return True
    except (OSError, StoreError, ValueError):
        return False


def sweep(where: Place, age: float = STALE_SECONDS, *, keep: bool = True) -> None:
    """Remove what caches of earlier starts of the machine, other versions and killed rebuilds have left.

    `age` is in seconds, of this store's files; those of other stores in the user's directory stay for a month. What is
    not a file of ours, of our name's form, stays; so do the present caches unless `keep` is False.
    """
    now = time.time()
    if not where.inside:
        sweep_deleted()
    for name in files.names(where.folder):
        if keep and name.removesuffix(".db").removesuffix(".stamp") in where.names:
            continue
        if _FORM.fullmatch(name):
            least = age if where.inside or name.startswith(where.name.partition("-")[0]) else _MONTH
        elif where.inside and _FIRST_EDITION.fullmatch(name):
            least = STALE_SECONDS
        else:
            continue
        with contextlib.suppress(OSError, StoreError):
            status = files.status(where.folder / name)
            if status and place.is_ours(status, stat.S_IFREG) and status.st_mtime <= now - least:
                files.unlink(where.folder / name)


def remove_all(layout: Layout) -> None:
    """Remove every cache of this store: each may hold what is purged."""
    for where in place.places(layout):
        with contextlib.suppress(OSError, StoreError):
            if place.own_folder(where.folder):
                sweep(where, 0.0, keep=False)
