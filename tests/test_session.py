"""The session of a caller that nothing names: by its day, and two agents in two terminals are two."""

import datetime
import fcntl
import os
import pty
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from tests.api import Memory, Message, layout
from tests.inside import session

START = datetime.datetime(2026, 3, 1, 21, 30, tzinfo=datetime.UTC)


@pytest.fixture(autouse=True)
def _nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """No terminal, no host that names its session."""
    monkeypatch.setattr(session, "_terminal", lambda: None)
    monkeypatch.setattr(session, "_terminal_above", lambda: None)


def test_a_conversation_past_midnight_is_two(tmp_path: Path) -> None:
    root = str(tmp_path / ".memory")
    for hours in (0, 2, 3.5, 7):
        memory = Memory(layout.at(root), clock=lambda hours=hours: START + datetime.timedelta(hours=hours))  # type: ignore[misc]
        data = memory.converse([Message("user", f"at {hours}")]).data
        assert data["session"] == ("day:2026-03-01" if hours < 2.5 else "day:2026-03-02")
    shown = memory.working_memory().data["messages"]
    assert [one["text"] for one in shown or []] == ["at 3.5", "at 7"]


NAME = "import datetime; from promptx_mem import session; print(session.name(None, datetime.datetime.now()))"
CALL = f"import subprocess, sys; print(subprocess.check_output([sys.executable, '-c', {NAME!r}], start_new_session=True, text=True))"


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_two_agents_in_two_terminals_are_two() -> None:
    """Each of their tool calls has a process session of its own, and no terminal."""
    env = {name: value for name, value in os.environ.items() if name not in session.VARIABLES}

    def agent(calls: int) -> list[str]:
        leader, follower = pty.openpty()

        def take_terminal() -> None:
            os.setsid()
            fcntl.ioctl(follower, termios.TIOCSCTTY, 0)

        code = f"for _ in range({calls}):\n    {CALL}"
        done = subprocess.run(
            [sys.executable, "-c", code], preexec_fn=take_terminal, env=env, capture_output=True, text=True, check=True
        )
        os.close(leader)
        os.close(follower)
        return done.stdout.split()

    one, other = agent(2), agent(1)
    assert one[0] == one[1] != other[0]
    assert one[0].startswith("tty:")
