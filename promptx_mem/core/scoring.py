"""Scoring: six dimensions and two formulas (sources 000 and 001 in docs/design.md).

All arithmetic uses whole numbers, so it is exact. A score is counted in tenths. A dimension is counted in units of
1/3000, so that values with three decimals and means of three answers are whole numbers.
"""

from collections.abc import Sequence

from promptx_mem.core.entry import DIMENSIONS
from promptx_mem.core.request import PROFILES
from promptx_mem.core.state import CREDIBLE_FROM
from promptx_mem.core.syntax import decimal, quoted_value
from promptx_mem.core.text import HALF_WIDTH, plural
from promptx_mem.record import NamedTuple

_UNIT = 3000
_MAX = 10
_EXPLICIT_BONUS = 3
_WEIGHTS = {"execution": (3, 1, 2, 2, 1, 1), "declarative": (5, 4, 5, 3, 2, 3)}  # in tenths
_DIVISORS = {"execution": 10, "declarative": 22}  # in tenths; source 001's weights sum to 2.2
_QUESTIONS = (3, 3, 3, 3, 1, 1)
_REVERSED = (DIMENSIONS.index("novelty"), 1)

_FORM = "give all six as `importance=9,novelty=7,relevance=9,credibility=8,granularity=8,timeliness=9` or `9,7,9,8,8,9`"


class Term(NamedTuple):
    """One dimension's part of a score. `product` is weight x value, not yet divided by the divisor."""

    name: str
    weight: float
    value: float
    product: float


class Evaluation(NamedTuple):
    """A score and its computation: (sum of the products) / divisor + bonus, at most 10, rounded half up to tenths."""

    score: float
    profile: str
    terms: tuple[Term, ...]
    divisor: float
    bonus: float


def parse_dims(text: str) -> tuple[float, ...]:
    """Read `importance=9/8/10,novelty=7,…` or `9,7,9,8,8,9`. Return the values in the order of DIMENSIONS.

    A dimension's answers are averaged; the second one for novelty is reversed. Raises ValueError with the wrong value.
    """
    parts = [part.strip() for part in text.translate(HALF_WIDTH).replace(":", "=").split(",")]
    if any("=" in part for part in parts):
        values = _named(parts)
    elif len(parts) == len(DIMENSIONS):
        values = dict(zip(DIMENSIONS, parts, strict=True))
    else:
        raise ValueError(f"{plural(len(parts), 'value')} for six dimensions; {_FORM}")
    return tuple(_mean(index, values[name]) for index, name in enumerate(DIMENSIONS))


def evaluate(dims: Sequence[float], profile: str, *, explicit: bool = False) -> Evaluation:
    """Score six dimensions by a profile: `execution` (source 000) or `declarative` (source 001).

    An explicit request of the user adds 3 in `declarative`. Raises ValueError for any other profile.
    """
    if profile not in PROFILES:
        raise ValueError(f"profile {quoted_value(profile)} is not known; allowed: {', '.join(PROFILES)}")
    units = [round(value * _UNIT) for value in dims]
    weights, divisor = _WEIGHTS[profile], _DIVISORS[profile]
    bonus = _EXPLICIT_BONUS if explicit and profile == "declarative" else 0
    total = sum(weight * unit for weight, unit in zip(weights, units, strict=True))
    whole = divisor * _UNIT  # the total for a score of 1
    tenths = min((20 * (total + bonus * whole) + whole) // (2 * whole), 10 * _MAX)  # rounded half up
    terms = tuple(
        Term(name, weight / 10, unit / _UNIT, weight * unit / (10 * _UNIT))
        for name, weight, unit in zip(DIMENSIONS, weights, units, strict=True)
    )
    return Evaluation(tenths / 10, profile, terms, divisor / 10, float(bonus))


def _named(parts: list[str]) -> dict[str, str]:
    values: dict[str, str] = {}
    for part in parts:
        word, equals, value = (piece.strip() for piece in part.partition("="))
        name = word.lower()
        if not equals:
            raise ValueError(f"{quoted_value(part)} has no name; {_FORM}")
        if name not in DIMENSIONS:
            raise ValueError(f"{quoted_value(word)} is not a dimension; {_FORM}")
        if name in values:
            raise ValueError(f"{name} is given twice; {_FORM}")
        values[name] = value
    if missing := [name for name in DIMENSIONS if name not in values]:
        raise ValueError(f"missing: {', '.join(missing)}; {_FORM}")
    return values


def _mean(index: int, text: str) -> float:
    """Return a dimension's value from one number, or from the answers to all its questions."""
    answers = text.split("/")
    name, questions = DIMENSIONS[index], _QUESTIONS[index]
    if len(answers) not in (1, questions):
        allowed = f"1 or {questions} numbers, such as 9/8/10" if questions > 1 else "one number"
        raise ValueError(f"{name} has {len(answers)} numbers; give {allowed}")
    total = 0
    for number, answer in enumerate(answers):
        thousandths = decimal(answer.strip(), 1000)
        if thousandths is None:
            raise ValueError(f"{name}: {quoted_value(answer)} is not a number from 0 to 10")
        turned = len(answers) > 1 and (index, number) == _REVERSED
        total += _MAX * 1000 - thousandths if turned else thousandths
    return total / (1000 * len(answers))


NOT_CREDIBLE = f"the fact's credibility is below {CREDIBLE_FROM:g}: verify it before you store it"


def is_credible(values: Sequence[float]) -> bool:
    """Return whether a fact with these dimensions can be stored without the user's request."""
    return values[DIMENSIONS.index("credibility")] >= CREDIBLE_FROM
