"""The command: what it asks, what it says, and what it does at a terminal alone."""

from pathlib import Path
from typing import Any

import pytest

from tests.api import PromptxMemError, complete
from tests.inside import Common, session
from tests.inside import cli_sync as cli
from tests.team.fake import Space, connecting
from tests.team.inside import Sync, postgres
from tests.team.team import Make, members

pytest.importorskip("psycopg")
DSN = "host=/nowhere user=ada dbname=memory"


@pytest.fixture
def member(tmp_path: Path, space: Space, monkeypatch: pytest.MonkeyPatch) -> Make:
    monkeypatch.setattr(postgres, "connect", connecting(space, "ada"))
    monkeypatch.setattr(session, "is_person", lambda: True)
    monkeypatch.setattr("promptx_mem.cli.terminal.typed_name", lambda *_: True)
    monkeypatch.setattr("promptx_mem.cli.terminal.confirmed", lambda *_, **__: True)
    return members(tmp_path, space, monkeypatch)


def _say(member: str, **options: Any) -> str:
    return cli.as_text(complete(Sync, cli.command(common=Common(memory_dir=member), **options).data))


def test_from_binding_to_status(member: Make, space: Space) -> None:
    ada = member("ada")
    place = str(ada.root)
    said = _say(place, join=DSN, space="other")
    assert "1 memory to send" in said
    assert "to send 1" in _say(place, status=True)
    assert not space.rows
    assert _say(place).startswith("sent 1, received 0: other (host=/nowhere dbname=memory user=ada)")
    assert "to receive 0, to send 0, held back 0, left out 0" in _say(place, status=True)
    assert _say(place, trust="bob").startswith("trusted bob")
    assert _say(place, without_="bob").startswith("0 lines and events of bob removed")


def test_an_answer_other_than_yes_binds_nothing(member: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    questions: list[str] = []

    def confirmed(question: str, *, err: bool) -> bool:
        questions.append(question)
        return False

    monkeypatch.setattr("promptx_mem.cli.terminal.confirmed", confirmed)
    ada = member("ada")
    with pytest.raises(PromptxMemError) as caught:
        _say(str(ada.root), join=DSN, space="other")
    assert caught.value.code == "not_confirmed"
    assert questions == [f"Send 1 memory of {ada.root} to other (host=/nowhere dbname=memory user=ada)?"]


@pytest.mark.parametrize("options", [{"join": DSN, "space": "x"}, {"trust": "bob"}])
def test_what_a_person_decides(member: Make, monkeypatch: pytest.MonkeyPatch, options: dict[str, str]) -> None:
    ada = member("ada")
    monkeypatch.setattr(session, "is_person", lambda: False)
    with pytest.raises(PromptxMemError) as caught:
        _say(str(ada.root), **options)
    assert caught.value.code == "needs_person"


@pytest.mark.parametrize(
    "options",
    [
        {"join": DSN, "status": True},
        {"task": ["admin", "setup", DSN], "status": True},
        {"task": ["admin"]},
        {"task": ["setup", DSN]},
        {"task": ["admin", "grant", "bob"], "space": "team"},
        {"task": ["admin", "grant", "bob", DSN]},
        {"task": ["admin", "revoke", "bob", DSN], "as_": "keeper"},
        {"task": ["admin", "derive", DSN]},
        {"as_": "keeper"},
        {"join": DSN},
        {"join": "host=x password=hunter2", "space": "team"},
    ],
)
def test_what_cannot_be_meant(member: Make, options: dict[str, Any]) -> None:
    ada = member("ada")
    with pytest.raises(PromptxMemError) as caught:
        _say(str(ada.root), **options)
    assert caught.value.exit_status == 2
    assert "hunter2" not in caught.value.message + caught.value.hint
