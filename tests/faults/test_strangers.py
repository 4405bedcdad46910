"""Others change the files between any two of our calls: no acknowledged memory is lost or stored twice."""

from pathlib import Path

import pytest

from tests.faults import explore, strangers
from tests.faults.acts import SCENES, Scene
from tests.faults.conftest import Count
from tests.faults.strangers import STRANGERS, Stranger

CHOSEN = ("first", "ordinary", "duplicate", "update", "near", "rotate", "compact", "decay", "restore")
SOME = 3
"""Number of calls of a scene before which a stranger acts, unless all are tried."""


@pytest.mark.one_in(12)
@pytest.mark.parametrize("stranger", STRANGERS, ids=lambda one: one.name)
@pytest.mark.parametrize("scene", [scene for scene in SCENES if scene.name in CHOSEN], ids=lambda scene: scene.name)
def test_change_by_others_between_any_two_calls_loses_no_memory(
    scene: Scene, stranger: Stranger, templates: Path, quick: Path, count: Count, all_faults: bool
) -> None:
    known = explore.ends(scene, templates, quick / "whole")
    calls = [number for number, _ in known.calls(every=all_faults)]
    for number in calls if all_faults else calls[STRANGERS.index(stranger) % 3 :: len(calls) // SOME + 1]:
        root = scene.prepare(templates, quick / str(number))
        try:
            met = strangers.meet(scene, root, stranger, number)
            strangers.check_met(scene, root, stranger, met, known, number)
        except BaseException as problem:
            problem.add_note(f"before call {number}: {known.sites[number - 1]}, in {root}")
            raise
        count(f"{stranger.name}, meanwhile", scene.name)
