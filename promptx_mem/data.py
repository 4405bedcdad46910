"""Word lists that are files of the package."""

import os
from functools import cache

_FOLDER = os.path.dirname(__file__)


@cache
def word_lists(path: str) -> dict[str, str]:
    """Return the text of each list in a file of the package, by name. Each list follows a line `# NAME`."""
    with open(os.path.join(_FOLDER, path), encoding="utf-8") as file:
        _, *parts = f"\n{file.read()}".split("\n# ")
    return {name: words for name, _, words in (part.partition("\n") for part in parts)}


@cache
def traditional_characters() -> tuple[frozenset[str], dict[int, int]]:
    """Return the traditional characters, and the table that converts them to simplified characters."""
    lists = word_lists("search/traditional.txt")
    traditional, simple = ("".join(lists[name].split()) for name in ("traditional", "simplified"))
    return frozenset(traditional), str.maketrans(traditional, simple)


@cache
def weights(path: str) -> dict[str, float]:
    """Return the weight of each feature in the list `weights` of a file. A line has a weight and its features."""
    lines = map(str.split, word_lists(path)["weights"].splitlines())
    return {name: float(weight) for weight, *names in lines for name in names}
