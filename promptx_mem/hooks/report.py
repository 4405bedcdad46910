"""What `hook` answers on a command line: the shape of it."""

from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    from promptx_mem.usecases.dictionary import Lookup


class Settings(TypedDict):
    """A settings file of a host, which of our hooks it has, and which it lacks.

    `untrusted`: events whose hooks the host skips until its user accepts them; `advice`: how its shell finds us.
    """

    host: str
    title: str
    scope: str
    path: str
    is_here: bool
    state: str
    events: list[str]
    missing: list[str]
    outdated: list[str]
    untrusted: list[str]
    advice: str


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
    removed: bool
    outdated: list[str]
    note: str | None
    entries: list[Settings]
    dictionary: "Lookup | None"
