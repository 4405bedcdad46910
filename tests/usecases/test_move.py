"""move: from one store to the other, with what happened to it; tests/faults/test_moves.py kills it at every call."""

from pathlib import Path

import pytest

from promptx_mem import session
from promptx_mem.core.ids import make_id
from promptx_mem.core.request import Request
from promptx_mem.errors import NotFoundError, Refused, StoreError
from promptx_mem.memory import Memory
from promptx_mem.store import creation, layout
from promptx_mem.usecases.recall import Cues
from tests.usecases.recall_store import NOW, entry, event, store

TEXT = "the user prefers tabs"
IDENT = make_id(TEXT)


class Two:
    """A project's store and the user's, empty unless made."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for name in ("p", "u"):
            (root / name).mkdir()
        self.user = layout.at(str(root / "u/.memory"))._replace(is_user=True)

    @property
    def project(self) -> layout.Layout:
        return layout.at(str(self.root / "p/.memory"))

    @property
    def pair(self) -> Memory:
        return Memory(self.user, "test", lambda: NOW, self.project)

    def texts(self, name: str) -> list[str]:
        where = self.project if name == "p" else self.user
        return [
            one["text"]
            for one in Memory(where, "test", lambda: NOW).recall(Cues(count=50, touch=False)).data["memories"]
        ]


@pytest.fixture
def two(quick: Path, monkeypatch: pytest.MonkeyPatch) -> Two:
    monkeypatch.setattr(session, "is_person", lambda: True)
    return Two(quick)


def test_its_line_and_events_go_along(two: Two) -> None:
    store(
        two.root / "p",
        [entry(TEXT, 5, score=8.0)],
        [event("boosted", IDENT, 4), event("verified", IDENT, 3, verified=True)],
    )
    before = Memory(two.project, "test", lambda: NOW).recall(Cues(text=IDENT, touch=False)).data["memories"][0]
    data = two.pair.move(IDENT, to_user=True).data
    assert (data["scope"], data["id"], data["note"]) == ("user", IDENT, None)
    after = Memory(two.user, "test", lambda: NOW).recall(Cues(text=IDENT, touch=False)).data["memories"][0]
    for key in ("text", "tags", "score", "importance", "at", "verified", "duration"):
        assert after[key] == before[key], key
    assert two.texts("p") == []


def test_back_again_it_lives(two: Two) -> None:
    store(two.root / "p", [entry(TEXT, 5)])
    two.pair.move(IDENT, to_user=True)
    two.pair.move(IDENT, to_user=False)
    assert (two.texts("p"), two.texts("u")) == ([TEXT], [])


def test_nothing_of_another_memory_goes_along(two: Two) -> None:
    other = entry("the user prefers spaces", 6)
    store(two.root / "p", [other, entry(TEXT, 5, supersedes=other.id, k=1)])
    store(two.root / "u", [other])
    two.pair.move(IDENT, to_user=True)
    assert set(two.texts("u")) == {TEXT, other.text}


def test_a_text_that_is_known_there_gains_by_it(two: Two) -> None:
    store(two.root / "p", [entry(TEXT, 5, score=9.5, tags=("here",))])
    store(two.root / "u", [entry(TEXT, 9, score=7.0, tags=("there",))])
    two.pair.move(IDENT, to_user=True)
    found = Memory(two.user, "test", lambda: NOW).recall(Cues(text=IDENT, touch=False)).data["memories"][0]
    assert (found["score"], set(found["tags"])) == (9.5, {"here", "there"})
    assert two.texts("p") == []


def test_what_an_agent_moves_waits_and_carries_no_word_of_a_person(two: Two, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "is_person", lambda: False)
    store(two.root / "p", [entry(TEXT, 5)], [event("verified", IDENT, 3, verified=True), event("promoted", IDENT, 2)])
    two.pair.move(IDENT, to_user=True)
    elsewhere = Memory(layout.at(str(two.root / "x/.memory")), "test", lambda: NOW, two.user)
    assert elsewhere.recall(Cues(text=TEXT, touch=False)).data["memories"] == []
    journal = (
        (two.root / "u/.memory/journal.jsonl").read_text("utf-8")
        if (two.root / "u/.memory/journal.jsonl").exists()
        else ""
    )
    assert '"promoted"' not in journal
    assert '"verified"' not in journal


def test_of_a_clone_nothing_lifts_it(two: Two) -> None:
    planted = entry(TEXT, 5, category="core", verified=True, score=10.0)
    store(two.root / "p", [planted], [event("boosted", IDENT, 4, n) for n in range(1, 4)])
    memory = two.pair
    assert memory.context.beside is not None
    memory.context.beside.origin._kind = "seen"
    memory.move(IDENT, to_user=True)
    found = Memory(two.user, "test", lambda: NOW).recall(Cues(text=IDENT, touch=False)).data["memories"][0]
    assert (found["category"], found["verified"], found["origin"]) == ("fact", False, "import")


def test_what_cannot_be_moved(two: Two) -> None:
    with pytest.raises(StoreError):
        two.pair.move(IDENT, to_user=True)
    talk = entry("[2026-11-20 10:00] small talk", 1, category="episode", slice="u_1:1")
    store(two.root / "p", [entry(TEXT, 5), talk])
    with pytest.raises(NotFoundError):
        two.pair.move("m_zzzzzzzzzz", to_user=True)
    with pytest.raises(Refused, match="conversation"):
        two.pair.move(talk.id, to_user=True)
    two.pair.move(IDENT, to_user=True)
    with pytest.raises(Refused, match="has ended"):
        two.pair.move(IDENT, to_user=True)


def test_from_a_shared_store_it_says_so(two: Two) -> None:
    creation.create(two.project, shared=True)
    Memory(two.project, "test", lambda: NOW).remember(Request(TEXT, tags=("t",), score="8"))
    assert "ended for all" in str(two.pair.move(IDENT, to_user=True).data["note"])
