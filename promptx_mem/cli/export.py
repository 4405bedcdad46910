"""A bundle contains every line and event, byte for byte; json contains every field of each memory.

markdown is for people, promptx for PromptX. stderr lists the fields that a format cannot contain.
"""

from promptx_mem.cli import output
from promptx_mem.cli.options import NONE_GIVEN, Common, Option, Word, Words
from promptx_mem.cli.output import local
from promptx_mem.cli.progress import progress
from promptx_mem.core.text import plural
from promptx_mem.errors import UsageError
from promptx_mem.record import Annotated
from promptx_mem.result import Result
from promptx_mem.store import outside
from promptx_mem.usecases.export import FORMATS, Export, Wants
from promptx_mem.usecases.recall import Cues


def command(
    format_: Annotated[Word, Option("bundle (the default), json, markdown or promptx.")] = None,
    out: Annotated[Word, Option("Write to FILE instead of stdout.", "-o", "--output", metavar="FILE")] = None,
    tag: Annotated[Words, Option("Only memories with this tag; repeatable.", "--tag", "-t")] = None,
    type_: Annotated[Word, Option("user, feedback, project or reference.")] = None,
    category: Annotated[Word, Option("fact, core, episode or system.")] = None,
    min_score: Annotated[float | None, Option("Only memories with at least this score.")] = None,
    since: Annotated[Word, Option("Recorded since: 7d, 2026-01-03.", metavar="DATE")] = None,
    until: Annotated[Word, Option("Recorded until this time.", metavar="DATE")] = None,
    archived: Annotated[bool, Option("Include ended memories, as a bundle without filters always does.")] = False,
    conversations: Annotated[bool, Option("Include conversations and their summaries.")] = False,
    common: Common = NONE_GIVEN,
) -> Result[Export]:
    if format_ is not None and format_ not in FORMATS:
        raise UsageError(f"--format {format_[:40]!r} is not known", hint=f"allowed: {', '.join(FORMATS)}")
    form = format_ or ("json" if common.json else "bundle")
    filters = Cues(
        tags=tuple(tag or ()),
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
        result = memory.export(Wants(form, filters, conversations=conversations))
    if out is None or result.instead:
        return result
    data = result.data
    text = output.encode(result.envelope(Export)) if data["form"] == "json" else data["text"]
    outside.write(out, text, memory.layouts)
    return result._replace(data={**data, "text": "", "memories": [], "file": out})


def as_text(data: Export) -> str:
    if data["file"]:
        return local(f"{plural(data['count'], 'memory', 'memories')} written to {data['file']}\n")
    return output.Verbatim(data["text"])


def is_exact(data: Export) -> bool:
    """Return whether stdout gets the export itself, not a report about a file. A pipe must get it byte for byte."""
    return not data["file"]
