"""A YAML file of settings, read safely; what is wrong in it is named with the file, the value, what is allowed."""

from typing import Any

from promptx_mem.core.text import shorten
from promptx_mem.errors import ConfigError

MAX_BYTES = 64 * 1024
_MAX_BRACKETS = 200
_SHOWN = 300


class YamlFile:
    """What a file of settings says. `name` is how messages call it; keys `ignored` are there and not looked at."""

    def __init__(self, name: str, data: bytes, allowed: tuple[str, ...], ignored: tuple[str, ...] = ()) -> None:
        self.name = name
        self.values = self._parse(data)
        self._demand({key: value for key, value in self.values.items() if key not in ignored}, allowed, "")

    def section(self, name: str, allowed: tuple[str, ...]) -> dict[str, Any]:
        """Return the mapping under a key, empty where there is none. Raises ConfigError."""
        value = self.values.get(name)
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise self.wrong(f"{name}: {value!r}", f"a mapping with {', '.join(allowed)}")
        self._demand(value, allowed, f"{name}.")
        return value

    def wrong(self, problem: str, allowed: str) -> ConfigError:
        return ConfigError(f"{self.name}: {shorten(problem, _SHOWN)}", hint=f"allowed: {allowed}")

    def _demand(self, values: dict[str, Any], allowed: tuple[str, ...], where: str) -> None:
        for key in values:
            if key not in allowed:
                raise self.wrong(f"unknown key {where}{key!s}", ", ".join(where + name for name in allowed))

    def _parse(self, data: bytes) -> dict[str, Any]:
        import yaml

        if len(data) > MAX_BYTES:
            raise self.wrong(f"it has {len(data)} bytes", f"at most {MAX_BYTES}")
        if b"&" in data and b"*" in data:  # aliases are how a small file becomes a huge value
            try:
                if any(isinstance(token, yaml.AliasToken) for token in yaml.scan(data)):
                    raise self.wrong("it uses YAML aliases (*name)", "write the values out")
            except yaml.YAMLError as error:
                raise self.wrong(_first_line(error), "valid YAML") from None
        if data.count(b"[") + data.count(b"{") > _MAX_BRACKETS:
            raise self.wrong("it is nested too deep", f"at most {_MAX_BRACKETS} brackets")
        try:
            value = yaml.safe_load(data)
        except (yaml.YAMLError, ValueError, RecursionError, LookupError, AttributeError, TypeError) as error:
            # the last three are what its readers of `!!int ""`, `!!bool x` and `!!timestamp x` stumble over
            raise self.wrong(_first_line(error), "valid YAML") from None
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise self.wrong("it is not a mapping", "`key: value` lines")
        return value


def _first_line(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__
