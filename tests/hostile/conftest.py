"""Fixtures of tests with hostile input: a working directory deep in an empty tree, a project, and strings."""

import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hostile import inside
from tests.hostile.strings import STRINGS

EVERY = 8
"""Similar inputs get only every eighth string, others for each test, unless `--faults=all`."""


@pytest.fixture
def place(quick: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return the working directory. Afterwards, check that nothing was written outside its store."""
    folder = quick / "a" / "b" / "c" / "d" / "e" / "f"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    yield folder
    inside.check_place(folder)


@pytest.fixture
def project(quick: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the working directory. A file to import is next to it."""
    folder = quick / "project"
    folder.mkdir()
    (quick / "theirs.md").write_text("- 2026/11/20 09:00 taken over #t #评分:8 #有效期:长期\n", "utf-8")
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def sample(request: pytest.FixtureRequest, all_faults: bool) -> dict[str, str]:
    """Return the strings for an input that is similar to another: all of them with `--faults=all`."""
    first = zlib.crc32(request.node.name.encode()) % EVERY
    return STRINGS if all_faults else dict(list(STRINGS.items())[first::EVERY])
