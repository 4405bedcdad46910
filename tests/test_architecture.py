"""The packages of docs/design.md: imports point down the list only, whether they stand at the top or in a function."""

import ast
import functools
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "promptx_mem"
FILES = sorted(PACKAGE.rglob("*.py"))

# From the top of the house down; rooms of one rank may not see each other.
RANKS = (
    ("__main__",),
    ("cli",),
    ("mcp_server", "hooks"),
    ("memory",),
    ("team",),
    ("usecases",),
    ("judge", "view"),
    ("search",),
    ("session", "store"),
    ("processes",),
    ("places", "importers"),
    ("core",),
    ("errors", "result", "private"),
    ("__init__", "record", "data"),
)
RANK = {room: rank for rank, rooms in enumerate(RANKS) for room in rooms}
EXCEPTIONS = {("__main__", "hooks"): "guard goes round the command line"}

CORE_MAY = frozenset(
    {"__future__", "collections", "types", "typing", "re", "unicodedata", "hashlib", "_blake2", "_json", "binascii"}
)
CORE_MAY |= {"datetime", "json", "importlib", "math", "enum", "functools", "itertools", "operator", "string", "bisect"}
CORE_MAY |= {"html", "struct", "array", "contextlib"}
"""Modules that do no I/O, have no clock of their own that core may use, and come with Python."""

MAX_LINES = 700


@dataclass(frozen=True)
class Import:
    """One imported module: `hint` where only a type checker sees it."""

    file: Path
    line: int
    module: str
    hint: bool


def _imports(file: Path) -> Iterator[Import]:
    """Every import of a file, also those in functions; relative ones are resolved."""
    source = file.read_text(encoding="utf-8")
    nodes = list(ast.walk(ast.parse(source)))
    hints = {
        child
        for node in (nodes if "TYPE_CHECKING" in source else ())
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for statement in node.body
        for child in ast.walk(statement)
    }
    parts = ("promptx_mem", *file.relative_to(PACKAGE).parts[:-1])
    for node in nodes:
        hint = node in hints
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(file, node.lineno, alias.name, hint)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(parts[: len(parts) - node.level + 1]) if node.level else ""
            module = ".".join(part for part in (base, node.module or "") if part)
            for alias in node.names:
                yield Import(file, node.lineno, _module(module, alias.name), hint)


def _module(module: str, name: str) -> str:
    """`from package import room` imports the room; `from room import name` the room alone."""
    path = PACKAGE.parent.joinpath(*module.split("."), name)
    return f"{module}.{name}" if path.with_suffix(".py").exists() or path.is_dir() else module


def _room(module: str) -> str:
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


def _room_of(file: Path) -> str:
    first = file.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


@functools.cache
def _tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


@functools.cache
def _all() -> tuple[Import, ...]:
    return tuple(found for file in FILES for found in _imports(file))


def _ours() -> list[Import]:
    return [found for found in _all() if found.module.split(".")[0] == "promptx_mem"]


def test_every_room_is_in_the_list() -> None:
    assert {_room_of(file) for file in FILES} <= set(RANK)
    assert len(_ours()) > 100


def test_imports_point_down() -> None:
    wrong = []
    for found in _ours():
        above, below = _room_of(found.file), _room(found.module)
        allowed = above == below or RANK[above] < RANK[below] or (above, below) in EXCEPTIONS
        if not allowed and RANK[above] == RANK[below]:
            allowed = above == "store" and below == "session"
        if not allowed:
            wrong.append(f"{found.file.relative_to(PACKAGE)}:{found.line} imports {found.module}")
    assert not wrong, "\n".join(wrong)


def test_no_imports_run_in_a_circle() -> None:
    """Also not those that only a type checker sees."""
    graph: dict[str, set[str]] = {}
    for found in _ours():
        graph.setdefault(_name(found.file), set()).add(found.module)
    seen: set[str] = set()
    for name in graph:
        assert not (way := _circle(graph, name, (), seen)), " -> ".join(way)


def _name(file: Path) -> str:
    return ".".join(("promptx_mem", *file.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__")


def _circle(graph: dict[str, set[str]], name: str, way: tuple[str, ...], seen: set[str]) -> tuple[str, ...]:
    """The circle in which a module is reached again; `seen` are those that lead into none."""
    if name in way:
        return (*way[way.index(name) :], name)
    if name not in seen:
        for other in sorted(graph.get(name, set()) - {name}):
            if found := _circle(graph, other, (*way, name), seen):
                return found
        seen.add(name)
    return ()


def test_the_command_line_reaches_the_store_through_memory() -> None:
    """Rules live below: cli and mcp_server see use cases, never the cache or what the rules are made of."""
    wrong = [
        f"{found.file.relative_to(PACKAGE)}:{found.line} imports {found.module}"
        for found in _ours()
        if _room_of(found.file) in ("cli", "mcp_server", "hooks") and _room(found.module) in ("search", "judge")
    ]
    assert not wrong, "\n".join(wrong)


SQL = re.compile(r"\s*(?:SELECT|INSERT|DELETE|UPDATE|REPLACE|CREATE|DROP|PRAGMA|BEGIN|COMMIT|WITH)\s")
STATEMENTS = frozenset({"execute", "executemany", "executescript", "cursor", "db"})


def _is_sql(node: ast.AST) -> bool:
    match node:
        case ast.Constant(value=str(text)):
            return SQL.match(text) is not None
        case ast.Attribute(attr=name):
            return name in STATEMENTS
        case ast.Import(names=names):
            return any(one.name.split(".")[0] == "sqlite3" for one in names)
        case ast.ImportFrom(module=str(module)):
            return module.split(".")[0] == "sqlite3"
    return False


def _says_sql(tree: ast.Module) -> list[int]:
    """The lines of a file that know how the cache is kept: statements, what runs them, the library."""
    return [getattr(node, "lineno", 0) for node in ast.walk(tree) if _is_sql(node)]


def test_only_search_says_sql() -> None:
    """Use cases ask the cache by name: how it is kept may change without them. `team` says it to another's server."""
    says = {file: _says_sql(_tree(file)) for file in FILES}
    wrong = [
        f"{file.relative_to(PACKAGE)}:{line}"
        for file, lines in says.items()
        if _room_of(file) not in ("search", "team")
        for line in lines
    ]
    assert not wrong, "\n".join(wrong)
    assert sum(bool(lines) for lines in says.values()) > 5
    assert not [file for file in FILES if _room_of(file) == "team" and "sqlite3" in file.read_text(encoding="utf-8")]


def test_core_is_pure() -> None:
    wrong = []
    for found in _all():
        if _room_of(found.file) != "core":
            continue
        top = found.module.split(".")[0]
        if top == "promptx_mem":
            allowed = _room(found.module) in ("core", "errors", "result", "record", "data", "__init__")
        else:
            allowed = top in CORE_MAY
        if not allowed:
            wrong.append(f"{found.file.relative_to(PACKAGE)}:{found.line} imports {found.module}")
    assert not CORE_MAY - sys.stdlib_module_names
    assert not wrong, "\n".join(wrong)


CLOCKS = ("now", "today", "utcnow", "time_ns", "getenv", "environ")


def test_core_asks_no_clock_and_opens_nothing() -> None:
    """Word lists of the package are read by `data`, since they never change."""
    wrong = []
    for file in FILES:
        if _room_of(file) not in ("core", "importers"):
            continue
        for node in ast.walk(_tree(file)):
            opens = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("open", "input")
            asks = (
                isinstance(node, ast.Attribute)
                and node.attr in CLOCKS
                and isinstance(node.value, ast.Name | ast.Attribute)
                and ast.unparse(node.value).split(".")[-1] in ("datetime", "date", "dt", "time", "os")
            )
            if isinstance(node, ast.Call | ast.Attribute) and (opens or asks):
                wrong.append(f"{file.relative_to(PACKAGE)}:{node.lineno} {ast.unparse(node)[:60]}")
    assert not wrong, "\n".join(wrong)


def test_a_file_is_short_and_prints_nothing() -> None:
    for file in FILES:
        assert file.read_text(encoding="utf-8").count("\n") <= MAX_LINES, file
        calls = [node for node in ast.walk(_tree(file)) if isinstance(node, ast.Call)]
        assert not [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "print"], file
