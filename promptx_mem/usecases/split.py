"""--split: each line or list item of a text becomes a memory of its own."""

import re

from promptx_mem.core.request import Request
from promptx_mem.core.syntax import format_score, parse_argument
from promptx_mem.core.text import shorten
from promptx_mem.errors import UsageError
from promptx_mem.store.config import Config
from promptx_mem.usecases.request import EXAMPLE_SCORE, pasteable, propose

_ITEM = r"(?:[-*+•]|\d{1,3}[.)、])\s+(?=\S)"
MAX_PARTS = 200


def parts(request: Request, config: Config) -> list[Request]:
    """One request for each item. Tokens at the end of the whole hold for every item that has none of its own."""
    whole = propose(request, config)
    items = _items(whole.text)
    if len(items) > MAX_PARTS:
        raise UsageError(
            f"{len(items)} items are more than {MAX_PARTS} at once",
            hint="from a file with a bullet a memory: promptx-mem import FILE",
        )
    score = None if whole.score is None or request.dims else format_score(whole.score)
    common = request._replace(split=False, tags=whole.tags, score=score, duration=whole.duration)
    return [common._replace(text=item) if request.literal else _own(common, item) for item in items]


def _own(common: Request, item: str) -> Request:
    own = parse_argument(item)
    if own.problems:
        mended = pasteable(common, text=own.text, tags=own.tags or common.tags, score=common.score or EXAMPLE_SCORE)
        raise UsageError(f"{shorten(item, 40)}: {'; '.join(own.problems)}", hint=f"for this item: {mended}")
    score = common.score if own.score is None else format_score(own.score)
    return common._replace(
        text=own.text, tags=own.tags or common.tags, score=score, duration=own.duration or common.duration
    )


def _items(text: str) -> list[str]:
    """List items with the lines that hang on them, where there is a list; else every line with something in it."""
    lines = [line for line in text.split("\n") if line.strip()]
    if not any(re.match(_ITEM, line) for line in lines):
        return [line.strip() for line in lines]
    items: list[list[str]] = []
    for line in lines:
        if match := re.match(_ITEM, line):
            items.append([line[match.end() :].strip()])
        elif items and line[:1] in " \t":
            items[-1].append(line.strip())
        else:
            items.append([line.strip()])
    return ["\n".join(item) for item in items]
