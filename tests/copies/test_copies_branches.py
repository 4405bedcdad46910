"""Branches are switched back and forth: nothing comes back to life, nothing is there twice, nothing grows."""

from pathlib import Path

import pytest

from tests.copies.clones import Clone
from tests.copies.sayings import sayings
from tests.inside import archive, search_lost


@pytest.fixture
def ada(quick: Path) -> Clone:
    """A store whose branch `old` lacks what main has noted since, and an end."""
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


def test_back_and_forth(ada: Clone) -> None:
    now = ada.time
    said = sayings(ada, [], now)
    for number in range(4):
        assert switch(ada, "old") == ["tea is served at four", "the office is on the third floor"]
        assert switch(ada, "main") == sorted(["the CI runner is machine 7", *(f"round {n}" for n in range(number))])
        assert ada.memory.audit_verify().data["problems"] == []
        assert ada.git("status", "--porcelain").stdout == ""
        if number == 0:
            assert sayings(ada, [], now) == said
        ada.remember(f"round {number}")
        ada.memory.index()
        ada.commit()
    where = ada.memory.context.layout
    saved = [line for lines in search_lost.saved_lines(where).values() for line in lines]
    assert len(saved) == 4, "each once: the machine and rounds 0 to 2"
    held = b"".join(archive.read(where, name) for name in archive.lost_names(where))
    assert sorted(held.decode().splitlines()) == sorted([*saved, *search_lost.saved_events(where)])
    assert len(search_lost.saved_events(where)) == 1, "the end of the tea"


def test_a_purge_also_takes_what_a_switch_has_saved(ada: Clone) -> None:
    one = ada.ident("the CI runner is machine 7")
    switch(ada, "old")
    switch(ada, "main")
    ada.memory.forget(one, purge=True)
    where = ada.memory.context.layout
    assert not any(b"machine 7" in archive.read(where, name) for name in archive.lost_names(where))


def test_restored_on_the_old_branch_it_is_one_memory_after_the_merge(ada: Clone) -> None:
    one = ada.ident("the CI runner is machine 7")
    switch(ada, "old")
    verdict = ada.memory.audit_verify().data
    assert {problem["check"] for problem in verdict["problems"] or []} <= {"index"}
    (note,) = [note for note in verdict["notes"] or [] if "another branch" in note]
    assert one in note
    ada.memory.restore(one)
    ada.commit()
    switch(ada, "main")
    said = ada.recall(archived=True)
    ada.merge("old")
    assert ada.recall(archived=True) == said
