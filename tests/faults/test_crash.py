"""A kill, an error or a full disk at every call that the store makes: the state before, or the one after."""

import errno
from pathlib import Path

import pytest

from promptx_mem.errors import PromptxMemError
from promptx_mem.store.store import disk_errors
from tests.faults import faulty_os, scenes
from tests.faults.faulty_os import FaultyOs
from tests.faults.scenes import SCENES, Scene

ERRORS = (errno.ENOSPC, errno.EIO, errno.EACCES, errno.EMFILE)
by_name = pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("template") / ".memory"
    scenes.make_template(root)
    return root


def calls(scene: Scene, template: Path, root: Path) -> list[str]:
    """The calls of an undisturbed run, in order."""
    scene.prepare(template, root)
    shim = FaultyOs(faulty_os.none)
    with pytest.MonkeyPatch.context() as patch:
        shim.install(patch)
        scene.act(scenes.memory_at(root))
    scenes.check(scene, root, acknowledged=True)
    return shim.log


def run_killed(scene: Scene, root: Path, fault: faulty_os.Fault) -> int:
    def work() -> None:
        with pytest.MonkeyPatch.context() as patch:
            FaultyOs(fault).install(patch)
            scene.act(scenes.memory_at(root))

    return faulty_os.forked(work)


def run_failing(scene: Scene, root: Path, fault: faulty_os.Fault) -> bool:
    """Whether the act was acknowledged; any error but ours is a fault of the program."""
    status = 0
    with pytest.MonkeyPatch.context() as patch:
        FaultyOs(fault).install(patch)
        try:
            with disk_errors():
                scene.act(scenes.memory_at(root))
        except PromptxMemError as error:
            status = error.exit_status
    assert status in (0, 3, 5)
    return status == 0


@by_name
def test_a_kill_at_every_call_leaves_the_state_before_or_after(scene: Scene, template: Path, quick: Path) -> None:
    log = calls(scene, template, quick / "whole")
    assert len(log) > 50
    for number, name in enumerate(log, 1):
        # Killed before a call is killed after the one before it.
        for when in ("half", "after") if name == "write" else ("after",):
            root = quick / f"{number}-{when}"
            scene.prepare(template, root)
            assert run_killed(scene, root, faulty_os.kill(number, when)) == faulty_os.KILLED
            try:
                thorough = scene.name == "compact" or number % 4 == 0
                scenes.check(scene, root, acknowledged=False, thorough=thorough)
            except BaseException as error:
                error.add_note(f"killed {when} call {number}, {name}")
                raise


@by_name
@pytest.mark.parametrize("ever", [False, True], ids=["once", "for ever"])
def test_an_error_at_every_call_fails_cleanly(scene: Scene, ever: bool, template: Path, quick: Path) -> None:
    log = calls(scene, template, quick / "whole")
    for number, name in enumerate(log, 1):
        errors = ERRORS if scene.name == "ordinary" and not ever else (ERRORS[(number + ever) % len(ERRORS)],)
        for error in errors:
            root = quick / f"{number}-{error}"
            scene.prepare(template, root)
            acknowledged = run_failing(scene, root, faulty_os.fail(number, error, ever=ever))
            try:
                scenes.check(scene, root, acknowledged=acknowledged, thorough=scene.name == "compact")
            except BaseException as problem:
                problem.add_note(f"{errno.errorcode[error]} at call {number}, {name}; acknowledged: {acknowledged}")
                raise


@by_name
def test_a_disk_that_fills_up_in_a_write_leaves_no_part_of_it(scene: Scene, template: Path, quick: Path) -> None:
    log = calls(scene, template, quick / "whole")
    for number, name in enumerate(log, 1):
        if name == "write":
            root = quick / str(number)
            scene.prepare(template, root)
            acknowledged = run_failing(scene, root, faulty_os.short(number, errno.ENOSPC))
            try:
                if not acknowledged and root.exists():
                    data = b"".join(
                        f.read_bytes() for f in (root / "declarative.md", root / "journal.jsonl") if f.exists()
                    )
                    assert not data or data.endswith(b"\n")
                scenes.check(scene, root, acknowledged=acknowledged)
            except BaseException as problem:
                problem.add_note(f"call {number}; acknowledged: {acknowledged}")
                raise


@by_name
def test_writes_that_take_seven_bytes_at_a_time_are_whole(scene: Scene, template: Path, quick: Path) -> None:
    root = quick / ".memory"
    scene.prepare(template, root)
    assert run_failing(scene, root, faulty_os.tiny_writes)
    scenes.check(scene, root, acknowledged=True)
