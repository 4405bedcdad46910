"""Rules for the store of a command: it must exist, the search for an id in two stores, and writes to the user store."""

from promptx_mem import session
from promptx_mem.core.ids import is_prefix
from promptx_mem.core.pasteable import command as pasteable
from promptx_mem.core.shell import USAGE
from promptx_mem.core.state import PROJECT, USER
from promptx_mem.core.text import shorten
from promptx_mem.errors import Refused, StoreError, UsageError
from promptx_mem.places import user_store
from promptx_mem.record import TYPE_CHECKING
from promptx_mem.search import pairs
from promptx_mem.store import hosts

if TYPE_CHECKING:
    from promptx_mem.core.request import Request
    from promptx_mem.usecases.context import Context


def demand_store(context: "Context") -> None:
    """Raise StoreError if there is no store, so that a mistyped path does not look like an empty store."""
    where = context.layout
    message = context.no_store() or ("" if where.exists() else f"there is no store at {context.path}")
    if message:
        hint = "give the folder of a store" if where.exists() else f"the first remember creates it\n{USAGE}"
        if context.gone():
            hint = "move the store back, or restore it from a backup; promptx-mem init creates a new one"
        raise StoreError(message, hint=hint, code="no_store")


def context_with(context: "Context", ident: str) -> "Context":
    """Return the context of the store that has an id or prefix, or of the first store if none has it.

    Raises UsageError if both have matches, because even equal ids in two stores are two memories.
    """
    prefix = ident.strip().lower()
    if not is_prefix(prefix):
        return context
    found: list[tuple[Context, list[str]]] = []
    for candidate in context.both():
        with candidate.cache() as cache:
            if ids := pairs.matching(cache, prefix):
                found.append((candidate, ids))
    if len(found) > 1:
        if len(ids := sorted({ident for _, some in found for ident in some})) > 1:
            from promptx_mem.usecases import advice

            raise advice.ambiguous(prefix, ids)
        raise UsageError(
            f"{shorten(prefix, 40)} is in both stores",
            code="both_scopes",
            hint=f"choose one with --scope {PROJECT}, or --scope {USER}",
        )
    if found:
        return found[0][0]
    from promptx_mem.usecases.lost import find_missing

    for candidate in context.both():
        with candidate.cache() as cache:
            if find_missing(cache, prefix).idents():
                return candidate
    return context


def demand_request(context: "Context", text: str, by_person: str, otherwise: str = "") -> None:
    """Raise Refused if an agent changes the user store, and no request of this session and no setting allows `text`.

    `by_person` is the command for the user. `otherwise` is a line for the agent, which is printed before that command.
    """
    if not context.layout.is_user or session.is_person():
        return
    if session.is_in_host():
        from promptx_mem.store import settings

        if "--user" in settings.of("agents").agents_allow:
            return
    names = session.request_names(context.session)
    if any(hosts.is_covered(words, text) for name in names for words in hosts.requests(name)):
        return
    raise Refused(
        "in the user store, an agent can store or change a memory only if the user asked for it in this session",
        code="needs_request",
        hint=f"{otherwise}the user must run this in a terminal: {by_person}",
    )


def demand_request_to_store(context: "Context", request: "Request", text: str) -> None:
    """Call `demand_request`. The hint also has a command for the project's store, if there is one."""
    plain = request._replace(session=None, memory_dir=None)
    in_project = ""
    if context.project:
        in_project = f"to store it for this project instead: {pasteable(plain, user=False, update=None)}\n"
    demand_request(context, text, pasteable(plain, user=True), in_project)


def hints(context: "Context", request: "Request") -> tuple[str, ...]:
    """Return a hint for a memory about the user that was stored for one project; none in the user store."""
    if context.layout.is_user or user_store() is None:
        return ()
    command = pasteable(request, user=True, update=None, memory_dir=None)
    return (f"this fact about the user is stored for this project only; to store it for all projects: {command}",)
