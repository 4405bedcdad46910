"""Tool calls with the guard's answer: `deny`, `ask` (settings: the user decides) or `pass`; one per line in rows/.

The project has a store `.memory`, a link `notes.md` to its declarative.md and a link `mem` to the store. The home
directory has a store too. `{root}` is the project. Calls that only read, or write outside the store, pass.
"""

from typing import Any

from tests.tables import rows

CALLS: list[tuple[str, str, dict[str, Any]]] = [tuple(row) for row in rows(__file__, "guard.jsonl")]
