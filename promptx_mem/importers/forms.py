"""Table of the formats that `import` reads, the most specific first. The first one that matches a file is used."""

from promptx_mem.importers import exports, markdown, own, promptx
from promptx_mem.importers.form import Form, Source

FORMS: tuple[Form, ...] = (
    own.FORM,
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

OWN = own.FORM.name
"""Name of the format of promptx-mem's exports, also of its bundles and stores, which can also be merged."""

NAMES = tuple(form.name for form in FORMS)


def form_of(source: Source, name: str | None) -> Form | None:
    """Return the format called `name`; without a name, the first format that matches the file, or else None.

    Our own format is returned only if it matches.
    """
    if name not in (None, OWN):
        return next(form for form in FORMS if form.name == name)
    return next((form for form in FORMS if name in (None, form.name) and form.matches(source)), None)
