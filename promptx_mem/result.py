"""Result: what a command has to say, before anyone decides how to show it."""

from collections.abc import Mapping
from typing import Any, Generic, NamedTuple, NotRequired, TypedDict, TypeVar, cast, get_origin, is_typeddict

VERSION = 1


class Nothing(TypedDict):
    """What a command answers that has nothing to say, or that is none."""


class Text(TypedDict):
    """What help and the version answer."""

    text: str


class Failure(TypedDict):
    """An error as the JSON object shows it."""

    code: str
    message: str
    hint: str


Payload = TypeVar("Payload", bound=Mapping[str, object])
"""The TypedDict of a command. It stands beside the use case that makes it, and is all that knows the command's keys."""

_EMPTY: dict[object, type] = {bool: bool, int: int, list: list, dict: dict}


class Result(NamedTuple, Generic[Payload]):
    """What a command did. `exit_status` is 0, or 1 where a check found something.

    `instead`, if not empty, is text output's only line, on stderr: there is no result. `cut` names the
    list of which text output shows the first 4,000 tokens; empty if all of it is asked for.
    """

    command: str
    data: Payload
    warnings: tuple[str, ...] = ()
    exit_status: int = 0
    instead: str = ""
    cut: str = ""

    def envelope(self, payload: type[Payload]) -> dict[str, object]:
        """The JSON object: the same keys for a command whether it succeeds or fails."""
        return {
            "v": VERSION,
            "command": self.command,
            "ok": self.exit_status == 0,
            "exit": self.exit_status,
            **complete(payload, self.data),
            "warnings": list(self.warnings),
            "error": None,
        }


def failure(
    command: str, payload: type[Payload], data: Mapping[str, object], exit_status: int, error: Failure
) -> dict[str, object]:
    """The JSON object of a command that failed; `data` are keys that hold something in spite of it."""
    result = Result(command, cast("Payload", data), exit_status=exit_status)
    return {**result.envelope(payload), "error": error}


def complete(payload: type[Payload], data: Payload) -> Payload:
    """The same data with every key of its type, in the type's order."""
    return cast("Payload", {**{key: _blank(hint) for key, hint in payload.__annotations__.items()}, **data})


def _blank(hint: Any) -> object:
    """What a key holds where there is nothing: as it is annotated, else false, 0 or empty, else null."""
    if get_origin(hint) is NotRequired:
        hint = hint.__args__[0]
    if hasattr(hint, "__metadata__"):
        return hint.__metadata__[0]
    if is_typeddict(hint):
        return {}
    return _EMPTY.get(get_origin(hint) or hint, type(None))()
