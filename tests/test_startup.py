"""The modules that frequent commands may load: an import takes 1 to 40 ms, a whole `recall` about 60."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.inside import COMMANDS

RUN = "import sys; from promptx_mem.__main__ import main; sys.argv[1:] = {arguments!r}; main()"
REPORT = """
import os, sys
def end(status, end=os._exit):
    print('@@', *sys.modules, file=sys.stderr, flush=True)
    end(status)
os._exit = end
"""
"""The program ends with os._exit; so do the scripts that it is compared with."""

NEVER = ["promptx_mem.hooks", "promptx_mem.judge", "promptx_mem.mcp_server"]
NEVER += ["typing", "rich", "yaml", "asyncio", "socket", "ssl", "http", "tempfile", "zoneinfo", "pydantic"]
NEVER += ["promptx_mem.core.credential_forms", "promptx_mem.core.glyphs"]
NEVER += ["tomllib", "csv", "xml", "email", "concurrent", "multiprocessing", "ctypes", "shlex", "gzip", "uuid"]
PARSING = ["typer", "inspect", "dataclasses", "subprocess", "pathlib", "shutil", "threading"]
"""Modules that only typer needs, and other slow ones."""
READING = [*NEVER, "filelock", "hashlib", "_hashlib", "decimal", "fractions", "logging", "random", "secrets", "string"]
READING += ["promptx_mem.search.build", "promptx_mem.search.follow", "promptx_mem.core.document"]
READING += ["promptx_mem.core.fold", "promptx_mem.core.line", "promptx_mem.core.syntax", "promptx_mem.store.members"]
READING += ["promptx_mem.core.personal_data", "promptx_mem.core.pasteable"]
READING += ["promptx_mem.core.slices", "promptx_mem.store.conversations", "promptx_mem.store.episodes"]
READING += ["promptx_mem.cli.details", "promptx_mem.memory", "promptx_mem.store.disk", "promptx_mem.session"]
WRITING = [*NEVER, "filelock", "logging", "decimal", "promptx_mem.search.build", "promptx_mem.core.pasteable"]
WRITING += [
    "promptx_mem.memory",
    "promptx_mem.core.life",
    "promptx_mem.core.shell",
    "promptx_mem.core.topics",
    "promptx_mem.search.candidates",
    "promptx_mem.search.query_days",
    "promptx_mem.search.ranking",
    "promptx_mem.search.recalls",
    "promptx_mem.store.members",
    "promptx_mem.store.sources",
    "promptx_mem.usecases.repeat",
]
HELP = [*READING, "sqlite3", "promptx_mem.daily", "promptx_mem.store.store", "promptx_mem.core.entry"]


def _loaded(code: str, folder: Path, given: str = "{}") -> set[str]:
    """Return the modules that a program has loaded when it ends. `given` is its input."""
    env = {"PATH": os.environ["PATH"], "HOME": f"{folder}-home", "LC_ALL": "C.UTF-8", "PROMPTX_MEM_SESSION": "startup"}
    words = [sys.executable, "-c", REPORT + code + "\nos._exit(0)"]
    done = subprocess.run(
        words, cwd=folder, env=env, input=given, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done
    return set(done.stderr.rpartition("@@")[2].split())


def _added(arguments: list[str], folder: Path) -> set[str]:
    """Return the modules that a command loads besides those of `import typer`."""
    return _loaded(RUN.format(arguments=arguments), folder) - _loaded("import typer, typer.core, typer.main", folder)


def _all(arguments: list[str], folder: Path, given: str = "{}") -> set[str]:
    """Return the modules that a command loads besides those of an empty program."""
    return _loaded(RUN.format(arguments=arguments), folder, given) - _loaded("pass", folder)


def _among(loaded: set[str], names: list[str]) -> list[str]:
    return sorted(module for module in loaded if any(module == name or module.startswith(name + ".") for name in names))


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store whose cache is current."""
    return _made(tmp_path_factory.mktemp("startup"))


def _made(folder: Path) -> Path:
    for text in ("the user likes green tea", "用户喜欢龙井茶"):
        _loaded(RUN.format(arguments=["remember", text, "#tea", "score:9"]), folder)
    return folder


@pytest.mark.parametrize(
    "words",
    [[], ["tea"], ["#tea"], ["茶", "--json"], ["-n", "1", "--since", "7d"], ["--date=today", "--format", "text"]],
    ids=" ".join,
)
def test_recall_loads_no_slow_modules(words: list[str], store: Path) -> None:
    assert _among(_all(["recall", *words], store), [*READING, *PARSING]) == []


@pytest.mark.parametrize(
    "words",
    [
        ["recall", "which tea does the user like?"],
        ["recall", "用户喜欢pnpm，还是tea？"],
        ["recall"],
        ["list", "-n", "1"],
    ],
    ids=" ".join,
)
def test_reading_compiles_no_expression(words: list[str], store: Path) -> None:
    _loaded(RUN.format(arguments=words), store)  # so that the cache has the uses of the tests before
    assert _among(_all(words, store), ["re", "enum"]) == []


@pytest.mark.parametrize(
    "words",
    [
        ["the user likes black coffee", "#coffee", "score:9"],
        ["红茶很好喝", "-t", "茶", "--score", "8", "--type", "project"],
    ],
    ids=" ".join,
)
def test_remember_loads_no_slow_modules(words: list[str], tmp_path: Path) -> None:
    loaded = _all(["remember", *words], _made(tmp_path))  # a recall of the same second would need another module
    assert _among(loaded, [*WRITING, *PARSING]) == []
    assert "promptx_mem.usecases.recall" not in loaded


@pytest.mark.parametrize(
    "arguments", [["index"], ["index", "--check"], ["decay"], ["audit", "-n", "3"], ["score", "--guide"]]
)
def test_other_commands_load_no_slow_modules(arguments: list[str], store: Path) -> None:
    slow = [*PARSING, "filelock", "rich", "yaml", "promptx_mem.hooks", "promptx_mem.core.credential_forms"]
    assert _among(_all(arguments, store), slow) == []


@pytest.mark.parametrize(
    ("arguments", "other"),
    [(["list"], "status"), (["index"], "purge"), (["audit"], "change"), (["export"], "import_files")],
    ids=str,
)
def test_command_does_not_load_a_neighbouring_use_case(arguments: list[str], other: str, store: Path) -> None:
    assert importlib.util.find_spec(f"promptx_mem.usecases.{other}")
    assert f"promptx_mem.usecases.{other}" not in _all(arguments, store)


def test_guard_after_a_remember_indexes_its_memory_without_the_module_that_rebuilds(tmp_path: Path) -> None:
    _loaded(RUN.format(arguments=["remember", "Never run terraform destroy", "#infra", "score:9"]), tmp_path)
    event = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "terraform destroy"}}
    loaded = _all(["guard"], tmp_path, json.dumps({**event, "session_id": "s", "cwd": str(tmp_path)}))
    assert (tmp_path / ".memory/.cache/act").exists()
    assert "promptx_mem.usecases.acts" in loaded
    assert _among(loaded, ["promptx_mem.search.build", "promptx_mem.search.follow", *PARSING]) == []


def test_contradiction_loads_the_pairs_module_but_not_the_judge(tmp_path: Path) -> None:
    for text in ("The standup is at 9 am", "The standup is at 10 am now", "Anna's cat is called Miro"):
        _loaded(RUN.format(arguments=["remember", text, "#team", "score:9"]), tmp_path)
    loaded = _all(["recall", "standup"], tmp_path)
    assert "promptx_mem.search.pairs" in loaded
    assert _among(loaded, [*READING, *PARSING, "promptx_mem.usecases.vectors"]) == []
    assert "promptx_mem.search.pairs" not in _all(["recall", "cat"], tmp_path)


def test_third_recall_does_not_search_for_missing_lines(tmp_path: Path) -> None:
    (tmp_path / ".memory").mkdir()
    (tmp_path / ".memory/declarative.md").write_text("- the user likes tea\n", "utf-8")
    loaded = [_all(["recall", "tea"], tmp_path) for _ in range(3)][-1]
    assert _among(loaded, [*READING, "promptx_mem.usecases.lost", "promptx_mem.store.sources"]) == []


def test_recall_as_json_loads_no_renderer(store: Path) -> None:
    assert _among(_all(["recall", "tea", "--json"], store), ["rich", "promptx_mem.core.prompt_block"]) == []


@pytest.mark.parametrize("arguments", [["--help"], [], ["--version"]])
def test_help_and_version_load_no_slow_modules(arguments: list[str], tmp_path: Path) -> None:
    assert _among(_added(arguments, tmp_path), HELP) == []


def test_recall_loads_no_other_command(store: Path) -> None:
    others = {f"promptx_mem.cli.{command.module or name}" for name, command in COMMANDS.items()}
    others -= {"promptx_mem.cli.recall"}
    assert not others & _all(["recall", "tea"], store)


def test_yaml_is_loaded_only_if_there_is_a_config(tmp_path: Path) -> None:
    (tmp_path / ".memory").mkdir()
    assert "yaml" not in _all(["recall"], tmp_path)
    (tmp_path / ".memory" / "config.yaml").write_text("policy: standard\n", encoding="utf-8")
    assert "yaml" in _all(["recall"], tmp_path)


def test_recall_loads_few_search_modules(store: Path) -> None:
    """The module of dates is loaded only for a query that may contain one; the index is not written."""
    searching = {name for name in _all(["recall", "tea"], store) if name.startswith("promptx_mem.search.")}
    rare = {"days", "index_write", "memories", "importance", "meant", "passages", "tables", "cues"}
    assert not searching & {f"promptx_mem.search.{name}" for name in rare}
    assert len(searching) <= 13
    assert "promptx_mem.search.days" in _all(["recall", "tea yesterday"], store)
