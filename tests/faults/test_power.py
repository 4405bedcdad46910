"""A power cut after every call: whatever of the unsynced survives, the state before or the one after."""

import shutil
from pathlib import Path

import pytest

from tests.faults import power, scenes
from tests.faults.faulty_os import FaultyOs
from tests.faults.scenes import SCENES, Scene


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
def test_a_power_cut_after_every_call(scene: Scene, quick: Path) -> None:
    scenes.make_template(quick / "template")
    shutil.rmtree(quick / "template" / ".cache")  # of another boot: nobody opens it
    top = quick / "disk"
    top.mkdir()
    scene.prepare(quick / "template", top / ".memory")
    disk = power.Disk(top)
    with pytest.MonkeyPatch.context() as patch:
        FaultyOs(disk.fault).install(patch)
        scene.act(scenes.memory_at(top / ".memory"))
    assert len(disk.cuts) >= 9
    tried: set[str] = set()
    for number, (files, acknowledged) in enumerate(
        [*((files, False) for cut in disk.cuts for files in cut), *((files, True) for files in disk.final())]
    ):
        state = repr((sorted(item for item in files.items() if "/.cache" not in item[0]), acknowledged))
        if state in tried:
            continue
        tried.add(state)
        place = quick / str(number)
        place.mkdir()
        power.put_back({p: d for p, d in files.items() if "/.cache" not in p}, top, place)
        try:
            scenes.check(scene, place / ".memory", acknowledged=acknowledged, sound=False)
        except BaseException as problem:
            problem.add_note(f"state {number} of {len(disk.cuts) * 10}, acknowledged: {acknowledged}, in {place}")
            raise
    assert len(tried) > 20
