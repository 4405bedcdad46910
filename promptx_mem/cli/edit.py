"""The last line has its tags, score and duration. With --aka only its aliases change, without an editor."""

from promptx_mem.cli import remember
from promptx_mem.cli.one_memory import line
from promptx_mem.cli.options import NONE_GIVEN, Argument, Common, Option
from promptx_mem.core.journal import ALIASED
from promptx_mem.record import Annotated
from promptx_mem.result import Result
from promptx_mem.usecases.gate import Remember


def command(
    ident: Annotated[str, Argument(metavar="ID", help="Its id, or a unique prefix.")],
    aka: Annotated[
        list[str] | None,
        Option("--aka", metavar="WORDS", help="An alias, instead of those it has; repeatable; '' removes them."),
    ] = None,
    common: Common = NONE_GIVEN,
) -> Result[Remember]:
    return common.memory().edit(ident, tuple(aka or ()))


def as_text(data: Remember) -> str:
    if data["verdict"] == ALIASED:
        return line("🧠", data, "its aliases are changed")
    return line("unchanged", data) if data["verdict"] == "unchanged" else remember.as_text(data)
