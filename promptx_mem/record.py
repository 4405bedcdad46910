"""`NamedTuple` as in typing, but its classes are made in a tenth of the time.

A command makes thirty of these classes and calls half of them. typing compiles the constructor of each class at import;
here it is compiled when the class is first called.
"""

import sys

TYPE_CHECKING = False  # mypy treats it as true, and sees typing's class
if TYPE_CHECKING or sys.version_info >= (3, 14):  # 3.14 keeps no annotations in the body of a class
    from typing import NamedTuple

    __all__ = ["NamedTuple"]
else:
    from _collections import _tuplegetter as getter

    class _Maker(type):
        def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, object]) -> type:
            fields = tuple(body.get("__annotations__", ()))
            if not fields or any("_fields" in base.__dict__ for base in bases):
                return super().__new__(cls, name, bases, body)
            defaults = {field: body.pop(field) for field in fields if field in body}
            body |= {"__slots__": (), "_fields": fields, "_field_defaults": defaults, "__match_args__": fields}
            body |= {field: getter(place, f"field {place}") for place, field in enumerate(fields)}
            return super().__new__(cls, name, bases, body)

    class NamedTuple(tuple, metaclass=_Maker):
        __slots__ = ()

        def __new__(cls, /, *args: object, **kwargs: object) -> "NamedTuple":  # noqa: PYI034 - Self would load typing
            owner = next(one for one in cls.__mro__ if "_fields" in one.__dict__)
            names = ", ".join(owner._fields)
            code = f"lambda _cls, {names}: _new(_cls, ({names},))"
            made = eval(code, {"_new": tuple.__new__, "__builtins__": {}})  # noqa: S307 - as in collections
            made.__defaults__ = tuple(owner._field_defaults.values())
            owner.__new__ = staticmethod(made)
            return made(cls, *args, **kwargs)

        def _replace(self, /, **changes: object) -> "NamedTuple":
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
