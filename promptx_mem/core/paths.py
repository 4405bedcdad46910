"""Topic paths: `project->partner->memory` and its parts. Apart from topics, since every `remember` needs them."""

from promptx_mem.core.text import pattern, printable

Path = tuple[str, ...]

SEPARATOR = "->"

_ARROWS = "[-=]*[>＞]+|[→➔⇒]"
_BRACKETS = {"]": "[", "}": "{"}


def parse_path(text: str) -> Path:
    """Read `a->b`: parts trimmed, empty ones dropped, a trailing `[…]` or `{…}` of the printed tree stripped.

    Case is kept; characters that do not print become U+FFFD, so that a path survives being printed.
    """
    return tuple(part for raw in text.split(SEPARATOR) if (part := printable(_strip_marks(raw.strip()))))


def read_path(text: str) -> Path:
    """Read a path as a person types it: also `a>b` and `a→b`."""
    return parse_path(pattern(_ARROWS).sub(SEPARATOR, text))


def is_cut(text: str) -> bool:
    """Return whether a path ends as bash leaves `a->b` without quotes: it takes `>b` as a redirection."""
    return text[-1:] == "-" and text[-2:-1].isalnum()


def _strip_marks(part: str) -> str:
    end = len(part)  # an index: to cut a part off again and again would take quadratic time
    while end and (opener := _BRACKETS.get(part[end - 1])):
        start = part.rfind(opener, 0, end)
        if start < 0 or part.find(part[end - 1], start, end - 1) >= 0:
            break
        end = start
        while end and part[end - 1].isspace():
            end -= 1
    return part[:end]


def format_path(path: Path) -> str:
    """Write a path in its canonical form; `parse_path` gives the path back."""
    return SEPARATOR.join(path)
