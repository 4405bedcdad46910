"""Commands that create a store or write its index: init, index."""

from promptx_mem import session
from promptx_mem.cli import usage
from promptx_mem.cli.options import NONE_GIVEN, Common, Option
from promptx_mem.cli.output import Verbatim, local
from promptx_mem.cli.terminal import progress
from promptx_mem.core.shell import USAGE
from promptx_mem.core.state import USER
from promptx_mem.errors import UsageError
from promptx_mem.memory import Memory
from promptx_mem.record import Annotated
from promptx_mem.result import Result
from promptx_mem.usecases.init import Index, Init

_NEXT = f"""to store a fact, {USAGE}
to set up a program that runs agents, such as Claude Code: promptx-mem setup claude
to print instructions for any other agent with a shell: promptx-mem init --agent
"""
_ELSEWHERE = "on another machine that already has a store: run init --shared there too, and commit before git pull\n"
_LIMITS = {"lines": "200 lines", "bytes": "25 KB"}


def init_command(
    shared: Annotated[bool, Option("Let git track the memories, but not logs and conversations.")] = False,
    agent: Annotated[bool, Option("Print instructions for AGENTS.md or CLAUDE.md.")] = False,
    user: Annotated[bool, Option("Create the user store, used in all projects.")] = False,
    trust: Annotated[bool, Option("Trust a store of a cloned repository. Only at a terminal.")] = False,
    common: Common = NONE_GIVEN,
) -> Result[Init]:
    """The store is created at the top of the git repository; outside a repository, here.

    The first remember does the same.
    """
    if trust and (shared or agent):
        raise UsageError("--trust cannot be combined with --shared or --agent", hint="promptx-mem init --trust")
    if user or common.scope == USER:
        usage.demand_allowed("--user")
        memory = common.opened_to_write(Memory, user=True)
    else:
        scope = common.scope or (None if common.memory_dir else "project")
        memory = common.demand_known(Memory.open(common.memory_dir, scope=scope))
    if not trust:
        return memory.init(shared=shared, agent=agent)
    where = memory.context.layout
    if where.exists() and session.is_person():
        from promptx_mem.cli.terminal import demand_typed_name

        question = f"Your agents will read {where.display()} as your own notes. Look at them first: "
        demand_typed_name(question + "promptx-mem recall -n 1000", where.name, "the store was not trusted")
    return memory.init(trusted=True)


def init_as_text(data: Init) -> str:
    return Verbatim(data["agent"]) if data["agent"] else local(_made(data))


def _made(data: Init) -> str:
    if data["trusted"]:
        return f"trusted {data['store']}\n"
    verb = "created" if data["created"] else "kept the existing"
    if data["scope"] == USER and not data["shared"]:
        return f"{verb} {data['store']}, your own store for all projects\n"
    if data["shared"]:
        how = f"{data['store']} is now shared" if data["opened"] else f"{verb} {data['store']}, shared"
        return f"{how}; to commit it: git add {data['store']}\n{_ELSEWHERE}"
    made = f"{verb} {data['store']}, private (git ignores it); to share it: promptx-mem init --shared\n"
    return made + _NEXT if data["created"] else made


def index_command(
    check: Annotated[bool, Option("Exit status 1 if MEMORY.md is out of date.")] = False,
    common: Common = NONE_GIVEN,
) -> Result[Index]:
    """MEMORY.md lists the most important memories by topic, in at most 200 lines and 25 KB, for the start of a session.

    The commands `remember` and `decay` keep it up to date.
    """
    memory = common.memory()
    with progress(show=not common.json):
        return memory.check_index() if check else memory.index()


def index_as_text(data: Index) -> str:
    summary = f"{data['shown']} of {data['total']} memories"
    if data["limit"]:
        summary += f" ({_LIMITS[data['limit']]} is the limit)"
    if data["difference"]:
        return local(f"{data['store']}/MEMORY.md is out of date: {data['difference']}\n  → promptx-mem index\n")
    if data["written"]:
        return local(f"{data['store']}/MEMORY.md shows {summary}\n")
    return local(f"{data['store']}/MEMORY.md is current as of {data['as_of']}: {summary}\n")
