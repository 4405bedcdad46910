"""Where a credential stands in what is to be stored: every use case that stores words asks here, before any lock."""

from collections.abc import Iterable
from typing import NamedTuple

from promptx_mem.core.credential_look import ALL, Rows, may_hold_credential
from promptx_mem.errors import Refused

CODE = "credential"
_UUID, _UUID_DASHES = 36, 4


class Holding(NamedTuple):
    """A place, as a message names it, and the kinds of credentials in it; never what they are."""

    place: str
    kinds: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.place} holds a credential ({', '.join(self.kinds)})"


def kinds_in(text: str, rows: Rows = ALL) -> tuple[str, ...]:
    """Name the kinds of credentials in a text. The library is loaded only where a first look says so.

    `rows` are those of several texts that are looked at one after the other, this one among them.
    """
    if not may_hold_credential(text, rows):
        return ()
    from promptx_mem.credentials import find_credentials

    return find_credentials(text)


def holdings(parts: Iterable[tuple[str, str | None]], rows: Rows = ALL) -> tuple[Holding, ...]:
    """The places, each with its text, that hold a credential; `rows` as for `kinds_in`."""
    return tuple(Holding(place, kinds) for place, text in parts if text and (kinds := kinds_in(text, rows)))


def demand_none(place: str, text: str | None) -> None:
    """Refuse words that need no credential to be said."""
    for holding in holdings([(place, text)]):
        raise Refused(
            f"{holding}, and is stored as plain text; nothing was changed",
            code=CODE,
            hint=f"say it without the value, or leave {place} out",
        )


def demand_session(name: str) -> None:
    """Look at a session's name, which every line of the audit log repeats; a host's own is an id, not a secret."""
    if not name.startswith(("day:", "tty:")) and (len(name), name.count("-")) != (_UUID, _UUID_DASHES):
        demand_none("--session", name)
