"""The YAML between `---` lines at the top of a Markdown file."""

from typing import Any, NamedTuple

_MARK = "---"
_MOST = 65_536


class Parts(NamedTuple):
    """What stands in the front matter, the text below it, and how many lines lie above that."""

    fields: dict[str, Any]
    body: str
    above: int


def split(text: str) -> Parts | None:
    """The front matter of a text and its rest; None where it has none that can be read."""
    if not text.startswith((_MARK + "\n", _MARK + "\r\n")):
        return None
    lines = text.split("\n")
    end = next((n for n, line in enumerate(lines[1:], 1) if line.rstrip() in (_MARK, "...")), None)
    if end is None:
        return None
    header = "\n".join(lines[1:end])
    fields = _fields(header) if len(header) <= _MOST else None
    return None if fields is None else Parts(fields, "\n".join(lines[end + 1 :]), end + 1)


def _fields(header: str) -> dict[str, Any] | None:
    import yaml

    try:
        fields = yaml.safe_load(header)
    except (yaml.YAMLError, ValueError, RecursionError):
        fields = _plain(header)  # `globs: *.ts`, which editors write, is no YAML
    if fields is None:
        return {}
    return {str(key): value for key, value in fields.items()} if isinstance(fields, dict) else None


def _plain(header: str) -> dict[str, Any] | None:
    pairs = [line.partition(":") for line in header.split("\n") if line.strip() and not line.startswith((" ", "#"))]
    if not all(mark for _, mark, _ in pairs):
        return None
    return {name.strip(): value.strip().strip("\"'") for name, _, value in pairs}
