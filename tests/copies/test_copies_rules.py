"""Changes in one clone meet changes in another, one rule per test."""

import datetime
import gzip
from pathlib import Path

import pytest

from tests.api import Message, Plan
from tests.copies.clones import Clone, exchange

BEHIND = datetime.timedelta(hours=-3)


@pytest.fixture
def ada(quick: Path) -> Clone:
    return Clone.first(quick, "ada")


def compact(clone: Clone) -> None:
    clone.memory.decay(Plan(compact=True))


def stored(clone: Clone) -> bytes:
    """Return all bytes of a store, decompressed."""
    files = (path for path in sorted(clone.store.rglob("*")) if path.is_file())
    return b"".join(gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes() for path in files)


def test_a_hand_written_line_keeps_the_time_of_its_adoption(ada: Clone) -> None:
    """The file of a clone whose clock is behind is older than the adoption."""
    ben = ada.clone("ben", BEHIND)
    (ada.store / "declarative.md").write_text("- typed by hand\n- 2026/02/05 18:47 用户住在上海 #其他\n", "utf-8")
    ada.touch()
    ada.memory.decay(Plan())
    exchange(ada, ben)
    assert ben.recall() == ada.recall()


def test_a_last_line_without_newline_is_not_joined_to_another(ada: Clone) -> None:
    """A union joins no lines if one side does not end in a newline."""
    ada.remember("a fact")
    ada.commit()
    ben = ada.clone("ben")
    with (ada.store / "declarative.md").open("a", encoding="utf-8") as file:
        file.write("- typed without an end")
    ben.remember("noted meanwhile")
    exchange(ada, ben)
    exchange(ada, ben)
    assert ada.texts() == ben.texts() == ["a fact", "noted meanwhile", "typed without an end"]


@pytest.mark.parametrize("act", ["restore", "boost"])
def test_restore_in_another_copy_undoes_a_forget_and_boost_does_not(ada: Clone, act: str) -> None:
    ada.remember("the office is on the third floor")
    ada.remember("kept")
    ada.commit()
    ben = ada.clone("ben")
    one = ada.ident("the office is on the third floor")
    ada.memory.forget(one)
    compact(ada)
    for clone in (ada, ben):
        clone.time += datetime.timedelta(hours=1)
    if act == "restore":
        ben.memory.forget(one)
        ben.time += datetime.timedelta(hours=1)
    getattr(ben.memory, act)(one)
    ada.time = ben.time
    exchange(ada, ben)
    assert ada.recall(archived=True) == ben.recall(archived=True)
    assert (one in [found["id"] for found in ada.recall()]) == (act == "restore")
    for clone in (ada, ben):
        clone.memory.index()
        assert clone.memory.audit_verify().exit_status == 0
        clone.memory.restore(one)
        assert clone.texts() == ["kept", "the office is on the third floor"]


def test_two_archives_of_the_same_name_are_both_kept(ada: Clone) -> None:
    """Two clones on one machine, or in containers of one name, compact at the same time."""
    for text in ("first", "second"):
        ada.remember(text)
    ada.commit()
    ben = ada.clone("ben")
    ben.name = ada.name
    for clone, text in ((ada, "first"), (ben, "second")):
        clone.memory.forget(clone.ident(text))
        compact(clone)
    ben.name = "ben"
    exchange(ada, ben)
    assert ada.recall(archived=True) == ben.recall(archived=True)
    assert ada.texts(archived=True) == ["first", "second"]


def test_a_purge_reaches_every_copy(ada: Clone) -> None:
    """Also archived lines, lines that a merge restores, and an episode of one copy."""
    for text in ("hunter2 is secret", "hunter3 is secret", "kept"):
        ada.remember(text)
    ada.commit()
    ben = ada.clone("ben")
    for text in ("hunter2 is secret", "hunter3 is secret"):
        ben.memory.forget(ben.ident(text))
    compact(ben)
    ben.memory.converse([Message("user", "hunter4 was said", None)])
    ben.time += datetime.timedelta(hours=7)
    ben.memory.decay(Plan())
    exchange(ada, ben)
    assert not any("hunter4" in text for text in ada.texts()), "conversations are not shared"
    episode = next(found["id"] for found in ben.recall() if "hunter4" in found["text"])
    ada.memory.forget(ada.ident("hunter2 is secret"), purge=True)
    ben.memory.forget(ben.ident("hunter3 is secret"), purge=True)
    ben.memory.forget(episode, purge=True)
    exchange(ada, ben)
    assert ben.texts(archived=True) == ada.texts(archived=True) == ["kept"]
    exchange(ada, ben)
    for clone in (ada, ben):
        clone.memory.decay(Plan())
        assert b"hunter" not in stored(clone)
        assert clone.memory.audit_verify().exit_status == 0
    exchange(ada, ben)
    assert b"hunter" not in stored(ada) + stored(ben)


def test_a_purged_successor_restored_by_a_merge_changes_no_answer(ada: Clone) -> None:
    """Answers are the same with and without the purged line."""
    ada.remember("the office is on the third floor")
    ada.remember("hunter2 is secret", update=ada.ident("the office is on the third floor"))
    lines = (ada.store / "declarative.md").read_bytes()
    ada.time += datetime.timedelta(days=1)
    ada.memory.forget(ada.ident("hunter2 is secret"), purge=True)
    before = ada.recall(archived=True)
    (ada.store / "declarative.md").write_bytes(lines)
    assert ada.recall(archived=True) == before


def test_a_purged_memory_restored_by_a_merge_can_be_purged_again(ada: Clone) -> None:
    ada.remember("hunter2 is secret")
    lines = (ada.store / "declarative.md").read_bytes()
    one = ada.ident("hunter2 is secret")
    ada.memory.forget(one, purge=True)
    (ada.store / "declarative.md").write_bytes(lines)
    moment = ada.time.isoformat()
    assert ada.texts(archived=True, as_of=moment) == ada.texts(archived=True) == []
    found = ada.memory.audit_verify().data["problems"] or []
    assert [(problem["check"], problem["command"]) for problem in found] == [("purged", "promptx-mem decay")]
    ada.memory.forget(one, purge=True)
    assert b"hunter2" not in stored(ada)


def test_a_line_adopted_by_two_copies_gets_the_earlier_time(ada: Clone) -> None:
    ben = ada.clone("ben", BEHIND)
    for clone in (ada, ben):
        (clone.store / "declarative.md").write_text("- typed by hand\n", "utf-8")
        clone.touch()
        clone.memory.decay(Plan())
    exchange(ada, ben)
    (found,) = ada.recall()
    assert ben.recall() == [found]
    assert found["at"] == (ada.time + BEHIND).isoformat()
