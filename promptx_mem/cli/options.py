"""Declarations of a command's parameters. They do not load typer, which is slow."""

from promptx_mem.errors import StoreError, UsageError
from promptx_mem.record import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeVar

if TYPE_CHECKING:
    from promptx_mem.daily import EverydayMemory
    from promptx_mem.memory import Memory

_D = TypeVar("_D", bound="EverydayMemory")

Word = str | None
Words = tuple[str, ...]
"""`Word` and `Words` are the types of optional parameters: with one value, and with several."""


class Argument:
    """A positional parameter."""

    def __init__(self, help: str, *, metavar: str | None = None) -> None:  # noqa: A002 - typer's word
        self.help, self.metavar = help, metavar


class Option:
    """A named parameter. Without `names`, the option has the parameter's name."""

    def __init__(self, help: str, *names: str, metavar: str | None = None) -> None:  # noqa: A002 - typer's word
        self.help, self.names, self.metavar = help, names, metavar

    def names_of(self, parameter: str) -> tuple[str, ...]:
        return self.names or ("--" + parameter.rstrip("_").replace("_", "-"),)


IDENT = Argument("A memory's id, or a unique prefix.", metavar="ID")
Json = Annotated[bool, Option("Print one JSON object, also on failure.", "--json")]
MemoryDir = Annotated[
    str | None, Option("The store's folder. Default: PROMPTX_MEM_DIR, or the nearest .memory.", metavar="DIR")
]
"""`Json` and `MemoryDir` declare --json and --memory-dir for commands without a parameter of the type `Common`."""

DryRun = Annotated[bool, Option("Show the effect without writing.", "--dry-run")]


class Common(NamedTuple):
    """The options of every command: store, session and JSON output. They are allowed before and after the command."""

    memory_dir: MemoryDir = None
    session: Annotated[
        Word, Option("Name of the session. recall, list, audit and export show only this session.", metavar="NAME")
    ] = None
    scope: Annotated[Word, Option("Use only this store: project or user.", metavar="SCOPE")] = None
    json: Json = False

    def memory(self, *, scope: str | None = None, is_session: bool = True) -> "Memory":
        """Open the stores that these options name as `opened` does, with all use cases."""
        from promptx_mem.memory import Memory

        return self.opened(Memory, scope=scope, is_session=is_session)

    def opened(self, kind: type[_D], *, scope: str | None = None, is_session: bool = True) -> _D:
        """Open the stores that these options name. Raises Refused, and StoreError if --memory-dir is not a store.

        With `is_session` False, --session is a filter instead of the caller's session.
        """
        memory = kind.open(self.memory_dir, self.session if is_session else None, scope or self.scope)
        if self.memory_dir is not None and (missing := memory.context.no_store()):
            raise StoreError(missing, code="no_store", hint="give another folder with --memory-dir")
        return self.demand_known(memory)

    def demand_known(self, memory: _D) -> _D:
        """Return `memory`. Raises Refused if an agent has named an untrusted store with --memory-dir."""
        if self.memory_dir is not None:
            from promptx_mem.cli import usage

            usage.demand_known(memory.context.layout)
        return memory

    def opened_to_write(self, kind: type[_D], *, user: bool = False) -> _D:
        """Open the stores for a command that can create a store. `user` or --scope user selects the user store."""
        from promptx_mem.core.state import USER

        if user or self.scope == USER:
            if self.memory_dir is not None or self.scope not in (None, USER):
                other = "--scope" if self.memory_dir is None else "--memory-dir"
                raise UsageError(f"--user and {other} name different stores", hint="give one of them")
            return kind.open_user(session_name=self.session)
        return self.demand_known(kind.open(self.memory_dir, self.session, self.scope, writes=True))


NONE_GIVEN = Common()

COMMON: dict[str, tuple[Any, Option]] = {
    name: (hint.__origin__, hint.__metadata__[0]) for name, hint in Common.__annotations__.items()
}
"""The type and declaration of each option of `Common`."""
