"""This machine: its name, its last start, and its language."""

import os
import sys
from functools import cache

from promptx_mem.core.ids import short_hash

LANGUAGE = "PROMPTX_MEM_LANG"
"""Environment variable that overrides the language of the locale."""


def host() -> str:
    """Return a short id of this machine for use in shared files. It does not reveal the host name."""
    return short_hash(os.uname().nodename.encode(), 3)


def boot() -> str:
    """Return a value that changes with every start of the machine; empty if the system provides none."""
    try:
        return _boot_id() or str(getattr(os.stat("/dev"), "st_birthtime", ""))
    except OSError:
        return ""


def secret() -> str:
    """Return a value that changes with every start of the machine and cannot be guessed; empty if there is none."""
    return _boot_session() if is_mac() else _boot_id()


def is_mac() -> bool:
    return sys.platform == "darwin"


@cache
def _boot_id() -> str:
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="utf-8") as file:
            return file.read().strip()
    except OSError:
        return ""


def _boot_session() -> str:
    """Return the random UUID by which macOS identifies this start of the machine; empty if it cannot be read."""
    import ctypes

    value, size = ctypes.create_string_buffer(64), ctypes.c_size_t(64)
    try:
        failed = ctypes.CDLL(None).sysctlbyname(b"kern.bootsessionuuid", value, ctypes.byref(size), None, 0)
    except (OSError, AttributeError):
        return ""
    return "" if failed else value.value.decode("ascii", "replace")


def is_chinese() -> bool:
    """Return whether the user's language is Chinese."""
    named = (os.environ.get(name) for name in (LANGUAGE, "LC_ALL", "LC_MESSAGES", "LANG"))
    return next(filter(None, named), "").lower().startswith("zh")


def named_duration(duration: str) -> str:
    """Translate a duration's name (短期 …) into English, unless the user's language is Chinese."""
    from promptx_mem.core.durations import ENGLISH

    return duration if is_chinese() else ENGLISH.get(duration, duration)
