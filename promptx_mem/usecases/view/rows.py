"""The memories of a page: each as `export --format json` gives it, and why it stands where it does."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from promptx_mem.core import order, origin
from promptx_mem.core.decay import NEVER, initial, rate
from promptx_mem.core.description import Whole
from promptx_mem.core.journal import Event
from promptx_mem.core.state import Review, State, importance_at, is_unscored, lives, review
from promptx_mem.core.times import DAY, epoch, iso
from promptx_mem.usecases.review import UNSCORED
from promptx_mem.usecases.whole import whole

if TYPE_CHECKING:
    from promptx_mem.usecases.context import Context

Progress = Callable[[int, int], None]

_LEFT_OUT = frozenset({"age", "freshness", "slice", "at", "ends_at"})
"""Texts that are true on the day they are written alone, messages, and times, which a page has its own."""
_REPORTED = 1_000


class Row(Whole):
    """A memory of a page. Its times are whole seconds since 1970, in no zone: a reader's place says how they look.

    `used`: null where it never was; `ends`: null where it does not; `band`: what the index goes by first; `began`: its
    importance at first; `pace`: the factor and the days of one step of its fading, null where it does not fade;
    `review`: the kind that is open.
    """

    noted: int
    used: int | None
    ends: int | None
    band: int
    began: float
    pace: tuple[float, int] | None
    review: str | None


def keys(rows: Sequence[Row]) -> list[str]:
    """The columns of a page."""
    return [key for key in Row.__annotations__ if key not in _LEFT_OUT and (not rows or key in rows[0])]


def describe(
    context: "Context",
    states: Mapping[str, State],
    acts: Mapping[str, Sequence[Event]],
    now: float,
    progress: Progress | None = None,
) -> list[Row]:
    """Describe memories, whose events are `acts`, in the order of the index; then ended ones, the newest first."""
    ranked = _rank(context, now)
    every = [(ranked(state), state) for state in states.values()]
    living = sorted(
        (item for item in every if lives(item[1], now)), key=lambda item: (is_unscored(item[1], now), item[0])
    )
    ended = sorted(
        (item for item in every if not lives(item[1], now)), key=lambda item: (-item[1].first_at, item[1].entry.id)
    )
    rows: list[Row] = []
    for number, (rank, state) in enumerate([*living, *ended]):
        if progress is not None and number % _REPORTED == 0:
            progress(number, len(every))
        rows.append(_row(context, state, acts, now, rank[0]))
    return rows


def _row(context: "Context", state: State, acts: Mapping[str, Sequence[Event]], now: float, band: int) -> Row:
    unscored = is_unscored(state, now) and lives(state, now)
    question = Review(UNSCORED, state.first_at) if unscored else review(state, now)
    pace = rate(state.importance, state.category, state.duration)
    description = whole(context, state, now, acts)
    return {
        **description,
        "events": [_own(event) for event in description["events"]],
        "noted": int(epoch(description["at"])),
        "used": None if state.accessed == state.first_at else _seconds(state.accessed),
        "ends": None if state.ends_at == NEVER else _seconds(state.ends_at),
        "band": band,
        "began": initial(state.score, state.category),
        "pace": None if pace is None else (pace[0], int(pace[1] // DAY)),
        "review": None if question is None else question.kind,
    }


def _seconds(moment: float) -> int:
    """A time that a calendar has: a browser knows no other."""
    return int(epoch(iso(moment)))


_Rank = tuple[int, float, float, float, str]


def _rank(context: "Context", now: float) -> Callable[[State], _Rank]:
    """What the index sorts by; of what is not own nothing goes before another, whatever it claims."""

    def of_own(state: State) -> _Rank:
        return order.band(state), -importance_at(state, now), -state.accessed, -state.first_at, state.entry.id

    def of_others(state: State) -> _Rank:
        worth = origin.worth(state.importance, state.category, state.duration, now - state.accessed)
        times = -min(state.accessed, now), -min(state.first_at, now)
        return max(order.band(state), order.OTHER), -worth, *times, state.entry.id

    return of_own if context.origin.is_own else of_others


def _own(event: Mapping[str, Any]) -> dict[str, Any]:
    """An event without what names its memory and orders it."""
    return {key: value for key, value in event.items() if key not in ("id", "ids", "k")}
