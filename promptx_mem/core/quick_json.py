"""Fast JSON, by the C functions of the json package.

The json package loads re and enum, a third of a hook's time; it is used only if these functions fail.
"""

try:
    import _json as fast
except ImportError:  # pragma: no cover - not CPython
    import json.encoder as fast  # type: ignore[no-redef]

TYPE_CHECKING = False  # typing would cost more than all the rest
if TYPE_CHECKING:
    from typing import Any

MAX_EVENT = 2_000_000
"""Bytes of an event: a larger text is not a memory."""

_SPACE = " \t\n\r"


_MAX_DIGITS = 19


def _integer(digits: str) -> int | str:
    """Return a very long number as its digits, which Python refuses to convert."""
    return int(digits) if len(digits) <= _MAX_DIGITS else digits


class _Settings:
    """The settings of json.loads, except for long numbers."""

    strict = True
    object_hook = object_pairs_hook = None
    parse_float = parse_constant = float
    parse_int = _integer


def loads(data: bytes) -> "Any":
    """Return the same as json.loads, also for errors and odd encodings, except for long numbers."""
    try:
        text = data.decode().strip(_SPACE)
        value, end = fast.make_scanner(_Settings)(text, 0)  # type: ignore[arg-type]
        if end == len(text):
            return value
    except (AttributeError, StopIteration, ValueError):
        pass
    import json

    return json.loads(data, parse_int=_integer)


def _refuse(value: object) -> "Any":
    raise TypeError(f"{type(value).__name__} is no JSON")


def dumps(value: "Any", *, ascii_only: bool = True) -> str:
    """Return the same as json.dumps without spaces."""
    try:
        text = fast.encode_basestring_ascii if ascii_only else fast.encode_basestring
        encode = fast.make_encoder(None, _refuse, text, None, ":", ",", False, False, True)
        return "".join(encode(value, 0))
    except (AttributeError, TypeError):
        import json

        return json.dumps(value, separators=(",", ":"), ensure_ascii=ascii_only)
