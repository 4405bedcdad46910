"""`.memory.example/` is a store that the program created."""

import gzip
import re
from pathlib import Path

import pytest

from tests import example_store
from tests.api import layout
from tests.inside import CATEGORIES, TYPES, sources

pytestmark = pytest.mark.usefixtures("person")

_HASH = re.compile(r"-[0-9a-f]{16}\b")


def contents(root: Path) -> dict[str, bytes]:
    found = {}
    for path in sorted(root.rglob("*")):
        name = str(path.relative_to(root))
        if name in example_store.TRACKED or name.startswith("archive/"):
            data = path.read_bytes()
            # An archive is named after its packed bytes, which differ between machines.
            found[_HASH.sub("", name)] = gzip.decompress(data) if name.endswith(".gz") else data
    return found


def test_example_store_is_the_output_of_the_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "C.UTF-8")  # the header of new files is in the user's language
    example_store.build(tmp_path / "store")
    assert contents(tmp_path / "store") == contents(example_store.ROOT)


def test_example_store_has_every_kind_of_memory() -> None:
    entries = [line.entry for line in sources.read(layout.at(str(example_store.ROOT))).lines]
    assert len(entries) >= 40
    assert {entry.category for entry in entries} == set(CATEGORIES)
    assert {entry.type for entry in entries} == {*TYPES, None}
    assert {"短期", "中期", "长期", "永久", "2w", "2025-07-01"} <= {entry.duration for entry in entries}
    assert {str(entry.at)[:4] for entry in entries} == {"2025", "2026"}
