"""Day-long sessions: one that is used over midnight goes on, and two agents in two terminals are two."""

import datetime
import fcntl
import os
import pty
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from tests.api import Memory, Message, Refused, Request, layout
from tests.inside import Converse, session
from tests.world import World

START = datetime.datetime(2026, 3, 1, 21, 30, tzinfo=datetime.UTC)


@pytest.fixture(autouse=True)
def _nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """No terminal, no host that names its session."""
    for name in session.VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(session, "_terminal", lambda: None)
    monkeypatch.setattr(session, "_terminal_above", lambda: None)


class Day:
    """Says something in a day-long session at hours after half past nine in the evening."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / ".memory"

    def memory(self, hours: float) -> Memory:
        return Memory(layout.at(str(self.root)), clock=lambda: START + datetime.timedelta(hours=hours))

    def say(self, hours: float, text: str) -> Converse:
        return self.memory(hours).converse([Message("user", text)]).data


def test_a_conversation_over_midnight_is_one(tmp_path: Path) -> None:
    day = Day(tmp_path)
    data = [day.say(hours, f"at {hours}") for hours in (0, 2, 3.5, 7, 10.9)]
    assert {one["session"] for one in data} == {"day:2026-03-01"}
    assert len(list((day.root / "conversations").glob("u_*"))) == 1
    shown = day.memory(11).working_memory().data["messages"]
    assert [one["text"] for one in shown or []] == ["at 0", "at 2", "at 3.5", "at 7", "at 10.9"]
    assert day.say(15, "after a pause")["session"] == "day:2026-03-02"
    assert day.say(26, "and the next day again")["session"] == "day:2026-03-02"


def test_a_block_does_not_end_at_midnight(tmp_path: Path) -> None:
    day = Day(tmp_path)
    World(day.root).remember("there is a store")
    for hours in (1, 2, 2.4):
        with pytest.raises(Refused):
            day.memory(hours).remember(_request("a passing thought"))
    with pytest.raises(Refused, match=r"day:2026-03-01.* is blocked"):
        day.memory(3).remember(_request("worth it", "8"))
    assert day.memory(8).remember(_request("worth it", "8")).exit_status == 0


def test_another_clock_and_a_torn_file_are_borne(tmp_path: Path) -> None:
    day = Day(tmp_path)
    day.say(0, "hello")
    (unit,) = (day.root / "conversations").glob("u_*")
    with unit.open("ab") as file:
        file.write(b'{"m":2,"role":"user","at":"2099-01-01T00:00:00+00:00","text":"x"}\n{"m":3,"ro')
    assert day.memory(3).context.session == "day:2026-03-02"  # what is ahead of the clock says nothing
    (day.root / "audit.jsonl").write_text('{"at":"never","s":"day:2026-03-01"}\n[]\n')
    assert day.memory(3).context.session == "day:2026-03-02"


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


def _request(text: str, score: str = "2") -> Request:
    return Request(text, tags=("t",), score=score)
