"""A line in whose place another one stands is not read, whatever the order in which all of it came."""

import itertools

from promptx_mem.core.entry import Entry
from promptx_mem.core.fold import fold_all, value_hash
from promptx_mem.core.journal import Event

AT = "2026-03-01T12:00:00+00:00"
OLD = Entry("the old tags", ("one",), 8.0, "长期", "m_1111111111", AT)
NEW = OLD._replace(tags=("two",), score=5.0)
OTHER = OLD._replace(tags=("three",), score=9.0)


def _replaced(k: int, old: Entry, new: Entry) -> Event:
    return Event(k, "h", AT, "replaced", (old.id,), line=value_hash(old), by=value_hash(new))


def test_a_replaced_line_is_not_read_in_any_order() -> None:
    events = [_replaced(5, OLD, NEW), _replaced(9, NEW, OTHER)]
    for lines in itertools.permutations([OLD, NEW, OTHER]):
        for happened in itertools.permutations(events):
            state = fold_all(lines, happened)[OLD.id]
            assert (state.entry, state.tags, state.score) == (OTHER, ("three",), 9.0)


def test_an_edit_that_is_taken_back() -> None:
    events = [_replaced(5, OLD, NEW), _replaced(9, NEW, OLD)]
    assert fold_all([NEW, OLD], events)[OLD.id].entry == OLD


def test_the_last_line_is_read_whatever_is_said_of_it() -> None:
    assert fold_all([OLD], [_replaced(5, OLD, NEW)])[OLD.id].entry == OLD


def test_a_line_in_whose_place_another_memory_stands_is_not_read() -> None:
    """Who edits a line without a comment gives it another id."""
    new, newer = OLD._replace(id="m_2222222222", text="edited"), OLD._replace(id="m_3333333333", text="edited again")
    events = [_replaced(5, OLD, new), _replaced(9, new, newer)]
    events = [event._replace(ids=(other.id, *event.ids)) for event, other in zip(events, (new, newer), strict=True)]
    for lines in itertools.permutations([OLD, new, newer]):
        assert fold_all(lines, events).keys() == {newer.id}
    assert fold_all([OLD], events[:1]) == {}  # a part of a store says the same as all of it
    restored = Event(11, "h", AT, "restored", (OLD.id,))
    assert fold_all([OLD, new, newer], [*events, restored]).keys() == {OLD.id, newer.id}
    back = _replaced(12, newer, OLD)._replace(ids=(OLD.id, newer.id))
    assert fold_all([OLD, new, newer], [*events, back]).keys() == {OLD.id}


def test_it_is_no_part_of_a_memorys_life() -> None:
    late = _replaced(5, OLD, NEW)._replace(at="2027-03-01T12:00:00+00:00")
    assert fold_all([NEW], [late]) == fold_all([NEW], [])
