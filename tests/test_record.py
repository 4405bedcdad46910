"""`record.NamedTuple` and `record.TypedDict` behave as those of typing, which they replace."""

import pickle
import typing

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


def test_named_tuple_behaves_as_that_of_typing() -> None:
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


class Place(TypedDict):
    """Keys."""

    name: str
    number: NotRequired[int]


class Wider(Place, total=False):
    """More keys."""

    parts: list[str]
    inside: Place


def test_typed_dict_inherits_keys_and_creates_plain_dicts() -> None:
    assert [*Wider.__annotations__] == ["name", "number", "parts", "inside"]
    assert type(Wider(name="a", parts=[])) is dict
    empty: dict[str, object] = {"name": None, "number": 0, "parts": [], "inside": {}}
    assert [*complete(Wider, Wider(name="a")).items()] == [*(empty | {"name": "a"}).items()]
