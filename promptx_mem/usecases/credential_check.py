"""The search for credentials in texts to store: every use case that stores words calls it before any lock."""

from collections.abc import Iterable

from promptx_mem.core.credentials import find_credentials
from promptx_mem.errors import Refused
from promptx_mem.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from promptx_mem.core.credentials import Rows

CODE = "credential"
_UUID, _UUID_DASHES = 36, 4


class Holding(NamedTuple):
    """A place as a message names it, with the kinds of credentials in it, never their values."""

    place: str
    kinds: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.place} contains a credential ({', '.join(self.kinds)})"


def holdings(parts: Iterable[tuple[str, str | None]], rows: "Rows | None" = None) -> tuple[Holding, ...]:
    """Return the places, each with its text, that contain a credential; `rows` as for `find_credentials`."""
    return tuple(Holding(place, kinds) for place, text in parts if text and (kinds := find_credentials(text, rows)))


def demand_none(place: str, text: str | None) -> None:
    """Refuse a text with a credential."""
    for holding in holdings([(place, text)]):
        raise Refused(
            f"{holding}, and is stored as plain text; nothing was changed",
            code=CODE,
            hint=f"write it without the credential, or leave {place} out",
        )


def demand_session(name: str) -> None:
    """Refuse a session's name with a credential, which the audit log would repeat; a host's id has none."""
    if not name.startswith(("day:", "tty:")) and (len(name), name.count("-")) != (_UUID, _UUID_DASHES):
        demand_none("--session", name)
