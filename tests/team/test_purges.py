"""A purged text is in no copy and no archive. It is on the server only until a keeper syncs."""

import pytest

from tests.api import Plan, StoreError
from tests.team.fake import Space
from tests.team.inside import exchange
from tests.team.team import Make, settle

SECRET = "the garden gate opens with 4711"


@pytest.fixture
def space() -> Space:
    return Space(keepers={"keeper"})


def test_purge_removes_the_text_from_every_copy_and_the_server(member: Make, space: Space) -> None:
    ada, bob, keeper = member("ada"), member("bob"), member("keeper")
    ident = ada.remember(SECRET)["id"]
    settle(ada, bob, keeper)
    bob.memory.forget(ident, "it was a secret")
    bob.memory.decay(Plan(compact=True))  # bob has it in his archive
    settle(bob, ada)
    ada.later(hours=1).memory.forget(ident, purge=True)
    assert SECRET.encode() in space.texts()
    first = ada.sync()
    assert first.exit_status == 1
    assert first.data["purges_unfinished"] > 0
    assert bob.sync().data["destroyed"] == 1
    assert SECRET.encode() not in bob.bytes()
    assert keeper.sync().exit_status == 0
    assert SECRET.encode() not in space.texts()
    assert SECRET.encode() not in keeper.bytes()
    assert ada.sync().exit_status == bob.sync().exit_status == 0


def test_copy_restored_from_before_a_purge_does_not_bring_the_text_back(member: Make, space: Space) -> None:
    ada, bob, keeper = member("ada"), member("bob"), member("keeper")
    ident = ada.remember(SECRET)["id"]
    settle(ada, bob)
    bob.memory.boost(ident)
    old = {name: bob.read_bytes(name) for name in ("declarative.md", "journal.jsonl")}
    ada.later(hours=1).memory.forget(ident, purge=True)
    settle(ada, keeper, bob)
    assert SECRET.encode() not in space.texts()
    for name, data in old.items():
        bob.file(name).write_bytes(data)
    (bob.root / ".team" / "state.json").unlink()
    settle(bob, ada, keeper)
    cleo = member("cleo")
    settle(cleo, bob, ada)
    assert not [one.role for one in (ada, bob, cleo, keeper) if SECRET.encode() in one.bytes()]
    assert SECRET.encode() not in space.texts()
    assert ada.states() == cleo.states()


def test_purge_removes_a_line_with_the_same_text_but_another_id(member: Make) -> None:
    ada, bob = member("ada"), member("bob")
    other = bob.remember("harmless words")["id"]
    settle(ada, bob)
    path = bob.file("declarative.md")
    path.write_text(path.read_text("utf-8").replace("harmless words", SECRET), "utf-8")
    ident = ada.remember(SECRET)["id"]
    ada.later(hours=1).memory.forget(ident, purge=True)
    settle(bob, ada, bob)
    assert other != ident
    assert SECRET.encode() not in bob.bytes() + ada.bytes()


def test_text_stored_again_after_a_purge_is_kept(member: Make) -> None:
    ada, bob = member("ada"), member("bob")
    ident = ada.remember(SECRET)["id"]
    settle(ada, bob)
    ada.later(hours=1).memory.forget(ident, purge=True)
    ada.later(hours=1).remember(SECRET, score="9")
    settle(ada, bob, ada)
    bob.time = ada.time
    assert bob.recall("garden gate") == [SECRET]
    assert ada.states() == bob.states()
    assert bob.read("declarative.md").count(SECRET) == 1


@pytest.mark.parametrize("is_short", [False, True])
def test_more_than_20_purges_wait_until_they_are_accepted(
    is_short: bool, member: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exchange.Room, "is_short", lambda *_: is_short)
    ada, bob = member("ada"), member("bob")
    idents = [ada.remember(f"fact number {number} of many")["id"] for number in range(21)]
    settle(ada, bob)
    ada.later(hours=1)
    for ident in idents:
        ada.memory.forget(ident, purge=True)
    ada.sync()
    held = bob.sync()
    assert held.data["purges_waiting"] == 21
    assert held.exit_status == 1
    assert len(bob.recall("fact number of many")) == 21
    assert bob.sync().data["purges_waiting"] == 21
    assert bob.sync(accept=True).data["destroyed"] == 21
    assert b"of many" not in bob.bytes()
    assert bob.sync().data["purges_waiting"] == 0


def test_interrupted_purge_is_completed_by_the_next_sync(member: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    ada, bob = member("ada"), member("bob")
    ident = ada.remember(SECRET)["id"]
    settle(ada, bob)
    ada.later(hours=1).memory.forget(ident, purge=True)
    ada.sync()

    def killed(*_: object) -> int:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("promptx_mem.team.exchange.destroy", killed)
        with pytest.raises(KeyboardInterrupt):
            bob.sync()
    assert SECRET.encode() in bob.bytes()
    bob.sync()
    assert SECRET.encode() not in bob.bytes()


def test_purge_that_arrives_during_an_interrupted_pull_is_carried_out_later(
    member: Make, space: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, bob = member("ada"), member("bob")
    ident = ada.remember(SECRET)["id"]
    settle(ada, bob, ada)
    push = exchange.Exchange._push

    def purging(_: exchange.Exchange) -> None:
        monkeypatch.setattr(exchange.Exchange, "_push", push)
        ada.later(hours=1).memory.forget(ident, purge=True)
        ada.sync()
        [ada.remember(f"fact number {number} of many") for number in range(9)]
        ada.sync()
        space.fail_after = 1

    monkeypatch.setattr(exchange.Exchange, "_push", purging)
    monkeypatch.setattr(exchange, "LARGE", 1)
    with pytest.raises(StoreError):
        bob.sync()
    assert SECRET.encode() in bob.bytes()
    bob.sync()
    assert SECRET.encode() not in bob.bytes()
