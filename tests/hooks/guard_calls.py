"""Tool calls and the guard's answer to each: `deny`, `ask` (settings: a person decides) or `pass`; one a line in rows/.

They happen in a project with a store `.memory`, a link `notes.md` to its declarative.md, a link `mem` to the store,
and a home directory with a store of its own; `{root}` is the project. A command that only reads, or writes beside the
store, passes.
"""

from typing import Any

from tests.tables import rows

CALLS: list[tuple[str, str, dict[str, Any]]] = [tuple(row) for row in rows(__file__, "guard.jsonl")]
