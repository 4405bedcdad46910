"""The crontab line: an empty environment, another directory, no terminal, and no output if nothing was done."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest


def run(line: str, cwd: Path) -> "subprocess.CompletedProcess[str]":
    """Run a command line as cron does: /bin/sh, no environment, no input."""
    words = ["/usr/bin/env", "-i", "/bin/sh", "-c", line]
    return subprocess.run(words, cwd=cwd, stdin=subprocess.DEVNULL, text=True, capture_output=True, check=False)


def program(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "promptx_mem", *arguments], text=True, capture_output=True, check=False
    )


@pytest.fixture
def crontab(tmp_path: Path) -> tuple[str, Path]:
    """The command of the crontab line for a store whose path has special characters of shells and cron."""
    root = tmp_path / "a 50% 'quoted' 路径" / ".memory"
    assert program("remember", "a fact", "#t", "score:8", "--memory-dir", str(root)).returncode == 0
    schedule = json.loads(program("decay", "--schedule", "--json", "--memory-dir", str(root)).stdout)["schedule"]
    fields = re.fullmatch(r"(\S+ ){5}(?P<command>.*)", schedule["cron"])
    assert fields is not None
    assert re.search(r"(?<!\\)%", fields["command"]) is None
    return fields["command"].replace(r"\%", "%"), root


def test_second_run_of_the_crontab_line_prints_nothing(crontab: tuple[str, Path]) -> None:
    command, root = crontab
    first = run(command, Path("/"))
    assert (first.returncode, first.stderr) == (0, "")
    second = run(command, Path("/"))
    assert (second.returncode, second.stdout, second.stderr) == (0, "", "")
    assert (root / "MEMORY.md").exists()


def test_missing_store_is_reported_and_not_created(crontab: tuple[str, Path]) -> None:
    command, root = crontab
    shutil.rmtree(root)
    done = run(command, Path("/"))
    assert (done.returncode, done.stdout) == (3, "")
    assert "there is no store at" in done.stderr
    assert not root.exists()


def test_systemd_unit_escapes_what_systemd_would_expand(tmp_path: Path) -> None:
    root = tmp_path / 'a 50% "${HOME}" $x' / ".memory"
    assert program("remember", "a fact", "#t", "score:8", "--memory-dir", str(root)).returncode == 0
    schedule = json.loads(program("decay", "--schedule", "--json", "--memory-dir", str(root)).stdout)["schedule"]
    path = rf"{tmp_path}/a 50%% \"$${{HOME}}\" $$x/.memory"
    assert f'ExecStart="{sys.executable}" "-m" "promptx_mem" "--memory-dir" "{path}" "decay"\n' in schedule["systemd"]
