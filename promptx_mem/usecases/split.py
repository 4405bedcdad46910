"""--split: a request for each item of a text, and the hint for a text with several facts. Loaded only if needed."""

import re
import unicodedata
from itertools import pairwise

from promptx_mem.core.labels import unique
from promptx_mem.core.pasteable import command, read
from promptx_mem.core.request import Request
from promptx_mem.core.shell import USAGE
from promptx_mem.core.syntax import escape_visible, is_token
from promptx_mem.core.text import clean, format_score, shorten
from promptx_mem.errors import UsageError
from promptx_mem.store.config import Config
from promptx_mem.usecases.request import propose

_ITEM = (
    r"(?:(?:[-*+•·]|\d{1,3}[.)]|[A-Za-z][)）])\s+|(?:\d{1,3}[、．）]|[(（](?:\d{1,3}|[一二三四五六七八九十]{1,3})[)）]"
    r"|[①-⑳]|[一二三四五六七八九十]{1,3}、)\s*(?!\d))(?=\S)"
)
_BULLET = r"[-*+•·]\s+(?=\S)"
_FEWEST = 2
"""Minimum number of items or clauses of a list in one line."""
_AKA = r"(?<![ \t])[ \t]+--aka[ \t=]+"
"""The option before each alias at the end of a line."""

MAX_PARTS = 200
SEVERAL = 3
"""Minimum number of list items or clauses that count as separate facts, unless --split is given for one line."""

_LEAST = 4
"""Minimum length, in characters, of a line or clause that could be a fact."""
_CODE = re.compile(
    r"[{$`=\\<>|&]|\w\(|\s[~.]*/\w|://|^\s|^(?:at|File|def|if|for|else|return|import|class)\b|[,:\[]$", re.MULTILINE
)


def parts(request: Request, config: Config, *, person: bool = False) -> list[Request]:
    """Return one request for each item.

    With options, or if a list ends with a newline, an item can end in `--aka WORDS`. Tags given as options apply to all
    items. In other lists, tokens (#tag, score:8) at the very end apply to items without their own. A list with a final
    newline is not cut at semicolons.
    """
    if request.aka:
        hint = "with --split -, each line can end in its own aliases: <text> #<tag> score:8 --aka <words>"
        raise UsageError("--aka applies to one memory, but --split stores several", hint=hint)
    is_list = request.text.endswith("\n") and not _clauses(request.text.strip())
    if is_list or request.literal:
        items = _items(clean(request.text), clauses=not is_list)
        return [_request_of_line(request, item, config, person) for item in _demand_count(items)]
    # keep a token at the end of a line apart from the next line
    request = request._replace(text=request.text.rstrip().replace("\n", " \n"))
    whole = propose(request, config, person=person)
    score = None if whole.score is None or request.dims else format_score(whole.score)
    common = request._replace(
        split=False, tags=whole.tags, score=score, duration=whole.duration, by_default=whole.basis == "terminal"
    )
    marker = re.match(_ITEM, request.text.lstrip())  # `propose` removes it
    text = whole.text if marker is None or re.match(_ITEM, whole.text) else marker[0] + whole.text
    return [_request_of_item(common, item) for item in _demand_count(_items(text))]


def _demand_count(items: list[str]) -> list[str]:
    """Return the items. Raises UsageError if there are none, or too many for one call."""
    if not items:
        raise UsageError("there is no text to remember", code="no_text", hint=USAGE)
    if len(items) > MAX_PARTS:
        hint = "to import a file with one bullet per memory, usage: promptx-mem import <file>"
        raise UsageError(f"{len(items)} items are too many: give at most {MAX_PARTS} at once", hint=hint)
    return items


def _request_of_line(request: Request, item: str, config: Config, person: bool) -> Request:
    """Return the request of one line. Raises UsageError that names the line, before anything is stored."""
    item, *aliases = re.split(_AKA, item)
    bare = request._replace(split=False, aka=tuple(alias.strip("'\"") for alias in aliases))
    part = _request_of_item(bare, item, given=request.tags)
    try:
        propose(part, config, person=person)
    except UsageError as error:
        is_short = error.code in ("no_tokens", "missing_tag", "missing_score")
        why = "a tag or a score is missing in this line" if is_short else error.message
        raise UsageError(_in_item(item, why), code=error.code, hint=error.hint) from None
    return part


def _request_of_item(common: Request, item: str, given: tuple[str, ...] = ()) -> Request:
    """Return the request of an item. `given` are tags for all items."""
    own = read(common._replace(text=item))
    if own.problems:
        from promptx_mem.usecases import advice

        alone = advice.completed(common._replace(text=own.text, tags=own.tags or common.tags), "this item only")
        hint = f"correct this item and run the command with the whole list again\n{alone}"
        raise UsageError(_in_item(item, "; ".join(own.problems)), hint=hint)
    score = common.score if own.score is None else format_score(own.score)
    return common._replace(
        text=own.text,
        tags=unique((*given, *(own.tags or common.tags))),
        score=score,
        duration=own.duration or common.duration,
    )


def _in_item(item: str, why: str) -> str:
    return f"in the item '{shorten(item, 40)}': {why}; no item of the list was stored"


def hint(request: Request, text: str) -> str:
    """Return a hint to use --split if a text has several facts, else an empty text."""
    listed = re.search(rf"(?m)^{_ITEM}", text)
    items = [item for item in _items(text) if len(item) >= _LEAST]
    if len(items) < SEVERAL or request.update or not (listed or _clauses(text)):
        return ""
    if any(is_token(item.rpartition(" ")[2].lstrip("\\")) for item in items):  # each item is read for tokens
        text = "\n".join(map(escape_visible, items))
    return (
        f"it contains {len(items)} facts; if each can be understood on its own, store each separately: "
        f"{command(request._replace(text=text), split=True)}"
    )


def _clauses(text: str, fewest: int = SEVERAL) -> list[str]:
    """Return the parts (`fewest` or more) of a line between semicolons if each could be a fact; none for code."""
    clauses = [clause.strip() for clause in re.split("[；;]", text) if clause.strip()]
    is_list = len(clauses) >= fewest and all(len(clause) >= _LEAST for clause in clauses)
    return clauses if is_list and "\n" not in text and not _CODE.search(text) else []


def _items(text: str, *, clauses: bool = True) -> list[str]:
    """Return the items of a list, each with its continuation lines. Without a list, return lines or clauses."""
    lines = [line for line in text.split("\n") if line.strip(" \t-*+•·")]  # without empty bullets
    if len(lines) == 1:
        lines = _listed(lines[0])
    if not any(re.match(_ITEM, line) for line in lines):
        fewest = SEVERAL if len(lines) > 1 else _FEWEST
        return [item for line in lines for item in (clauses and _clauses(line.strip(), fewest)) or [line.strip()]]
    items: list[str] = []
    for line in lines:
        if items and line[:1] in " \t" and not re.match(_ITEM, line):
            items[-1] += f"\n{line.strip()}"
        else:
            marker = _ITEM if len(lines) > 1 else _BULLET  # the number of a single line can be a part of its text
            items.append(re.sub(f"^{marker}", "", line).strip())
    return items


def _listed(line: str) -> list[str]:
    """Return the items of a list in one line, with their numbers; the whole line if it does not count 1, 2 …."""
    starts: list[int] = []
    for match in re.finditer(rf"(?:^|(?<=[\s,，;；.。]))(?={_ITEM})|(?=[(（①-⑳])(?={_ITEM})", line):
        start = match.start()
        if _number(line[start:]) == len(starts) + 1 and (starts or not line[:start].strip()):
            starts.append(start)
    if len(starts) < _FEWEST:
        return [line]
    return [line[start:end].strip(" \t,，;；") for start, end in pairwise([*starts, len(line)])]


def _number(text: str) -> int:
    """Return the number at the beginning of an item; 0 if there is none."""
    marker = text.lstrip("(（")
    digits = re.match(r"\d{1,3}", marker)
    return int(digits[0] if digits else unicodedata.numeric(marker[0], 0))
