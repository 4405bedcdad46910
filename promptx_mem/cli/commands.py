"""Which commands there are, and which of them a command line names."""

import importlib
from types import ModuleType

COMMANDS = {
    "remember": "Store a fact, if the gate lets it through.",
    "recall": "Find memories by words, tags, dates; without a cue, what matters most now.",
    "score": "Evaluate six dimensions without storing anything.",
    "boost": "Raise a memory's importance: it was really used.",
    "verify": "Mark a memory as confirmed by the user, and as fresh.",
    "edit": "Change a memory in $EDITOR; the result supersedes it.",
    "forget": "End a memory; --purge destroys its text.",
    "restore": "Bring back what ended, was archived or vanished.",
    "review": "Show and answer what waits for a decision.",
    "converse": "Add turns to the session's working memory; old ones are summarised and put aside.",
    "monitor": "Apply what a judge says of a turn: [ADD], [UPDATE:id], [BOOST:id], [DELETE:id].",
    "decay": "Note recalls, archive what has ended, refresh MEMORY.md: for cron.",
    "index": "Make MEMORY.md, check that it is current, or show the topics.",
    "audit": "Show what happened, check the store, lift a block.",
    "import": "Copy the memories of a file that PromptX or a person wrote.",
    "guard": "Deny an agent's writes to a memory by other tools: for its host to call.",
    "hook": "Answer an agent's host, or put the hooks into its settings.",
    "mcp": "Serve the memory over MCP on stdio.",
    "init": "Make the store, private or shared through git.",
}
"""Each command and its one line of help; it is loaded from the file of that name (or MODULES) when it runs."""

MODULES = {"import": "import_file"}
"""Commands whose file has another name."""

_BEFORE = frozenset({"--memory-dir", "--json"})
"""Options that may stand before the command as well; the first takes a value."""


def module_of(name: str) -> ModuleType:
    """Load the file of a command: its `command` takes the parameters that the annotations declare (cli/options)."""
    return importlib.import_module(f"promptx_mem.cli.{MODULES.get(name, name)}")


def command_index(arguments: list[str]) -> int | None:
    """Where the command's name stands; None where there is none."""
    skip = False
    for index, word in enumerate(arguments):
        if skip:
            skip = False
        elif word == "--memory-dir":
            skip = True
        elif not word.startswith("-"):
            return index
    return None


def may_stand_before(word: str) -> bool:
    """Whether a word before the command's name means the same behind it."""
    return not word.startswith("-") or word.partition("=")[0] in _BEFORE
