"""How much boosts and repeats may add: a rule over the times of events (SPEC 2.3)."""

from promptx_mem.core.times import DAY, HOUR

USUAL_GAIN = 0.3
_APART = 2 * HOUR
_PER_DAY = 1.0
_PLACES = 9
# A day holds twelve gains two hours apart; twice as many are kept for clocks that were set back.
_KEPT = 24


class Gains:
    """The gains that counted so far, as (time, amount)."""

    def __init__(self) -> None:
        self._counted: list[tuple[float, float]] = []

    def take(self, time: float, wanted: float | None = None) -> float:
        """Return what a boost adds: nothing within 2 hours of one that counted, 1.0 in any 24 hours."""
        if any(abs(time - other) < _APART for other, _ in self._counted):
            return 0.0
        gain = round(min(USUAL_GAIN if wanted is None else max(wanted, 0.0), _PER_DAY - self._busiest(time)), _PLACES)
        if gain <= 0:
            return 0.0
        self._counted = [*self._counted, (time, gain)][-_KEPT:]
        return gain

    def _busiest(self, time: float) -> float:
        """Return the most that was gained in a span of 24 hours which holds `time`."""
        starts = [time, *(other for other, _ in self._counted if time - DAY < other <= time)]
        return max(sum(g for other, g in self._counted if start <= other < start + DAY) for start in starts)
