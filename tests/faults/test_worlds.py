"""The program in other environments: locales, homes, clocks, time zones and folders."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults import program
from tests.world import World

TEXT = "用户偏好：黑咖啡 ☕"
REMEMBER = ("remember", TEXT, "-t", "标签", "--score", "9")
RECALL = ("recall", "黑咖啡")
PATH = {"PATH": os.environ["PATH"]}


def command(cwd: Path, *words: str, env: dict[str, str] | None = None, shell: str = "") -> tuple[int, bytes, bytes]:
    """Run the program in a process with only the given environment."""
    call = [sys.executable, "-m", "promptx_mem", *words]
    if shell:
        call = ["/bin/sh", "-c", f'exec "$0" "$@" {shell}', *call]
    done = subprocess.run(call, cwd=cwd, env=PATH | (env or {}), capture_output=True, check=False, timeout=60)
    assert b"Traceback" not in done.stderr
    return done.returncode, done.stdout, done.stderr


ENVIRONMENTS = {
    "nothing": {}, "C": {"LC_ALL": "C"},
    "POSIX without UTF-8 mode": {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "latin-1 output": {"PYTHONIOENCODING": "latin-1"}, "GBK": {"LC_ALL": "zh_CN.GBK", "PYTHONUTF8": "0"},
    "unknown locale": {"LC_ALL": "xx_YY.ISO-9"}, "no terminal": {"TERM": "", "HOME": "/dev/null/home"},
    "dumb terminal": {"TERM": "dumb", "NO_COLOR": "1"}, "Shanghai": {"TZ": "Asia/Shanghai"},
    "New York": {"TZ": "America/New_York"}, "unknown time zone": {"TZ": "Nowhere/At_All"},
    "half-hour zone": {"TZ": "XYZ+3:30"}, "impossible zone": {"TZ": "UTC+25"},
}  # fmt: skip


@pytest.mark.one_in(6)
@pytest.mark.parametrize("env", ENVIRONMENTS.values(), ids=ENVIRONMENTS)
def test_text_is_recalled_in_every_environment(env: dict[str, str], tmp_path: Path) -> None:
    status, out, err = command(tmp_path, *REMEMBER, env=env)
    assert (status, err) == (0, b""), err
    status, out, err = command(tmp_path, *RECALL, env=env)
    assert (status, err) == (0, b"")
    assert TEXT in out.decode()


FOLDER_NAMES = {
    "spaces": b"a b  c",
    "a newline": b"a\nb",
    "no UTF-8": b"\xff\xfe\x80",
    "an option": b"--json",
    "decomposed": "cafe\u0301".encode(),
    "a quote": b'it\'s "$(here)"',
}


@pytest.mark.thorough
@pytest.mark.parametrize("name", FOLDER_NAMES.values(), ids=FOLDER_NAMES)
def test_working_directory_may_have_any_name(name: bytes, tmp_path: Path) -> None:
    folder = Path(os.fsdecode(os.path.join(os.fsencode(tmp_path), name)))
    try:
        folder.mkdir()
    except OSError:  # macOS rejects such a name
        return
    for words in (REMEMBER, RECALL, ("--json", *RECALL), ("audit", "--verify")):
        status, _, err = command(folder, *words)
        assert (status, err) == (0, b""), (words, err)
    prints = folder.name.isprintable()  # a newline would start another crontab line
    assert command(folder, "decay", "--schedule")[0] == (0 if prints else 2)
    (folder / "deeper").mkdir()
    status, _, err = command(folder / "deeper", *REMEMBER[:1], "more", "-t", "t", "--score", "9", "--json")
    assert (status, err) == (0, b"")
    assert (folder / ".memory").is_dir()
    assert not (folder / "deeper" / ".memory").exists()


def test_deleted_working_directory_is_reported(tmp_path: Path) -> None:
    (tmp_path / "gone").mkdir()

    def leave() -> None:
        os.chdir(tmp_path / "gone")
        (tmp_path / "gone").rmdir()

    for words in (REMEMBER, RECALL):
        run = program.run(tmp_path, *words, before=leave)
        assert (run.status, run.is_clean()) == (3, True), run
        assert "the working directory no longer exists" in run.err
        (tmp_path / "gone").mkdir()
    run = program.run(tmp_path, *REMEMBER, "--memory-dir", str(tmp_path / ".memory"), before=leave)
    assert run.status == 0, run


CLOCKS = ("1970-01-01T08:00:01", "1970-01-02T00:00:00", "2024-02-29T12:00:00", "2026-11-01T01:30:00", "2026-03-08T02:30:00",
          "2038-01-19T03:14:08", "2100-02-28T23:59:59", "9999-12-30T12:00:00")  # fmt: skip


@pytest.mark.one_in(6)
@pytest.mark.parametrize("zone", ["UTC", "Asia/Shanghai", "America/New_York"])
@pytest.mark.parametrize("clock", CLOCKS)
def test_memory_is_found_at_any_time(clock: str, zone: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import datetime
    import zoneinfo

    world = World(tmp_path / ".memory")
    world.time = datetime.datetime.fromisoformat(clock).replace(tzinfo=zoneinfo.ZoneInfo(zone))
    ident = world.remember(TEXT, duration="30d")["id"]
    assert world.recall() == [TEXT]
    world.memory.boost(ident)
    world.memory.verify(ident)
    world.memory.forget(ident)
    assert world.recall() == []
    world.memory.restore(ident)
    assert world.recall("黑咖啡") == [TEXT]
    assert world.memory.audit_verify().data["problems"] == []
