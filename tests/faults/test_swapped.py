"""A folder of the store is swapped for a link between any two calls of ours: nothing beyond is changed or shown."""

import contextlib
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.api import PromptxMemError
from tests.faults import explore
from tests.faults.acts import SCENES, Scene
from tests.faults.conftest import Count
from tests.faults.faulty_os import Call, FaultyOs
from tests.faults.scenes import memory_at
from tests.hostile.planting import snapshot
from tests.inside import disk_errors

SWAPPED = (
    "compact",
    "decay",
    "converse",
    "converse shelved",
    "roll up",
    "purge",
    "purge said",
    "purge shelved",
    "recall",
)
FOLDERS = ("archive", "conversations", "archive/conversations")
SOME = 6
"""Calls of a scene before which a folder is swapped, unless all are asked for."""


def swap(folder: Path, beyond: Path) -> None:
    """What was read of the folder a moment ago is there too, so that a look before each use does not help."""
    shutil.copytree(folder, beyond)
    folder.rename(folder.with_name(f"{folder.name}-aside"))
    folder.symlink_to(beyond, target_is_directory=True)


@pytest.mark.one_in(9)
@pytest.mark.parametrize("name", FOLDERS)
@pytest.mark.parametrize("scene", [scene for scene in SCENES if scene.name in SWAPPED], ids=lambda scene: scene.name)
def test_a_folder_swapped_for_a_link(
    scene: Scene, name: str, templates: Path, quick: Path, count: Count, all_faults: bool
) -> None:
    calls = [number for number, _ in explore.ends(scene, templates, quick / "whole").calls(every=all_faults)]
    tried = 0
    for at in calls if all_faults else calls[FOLDERS.index(name) :: len(calls) // SOME + 1]:
        root = scene.prepare(templates, quick / str(at))
        folder, beyond = root / name, quick / f"beyond-{at}"
        before: dict[str, object] = {}

        def fault(number: int, _name: str, real: Call, args: tuple[Any, ...], more: dict[str, Any]) -> Any:
            if number == at and folder.is_dir():  # noqa: B023 - it is called within this turn
                swap(folder, beyond)  # noqa: B023
                before.update(snapshot(beyond))  # noqa: B023
            return real(*args, **more)

        with pytest.MonkeyPatch.context() as patch:
            FaultyOs(fault).install(patch)
            with contextlib.suppress(PromptxMemError), disk_errors():
                scene.act(memory_at(root))
        assert (snapshot(beyond) if before else {}) == before, f"before call {at}"
        tried += bool(before)
        count("a folder swapped for a link", scene.name)
    assert tried or not (root / name).exists()
