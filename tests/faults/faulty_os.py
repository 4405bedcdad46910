"""An `os` whose calls can be counted, killed at, made to fail or cut short; put under the modules of the store."""

import os
from collections.abc import Callable
from typing import Any

import pytest

from promptx_mem.store import append, archive, audit, files, intent, layout, lock, rewrite, store

MODULES = (append, archive, audit, files, intent, layout, lock, rewrite, store)
CALLS = frozenset(
    {
        "chmod", "close", "fchmod", "fdatasync", "fstat", "fsync", "ftruncate", "link", "listdir", "lseek", "lstat",
        "mkdir", "open", "pread", "read", "replace", "stat", "truncate", "unlink", "write",
    }
)  # fmt: skip
KILLED = 137

Call = Callable[..., Any]
Fault = Callable[[int, str, Call, tuple[Any, ...], dict[str, Any]], Any]
"""Given the number of the call, its name, the true call and its arguments: does what happens instead."""


class FaultyOs:
    """`os` with a fault in some of its calls; `log` names those made."""

    def __init__(self, fault: Fault) -> None:
        self.log: list[str] = []
        self._fault = fault

    def __getattr__(self, name: str) -> Any:
        real = getattr(os, name)
        if name not in CALLS:
            return real

        def call(*args: Any, **kwargs: Any) -> Any:
            self.log.append(name)
            return self._fault(len(self.log), name, real, args, kwargs)

        return call

    def install(self, patch: pytest.MonkeyPatch) -> None:
        for module in MODULES:
            patch.setattr(module, "os", self)


def none(_number: int, _name: str, real: Call, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return real(*args, **kwargs)


def kill(at: int, when: str) -> Fault:
    """End the process at one call: `after` it, or `half`way through a write."""

    def fault(number: int, name: str, real: Call, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if number != at:
            return real(*args, **kwargs)
        try:
            if when == "half":
                real(args[0], bytes(args[1])[: len(args[1]) // 2])
            else:
                real(*args, **kwargs)
        finally:
            os._exit(KILLED)

    return fault


def fail(at: int, error: int, *, ever: bool) -> Fault:
    """Let one call fail, or every one from there on. A close has closed all the same, as on Linux."""

    def fault(number: int, name: str, real: Call, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if number == at or (ever and number > at):
            if name == "close":
                real(*args, **kwargs)
            raise OSError(error, os.strerror(error), *(a for a in args[:1] if isinstance(a, str)))
        return real(*args, **kwargs)

    return fault


def short(at: int, error: int) -> Fault:
    """Let one write take half of its bytes and the next one fail: how a disk fills up."""
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


def tiny_writes(_number: int, name: str, real: Call, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Every write takes at most seven bytes."""
    if name == "write":
        return real(args[0], bytes(args[1])[:7])
    return real(*args, **kwargs)


def forked(work: Callable[[], object]) -> int:
    """Run something in a child process; its exit status: 0, KILLED, or 99 for any exception."""
    pid = os.fork()
    if pid == 0:
        status = 99
        try:
            work()
            status = 0
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
