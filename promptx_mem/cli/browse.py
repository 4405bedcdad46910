"""Commands that show stored memories: list, show."""

from promptx_mem.cli import recall
from promptx_mem.cli.options import IDENT, NONE_GIVEN, Argument, Common, Option, Words
from promptx_mem.core.description import Recall
from promptx_mem.core.shell import join
from promptx_mem.core.text import pattern
from promptx_mem.errors import UsageError
from promptx_mem.record import Annotated
from promptx_mem.result import Result
from promptx_mem.usecases.recall import Cues

_EVERYTHING = 1 << 40
_MOST_SHOWN = 400
"""Maximum number of memories in the text output of `list` without -n. More would not fit."""

as_text, draw = recall.as_text, recall.draw


def list_command(
    tags: Annotated[Words, Argument("Only memories with these tags.", metavar="['#TAG']...")] = (),
    newest: Annotated[bool, Option("List the newest memories first.")] = False,
    count: Annotated[int | None, Option("At most INT memories (default: all, in text 4,000 tokens).", "-n")] = None,
    common: Common = NONE_GIVEN,
) -> Result[Recall]:
    """'#tag' shows only memories with this tag."""
    words = [word for word in tags if word[:1] not in ("#", "＃") or not word.strip("#＃")]
    if words:
        hint = f"to search: {join(['promptx-mem', 'recall', *words])}"
        raise UsageError(f"{words[0][:40]!r} is not a #tag", hint=hint)
    cues = Cues(
        tags=tuple(filter(None, pattern(r"[\s,，;；、#＃]+").split(" ".join(tags)))) if tags else (),
        newest=newest,
        count=(_EVERYTHING if common.json else _MOST_SHOWN) if count is None else count,
        session=common.session,
        touch=False,
    )
    result = common.memory(is_session=False).recall(cues)
    result = result._replace(command="list", data={**result.data, "format": "json" if common.json else None})
    result = recall.without_matches(result)
    return result._replace(cut="memories") if count is None else result


def show_command(ident: Annotated[str, IDENT], common: Common = NONE_GIVEN) -> Result[Recall]:
    """Shows text, fields, who stored it and at which commit, its events, and memories it replaced or was replaced by.

    `recall ID` prints the same, without the commit.
    """
    result = common.memory().show(ident, commit=True)
    return result._replace(data={**result.data, "format": "json" if common.json else None})
