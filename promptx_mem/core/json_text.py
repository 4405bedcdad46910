"""JSON, read and written by the C functions of the json package. Numbers that are too large become texts.

The json package is loaded only if these functions fail: loading it, with re and enum, takes a third of a hook's time.
Numbers that are too large would do harm: Python refuses to read integers of more than 4,300 digits, and infinity passes
most comparisons. Code that expects a number skips texts.
"""

try:
    import _json as fast
except ImportError:  # pragma: no cover - not CPython
    import json.encoder as fast  # type: ignore[no-redef]

TYPE_CHECKING = False  # the guard loads this module, and typing loads slowly
if TYPE_CHECKING:
    from typing import Any

_SPACE = " \t\n\r"
_MAX_DIGITS = 19
"""Maximum number of digits of an integer: as many as the largest `k` of an event has."""

_INFINITE = float("inf")


def integer(digits: str) -> int | str:
    return int(digits) if len(digits) <= _MAX_DIGITS else digits


def fraction(digits: str) -> float | str:
    number = float(digits)
    return number if abs(number) < _INFINITE else digits


class _Settings:
    strict = True
    object_hook = object_pairs_hook = None
    parse_int, parse_float, parse_constant = integer, fraction, str


def loads(text: str | bytes) -> "Any":
    """Read a JSON value. Raises ValueError, RecursionError."""
    try:
        decoded = (text if isinstance(text, str) else text.decode()).strip(_SPACE)
        value, end = fast.make_scanner(_Settings)(decoded, 0)  # type: ignore[arg-type]
        if end == len(decoded):
            return value
    except (AttributeError, StopIteration, SystemError, ValueError):  # SystemError: no error class is loaded
        pass
    import json  # for bytes in another encoding, and for the error

    return json.loads(text, parse_int=integer, parse_float=fraction, parse_constant=str)


def load_object(encoded: str | bytes) -> "dict[str, Any] | None":
    """Return the JSON object in a text, or None for any other text. Lone surrogates and invalid UTF-8 are replaced."""
    encoded = encoded if isinstance(encoded, str) else encoded.decode("utf-8", "replace")
    if encoded.lstrip(_SPACE)[:1] != "{":
        return None  # damaged files can have millions of other lines
    try:
        value = loads(encoded)
        if "\\ud" in encoded or "\\uD" in encoded:
            from promptx_mem.core.text import replace_surrogates

            value = loads(replace_surrogates(dumps(value, ascii_only=False)))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def objects(data: bytes) -> "list[dict[str, Any]]":
    """Return the JSON objects of a file with one object per line. Other lines are skipped."""
    return [value for line in data.split(b"\n") if line and (value := load_object(line)) is not None]


def _refuse(value: object) -> "Any":
    raise TypeError(f"{type(value).__name__} is not JSON")


def dumps(value: "Any", *, ascii_only: bool = True, space: str = "") -> str:
    """Return a value as JSON text, like json.dumps, with `space` after each comma and colon."""
    try:
        text = fast.encode_basestring_ascii if ascii_only else fast.encode_basestring
        encode = fast.make_encoder(None, _refuse, text, None, f":{space}", f",{space}", False, False, True)
        return "".join(encode(value, 0))
    except (AttributeError, TypeError):
        import json

        return json.dumps(value, separators=(f",{space}", f":{space}"), ensure_ascii=ascii_only)


def as_line(record: "dict[str, Any]") -> bytes:
    """Return a record as one line with its newline, to be appended in one write."""
    from promptx_mem.core.text import escape_json

    return escape_json(dumps(record, ascii_only=False)).encode() + b"\n"
