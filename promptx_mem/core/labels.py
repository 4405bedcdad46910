"""Labels of a memory: tags and topic paths."""

import unicodedata
from collections.abc import Iterable

from promptx_mem.core.text import pattern, printable, shorten
from promptx_mem.errors import UsageError

Path = tuple[str, ...]

SEPARATOR = "->"

_LINE = "-=－＝–—―"
_ARROWS = f"(?<![{_LINE}])[{_LINE}]*[>＞]+|[→➔⇒]"
_BRACKETS = {"]": "[", "}": "{"}


def parse_path(text: str) -> Path:
    """Read the parts of a topic path such as `a->b`. White space around a part and empty parts are dropped.

    A final `[…]` or `{…}` is dropped too: printed topics have numbers in these brackets. Case is kept.
    Unprintable characters become U+FFFD, so that a printed path can be read again.
    """
    return tuple(part for raw in text.split(SEPARATOR) if (part := printable(_strip_marks(raw.strip()))))


def read_path(text: str) -> Path:
    """Read a topic path in any form that people type, for example `a>b` or `a→b`."""
    return parse_path(pattern(_ARROWS).sub(SEPARATOR, text))


def demand_path(name: str, text: str) -> Path:
    """Read the topic path in the value of the option `name`. Raises UsageError."""
    given = f"--{name} {shorten(text, 40)!r}"
    if text[-1:] == "-" and text[-2:-1].isalnum():
        message = f"{given} ends in -: the shell took an unquoted > as a redirection"
        raise UsageError(message, hint=f"quote it: --{name} 'project->partner'")
    path = read_path(text)
    if not path:
        raise UsageError(f"{given} is not a topic path", hint=f"names joined by ->: --{name} 'project->memory'")
    return path


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
    """Return a topic path as text in its canonical form, which `parse_path` can read."""
    return SEPARATOR.join(path)


NOTE = "note"
"""Tag of a memory that a person stores without a tag, if the settings have no default tag."""

_MARKS = "_-./"
_IN_TAGS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789" + _MARKS)


def normalise_tag(word: str) -> str | None:
    """Return the tag in a word, in NFKC and without `#`. None if the tag is not valid.

    A tag consists of letters, digits and `_ - . /`, and has at least one letter or digit.
    """
    name = word.lstrip("#＃")
    if name.isascii():
        return name if _IN_TAGS.issuperset(name) and name.strip(_MARKS) else None
    if not name.isprintable():
        return None
    name = unicodedata.normalize("NFKC", name)
    bare = "".join(c for c in name if not unicodedata.category(c).startswith("M"))
    return name if all(c.isalnum() or c in _MARKS for c in bare) and bare.strip(_MARKS) else None


def tag_of(word: str) -> str | None:
    """Return the tag in a word, also if white space follows the #. None if the tag is not valid."""
    return normalise_tag(word.lstrip("#＃ \t\n\u3000"))


def unique(tags: Iterable[str]) -> tuple[str, ...]:
    """Return the tags without duplicates, in the same order."""
    return tuple(dict.fromkeys(tags))
