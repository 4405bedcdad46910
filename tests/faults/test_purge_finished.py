"""An interrupted purge is finished by the next command of any kind; until then its text is not shown."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.api import Cues, Filters, Memory, Plan
from tests.api import hooks_run as hooks
from tests.faults import explore, faulty_os
from tests.faults.acts import SCENES, Scene, long_conversation, summarised
from tests.faults.conftest import Count
from tests.faults.scenes import NEW, memory_at, remember
from tests.inside import Lock, conversations, outcome, trust, writer
from tests.world import every_byte

TALK = "what was said as number"


def purge_conversation(memory: Memory) -> object:
    """Purge the only conversation of the store."""
    (unit,) = conversations.units(memory.context.layout)
    return memory.forget_conversation(unit, purge=True)


PURGES = [
    *(scene for scene in SCENES if scene.destroyed),
    Scene("purge a conversation", summarised, purge_conversation, whole=False, destroyed=TALK),
    Scene("purge messages without a memory", long_conversation, purge_conversation, whole=False, destroyed=TALK),
]
by_name = pytest.mark.parametrize("scene", PURGES, ids=lambda scene: scene.name)


def start_hook(memory: Memory) -> object:
    event = {"hook_event_name": "SessionStart", "session_id": "s1", "cwd": os.getcwd(), "source": "startup"}
    return hooks.reply("start", json.dumps(event).encode())


NEXT_COMMANDS: list[Callable[[Memory], object]] = [
    lambda memory: memory.recall(Cues(touch=False)),
    lambda memory: memory.audit(Filters()),
    Memory.index,
    start_hook,
    lambda memory: remember(memory, NEW),
    Memory.audit_verify,
    lambda memory: memory.reviews(),
    lambda memory: memory.decay(Plan()),
    Memory.working_memory,
]


def contains_text(root: Path, scene: Scene) -> bool:
    assert scene.destroyed is not None
    return scene.destroyed.encode() in every_byte(root)


def is_decided(root: Path, scene: Scene) -> bool:
    """Return whether the purge is decided: by its event, or by its record for messages without a memory."""
    if scene.store == long_conversation:
        return (root / ".purge").exists() and (root / ".purge").read_bytes().endswith(b"\n")
    journal = root / "journal.jsonl"
    return journal.exists() and b'"purged"' in journal.read_bytes() and journal.read_bytes().endswith(b"\n")


def shown(root: Path) -> str:
    """Return the output for a reader who cannot take the lock."""
    with Lock(str(root / ".lock"), 0o600).hold(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(outcome, "MOMENT", 0.0)  # this lock is not released
        patch.setattr(writer, "WAIT_SECONDS", 0.0)
        memory = memory_at(root)
        cues = [Cues(archived=True, touch=False), Cues(text="what was said as number 3", touch=False)]
        found = [memory.recall(one).data["memories"] for one in cues]
        return json.dumps([found, memory.working_memory().data, start_hook(memory)])


@pytest.mark.one_in(4)
@by_name
def test_purge_killed_at_any_call_is_finished_by_the_next_command(
    scene: Scene, templates: Path, quick: Path, count: Count, all_faults: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(quick / "caches"))  # a purge sweeps caches of stores that are gone
    known = explore.ends(scene, templates, quick / "whole")
    assert scene.destroyed is not None
    finished = 0
    for number, name in known.calls(every=all_faults, share=PURGES.index(scene), of=2):
        if name not in faulty_os.CHANGES:
            continue
        for when in ("half", "after") if name == "write" else ("after",):
            root = scene.prepare(templates, quick / f"{number}-{when}")
            monkeypatch.chdir(root.parent)
            trust.record(memory_at(root).context.layout, trust.PRIVATE)
            assert explore.killed(scene, root, faulty_os.die_here(number, when))
            try:
                begun, before = is_decided(root, scene), contains_text(root, scene)
                if begun and number % 3 == 0:
                    assert scene.destroyed not in shown(root)
                NEXT_COMMANDS[(number + len(when)) % len(NEXT_COMMANDS)](memory_at(root))
                assert contains_text(root, scene) is (before and not begun)
                assert not (root / ".purge").exists()
                assert memory_at(root).recall(Cues(touch=False)).warnings == ()
            except BaseException as error:
                error.add_note(f"killed {when} call {number}: {known.sites[number - 1]}, in {root}")
                raise
            finished += begun and before
            count("kill in a purge, another command", scene.name)
    assert finished > (5 if all_faults else 2)
