"""How a command's parameters are given on a command line, said without typer, which takes long to load."""

from typing import Annotated


class Argument:
    """A parameter that is given by its place."""

    def __init__(self, *, metavar: str | None = None, help: str) -> None:  # noqa: A002 - typer's word
        self.metavar, self.help = metavar, help


class Option:
    """A parameter that is given by a name: `names`, or the parameter's own; `least` is the smallest number it takes."""

    def __init__(
        self,
        *names: str,
        metavar: str | None = None,
        help: str,  # noqa: A002 - typer's word
        least: int | None = None,
    ) -> None:
        self.names, self.metavar, self.help, self.least = names, metavar, help, least

    def names_of(self, parameter: str) -> tuple[str, ...]:
        return self.names or ("--" + parameter.replace("_", "-"),)


def demand_one_place(memory_dir: str | None) -> None:
    """Refuse --user together with --memory-dir: they name two places."""
    if memory_dir is not None:
        from promptx_mem.errors import UsageError

        raise UsageError("--user and --memory-dir name two places", hint="give one of them")


Json = Annotated[bool, Option("--json", help="One JSON object on stdout, also on failure.")]
MemoryDir = Annotated[str | None, Option("--memory-dir", metavar="DIR", help="The store to use.")]
Session = Annotated[str | None, Option("--session", metavar="NAME", help="The session this belongs to.")]
Scope = Annotated[
    str | None, Option("--scope", metavar="SCOPE", help="One store alone: project, or user for your own.")
]
DryRun = Annotated[bool, Option("--dry-run", help="Say what would happen; write nothing.")]
