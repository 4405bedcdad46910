"""Nothing of the program reaches the disk but through its module's `os`, which the tests of faults replace."""

import ast
from collections.abc import Iterator
from pathlib import Path

import promptx_mem
from tests.faults import faulty_os

HERE = Path(promptx_mem.__path__[0])
ELSEWHERE = {
    "cli/app": "has the standard streams",
    "cli/parser": "catches what typer prints, asks how wide the terminal is",
    "cli/output": "has the standard streams",
    "cli/review": "reads answers from a file of the caller's",
    "cli/view": "makes an address of a path",
    "session": "reads /proc",
    "processes": "reads /proc",
    "usecases/recall/dates": "reads /etc/localtime",
    "usecases/edit": "has a temporary file of its own for the editor",
    "hooks/guard/advice": "reads the line that an edit would change",
    "hooks/guard/look": "keeps what the files were, outside the project and in .cache",
    "store/acknowledged": "reads its log, which lies outside the project",
    "hooks/entries": "seeks the program, reads what lies beside it",
    "hooks/run": "records outside the project when hooks ran",
    "hooks/session": "writes to the file that its host names",
    "hooks/setup": "writes the settings of another program, and git's list of ignored files",
    "hooks/act": "reads the transcript of a host",
    "hooks/prompt": "reads the transcript of a host",
    "judge/judge": "exchanges texts with a command through files without names",
    "mcp_server/server": "corrects the text of a client",
    "data": "reads the lists of words beside it",
    "places": "reads the environment of the process above",
    "search/tokens": "reads the lists of words beside it",
    "search/vectors": "reads the weights of a package, and keeps vectors beside the cache",
    "importers/exports": "reads a text that is in memory",
    "store/settings": "writes the user's own settings",
    "team/notes": "reads the user's own settings",
    "team/administration": "reads what lies beside it",
    "view/page": "reads what lies beside it",
}
"""Modules that open files, none of them in a store."""

WAYS = {"open", "shutil", "tempfile", "pathlib", "io", "fileinput", "mmap"}


def name_of(path: Path) -> str:
    return path.relative_to(HERE).with_suffix("").as_posix()


def other_ways(tree: ast.AST) -> Iterator[str]:
    """Ways to a file that are not `os.something`, and `os` under other names or inside functions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in WAYS:
            yield f"{node.func.id}()"
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names if one.name.partition(".")[0] in WAYS)
            yield from (f"os as {one.asname}" for one in node.names if one.name == "os" and one.asname)
            if node.col_offset and any(one.name == "os" for one in node.names):
                yield "os in a function"
        if isinstance(node, ast.ImportFrom) and node.module and node.module.partition(".")[0] in {*WAYS, "os"}:
            yield f"from {node.module}"


def test_every_way_to_the_store_goes_through_os() -> None:
    found = {}
    for path in sorted(HERE.rglob("*.py")):
        ways = sorted(set(other_ways(ast.parse(path.read_text("utf-8")))))
        if ways:
            found[name_of(path)] = ways
    assert found.keys() <= ELSEWHERE.keys(), found


def test_the_shim_is_under_every_module_that_has_os() -> None:
    covered = {module.__name__.removeprefix("promptx_mem.").replace(".", "/") for module in faulty_os.modules()}
    having = {
        name_of(path).removesuffix("/__init__")
        for path in HERE.rglob("*.py")
        if any(
            isinstance(node, ast.Import) and any(one.name == "os" for one in node.names)
            for node in ast.parse(path.read_text("utf-8")).body
        )
    }
    assert {"store/append", "store/recalled", "store/conversations", "store/files", "search/build"} < covered
    assert having - covered <= {"mcp_server/server", "__main__"}


def test_every_call_of_os_that_changes_files_is_one_of_the_shim_s() -> None:
    harmless = {
        "access", "chdir", "cpu_count", "devnull", "environ", "fspath", "getcwd", "getegid", "geteuid", "getlogin", "getpid",
        "curdir", "defpath", "walk", "getppid", "getsid", "getuid", "isatty", "name", "path", "sep", "strerror", "terminal_size", "ttyname", "umask",
        "uname", "urandom", "stat_result", "get_terminal_size", "pathsep", "killpg", "fsdecode", "fsencode", "dup2", "dup",
        "linesep", "altsep", "DirEntry", "supports_dir_fd", "supports_fd", "set_blocking", "getpgid", "kill", "_exit", "fdopen", "pipe", "waitpid", "waitid",
        "posix_spawn", "memfd_create",
    }  # fmt: skip
    used = set()
    for module in faulty_os.modules():
        for node in ast.walk(ast.parse(Path(str(module.__file__)).read_text("utf-8"))):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "os":
                used.add(node.attr)
    unknown = {name for name in used - faulty_os.CALLS - harmless if not name.startswith("O_") and not name.isupper()}
    assert unknown == set()
