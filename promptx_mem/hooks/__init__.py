"""Commands that agents' hosts call at events."""

import os

from promptx_mem.core.json_text import EventError
from promptx_mem.places import user_store_in_use


def complain(command: str, problem: str | Exception, effect: str = "") -> None:
    """Print an error of a command, after its effect, as one line on stderr, unless stderr is closed."""
    from promptx_mem.core.text import printable

    is_named = isinstance(problem, Exception) and not isinstance(problem, EventError)
    message = effect + (f"{type(problem).__name__}: " if is_named else "") + str(problem)
    try:
        os.write(2, f"promptx-mem {command}: {printable(message)[:500]}\n".encode("utf-8", "replace"))
    except OSError:
        return


def stores_in_use(root: str | None) -> list[str]:
    """Return the paths of the project store and of the user store, if they exist."""
    return list(dict.fromkeys(filter(None, (root, user_store_in_use()))))
