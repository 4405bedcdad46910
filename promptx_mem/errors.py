"""The exception classes. Each error has a `code` for its cause, an exit status, and a `hint` with a remedy.

PromptxMemError
├── Refused        1  a rule or a limit forbids the action
├── UsageError     2  the command line is wrong
│   └── ConfigError   config.yaml is wrong: reading uses the defaults, writing is refused
├── StoreError     3  the store could not be read or written
├── NotFoundError  4  no memory, session or other item has this id
└── BusyError      5  another process is writing to the store; nothing was written
"""

from collections.abc import Mapping


class PromptxMemError(Exception):
    """Base class of every error that is shown to the user.

    `code` is a stable name for programs (docs/cli.md lists all codes). `message` describes the error in one line. Each
    line of `hint` is a remedy, and can end with a command. `data` has the fields of the command's JSON object that are
    known despite the error.
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

    def in_one_line(self) -> str:
        """Return the message and the hint in one line, for a warning."""
        return f"{self.message} ({self.hint})" if self.hint else self.message


class Refused(PromptxMemError):  # noqa: N818 - a verdict, not a bug
    """Refusal by a rule, for example a low score, a limit, a credential in the text, or a blocked session."""

    exit_status = 1
    code = "refused"


class UsageError(PromptxMemError):
    """A wrong command line, or a wrong argument of an MCP tool."""

    exit_status = 2
    code = "usage"


class ConfigError(UsageError):
    """Unusable settings: a file, its path or a variable."""

    code = "config"


class StoreError(PromptxMemError):
    """An error while reading or writing the store. Memories that were already reported as stored are safe."""

    code = "store"


class NotFoundError(PromptxMemError):
    """An id, for example of a memory or a session, that does not exist."""

    exit_status = 4
    code = "not_found"


class BusyError(PromptxMemError):
    """Another process is writing to the store. Nothing was written, except by an unfinished purge."""

    exit_status = 5
    code = "busy"
