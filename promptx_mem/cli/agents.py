"""Commands that hosts (programs that run agents) call: guard, hook, mcp."""

import contextlib
import importlib.util

from promptx_mem.cli.options import Argument, Json, MemoryDir
from promptx_mem.core.json_text import dumps
from promptx_mem.core.shell import no_extra
from promptx_mem.errors import UsageError
from promptx_mem.hooks import guard, run
from promptx_mem.hooks.hosts import HOSTS
from promptx_mem.record import Annotated, Any, TypedDict
from promptx_mem.result import Nothing, Result

Caller = Annotated[str, Argument(", ".join(HOSTS) + ".", metavar="[HOST]")]


class Guard(TypedDict):
    """The answer of `guard` in the format of the host: a denial, or a text after a tool call; else empty."""

    answer: dict[str, Any] | None


class Hook(TypedDict, total=False):
    """The answer of `hook` to an event of a host."""

    action: str
    answer: dict[str, Any] | None


def guard_command(host: Caller = "", json: Json = False) -> Result[Guard]:
    """Reads a host's event of a tool call on stdin and answers in that host's format.

    A tool call that writes to a store, or that a memory warns about, is denied. All others are allowed.
    """
    return Result("guard", {"answer": guard.answer(host)})


def guard_as_text(data: Guard) -> str:
    return dumps(data["answer"], space=" ") + "\n" if data["answer"] else ""


def hook_command(
    action: Annotated[str, Argument(", ".join(run.ACTIONS) + ".", metavar="ACTION")],
    host: Caller = "",
    json: Json = False,
) -> Result[Hook]:
    """Hosts call it with an event on stdin; ACTION is prompt, start, stop, compact or end."""
    if action not in run.ACTIONS:
        raise UsageError(f"{action[:40]!r} is not an action of hook", hint=f"allowed: {', '.join(run.ACTIONS)}")
    return Result("hook", {"action": action, "answer": run.answer(action, host)})


def hook_as_text(data: Hook) -> str:
    return dumps(data["answer"], space=" ") + "\n" if data["answer"] else ""


def mcp_command(memory_dir: MemoryDir = None, json: Json = False) -> Result[Nothing]:
    """For agents that speak the Model Context Protocol (docs/agents.md lists the tools).

    The store is that of --memory-dir, of PROMPTX_MEM_DIR, or of the working directory or a folder above it. If the
    client's roots do not contain the working directory, the first root replaces it.
    """
    spec = None
    with contextlib.suppress(ModuleNotFoundError):
        spec = importlib.util.find_spec("mcp.server.lowlevel")
    if spec is None:
        message = "the MCP server needs the optional packages of the extra mcp, which are not installed"
        raise no_extra(message, "mcp")
    import gc

    from promptx_mem.mcp_server.server import serve

    # The server runs for a long time, so it must free the objects of ended calls, but not the loaded modules.
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
    gc.enable()
    serve(memory_dir)
    return Result("mcp", {})


def mcp_as_text(data: Nothing) -> str:
    return ""
