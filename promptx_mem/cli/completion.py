"""Words for shell completion: fixed values, and ids, tags and topics of the store.

The shell evaluates the words. So only words of harmless characters are offered, and other characters are removed from
descriptions.
"""

import re
from collections.abc import Callable, Sequence

from promptx_mem.core.durations import NAMES as DURATIONS
from promptx_mem.core.entry import CATEGORIES, SOURCES, TYPES
from promptx_mem.core.request import PROFILES
from promptx_mem.core.text import is_printable, shorten
from promptx_mem.errors import PromptxMemError
from promptx_mem.memory import Memory
from promptx_mem.usecases import completion
from promptx_mem.usecases.completion import Offer
from promptx_mem.usecases.context import Context

_WIDTH = 40
_HARMLESS = re.compile(r"[\w@%+=,./#>-][\w @%+=,./#>-]*")
_OTHER = re.compile(r"[^\w @%+=,./>-]+")

Words = tuple[str, ...] | Callable[[Context, str], list[Offer]]


def _tags_or_ids(context: Context, begun: str) -> list[Offer]:
    """Return tags if the typed text begins with #, or ids if it begins with `m_`."""
    if begun.startswith("#"):
        return [(f"#{tag}", "") for tag, _ in completion.tags(context, begun[1:])]
    return completion.active_ids(context, begun) if begun.startswith("m_") else []


def _of_text(context: Context, begun: str) -> list[Offer]:
    if begun.startswith("#"):
        return _tags_or_ids(context, begun)
    return [(f"duration:{name}", "") for name in DURATIONS] if begun.startswith("d") else []


def words_for(command: str, name: str) -> Words:
    """Return the words for a parameter of a command, or a function that finds them. Empty if there are none."""
    from promptx_mem.cli import recall, review
    from promptx_mem.hooks import run
    from promptx_mem.hooks.hosts import HOSTS
    from promptx_mem.importers import NAMES
    from promptx_mem.usecases import export

    sources: dict[str, Words] = {
        "--category": CATEGORIES, "--duration": tuple(DURATIONS),
        "--filter": _tags_or_ids, "--profile": PROFILES, "--related": completion.topics,
        "--as": ("keeper", "indexer"), "--role": ("user", "assistant"),
        "--scope": ("project", "user"), "--source": SOURCES, "--tag": completion.tags, "--topic": completion.topics,
        "--type": TYPES, "--update": completion.active_ids, "ident": completion.active_ids,
        "export --format": export.FORMATS, "recall --format": recall.FORMATS, "review --format": ("text", "prompt"),
        "host": tuple(HOSTS), "import --from": NAMES, "hook action": run.ACTIONS, "review answer": review.ANSWERS,
        "restore ident": completion.ended_ids,
        "list tags": _tags_or_ids, "recall text": _tags_or_ids, "remember text": _of_text,
    }  # fmt: skip
    return sources.get(f"{command} {name}", sources.get(name, ()))


def completions(command: str, names: Sequence[str], begun: str, memory_dir: str | None) -> list[tuple[str, str]]:
    """Return the values of the parameter with these `names` that begin with `begun`, each with a description."""
    words: Words = next((found for name in names if (found := words_for(command, name))), ())
    if isinstance(words, tuple):
        return [(word, "") for word in words if word.startswith(begun)]
    try:
        read = words(Memory.open(memory_dir).context, begun)
    except (PromptxMemError, OSError):  # a message would appear in the line that is being typed
        return []
    return [
        (word, shorten(_OTHER.sub(" ", about), _WIDTH))
        for word, about in read
        if word.startswith(begun) and _HARMLESS.fullmatch(word) and is_printable(word)
    ]
