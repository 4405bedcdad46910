"""A kill, an error or a full disk at every call of the store leaves the state before or after the act."""

import errno
from pathlib import Path

import pytest

from tests.faults import explore, faulty_os
from tests.faults.acts import SCENES, Scene
from tests.faults.conftest import Count
from tests.faults.explore import Ends
from tests.faults.faulty_os import FaultyOs
from tests.faults.scenes import memory_at

ERRORS = (errno.ENOSPC, errno.EIO, errno.EACCES, errno.EMFILE)
by_name = pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)


def run_killed(scene: Scene, root: Path, number: int, when: str, *, really: bool) -> bool:
    """Perform an act that is killed: `really` in a child process, otherwise simulated."""
    if not really:
        return explore.killed(scene, root, faulty_os.die_here(number, when))

    def work() -> None:
        with pytest.MonkeyPatch.context() as patch:
            FaultyOs(faulty_os.kill(number, when)).install(patch)
            scene.act(memory_at(root))

    return faulty_os.forked(work) == faulty_os.KILLED


@pytest.mark.one_in(10)
@by_name
def test_a_kill_at_every_call_leaves_the_state_before_or_after(
    scene: Scene, templates: Path, quick: Path, count: Count, all_faults: bool
) -> None:
    known = explore.ends(scene, templates, quick / "whole")
    assert len(known.log) > 20
    for number, name in known.calls(every=all_faults, share=SCENES.index(scene), of=4):
        # A kill before a call is the same as a kill after the previous one.
        if name not in faulty_os.CHANGES:
            continue
        for when in ("half", "after") if name == "write" else ("after",):
            root = scene.prepare(templates, quick / f"{number}-{when}")
            try:
                assert run_killed(scene, root, number, when, really=all_faults)
                explore.check(scene, root, known, acknowledged=False, thorough=all_faults or number % 3 == 0)
            except BaseException as error:
                error.add_note(f"killed {when} call {number}: {known.sites[number - 1]}, in {root}")
                raise
            count(f"kill {when} a call", scene.name)


@pytest.mark.one_in(12)
@by_name
@pytest.mark.parametrize("forever", [False, True], ids=["once", "forever"])
def test_an_error_at_every_call_fails_cleanly(
    scene: Scene, forever: bool, templates: Path, quick: Path, count: Count, all_faults: bool
) -> None:
    known = explore.ends(scene, templates, quick / "whole")
    share = SCENES.index(scene) + forever  # all scenes together cover each place of the program
    for number, _ in known.calls(every=all_faults, share=share, of=16):
        for error in ERRORS if all_faults else (ERRORS[(number + forever) % len(ERRORS)],):
            root = scene.prepare(templates, quick / f"{number}-{error}")
            acknowledged: bool | None = None
            try:
                acknowledged = explore.failing(scene, root, faulty_os.fail(number, error, forever=forever))
                _check_failed(scene, root, known, acknowledged, thorough=number % 3 == 0)
            except BaseException as problem:
                what = f"{errno.errorcode[error]} at call {number}: {known.sites[number - 1]}"
                problem.add_note(f"{what}; acknowledged: {acknowledged}, in {root}")
                raise
            count(f"{errno.errorcode[error]} {'forever' if forever else 'once'}", scene.name)


@pytest.mark.one_in(10)
@by_name
def test_disk_that_fills_up_during_a_write_leaves_no_partial_line(
    scene: Scene, templates: Path, quick: Path, count: Count, all_faults: bool
) -> None:
    known = explore.ends(scene, templates, quick / "whole")
    for number, name in known.calls(every=all_faults):
        if name != "write":
            continue
        root = scene.prepare(templates, quick / str(number))
        acknowledged: bool | None = None
        try:
            acknowledged = explore.failing(scene, root, faulty_os.short(number, errno.ENOSPC))
            explore.check_no_partial_line(scene, root, acknowledged=acknowledged)
            _check_failed(scene, root, known, acknowledged, thorough=all_faults or number % 3 == 0)
        except BaseException as problem:
            problem.add_note(f"call {number}: {known.sites[number - 1]}; acknowledged: {acknowledged}, in {root}")
            raise
        count("half a write, then ENOSPC", scene.name)


@pytest.mark.one_in(10)
@by_name
def test_writes_of_seven_bytes_at_a_time_are_complete(scene: Scene, templates: Path, quick: Path, count: Count) -> None:
    known = explore.ends(scene, templates, quick / "whole")
    root = scene.prepare(templates, quick / "tiny")
    assert explore.failing(scene, root, faulty_os.tiny_writes)
    explore.check(scene, root, known, acknowledged=True)
    count("all writes of seven bytes", scene.name)


def _check_failed(scene: Scene, root: Path, known: Ends, acknowledged: bool, *, thorough: bool = True) -> None:
    if root.exists():
        explore.check(scene, root, known, acknowledged=acknowledged, thorough=thorough)
    else:
        assert not acknowledged
        assert known.before == {}
