"""Sync exchanges lines and events completely, also after interruptions, repeats and restored backups."""

import contextlib
import errno
import os

import pytest

from tests.api import Plan, PromptxMemError, StoreError
from tests.inside import files
from tests.team.fake import Space
from tests.team.team import Make, Member, settle
from tests.world import START


def test_boosts_and_forgetting_reach_the_other_copy(member: Make) -> None:
    ada, bob = member("ada"), member("bob")
    ident = ada.remember("a fact of ada")["id"]
    settle(ada, bob)
    bob.later(hours=3).memory.boost(ident)
    ada.later(hours=5)
    settle(bob, ada)
    assert ada.states() == bob.states()
    ada.memory.forget(ident)
    settle(ada, bob)
    assert bob.states()[ident].end == "forgotten"


def test_hand_written_line_is_sent_as_a_memory(member: Make) -> None:
    ada, bob = member("ada"), member("bob")
    with ada.file("declarative.md").open("a", encoding="utf-8") as file:
        file.write("- typed by hand\n- 2025/06/05 18:47 an old entry ##其他 #评分:8 #有效期:长期\n")
    os.utime(ada.file("declarative.md"), (START.timestamp(),) * 2)
    settle(ada, bob)
    assert bob.recall("typed") == ["typed by hand"]
    assert ada.states().keys() == bob.states().keys()
    assert ada.sync().data["pulled"] == 0


def test_compacted_line_does_not_come_back(member: Make) -> None:
    ada, bob = member("ada"), member("bob")
    ident = ada.remember("it ends")["id"]
    settle(ada, bob)
    ada.memory.forget(ident)
    ada.memory.decay(Plan(compact=True))
    assert "it ends" not in ada.read("declarative.md")
    settle(ada, bob)
    (ada.root / ".team" / "state.json").unlink()
    settle(ada, bob)
    assert "it ends" not in ada.read("declarative.md")
    assert ada.states() == bob.states()


def test_hand_edit_is_sent_as_a_replaced_event(member: Make) -> None:
    ada, bob = member("ada"), member("bob")
    ident = ada.remember("the port is 5432", "infra")["id"]
    settle(ada, bob)
    path = ada.file("declarative.md")
    path.write_text(path.read_text("utf-8").replace("the port is 5432 #infra", "the port is 5433 #ports"), "utf-8")
    ada.later(hours=1)
    settle(ada, bob)
    assert bob.states()[ident].entry.text == "the port is 5433"
    assert bob.states()[ident].tags == ("ports",)
    assert ada.states() == bob.states()
    assert bob.read("journal.jsonl").count('"replaced"') == 1
    assert bob.memory.audit_verify().exit_status == 0
    assert ada.sync().data["pulled"] == ada.sync().data["pushed"] == 0


def test_copy_restored_from_a_backup_receives_missing_memories(member: Make) -> None:
    ada, bob = member("ada"), member("bob")
    settle(ada, bob)
    old = {name: ada.read_bytes(name) for name in ("declarative.md",)}
    ada.remember("after the backup")
    settle(ada, bob)
    for name, data in old.items():
        ada.file(name).write_bytes(data)
    settle(ada, bob)
    assert ada.recall("backup") == ["after the backup"]
    assert ada.states() == bob.states()


def test_server_restored_from_a_backup_receives_missing_memories(member: Make, space: Space) -> None:
    ada, bob = member("ada"), member("bob")
    settle(ada, bob)
    rows = dict(space.rows)
    ada.remember("the server forgets it")
    settle(ada, bob)
    space.rows, space.life = rows, "two"
    settle(ada, bob)
    assert b"the server forgets it" in space.texts()
    assert ada.states() == bob.states()


def test_syncs_cut_off_at_any_call_complete_without_duplicates(member: Make, space: Space) -> None:
    ada, bob = member("ada"), member("bob")
    for number in range(20):
        ada.remember(f"fact number {number} of ada")
        bob.remember(f"bob knows thing {number}")
    for calls in range(14):
        for one in (ada, bob):
            space.fail_after = calls
            with contextlib.suppress(StoreError):
                one.sync()
            space.fail_after = None
    settle(ada, bob)
    assert ada.states() == bob.states()
    assert len(ada.states()) == 42
    lines = ada.read("declarative.md").splitlines()
    assert len(lines) == len(set(lines))


def test_store_that_did_not_join_sends_nothing(member: Make, space: Space) -> None:
    stranger = Member(member("ada").root.parent.parent / "stranger" / ".memory", "stranger", space)
    stranger.remember("nobody's business")
    with pytest.raises(PromptxMemError) as caught:
        stranger.sync()
    assert caught.value.code == "not_joined"
    assert b"nobody's business" not in space.texts()


@pytest.mark.parametrize("fault", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_syncs_with_a_failed_write_complete_later(
    member: Make, monkeypatch: pytest.MonkeyPatch, fault: BaseException
) -> None:
    ada, bob = member("ada"), member("bob")
    for number in range(5):
        ident = ada.remember(f"fact number {number} of ada")["id"]
    ada.sync()
    ada.later(hours=1).memory.forget(ident, purge=True)
    ada.sync()
    write_all = files.write_all
    for writes in range(12):
        left = [writes]

        def write(fd: int, data: bytes, left: list[int] = left) -> None:
            left[0] -= 1
            if left[0] < 0:
                raise fault
            write_all(fd, data)

        with monkeypatch.context() as patch:
            patch.setattr(files, "write_all", write)
            with contextlib.suppress(StoreError, KeyboardInterrupt):
                bob.sync()
        bob.remember(f"bob goes on after {writes}")
    settle(bob, ada)
    assert ada.states() == bob.states()
    assert len(ada.states()) == 18
    assert b"fact number 4" not in bob.bytes()


def test_line_lost_together_with_the_sent_list_comes_back(member: Make) -> None:
    ada, bob = member("ada"), member("bob")
    ada.remember("a line that goes")
    settle(ada, bob)
    path = ada.file("declarative.md")
    path.write_text(
        "".join(line for line in path.read_text("utf-8").splitlines(True) if "that goes" not in line), "utf-8"
    )
    (ada.root / ".team" / "sent").unlink()
    settle(ada, bob)
    assert ada.states() == bob.states()
    assert "a line that goes" in ada.recall("goes")
