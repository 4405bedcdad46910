"""The tree of errors. Each names what happened (`code`), the exit status, and a way out (`hint`).

PromptxMemError
├── Refused        1  policy or a limit said no; nothing of that item was stored
├── UsageError     2  the command line is wrong
│   └── ConfigError   config.yaml is wrong: reading goes on with defaults, writing does not
├── StoreError     3  the store could not be read or written
├── NotFoundError  4  no such memory
└── BusyError      5  another process is writing to the store; nothing was written
"""

from collections.abc import Mapping


class PromptxMemError(Exception):
    """Base of every error that is meant for the user.

    `code` is for programs and stable (docs/cli.md lists all codes). `message` describes the error in one line. Each
    line of `hint` is a remedy; a command is at its end, after a colon. `data` has the known fields of the command's
    JSON object.
    """

    exit_status = 3
    code = "error"

    def __init__(
        self, message: str, *, code: str | None = None, hint: str = "", data: Mapping[str, object] | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or type(self).code
        self.hint = hint
        self.data: Mapping[str, object] = data or {}


class Refused(PromptxMemError):  # noqa: N818 - a verdict, not a bug
    """A refusal of the gate: score, limits, a credential, a blocked session."""

    exit_status = 1
    code = "refused"


class UsageError(PromptxMemError):
    """A wrong command line."""

    exit_status = 2
    code = "usage"


class ConfigError(UsageError):
    """An unknown key or bad value in config.yaml."""

    code = "config"


class StoreError(PromptxMemError):
    """An error in reading or writing the store; memories acknowledged before are safe."""

    exit_status = 3
    code = "store"


def newer() -> StoreError:
    """Return the error for a store of a newer version, in which this version cannot tell which memories have ended."""
    return StoreError(
        "a newer version of promptx-mem has written to this store, so this version rewrites nothing in it",
        code="newer",
        hint="upgrade promptx-mem; audit --verify names the lines",
    )


def no_extra(message: str, extra: str) -> UsageError:
    """Return the error for a missing optional part of the program."""
    return UsageError(
        message,
        code="no_extra",
        hint=f"in a clone of the repository: pip install '.[{extra}]'\n"
        f"if pipx installed the program: pipx install --force '.[{extra}]'",
    )


class NotFoundError(PromptxMemError):
    """An id that no memory has."""

    exit_status = 4
    code = "not_found"


class BusyError(PromptxMemError):
    """A lock held by another process; nothing was written."""

    exit_status = 5
    code = "busy"
