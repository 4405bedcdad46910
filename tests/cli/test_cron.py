"""What cron runs: an empty environment, another directory, no terminal, and silence where there is nothing to say."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from promptx_mem.store import layout


def run(line: str, cwd: Path) -> "subprocess.CompletedProcess[str]":
    """Run a command line as cron does: /bin/sh, no environment, no input."""
    return subprocess.run(
        ["/usr/bin/env", "-i", "/bin/sh", "-c", line],
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        text=True,
        capture_output=True,
        check=False,
    )


def program(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "promptx_mem", *arguments], text=True, capture_output=True, check=False
    )


@pytest.fixture
def crontab(tmp_path: Path) -> tuple[str, Path]:
    """The command of the crontab line for a store whose path holds what a shell and cron would trip over."""
    root = tmp_path / "a 50% 'quoted' 路径" / ".memory"
    assert program("remember", "a fact", "#t", "score:8", "--memory-dir", str(root)).returncode == 0
    schedule = json.loads(program("decay", "--schedule", "--json", "--memory-dir", str(root)).stdout)["schedule"]
    fields = re.fullmatch(r"(\S+ ){5}(?P<command>.*)", schedule["cron"])
    assert fields is not None
    assert re.search(r"(?<!\\)%", fields["command"]) is None
    return fields["command"].replace(r"\%", "%"), root


def test_the_crontab_line_runs_and_then_has_nothing_to_say(crontab: tuple[str, Path]) -> None:
    command, root = crontab
    first = run(command, Path("/"))
    assert (first.returncode, first.stderr) == (0, "")
    second = run(command, Path("/"))
    assert (second.returncode, second.stdout, second.stderr) == (0, "", "")
    assert (root / "MEMORY.md").exists()


def test_a_wrong_config_is_one_clear_line_and_exit_2(crontab: tuple[str, Path]) -> None:
    command, root = crontab
    (root / "config.yaml").write_text("polcy: strict\n", "utf-8")
    done = run(command, Path("/"))
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.splitlines()[0] == "promptx-mem: config.yaml: unknown key polcy"
    assert "Traceback" not in done.stderr


def test_a_store_that_is_gone_is_said(crontab: tuple[str, Path]) -> None:
    command, root = crontab
    shutil.rmtree(root)
    done = run(command, Path("/"))
    assert (done.returncode, done.stdout) == (3, "")
    assert "there is no store at" in done.stderr
    assert not root.exists()


def test_two_at_once_both_end_well(crontab: tuple[str, Path]) -> None:
    command, root = crontab
    runs = [
        subprocess.Popen(["/bin/sh", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(4)
    ]
    assert [one.wait(timeout=60) for one in runs] == [0] * 4
    for one in runs:
        one.communicate()
    assert layout.at(str(root)).exists()


def test_each_project_has_units_of_its_own_and_the_command_that_starts_them(tmp_path: Path) -> None:
    names = []
    for folder in (tmp_path / "one" / "app 路径", tmp_path / "two" / "app 路径"):
        root = folder / ".memory"
        assert program("init", "--memory-dir", str(root)).returncode == 0
        text = program("decay", "--schedule", "--memory-dir", str(root)).stdout
        names += re.findall(r"^# then: systemctl --user enable --now (\S+)\.timer$", text, re.MULTILINE)
        assert re.findall(r"^# ~/.config/systemd/user/(\S+)$", text, re.MULTILINE) == [
            f"{names[-1]}.service",
            f"{names[-1]}.timer",
        ]
    assert len({*names}) == 2
    assert all(re.fullmatch(r"promptx-mem-app-[0-9a-f]{6}", name) for name in names)
