"""Commands that agents' hosts call at events."""

import os


def complain(command: str, problem: str | Exception) -> None:
    """Print an error of a command as one line on stderr, unless stderr is closed."""
    from promptx_mem.core.text import printable

    message = f"{type(problem).__name__}: {problem}" if isinstance(problem, Exception) else problem
    try:
        os.write(2, f"promptx-mem {command}: {printable(message)[:500]}\n".encode("utf-8", "replace"))
    except OSError:
        return
