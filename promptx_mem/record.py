"""Replacements for `typing` before Python 3.14, because `typing` takes as long to load as 20 other modules.

mypy sees `typing` itself. A command defines thirty `NamedTuple` classes, but creates few objects of most classes. To
save time, our `NamedTuple` compiles the constructor of a class only if the class is called often.
"""

import sys

TYPE_CHECKING = False  # mypy treats it as true
if TYPE_CHECKING or sys.version_info >= (3, 14):  # in 3.14 the body of a class contains no annotations
    from typing import (
        Annotated,
        Any,
        Generic,
        Literal,
        NamedTuple,
        NotRequired,
        Protocol,
        Self,
        TextIO,
        TypedDict,
        TypeVar,
        cast,
    )  # fmt: skip

    __all__ = [
        "TYPE_CHECKING", "Annotated", "Any", "Generic", "Literal", "NamedTuple", "NotRequired", "Protocol", "Self",
        "TextIO", "TypeVar", "TypedDict", "cast",
    ]  # fmt: skip
else:
    from _collections import _tuplegetter as getter

    Any = Self = TextIO = object

    def cast(_kind: object, value: object) -> object:
        return value

    def TypeVar(_name: str, **_limits: object) -> type:  # noqa: N802 - typing's name
        return object

    class Annotated:
        def __init__(self, kind: object, *notes: object) -> None:
            self.__origin__, self.__metadata__ = kind, notes

        def __class_getitem__(cls, given: tuple[object, ...]) -> "Annotated":
            return cls(*given)

    class NotRequired:
        __class_getitem__ = classmethod(type(list[int]))

    class Generic:
        __slots__ = ()

        def __class_getitem__(cls, _given: object) -> type:
            return cls

    Literal = Protocol = Generic

    class _Keys(type):
        def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, object], *, total: bool = True) -> type:
            keys = {key: hint for base in bases for key, hint in base.__annotations__.items()}
            body |= {"__annotations__": keys | body.get("__annotations__", {}), "__total__": total}
            return super().__new__(cls, name, (dict,), body)

        __call__ = dict

    TypedDict = _Keys("TypedDict", (), {})

    _getters = tuple(getter(place, f"field {place}") for place in range(60))  # shared by all classes
    _OFTEN = 30
    _calls: dict[type, int] = {}

    class _Maker(type):
        def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, object]) -> type:
            fields = tuple(body.get("__annotations__", ()))
            if not fields or hasattr(bases[0], "_fields"):
                return super().__new__(cls, name, bases, body)
            defaults = {field: body.pop(field) for field in fields if field in body}
            body |= {"__slots__": (), "_fields": fields, "_field_defaults": defaults, "__match_args__": fields}
            body |= zip(fields, _getters[: len(fields)], strict=True)
            made = super().__new__(cls, name, bases, body)
            made._owner = made  # the class with the fields: a subclass inherits its constructor
            return made

    class NamedTuple(tuple, metaclass=_Maker):
        __slots__ = ()

        def __new__(cls, /, *args: object, **kwargs: object) -> Self:
            if len(args) == len(cls._fields) and not kwargs:  # a compiled constructor would not be faster
                return tuple.__new__(cls, args)
            owner: type = cls._owner
            fields, _calls[owner] = owner._fields, _calls.get(owner, 0) + 1
            if _calls[owner] < _OFTEN:
                defaults, missing = owner._field_defaults, len(fields) - len(args)
                if not kwargs and 0 <= missing <= len(defaults):
                    return tuple.__new__(cls, (*args, *[*defaults.values()][len(defaults) - missing :]))
                values = defaults | kwargs | dict(zip(fields, args, strict=False))
                if missing > 0 and kwargs.keys().isdisjoint(fields[: len(args)]) and values.keys() == set(fields):
                    return tuple.__new__(cls, map(values.__getitem__, fields))
            names = ", ".join(fields)
            code = f"lambda _cls, {names}: _new(_cls, ({names},))"
            made = eval(code, {"_new": tuple.__new__, "__builtins__": {}})  # noqa: S307 - as in collections
            made.__defaults__ = tuple(owner._field_defaults.values())
            owner.__new__ = staticmethod(made)
            return made(cls, *args, **kwargs)

        def _replace(self, /, **changes: object) -> Self:
            changed = tuple.__new__(type(self), map(changes.pop, self._fields, self))
            if changes:
                raise ValueError(f"unexpected fields: {[*changes]}")
            return changed

        def _asdict(self) -> dict[str, object]:
            return dict(zip(self._fields, self, strict=True))

        def __getnewargs__(self) -> tuple[object, ...]:
            return tuple(self)

        def __repr__(self) -> str:
            return f"{type(self).__name__}({', '.join(f'{key}={value!r}' for key, value in self._asdict().items())})"
