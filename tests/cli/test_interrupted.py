"""Ctrl-C at any time: status 130 unless the command had finished, no traceback, no partial result."""

import random
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli import program

pytestmark = pytest.mark.thorough

FILE = "".join(f"- 2026/11/20 09:00 a fact number {number} #t #评分:8 #有效期:长期\n" for number in range(300))
MESSAGE = '{"role":"user","text":"hello"}\n'
BEGUN = re.compile(rb'__main__\.py", line [0-9]+, in main\n')
COMMANDS = {
    "import": ("import", "theirs.md"), "rebuild": ("recall", "fact"), "decay": ("decay",), "converse": ("converse",),
}  # fmt: skip


LOCK = re.compile(
    rb"\AException ignored in: <function _get_module_lock.*?^KeyboardInterrupt: \n", re.DOTALL | re.MULTILINE
)
"""Python's message for an interrupt in the callback of a module's lock, before it runs our code."""


def start(folder: Path, *words: str, **more: str) -> "subprocess.Popen[bytes]":
    pipe = subprocess.PIPE
    environment = {**program.environment(folder), **more}
    return subprocess.Popen(
        [*program.PROGRAM, *words], cwd=folder, env=environment, stdin=pipe, stdout=pipe, stderr=pipe
    )


@pytest.mark.parametrize("kind", COMMANDS)
def test_interrupted_command_exits_cleanly_and_the_store_is_whole(kind: str, tmp_path: Path, all_faults: bool) -> None:
    chance = random.Random(7)
    (tmp_path / "theirs.md").write_text(FILE, "utf-8")
    stored = kind in ("rebuild", "decay")
    if stored:
        assert program.run("import", "theirs.md", cwd=tmp_path).status == 0
    for _ in range(60 if all_faults else 4):
        if kind == "rebuild":
            (tmp_path / ".memory" / ".cache" / "cache.db").unlink(missing_ok=True)
        running = start(tmp_path, *COMMANDS[kind])
        time.sleep(0.04 + chance.random() * 0.4)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(MESSAGE.encode(), timeout=60)
        if running.returncode in (0, 130) or BEGUN.search(err):  # else Python itself was still starting
            assert running.returncode in (0, 130), (out, err)
            assert b"Traceback" not in LOCK.sub(b"", err), err
    assert program.run("import", "theirs.md", cwd=tmp_path).status == 0
    assert program.run("audit", "--verify", cwd=tmp_path).status == 0
    assert (tmp_path / ".memory" / "declarative.md").read_text("utf-8").count("a fact number") == 300


JUDGE = (  # the parent of the tests may have made them ignore SIGINT
    "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    "from promptx_mem.judge.judge import CommandJudge\n"
    "try: CommandJudge(sys.argv[1:], 60).ask('?')\nexcept KeyboardInterrupt: sys.exit(130)\n"
)
SIGNALS = [(signal.SIGINT, 130), (signal.SIGTERM, 143)]


@pytest.mark.parametrize(("number", "status"), SIGNALS)
def test_judge_is_killed_when_the_command_is(number: signal.Signals, status: int, tmp_path: Path) -> None:
    judge = ["sh", "-c", f"echo $$ > {shlex.quote(str(tmp_path / 'judge'))}; exec sleep 60"]
    with subprocess.Popen([sys.executable, "-c", JUDGE, *judge], stderr=subprocess.PIPE) as running:
        until = time.monotonic() + 30
        while not (tmp_path / "judge").exists() or not (tmp_path / "judge").read_text().endswith("\n"):
            assert time.monotonic() < until
            time.sleep(0.02)
        running.send_signal(number)
        assert running.wait(30) == status
    judged = (tmp_path / "judge").read_text().strip()
    while _runs(judged):
        assert time.monotonic() < until
        time.sleep(0.02)


def _runs(pid: str) -> bool:
    """Return whether a process runs and is not a zombie."""
    done = subprocess.run(["ps", "-o", "stat=", "-p", pid], capture_output=True, text=True, check=False)
    return done.stdout.strip()[:1] not in ("", "Z")
