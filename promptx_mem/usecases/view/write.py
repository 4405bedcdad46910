"""Write the page: read, choose, describe, render; into the store under the lock, so that no purge misses it."""

import os
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

from promptx_mem.core.origin import USER
from promptx_mem.core.shell import PROGRAM, join
from promptx_mem.core.text import printable
from promptx_mem.errors import BusyError
from promptx_mem.result import Result
from promptx_mem.store import append, files, sources
from promptx_mem.store.store import disk_errors
from promptx_mem.usecases import index
from promptx_mem.usecases.export import by_memory
from promptx_mem.usecases.view import rows, selection
from promptx_mem.usecases.view.redaction import Redaction
from promptx_mem.view import columns, page

if TYPE_CHECKING:
    from collections.abc import Callable

    from promptx_mem.store.writer import Writer
    from promptx_mem.usecases.context import Context

_TRIES = 3
_PURGED = b'"e":"purged"'


class Wants(NamedTuple):
    """The filters of a page. `redact` leaves out personal data; `apart`: it goes to a file elsewhere."""

    filters: tuple[str, ...] = ()
    redact: bool = False
    apart: bool = False


class View(TypedDict):
    """What view answers. `text` is the page where it goes elsewhere; `redacted` counts what was left out, by kind."""

    store: str
    file: str | None
    count: int
    bytes: int
    cues: list[str]
    redacted: dict[str, int]
    opened: bool
    text: str


class _Page(NamedTuple):
    """A page, and the number of purges in its store's journal."""

    data: page.Page
    purges: int


def view(context: "Context", wants: Wants, progress: rows.Progress | None = None) -> Result[View]:
    """Make the page. Raises UsageError for a bad filter, StoreError where there is no store or it cannot be written."""
    index.demand_store(context.layout)
    with disk_errors():
        result = _page(context, wants, progress)
        text = page.render(result.data)
        if not wants.apart:
            text = _put(context, wants, result, text)
    data: View = {
        "store": context.layout.display(),
        "file": None if wants.apart else os.path.join(context.layout.display(), os.path.basename(context.layout.page)),
        "count": result.data["count"],
        "bytes": len(text.encode()),
        "cues": result.data["cues"],
        "redacted": result.data["redacted"] or {},
        "opened": False,
        "text": text if wants.apart else "",
    }
    return Result("view", data, (*context.config_warnings(), *context.origin.notice(), *_emptiness(wants, data)))


def _emptiness(wants: Wants, data: View) -> tuple[str, ...]:
    """Say so where the filters leave nothing: a page is sent without being opened."""
    if data["count"] or not wants.filters:
        return ()
    return ("nothing matches, so the page is empty; `recall` also shows what matches only weakly",)


def _put(context: "Context", wants: Wants, result: _Page, text: str) -> str:
    """Put the page into the store, made again where something was purged since it was read."""

    def put(writer: "Writer") -> bool:
        if _purges(context) != result.purges:
            return False
        files.replace(writer.layout.page, text.encode(), 0o600)
        return True

    for _ in range(_TRIES):
        if context.store.write(put):
            return text
        result = _page(context, wants, None)
        text = page.render(result.data)
    raise BusyError("memories are being purged while the page is made", hint="try again")


def _purges(context: "Context") -> int:
    return append.read_settled(context.layout, context.layout.journal).count(_PURGED)


def _page(context: "Context", wants: Wants, progress: rows.Progress | None) -> _Page:
    purges = _purges(context)
    questions = selection.questions(context, wants.filters)
    everything = sources.read(context.layout)
    states = selection.narrowed(context, selection.states(context, everything), questions)
    now = context.now()
    described = rows.describe(context, states, by_memory(everything.events), now.timestamp(), progress)
    redaction = Redaction() if wants.redact else None
    clean: Callable[[Any], Any] = redaction.of if redaction else _as_it_is
    data: page.Page = {
        "at": now.isoformat(timespec="seconds"),
        "store": printable(os.path.basename(os.path.dirname(context.layout.root)) or context.layout.root),
        "commands": {context.scope: _command(context, wants)},
        "scope": context.scope,
        "cues": clean([cue for question in questions for cue in question.cues]),
        "redacted": None,
        "count": len(described),
        "living": sum(row["lives"] for row in described),
        "memories": columns.columns(clean(described), rows.keys(described)),
    }
    data["redacted"] = dict(redaction.counts) if redaction else None
    return _Page(data, purges)


def _command(context: "Context", wants: Wants) -> tuple[str, str]:
    """Return the beginning and the end of a page's commands: they name the store, unless the page is for others."""
    named = [] if wants.apart or context.scope == USER else ["--memory-dir", context.layout.root]
    return join([PROGRAM, *named]), f" --scope {USER}" if context.scope == USER else ""


def _as_it_is(value: Any) -> Any:
    return value
