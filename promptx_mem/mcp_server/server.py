"""The MCP server. It offers the tools of `catalogue`, runs calls one by one, and finds the client's project."""

import asyncio
import contextlib
import io
import os
import re
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import unquote, urlsplit

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPDeprecationWarning, MCPError

from promptx_mem import __version__
from promptx_mem.core.text import printable
from promptx_mem.mcp_server import answers, catalogue
from promptx_mem.mcp_server.tools import Tools
from promptx_mem.places import is_parent_private, is_private
from promptx_mem.record import Any
from promptx_mem.store.layout import ENVIRONMENT

NAME = "promptx-mem"
_ESCAPE = r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)"
"""Pattern of a JSON escape. Its group matches only a lone surrogate."""


class Service:
    """The handlers for one client. One thread runs all calls in turn: the store has one lock, and one cache is open."""

    def __init__(self, directory: str | None) -> None:
        self.tools = Tools(directory)
        self.worker = ThreadPoolExecutor(1, thread_name_prefix="memory")
        self.is_named = self.is_placed = directory is not None or bool(os.environ.get(ENVIRONMENT))
        self.asking = asyncio.Lock()
        self.project = _here()
        self.is_computing = False
        if self.tools.meaning.is_installed:
            threading.Thread(target=self._load, name="meaning", daemon=True).start()

    async def list_tools(self, _context: Any, _params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_described(name, tool) for name, tool in catalogue.TOOLS.items()])

    async def call_tool(self, context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        if params.name not in catalogue.TOOLS:
            message = f"there is no tool {printable(params.name[:40])!r}"
            fix = f"the tools: {', '.join(catalogue.TOOLS)}"
            answer, failed = {"error": {"code": "no_tool", "message": message, "fix": fix}}, True
        else:
            await self.find_project(context)
            loop = asyncio.get_running_loop()
            answer, failed = await loop.run_in_executor(
                self.worker, self.call, params.name, params.arguments or {}, params.meta
            )
        content: list[types.ContentBlock] = [types.TextContent(type="text", text=answers.text(answer))]
        return types.CallToolResult(content=content, structured_content=answer, is_error=failed)

    def call(self, *call: Any) -> tuple[answers.Answer, bool]:
        self._return()
        answer = self.tools.call(*call)
        if not self.is_computing:
            self.worker.submit(self._compute)
        return answer

    def _load(self) -> None:
        self.tools.meaning.load()
        with contextlib.suppress(RuntimeError):  # the server is ending
            self.worker.submit(self._compute)

    def _compute(self) -> None:
        """Compute some of the missing vectors. Calls that arrive meanwhile are answered before the next step."""
        self.is_computing = self.tools.compute_vectors()
        if self.is_computing:
            self.worker.submit(self._compute)

    async def find_project(self, context: Any) -> None:
        """Change to the client's project folder, unless an argument or the environment has named a store.

        This is done once, and again when the client reports that its roots have changed.
        """
        async with self.asking:
            if self.is_placed:
                return
            self.is_placed = True
            client = context.session.client_params
            if client is None or client.capabilities.roots is None:
                return
            try:
                roots = (await asyncio.wait_for(context.session.list_roots(), 2)).roots
            except asyncio.CancelledError:
                self.is_placed = False
                raise
            except Exception:  # noqa: BLE001 - the client has no roots: use the working directory
                return
            folders = [unquote(urlsplit(str(root.uri)).path) for root in roots if str(root.uri).startswith("file:")]
            await asyncio.get_running_loop().run_in_executor(self.worker, self._go_to, folders)

    async def roots_changed(self, _context: Any, _params: Any) -> None:
        """Make the next call ask the client for its project again."""
        self.is_placed = self.is_named

    def _go_to(self, folders: list[str]) -> None:
        """Change to the first of the client's folders, unless the working directory is in one of them."""
        cwd = os.path.realpath(self.project)
        roots = [folder for folder in folders if os.path.isdir(folder)]
        places = map(os.path.realpath, roots)
        if roots and not any(os.path.commonpath([cwd, place]) == place for place in places):
            self.project = roots[0]
        self._return()

    def _return(self) -> None:
        """Change to the project's folder again, since a git checkout could have replaced it."""
        with contextlib.suppress(OSError):
            if not os.path.samefile(self.project, os.curdir):
                os.chdir(self.project)

    async def list_prompts(self, _context: Any, _params: Any) -> types.ListPromptsResult:
        prompts = [types.Prompt(name=name, description=about) for name, (about, _) in catalogue.PROMPTS.items()]
        return types.ListPromptsResult(prompts=prompts)

    async def get_prompt(self, _context: Any, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        if params.name not in catalogue.PROMPTS:
            raise MCPError(types.INVALID_PARAMS, f"there is no prompt {printable(params.name[:40])!r}")
        about, prompt = catalogue.PROMPTS[params.name]
        content = types.TextContent(type="text", text=prompt)
        return types.GetPromptResult(description=about, messages=[types.PromptMessage(role="user", content=content)])


def _described(name: str, tool: catalogue.Tool) -> types.Tool:
    marks = types.ToolAnnotations(
        read_only_hint=tool.looks, destructive_hint=tool.ends, idempotent_hint=tool.looks, open_world_hint=False
    )
    return types.Tool(name=name, description=tool.about, input_schema=catalogue.schema(tool), annotations=marks)


def _here() -> str:
    try:
        return os.getcwd()
    except FileNotFoundError:
        return os.curdir


def build(directory: str | None = None) -> "Server[Any]":
    """Return a server for the stores of `directory`, PROMPTX_MEM_DIR, the client's roots or the working directory.

    In a private session it offers no tools.
    """
    if is_private() or is_parent_private():  # a host does not pass its whole environment
        return Server(NAME, version=__version__, on_list_tools=_no_tools)
    service = Service(directory)
    return Server(
        NAME,
        version=__version__,
        instructions=catalogue.INSTRUCTIONS,
        on_list_tools=service.list_tools,
        on_call_tool=service.call_tool,
        on_list_prompts=service.list_prompts,
        on_get_prompt=service.get_prompt,
        on_roots_list_changed=service.roots_changed,
    )


async def _no_tools(_context: Any, _params: Any) -> types.ListToolsResult:
    return types.ListToolsResult(tools=[])


def serve(directory: str | None = None) -> None:
    """Serve over stdio until the client closes it."""
    from promptx_mem.memory import begin

    begin()
    warnings.simplefilter("ignore", MCPDeprecationWarning)  # roots are deprecated, but clients still use them
    asyncio.run(_serve(build(directory)))


async def _serve(server: Any) -> None:
    """Serve through the MCP SDK, but correct the lines from stdin first. Child processes get an empty stdin."""
    wire = os.dup(0)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    # closefd: a thread can still be reading when everything else has ended
    stdin = _Corrected(os.fdopen(wire, "rb", closefd=False), encoding="utf-8", errors="replace")
    async with stdio_server(anyio.wrap_file(stdin)) as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


class _Corrected(io.TextIOWrapper):
    """An input stream of JSON lines, with U+FFFD for lone surrogates, since the SDK never answers a line with one."""

    def readline(self, size: int = -1, /) -> str:  # type: ignore[override] # as in the standard library
        line = super().readline(size)
        if "\\ud" not in line.lower():
            return line
        return re.sub(_ESCAPE, lambda match: "\\ufffd" if match[1] else match[0], line)
