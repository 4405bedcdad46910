"""The table of forms that import reads, the most particular first: a file is of the first whose marks it bears."""

from promptx_mem.importers import (
    basic_memory,
    chatgpt,
    jrnl,
    markdown,
    mcp_memory,
    mem0,
    one_note,
    promptx_dpml,
    promptx_md,
    table,
)
from promptx_mem.importers.form import Form, Source

FORMS: tuple[Form, ...] = (
    promptx_dpml.FORM,
    chatgpt.TALKS,
    mcp_memory.FORM,
    jrnl.FORM,
    mem0.FORM,
    table.FORM,
    basic_memory.FORM,
    one_note.FORM,
    promptx_md.FORM,
    chatgpt.MEMORIES,
    markdown.FORM,
)

OWN = "promptx-mem"
"""A bundle or a store of ours: no form of this table, since it may be merged and not only read."""

NAMES = (OWN, *(form.name for form in FORMS))


def form_of(source: Source, name: str | None) -> Form | None:
    """The form called `name`, else the one that the file's content shows; None where it shows none."""
    if name is not None:
        return next(form for form in FORMS if form.name == name)
    return next((form for form in FORMS if form.matches(source)), None)
