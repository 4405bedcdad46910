"""Lines of a drawing that can also be shown without colour."""

from promptx_mem.core.text import shorten

Line = tuple[str, list[tuple[str, str]]]
"""A line, and which parts of it are coloured how."""

_WIDEST = 24


def word(value: object) -> str:
    """A value as one short word: what stands in a file may be anything."""
    return "–" if value is None else shorten(str(value), _WIDEST)
