"""Errors of the command line: wrong words, options that an agent is not allowed to use, and bugs."""

import contextlib
import os
from collections.abc import Iterable

from promptx_mem.cli import output
from promptx_mem.cli.commands import COMMANDS, payload_of
from promptx_mem.core.shell import PROGRAM, join
from promptx_mem.core.text import printable_lines
from promptx_mem.errors import PromptxMemError, Refused, UsageError
from promptx_mem.record import TYPE_CHECKING, Any
from promptx_mem.result import Failure, Nothing, Result

if TYPE_CHECKING:
    from promptx_mem.store.layout import Layout

_FOREIGN_NAMES = {
    "add": "remember", "save": "remember", "store": "remember", "search": "recall", "find": "recall",
    "delete": "forget", "remove": "forget", "help": "--help", "version": "--version",
    "limit": "-n", "importance": "--score",
}  # fmt: skip
"""Names in other programs, each with our command or option."""


def error(message: str, command: str = "", guess: str = "") -> UsageError:
    """Return the error of a wrong command line. Its hint has a guess, and the command that prints help."""
    return UsageError(message, hint=f"{guess}for help: {' '.join(filter(None, (PROGRAM, command)))} --help")


def no_such_command(word: str) -> UsageError:
    """Return the error of an unknown command, with the command that was probably meant."""
    near = _near(word, (*COMMANDS, "--help", "--version"), 0.6)
    guess = f"did you mean {near}? " if near else ""
    return error(f"no such command {word!r}", near if near in COMMANDS else "", guess)


def no_such_option(word: str, command: str, options: Iterable[str]) -> UsageError:
    """Return the error of an unknown option of a command, with the option that was probably meant."""
    name, _, value = word.partition("=")
    if near := f"{name} {value}" if name in options else _near(name, options, 0.82):
        guess = f"did you mean {near}? "
    else:
        guess = "text that begins with - goes after --; " if command in ("remember", "recall") else ""
    return error(f"no such option: {name if word.startswith('--') else word}", command, guess)


def _near(word: str, known: Iterable[str], likeness: float) -> str:
    """Return the most similar of the `known` names, or our name for a similar name of another program; '' for none."""
    import difflib

    dashes = "--" if word.startswith("-") else ""
    names = {name: name for name in known}
    names |= {dashes + other: ours for other, ours in _FOREIGN_NAMES.items() if ours in names}
    return next((names[near] for near in difflib.get_close_matches(word.replace("_", "-"), names, 1, likeness)), "")


def demand_allowed(option: str) -> None:
    """Raise Refused in an agent's session, unless the settings allow the option or the host asks the user."""
    from promptx_mem import session

    if not session.is_in_host():
        return
    from promptx_mem.hooks import setup
    from promptx_mem.store import settings

    if option in settings.of("agents").agents_allow or setup.asks_user_about(option):
        return
    where, line = settings.path(), f"agents: {{allow: [{option.removeprefix('--')}]}}"
    hint = f"the user can allow it with this line in {where}: {line}" if where else ""
    raise Refused(f"{option} is not allowed in an agent's session", code="not_allowed", hint=hint)


def demand_known(where: "Layout") -> None:
    """Raise Refused in an agent's session if the user neither created nor trusts the store that --memory-dir names."""
    from promptx_mem import session
    from promptx_mem.store import trust

    if not session.is_in_host():
        return
    exists = where.exists()
    if exists and (trust.is_recorded(where) or (trust.Origin(where).is_own and not trust.is_new(where))):
        return
    words = ["promptx-mem", "init", *["--trust"] * exists, "--memory-dir", where.root]
    hint = f"the user must run this in a terminal: {join(words)}"
    message = "in an agent's session --memory-dir can only name a store that the user created or trusts"
    raise Refused(message, code="not_allowed", hint=hint)


DEBUG = "PROMPTX_MEM_DEBUG"
"""Environment variable. If it is set, the traceback of a bug is shown."""


def show(command: str, error: Exception, *, as_json: bool) -> int:
    """Write an error and its hints, each on its own line, or one JSON object. Return the exit status."""
    problem = _explained(error)
    hint = output.located(problem.hint)
    if as_json:
        details: Failure = {"code": problem.code, "message": problem.message, "hint": hint}
        failed: Result[Any] = Result(command, problem.data, exit_status=problem.exit_status)
        with contextlib.suppress(OSError):
            output.write(output.encode(failed.envelope(_payload_of(command), details)))
    else:
        mark = "🚫 " if problem.exit_status == 1 else "promptx-mem: "
        output.write_error(printable_lines(f"{mark}{output.local(problem.message)}\n{output.hints(hint)}"))
    return problem.exit_status


def _payload_of(command: str) -> type:
    try:
        return payload_of(command) if command else Nothing
    except Exception:  # noqa: BLE001 - show the error that kept a command's module from loading
        return Nothing


def _explained(error: Exception) -> PromptxMemError:
    """Return any exception as an error that can be shown."""
    if isinstance(error, PromptxMemError):
        return error
    if not isinstance(error, OSError):
        return _as_bug(error)
    from promptx_mem.store.disk import disk_errors

    try:
        with disk_errors():
            raise error
    except PromptxMemError as known:
        return known


def _as_bug(error: Exception) -> PromptxMemError:
    """Return an unexpected exception as an error with the code `internal`. Raise it again if DEBUG is set."""
    if DEBUG in os.environ:
        raise error
    message = " ".join(f"{type(error).__name__}: {error}".split())[:500]
    return PromptxMemError(
        f"this is a bug in promptx-mem, please report it ({message})",
        code="internal",
        hint=f"to see a traceback, put {DEBUG}=1 before the command",
    )
