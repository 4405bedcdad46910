"""What import is asked for."""

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from promptx_mem.search.rows import Progress


class Options(NamedTuple):
    """`paths` are files, folders, or `-` for stdin."""

    paths: tuple[str, ...]
    # The form that all of them have; None: each as its content shows.
    form: str | None = None
    # The user's own: no mark of an import, and a store of ours is merged with its events.
    mine: bool = False
    # Take more than 100 list items with neither tags nor a score from one file; a script confirms `mine` with it.
    yes: bool = False
    # Take what holds a credential.
    allow_secret: bool = False
    # Say what would happen, write nothing.
    dry_run: bool = False
    # What `-` reads.
    stdin: bytes | None = None
    # Told how many memories are stored, and of how many.
    progress: "Progress | None" = None
    # Ask the person at the terminal whether the files are their own notes.
    ask_own: "Callable[[], bool] | None" = None
    # Ask the person at the terminal to type the store's name, before it is merged with another one's files.
    ask_name: "Callable[[str], bool] | None" = None
