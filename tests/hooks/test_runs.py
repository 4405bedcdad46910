"""`status` shows when the hooks of a host last ran, and why they last failed."""

from pathlib import Path

import pytest

from promptx_mem.hooks import run


def test_the_last_run_and_the_last_error_are_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr("sys.stdin", None)
    assert run.recorded("gemini") == ("", "")
    monkeypatch.setattr(run, "reply", lambda *_: {})
    run.main("start", "gemini")
    ran, failed = run.recorded("gemini")
    assert (ran.endswith(" start"), failed) == (True, "")

    def fail(*_: object) -> None:
        raise ValueError("two\nlines")

    monkeypatch.setattr(run, "reply", fail)
    run.main("prompt", "gemini")
    ran, failed = run.recorded("gemini")
    assert ran.endswith(" prompt")
    assert failed.endswith(" prompt ValueError: two lines")
    assert run.recorded("claude") == ("", "")


def test_a_private_session_records_no_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("PROMPTX_MEM_OFF", "1")
    monkeypatch.setattr("sys.stdin", None)
    run.main("start", "gemini")
    assert not (tmp_path / "promptx-mem" / run.RUNS).exists()
