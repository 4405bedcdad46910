"""init: make the store before the first memory does, private or shared through git."""

from typing import TYPE_CHECKING

from promptx_mem.result import Result
from promptx_mem.store import layout
from promptx_mem.store.store import disk_errors

if TYPE_CHECKING:
    from promptx_mem.memory import Memory


def init(memory: "Memory", *, shared: bool) -> Result:
    """Make the directory and its git files; an existing store is kept, and a private one may become shared."""
    memory.demand_config()
    created = not memory.layout.exists()
    with disk_errors():
        memory.store.layout = layout.create(memory.layout, shared=shared)
    return Result("init", {"store": memory.layout.shown(), "created": created, "shared": shared})
