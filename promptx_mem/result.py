"""The result of a command, independent of its output format."""

from collections.abc import Mapping

from promptx_mem.record import Any, Generic, NamedTuple, NotRequired, TypedDict, TypeVar, cast

VERSION = 1


class Nothing(TypedDict):
    """The data of a command that returns no data."""


class Text(TypedDict):
    """The text that --help or --version prints."""

    text: str


class Failure(TypedDict):
    """An error in a command's JSON object."""

    code: str
    message: str
    hint: str


Payload = TypeVar("Payload", bound=Mapping[str, object])
"""Type of a command's data: a TypedDict defined by the use case, and the only list of the command's JSON keys."""

_EMPTY: dict[object, type] = {bool: bool, int: int, list: list, dict: dict}


class Result(NamedTuple, Generic[Payload]):
    """The result of a command. `exit_status` is, for example, 1 if a check found problems.

    `instead` is a text for stderr that replaces the text output, or ''. `cut` is the key of a list in `data`.
    This list is shortened if the text output exceeds 4,000 tokens. If `cut` is '', nothing is shortened.
    """

    command: str
    data: Payload
    warnings: tuple[str, ...] = ()
    exit_status: int = 0
    instead: str = ""
    cut: str = ""

    def envelope(self, payload: type[Payload], error: Failure | None = None) -> dict[str, object]:
        """Return the JSON object that `--json` prints. A command has the same keys on success and on failure."""
        return {
            "v": VERSION,
            "command": self.command,
            "ok": self.exit_status == 0,
            "exit": self.exit_status,
            **complete(payload, self.data),
            "warnings": list(self.warnings),
            "error": error,
        }


def complete(payload: type[Payload], data: Payload) -> Payload:
    """Return the data with all keys of its type, in the type's order. A missing key gets an empty value."""
    return cast("Payload", {**{key: _blank(hint) for key, hint in payload.__annotations__.items()}, **data})


def _blank(hint: Any) -> object:
    """Return the default for a type annotation: its `Annotated` value, false, 0, an empty list or object, or null."""
    if getattr(hint, "__origin__", None) is NotRequired:
        hint = hint.__args__[0]
    if hasattr(hint, "__metadata__"):
        return hint.__metadata__[0]
    if hasattr(hint, "__total__"):  # a TypedDict
        return {}
    return _EMPTY.get(getattr(hint, "__origin__", hint), type(None))()
