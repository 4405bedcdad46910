"""The most important first; with --newest the newest. '#tag' shows only memories with this tag."""

from promptx_mem.cli import recall
from promptx_mem.cli.options import NONE_GIVEN, Argument, Common, Option
from promptx_mem.core.description import Recall
from promptx_mem.errors import UsageError
from promptx_mem.record import TYPE_CHECKING, Annotated
from promptx_mem.result import Result
from promptx_mem.usecases.recall import Cues

if TYPE_CHECKING:
    from rich.console import Console

_EVERYTHING = 1 << 40
_MOST_SHOWN = 400
"""More would not fit into the text output."""


def command(
    tags: Annotated[list[str] | None, Argument(metavar="['#TAG']...", help="Only with these tags.")] = None,
    newest: Annotated[bool, Option("--newest", help="The newest first.")] = False,
    count: Annotated[int | None, Option("-n", help="Show at most INT (default all).")] = None,
    common: Common = NONE_GIVEN,
) -> Result[Recall]:
    words = [word for word in tags or () if not word.startswith("#")]
    if words:
        from promptx_mem.core.shell import join

        raise UsageError(
            f"{words[0][:40]!r} is not a #tag", hint=f"to search: {join(['promptx-mem', 'recall', *words])}"
        )
    cues = Cues(
        text=" ".join(tags or ()),
        newest=newest,
        count=(_EVERYTHING if common.json else _MOST_SHOWN) if count is None else count,
        session=common.session,
        touch=False,
    )
    result = common.memory(is_session=False).recall(cues)
    result = result._replace(command="list", data={**result.data, "format": "json" if common.json else None})
    result = recall.without_matches(result)
    return result._replace(cut="memories") if count is None else result


def as_text(data: Recall) -> str:
    return recall.as_text(data)


def draw(data: Recall, console: "Console") -> None:
    recall.draw(data, console)
