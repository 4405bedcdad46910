"""Fixtures of the store tests."""

from pathlib import Path

import pytest

from tests.api import Layout, layout


@pytest.fixture
def where(tmp_path: Path) -> Layout:
    """The layout of an empty store."""
    root = tmp_path / ".memory"
    root.mkdir(mode=0o700)
    return layout.at(str(root))
