"""move over two stores, killed or with an error at every call: the memory is in one of them, shown once, and the same again ends it."""

import errno
import shutil
from pathlib import Path

import pytest

from promptx_mem import session
from promptx_mem.core.ids import make_id
from promptx_mem.core.state import State, importance_at, lives
from promptx_mem.errors import PromptxMemError
from promptx_mem.memory import Memory
from promptx_mem.store import layout
from promptx_mem.store.store import disk_errors
from promptx_mem.usecases.recall import Cues
from tests.faults import faulty_os, scenes
from tests.faults.conftest import Count
from tests.faults.explore import Ends
from tests.faults.faulty_os import Fault, FaultyOs, KilledError
from tests.faults.scenes import LATER, OLD, OTHER, START, memory_at, remember

NOW = LATER.timestamp()


def none_there(_: Path) -> None:
    """No user store: move makes it."""


def another_there(folder: Path) -> None:
    remember(memory_at(folder / "u/.memory", START), OTHER)


def same_there(folder: Path) -> None:
    """The text is known there, worth less, with another tag."""
    remember(memory_at(folder / "u/.memory", START), OLD, "7")


SCENES = (none_there, another_there, same_there)


@pytest.fixture(params=range(len(SCENES)), ids=lambda number: SCENES[number].__name__)
def share(request: pytest.FixtureRequest) -> int:
    """The scene, and which share of the places of the program is tried in it: together they have all."""
    return int(request.param)


@pytest.fixture
def made(share: int, quick: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project's store, in which a memory was used and confirmed, and the user's."""
    monkeypatch.setattr(session, "is_person", lambda: True)
    folder = quick / "made"
    for name in ("p", "u"):
        (folder / name).mkdir(parents=True)
    scenes.make_template(folder / "p/.memory")
    memory_at(folder / "p/.memory", START).boost(make_id(OLD))
    memory_at(folder / "p/.memory", START).verify(make_id(OLD))
    SCENES[share](folder)
    return folder


def pair(folder: Path) -> Memory:
    user = layout.at(str(folder / "u/.memory"))._replace(is_user=True)
    return Memory(user, "a test", lambda: LATER, layout.at(str(folder / "p/.memory")))


def move(folder: Path) -> None:
    pair(folder).move(make_id(OLD), to_user=True)


def copied(made: Path, name: str) -> Path:
    return shutil.copytree(made, made.with_name(name))


def whole(made: Path) -> tuple[Ends, dict[str, dict[str, object]]]:
    """What an undisturbed move calls, and how it leaves both stores."""
    folder = copied(made, "whole")
    shim = FaultyOs(faulty_os.none)
    with pytest.MonkeyPatch.context() as patch:
        shim.install(patch)
        move(folder)
    return Ends({}, {}, shim.log, shim.sites), look(folder)


def look(folder: Path) -> dict[str, dict[str, object]]:
    """Each store's memories, from the files alone: sound, each in one line."""
    roots = {name: folder / name / ".memory" for name in ("p", "u")}
    return {
        name: {text: _of(state) for text, state in scenes.states(root).items()}
        for name, root in roots.items()
        if (root / "declarative.md").exists()
    }


def _of(state: State) -> object:
    if not lives(state, NOW):
        return state.end
    return importance_at(state, NOW), state.verified, state.score, set(state.tags), state.duration, state.ends_at


def check(folder: Path, end: dict[str, dict[str, object]], *, acknowledged: bool, thorough: bool) -> None:
    """It is here or there, shown once; where it has ended here all of it is there; the same again ends it here."""
    now = look(folder)
    assert not acknowledged or now == end
    where = [name for name in now if not isinstance(now[name].get(OLD, ""), str)]
    assert where
    texts = [one["text"] for one in pair(folder).recall(Cues(count=50, touch=False)).data["memories"]]
    assert texts.count(OLD) == 1
    assert texts.count(OTHER) == 1
    if "p" in where:
        move(folder)
    assert look(folder) == end
    for name in ("p", "u") if thorough else ():
        assert not memory_at(folder / name / ".memory").audit_verify().data["problems"]


def attempt(folder: Path, fault: Fault) -> int | None:
    """The exit status of a move with a fault in it; None where it was killed."""
    with pytest.MonkeyPatch.context() as patch:
        FaultyOs(fault).install(patch)
        try:
            with disk_errors():
                move(folder)
        except PromptxMemError as error:
            return error.exit_status
        except KilledError:
            return None
    return 0


def test_killed_at_every_call(share: int, made: Path, count: Count, all_faults: bool) -> None:
    known, end = whole(made)
    assert len(known.log) > 60
    for number, name in known.calls(every=all_faults, share=share, of=len(SCENES)):
        if name not in faulty_os.CHANGES:
            continue
        for when in ("half", "after") if name == "write" else ("after",):
            folder = copied(made, f"{number}-{when}")
            try:
                assert attempt(folder, faulty_os.die_here(number, when)) is None
                check(folder, end, acknowledged=False, thorough=all_faults)
            except BaseException as error:
                error.add_note(f"killed {when} call {number}: {known.sites[number - 1]}, in {folder}")
                raise
            shutil.rmtree(folder)
            count(f"kill {when} a call", "move")


@pytest.mark.parametrize("ever", [False, True], ids=["once", "for ever"])
def test_an_error_at_every_call(ever: bool, share: int, made: Path, count: Count, all_faults: bool) -> None:
    known, end = whole(made)
    for number, _ in known.calls(every=all_faults, share=2 * share + ever, of=2 * len(SCENES)):
        for error in (errno.ENOSPC, errno.EIO) if all_faults else ((errno.ENOSPC, errno.EIO)[number % 2],):
            folder = copied(made, f"{number}-{error}")
            try:
                status = attempt(folder, faulty_os.fail(number, error, ever=ever))
                assert status in (0, 3, 5)
                check(folder, end, acknowledged=status == 0, thorough=all_faults)
            except BaseException as problem:
                problem.add_note(f"{errno.errorcode[error]} at call {number}: {known.sites[number - 1]}, in {folder}")
                raise
            shutil.rmtree(folder)
            count(f"{errno.errorcode[error]} {'for ever' if ever else 'once'}", "move")
