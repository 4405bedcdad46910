"""view: one HTML page to look at, with the memories, or what filters leave of them, in it."""

from promptx_mem.usecases.view.write import View, Wants, view

__all__ = ["View", "Wants", "view"]
