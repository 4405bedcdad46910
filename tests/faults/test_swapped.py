"""A folder of the store is replaced by a link between any two of our calls: files outside are not changed."""

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
    "purge episode",
    "purge shelved",
    "recall",
)
FOLDERS = ("archive", "conversations", "archive/conversations")
SOME = 6
"""Number of calls of a scene before which a folder is replaced, unless all are tried."""


def swap(folder: Path, outside: Path) -> None:
    """Replace a folder by a link to a copy, so that a check before each use does not help."""
    shutil.copytree(folder, outside)
    folder.rename(folder.with_name(f"{folder.name}-aside"))
    folder.symlink_to(outside, target_is_directory=True)


@pytest.mark.one_in(9)
@pytest.mark.parametrize("name", FOLDERS)
@pytest.mark.parametrize("scene", [scene for scene in SCENES if scene.name in SWAPPED], ids=lambda scene: scene.name)
def test_folder_replaced_by_a_link_changes_no_files_outside(
    scene: Scene, name: str, templates: Path, quick: Path, count: Count, all_faults: bool
) -> None:
    calls = [number for number, _ in explore.ends(scene, templates, quick / "whole").calls(every=all_faults)]
    tried = 0
    for at in calls if all_faults else calls[FOLDERS.index(name) :: len(calls) // SOME + 1]:
        root = scene.prepare(templates, quick / str(at))
        folder, outside = root / name, quick / f"outside-{at}"
        before: dict[str, object] = {}

        def fault(number: int, _name: str, real: Call, args: tuple[Any, ...], more: dict[str, Any]) -> Any:
            if number == at and folder.is_dir():  # noqa: B023 - it is called within this turn
                swap(folder, outside)  # noqa: B023
                before.update(snapshot(outside))  # noqa: B023
            return real(*args, **more)

        with pytest.MonkeyPatch.context() as patch:
            FaultyOs(fault).install(patch)
            with contextlib.suppress(PromptxMemError), disk_errors():
                scene.act(memory_at(root))
        assert (snapshot(outside) if before else {}) == before, f"before call {at}"
        tried += bool(before)
        count("a folder swapped for a link", scene.name)
    assert tried or not (root / name).exists()
