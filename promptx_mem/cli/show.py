"""Its text and fields, who stored it and at which commit, its events, and memories it replaced or was replaced by.

`recall ID` prints the same, without the commit.
"""

from promptx_mem.cli import recall
from promptx_mem.cli.options import NONE_GIVEN, Argument, Common
from promptx_mem.core.description import Recall
from promptx_mem.record import TYPE_CHECKING, Annotated
from promptx_mem.result import Result

if TYPE_CHECKING:
    from rich.console import Console


def command(
    ident: Annotated[str, Argument(metavar="ID", help="Its id, or a unique prefix.")],
    common: Common = NONE_GIVEN,
) -> Result[Recall]:
    result = common.memory().show(ident, commit=True)
    return result._replace(data={**result.data, "format": "json" if common.json else None})


def as_text(data: Recall) -> str:
    return recall.as_text(data)


def draw(data: Recall, console: "Console") -> None:
    recall.draw(data, console)
