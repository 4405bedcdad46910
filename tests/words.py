"""Banned phrases in messages, help, docstrings and pages: `python -m tests.words` prints them and exits with 1.

It bans phrases, not single words. Strings of the package cover its messages, help and docstrings; comments are free.
Pages have a longer list.
"""

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.tables import rows

ROOT = Path(__file__).parents[1]
BANNED = rows(__file__, "banned.txt")
BANNED_IN_PAGES = [*BANNED, *rows(__file__, "banned_in_pages.txt")]


def _patterns(phrases: Iterable[str]) -> dict[str, re.Pattern[str]]:
    return {phrase: re.compile(r"\b" + phrase.replace(" ", r"\s+") + r"\b", re.IGNORECASE) for phrase in phrases}


_OF_MODULES, _OF_PAGES = _patterns(BANNED), _patterns(BANNED_IN_PAGES)
_ANY = re.compile("|".join(pattern.pattern for pattern in _OF_MODULES.values()), re.IGNORECASE)
_CODE = re.compile(r"^ *```.*?^ *```|`[^`\n]*`", re.MULTILINE | re.DOTALL)

Finding = tuple[str, int, str]


def in_page(text: str) -> Iterator[tuple[int, str]]:
    """Yield line and phrase for each banned phrase of a page, outside its code."""
    prose = _CODE.sub(lambda code: re.sub(r"[^\n]", " ", code.group()), text)
    for phrase, pattern in _OF_PAGES.items():
        for found in pattern.finditer(prose):
            yield prose.count("\n", 0, found.start()) + 1, phrase


def in_module(source: str) -> Iterator[tuple[int, str]]:
    """Yield line and phrase for each banned phrase in the strings of a module."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and _ANY.search(node.value):
            for phrase, pattern in _OF_MODULES.items():
                if pattern.search(node.value):
                    yield node.lineno, phrase


def findings(root: Path = ROOT) -> list[Finding]:
    """Return file, line and phrase of each banned phrase in the package and in the English pages."""
    pages = [*sorted(root.glob("*.md")), *sorted((root / "docs").rglob("*.md"))]
    found = {page: in_page(page.read_text("utf-8")) for page in pages if "zh-CN" not in str(page.relative_to(root))}
    found |= {module: in_module(module.read_text("utf-8")) for module in sorted((root / "promptx_mem").rglob("*.py"))}
    return [(str(file.relative_to(root)), line, phrase) for file, hits in found.items() for line, phrase in hits]


if __name__ == "__main__":
    for name, number, words in (wrong := findings()):
        sys.stdout.write(f"{name}:{number}: {words}\n")
    sys.exit(bool(wrong))
