"""Long tables of tests: files in the folder `rows` next to the test, one row per line."""

import json
from pathlib import Path
from typing import Any


def rows(test: str, name: str) -> list[Any]:
    """Return the rows of a table. `test` is the file of the test."""
    lines = sample(test, name).splitlines()
    return [json.loads(line) for line in lines] if name.endswith(".jsonl") else lines


def sample(test: str, name: str) -> str:
    """Return the whole text of a file in the folder `rows`."""
    return (Path(test).parent / "rows" / name).read_text("utf-8")
