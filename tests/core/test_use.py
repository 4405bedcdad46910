"""Updating a state after a recall gives the same result as the fold."""

from hypothesis import given
from hypothesis import strategies as st

from promptx_mem.core.entry import Entry
from promptx_mem.core.journal import Event
from promptx_mem.core.life import fold
from promptx_mem.search.recalls import after_recall

START = 1_772_000_000
DURATIONS = ("短期", "中期", "长期", "永久", "30d", "36h", "2026-04-01")
KINDS = ("boosted", "repeated", "kept", "promoted", "verified", "recalled", "forgotten")


def at(seconds: int) -> str:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(START + seconds, UTC).isoformat()


lines = st.builds(
    lambda score, duration, category, behind: Entry(
        "text", ("t",), score / 10, duration, "m_0000000000", at(0), category=category, k=START * 10**6, behind=behind
    ),
    st.integers(0, 100),
    st.sampled_from(DURATIONS),
    st.sampled_from(("fact", "episode", "core", "system")),
    st.sampled_from((False, False, False, True)),
)
steps = st.lists(st.tuples(st.integers(0, 40 * 86_400), st.sampled_from(KINDS)), max_size=8)


@given(lines, steps, st.lists(st.integers(0, 30 * 86_400), min_size=1, max_size=3))
def test_state_after_a_recall_equals_the_fold(line: Entry, happened: list[tuple[int, str]], recalls: list[int]) -> None:
    clock = 0
    events: list[Event] = []
    for gap, kind in happened:
        clock += gap
        events.append(Event((START + clock) * 10**6 + len(events), "h", at(clock), kind, (line.id,)))
    state = fold([line], events)
    for gap in recalls:
        clock += gap
        events.append(Event((START + clock) * 10**6 + len(events), "h", at(clock), "recalled", (line.id,)))
        wanted = fold([line], events)
        short = after_recall(state, START + clock)
        assert short is None or short == wanted
        assert short is not None or line.behind or START + clock < state.accessed
        state = wanted
