"""What cron runs: an empty environment, another directory, no terminal, and silence where there is nothing to say."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.api import layout


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


LINE = re.compile(r"^(?:\S+ ){5}(cd ~/notes && git .*)$", re.MULTILINE)


class Machine:
    """A home directory with a clone of the notes."""

    def __init__(self, home: Path, origin: Path) -> None:
        self.env = {"HOME": str(home), "PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
        self.notes = home / "notes"
        home.mkdir()
        (home / ".gitconfig").write_text(
            "[user]\n name = x\n email = x@example.org\n[init]\n defaultBranch = main\n", "utf-8"
        )
        subprocess.run(["git", "clone", "-q", str(origin), "notes"], cwd=home, env=self.env, check=True)

    def remember(self, text: str) -> None:
        words = [sys.executable, "-m", "promptx_mem", "remember", text, "#t", "score:8"]
        subprocess.run(words, cwd=self.notes, env=self.env, check=True, capture_output=True)

    def step(self) -> "subprocess.CompletedProcess[str]":
        (line,) = LINE.findall((Path(__file__).parents[2] / "docs" / "sharing.md").read_text("utf-8"))
        return subprocess.run(
            ["/bin/sh", "-c", line], env=self.env, stdin=subprocess.DEVNULL, text=True, capture_output=True, check=False
        )


def test_the_line_of_the_docs_keeps_copies_in_step(tmp_path: Path) -> None:
    origin = tmp_path / "origin.git"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(origin)], check=True)
    one = Machine(tmp_path / "one", origin)
    subprocess.run(
        [sys.executable, "-m", "promptx_mem", "init", "--shared"],
        cwd=one.notes,
        env=one.env,
        check=True,
        capture_output=True,
    )
    one.remember("from the first machine")
    subprocess.run(["git", "add", "."], cwd=one.notes, env=one.env, check=True)
    subprocess.run(["git", "commit", "-qm", "Begin"], cwd=one.notes, env=one.env, check=True)
    subprocess.run(["git", "push", "-q", "-u", "origin", "main"], cwd=one.notes, env=one.env, check=True)
    two = Machine(tmp_path / "two", origin)
    quiet = (0, "", "")
    for machine in (one, two):
        done = machine.step()
        assert (done.returncode, done.stdout, done.stderr) == quiet
    one.remember("a new fact here")
    two.remember("another fact there")
    for machine in (one, two, one):
        done = machine.step()
        assert (done.returncode, done.stdout, done.stderr) == quiet
    texts = ("a new fact here", "another fact there")
    for machine in (one, two):
        assert all(text in (machine.notes / ".memory/declarative.md").read_text("utf-8") for text in texts)
    for machine, text in ((one, "mine"), (two, "theirs")):
        (machine.notes / "plan.txt").write_text(text, "utf-8")
        subprocess.run(["git", "add", "plan.txt"], cwd=machine.notes, env=machine.env, check=True)
        subprocess.run(["git", "commit", "-qm", text], cwd=machine.notes, env=machine.env, check=True)
    assert one.step().returncode == 0
    done = two.step()
    assert done.returncode == 1
    assert "CONFLICT" in done.stdout + done.stderr
    assert not (two.notes / ".git" / "MERGE_HEAD").exists()
    shutil.move(str(origin), str(tmp_path / "gone"))
    done = one.step()
    assert done.returncode != 0
    assert done.stderr
