"""The fold: the sequences of decay.json, each kind of event, reviews, and order of lines and events."""

import itertools
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from promptx_mem.core.entry import Entry
from promptx_mem.core.fold import fold_all
from promptx_mem.core.ids import make_id
from promptx_mem.core.journal import Event
from promptx_mem.core.life import fold, pending_review
from promptx_mem.core.line import Superseded, line_key, micros, value_hash
from promptx_mem.core.state import State, importance_at, lives
from promptx_mem.core.times import DAY, HOUR, epoch

if TYPE_CHECKING:
    from collections.abc import Sequence

TABLE: dict[str, Any] = json.loads((Path(__file__).parents[1] / "conformance/decay.json").read_text("utf-8"))

BEGIN = datetime(2026, 1, 1, 8, tzinfo=UTC)
START = BEGIN.timestamp()
ID = make_id("a fact")


def at(day: float) -> str:
    return (BEGIN + timedelta(days=day)).isoformat()


def line(day: float = 0, text: str = "a fact", **fields: Any) -> Entry:
    return Entry(text, id=make_id(text), at=at(day), score=9.0, duration="短期")._replace(**fields)


def event(kind: str, day: float, **fields: Any) -> Event:
    return Event(micros(at(day)), "host", at(day), kind, (ID,))._replace(**fields)


def day_of(moment: float) -> float:
    return round((moment - START) / DAY, 6)


def importance_on(state: State, day: float) -> float:
    return round(importance_at(state, START + day * DAY), 6)


def is_active(state: State, day: float) -> bool:
    return lives(state, START + day * DAY)


def open_review(state: State, day: float) -> tuple[str, float] | None:
    found = pending_review(state, START + day * DAY)
    return (found.kind, day_of(found.opened)) if found else None


@pytest.mark.parametrize("row", TABLE["sequences"], ids=lambda row: row["name"])
def test_importance_follows_a_sequence_of_events(row: dict[str, Any]) -> None:
    base = line(score=round(row["importance"] * 5, 1), category=row["category"], duration=row["duration"])
    events = [event(each["event"], each["day"]) for each in row["events"]]
    for day, importance in row["importance_on_day"]:
        known = [each for each in events if epoch(each.at) <= START + day * DAY]
        assert importance_on(fold([base], known), day) == pytest.approx(importance, abs=1e-6)


@pytest.mark.parametrize("row", TABLE["lifetimes"]["cases"], ids=str)
def test_memory_fades_and_ends_on_the_days_of_the_table(row: dict[str, Any]) -> None:
    state = fold([line(score=row["score"], duration=row["duration"])], [])
    assert day_of(state.ends_at) == row["end_day"]
    assert state.end == "faded"
    assert day_of(state.fading_at) == row["review_day"]
    assert open_review(state, row["review_day"]) == ("fading", row["review_day"])
    assert open_review(state, row["review_day"] - 0.01) is None
    assert is_active(state, row["end_day"] - 0.01)
    assert not is_active(state, row["end_day"])
    assert pending_review(state, state.ends_at) is None


@pytest.mark.parametrize("row", TABLE["caps"]["cases"], ids=str)
@pytest.mark.parametrize("kind", ["boosted", "repeated"])
def test_boosts_and_repeats_are_capped(row: dict[str, Any], kind: str) -> None:
    events = [event(kind, 1 + hours / 24) for hours in row["boost_hours"]]
    assert fold([line(score=5.0)], events).importance == pytest.approx(row["importance"])


def test_caps_apply_after_a_clock_was_ahead() -> None:
    ahead = event("boosted", 400, k=1 << 60)
    later = [event("boosted", 1 + n / 12, k=(1 << 60) + n + 1) for n in range(5)]
    state = fold([line(score=5.0, duration="永久")], [ahead, *later])
    assert state.importance == pytest.approx(2.3)
    assert day_of(state.accessed) == 400


def test_boosts_and_repeats_share_one_cap() -> None:
    events = [
        event("boosted", 1),
        event("repeated", 1 + 1 / 24),
        event("boosted", 1.2, gain=0.9),
        event("boosted", 1.5),
    ]
    state = fold([line(score=5.0)], events)
    assert state.importance == pytest.approx(2.0)


def test_repeat_raises_score_duration_tags_and_importance() -> None:
    again = event("repeated", 1, score=9.5, duration="长期", tags=("b", "c"))
    state = fold([line(tags=("a", "b"))], [again])
    assert (state.score, state.duration, state.tags) == (9.5, "长期", ("a", "b", "c"))
    assert state.importance == pytest.approx(2.1)
    assert day_of(state.fresh_at) == day_of(state.accessed) == 1
    lower = fold([line(tags=("a", "b"))], [again._replace(score=3.0, duration="36h")])
    assert (lower.score, lower.duration) == (9.0, "短期")


def test_near_duplicate_or_recall_does_not_reset_freshness() -> None:
    state = fold([line()], [event("repeated", 1), event("recalled", 2)])
    assert day_of(state.fresh_at) == 0
    assert day_of(state.accessed) == 2


def test_duration_counts_from_the_event_that_set_it() -> None:
    stored = line(duration="30d")
    assert day_of(fold([stored], []).ends_at) == 30
    assert day_of(fold([stored], [event("repeated", 25, duration="30d")]).ends_at) == 55
    assert day_of(fold([stored], [event("repeated", 25, duration="7d")]).ends_at) == 32
    assert day_of(fold([stored], [event("repeated", 1, duration="7d")]).ends_at) == 30
    assert fold([stored], [event("repeated", 1, duration="永久")]).end is None
    assert fold([stored], [event("boosted", 29)]).end == "expired"


def test_verified_event_refreshes_a_memory() -> None:
    state = fold([line()], [event("verified", 3)])
    assert state.verified
    assert day_of(state.fresh_at) == day_of(state.accessed) == 3
    assert not fold([line(verified=True)], [event("verified", 3, verified=False)]).verified


def test_earliest_adoption_sets_the_time_of_a_line() -> None:
    events = [event("adopted", -3), event("adopted", -5, host="b"), event("adopted", -1)]
    state = fold([line(duration="10d")], events)
    assert day_of(state.first_at) == day_of(state.fresh_at) == -5
    assert day_of(state.ends_at) == 5
    assert day_of(fold([line()], [event("adopted", 4)]).first_at) == 0


def test_file_time_does_not_revive_an_adopted_and_forgotten_line() -> None:
    touched_since = line(20)
    events = [event("adopted", 1), event("forgotten", 5), event("restored", 8, score=7.0), event("forgotten", 9)]
    assert not is_active(fold([touched_since], events[:2]), 21)
    assert fold([touched_since], events[:3]).score == 7.0
    assert not is_active(fold([touched_since], events), 21)


@pytest.mark.parametrize("kind", ["forgotten", "deleted", "purged"])
def test_forgotten_deleted_or_purged_memory_is_ended(kind: str) -> None:
    state = fold([line(duration="永久")], [event(kind, 3), event("boosted", 4), event("recalled", 5)])
    assert (state.end, day_of(state.ends_at)) == (kind, 3)
    assert not is_active(state, 4)
    assert not is_active(state, 1), "a clock that was ahead does not bring back what was forgotten"


def test_ended_memory_that_is_purged_is_marked_purged() -> None:
    state = fold([line()], [event("forgotten", 3), event("purged", 4)])
    assert (state.end, day_of(state.ends_at)) == ("purged", 3)
    assert fold([line()], [event("purged", 60)]).end == "purged"


LATER = [event(kind, day) for day in (50, 51) for kind in
         ("boosted", "recalled", "repeated", "verified", "kept", "promoted", "deleted", "forgotten")]  # fmt: skip


@pytest.mark.parametrize("ended", [[], [event("forgotten", 2)], [event("boosted", 1), event("deleted", 2)]])
def test_events_other_than_restored_do_not_change_an_ended_memory(ended: list[Event]) -> None:
    assert fold([line()], [*ended, *LATER]) == fold([line()], ended)


def test_restored_memory_gets_new_score_duration_and_tags() -> None:
    events = [event("forgotten", 3), event("restored", 10, score=6.0, duration="中期", tags=("new",))]
    state = fold([line(tags=("old",))], events)
    assert (state.score, state.duration, state.tags) == (6.0, "中期", ("old", "new"))
    assert state.importance == pytest.approx(1.2)
    assert is_active(state, 11)
    assert day_of(state.fresh_at) == 10
    assert day_of(fold([line()], [event("forgotten", 3), event("restored", 10)]).fresh_at) == 0


def test_later_of_an_event_and_an_edit_of_the_line_counts() -> None:
    again = event("restored", 1, score=6.0, duration="中期", tags=("new",), line="#old score:9 duration:短期")
    for kind, fields, expected in (
        ("restored", {}, (6.0, "中期", ("new",))), ("restored", {"score": 9.5}, (9.5, "中期", ("new",))),
        ("restored", {"tags": ("a",)}, (6.0, "中期", ("a",))), ("repeated", {"score": 5.0}, (5.0, "中期", ("old", "new"))),
        ("repeated", {"tags": (), "duration": "30d"}, (9.0, "30d", ())),
    ):  # fmt: skip
        state = fold([line(tags=("old",))._replace(**fields)], [again._replace(kind=kind)])
        assert (state.score, state.duration, state.tags) == expected


def test_restored_memory_gets_enough_importance_and_time() -> None:
    assert importance_on(fold([line(score=1.0)], [event("restored", 10)]), 10) == 0.5
    assert importance_on(fold([line(score=9.0)], [event("restored", 60)]), 60) == 1.8
    assert day_of(fold([line(category="episode")], [event("restored", 20)]).ends_at) == 34
    assert day_of(fold([line(duration="30d")], [event("restored", 40)]).ends_at) == 70
    assert fold([line(score=5.0)], [event("boosted", 1), event("restored", 2)]).importance == pytest.approx(1.3)


def test_past_date_does_not_end_a_restored_memory() -> None:
    state = fold([line(duration="2026-01-10")], [event("restored", 40)])
    assert state.duration == "长期"
    assert is_active(state, 41)
    assert fold([line(duration="2026-01-10", score=6.0)], [event("restored", 40)]).duration == "短期"


def test_superseded_memory_can_be_restored() -> None:
    new = line(5, "a newer fact", supersedes=ID, k=micros(at(5)) + 7)
    states = fold_all([line(), new], [])
    assert (states[ID].end, states[ID].superseded_by) == ("superseded", (new.id,))
    assert not is_active(states[ID], 5)
    assert is_active(states[new.id], 6)

    back = event("restored", 8, supersedes=(new.id,))
    states = fold_all([line(), new], [back])
    assert is_active(states[ID], 9)
    assert states[ID].superseded_by == ()
    assert (states[new.id].end, states[new.id].superseded_by) == ("superseded", (ID,))


def test_restoring_the_first_of_a_chain_supersedes_the_others() -> None:
    second = line(1, "second", supersedes=ID)
    third = line(2, "third", supersedes=second.id)
    back = event("restored", 3, supersedes=(second.id, third.id))
    states = fold_all([line(), second, third], [back])
    assert [is_active(states[each], 4) for each in (ID, second.id, third.id)] == [True, False, False]


def test_faded_memory_lists_its_successor() -> None:
    new = line(60, "a newer fact", supersedes=ID)
    state = fold_all([line(), new], [])[ID]
    assert (state.end, state.superseded_by) == ("faded", (new.id,))


def test_line_before_a_purge_is_ignored_when_its_text_is_stored_again() -> None:
    before, again = line(0, tags=("old",), verified=True), line(9, tags=("new",), k=micros(at(9)))
    purge, boost = event("purged", 6), event("boosted", 3)
    assert fold([before, again], [boost, purge]) == fold([again], [boost, purge])
    assert fold([before], [boost, purge]).end == "purged"


def test_purging_a_successor_keeps_the_old_memory_superseded() -> None:
    purge = event("purged", 6, ids=("m_gone",), supersedes=(ID,))
    assert fold_all([line()], [purge])[ID].end == "superseded"
    back = event("restored", 5, supersedes=("m_gone",))
    assert is_active(fold_all([line()], [back, purge])[ID], 7), "it had come back over the purged one"
    assert is_active(fold_all([line()], [purge, event("restored", 7)])[ID], 8)
    gone = line(1, "gone", supersedes=ID)
    purge = event("purged", 6, ids=(gone.id,), supersedes=(ID,))
    back = event("restored", 2, supersedes=(gone.id,))
    assert is_active(fold_all([line(), gone], [back, purge])[ID], 7)
    assert fold_all([line(), gone], [purge])[ID] == fold_all([line()], [purge])[ID], (
        "its line is there, or not any more"
    )


def test_two_lines_with_one_id_are_one_memory() -> None:
    early, late = line(0, tags=("a",), score=7.0), line(1, tags=("b",), score=8.0, duration="长期")
    state = fold([late, early], [])
    assert (state.entry, state.score, state.duration, state.importance) == (late, 8.0, "长期", 1.6)
    assert set(state.tags) == {"a", "b"}
    assert (day_of(state.first_at), day_of(state.accessed)) == (0, 1)


def test_events_between_two_lines_are_kept_unless_they_end_the_memory() -> None:
    between = event("recalled", 0.5)
    assert fold([line(0), line(1, score=5.0)], []).importance == 1.0
    assert fold([line(0), line(1, score=5.0)], [between]).importance == 1.8, "what happened to it is kept"
    assert fold([line(0, score=5.0), line(1)], [between]).importance == 1.8
    core = fold([line(0), line(4)], [event("promoted", 3)])
    assert (core.category, core.importance) == ("core", 3.0)
    again = fold([line(0), line(10)], [event("promoted", 3), event("forgotten", 5)])
    assert (again.category, again.importance) == ("fact", 1.8)


def test_hand_edited_line_wins() -> None:
    edited = line(0, tags=("a",), text="a fact, edited", id=ID)
    late = line(1, tags=("b",))
    state = fold([late, edited], [])
    assert state.entry == edited
    assert set(state.tags) == {"a", "b"}
    salted = line(0, "salted", id=make_id("salted", 2), salt=2)
    assert fold([salted, salted._replace(at=at(1))], []).entry.at == at(1)


def test_line_written_after_the_end_revives_a_memory() -> None:
    old, new = line(0, score=9.0), line(10, score=6.0, tags=("n",))
    state = fold([old, new], [event("forgotten", 5), event("boosted", 1)])
    assert is_active(state, 11)
    assert (state.score, state.importance, day_of(state.first_at)) == (6.0, 1.2, 0)
    faded = fold([old, line(100, score=6.0)], [])
    assert (faded.importance, day_of(faded.accessed)) == (1.2, 100)


def test_an_older_line_merged_back_revives_nothing() -> None:
    old, older = line(1), line(0, score=5.0)
    state = fold([old, older], [event("forgotten", 5)])
    assert not is_active(state, 6)
    assert state.end == "forgotten"


def test_earlier_end_does_not_affect_a_new_line() -> None:
    events = [event("boosted", 1), event("forgotten", 5), event("recalled", 6)]
    state = fold([line(10)], events)
    assert is_active(state, 11)
    assert state.importance == 1.8
    assert fold([line(10)], [event("restored", 5, score=3.0)]).score == 9.0


def test_events_of_a_clock_that_was_set_back_count() -> None:
    boosted = event("boosted", -1, k=micros(at(0)) + 1)
    state = fold([line()], [boosted])
    assert state.importance == pytest.approx(2.1)
    assert day_of(state.accessed) == 0
    assert not is_active(fold([line()], [event("forgotten", -1, k=micros(at(0)) + 1)]), 1)
    before_the_line = event("boosted", -1)
    assert fold([line()], [before_the_line]).importance == pytest.approx(2.1)


def test_end_is_ordered_by_time_if_the_line_has_no_k() -> None:
    small = event("forgotten", 1, k=1)
    assert not is_active(fold([line()], [small]), 2)
    assert is_active(fold([line(k=2)], [small]), 2)


def test_line_key_is_k_or_else_the_time() -> None:
    assert line_key(line()) == micros(at(0))
    assert line_key(line(k=5)) == 5


def boosts(first: float, count: int) -> list[Event]:
    """Return boosts 12 hours apart, which stay below the cap."""
    return [event("boosted", first + n / 2) for n in range(count)]


def test_promotion_review_opens_at_2_5_and_promoted_memory_is_core() -> None:
    three = boosts(1, 3)
    state = fold([line(score=8.0)], three)
    opened = day_of(epoch(three[2].at))
    assert state.importance == 2.5
    assert open_review(state, opened) == ("promotion", opened)
    assert open_review(fold([line(score=8.0)], three[:2]), opened) is None
    core = fold([line(score=8.0)], [*three, event("promoted", 3)])
    assert (core.category, core.importance, core.end) == ("core", 3.0, None)
    assert open_review(core, 4000) is None
    assert is_active(core, 4000)


@pytest.mark.parametrize("category", ["core", "system"])
def test_core_and_system_memories_have_no_reviews(category: str) -> None:
    state = fold([line(score=8.0, category=category)], boosts(1, 4))
    assert open_review(state, 2.5) is None
    assert open_review(fold([line(score=1.0, category=category)], []), 1) is None
    kept = fold([line(score=8.0, category=category)], [event("promoted", 1)])
    assert kept.category == category


def test_declined_promotion_review_opens_again_after_30_days() -> None:
    stored, first = line(score=8.0), boosts(1, 3)
    kept = event("kept", 2)
    state = fold([stored], [*first, kept])
    assert open_review(state, 3) is None
    assert state.importance == 2.5, "KEEP of a promotion changes nothing"
    # Day 11: 2.5 faded to 2.375 by then; boosted it passes 2.5 again.
    soon = fold([stored], [*first, kept, event("boosted", 11)])
    assert soon.importance > 2.5
    assert open_review(soon, 11) is None
    # 1.37 is left on day 31; the fourth boost from there is the first to reach 2.5.
    again = [*first, kept, event("boosted", 11), *boosts(31, 4)]
    assert open_review(fold([stored], again[:-1]), 40) is None
    assert open_review(fold([stored], again), 40) == ("promotion", 32.5)


def test_keep_or_boost_closes_a_fading_review() -> None:
    stored = line(score=7.0)
    assert open_review(fold([stored], []), 28) == ("fading", 28)
    kept = fold([stored], [event("kept", 29)])
    assert (kept.importance, open_review(kept, 30)) == (0.5, None)
    assert open_review(kept, 37) == ("fading", 37)
    boosted = fold([stored], [event("boosted", 29)])
    assert boosted.importance > 0.7
    assert open_review(boosted, 30) is None


def test_recall_or_small_boost_leaves_a_fading_review_open() -> None:
    recalled = fold([line(score=7.0)], [event("recalled", 30)])
    assert open_review(recalled, 31) == ("fading", 28)
    assert open_review(fold([line(score=7.0)], [event("boosted", 36, gain=0.05)]), 36) == ("fading", 28)


def test_fading_review_replaces_an_unanswered_promotion_review() -> None:
    state = fold([line(score=8.0)], boosts(1, 3))
    opened = day_of(state.promotion_at)
    assert open_review(state, 20) == ("promotion", opened)
    assert open_review(state, day_of(state.fading_at)) == ("fading", day_of(state.fading_at))
    both = fold([line(score=8.0)], [*boosts(1, 3), event("kept", day_of(state.fading_at))])
    assert open_review(both, day_of(state.fading_at) + 1) is None


def test_an_episode_ends_14_days_after_it_was_stored() -> None:
    state = fold([line(category="episode", score=7.5)], [event("recalled", 13)])
    assert (day_of(state.ends_at), state.end) == (14, "expired")
    promoted = fold([line(category="episode", score=10.0)], [*boosts(1, 2), event("promoted", 3)])
    assert promoted.end is None


def test_memory_boosted_to_3_never_fades_or_expires() -> None:
    state = fold([line(score=9.0)], boosts(1, 4))
    assert state.importance == 3.0
    assert (state.end, importance_on(state, 4000)) == (None, 3.0)
    assert fold([line(score=9.0, duration="30d")], boosts(1, 4)).end is None


def test_unknown_kinds_and_unreadable_times_change_nothing() -> None:
    plain = fold([line()], [])
    odd: Sequence[Event] = [
        event("decayed", 20), event("", 20), event("boosted", 20, at="once"), event("forgotten", 2, at=""), event("Boosted", 3),
    ]  # fmt: skip
    assert fold([line()], odd) == plain
    assert fold([line()], [], [Superseded("m_x", 5, "never")]) == plain


def test_importance_never_exceeds_five() -> None:
    boosts = [event("boosted", 1 + n / 3) for n in range(60)]
    assert fold([line(duration="永久")], boosts).importance == 5.0


def test_boost_after_30_days_reopens_a_promotion_that_stayed_above_2_5() -> None:
    stored, first = line(score=8.0), boosts(1, 3)
    busy = [*first, event("kept", 2), *(event("boosted", day) for day in range(3, 31, 2))]
    assert open_review(fold([stored], busy), 31) is None
    asked = fold([stored], [*busy, event("boosted", 33)])
    assert asked.importance > 2.5
    assert open_review(asked, 34) == ("promotion", 33)


def test_deleted_closes_every_review() -> None:
    state = fold([line(score=8.0)], [*boosts(1, 3), event("deleted", 3)])
    assert open_review(state, 4) is None
    assert open_review(fold([line(score=8.0)], [*boosts(1, 3), event("deleted", 3), event("restored", 5)]), 6) is None


def test_promoting_a_fading_memory_counts_as_keep() -> None:
    state = fold([line(score=7.0)], [event("promoted", 29)])
    assert (state.category, state.importance) == ("fact", 0.5)


def test_memory_that_never_fades_has_no_fading_review() -> None:
    assert open_review(fold([line(score=2.0, duration="永久")], []), 400) is None
    assert open_review(fold([line(score=2.0)], []), 0) == ("fading", 0)
    assert open_review(fold([line(score=2.0)], [event("repeated", 1, duration="永久", gain=0.0)]), 400) is None


def test_events_with_the_same_k_have_a_fixed_order() -> None:
    same = [event("forgotten", 3, k=7 << 50), event("restored", 3, k=7 << 50, score=6.0)]
    assert fold([line()], same) == fold([line()], same[::-1])
    assert fold([line()], same).accessed < START + 3 * DAY + HOUR


AT = "2026-03-01T12:00:00+00:00"
OLD = Entry("the old tags", ("one",), 8.0, "长期", "m_1111111111", AT)
NEW = OLD._replace(tags=("two",), score=5.0)
OTHER = OLD._replace(tags=("three",), score=9.0)


def _replaced(k: int, old: Entry, new: Entry) -> Event:
    return Event(k, "h", AT, "replaced", (old.id,), line=value_hash(old), by=value_hash(new))


def test_replaced_line_is_ignored_in_any_order() -> None:
    events = [_replaced(5, OLD, NEW), _replaced(9, NEW, OTHER)]
    for lines in itertools.permutations([OLD, NEW, OTHER]):
        for happened in itertools.permutations(events):
            state = fold_all(lines, happened)[OLD.id]
            assert (state.entry, state.tags, state.score) == (OTHER, ("three",), 9.0)


def test_reverted_edit_makes_the_first_line_valid_again() -> None:
    events = [_replaced(5, OLD, NEW), _replaced(9, NEW, OLD)]
    assert fold_all([NEW, OLD], events)[OLD.id].entry == OLD


def test_only_remaining_line_is_read_even_if_it_was_replaced() -> None:
    assert fold_all([OLD], [_replaced(5, OLD, NEW)])[OLD.id].entry == OLD


def test_line_replaced_by_another_memory_is_ignored() -> None:
    """Editing a line without a comment changes its id."""
    new, newer = OLD._replace(id="m_2222222222", text="edited"), OLD._replace(id="m_3333333333", text="edited again")
    events = [_replaced(5, OLD, new), _replaced(9, new, newer)]
    events = [event._replace(ids=(other.id, *event.ids)) for event, other in zip(events, (new, newer), strict=True)]
    for lines in itertools.permutations([OLD, new, newer]):
        assert fold_all(lines, events).keys() == {newer.id}
    assert fold_all([OLD], events[:1]) == {}  # also without the new lines
    restored = Event(11, "h", AT, "restored", (OLD.id,))
    assert fold_all([OLD, new, newer], [*events, restored]).keys() == {OLD.id, newer.id}
    back = _replaced(12, newer, OLD)._replace(ids=(OLD.id, newer.id))
    assert fold_all([OLD, new, newer], [*events, back]).keys() == {OLD.id}


def test_replaced_event_does_not_change_the_state() -> None:
    late = _replaced(5, OLD, NEW)._replace(at="2027-03-01T12:00:00+00:00")
    assert fold_all([NEW], [late]) == fold_all([NEW], [])
