"""Pages of help that fit the terminal, up to 80 columns; where it is narrow, what a name means stands below it."""

import shutil
from collections.abc import Sequence
from typing import Any

from typer.core import TyperCommand

from promptx_mem.cli.folding import broken, cells

_WIDEST, _NARROW, _LEAST = 80, 60, 20
_FIRST = 30
"""Cells of the widest first column beside which its help stands."""


def columns() -> int:
    """How wide a page is."""
    return max(min(shutil.get_terminal_size().columns, _WIDEST), _LEAST)


_Context: Any = TyperCommand.context_class
_Formatter: Any = _Context.formatter_class


class Formatter(_Formatter):  # type: ignore[misc]
    """What typer writes, broken by cells: a Chinese character takes two."""

    def __init__(self, *_: Any, **__: Any) -> None:
        super().__init__(width=columns() - 2)

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """Write the line that shows how a command is called."""
        self._put(f"{prefix or 'Usage: '}{prog} {args}", indent=4)

    def write_text(self, text: str) -> None:
        """Write paragraphs."""
        for number, paragraph in enumerate(text.split("\n\n")):
            self.write("\n" if number else "")
            self._put(" ".join(paragraph.split()))

    def write_dl(self, rows: Sequence[tuple[str, str]], col_max: int = _FIRST, col_spacing: int = 2) -> None:
        """Write names and what they mean: beside them, or below where that has no room."""
        beside = min(max(cells(name) for name, _ in rows), col_max) + col_spacing
        is_narrow = self.width < _NARROW and beside * 3 > self.width
        for name, meaning in rows:
            lead = name if is_narrow or cells(name) > beside - col_spacing else name + " " * (beside - cells(name))
            indent = 4 if is_narrow else beside
            if lead == name:
                self._put(name.rstrip(), indent=4)
            room = self.width - self.current_indent - indent
            for number, (start, end) in enumerate(broken(meaning, room, 0)):
                first = lead if number == 0 and lead != name else " " * indent
                self.write(f"{'':>{self.current_indent}}{first}{meaning[start:end]}\n")

    def _put(self, text: str, indent: int = 0) -> None:
        margin = " " * self.current_indent
        for start, end in broken(text, self.width - self.current_indent, indent):
            self.write(f"{margin}{' ' * indent if start else ''}{text[start:end]}\n")


class Context(_Context):  # type: ignore[misc]
    """What a command is called in."""

    formatter_class = Formatter
