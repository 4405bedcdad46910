"""The table of formats that import reads, the most specific first: the first one whose test passes is used."""

from promptx_mem.importers import json_exports, markdown, promptx, table
from promptx_mem.importers.form import Form, Source

FORMS: tuple[Form, ...] = (
    promptx.DPML,
    json_exports.TALKS,
    json_exports.MCP_MEMORY,
    json_exports.JRNL,
    json_exports.MEM0,
    table.FORM,
    markdown.BASIC_MEMORY,
    markdown.ONE_NOTE,
    promptx.MARKDOWN,
    json_exports.MEMORIES,
    markdown.FORM,
)

OWN = "promptx-mem"
"""A bundle or a store of ours: not in this table, since it may be merged."""

NAMES = (OWN, *(form.name for form in FORMS))


def form_of(source: Source, name: str | None) -> Form | None:
    """Return the format called `name`, else the one that the file's content shows; None if it shows none."""
    if name is not None:
        return next(form for form in FORMS if form.name == name)
    return next((form for form in FORMS if form.matches(source)), None)
