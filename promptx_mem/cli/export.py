"""Commands that write memories to a file: export, view."""

import os

from promptx_mem.cli import output
from promptx_mem.cli.options import NONE_GIVEN, Common, Option, Word, Words
from promptx_mem.cli.output import local
from promptx_mem.cli.terminal import progress
from promptx_mem.core.text import plural
from promptx_mem.errors import UsageError
from promptx_mem.record import Annotated
from promptx_mem.result import Result
from promptx_mem.store import outside
from promptx_mem.usecases import export, view
from promptx_mem.usecases.recall import Cues


def export_command(
    format_: Annotated[Word, Option("bundle (the default), json, markdown or promptx.")] = None,
    out: Annotated[Word, Option("Write to FILE instead of stdout.", "-o", "--output", metavar="FILE")] = None,
    tag: Annotated[Words, Option("Only memories with this tag; repeatable.", "--tag", "-t")] = (),
    type_: Annotated[Word, Option("user, feedback, project or reference.")] = None,
    category: Annotated[Word, Option("fact, core, episode or system.")] = None,
    min_score: Annotated[float | None, Option("Only memories with at least this score.")] = None,
    since: Annotated[Word, Option("Created since: 7d, 2026-01-03.", metavar="DATE")] = None,
    until: Annotated[Word, Option("Created up to this time.", metavar="DATE")] = None,
    archived: Annotated[bool, Option("Include ended memories, as a bundle without filters always does.")] = False,
    conversations: Annotated[bool, Option("Include conversations and their summaries.")] = False,
    common: Common = NONE_GIVEN,
) -> Result[export.Export]:
    """A bundle contains every line and event, byte for byte; json contains every field of each memory.

    markdown is for people, promptx for PromptX. stderr lists the fields that a format cannot contain.
    """
    if format_ is not None and format_ not in export.FORMATS:
        raise UsageError(f"--format {format_[:40]!r} is not known", hint=f"allowed: {', '.join(export.FORMATS)}")
    form = format_ or ("json" if common.json else "bundle")
    filters = Cues(
        tags=tag,
        type=type_,
        category=category,
        min_score=min_score,
        since=since,
        until=until,
        session=common.session,
        archived=archived,
    )
    memory = common.memory(is_session=False)
    if out is not None:
        outside.demand(out, memory.layouts)
    with progress(show=not common.json):
        result = memory.export(export.Wants(form, filters, conversations=conversations))
    if out is None or result.instead:
        return result
    data = result.data
    text = output.encode(result.envelope(export.Export)) if data["form"] == "json" else data["text"]
    outside.write(out, text, memory.layouts)
    return result._replace(data={**data, "text": "", "memories": [], "file": out})


def export_as_text(data: export.Export) -> str:
    if data["file"]:
        return local(f"{plural(data['count'], 'memory', 'memories')} written to {data['file']}\n")
    return output.Verbatim(data["text"])


def export_is_exact(data: export.Export) -> bool:
    """Return whether stdout gets the export, not a report about a file. A pipe must get it unchanged."""
    return not data["file"]


def view_command(
    filter_: Annotated[Words, Option("Only memories that this query finds; repeatable.", metavar="CUE")] = (),
    redact: Annotated[bool, Option("Leave out personal data, sessions and hosts.")] = False,
    out: Annotated[
        Word, Option("Write the page to FILE instead of the store.", "-o", "--output", metavar="FILE")
    ] = None,
    open_: Annotated[bool, Option("Open the page in the browser.")] = False,
    common: Common = NONE_GIVEN,
) -> Result[view.View]:
    """The page needs no server. It has a list, timeline, topics, pending reviews, and memories that fade next.

    Without -o it is in the store, only you can read it, and a purge deletes it. A purge does not delete a file written
    with -o. --filter accepts words, '#tags', a date or a topic path; several are combined with AND. Weak matches are
    left out.
    """
    wants = view.PageOptions(filter_, redact, out is not None)
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


def view_as_text(data: view.View) -> str:
    """Return the page's number of memories, size and path, and the counts of redacted data."""
    number = data["bytes"]
    size = f"{number / 1e6:.1f} MB" if number >= 1e6 else f"{number // 1000} KB"
    lines = [f"{plural(data['count'], 'memory', 'memories')} on a page of {size}: {data['file']}"]
    if data["redacted"]:
        kinds = ", ".join(f"{kind} {number}" for kind, number in data["redacted"].items())
        lines.append(f"left out as personal data: {kinds}; names, places and other kinds are not recognised")
    return local("".join(f"{line}\n" for line in lines))
