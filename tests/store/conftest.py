"""A quick place for the tests that make thousands of stores."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def quick(tmp_path: Path) -> Iterator[Path]:
    """A directory in memory where there is one: these tests ask what was called, not what the disk does."""
    memory = "/dev/shm"
    with tempfile.TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else tmp_path) as place:
        yield Path(place)
