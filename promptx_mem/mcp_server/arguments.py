"""The arguments of a call, read as generously as they are meant: a list may be one string, a number a text."""

import json
import re
from collections.abc import Mapping
from typing import Any

from promptx_mem.errors import UsageError
from promptx_mem.mcp_server.catalogue import TOOLS, Schema

Arguments = Mapping[str, Any]

_BETWEEN = {"tags": r"[\s,，、;；]+", "directives": r"\n"}
"""What parts a list that is one string, where that is not a line, a semicolon or a comma and a blank."""


def read(tool: str, arguments: Arguments) -> dict[str, Any]:
    """The arguments of a tool by name, each of its type. Raises UsageError naming the one to change."""
    table = TOOLS[tool]
    out: dict[str, Any] = {}
    for name, value in arguments.items():
        if name not in table.arguments:
            names = ", ".join(table.arguments)
            raise UsageError(f"{tool} has no argument {name[:40]!r}", hint=f"its arguments: {names}")
        if value is not None and value != "":
            out[name] = _value(name, value, table.arguments[name])
    for name in table.required:
        if name not in out:
            raise UsageError(f"{tool} needs {name}", hint=f"give {name}: {table.arguments[name]['description']}")
    return out


def _value(name: str, value: Any, schema: Schema) -> Any:
    if "anyOf" in schema:
        return _texts(name, value)
    kind = schema["type"]
    if kind == "array":
        return _objects(name, value)
    if kind == "boolean":
        return _flag(name, value)
    if kind == "number":
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            raise UsageError(f"{name} is a number, not {_named(value)}", hint=f"give {name} as a number")
        return value
    if not isinstance(value, str):
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise UsageError(f"{name} is a text, not {_named(value)}", hint=f"give {name} as a text")
        value = str(value)
    if "enum" in schema and value not in schema["enum"]:
        raise UsageError(f"{name} is not {value[:40]!r}", hint=f"{name} is one of {', '.join(schema['enum'])}")
    return value


def _texts(name: str, value: Any) -> list[str]:
    """A list of texts; one string is split at commas and lines, of tags also at blanks."""
    value = _parsed(value, list)
    if isinstance(value, str):
        parts = re.split(_BETWEEN.get(name, r"\s*[\n;；]\s*|,\s+"), value)
        return [part for part in parts if part.strip()]
    hint = f"give {name} as a list of texts"
    if not isinstance(value, list):
        raise UsageError(f"{name} is a list of texts, not {_named(value)}", hint=hint)
    for item in value:
        if isinstance(item, bool) or not isinstance(item, str | int | float):
            raise UsageError(f"{name} holds {_named(item)}, where a text belongs", hint=hint)
    return [str(item) for item in value]


def _objects(name: str, value: Any) -> list[dict[str, Any]]:
    """A list of objects; one object is a list of one."""
    value = _parsed(value, list | dict)
    items = [value] if isinstance(value, dict | str) else value
    if not isinstance(items, list):
        raise UsageError(f"{name} is a list, not {_named(value)}", hint=f"give {name} as a list of objects")
    out = [{"text": item} if isinstance(item, str) else item for item in items]
    if not all(isinstance(item, dict) for item in out):
        raise UsageError(f"{name} holds objects", hint=f"give {name} as a list of objects")
    return out


def _parsed(value: Any, kind: Any) -> Any:
    """What a text says that is JSON of a kind: some clients give lists and objects so; the value itself otherwise."""
    if not isinstance(value, str) or value.strip()[:1] not in ("[", "{"):
        return value
    try:
        parsed = json.loads(value)
    except (ValueError, RecursionError):
        return value
    return parsed if isinstance(parsed, kind) else value


def _flag(name: str, value: Any) -> bool:
    words = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
    word = str(value).lower()
    if word not in words:
        raise UsageError(f"{name} is true or false", hint=f"give {name} as true or false")
    return words[word]


def _named(value: Any) -> str:
    names = {dict: "an object", list: "a list", bool: "true or false", type(None): "nothing"}
    return names.get(type(value), "a number")


def whole_number(arguments: Arguments, name: str, default: int) -> int:
    """A count. Raises UsageError where it is none."""
    value = arguments.get(name, default)
    try:
        number = int(float(value))
    except (ValueError, OverflowError):
        number = 0
    if number < 1:
        raise UsageError(f"{name} is a whole number from 1 on", hint=f"give {name} as one")
    return min(number, 1_000_000)
