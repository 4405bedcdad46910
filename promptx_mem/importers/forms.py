"""Table of the formats that `import` reads, the most specific first. The first one that matches a file is used."""

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
"""Name of the format of promptx-mem's bundles and stores. It is not in FORMS, since these files can also be merged."""

NAMES = (OWN, *(form.name for form in FORMS))


def form_of(source: Source, name: str | None) -> Form | None:
    """Return the format called `name`; without a name, the first format that matches the file, or else None."""
    if name is not None:
        return next(form for form in FORMS if form.name == name)
    return next((form for form in FORMS if form.matches(source)), None)
