"""What `hook` answers on a command line: the shape of it."""

from typing import Any, TypedDict


class Settings(TypedDict):
    """A settings file of a host, and which of our hooks it has."""

    host: str
    scope: str
    path: str
    state: str
    events: list[str]
    outdated: list[str]


class Hook(TypedDict, total=False):
    """What a host is answered, what was changed in its settings, or how all of them stand."""

    action: str
    answer: dict[str, Any] | None
    host: str
    scope: str
    path: str
    diff: str
    changed: bool
    written: bool
    outdated: list[str]
    entries: list[Settings]
