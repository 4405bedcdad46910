"""Private sessions, in which hooks, guard and server print nothing and nothing is stored (docs/settings.md)."""

import os

VARIABLE = "PROMPTX_MEM_OFF"


def is_private() -> bool:
    """Return whether this process must not use the memory."""
    return os.environ.get(VARIABLE, "") not in ("", "0")


def is_host_private() -> bool:
    """Return whether a server must not use the memory: the variable is set in its environment or in its host's."""
    if VARIABLE in os.environ:
        return is_private()
    try:
        with open(f"/proc/{os.getppid()}/environ", "rb") as file:
            variables = file.read().split(b"\0")
    except OSError:
        return False
    prefix = VARIABLE.encode() + b"="
    return any(one.startswith(prefix) and one[len(prefix) :] not in (b"", b"0") for one in variables)
