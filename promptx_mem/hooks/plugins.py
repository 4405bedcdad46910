"""Whether a host has our plugin, which brings the same hooks along: with both, every hook would run twice."""

import json
import tomllib
from collections.abc import Callable

from promptx_mem.core.shell import PROGRAM
from promptx_mem.hooks.hosts import HOSTS


def enabled_by(host: str, read: Callable[[str, str], str]) -> str:
    """The scope whose settings enable our plugin, '' where none does; `read` gives a file of a scope, by its name.

    Of several the first counts that names the plugin.
    """
    table = HOSTS[host]
    if not table.plugins:
        return ""
    for scope, (_, name) in table.places.items():
        file = table.plugins[0] or name
        if (enabled := _enabled(read(scope, file), table.plugins[1])) is not None:
            return scope if enabled else ""
    return ""


def _enabled(text: str, key: str) -> bool | None:
    """Whether settings enable the plugin; None where they do not name it, or cannot be read."""
    try:
        data = json.loads(text) if text.lstrip().startswith("{") else tomllib.loads(text)
    except (ValueError, RecursionError):
        return None
    plugins = data.get(key)
    for name, value in plugins.items() if isinstance(plugins, dict) else ():
        if name.startswith(f"{PROGRAM}@"):
            return value is not False and (not isinstance(value, dict) or value.get("enabled") is not False)
    return None
