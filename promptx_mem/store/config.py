"""config.yaml: optional settings, read safely; absent = defaults. An unknown key or bad value is named."""

from collections.abc import Mapping
from errno import EACCES
from types import MappingProxyType
from typing import Any, NamedTuple

from promptx_mem.core.freshness import Freshness, parse_freshness
from promptx_mem.core.syntax import normalise_tag
from promptx_mem.core.text import shorten
from promptx_mem.errors import ConfigError, PromptxMemError, StoreError
from promptx_mem.store import files
from promptx_mem.store.layout import Layout

MAX_BYTES = 64 * 1024
_MAX_BRACKETS = 200
_SHOWN = 300


class Config(NamedTuple):
    """The settings of one store, and the file they are from.

    `problem` is what was wrong with that; then everything else is a default.
    """

    policy: str = "standard"
    profile: str = "execution"
    default_tag: str | None = None
    aliases: Mapping[str, str] = MappingProxyType({})
    freshness: Freshness = Freshness()
    llm_command: tuple[str, ...] | None = None
    llm_timeout: float = 60.0
    path: str = ""
    problem: PromptxMemError | None = None


def load(layout: Layout) -> Config:
    """Read the settings. Never fails: a wrong file gives defaults with `problem` set (SPEC 10)."""
    try:
        data = files.read(layout.config)
        return Config() if data is None else _build(_parse(data), layout.config)
    except ConfigError as error:
        return Config(problem=error)
    except ValueError:  # an integer that Python itself does not write out
        return Config(problem=_wrong("it holds a number that is far too large", "numbers that a person would write"))
    except StoreError as error:
        return Config(problem=ConfigError(f"config.yaml cannot be read: {error}", hint="mend or remove it"))
    except OSError as error:  # nothing is known of what it says: not a wrong file but a bad disk or no permission
        why = error.strerror or str(error)
        hint = "look at the permissions of .memory and its owner" if error.errno == EACCES else "try again"
        return Config(problem=StoreError(f"config.yaml could not be read: {why}", hint=hint))


def _parse(data: bytes) -> dict[str, Any]:
    import yaml

    if len(data) > MAX_BYTES:
        raise _wrong(f"it has {len(data)} bytes", f"at most {MAX_BYTES}")
    if b"&" in data and b"*" in data:  # aliases are how a small file becomes a huge value
        try:
            if any(isinstance(token, yaml.AliasToken) for token in yaml.scan(data)):
                raise _wrong("it uses YAML aliases (*name)", "write the values out")
        except yaml.YAMLError as error:
            raise _wrong(_first_line(error), "valid YAML") from None
    if data.count(b"[") + data.count(b"{") > _MAX_BRACKETS:
        raise _wrong("it is nested too deep", f"at most {_MAX_BRACKETS} brackets")
    try:
        value = yaml.safe_load(data)
    except (yaml.YAMLError, ValueError, RecursionError, LookupError, AttributeError, TypeError) as error:
        # the last three are what its readers of `!!int ""`, `!!bool x` and `!!timestamp x` stumble over
        raise _wrong(_first_line(error), "valid YAML") from None
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise _wrong("it is not a mapping", "`key: value` lines")
    return value


def _build(raw: dict[str, Any], path: str) -> Config:
    _known(raw, ("policy", "scoring", "tags", "freshness", "llm"), "")
    scoring = _section(raw, "scoring", ("profile",))
    tags = _section(raw, "tags", ("default", "aliases"))
    llm = _section(raw, "llm", ("command", "timeout"))
    return Config(
        policy=_choice(raw, "policy", ("standard", "strict"), "policy"),
        profile=_choice(scoring, "profile", ("execution", "declarative"), "scoring.profile"),
        default_tag=_tag(tags["default"], "tags.default") if tags.get("default") is not None else None,
        aliases=_aliases(tags.get("aliases")),
        freshness=_freshness(raw.get("freshness")),
        llm_command=_command(llm.get("command")),
        llm_timeout=_timeout(llm.get("timeout", 60)),
        path=path,
    )


def _known(raw: dict[str, Any], allowed: tuple[str, ...], where: str) -> None:
    for key in raw:
        if key not in allowed:
            raise _wrong(f"unknown key {where}{key!s}", ", ".join(where + name for name in allowed))


def _section(raw: dict[str, Any], name: str, allowed: tuple[str, ...]) -> dict[str, Any]:
    value = raw.get(name)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise _wrong(f"{name}: {value!r}", f"a mapping with {', '.join(allowed)}")
    _known(value, allowed, f"{name}.")
    return value


def _choice(raw: dict[str, Any], key: str, names: tuple[str, ...], where: str) -> str:
    value = raw.get(key, names[0])
    if value not in names:
        raise _wrong(f"{where}: {value!r}", " or ".join(names))
    return str(value)


def _tag(value: Any, where: str) -> str:
    tag = normalise_tag(str(value)) if isinstance(value, str | int) else None
    if tag is None:
        raise _wrong(f"{where}: {value!r}", "a tag: letters, digits and _ - . /, no spaces")
    return tag


def _aliases(value: Any) -> dict[str, str]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise _wrong(f"tags.aliases: {value!r}", "a mapping, spelling: tag")
    return {_tag(key, "tags.aliases"): _tag(tag, f"tags.aliases.{key}") for key, tag in value.items()}


def _freshness(raw: object) -> Freshness:
    try:
        return parse_freshness(raw)
    except ValueError as error:
        raise ConfigError(f"config.yaml: {error}", hint="mend config.yaml") from None


def _command(value: Any) -> tuple[str, ...] | None:
    if value is None:
        return None
    if isinstance(value, str) and value.strip():
        import shlex

        try:
            return tuple(shlex.split(value))
        except ValueError as error:
            raise _wrong(f"llm.command: {value!r} ({error})", "a command line, or a list of words") from None
    if isinstance(value, list) and value and all(isinstance(word, str) and word for word in value):
        return tuple(value)
    raise _wrong(f"llm.command: {value!r}", "a command line, or a list of words")


def _timeout(value: Any) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= 3600:
        return float(value)
    raise _wrong(f"llm.timeout: {value!r}", "seconds, more than 0 and at most 3600")


def _wrong(what: str, allowed: str) -> ConfigError:
    return ConfigError(f"config.yaml: {shorten(what, _SHOWN)}", hint=f"allowed: {allowed}")


def _first_line(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__
