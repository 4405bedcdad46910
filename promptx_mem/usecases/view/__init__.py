"""view: one HTML page with all memories, or the filtered ones."""

from promptx_mem.usecases.view.write import View, Wants, view

__all__ = ["View", "Wants", "view"]
