"""Print a version's section of CHANGELOG.md: `python3 .ci/release_notes.py 0.1.0`."""

import re
import sys
from pathlib import Path

CHANGELOG = Path(__file__).parents[1] / "CHANGELOG.md"


def excerpt(changelog: str, version: str) -> str:
    """Return the text below the version's heading; raise ValueError if it is missing or empty."""
    heading = rf"^## \[?{re.escape(version)}(?![\w.])\]?[^\n]*\n"
    found = re.search(rf"{heading}(.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL)
    text = found[1].strip() if found else ""
    if not text:
        raise ValueError(f"CHANGELOG.md has no entries for {version}")
    return f"{text}\n"


if __name__ == "__main__":
    sys.stdout.write(excerpt(CHANGELOG.read_text("utf-8"), sys.argv[1]))
