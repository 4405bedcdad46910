"""Long tables of tests: files in the folder `rows` next to the test, one row per line."""

import json
from pathlib import Path
from typing import Any


def rows(test: str, name: str) -> list[Any]:
    """Return the rows of a table. `test` is the file of the test."""
    path = Path(test).parent / "rows" / name
    lines = path.read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines] if path.suffix == ".jsonl" else lines
