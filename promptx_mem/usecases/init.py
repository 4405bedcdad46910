"""init: make the store before the first memory does, private or shared through git."""

from typing import TYPE_CHECKING, TypedDict

from promptx_mem.result import Result
from promptx_mem.store import files, layout
from promptx_mem.store.layout import Layout
from promptx_mem.store.store import disk_errors

if TYPE_CHECKING:
    from promptx_mem.memory import Memory


class Init(TypedDict, total=False):
    """What init answers; `agent` is the text for an agent's instructions, where it is asked for."""

    store: str
    created: bool
    shared: bool
    opened: bool
    agent: str | None


def init(memory: "Memory", *, shared: bool, agent: bool = False) -> Result[Init]:
    """Make the directory and its git files; an existing store is kept, and a private one may become shared."""
    memory.demand_config()
    created = not memory.layout.exists()
    with disk_errors():
        was_shared = not created and _is_shared(memory.layout)
        memory.store.layout = layout.create(memory.layout, shared=shared)
        is_shared = _is_shared(memory.layout)
    warnings: tuple[str, ...] = ()
    if shared and not is_shared:
        warnings = (f"{memory.layout.shown()}/.gitignore is your own and stays as it is; git does not see the store",)
    opened = is_shared and not created and not was_shared
    data: Init = {
        "store": memory.layout.shown(), "created": created, "shared": is_shared, "opened": opened,
    }  # fmt: skip
    if agent:
        from promptx_mem.usecases.agent_text import SNIPPET

        data["agent"] = SNIPPET
    return Result("init", data, warnings)


def _is_shared(where: Layout) -> bool:
    """Whether git may see the memories: what stands in .gitignore, not what was asked for."""
    return b"!declarative.md" in (files.read(where.gitignore) or b"").split(b"\n")
