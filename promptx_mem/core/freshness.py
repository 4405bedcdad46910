"""How old a memory may be before that is said (source 002). Ages and thresholds are seconds."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from promptx_mem.core.durations import amount_seconds, canonical
from promptx_mem.core.entry import TYPES
from promptx_mem.core.text import pattern
from promptx_mem.core.times import DAY, HOUR

_MINUTE = 60.0
_ALLOWED = "an amount such as 24h, 30m, 7d, 2w or 6mo; 0 = always warn; null = never"
_MINUTES = "0*([1-9][0-9]{0,4})(?:m|min|minutes?|分钟)"


class Freshness(NamedTuple):
    """Age from which a memory is annotated: seconds, 0 always, None never; `types` override by type."""

    threshold: float | None = DAY
    types: Mapping[str, float | None] = MappingProxyType({})


def parse_threshold(value: object) -> float | None:
    """Read one threshold of config.yaml; ValueError names the value and what is allowed."""
    if value is None:
        return None
    if value == "0" or (value == 0 and not isinstance(value, bool)):
        return 0.0
    if isinstance(value, str) and (minutes := pattern(_MINUTES).fullmatch(value)):
        return int(minutes[1]) * _MINUTE
    amount = canonical(value) if isinstance(value, str) else None
    seconds = amount_seconds(amount) if amount else None
    if seconds is None:
        raise ValueError(f"{value!r:.60} is not allowed; allowed: {_ALLOWED}")
    return seconds


def parse_freshness(section: object) -> Freshness:
    """Read `freshness` of config.yaml; ValueError names the key, the value and what is allowed."""
    if section is None:
        return Freshness()
    section = _mapping("freshness", section, ("threshold", "types"))
    types = _mapping("freshness.types", section.get("types") or {}, TYPES)
    threshold = _keyed("freshness.threshold", section["threshold"]) if "threshold" in section else DAY
    return Freshness(threshold, {name: _keyed(f"freshness.types.{name}", raw) for name, raw in types.items()})


def threshold_for(config: Freshness, type: str | None) -> float | None:  # noqa: A002 - the field's name
    """Return the threshold of a memory's type, the common one where its type has none."""
    return config.threshold if type is None else config.types.get(type, config.threshold)


def should_warn(modified: float | None, threshold: float | None, now: float) -> bool:
    """Tell whether what was noted at `modified` (epoch; None: not yet stored) is past its threshold."""
    if modified is None or threshold is None:
        return False
    return threshold == 0 or now - modified >= threshold


def age_text(age: float) -> str:
    """Say an age: minutes below 2 hours ("1 minute" at least), hours below 48, else days."""
    if age < 2 * _MINUTE:
        return "1 minute"
    if age < 2 * HOUR:
        return f"{int(age // _MINUTE)} minutes"
    if age < 2 * DAY:
        return f"{int(age // HOUR)} hours"
    return f"{int(age // DAY)} days"


def sentence(modified: float | None, threshold: float | None, now: float) -> str:
    """Return the warning of source 002 (a dim line, a field in JSON), or nothing where none is due."""
    if modified is None or not should_warn(modified, threshold, now):
        return ""
    return (
        f"This memory is {age_text(now - modified)} old. Memories are point-in-time observations and may no"
        " longer reflect current state. Please verify with current context (re-read files, re-check"
        " configuration) before acting on this information."
    )


def note(modified: float | None, threshold: float | None, now: float) -> str:
    """Return the warning in the tags a model takes for a reminder, or nothing."""
    warning = sentence(modified, threshold, now)
    return f"<system-reminder>\n{warning}\n</system-reminder>" if warning else ""


def annotation(modified: float | None, threshold: float | None, now: float) -> str:
    """Return what follows a line of MEMORY.md, leading space included, or nothing."""
    if modified is None or not should_warn(modified, threshold, now):
        return ""
    return f" _(last updated {age_text(now - modified)} ago)_"


def _keyed(key: str, value: object) -> float | None:
    try:
        return parse_threshold(value)
    except ValueError as error:
        raise ValueError(f"{key}: {error}") from None


def _mapping(key: str, value: object, allowed: tuple[str, ...]) -> Mapping[str, object]:
    if not isinstance(value, Mapping):
        message = f"{key}: {value!r:.60} is not a mapping; allowed keys: {', '.join(allowed)}"
        raise ValueError(message)  # noqa: TRY004 - the file is wrong, not the call
    for name in value:
        if name not in allowed:
            raise ValueError(f"{key}: unknown key {name!r:.60}; allowed: {', '.join(allowed)}")
    return value
