"""What import is asked for."""

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from promptx_mem.search.rows import Progress


class Options(NamedTuple):
    """`paths` are files, folders, or `-` for stdin."""

    paths: tuple[str, ...]
    # The form that all of them have; None: each as its content shows.
    form: str | None = None
    # The user's own: no mark of an import, and a store of ours is merged with its events.
    mine: bool = False
    # Take more than 100 list items with neither tags nor a score from one file.
    yes: bool = False
    # Take what holds a credential.
    allow_secret: bool = False
    # Say what would happen, write nothing.
    dry_run: bool = False
    # What `-` reads.
    stdin: bytes | None = None
    # Told how many memories are stored, and of how many.
    progress: "Progress | None" = None
