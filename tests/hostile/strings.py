"""The table of hostile strings by name, for every kind of input. Most are in strings.json, one per line."""

import json
from pathlib import Path

STRINGS: dict[str, str] = {
    **json.loads((Path(__file__).parent / "strings.json").read_text("utf-8")),
    "zalgo": "z" + "\u0335\u0322\u0321" * 200,
    "long expansion": "ﷺ" * 500,
    "line of spaces": "x" + " " * 500 + "y",
    "path long": "a/" * 300,
    "number huge": "9" * 5000,
    "hex": "0x" + "F" * 5000,
    "topic long": "->".join(["abc" * 5] * 60),
}
