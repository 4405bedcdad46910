"""Our own entries in files of settings. The comparison looks at nothing else there: hosts and users change the rest."""

import os
from collections.abc import Iterable
from typing import Any

from promptx_mem.core.shell import PROGRAM
from promptx_mem.hooks import exchange

_SECTIONS = ("llm", "agents")


def own_entries(path: str) -> bytes:
    """Return our entries in a file of settings, one a line: hooks and permissions of a host; `llm` and `agents`."""
    try:
        with open(path, "rb") as file:
            data = file.read(1 << 20)
    except OSError:
        return b""
    if os.path.basename(path).endswith((".yaml", ".yml")):
        return b"\n".join(_sections(data.decode("utf-8", "replace")))
    try:
        found = sorted(_entries(exchange.loads(data), ()))
    except (ValueError, RecursionError):
        return b"\n".join(line for line in data.split(b"\n") if PROGRAM.encode() in line)
    return "\n".join(found).encode("utf-8", "surrogatepass")


def _entries(value: Any, at: tuple[str, ...]) -> Iterable[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _entries(item, (*at, str(key)))
    elif isinstance(value, list):
        for item in value:
            yield from _entries(item, at)
    elif (isinstance(value, str) and (PROGRAM in value or "promptx_mem" in value)) or (at and PROGRAM in at[-1]):
        yield f"{'.'.join(at)}: {value}"


def _sections(text: str) -> Iterable[bytes]:
    """Yield the lines of the sections that decide what programs run and what agents may do."""
    inside = False
    for line in text.split("\n"):
        if line[:1].strip() and not line.startswith("#"):
            inside = line.partition(":")[0].strip("\"' ") in _SECTIONS
        if inside and line.strip():
            yield line.rstrip().encode()
