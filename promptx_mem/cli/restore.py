"""It replaces the memory that had replaced it."""

from promptx_mem.cli.one_memory import line
from promptx_mem.cli.options import NONE_GIVEN, Argument, Common, Option
from promptx_mem.cli.output import local
from promptx_mem.errors import UsageError
from promptx_mem.record import Annotated
from promptx_mem.result import Result
from promptx_mem.usecases.change import Change


def command(
    ident: Annotated[str | None, Argument(metavar="ID", help="Its id, or a unique prefix.")] = None,
    lost: Annotated[
        bool, Option("--lost", help="All memories and events that an editor removed by saving an old file.")
    ] = False,
    common: Common = NONE_GIVEN,
) -> Result[Change]:
    if (ident is None) != lost:
        raise UsageError("give one ID, or --lost", hint="ids are shown by: promptx-mem recall --archived")
    memory = common.memory()
    return memory.restore_lost() if ident is None else memory.restore(ident)


def as_text(data: Change) -> str:
    return local(line("🧠 restored", data, data["note"]) if data["id"] else f"🧠 restored {data['note']}\n")
