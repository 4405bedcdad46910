"""Switching branches restores no ended memory, duplicates none, and saves each lost line once."""

from pathlib import Path

import pytest

from tests.api import Plan
from tests.copies.clones import Clone
from tests.copies.sayings import all_output
from tests.inside import archive


@pytest.fixture
def ada(quick: Path) -> Clone:
    """A store whose branch `old` lacks a memory and an end that main has."""
    ada = Clone.first(quick, "ada")
    for text in ("the office is on the third floor", "tea is served at four"):
        ada.remember(text)
    ada.commit()
    ada.git("branch", "old")
    ada.memory.forget(ada.ident("tea is served at four"))
    ada.remember("the CI runner is machine 7", update=ada.ident("the office is on the third floor"))
    ada.commit()
    return ada


def switch(clone: Clone, branch: str) -> list[str]:
    clone.git("checkout", "--quiet", branch)
    clone.touch()
    return clone.texts()


def test_each_branch_shows_its_own_memories_after_every_switch(ada: Clone) -> None:
    now = ada.time
    before = all_output(ada, [], now)
    for number in range(4):
        assert switch(ada, "old") == ["tea is served at four", "the office is on the third floor"]
        assert switch(ada, "main") == sorted(["the CI runner is machine 7", *(f"round {n}" for n in range(number))])
        assert ada.memory.audit_verify().data["problems"] == []
        assert ada.git("status", "--porcelain").stdout == ""
        if number == 0:
            assert all_output(ada, [], now) == before
        ada.remember(f"round {number}")
        ada.memory.index()
        ada.commit()
    where = ada.memory.context.layout
    saved, events = archive.lost_lines(where, archive.LINES), archive.lost_lines(where, archive.EVENTS)
    assert len(saved) == 4, "each once: the machine and rounds 0 to 2"
    archived = b"".join(archive.read(where, name) for name in archive.names(where, lost=True))
    assert sorted(archived.decode().splitlines()) == sorted([*saved, *events])
    assert len(events) == 1, "the end of the tea"


def test_a_purge_destroys_lines_that_a_branch_switch_saved(ada: Clone) -> None:
    one = ada.ident("the CI runner is machine 7")
    switch(ada, "old")
    switch(ada, "main")
    ada.memory.forget(one, purge=True)
    where = ada.memory.context.layout
    assert not any(b"machine 7" in archive.read(where, name) for name in archive.names(where, lost=True))


def test_a_memory_restored_on_the_old_branch_stays_one_after_a_merge(ada: Clone) -> None:
    one = ada.ident("the CI runner is machine 7")
    ada.memory.decay(Plan(compact=True))  # moves the end of the tea to archive/
    ada.commit()
    switch(ada, "old")
    verdict = ada.memory.audit_verify()
    assert ({problem["check"] for problem in verdict.data["problems"] or []}, verdict.warnings) == (set(), ())
    (note,) = [note for note in verdict.data["notes"] or [] if "in git (branch main)" in note]
    assert one in note
    ada.memory.restore(one)
    ada.commit()
    switch(ada, "main")
    before = ada.recall(archived=True)
    ada.merge("old")
    assert ada.recall(archived=True) == before
