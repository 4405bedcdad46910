"""Power cuts during acts, and checks of the states that they may leave."""

import contextlib
import hashlib
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from promptx_mem.errors import NotFoundError
from tests.faults import explore, faulty_os, power
from tests.faults.acts import SCENES, Scene
from tests.faults.explore import Ends
from tests.faults.faulty_os import Fault, FaultyOs, KilledError
from tests.faults.power import Disk, Files
from tests.faults.scenes import active_texts, facts, memory_at, remember

BETWEEN = "在这之间的一件事"
POWER_SCENES = [scene for scene in SCENES if scene.name != "stale save"]  # only the derived cache has the line
State = tuple[str, Files, bool]
"""The last call before the cut, the files left, and whether the act was acknowledged."""


def during(scene: Scene, top: Path, fault: Fault = faulty_os.no_fault) -> tuple[list[State], list[State]]:
    """Perform an act; return the states after a cut within it and after its end."""
    disk = _follow(scene, top, fault)
    within = ((name, files, False) for name, states in disk.cuts for files in states)
    return list(_distinct(within)), list(_distinct(("the end", files, scene.writes) for files in disk.possible()))


def after_a_kill(
    scene: Scene, top: Path, known: Ends, at: int, fault: Fault = faulty_os.no_fault, *, within: bool = False
) -> tuple[Ends, list[State]]:
    """Perform an act and die in it; then continue as a user does and cut the power at the end, or `within`.

    The user repeats an act without effect, and otherwise remembers something else.
    """
    root = top / ".memory"
    disk = _follow(scene, top, faulty_os.die_here(at, "after", fault))
    before, after = known.without_unsynced()
    done = len(disk.cuts)
    nothing_done = facts(root, sound=False) == before
    with pytest.MonkeyPatch.context() as patch:
        FaultyOs(disk.under(fault)).install(patch)
        if nothing_done:
            # An interrupted purge is finished first; then the id is not found.
            with contextlib.suppress(*(NotFoundError,) if scene.destroyed else ()):
                scene.act(memory_at(root))
        else:
            remember(memory_at(root), BETWEEN)
    found = facts(root, sound=False)
    if scene.destroyed:
        found = after | {key: value for key, value in found.items() if key == f"memory {BETWEEN}"}
    now = Ends(before, found, [], [])
    states = [("the end", files, nothing_done) for files in disk.possible()]
    if within and nothing_done:
        states += [(name, files, False) for name, cut in disk.cuts[done:] for files in cut]
    return now, list(_distinct(states))


def try_all(scene: Scene, known: Ends, states: Iterable[State], top: Path, place: Path) -> Iterator[str]:
    """Create each state and check it."""
    for number, (name, files, acknowledged) in enumerate(states):
        here = place / f"{number}"
        here.mkdir(parents=True)
        power.put_back(files, top, here)
        try:
            if f"memory {BETWEEN}" in known.after:
                assert BETWEEN in active_texts(here / ".memory", sound=False)
            explore.check(scene, here / ".memory", known, acknowledged=acknowledged, sound=False)
        except BaseException as problem:
            problem.add_note(f"power cut at {name}, acknowledged: {acknowledged}, state {number} in {here}")
            raise
        shutil.rmtree(here)
        yield name


def ends(scene: Scene, templates: Path, place: Path) -> Ends:
    """Return the effect of an act on a `prepared` store."""
    return explore.ends(scene, templates, place, cached=False)


def prepared(scene: Scene, templates: Path, top: Path) -> Path:
    root = scene.prepare(templates, top)
    shutil.rmtree(root / ".cache", ignore_errors=True)  # no program opens the cache of another boot
    return top


def in_parts(scene: Scene) -> Scene:
    """Return the scene with partial results allowed."""
    return replace(scene, whole=False)


def _follow(scene: Scene, top: Path, fault: Fault) -> Disk:
    disk = Disk(top)
    with pytest.MonkeyPatch.context() as patch, contextlib.suppress(KilledError):
        FaultyOs(disk.under(fault)).install(patch)
        scene.act(memory_at(top / ".memory"))
    return disk


def _distinct(states: Iterable[State]) -> Iterator[State]:
    seen: set[bytes] = set()
    for name, files, acknowledged in states:
        mark = hashlib.blake2b(repr((sorted(files.items()), acknowledged)).encode()).digest()
        if mark not in seen:
            seen.add(mark)
            yield name, files, acknowledged
