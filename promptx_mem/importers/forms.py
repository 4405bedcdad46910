"""The table of formats that import reads, the most specific first: the first one whose test passes is used."""

from promptx_mem.importers import exports, markdown, promptx
from promptx_mem.importers.form import Form, Source

FORMS: tuple[Form, ...] = (
    promptx.DPML,
    exports.TALKS,
    exports.MCP_MEMORY,
    exports.JRNL,
    exports.MEM0,
    exports.TABLE,
    markdown.BASIC_MEMORY,
    markdown.ONE_NOTE,
    promptx.MARKDOWN,
    exports.MEMORIES,
    markdown.FORM,
)

OWN = "promptx-mem"
"""The name for our own bundles and stores. They are not in the table, since they may be merged."""

NAMES = (OWN, *(form.name for form in FORMS))


def form_of(source: Source, name: str | None) -> Form | None:
    """Return the format called `name`, or the format of the file's content. None if it is not recognised."""
    if name is not None:
        return next(form for form in FORMS if form.name == name)
    return next((form for form in FORMS if form.matches(source)), None)
