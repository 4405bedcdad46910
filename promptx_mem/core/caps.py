"""How much boosts and repeats may add: a rule over the times of events."""

from bisect import bisect_left, bisect_right, insort

from promptx_mem.core.times import DAY, HOUR

USUAL_GAIN = 0.3
_APART = 2 * HOUR
_PER_DAY = 1.0
_PLACES = 9


class Gains:
    """The gains that counted so far. All are kept: a clock that is set back meets those of its days again."""

    def __init__(self) -> None:
        self._counted: list[tuple[float, float]] = []  # (time, amount), by time

    def take(self, time: float, amount: float | None = None) -> float:
        """Return what a boost adds: nothing within 2 hours of one that counted, 1.0 in any 24 hours."""
        near = self._between(time - DAY, time + DAY)
        if any(abs(time - moment) < _APART for moment, _ in near):
            return 0.0
        spent = _busiest(near, time)
        gain = round(min(USUAL_GAIN if amount is None else max(amount, 0.0), _PER_DAY - spent), _PLACES)
        if gain <= 0:
            return 0.0
        insort(self._counted, (time, gain))
        return gain

    def _between(self, start: float, end: float) -> list[tuple[float, float]]:
        """Return what counted after `start` and before `end`."""
        first = bisect_right(self._counted, start, key=_time)
        return self._counted[first : bisect_left(self._counted, end, key=_time)]


def _busiest(near: list[tuple[float, float]], time: float) -> float:
    """Return the most that was gained in a span of 24 hours which holds `time`."""
    starts = [time, *(moment for moment, _ in near if moment <= time)]
    return max(sum(gain for moment, gain in near if start <= moment < start + DAY) for start in starts)


def _time(counted: tuple[float, float]) -> float:
    return counted[0]
