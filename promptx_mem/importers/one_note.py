"""A Markdown file with front matter: one memory. Claude Code's memory/*.md, Cursor's rules (.mdc)."""

from typing import Any

from promptx_mem.core.entry import TYPES
from promptx_mem.importers import front_matter
from promptx_mem.importers.form import Form, Item, Reading, Source, tags, text_of
from promptx_mem.importers.moments import moment

_TIMES = ("updated", "updated_at", "modified", "date", "created", "created_at")
_TAKEN = frozenset({"name", "title", "description", "type", "metadata", "tags", *_TIMES})


def matches(source: Source) -> bool:
    """Whether it begins with front matter that names or describes it."""
    parts = front_matter.split(source.text)
    return parts is not None and any(key in parts.fields for key in ("name", "title", "description", "globs"))


def read(source: Source) -> Reading:
    """Read name, description and body as the text; `type` where it is one of ours."""
    parts = front_matter.split(source.text) or front_matter.Parts({}, source.text, 0)
    fields = parts.fields
    name = text_of(fields.get("name") or fields.get("title"))
    head = ": ".join(filter(None, (name, text_of(fields.get("description")))))
    text = "\n\n".join(filter(None, (head, parts.body.replace("\r\n", "\n").strip())))
    if not text:
        return Reading()
    at = next((time for key in _TIMES if (time := moment(fields.get(key)))), None)
    names = sorted(key for key in fields if key not in _TAKEN)
    notes = (f"not taken of its front matter: {', '.join(names)}",) if names else ()
    return Reading((Item(text, 1, tags(fields.get("tags")), at=at, type=_type(fields)),), notes=notes)


def _type(fields: dict[str, Any]) -> str | None:
    metadata = fields.get("metadata")
    named = fields.get("type") or (metadata.get("type") if isinstance(metadata, dict) else None)
    return named if isinstance(named, str) and named in TYPES else None


FORM = Form("claude-code", "Claude Code's memory/*.md, a Cursor rule (.mdc): a file with front matter", matches, read)
