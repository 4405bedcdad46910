"""import as text: a line for each memory, taken or not, then the sum."""

from typing import Any


def text(data: dict[str, Any]) -> str:
    out = []
    for item in data["items"]:
        mark = {"taken": "🧠", "known": "= ", "left": "🚫"}[item["verdict"]]
        text = f"  {item['text']}" if item["text"] else ""
        why = f"  ({item['why']})" if item["why"] else ""
        out.append(f"{mark} {item['file']}:{item['line']}{text}{why}")
    verb = "would take" if data["dry_run"] else "took"
    into = f" into {data['store']}" if data["taken"] else ""
    out.append(f"{verb} {data['taken']}{into}; {data['known']} known already, {data['left']} left")
    return "".join(line + "\n" for line in out)
