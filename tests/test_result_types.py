"""mypy finds a misspelt key wherever a result is made or read, and a result's blanks follow from its type."""

from typing import Annotated, NotRequired, TypedDict

from tests.api import Result, complete
from tests.inside import failure


class Inner(TypedDict):
    """A part of a payload."""

    text: str


class Payload(TypedDict, total=False):
    """One key of every kind."""

    text: str
    flag: bool
    number: int
    share: float
    parts: list[Inner]
    counts: dict[str, int]
    inner: Inner
    maybe: Inner | None
    many: Annotated[int | None, 0]
    extra: NotRequired[int]


BLANK: dict[str, object] = {
    "text": None, "flag": False, "number": 0, "share": None, "parts": [], "counts": {}, "inner": {}, "maybe": None,
    "many": 0, "extra": 0,
}  # fmt: skip


def test_every_key_is_there_in_the_order_of_the_type() -> None:
    whole = complete(Payload, {"number": 3, "text": "x"})
    assert whole == {**BLANK, "number": 3, "text": "x"}
    assert list(whole) == list(BLANK)
    assert complete(Payload, {})["parts"] is not complete(Payload, {})["parts"]


def test_a_failure_has_the_keys_of_a_success() -> None:
    good = Result("x", Payload(number=3)).envelope(Payload)
    bad = failure("x", Payload, {"number": 3}, 2, {"code": "c", "message": "m", "hint": ""})
    assert list(good) == list(bad)
    assert (good["ok"], bad["ok"], bad["exit"], bad["number"], bad["error"]["code"]) == (True, False, 2, 3, "c")  # type: ignore[index] # it is one
