"""A private session: hooks, guard and server keep silent, and nothing is stored (docs/settings.md)."""

import os

VARIABLE = "PROMPTX_MEM_OFF"


def is_private() -> bool:
    """Whether this process is to keep out of the memory."""
    return os.environ.get(VARIABLE, "") not in ("", "0")
