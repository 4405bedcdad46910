"""Commands that agents' hosts call at events."""

import os

from promptx_mem.places import user_store_in_use


def complain(command: str, problem: str | Exception) -> None:
    """Print an error of a command as one line on stderr, unless stderr is closed."""
    from promptx_mem.core.text import printable

    message = f"{type(problem).__name__}: {problem}" if isinstance(problem, Exception) else problem
    try:
        os.write(2, f"promptx-mem {command}: {printable(message)[:500]}\n".encode("utf-8", "replace"))
    except OSError:
        return


def stores_in_use(root: str | None) -> list[str]:
    """Return the paths of the project store and of the user store, if they exist."""
    return list(dict.fromkeys(filter(None, (root, user_store_in_use()))))
