"""An agent that is our judge has no hooks of ours: they would change its answer, or ask it for memories."""

import json
from pathlib import Path

import pytest

from tests.api import hooks_run as run
from tests.inside import judge_failure as failure


def test_hooks_are_silent_inside_a_judge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run.JUDGING == failure.INSIDE
    event = json.dumps({"hook_event_name": "UserPromptSubmit", "prompt": "记住：我喜欢茶", "session_id": "s"}).encode()
    assert run.reply("prompt", event) != {}
    monkeypatch.setenv(failure.INSIDE, "1")
    assert not any(run.reply(action, event) for action in run.ACTIONS)
