"""The path of a store's cache, for tests that damage or read it."""

from pathlib import Path

from tests.api import Layout
from tests.inside import search_cache


def file_of(where: Layout) -> Path:
    """Return the usual file of the cache."""
    return Path(next(search_cache.places(where)).path)
