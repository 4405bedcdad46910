"""Whose a store is: the user's own, or one that came with a clone. This copy decides it, never a line of the store."""

from promptx_mem.core.origin import CLONE, NOTICE, OWN
from promptx_mem.store import notes
from promptx_mem.store.layout import Layout


class Origin:
    """Whose a store and its memories are; found out once, when it first matters."""

    def __init__(self, where: Layout) -> None:
        self._where = where
        self._of_store = ""

    @property
    def is_own(self) -> bool:
        """Whether the store was made or trusted here; git is asked only where no note answers."""
        if not self._of_store:
            own = not self._where.exists() or notes.is_noted(self._where) or not _came_with_a_clone(self._where)
            self._of_store = OWN if own else CLONE
        return self._of_store == OWN

    def of(self, folded: str) -> str:
        """Whose a memory is, given what the fold says of it: the one place that decides it."""
        return folded if self.is_own else CLONE

    def notice(self) -> tuple[str, ...]:
        """The line for a store that is not the user's own; none where it is."""
        return () if self.is_own else (NOTICE,)


def _came_with_a_clone(where: Layout) -> bool:
    from promptx_mem.store.tracked import is_tracked

    return is_tracked(where.root)
