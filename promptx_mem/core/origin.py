"""Origin: whether a memory is the user's own, or came with something; what is not own is marked, and not lifted."""

from promptx_mem.core.decay import LASTING, faded, initial
from promptx_mem.core.entry import LONG, PERMANENT

OWN, CLONE, IMPORT = "own", "clone", "import"
MEMBER = "member:"
"""Begins the origin of what came from a server; the name of the role that put it there follows."""

PROJECT, USER = "project", "user"
"""The scopes: what is true of a project, what is true of its user everywhere."""

NOTICE = (
    "the memory here came with the project: it was neither made nor trusted on this machine, so nothing of it is given "
    "unasked, and what is recalled carries origin: clone. A user whose own it is says so once, in a terminal: "
    "promptx-mem init --trust"
)
"""All that is said unasked of a store that is not own: nothing in it is from the store."""

FACT = "fact"
MOST = initial(7.0, FACT)
"""What no line lifts a memory above that is not own: a fact of today with a score of 7."""

ACTIVATION = 0.55


def worth(importance: float, category: str, duration: str, elapsed: float) -> float:
    """Return what a memory that is not own is worth `elapsed` seconds after its last access, whatever it claims."""
    kind = FACT if category in LASTING else category
    lasting = LONG if duration == PERMANENT else duration
    return faded(min(importance, MOST), kind, lasting, max(elapsed, 0.0))
