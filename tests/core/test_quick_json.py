"""The guard's own JSON reads what the json package does."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptx_mem.core import quick_json

TEXTS = st.text(st.characters(exclude_categories=()), max_size=20)
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), TEXTS)
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3))


def wanted(data: bytes) -> Any:
    """What json.loads reads, but that a number of 20 digits or more stays text."""
    return json.loads(data, parse_int=lambda digits: int(digits) if len(digits) < 20 else digits)


def outcome(read: Any, data: bytes) -> str:
    try:
        return repr(read(data))
    except (ValueError, RecursionError) as error:
        return f"{type(error).__name__}: {error}"


@given(
    VALUES, st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32-be"]), st.booleans(), st.sampled_from([None, 1])
)
def test_what_json_wrote_is_read(value: Any, encoding: str, ascii_only: bool, indent: int | None) -> None:
    data = json.dumps(value, ensure_ascii=ascii_only, indent=indent).encode(encoding, "surrogatepass")
    assert outcome(quick_json.loads, data) == outcome(wanted, data)


@given(st.binary(max_size=8) | st.text('{}[]":, \\utf0n1e-.\ufeff\n', max_size=12).map(str.encode))
def test_any_bytes_are_read_or_refused_alike(data: bytes) -> None:
    assert outcome(quick_json.loads, data) == outcome(wanted, data)


@pytest.mark.parametrize(
    "data", [b"NaN", b"[-Infinity]", b'{"a":1,"a":2}', b"1 2", b"\xa0 1", b"1" * 5000, b"[" * 99_999]
)
def test_odd_texts_are_read_or_refused_alike(data: bytes) -> None:
    assert outcome(quick_json.loads, data) == outcome(wanted, data)


def test_without_the_fast_functions_it_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quick_json, "fast", json.encoder)
    assert quick_json.loads(b'{"a": ["\\u00e9", 1.5]}') == {"a": ["é", 1.5]}
