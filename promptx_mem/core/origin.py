"""Origin: whether a memory is the user's own, or came with something; what is not own is marked, and not lifted."""

OWN, CLONE, IMPORT = "own", "clone", "import"
MEMBER = "member:"
"""Begins the origin of what came from a server; the name of the role that put it there follows."""

PROJECT, USER = "project", "user"
"""The scopes: what is true of a project, what is true of its user everywhere."""

NOTICE = (
    "this store was not made on this machine and is not trusted yet, so nothing of it is injected and recall marks it "
    "origin: clone. If it is yours, trust it in a terminal: promptx-mem init --trust"
)
"""The one line about a store that is not the user's own; nothing in it is from the store."""

REPLACED_NOTICE = (
    "git tracks files of this private store now, so they may be another person's: nothing of it is injected and recall "
    "marks it origin: clone. If all of it is yours, trust it in a terminal: promptx-mem init --trust"
)
"""The same for a private store whose files a checkout, merge or stash has replaced."""

FACT = "fact"
MOST = 7.0 / 5
"""What no line lifts a memory above that is not own: a fact of today with a score of 7."""


def worth(importance: float, category: str, duration: str, elapsed: float) -> float:
    """Return what a memory that is not own is worth `elapsed` seconds after its last access, whatever it claims."""
    from promptx_mem.core.decay import LASTING, faded
    from promptx_mem.core.entry import LONG, PERMANENT

    kind = FACT if category in LASTING else category
    lasting = LONG if duration == PERMANENT else duration
    return faded(min(importance, MOST), kind, lasting, max(elapsed, 0.0))
