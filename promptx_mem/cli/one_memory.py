"""Commands that change the memory with an id: their options, and the line that reports the change."""

from collections.abc import Callable

from promptx_mem.cli.options import NONE_GIVEN, Argument, Common
from promptx_mem.cli.output import LABEL, elsewhere
from promptx_mem.core.text import shorten
from promptx_mem.memory import Memory
from promptx_mem.record import Annotated
from promptx_mem.result import Payload, Result
from promptx_mem.usecases.change import Change
from promptx_mem.usecases.gate import Remember
from promptx_mem.usecases.review import Review


def command_for(act: Callable[[Memory, str], Result[Payload]]) -> Callable[..., Result[Payload]]:
    """Make the command of a method of Memory that takes an id."""

    def command(
        ident: Annotated[str, Argument(metavar="ID", help="Its id, or a unique prefix.")],
        common: Common = NONE_GIVEN,
    ) -> Result[Payload]:
        return act(common.memory(), ident)

    return command


def line(verb: str, data: Change | Remember | Review, note: str | None = None) -> str:
    """Return the line that reports a change of a memory, its store if not the usual one, and a note."""
    aside = f"  ({note})" if note else ""
    place = f"\n   in {where}" if (where := elsewhere(data["store"])) else ""
    return f"{verb} {shorten(data['text'], LABEL)}  {data['id']}{aside}{place}\n"
