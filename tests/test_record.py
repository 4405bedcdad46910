"""The names of `record` do the same as those of typing, which they replace."""

import pickle
import typing
from typing import Self

import pytest

from promptx_mem.record import NamedTuple, NotRequired, TypedDict
from promptx_mem.result import complete


class Ours(NamedTuple):
    """A value."""

    name: str
    number: int = 3
    parts: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        return f"{self.name}{self.number}"


class Theirs(typing.NamedTuple):
    """A value."""

    name: str
    number: int = 3
    parts: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        return f"{self.name}{self.number}"


class Limited(Ours):
    """A value with its own constructor."""

    __slots__ = ()

    def __new__(cls, name: str, number: int = 0) -> Self:
        return super().__new__(cls, name, min(number, 9))


def test_the_same_as_typing() -> None:
    ours, theirs = Ours("a", parts=("b",)), Theirs("a", parts=("b",))
    assert list(ours) == list(theirs) == ["a", 3, ("b",)]
    assert hash(ours) == hash(theirs)
    assert repr(ours) == repr(theirs).replace("Theirs", "Ours")
    assert list(ours._replace(number=4)) == list(theirs._replace(number=4))
    assert type(ours._replace(number=4)) is Ours
    assert ours._asdict() == theirs._asdict()
    assert (Ours._fields, Ours._field_defaults) == (Theirs._fields, Theirs._field_defaults)
    assert (ours.label, Ours.__doc__, not hasattr(ours, "__dict__")) == ("a3", Theirs.__doc__, True)
    assert pickle.loads(pickle.dumps(ours)) == ours
    match ours:
        case Ours(name, 3):
            assert name == "a"
        case _:
            pytest.fail("no match")


@pytest.mark.parametrize("arguments", [(), ("a", 1, (), 4)])
def test_wrong_arguments_are_refused(arguments: tuple[object, ...]) -> None:
    for kind in (Ours, Theirs):
        with pytest.raises(TypeError):
            kind(*arguments)  # type: ignore[arg-type]
    for value in (Ours("a"), Theirs("a")):
        with pytest.raises(ValueError, match="other"):
            value._replace(other=1)  # type: ignore[call-arg]


def test_a_subclass_keeps_its_own_constructor() -> None:
    for _ in range(2):
        assert Limited("a", 20) == ("a", 9, ())
    assert Ours("a", 20).number == 20


class Place(TypedDict):
    """Keys."""

    name: str
    number: NotRequired[int]


class Wider(Place, total=False):
    """More keys."""

    parts: list[str]
    inside: Place


def test_a_typed_dict_has_the_keys_of_its_bases_and_makes_plain_dicts() -> None:
    assert [*Wider.__annotations__] == ["name", "number", "parts", "inside"]
    assert type(Wider(name="a", parts=[])) is dict
    empty: dict[str, object] = {"name": None, "number": 0, "parts": [], "inside": {}}
    assert [*complete(Wider, Wider(name="a")).items()] == [*(empty | {"name": "a"}).items()]
