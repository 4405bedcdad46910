"""The page needs no server or network. It has a list, timeline, topics, pending reviews, and memories that fade next.

Without -o it is in the store, only you can read it, and a purge deletes it. A purge does not delete a file written
with -o. --filter accepts words, '#tags', a date or a topic path; several are combined with AND. Weak matches are left
out.
"""

import os

from promptx_mem.cli.options import NONE_GIVEN, Common, Option, Word, Words
from promptx_mem.cli.output import local
from promptx_mem.cli.progress import progress
from promptx_mem.core.text import plural
from promptx_mem.record import Annotated
from promptx_mem.result import Result
from promptx_mem.store import outside
from promptx_mem.usecases.view import View, Wants

_KILO = 1000


def command(
    filter_: Annotated[Words, Option("Only memories that this query finds; repeatable.", metavar="CUE")] = None,
    redact: Annotated[bool, Option("Leave out personal data, sessions and hosts.")] = False,
    out: Annotated[
        Word, Option("Write the page to FILE instead of the store.", "-o", "--output", metavar="FILE")
    ] = None,
    open_: Annotated[bool, Option("Open the page in the browser.")] = False,
    common: Common = NONE_GIVEN,
) -> Result[View]:
    wants = Wants(tuple(filter_ or ()), redact, out is not None)
    memory = common.memory()
    if out is not None:
        outside.demand(out, memory.layouts)
    with progress(show=not common.json, label="writing the page"):
        result = memory.view(wants)
    data = result.data
    if out is not None:
        outside.write(out, data["text"], memory.layouts)
        data = {**data, "text": "", "file": out}
    if open_ and data["file"]:
        import webbrowser
        from pathlib import Path

        data = {**data, "opened": webbrowser.open(Path(os.path.abspath(data["file"])).as_uri())}
        if not data["opened"]:
            result = result._replace(warnings=(*result.warnings, "no browser could be opened: open the file yourself"))
    return result._replace(data=data)


def as_text(data: View) -> str:
    """Return a line with the page's path and size, and with the counts of redacted data."""
    number = data["bytes"]
    size = f"{number / _KILO / _KILO:.1f} MB" if number >= _KILO * _KILO else f"{number // _KILO} KB"
    lines = [f"{plural(data['count'], 'memory', 'memories')} on a page of {size}: {data['file']}"]
    if data["redacted"]:
        kinds = ", ".join(f"{kind} {number}" for kind, number in data["redacted"].items())
        lines.append(f"left out as personal data: {kinds}; names, places and other kinds are not recognised")
    return local("".join(f"{line}\n" for line in lines))
