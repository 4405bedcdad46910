"""Events as lines of the journal: the round trip, and invalid lines."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptx_mem.core.journal import KINDS, Event, event_hash, format_event, parse_event
from tests.tables import rows

# Lone surrogates are wanted; a high and a low one side by side are one character to JSON.
CHARACTERS = st.characters(exclude_characters=[chr(code) for code in range(0xDC00, 0xE000)])
ANY_TEXT = st.text(CHARACTERS, max_size=20)
NAME = st.text(CHARACTERS, min_size=1, max_size=12)
NAMES = st.lists(NAME, unique=True, max_size=3).map(tuple)

events = st.builds(
    Event,
    k=st.integers(1, (1 << 62) - 1),
    host=ANY_TEXT,
    at=st.sampled_from(["2026-11-20T22:47:03+08:00", "1970-01-01T00:00:00Z", "2026-02-28T23:59:59.999999-12:00"]),
    kind=st.one_of(st.sampled_from(KINDS), NAME),
    ids=st.lists(NAME, min_size=1, max_size=3, unique=True).map(tuple),
    score=st.one_of(st.none(), st.integers(0, 100).map(lambda n: n / 10)),
    duration=st.sampled_from([None, "短期", "永久", "36h", "2026-12-31"]),
    tags=NAMES,
    reason=st.one_of(st.none(), ANY_TEXT),
    supersedes=NAMES,
    gain=st.sampled_from([None, 0.0, 0.1, 1.0]),
    verified=st.sampled_from([None, True, False]),
    topic=st.one_of(st.none(), ANY_TEXT),
    related=NAMES,
    line=st.one_of(st.none(), ANY_TEXT),
    by=st.one_of(st.none(), ANY_TEXT),
    aka=st.lists(st.text(min_size=1, max_size=60), max_size=8, unique=True).map(tuple),
)

GOOD: dict[str, Any] = {"k": 1, "host": "h", "at": "2026-11-20T22:47:03+08:00", "e": "boosted", "id": "m_7k2q9x4htb"}


@given(events)
def test_formatted_event_is_parsed_to_the_same_event(event: Event) -> None:
    line = format_event(event)
    assert parse_event(line) == event
    assert not set(line) & set("<>&\n\r\0\u2028\u202e\ufeff")
    line.encode("utf-8")


def test_event_is_formatted_as_one_json_line() -> None:
    event = Event(1_795_186_023_000_000, "box", "2026-11-20T22:47:03+08:00", "boosted", ("m_7k2q9x4htb",))
    assert (
        format_event(event)
        == '{"k":1795186023000000,"host":"box","at":"2026-11-20T22:47:03+08:00","e":"boosted","id":"m_7k2q9x4htb"}'
    )
    several = event._replace(kind="recalled", ids=("m_7k2q9x4htb", "m_0000000000"))
    assert format_event(several).endswith('"e":"recalled","ids":["m_7k2q9x4htb","m_0000000000"]}')
    reason = event._replace(kind="forgotten", reason="<b>&\n错了\ud800\u202e")
    assert format_event(reason).endswith(r'"reason":"\u003cb\u003e\u0026\n错了\ud800\u202e"}')


def test_hand_written_event_is_read() -> None:
    line = json.dumps({**GOOD, "duration": "Long", "score": 8, "later": {"key": [1]}, "tags": []})
    event = parse_event(line)
    assert event is not None
    assert (event.duration, event.score, event.tags) == ("长期", 8.0, ())


@pytest.mark.parametrize("change", rows(__file__, "invalid_event_fields.jsonl"), ids=str)
def test_event_with_an_invalid_field_is_rejected(change: dict[str, Any]) -> None:
    assert parse_event(json.dumps(GOOD)) is not None
    assert parse_event(json.dumps({**GOOD, **change})) is None


@pytest.mark.parametrize(
    "line",
    [
        "", " ", "null", "1", "[]", '"x"', "{}", "{", "not json", "<<<<<<< HEAD", "\0", "\ud800", "[" * 100_000, '{"a":' * 100_000,
        '{"k":' + "9" * 5000 + "}", json.dumps(GOOD)[:-1], json.dumps(GOOD) * 2,
    ],
    ids=lambda line: line[:12],
)  # fmt: skip
def test_other_lines_are_not_events(line: str) -> None:
    assert parse_event(line) is None


json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=4), inner, max_size=3)),
    max_leaves=6,
)


@given(
    st.dictionaries(st.sampled_from([*GOOD, "ids", "score", "duration", "tags", "gain", "verified", "x"]), json_values)
)
def test_parsing_never_fails(change: dict[str, Any]) -> None:
    event = parse_event(json.dumps({**GOOD, **change}))
    assert event is None or parse_event(format_event(event)) == event


def test_different_events_have_different_hashes() -> None:
    event = Event(1, "h", "2026-11-20T22:47:03+08:00", "boosted", ("m_1",))
    assert event_hash(event) == event_hash(event._replace())
    assert (
        len({event_hash(event), event_hash(event._replace(host="i")), event_hash(event._replace(reason="\ud800"))}) == 3
    )


def test_byte_order_mark_before_the_journal_hides_no_event() -> None:
    line = format_event(Event(1, "h", "2026-11-21T05:00:52+00:00", "forgotten", ("m_2t0fqcrhwt",)))
    assert parse_event("\ufeff" + line) == parse_event(line) is not None
