"""Files that PromptX and people wrote are read unharmed."""

import json
from pathlib import Path
from typing import Any

import pytest

from promptx_mem.core import document
from promptx_mem.core.document import Document, read

TABLE = json.loads((Path(__file__).parent.parent / "conformance" / "promptx_lines.json").read_text("utf-8"))


def texts(found: Document) -> list[str]:
    return [memory.text for memory in found.found]


@pytest.mark.parametrize("case", TABLE["cases"], ids=lambda case: case["name"])
def test_table(case: dict[str, Any]) -> None:
    data = case["file"].encode()
    result = read(data)
    seen = [
        {"text": f.text, "tags": list(f.tags), "score": f.score, "duration": f.duration, "at": f.at}
        for f in result.found
    ]
    assert seen == case["memories"]
    assert len(result.problems) == case.get("problems", 0)


@pytest.mark.parametrize("case", TABLE["cases"], ids=lambda case: case["name"])
def test_offsets_cut_out_the_memory_and_nothing_else(case: dict[str, Any]) -> None:
    data = case["file"].encode()
    for found in read(data).found:
        (alone,) = read(data[found.start : found.end]).found
        assert (alone.text, alone.tags, alone.score, alone.at) == (found.text, found.tags, found.score, found.at)
