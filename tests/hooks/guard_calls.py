"""Tool calls and the guard's answer to each: `deny`, `ask` (settings: a person decides) or `pass`; one a line in rows/.

They happen in a project with a store `.memory`, a link `notes.md` to its declarative.md, a link `mem` to the store,
and a home directory with a store of its own; `{root}` is the project. A command that only reads, or writes beside the
store, passes.
"""

import json
from pathlib import Path
from typing import Any

CALLS: list[tuple[str, str, dict[str, Any]]] = [
    tuple(json.loads(line)) for line in (Path(__file__).parent / "rows/guard.jsonl").read_text("utf-8").splitlines()
]
