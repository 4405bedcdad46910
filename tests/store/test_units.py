"""Continuing an earlier read, or reading one slice, gives the same as reading the whole file."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.api import Layout, Message
from tests.inside import Reference, Unit, conversations, disk
from tests.slices import put_slice

AT = "2026-03-01T12:00:00+00:00"


def step(where: Layout, unit: str, act: str) -> None:
    known = conversations.read(where, unit)
    if act == "say":
        conversations.add_messages(where, unit, [Message("user", f"text {len(known.messages)}")])
    elif act == "roll" and known.waiting():
        put_slice(where, known, max(known.waiting()), AT, "sum", topic="a->b", profile=(0.5, 0.4, 0.3))
    elif act == "note" and known.unfinished():
        conversations.add_episodes(where, [(Reference(unit, known.unfinished()[0].number), "m_0000000000")])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(["say", "say", "roll", "note", "look"]), max_size=20))
def test_continued_read_equals_a_full_read(where: Layout, acts: list[str]) -> None:
    unit = f"u_{len(conversations.units(where))}"
    seen: Unit | None = None
    for act in acts:
        step(where, unit, act)
        if act == "look":
            seen = conversations.read(where, unit, seen)
    whole = conversations.read(where, unit)
    assert conversations.read(where, unit, seen) == whole
    for number, part in whole.slices.items():
        assert conversations.read_slice(where, Reference(unit, number)) == (part, whole.of(part))


def test_replaced_file_is_read_again(where: Layout) -> None:
    step(where, "u", "say")
    seen = conversations.read(where, "u")
    other = b'{"m":1,"role":"user","text":"another text, and longer than the first one was"}\n'
    disk.replace(conversations.path(where, "u"), other, 0o600)
    assert conversations.read(where, "u", seen).messages[1].text.startswith("another")


@pytest.mark.parametrize("last", [2_000_000_000, 1, 0])
def test_slice_is_read_unless_its_range_is_empty(where: Layout, last: int) -> None:
    step(where, "u", "say")
    path = Path(str(conversations.path(where, "u")))
    line = f'{{"slice":1,"first":1,"last":{last},"at":"{AT}","summary":"s"}}\n'
    path.write_bytes(path.read_bytes() + line.encode())
    found = conversations.read_slice(where, Reference("u", 1))
    assert (found is None) == (last == 0)
