"""Six dimensions: importance, novelty, relevance, credibility, granularity, timeliness, each 0-10."""

from typing import Annotated

from promptx_mem.cli.options import Argument, Json, MemoryDir, Option, Session
from promptx_mem.memory import Memory
from promptx_mem.result import Result


def command(
    dims: Annotated[list[str] | None, Argument(metavar="[DIMS]...", help="9,7,9,8,8,9 or importance=9/8/10,…")] = None,
    dims_option: Annotated[str | None, Option("--dims", help="The same, as an option.")] = None,
    profile: Annotated[str | None, Option(help="execution or declarative.")] = None,
    explicit: Annotated[bool, Option("--explicit", help="The user asked to remember it.")] = False,
    guide: Annotated[bool, Option("--guide", help="Show the questions behind the dimensions.")] = False,
    memory_dir: MemoryDir = None,
    session: Session = None,
    json: Json = False,
) -> Result:
    memory = Memory.open(memory_dir, session)
    return memory.score(dims_option or ",".join(dims or ()) or None, profile, explicit=explicit, guide=guide)
