"""forget as text."""

from typing import Any

from promptx_mem.cli.render import elsewhere
from promptx_mem.cli.render.change import line


def text(data: dict[str, Any]) -> str:
    if data["end"] == "purged":
        where = ", ".join(data["files"]) or "no file any more"
        place = f"   in {there}\n" if (there := elsewhere(data)) else ""
        return f"purged {data['id']}: its text was in {where}\n{place}"
    note = data["note"] or f"promptx-mem restore {data['id']} brings it back"
    return line("forgot", {**data, "note": note})
