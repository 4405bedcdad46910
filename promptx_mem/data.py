"""Word lists that are files of the package."""

import os
from functools import cache

_FOLDER = os.path.dirname(__file__)


@cache
def word_lists(path: str) -> dict[str, str]:
    """Return the lists of a file of the package by their names. A name is a line that begins with `# `."""
    with open(os.path.join(_FOLDER, path), encoding="utf-8") as file:
        _, *parts = f"\n{file.read()}".split("\n# ")
    return {name: words for name, _, words in (part.partition("\n") for part in parts)}
