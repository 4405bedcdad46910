"""Read a page as a browser does: its tags, its data, its policy."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from tests.api import PageWants as Wants
from tests.world import World


class Reader(HTMLParser):
    """Parser that collects each tag with its attributes, and the text of each style and script."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=False)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.raw: list[tuple[str, str]] = []
        self._in = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._in = tag
        if tag in ("script", "style"):
            self.raw.append((dict(attrs).get("type") or tag, ""))

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002 - the name that it is called with
        self._in = ""

    def handle_data(self, data: str) -> None:
        if self._in in ("script", "style"):
            kind, text = self.raw[-1]
            self.raw[-1] = (kind, text + data)


def written(world: World, *filters: str, **wants: Any) -> str:
    """Write the page into the store. Return its text."""
    world.memory.view(Wants(filters=filters, **wants))
    return world.read(".view.html")


def data(text: str) -> dict[str, Any]:
    """Return the data of a page."""
    value = json.loads(dict(Reader(text).raw)["application/json"])
    assert isinstance(value, dict)
    return value


def column(text: str, key: str) -> list[Any]:
    """Return one field of all memories of a page."""
    page = data(text)
    return unpacked(page["memories"][key], page["count"])


def unpacked(column: Any, count: int) -> list[Any]:
    """Read a column as the page does."""
    if isinstance(column, list):
        return column
    return [column["words"][number] for number in column["of"]] if "of" in column else [column["same"]] * count


def texts(text: str) -> list[str]:
    return column(text, "text")


def scripts(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text("utf-8") for path in sorted(folder.glob("*.js"))}


def without_comments(script: str) -> str:
    return re.sub(r"(?m)^\s*//.*$", "", script)
