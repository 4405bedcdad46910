"""The program reaches stores only through the `os` of its modules, which the fault tests replace."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import promptx_mem
from tests.faults import faulty_os
from tests.tables import rows

HERE = Path(promptx_mem.__path__[0])
OTHER_FILES = dict(row.split(": ", 1) for row in rows(__file__, "other_files.txt"))
"""Modules that open files outside of stores."""

FILE_MODULES = {"open", "shutil", "tempfile", "pathlib", "io", "fileinput", "mmap"}


def name_of(path: Path) -> str:
    return path.relative_to(HERE).with_suffix("").as_posix()


@cache
def nodes(path: Path) -> list[ast.AST]:
    return list(ast.walk(ast.parse(path.read_text("utf-8"))))


def other_file_access(found: list[ast.AST]) -> Iterator[str]:
    """Yield access to files without `os.something`, and `os` under another name or inside a function."""
    for node in found:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FILE_MODULES:
            yield f"{node.func.id}()"
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names if one.name.partition(".")[0] in FILE_MODULES)
            yield from (f"os as {one.asname}" for one in node.names if one.name == "os" and one.asname)
            if node.col_offset and any(one.name == "os" for one in node.names):
                yield "os in a function"
        if isinstance(node, ast.ImportFrom) and node.module and node.module.partition(".")[0] in {*FILE_MODULES, "os"}:
            yield f"from {node.module}"


def test_only_listed_modules_open_files_without_os() -> None:
    found = {}
    for path in sorted(HERE.rglob("*.py")):
        accesses = sorted(set(other_file_access(nodes(path))))
        if accesses:
            found[name_of(path)] = accesses
    assert found.keys() <= OTHER_FILES.keys(), found


def test_every_module_with_os_gets_the_faulty_os() -> None:
    covered = {module.__name__.removeprefix("promptx_mem.").replace(".", "/") for module in faulty_os.modules()}
    having = {
        name_of(path).removesuffix("/__init__")
        for path in HERE.rglob("*.py")
        if any(
            isinstance(node, ast.Import) and not node.col_offset and any(one.name == "os" for one in node.names)
            for node in nodes(path)
        )
    }
    assert {"store/append", "store/recalled", "store/conversations", "store/files", "search/build"} < covered
    assert having - covered <= {"mcp_server/server", "__main__"}


def test_every_os_call_that_changes_files_can_be_made_faulty() -> None:
    harmless = {
        "access", "chdir", "cpu_count", "devnull", "environ", "fspath", "getcwd", "getegid", "geteuid", "getlogin", "getpid",
        "curdir", "defpath", "walk", "getppid", "getsid", "getuid", "isatty", "name", "path", "sep", "strerror", "terminal_size", "ttyname", "umask",
        "uname", "urandom", "stat_result", "get_terminal_size", "pathsep", "killpg", "fsdecode", "fsencode", "dup2", "dup",
        "linesep", "altsep", "DirEntry", "supports_dir_fd", "supports_fd", "set_blocking", "getpgid", "kill", "_exit", "fdopen", "pipe", "waitpid", "waitid",
        "posix_spawn", "memfd_create",
    }  # fmt: skip
    used = set()
    for module in faulty_os.modules():
        for node in nodes(Path(str(module.__file__))):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "os":
                used.add(node.attr)
    unknown = {name for name in used - faulty_os.CALLS - harmless if not name.startswith("O_") and not name.isupper()}
    assert unknown == set()
