"""A power cut after every call leaves the state before or after the act, whichever unsynced data survives."""

from pathlib import Path

import pytest

from tests.faults import cuts, faulty_os
from tests.faults.acts import SCENES, Scene
from tests.faults.conftest import Count
from tests.faults.cuts import POWER_SCENES

SOME = 3
"""Number of states and kills of a scene that are tried, unless all are."""

by_name = pytest.mark.parametrize("scene", POWER_SCENES, ids=lambda scene: scene.name)


@pytest.mark.one_in(10)
@by_name
def test_power_cut_after_every_call_leaves_the_state_before_or_after(
    scene: Scene, templates: Path, quick: Path, count: Count, all_faults: bool
) -> None:
    known = cuts.ends(scene, templates, quick / "whole")
    top = cuts.prepared(scene, templates, quick / "disk")
    within, afterwards = cuts.during(scene, top)
    chosen = within + afterwards if all_faults else within[:: len(within) // SOME + 1] + afterwards[-2:]
    for name in cuts.try_all(scene, known, chosen, top, quick / "states"):
        count(f"power cut after {name}", scene.name)


@pytest.mark.one_in(10)
@by_name
def test_power_cut_after_a_kill_and_a_retry_loses_no_acknowledged_act(
    scene: Scene, templates: Path, quick: Path, count: Count, all_faults: bool
) -> None:
    """A killed process leaves unsynced data; the next writer must sync it before it acknowledges."""
    known = cuts.ends(scene, templates, quick / "whole")
    calls = [number for number, name in known.calls(every=all_faults) if name in faulty_os.CHANGES]
    for number in calls if all_faults else calls[:: len(calls) // SOME + 1]:
        top = cuts.prepared(scene, templates, quick / f"disk{number}")
        now, states = cuts.after_a_kill(scene, top, known, number)
        chosen = states if all_faults else states[-1:]
        for _ in cuts.try_all(cuts.in_parts(scene), now, chosen, top, quick / "states"):
            count("kill, another try, power cut", scene.name)


@pytest.mark.thorough
def test_rename_of_a_killed_compaction_is_synced_by_the_next_writer(templates: Path, quick: Path) -> None:
    scene = next(scene for scene in SCENES if scene.name == "full")
    known = cuts.ends(scene, templates, quick / "whole")
    renamed = ("replace", "disk.replace", "rewrite.without")
    number = next(number for number, site in enumerate(known.sites, 1) if site[:3] == renamed)
    top = cuts.prepared(scene, templates, quick / "disk")
    now, states = cuts.after_a_kill(scene, top, known, number)
    assert len(list(cuts.try_all(cuts.in_parts(scene), now, states, top, quick / "states"))) > 1
