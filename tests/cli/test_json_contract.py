"""`--json` on every command: stdout is one versioned object, with the same keys on success and failure."""

from pathlib import Path
from typing import Any

import pytest

from tests.cli import program
from tests.cli.json_cases import CASES, Arguments, Case
from tests.inside import COMMANDS, Text, payload_of, result

ENVELOPE = {"v", "command", "ok", "exit", "warnings", "error"}
NAMES = list(COMMANDS)
ENDING = [name for name in NAMES if name not in CASES or CASES[name].good]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A store with one active and one ended memory, and a file to import; tests copy it."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "old.md").write_text("- an old fact #old #评分:9 #有效期:长期\n", encoding="utf-8")
    names = {"file": "old.md"}
    for name, text in (("id", "the user likes green tea"), ("ended", "the user likes coffee")):
        stored = program.run("remember", text, "#tag", "score:9", "--json", cwd=folder)
        assert stored.status == 0, stored
        names[name] = str(stored.object["id"])
    assert program.run("forget", names["ended"], cwd=folder).status == 0
    return folder, names


def _input(case: Case) -> dict[str, Any]:
    return {"env": case.env, "stdin": case.stdin}


def _keys(command: str) -> set[str]:
    """Return the keys of a command's object besides the common ones."""
    if command in ("help", "version"):
        return set(Text.__annotations__)
    return set(payload_of(command).__annotations__) if command else set()


def _filled(arguments: Arguments, names: dict[str, str]) -> list[str]:
    out = list(arguments)
    for name, value in names.items():
        out = [word.replace("{" + name + "}", value) for word in out]
    return out


def _check(ran: program.Ran, command: str, status: int) -> dict[str, Any]:
    assert ran.status == status, ran
    assert ran.err == ""
    value = ran.object
    assert set(value) == ENVELOPE | _keys(command)
    assert value["v"] == result.VERSION
    assert value["command"] == command
    assert value["exit"] == status
    assert value["ok"] is (status == 0)
    assert isinstance(value["warnings"], list)
    if status in (0, 4):
        return value
    if value["error"] is not None:
        assert set(value["error"]) == {"code", "message", "hint"}
        assert all(isinstance(text, str) for text in value["error"].values())
        assert value["error"]["message"]
    return value


@pytest.mark.one_in(4)
@pytest.mark.parametrize("command", ENDING)
def test_success_prints_one_json_object(command: str, tmp_path: Path, store: tuple[Path, dict[str, str]]) -> None:
    for number, arguments in enumerate(CASES[command].good):
        folder, names = program.own_copy(store[0], tmp_path / str(number)), store[1]
        ran = program.run(command, *_filled(arguments, names), "--json", cwd=folder, **_input(CASES[command]))
        value = _check(ran, command, 0)
        assert value["error"] is None
        assert value.get("store") == ("./.memory" if "store" in _keys(command) else None)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("command", NAMES)
def test_failure_prints_one_json_object(command: str, tmp_path: Path, store: tuple[Path, dict[str, str]]) -> None:
    folder, names = program.own_copy(store[0], tmp_path / "store"), store[1]
    case = CASES[command]
    for number, (status, arguments) in enumerate(((2, ("--nosuch",)), *case.bad)):
        filled = _filled(arguments, names)
        ran = program.run(
            command, "--json", *filled, cwd=folder, env=case.env | {"PROMPTX_MEM_SESSION": f"{command}-{number}"}
        )
        value = _check(ran, command, status)
        assert status == 4 or value["error"] is not None or value.get("items")


@pytest.mark.parametrize("command", ENDING)
def test_unreadable_store_is_a_store_error(command: str, tmp_path: Path) -> None:
    (tmp_path / ".memory").write_text("not a directory", encoding="utf-8")
    (tmp_path / "old.md").write_text("- an old fact\n", encoding="utf-8")
    names = {"id": "m_aaaaaaaaaa", "ended": "m_aaaaaaaaaa", "file": "old.md"}
    ran = program.run(
        command, *_filled(CASES[command].good[0], names), "--json", cwd=tmp_path, **_input(CASES[command])
    )
    if CASES[command].storeless:
        _check(ran, command, 0)
    else:
        assert _check(ran, command, 3)["error"]["code"] == "store"


@pytest.mark.parametrize(
    ("arguments", "command", "status"),
    [
        (("--json",), "help", 0),
        (("--json", "--version"), "version", 0),
        (("nosuch", "--json"), "", 2),
        (("--memory-dir", "remember", "recall", "--json"), "recall", 3),
        (("--memory-dir", "", "recall", "--json"), "recall", 2),
    ],
)
def test_json_works_without_a_valid_command(arguments: Arguments, command: str, status: int, tmp_path: Path) -> None:
    _check(program.run(*arguments, cwd=tmp_path), command, status)


def test_unprintable_characters_are_escaped(tmp_path: Path) -> None:
    program.run("remember", "-", "-t", "tag", "--score", "9", cwd=tmp_path, stdin="a\x9b31m\u202eb\x07")
    ran = program.run("recall", "--json", cwd=tmp_path)
    assert not {"\x9b", "\u202e", "\x07"} & set(ran.out)
    assert ran.object["memories"][0]["text"].replace("\ufffd", "?") in {"a\x9b31m\u202eb\x07", "a?31m?b?"}


def test_bug_of_the_program_is_an_internal_error(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom promptx_mem.cli import app\nfrom promptx_mem.daily import EverydayMemory\n"
        "def broken(*_: object, **__: object) -> None: raise ZeroDivisionError('boo')\n"
        "EverydayMemory.recall = broken\nsys.exit(app.run(['recall', '--json']))\n"
    )
    ran = program.run_python(code, cwd=tmp_path)
    assert _check(ran, "recall", 3)["error"]["code"] == "internal"
    ran = program.run_python(code, cwd=tmp_path, env={"PROMPTX_MEM_DEBUG": "1"})
    assert "ZeroDivisionError: boo" in ran.err
