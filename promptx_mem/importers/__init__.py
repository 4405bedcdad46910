"""Table of the formats that `import` reads, the most specific first. `import` uses the first matching format."""

from promptx_mem.importers import exports, markdown, promptx
from promptx_mem.importers.form import Form, Source

OWN = "promptx-mem"
"""Name of our own format: exports, bundles and stores of promptx-mem. Bundles and stores can also be merged."""

PROMPTX = "promptx"

FORMS = (
    Form(OWN, exports.matches_own, exports.read_own),
    Form("promptx-dpml", promptx.matches_dpml, promptx.read_dpml),
    Form("chatgpt", exports.holds_talks, exports.read_talks),
    Form("mcp-memory", exports.matches_mcp_memory, exports.read_mcp_memory),
    Form("jrnl", exports.matches_jrnl, exports.read_jrnl),
    Form("mem0", exports.matches_mem0, exports.read_mem0),
    Form("csv", exports.matches_table, exports.read_table),
    Form("basic-memory", markdown.matches_basic_memory, markdown.read_basic_memory),
    Form("claude-code", markdown.matches_one_note, markdown.read_one_note),
    Form(PROMPTX, promptx.matches_markdown, promptx.read_markdown),
    Form("chatgpt-memories", exports.holds_memories, exports.read_memories),
    Form("markdown", markdown.matches, markdown.read),
)
NAMES = tuple(form.name for form in FORMS)


def form_of(source: Source, name: str | None) -> Form | None:
    """Return the format called `name`. Without a name, return the first format that matches the file, or None.

    Return our own format only if it matches the file.
    """
    if name not in (None, OWN):
        return next(form for form in FORMS if form.name == name)
    return next((form for form in FORMS if name in (None, form.name) and form.matches(source)), None)
