"""decay as text: one line, a table for a dry run, nothing where nothing was done (cron would mail it)."""

from typing import Any


def text(data: dict[str, Any]) -> str:
    if data.get("running"):
        return "another decay is running; this one does nothing\n"
    if data.get("schedule"):
        return f"# crontab -e\n{data['schedule']['cron']}\n\n{data['schedule']['systemd']}"
    if "due" in data:
        return _due(data["due"])
    if data.get("dry_run"):
        return _plan(data)
    return f"decay: {'; '.join(data['done'])}\n" if data["done"] else ""


def _plan(data: dict[str, Any]) -> str:
    if not data["plan"]:
        return "nothing has ended and nothing waits for a decision\n"
    rows = [
        (i["action"], i["id"], i["category"], i["duration"], f"{i['importance']:.2f}", i["text"]) for i in data["plan"]
    ]
    later = "" if data["archiving"] else "what has ended is archived when the store passes 8 MB, or with --compact\n"
    return _table([("state", "id", "category", "duration", "importance", "text"), *rows]) + later


def _due(items: list[dict[str, Any]]) -> str:
    if not items:
        return "no score is older than 30 days\n"
    rows = [(i["id"], f"{i['score']:g}", f"{i['days']} days", i["text"]) for i in items]
    return _table([("id", "score", "age", "text"), *rows])


def _table(rows: list[tuple[str, ...]]) -> str:
    """Columns aligned by display width: a CJK character takes two cells."""
    widths = [max(_cells(row[column]) for row in rows) for column in range(len(rows[0]) - 1)]
    out = []
    for row in rows:
        cells = [cell + " " * (width - _cells(cell)) for cell, width in zip(row, widths, strict=False)]
        out.append("  ".join([*cells, row[-1]]))
    return "".join(line + "\n" for line in out)


def _cells(text: str) -> int:
    from unicodedata import east_asian_width

    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)
