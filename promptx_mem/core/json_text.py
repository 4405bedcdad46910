"""Reading of untrusted JSON. Absurd numbers stay text.

Python refuses integers of more than 4,300 digits, and most comparisons accept infinity; code that expects a number
skips such a value.
"""

import json
import math

from promptx_mem.core.text import unicode
from promptx_mem.record import Any

_MAX_DIGITS = 19
"""As many digits as the largest position in the order of events has."""


def _integer(digits: str) -> int | str:
    return int(digits) if len(digits) <= _MAX_DIGITS else digits


def _fraction(digits: str) -> float | str:
    number = float(digits)
    return number if math.isfinite(number) else digits


DECODER = json.JSONDecoder(parse_int=_integer, parse_float=_fraction, parse_constant=str)
LENIENT = json.JSONDecoder(parse_int=_integer, parse_float=_fraction, parse_constant=str, strict=False)
"""Accepts raw control characters in strings."""


def loads(text: str) -> Any:
    """Read a JSON value. Raises ValueError, RecursionError."""
    return DECODER.decode(text)


def load_object(encoded: str) -> dict[str, Any] | None:
    """Return a JSON object, or None for any other text. No text in it has a lone surrogate."""
    try:
        value = loads(encoded)
        if "\\ud" in encoded or "\\uD" in encoded:
            value = loads(unicode(json.dumps(value, ensure_ascii=False)))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
