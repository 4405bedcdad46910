"""A replacement of `os` in every module of the program that counts, kills, fails or shortens calls."""

import functools
import importlib
import os
import pkgutil
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

import promptx_mem

CALLS = frozenset(
    {
        "chmod", "close", "fchmod", "fdatasync", "fstat", "fsync", "ftruncate", "link", "listdir", "lseek", "lstat", "makedirs",
        "mkdir", "open", "pread", "pwrite", "read", "readlink", "rename", "replace", "rmdir", "scandir", "stat", "truncate", "unlink", "utime",
        "write",
    }
)  # fmt: skip
CHANGES = frozenset(
    {
        "chmod", "fchmod", "ftruncate", "link", "mkdir", "open", "pwrite", "rename", "replace", "truncate", "unlink",
        "utime", "write",
    }
)  # fmt: skip
"""Calls that may change the disk; `open` if it creates the file."""

KILLED = 137
_NEAR = 4

Call = Callable[..., Any]
Fault = Callable[[int, str, Call, tuple[Any, ...], dict[str, Any]], Any]
"""Called instead of an `os` function, with the call's number, name, real function and arguments."""


class KilledError(BaseException):
    """The process is dead: its later calls do not reach the disk."""


@functools.cache
def modules() -> tuple[ModuleType, ...]:
    """Return every module of the program that imports `os`."""
    for found in pkgutil.walk_packages(promptx_mem.__path__, "promptx_mem."):
        if not found.name.endswith(("__main__", "mcp_server.server")):  # these two do not import os (test_reach)
            importlib.import_module(found.name)
    loaded = [module for name, module in sorted(sys.modules.items()) if name.startswith("promptx_mem.")]
    return tuple(module for module in loaded if getattr(module, "os", None) is os)


class FaultyOs:
    """`os` with a fault in some calls; `log` has the names of the calls made, `sites` their callers."""

    def __init__(self, fault: Fault) -> None:
        self.log: list[str] = []
        self.sites: list[tuple[str, ...]] = []
        self._fault = fault

    def __getattr__(self, name: str) -> Any:
        real = getattr(os, name)
        if name not in CALLS:
            return real

        def call(*args: Any, **kwargs: Any) -> Any:
            self.log.append(name)
            self.sites.append((name, *site()))
            return self._fault(len(self.log), name, real, args, kwargs)

        return call

    def install(self, patch: pytest.MonkeyPatch) -> None:
        for module in modules():
            patch.setattr(module, "os", self)


def site() -> tuple[str, ...]:
    """Return the functions of the program that led to a call, the nearest first."""
    found: list[str] = []
    frame = sys._getframe(2)
    while frame and len(found) < _NEAR:
        module = frame.f_globals.get("__name__", "")
        if module.startswith("promptx_mem."):
            found.append(f"{module.rpartition('.')[2]}.{frame.f_code.co_name}")
        frame = frame.f_back  # type: ignore[assignment]
    return tuple(found)


def no_fault(_number: int, _name: str, real: Call, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return real(*args, **kwargs)


def kill(at: int, when: str, die: Callable[[], object] = lambda: os._exit(KILLED)) -> Fault:
    """End the process at one call: `after` it, or `half`way through a write."""

    def fault(number: int, name: str, real: Call, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if number != at:
            return real(*args, **kwargs)
        try:
            if when == "half":
                real(args[0], bytes(args[1])[: len(args[1]) // 2])
            elif (made := real(*args, **kwargs)) is not None and name == "scandir":
                made.close()
        finally:
            die()

    return fault


def die_here(at: int, when: str, other: Fault = no_fault) -> Fault:
    """Like `kill` within this process: later calls only close files. Before that, `other` is used."""
    dead = False

    def die() -> None:
        nonlocal dead
        dead = True
        raise KilledError

    killing = kill(at, when, die)

    def fault(number: int, name: str, real: Call, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if dead:
            if name == "close":
                real(*args, **kwargs)
            raise KilledError
        if number == at:
            return killing(number, name, real, args, kwargs)
        return other(number, name, real, args, kwargs)

    return fault


def without_sync(caller: tuple[str, ...]) -> Fault:
    """Skip every sync of one caller."""

    def fault(_number: int, name: str, real: Call, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if name in ("fsync", "fdatasync") and (name, *site())[: len(caller)] == caller:
            return None
        return real(*args, **kwargs)

    return fault


def fail(at: int, error: int, *, forever: bool) -> Fault:
    """Let one call fail, or that one and all later ones. A failed close still closes, as on Linux."""

    def fault(number: int, name: str, real: Call, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if number == at or (forever and number > at):
            if name == "close":
                real(*args, **kwargs)
            raise OSError(error, os.strerror(error), *(a for a in args[:1] if isinstance(a, str)))
        return real(*args, **kwargs)

    return fault


def short(at: int, error: int) -> Fault:
    """Let one write store half of its bytes and the next one fail, as when a disk fills up."""
    cut = False

    def fault(number: int, name: str, real: Call, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        nonlocal cut
        if name == "write" and cut:
            cut = False
            raise OSError(error, os.strerror(error))
        if name == "write" and number == at:
            cut = True
            return real(args[0], bytes(args[1])[: max(len(args[1]) // 2, 1)])
        return real(*args, **kwargs)

    return fault


def full(at: int, error: int) -> Fault:
    """Let one write and all later ones fail, as on a full disk."""
    writes = 0

    def fault(_number: int, name: str, real: Call, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        nonlocal writes
        writes += name == "write"
        if name == "write" and writes >= at:
            raise OSError(error, os.strerror(error))
        return real(*args, **kwargs)

    return fault


def tiny_writes(_number: int, name: str, real: Call, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Let each write store at most seven bytes."""
    if name == "write":
        return real(args[0], bytes(args[1])[:7])
    return real(*args, **kwargs)


def forked(work: Callable[[], object]) -> int:
    """Run a function in a child process; return its exit status: 0, KILLED, or 99 for any exception."""
    pid = os.fork()
    if pid == 0:
        status = 99
        try:
            work()
            status = 0
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
