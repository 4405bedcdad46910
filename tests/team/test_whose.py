"""Authors of memories, even if the notes of them are damaged: a member's memory never counts as own."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import instead
from tests.api import Cues
from tests.inside import OWN, member_notes, members
from tests.team.inside import team_sync as team
from tests.team.team import Make, Member, settle

ADAS, BOBS, NEW = "the first of ada", "the first of bob", "what bob stored since"
UNKNOWN = f"member:{members.UNKNOWN}"


@pytest.fixture
def bob(member: Make) -> Member:
    """A member with a memory of another member."""
    ada, bob = member("ada"), member("bob")
    settle(ada, bob)
    assert bob.origins() == {ADAS: "member:ada", BOBS: OWN}
    return bob


def notes_file(copy: Member) -> Path:
    where = member_notes.path(copy.memory.context.layout)
    assert where
    return Path(where)


def forget_cache(copy: Member) -> None:
    shutil.rmtree(copy.root / ".cache", ignore_errors=True)


def _huge(path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(member_notes.MAX_BYTES + 1)


def _rewrite(change: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    def act(path: Path) -> None:
        path.write_bytes(change(path.read_bytes()))

    return act


DAMAGES: dict[str, Callable[[Path], None]] = {
    "deleted": Path.unlink,
    "empty": _rewrite(lambda _: b""),
    "a link": instead.link,
    "a folder": instead.folder,
    "a pipe": instead.pipe,
    "huge": _huge,
    "cut off in the last line": _rewrite(lambda data: data[:-20]),
    "without its last newline": _rewrite(lambda data: data[:-1]),
    "not UTF-8": _rewrite(lambda data: data.replace(b'"role":"ada"', b'"role":"\xff\xfe"').replace(b'"id"', b'"\xff"')),
    "zeros": _rewrite(lambda data: b"\0" * len(data)),
    "a line of something else": _rewrite(lambda data: data + b"[]\n"),
    "without its first line": _rewrite(lambda data: data.partition(b"\n")[2]),
}


def remove_obstacle(place: Path) -> None:
    """Remove a folder, link or pipe at the path, as `audit --verify` tells the user."""
    if place.is_dir() and not place.is_symlink():
        place.rmdir()
    elif place.is_symlink() or not place.is_file():
        place.unlink(missing_ok=True)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("damage", DAMAGES)
def test_no_memory_is_own_while_the_notes_are_damaged(bob: Member, damage: str) -> None:
    DAMAGES[damage](notes_file(bob))
    forget_cache(bob)
    assert OWN not in bob.origins().values()
    assert bob.origins()[BOBS] == UNKNOWN
    assert any("is lost" in warning for warning in bob.memory.recall(Cues(touch=False)).warnings)
    assert bob.memory.audit_verify().exit_status == 1
    bob.remember(NEW)
    assert bob.origins()[NEW] == UNKNOWN
    remove_obstacle(notes_file(bob))
    answer = bob.sync()
    assert any("the server's records name the authors of" in warning for warning in answer.warnings)
    assert bob.origins() == {ADAS: "member:ada", BOBS: "member:bob", NEW: UNKNOWN}
    bob.sync()
    assert bob.memory.audit_verify().data["problems"] == []
    team.trust(bob.memory.context, "bob")
    team.trust(bob.memory.context, members.UNKNOWN)
    assert bob.origins() == {ADAS: "member:ada", BOBS: OWN, NEW: OWN}
    bob.remember("and a later one")
    assert bob.origins()["and a later one"] == OWN


def test_memories_are_own_again_when_the_notes_are_back(bob: Member) -> None:
    away = notes_file(bob).rename(bob.root / "away")
    bob.remember(NEW)
    assert bob.origins()[NEW] == UNKNOWN
    away.rename(notes_file(bob))
    assert bob.origins() == {ADAS: "member:ada", BOBS: OWN, NEW: OWN}


@pytest.mark.parametrize("left", ["nothing", "a link", "a file"])
def test_missing_team_folder_does_not_lose_the_authors(bob: Member, left: str, tmp_path: Path) -> None:
    (bob.root / ".team").rename(tmp_path / "away")
    if left == "a link":
        (bob.root / ".team").symlink_to(tmp_path / "away")
    elif left == "a file":
        (bob.root / ".team").write_text("")
    forget_cache(bob)
    assert bob.origins() == {ADAS: "member:ada", BOBS: OWN}
    if left == "nothing":
        bob.sync()
        assert bob.origins() == {ADAS: "member:ada", BOBS: OWN}
        return
    notes_file(bob).unlink()
    forget_cache(bob)
    assert set(bob.origins().values()) == {UNKNOWN}


def test_authors_are_restored_from_the_server_if_all_notes_are_lost(bob: Member) -> None:
    shutil.rmtree(bob.root / ".team")
    notes_file(bob).unlink()
    forget_cache(bob)
    bob.sync()
    assert bob.origins() == {ADAS: "member:ada", BOBS: OWN}


def test_authors_are_restored_from_the_server_after_a_move(bob: Member, tmp_path: Path) -> None:
    bob.root.rename(tmp_path / ".memory")
    bob.root = tmp_path / ".memory"
    forget_cache(bob)
    assert set(bob.origins().values()) == {UNKNOWN}
    bob.bind().sync()
    assert bob.origins() == {ADAS: "member:ada", BOBS: "member:bob"}
    team.trust(bob.memory.context, "bob")
    assert bob.origins() == {ADAS: "member:ada", BOBS: OWN}


def test_later_topic_and_aliases_do_not_make_a_members_memory_own(bob: Member, member: Make) -> None:
    """They belong to the line of the member."""
    ada = member("ada")
    ident = next(item["id"] for item in ada.memory.recall(Cues(text=ADAS)).data["memories"] if item["text"] == ADAS)
    ada.later(days=1).remember(ADAS, topic="project->garden")
    ada.memory.edit(ident, ("a gate",))
    settle(ada, bob)
    assert bob.origins()[ADAS] == "member:ada"


def test_alias_of_a_member_applies_only_to_that_members_memories(bob: Member, member: Make) -> None:
    ada = member("ada")
    settle(ada, bob)
    ident = next(item["id"] for item in ada.memory.recall(Cues(text=BOBS)).data["memories"] if item["text"] == BOBS)
    ada.later(days=1).memory.edit(ident, ("unlikely words",))
    settle(ada, bob)
    assert ada.recall("unlikely words") == [BOBS]
    assert bob.recall("unlikely words") == []
    for_all = ada.remember("the gate is green", aka=("emerald portal",))["id"]
    settle(ada, bob)
    assert bob.memory.show(for_all).data["memories"][0]["text"] in bob.recall("emerald portal")


def test_second_copy_of_a_role_has_its_aliases(member: Make, tmp_path: Path) -> None:
    one = member("ada")
    ident = next(item["id"] for item in one.memory.recall(Cues(text=ADAS)).data["memories"] if item["text"] == ADAS)
    one.memory.edit(ident, ("unlikely words",))
    one.sync()
    other = Member(tmp_path / "second" / ".memory", "ada", one.space).bind()
    other.sync()
    assert other.recall("unlikely words") == [ADAS]
