"""A sync with few changes writes nothing needlessly and skips nothing."""

import shutil

import pytest

from tests.team.fake import Space
from tests.team.team import Make, Member, settle


def test_sync_without_changes_writes_nothing(member: Make) -> None:
    ada, bob = member("ada"), member("bob")
    settle(ada, bob)
    ada.sync()
    before = ada.read_bytes("MEMORY.md"), (ada.root / ".team" / "sent").read_bytes()
    data = ada.sync().data
    assert (data["pushed"], data["pulled"]) == (0, 0)
    assert before == (ada.read_bytes("MEMORY.md"), (ada.root / ".team" / "sent").read_bytes())


def _boost_the_episode(copy: Member) -> None:
    with copy.file("journal.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"k":1772370000000009,"host":"","at":"2026-03-01T18:00:00Z","e":"boosted","id":"m_0123456789"}\n')


def test_memory_stored_during_a_sync_is_sent_by_the_next(
    member: Make, space: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = member("ada")
    ada.sync()
    ada.remember("first")
    real = type(ada).remember
    meanwhile = iter(["while it is sent"])

    def put(role: str, record: object, xid: int | None = None) -> bool:
        for text in meanwhile:
            real(ada, text)
        return insert(role, record, xid)  # type: ignore[arg-type]

    insert = space.insert
    monkeypatch.setattr(space, "insert", put)
    ada.sync()
    ada.sync()
    assert b"while it is sent" in space.texts()


def test_events_of_episodes_are_not_sent(member: Make, space: Space) -> None:
    """Episodes are stored with their conversations; an event of one may quote it."""
    ada = member("ada")
    ada.sync()
    line = '- [2026-03-01 12:00] they talked <!-- {\\"id\\":\\"m_0123456789\\",\\"at\\":\\"2026-03-01T12:00:00Z\\",\\"category\\":\\"episode\\"} -->'
    (ada.root / "conversations").mkdir(mode=0o700, exist_ok=True)
    (ada.root / "conversations" / "episodes.jsonl").write_text(f'{{"line":"{line}"}}\n', "utf-8")
    _boost_the_episode(ada)
    for _ in range(2):
        ada.sync()
        assert b"m_0123456789" not in space.texts()
        shutil.rmtree(ada.root / ".cache", ignore_errors=True)
        _boost_the_episode(ada)
