"""hook as text: the host's own form for what the host calls; a diff or a table for people."""

import json
from typing import Any

from promptx_mem.core.text import printable_lines


def text(data: dict[str, Any]) -> str:
    if data["action"] == "status":
        return "".join(
            f"{entry['host']:7} {entry['scope']:8} {entry['state']:11} {printable_lines(entry['path'])}\n"
            for entry in data["entries"]
        )
    if "answer" in data:
        return json.dumps(data["answer"]) + "\n" if data["answer"] else ""
    path = printable_lines(data["path"])
    if not data["changed"]:
        return f"{path} has the hooks already\n" if data["action"] == "install" else f"{path} has no hooks of ours\n"
    diff = printable_lines(data["diff"])
    if data.get("written"):
        return f"{diff}written: {path}\n"
    again = f"promptx-mem hook {data['action']} {data['host']} --scope {data['scope']} --yes"
    return f"{diff}nothing is written yet; to write it: {again}\n"
