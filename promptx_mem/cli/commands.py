"""Which commands there are, and which of them a command line names."""

import importlib
from types import ModuleType
from typing import NamedTuple


class Command(NamedTuple):
    """A command before its file is loaded: its heading and first line in help, and whether it changes the store.

    `file` is its module's name where that cannot be the command's own.
    """

    group: str
    help: str
    writes: bool = False
    file: str = ""


EVERYDAY, UPKEEP, AGENTS, IN_AND_OUT = "Everyday", "Upkeep", "Agents and their hosts", "In and out"

COMMANDS = {
    "remember": Command(EVERYDAY, "Store a fact, if the gate lets it through.", writes=True),
    "recall": Command(EVERYDAY, "Find memories by words, tags, dates; without a cue, what matters most now."),
    "list": Command(EVERYDAY, "List memories, the most important or the newest first."),
    "show": Command(EVERYDAY, "Show one memory with every field and its history."),
    "tags": Command(EVERYDAY, "List tags and topics with counts."),
    "score": Command(EVERYDAY, "Evaluate six dimensions without storing anything."),
    "boost": Command(EVERYDAY, "Raise a memory's importance: it was really used.", writes=True),
    "verify": Command(EVERYDAY, "Mark a memory as confirmed by the user, and as fresh.", writes=True),
    "edit": Command(EVERYDAY, "Change a memory in $EDITOR; the result supersedes it.", writes=True),
    "forget": Command(EVERYDAY, "End a memory, or what was said; --purge destroys it.", writes=True),
    "restore": Command(EVERYDAY, "Bring back what ended, was archived or vanished.", writes=True),
    "review": Command(EVERYDAY, "Show and answer what waits for a decision.", writes=True),
    "view": Command(EVERYDAY, "Write one HTML page to look at: what is held, since when, for how long."),
    "decay": Command(UPKEEP, "Note recalls, archive what has ended, refresh MEMORY.md: for cron.", writes=True),
    "index": Command(UPKEEP, "Make MEMORY.md, or check that it is current.", writes=True),
    "audit": Command(UPKEEP, "Show what happened, check the store, lift a block."),
    "status": Command(UPKEEP, "Show stores, settings, counts, limits, hooks, the last decay and sync."),
    "init": Command(UPKEEP, "Make the store, private or shared through git.", writes=True),
    "converse": Command(
        AGENTS, "Add turns to the session's working memory; old ones are summarised and put aside.", writes=True
    ),
    "monitor": Command(
        AGENTS, "Apply what a judge says of a turn: [ADD], [UPDATE:id], [BOOST:id], [DELETE:id].", writes=True
    ),
    "guard": Command(AGENTS, "Deny an agent's writes to a memory by other tools: for its host to call."),
    "hook": Command(AGENTS, "Answer an agent's host, or put the hooks into its settings."),
    "mcp": Command(AGENTS, "Serve the memory over MCP on stdio."),
    "sync": Command(IN_AND_OUT, "Share one memory with a team, through a PostgreSQL.", writes=True),
    "import": Command(
        IN_AND_OUT, "Take over the memories of files, of other programs' too.", writes=True, file="import_file"
    ),
    "export": Command(IN_AND_OUT, "Write everything out: a bundle, JSON, Markdown, or for PromptX."),
}
"""All that the program must be told of a command; the rest stands in its file."""

HELP = ("--help", "-h")
"""What asks for help, before a command and behind it."""

_WITH_VALUE = frozenset({"--memory-dir", "--session", "--scope"})
_BEFORE = _WITH_VALUE | {"--json"}
"""Options that may stand before the command as well."""


def module_of(name: str) -> ModuleType:
    """Load the file of a command.

    `command` takes the parameters that its annotations declare (cli/options); `as_text(data)` is what its result reads
    as, and `draw(data, console)`, where there is one, how it is drawn on a terminal.
    """
    return importlib.import_module(f"promptx_mem.cli.{COMMANDS[name].file or name}")


def payload_of(name: str) -> type:
    """The TypedDict of what a command answers: the type of what its `as_text` reads."""
    payload: type = module_of(name).as_text.__annotations__["data"]
    return payload


def command_index(arguments: list[str]) -> int | None:
    """Where the command's name stands; None where there is none."""
    skip = False
    for index, word in enumerate(arguments):
        if skip:
            skip = False
        elif word in _WITH_VALUE:
            skip = True
        elif not word.startswith("-"):
            return index
    return None


def may_stand_before(word: str) -> bool:
    """Whether a word before the command's name means the same behind it."""
    return not word.startswith("-") or word.partition("=")[0] in _BEFORE
