"""Where the cache of a store is, for tests that harm it or look into it."""

from pathlib import Path

from tests.api import Layout
from tests.inside import search_cache


def file_of(where: Layout) -> Path:
    """The file in which the cache lies as long as nothing is in the way."""
    return Path(next(search_cache.places(where)).path)
