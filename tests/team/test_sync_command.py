"""The sync command: its question, its output, and the acts that need a person."""

from pathlib import Path
from typing import Any

import pytest

from tests.api import PromptxMemError, complete
from tests.inside import Common, session
from tests.inside import cli_sync as cli
from tests.team.fake import Space, connecting
from tests.team.inside import Sync, postgres
from tests.team.team import Make, members
from tests.team.test_trust import GOOD

pytest.importorskip("psycopg")
DSN = "host=/nowhere user=ada dbname=memory"


@pytest.fixture
def member(tmp_path: Path, space: Space, monkeypatch: pytest.MonkeyPatch) -> Make:
    monkeypatch.setattr(postgres, "connect", connecting(space, "ada"))
    monkeypatch.setattr(session, "is_person", lambda: True)
    monkeypatch.setattr("promptx_mem.cli.terminal.typed_name", lambda *_: True)
    monkeypatch.setattr("promptx_mem.cli.terminal.confirmed", lambda *_, **__: True)
    return members(tmp_path, space, monkeypatch)


def _run(member: str, **options: Any) -> str:
    return cli.as_text(complete(Sync, cli.command(common=Common(memory_dir=member), **options).data))


def test_join_sync_status_trust_and_exclude_print_their_results(member: Make, space: Space) -> None:
    ada = member("ada")
    place = str(ada.root)
    said = _run(place, join=DSN, space="other")
    assert "1 memory to send" in said
    assert "1 to send" in _run(place, status=True)
    assert not space.rows
    assert _run(place).startswith("sent 1, received 0: other (host=/nowhere dbname=memory user=ada)")
    assert "0 to receive, 0 to send, 0 held back, 0 left out" in _run(place, status=True)
    space.xid += 1
    space.insert("bob", GOOD)
    assert "received 1" in _run(place)
    assert _run(place, trust="bob").startswith("trusted bob")
    assert _run(place, without_="bob").startswith("1 record of bob removed")
    assert "trusted: bob\nexcluded: bob\n" in _run(place, status=True)


def test_join_is_refused_unless_the_answer_is_yes(member: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    questions: list[str] = []

    def confirmed(question: str, *, err: bool) -> bool:
        questions.append(question)
        return False

    monkeypatch.setattr("promptx_mem.cli.terminal.confirmed", confirmed)
    ada = member("ada")
    with pytest.raises(PromptxMemError) as caught:
        _run(str(ada.root), join=DSN, space="other")
    assert caught.value.code == "not_confirmed"
    assert questions == [
        f"This store leaves team (host=/nowhere dbname=memory user=me). Send 1 memory of {ada.root} to other (host=/nowhere dbname=memory user=ada)?"
    ]


@pytest.mark.parametrize("options", [{"join": DSN, "space": "x"}, {"trust": "bob"}, {"without_": "bob"}])
def test_join_and_trust_need_a_person(member: Make, monkeypatch: pytest.MonkeyPatch, options: dict[str, str]) -> None:
    ada = member("ada")
    monkeypatch.setattr(session, "is_person", lambda: False)
    with pytest.raises(PromptxMemError) as caught:
        _run(str(ada.root), **options)
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
        {"trust": "nobody"},
        {"without_": "nobody"},
        {"join": DSN},
        {"join": "host=x password=hunter2", "space": "team"},
    ],
)
def test_invalid_combinations_of_options_are_usage_errors(member: Make, options: dict[str, Any]) -> None:
    ada = member("ada")
    with pytest.raises(PromptxMemError) as caught:
        _run(str(ada.root), **options)
    assert caught.value.exit_status == 2
    assert "hunter2" not in caught.value.message + caught.value.hint
