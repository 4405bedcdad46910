"""MEMORY.md lists the most important memories by topic, in at most 200 lines and 25 KB, for the start of a session.

The commands `remember` and `decay` keep it up to date.
"""

from promptx_mem.cli.options import NONE_GIVEN, Common, Option
from promptx_mem.cli.output import local
from promptx_mem.cli.progress import progress
from promptx_mem.record import Annotated
from promptx_mem.result import Result
from promptx_mem.usecases.index import Index

_LIMITS = {"lines": "200 lines", "bytes": "25 KB"}


def command(
    check: Annotated[bool, Option("Exit status 1 if MEMORY.md is out of date.")] = False, common: Common = NONE_GIVEN
) -> Result[Index]:
    memory = common.memory()
    with progress(show=not common.json):
        return memory.check_index() if check else memory.index()


def as_text(data: Index) -> str:
    summary = f"{data['shown']} of {data['total']} memories"
    if data["limit"]:
        summary += f" ({_LIMITS[data['limit']]} is the limit)"
    if data["difference"]:
        return local(f"{data['store']}/MEMORY.md is out of date: {data['difference']}\n  → promptx-mem index\n")
    if data["written"]:
        return local(f"{data['store']}/MEMORY.md shows {summary}\n")
    return local(f"{data['store']}/MEMORY.md is current as of {data['as_of']}: {summary}\n")
