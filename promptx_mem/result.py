"""The result of a command, independent of its output format."""

from collections.abc import Mapping

from promptx_mem.record import Any, Generic, NamedTuple, NotRequired, TypedDict, TypeVar, cast

VERSION = 1


class Nothing(TypedDict):
    """The answer of a command without data."""


class Text(TypedDict):
    """The text of --help or --version."""

    text: str


class Failure(TypedDict):
    """An error as the JSON object shows it."""

    code: str
    message: str
    hint: str


Payload = TypeVar("Payload", bound=Mapping[str, object])
"""The TypedDict of a command's answer. The use case defines it; no other list of the command's keys exists."""

_EMPTY: dict[object, type] = {bool: bool, int: int, list: list, dict: dict}


class Result(NamedTuple, Generic[Payload]):
    """The result of a command. `exit_status` is 0, or 1 if a check found problems.

    `instead`, if not empty, is a line for stderr that replaces the text output. `cut` names the list that text output
    limits to 4,000 tokens; empty if the whole list was requested.
    """

    command: str
    data: Payload
    warnings: tuple[str, ...] = ()
    exit_status: int = 0
    instead: str = ""
    cut: str = ""

    def envelope(self, payload: type[Payload]) -> dict[str, object]:
        """Return the JSON object of a result. A command has the same keys on success and on failure."""
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
    """Return the JSON object of a failed command; `data` has the keys that have a value despite the failure."""
    result = Result(command, cast("Payload", data), exit_status=exit_status)
    return {**result.envelope(payload), "error": error}


def complete(payload: type[Payload], data: Payload) -> Payload:
    """Return the data with every key of its type, in the type's order."""
    return cast("Payload", {**{key: _blank(hint) for key, hint in payload.__annotations__.items()}, **data})


def _blank(hint: Any) -> object:
    """Return the empty value of a key: by its annotation false, 0, empty or null."""
    if getattr(hint, "__origin__", None) is NotRequired:
        hint = hint.__args__[0]
    if hasattr(hint, "__metadata__"):
        return hint.__metadata__[0]
    if hasattr(hint, "__total__"):  # a TypedDict
        return {}
    return _EMPTY.get(getattr(hint, "__origin__", hint), type(None))()
