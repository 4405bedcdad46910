"""Our JSON module reads and writes like the json package."""

import json
import math
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptx_mem.core import json_text

TEXTS = st.text(st.characters(exclude_categories=()), max_size=20)
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), TEXTS)
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3))


def with_json(data: bytes) -> Any:
    """Read with the json package, except that numbers of 20 digits or more, or not finite, stay text."""

    def whole(digits: str) -> int | str:
        return int(digits) if len(digits) < 20 else digits

    def finite(digits: str) -> float | str:
        return float(digits) if math.isfinite(float(digits)) else digits

    return json.loads(data, parse_int=whole, parse_float=finite, parse_constant=str)


def outcome(read: Any, data: bytes) -> str:
    try:
        return repr(read(data))
    except (ValueError, RecursionError) as error:
        return f"{type(error).__name__}: {error}"


@given(
    VALUES, st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32-be"]), st.booleans(), st.sampled_from([None, 1])
)
def test_output_of_json_is_read(value: Any, encoding: str, ascii_only: bool, indent: int | None) -> None:
    data = json.dumps(value, ensure_ascii=ascii_only, indent=indent).encode(encoding, "surrogatepass")
    assert outcome(json_text.loads, data) == outcome(with_json, data)


@given(VALUES, st.booleans(), st.sampled_from(["", " "]))
def test_output_equals_the_output_of_json(value: Any, ascii_only: bool, space: str) -> None:
    separators = (f",{space}", f":{space}")
    written = json_text.dumps(value, ascii_only=ascii_only, space=space)
    assert written == json.dumps(value, ensure_ascii=ascii_only, separators=separators)


@given(st.binary(max_size=8) | st.text('{}[]":, \\utf0n1e-.\ufeff\n', max_size=12).map(str.encode))
def test_any_bytes_are_read_or_rejected_as_by_json(data: bytes) -> None:
    assert outcome(json_text.loads, data) == outcome(with_json, data)


@pytest.mark.parametrize(
    "data", [b"NaN", b"1e999", b"[-Infinity]", b'{"a":1,"a":2}', b"1 2", b"\xa0 1", b"1" * 5000, b"[" * 99_999]
)
def test_odd_texts_are_read_or_rejected_as_by_json(data: bytes) -> None:
    assert outcome(json_text.loads, data) == outcome(with_json, data)


def test_text_is_read_without_the_fast_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_text, "fast", json.encoder)
    assert json_text.loads(b'{"a": ["\\u00e9", 1.5]}') == {"a": ["é", 1.5]}


def test_torn_text_is_rejected_without_loading_the_json_package() -> None:
    program = "from promptx_mem.core import json_text; print([json_text.load_object(text) for text in %r])"
    torn = ['{"a": 1', '{"a" 1}', '{"a": "b', '{"a": "\\ud8"}', "{,}", '{"a": 1}']
    done = subprocess.run([sys.executable, "-c", program % torn], capture_output=True, text=True, check=True)
    assert done.stdout == "[None, None, None, None, None, {'a': 1}]\n"
