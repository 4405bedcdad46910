"""Long tables of tests: each has a file in the folder `rows` beside its test, one row a line."""

import json
from pathlib import Path
from typing import Any


def rows(test: str, name: str) -> list[Any]:
    """Return the rows of a table of a test, which gives its own file."""
    path = Path(test).parent / "rows" / name
    lines = path.read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines] if path.suffix == ".jsonl" else lines
