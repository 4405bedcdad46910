"""The HTML page as one file: markup, style and script from assets/, and the data as JSON that cannot close a tag.

The content security policy allows only this style and this script, by their hashes. It allows no request, frame or
form.
"""

import json
import os
import re
from base64 import b64encode
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from itertools import groupby
from unicodedata import normalize

from promptx_mem.core.text import escape_json, printable_values
from promptx_mem.record import Any, TypedDict
from promptx_mem.search.tokens import FUNCTION_PHRASES, STOP_WORDS, fold, is_dense

Column = list[Any] | dict[str, Any]
"""The values of one field for all memories, in one of three formats.

The formats are: a list; `{"same": value}` if all values are equal; `{"words": values, "of": numbers}`, where each
number is an index into `words`.
"""

_FEW = 0.5
"""If the share of different values in a column is below this number, the column is stored as `words` and `of`."""


def column(values: list[Any]) -> Column:
    """Return the values as a column. Values are equal only if their JSON is equal, so 1 is not 1.0 or true."""
    names = [json.dumps(value, ensure_ascii=False) for value in values]
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    if len(numbers) == 1:
        return {"same": values[0]}
    if len(numbers) >= len(values) * _FEW:
        return values
    return {"words": [json.loads(name) for name in numbers], "of": [numbers[name] for name in names]}


_LAST = 0x10FFFF
_LAST_FOLDED = 0x30000
"""The tables need only code points below this. `fold` changes higher ones only by NFKC and lower case."""


class Tables(TypedDict):
    """Tables for the page's search. NFKC does not change `chars`. `fold` changes them to the texts `to`."""

    chars: str
    to: list[str]
    dense: list[tuple[int, int]]
    stops: list[str]
    phrases: list[str]


@cache
def tables() -> Tables:
    """Return the tables. Fold all letters and numbers as one text, because this is ten times faster."""
    letters = [char for char in map(chr, range(0x80, _LAST_FOLDED)) if char.isalnum()]
    lines = "\n".join(letters)
    pairs = zip(letters, normalize("NFKC", lines).split("\n"), fold(lines).split("\n"), strict=True)
    # the page applies NFKC before it looks up a character
    folded = {char: to for char, same, to in pairs if char == same != to}
    return {
        "chars": "".join(folded),
        "to": list(folded.values()),
        "dense": list(_ranges()),
        "stops": sorted(STOP_WORDS),
        "phrases": list(FUNCTION_PHRASES),
    }


def _ranges() -> Iterator[tuple[int, int]]:
    """Yield the ranges of characters whose scripts are written without spaces."""
    start = 0
    for dense, run in groupby(range(0x10000), key=lambda code: is_dense(chr(code))):
        end = start + len(list(run))
        if dense:
            yield start, end - 1 if end < 0x10000 else _LAST
        start = end


ASSETS = os.path.join(os.path.dirname(__file__), "assets")
SCRIPTS = ("words", "search", "data", "list", "memory", "page")
"""Names of the scripts in assets/. Each script comes after the scripts that it needs."""


class Page(TypedDict):
    """The data of a page.

    `commands`: the beginning and end of a command line, by scope. `redacted`: how often each kind of personal data was
    replaced, null if that was not requested.
    """

    at: str
    store: str
    commands: dict[str, tuple[str, str]]
    scope: str
    cues: list[str]
    redacted: dict[str, int] | None
    count: int
    living: int
    memories: dict[str, Column]


def render(page: Page) -> str:
    """Return the page as HTML. Unprintable characters in its data are replaced by U+FFFD."""
    style = _asset("page.css")
    script = "(() => {\n'use strict';\n" + "\n".join(_asset(f"{name}.js") for name in SCRIPTS) + "})();\n"
    whole = {**printable_values(page), "search": tables()}
    parts = {
        "policy": policy(style, script),
        "style": style,
        "script": script,
        "data": escape_json(json.dumps(whole, ensure_ascii=False, separators=(",", ":"))),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], _asset("page.html"))


def policy(style: str, script: str) -> str:
    """Return the content security policy, which allows only the page's own style and script, and `data:` images."""
    return (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )


def _asset(name: str) -> str:
    with open(os.path.join(ASSETS, name), encoding="utf-8", newline="") as file:
        return file.read()


def _hash(text: str) -> str:
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()
