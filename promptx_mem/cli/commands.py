"""The table of commands, and the search for the command's name in a command line."""

from promptx_mem.record import Any, NamedTuple


class Command(NamedTuple):
    """A command before its module is loaded: its group and line in help, and whether it can change the store.

    `module` is the name of the command's module if it differs from the command's name.
    """

    group: str
    help: str
    writes: bool = False
    module: str = ""


EVERYDAY, UPKEEP, IN_AND_OUT, AGENTS, MORE = "Everyday", "Upkeep", "In and out", "Agents", "More"

COMMANDS = {
    "remember": Command(EVERYDAY, "Store a memory.", writes=True),
    "recall": Command(EVERYDAY, "Search memories; without a query, list the most important."),
    "list": Command(EVERYDAY, "List memories, the most important or the newest first.", module="browse"),
    "show": Command(EVERYDAY, "Show one memory with every field and its history.", module="browse"),
    "forget": Command(
        EVERYDAY, "Remove a memory or a conversation; --purge erases the text.", writes=True, module="one_memory"
    ),
    "restore": Command(EVERYDAY, "Bring back an ended, archived or lost memory.", writes=True, module="one_memory"),
    "review": Command(UPKEEP, "List and answer pending reviews.", writes=True),
    "index": Command(UPKEEP, "Write MEMORY.md, or check that it is current.", writes=True, module="init"),
    "decay": Command(UPKEEP, "Record recalls, update MEMORY.md, archive in a large store.", writes=True),
    "audit": Command(UPKEEP, "Show the log of stored and refused facts, check the store, unblock a session."),
    "status": Command(UPKEEP, "Show stores, settings, counts, limits, hooks, the last decay and sync."),
    "import": Command(IN_AND_OUT, "Import memories from files and other tools.", writes=True, module="import_file"),
    "export": Command(IN_AND_OUT, "Export memories as a bundle, JSON, Markdown, or PromptX's format."),
    "setup": Command(AGENTS, "Set up a program that runs agents: hooks, MCP server and permissions."),
    "tags": Command(MORE, "List tags and topics with counts.", module="status"),
    "edit": Command(MORE, "Change a memory in $EDITOR; the new one replaces it.", writes=True, module="one_memory"),
    "boost": Command(MORE, "Increase a memory's importance.", writes=True, module="one_memory"),
    "verify": Command(MORE, "Mark a memory as confirmed by the user.", writes=True, module="one_memory"),
    "score": Command(MORE, "Compute a score from six dimensions, without storing anything."),
    "view": Command(MORE, "Create an HTML page of all memories.", module="export"),
    "init": Command(MORE, "Create a store, private or shared through git.", writes=True),
    "sync": Command(MORE, "Share a store with a team through a PostgreSQL server.", writes=True),
    "converse": Command(MORE, "Store messages of a conversation.", writes=True, module="conversation"),
    "monitor": Command(
        MORE,
        "Apply changes written as [ADD], [UPDATE:id], [BOOST:id], [DELETE:id].",
        writes=True,
        module="conversation",
    ),
    "mcp": Command(MORE, "Run the MCP server on stdin and stdout.", module="agents"),
    "guard": Command(MORE, "Handle the hook event of a tool call; deny changes to a store.", module="agents"),
    "hook": Command(MORE, "Handle a hook event of the program that runs an agent.", module="agents"),
}
"""All commands. Those in the group MORE are listed only by `--help --all`."""

HELP = ("--help", "-h")
ALL = "--all"
"""The option that makes --help also list the commands in the group MORE."""

_WITH_VALUE = frozenset({"--memory-dir", "--session", "--scope"})
_BEFORE = _WITH_VALUE | {"--json"}
"""Options that can also precede the command."""


class Handler(NamedTuple):
    """The functions of a command. The annotations of `command` declare its parameters (cli/options).

    `as_text(data)` renders the result. An optional `draw(data, console)` draws it on a terminal. If an optional
    `is_exact(data)` returns true, a pipe gets the text unchanged.
    """

    command: Any
    as_text: Any
    draw: Any
    is_exact: Any


def handler_of(name: str) -> Handler:
    """Load a command's module. If it has several commands, the command's name precedes the names of its functions."""
    module = __import__(f"promptx_mem.cli.{COMMANDS[name].module or name}", fromlist=["command"])
    return Handler(*(getattr(module, f"{name}_{part}", getattr(module, part, None)) for part in Handler._fields))


def payload_of(name: str) -> type:
    """Return the TypedDict of a command's answer, which is the type that the command's `as_text` takes."""
    payload: type = handler_of(name).as_text.__annotations__["data"]
    return payload


def command_index(arguments: list[str]) -> int | None:
    """Return the index of the command's name; None if there is none, or if an option not in `_BEFORE` precedes it."""
    skip = False
    for index, word in enumerate(arguments):
        if skip:
            skip = False
        elif not word.startswith("-"):
            return index
        elif word.partition("=")[0] not in _BEFORE:
            return None
        else:
            skip = word in _WITH_VALUE
    return None
