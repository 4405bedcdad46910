"""show: one memory by its id, active or ended, with its history."""

from promptx_mem.core.ids import is_prefix
from promptx_mem.errors import NotFoundError
from promptx_mem.record import TYPE_CHECKING, Any, cast
from promptx_mem.usecases.recall import Cues, recall

if TYPE_CHECKING:
    from promptx_mem.core.description import Recall
    from promptx_mem.result import Result
    from promptx_mem.usecases.context import Context

_MANY = 1_000
"""Maximum number of memories that are found for a prefix."""


def show(context: "Context", ident: str, *, commit: bool = False) -> "Result[Recall]":
    """Return one memory, found by its id or a prefix. Raises NotFoundError, UsageError.

    With `commit`, also return the git commit that added it to a trusted store.
    """
    prefix = ident.strip()
    if not is_prefix(prefix.lower()):
        from promptx_mem.usecases import advice

        raise advice.not_an_id(prefix)
    result = recall(context, Cues(text=prefix, count=_MANY, touch=False))
    found = [one for one in result.data["memories"] if one["id"].startswith(prefix.lower())]
    if not found:
        gone = context.gone()
        message = f"no memory has the id {prefix[:40]}" + (f": {gone}" if gone else "")
        raise NotFoundError(message, hint="to list ids: promptx-mem recall --archived")
    if len(found) > 1 or "events" not in found[0]:
        from promptx_mem.usecases import advice

        raise advice.ambiguous(prefix, [one["id"] for one in found])
    if commit:
        from promptx_mem.store import git
        from promptx_mem.store.trust import SHARED

        of = next((one for one in context.both() if one.scope == found[0]["scope"]), context)
        # Git settings in a store that is not the user's own could run programs.
        if of.origin.kind == SHARED and (brought := git.commit_of(of.layout, found[0]["id"])):
            cast("dict[str, Any]", found[0])["commit"] = brought
    return result._replace(command="show")
