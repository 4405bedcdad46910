"""The packages of docs/design.md: each imports only packages below it, at the top of a module or in a function."""

import ast
import functools
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "promptx_mem"
FILES = sorted(PACKAGE.rglob("*.py"))

# From top to bottom; packages of one rank do not import each other.
RANKS = (
    ("__main__",),
    ("cli",),
    ("mcp_server", "hooks"),
    ("memory",),
    ("daily",),
    ("team",),
    ("usecases",),
    ("judge", "view"),
    ("search",),
    ("session", "store"),
    ("processes", "machine"),
    ("places", "importers"),
    ("core",),
    ("errors", "result", "git_files"),
    ("__init__", "record", "data"),
)
RANK = {package: rank for rank, packages in enumerate(RANKS) for package in packages}
EXCEPTIONS = {("__main__", "hooks"): "guard bypasses the command line"}

CORE_USES = frozenset(
    {"__future__", "collections", "types", "typing", "re", "unicodedata", "hashlib", "_blake2", "_json", "binascii"}
)
CORE_USES |= {"datetime", "json", "importlib", "math", "enum", "functools", "itertools", "operator", "string", "bisect"}
CORE_USES |= {"html", "struct", "array", "contextlib"}
"""Modules of the standard library that core may use; the clocks of `datetime` are excluded below."""

MAX_LINES = 700


@dataclass(frozen=True)
class Import:
    """One imported module. `hint`: only a type checker imports it."""

    file: Path
    line: int
    module: str
    hint: bool


def _imports(file: Path) -> Iterator[Import]:
    """Yield every import of a file, also those in functions; relative ones are resolved."""
    source, nodes = file.read_text(encoding="utf-8"), _nodes(file)
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


@functools.cache
def _module(module: str, name: str) -> str:
    """Return the imported module: `from package import name` imports a module if `name` is one."""
    path = PACKAGE.parent.joinpath(*module.split("."), name)
    return f"{module}.{name}" if path.with_suffix(".py").exists() or path.is_dir() else module


def _package(module: str) -> str:
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


def _package_of(file: Path) -> str:
    first = file.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


@functools.cache
def _nodes(file: Path) -> list[ast.AST]:
    return list(ast.walk(ast.parse(file.read_text(encoding="utf-8"))))


@functools.cache
def _all_imports() -> tuple[Import, ...]:
    return tuple(found for file in FILES for found in _imports(file))


def _own_imports() -> list[Import]:
    return [found for found in _all_imports() if found.module.split(".")[0] == "promptx_mem"]


def test_every_package_has_a_rank() -> None:
    assert {_package_of(file) for file in FILES} <= set(RANK)
    assert len(_own_imports()) > 100


def test_packages_import_only_packages_below_them() -> None:
    wrong = []
    for found in _own_imports():
        above, below = _package_of(found.file), _package(found.module)
        allowed = above == below or RANK[above] < RANK[below] or (above, below) in EXCEPTIONS
        if not allowed and RANK[above] == RANK[below]:
            allowed = above == "store" and below == "session"
        if not allowed:
            wrong.append(f"{found.file.relative_to(PACKAGE)}:{found.line} imports {found.module}")
    assert not wrong, "\n".join(wrong)


def test_imports_have_no_cycle() -> None:
    """This includes imports for type checkers only."""
    graph: dict[str, set[str]] = {}
    for found in _own_imports():
        graph.setdefault(_name(found.file), set()).add(found.module)
    seen: set[str] = set()
    for name in graph:
        assert not (path := _cycle(graph, name, (), seen)), " -> ".join(path)


def _name(file: Path) -> str:
    return ".".join(("promptx_mem", *file.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__")


def _cycle(graph: dict[str, set[str]], name: str, path: tuple[str, ...], seen: set[str]) -> tuple[str, ...]:
    """Return a cycle of imports, or nothing. `seen` are modules that lead into none."""
    if name in path:
        return (*path[path.index(name) :], name)
    if name not in seen:
        for other in sorted(graph.get(name, set()) - {name}):
            if found := _cycle(graph, other, (*path, name), seen):
                return found
        seen.add(name)
    return ()


def test_front_ends_do_not_import_search_or_judge() -> None:
    """cli, mcp_server and hooks call use cases, never the cache or the judge directly."""
    wrong = [
        f"{found.file.relative_to(PACKAGE)}:{found.line} imports {found.module}"
        for found in _own_imports()
        if _package_of(found.file) in ("cli", "mcp_server", "hooks") and _package(found.module) in ("search", "judge")
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


def _sql_lines(nodes: list[ast.AST]) -> list[int]:
    """Return the lines of a file with SQL: statements, calls that run them, the import of sqlite3."""
    return [getattr(node, "lineno", 0) for node in nodes if _is_sql(node)]


def test_only_search_and_team_contain_sql() -> None:
    """Use cases call functions of the cache, so its tables may change. `team` sends SQL to a PostgreSQL server."""
    sql_lines = {file: _sql_lines(_nodes(file)) for file in FILES}
    wrong = [
        f"{file.relative_to(PACKAGE)}:{line}"
        for file, lines in sql_lines.items()
        if _package_of(file) not in ("search", "team")
        for line in lines
    ]
    assert not wrong, "\n".join(wrong)
    assert sum(bool(lines) for lines in sql_lines.values()) > 5
    assert not [file for file in FILES if _package_of(file) == "team" and "sqlite3" in file.read_text(encoding="utf-8")]


def test_core_imports_only_core_and_listed_modules() -> None:
    wrong = []
    for found in _all_imports():
        if _package_of(found.file) != "core":
            continue
        top = found.module.split(".")[0]
        if top == "promptx_mem":
            allowed = _package(found.module) in ("core", "errors", "result", "record", "data", "__init__")
        else:
            allowed = top in CORE_USES
        if not allowed:
            wrong.append(f"{found.file.relative_to(PACKAGE)}:{found.line} imports {found.module}")
    assert not CORE_USES - sys.stdlib_module_names
    assert not wrong, "\n".join(wrong)


CLOCKS = ("now", "today", "utcnow", "time_ns", "getenv", "environ")


def test_core_and_importers_read_no_clock_and_open_no_files() -> None:
    """`data` reads the word lists of the package, which never change."""
    wrong = []
    for file in FILES:
        if _package_of(file) not in ("core", "importers"):
            continue
        for node in _nodes(file):
            opens = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("open", "input")
            is_clock = (
                isinstance(node, ast.Attribute)
                and node.attr in CLOCKS
                and isinstance(node.value, ast.Name | ast.Attribute)
                and ast.unparse(node.value).split(".")[-1] in ("datetime", "date", "dt", "time", "os")
            )
            if isinstance(node, ast.Call | ast.Attribute) and (opens or is_clock):
                wrong.append(f"{file.relative_to(PACKAGE)}:{node.lineno} {ast.unparse(node)[:60]}")
    assert not wrong, "\n".join(wrong)


def test_modules_are_short_and_do_not_print() -> None:
    for file in FILES:
        assert file.read_text(encoding="utf-8").count("\n") <= MAX_LINES, file
        calls = [node for node in _nodes(file) if isinstance(node, ast.Call)]
        assert not [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "print"], file
