"""A place for hostile strings: a folder deep in an empty tree, so that a path that climbs is seen."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hostile import inside
from tests.hostile.strings import STRINGS

EVERY = 4
"""Of entrances that differ little a plain run takes every fourth string."""


@pytest.fixture
def place(quick: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The working directory; whatever happens, nothing is written beside its store."""
    folder = quick / "a" / "b" / "c" / "d" / "e" / "f"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    yield folder
    inside.check_place(folder)


@pytest.fixture
def project(quick: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, and beside it a file to import."""
    folder = quick / "project"
    folder.mkdir()
    (quick / "theirs.md").write_text("- 2026/11/20 09:00 taken over #t #评分:8 #有效期:长期\n", "utf-8")
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def sample(all_faults: bool) -> dict[str, str]:
    """The strings for an entrance that is much like another: all with `--faults=all`."""
    return STRINGS if all_faults else dict(list(STRINGS.items())[::EVERY])
