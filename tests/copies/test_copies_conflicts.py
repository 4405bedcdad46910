"""Conflict markers that a merge left: the store is read as a union, and one command removes them."""

import datetime
from pathlib import Path

import pytest

from promptx_mem.core import document as conflicts
from promptx_mem.core.document import read
from promptx_mem.store import archive
from promptx_mem.store.rewrite import cut
from promptx_mem.usecases.decay import Plan
from promptx_mem.usecases.recall import Cues
from tests.copies.clones import Clone, exchange
from tests.copies.sayings import all_output, facts

STYLES = ("merge", "diff3", "zdiff3")
WARNING = "a merge left conflict markers in the store; to remove them: promptx-mem decay --compact"


def conflicted(folder: Path, style: str) -> tuple[Clone, Clone]:
    """Return two clones after a merge with conflicts; the markers are committed and exchanged."""
    ada = Clone.first(folder, "ada")
    for text in ("forgotten here", "kept", "forgotten there"):
        ada.remember(text)
    ada.commit()
    ben = ada.clone("ben")
    for clone, gone in ((ada, "forgotten here"), (ben, "forgotten there")):
        clone.time += datetime.timedelta(hours=1)
        clone.memory.forget(clone.ident(gone))
        clone.remember(f"only {clone.name} knows")
        clone.remember("both know")
        clone.memory.boost(clone.ident("kept"))
        clone.memory.decay(Plan(compact=True))
        clone.commit()
    for clone, other in ((ada, ben), (ben, ada)):
        (clone.root / ".git" / "info" / "attributes").write_text("* !merge\n", "utf-8")
        clone.git("config", "merge.conflictStyle", style)
        assert clone.git("merge", "--no-edit", clone.fetch(other), check=False).returncode == (clone is ada)
        if clone is ada:
            clone.git("commit", "--quiet", "--all", "--no-edit")
        (clone.root / ".git" / "info" / "attributes").unlink()
    assert ben.git("rev-parse", "HEAD").stdout == ada.git("rev-parse", "HEAD").stdout
    return ada, ben


@pytest.mark.parametrize("style", STYLES)
def test_a_committed_conflict_is_read_as_a_union_and_repaired(quick: Path, style: str) -> None:
    ada, ben = conflicted(quick, style)
    for name in ("declarative.md", "journal.jsonl"):
        text = (ada.store / name).read_text("utf-8")
        assert text.count("\n>>>>>>> ") == 1
        assert text.count("\n||||||| ") == (style != "merge")
    assert ada.texts() == ["both know", "kept", "only ada knows", "only ben knows"]
    assert ada.texts(archived=True) == sorted([*ada.texts(), "forgotten here", "forgotten there"])
    assert ada.memory.recall(Cues(touch=False)).warnings == (WARNING,)
    assert WARNING in ada.remember("one more").warnings
    found = ada.memory.audit_verify().data["problems"] or []
    assert {(one["what"], one["command"]) for one in found} == {(conflicts.CONFLICT, conflicts.CONFLICT_COMMAND)}
    assert {one["where"].partition(":")[0] for one in found} == {"declarative.md", "journal.jsonl"}
    before = facts(ada, sound=False)
    done = ada.memory.decay(Plan(compact=True)).data["done"]
    assert done[0] == "git conflict markers removed (the lines between them stay)"
    assert ada.memory.decay(Plan(compact=True)).data["done"] == []
    ada.memory.index()
    assert ada.memory.audit_verify().data["problems"] == []
    assert facts(ada) == before
    ben.remember("meanwhile")
    exchange(ada, ben)
    for clone in (ada, ben):
        clone.memory.decay(Plan(compact=True))
    now = max(ada.time, ben.time)
    assert all_output(ada, [], now) == all_output(ben, [], now)
    assert all_output(ada, [], now)["problems"] == []
    assert ada.texts() == ["both know", "kept", "meanwhile", "one more", "only ada knows", "only ben knows"]


LINE = '- {} #t score:8 duration:长期 <!-- {{"id":"m_{}","at":"2026-03-01T12:00:00+00:00"}} -->'
A, B, C = (LINE.format(text, f"{text:0>10}") for text in "abc")


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("lines", "texts"),
    [
        (["<<<<<<< HEAD", A, "=======", B, ">>>>>>> theirs"], "a b"),
        (["<<<<<<< HEAD", A, "||||||| 1a2b3c4", C, "=======", C, B, ">>>>>>> theirs"], "a c c b"),
        (["<<<<<<< HEAD", "<<<<<<< HEAD", A, "=======", B, ">>>>>>> x", "=======", C, ">>>>>>> y"], "a b c"),
        (["<<<<<<< HEAD", "- by hand", "  its first half", "=======", "  its other half", ">>>>>>> x"], None),
        (["prose", "<<<<<<< HEAD", "more", "=======", "other", ">>>>>>> x", "```", A, "```"], "a"),
    ],
)
def test_conflict_markers_do_not_change_the_entries(lines: list[str], texts: str | None, end: str) -> None:
    data = (end.join(lines) + end).encode()
    document = read(data)
    assert {problem.message for problem in document.problems} == {conflicts.CONFLICT}
    repaired = cut(data, document.markers)
    assert repaired.decode().split(end)[:-1] == [line for line in lines if not conflicts.is_marker(line)]
    again = read(repaired)
    assert again.problems == ()
    assert [found.as_entry() for found in again.bullets] == [found.as_entry() for found in document.bullets]
    for found, other in zip(document.bullets, again.bullets, strict=True):
        assert data[found.start : found.end].startswith(repaired[other.start : other.end].split(end.encode())[0])
        assert lines[found.line - 1] in data[found.start : found.end].decode()
    if texts is not None:
        assert " ".join(found.text for found in document.bullets) == texts


def test_removed_markers_are_kept_in_the_archive(quick: Path) -> None:
    ada = Clone.first(quick, "ada")
    ada.remember("a fact")
    markers = b"<<<<<<< HEAD\n=======\n>>>>>>> x\n"
    path = ada.store / "declarative.md"
    path.write_bytes(path.read_bytes() + markers)
    ada.memory.decay(Plan(compact=True))
    where = ada.memory.context.layout
    assert [archive.read(where, name) for name in archive.names(where)] == [markers]
