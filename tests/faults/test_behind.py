"""A fault after the commit point: the message is true, and the next command repairs MEMORY.md."""

import contextlib
import errno
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.api import Cues, Memory, PromptxMemError, Result, layout
from tests.faults import cuts, explore, faulty_os, power, scenes
from tests.faults.acts import SCENES, Scene, clone, hand_written
from tests.faults.conftest import Count
from tests.faults.cuts import POWER_SCENES
from tests.faults.faulty_os import Fault, FaultyOs
from tests.faults.scenes import NEXT, memory_at, remember
from tests.inside import checks, disk_errors, host, trust, usecase_index
from tests.inside import hooks_session as session

ERRORS = (errno.ENOSPC, errno.EIO, errno.EACCES, errno.EMFILE)
UNFINISHED = "was purged, but its text is not yet erased from every file"
WRITING = [scene for scene in SCENES if scene.writes]


def _start(memory: Memory) -> object:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Memory, "open", lambda *_: memory)
        return session.start(host.read(b'{"hook_event_name": "SessionStart", "session_id": "s"}', "claude"))


HAND_EDITED = (clone, hand_written)
"""Stores changed without a command: the first reader repairs them, though it may fail here."""
AGAIN = "the same again"
NEXT_COMMANDS: dict[str, Callable[[Memory], object]] = {
    "one that writes": lambda memory: remember(memory, NEXT),
    "recall": lambda memory: memory.recall(Cues(count=100)),
    "hook start": _start,
}


def is_current(root: Path) -> bool:
    """Return whether MEMORY.md matches the files, in a copy with its own cache; also if nothing was stored."""
    copy = root.parent / "copy"
    shutil.copytree(root, copy, ignore=shutil.ignore_patterns(".cache", ".intent"))
    if trust.is_recorded(layout.at(str(root))):
        trust.record(layout.at(str(copy)), trust.PRIVATE)
    try:
        if not (copy / "MEMORY.md").exists():
            return not (root / ".intent").exists()
        return bool(memory_at(copy).check_index().data["current"])
    finally:
        shutil.rmtree(copy)


def by_name(scenes: list[Scene]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("scene", scenes, ids=lambda scene: scene.name)


def kinds(scene: Scene, number: int, *, every: bool) -> list[str]:
    """Return the next commands to try: all, or one that depends on the number of the fault."""
    names = [*NEXT_COMMANDS, AGAIN]
    if scene.act == scenes.compact:
        names.remove(AGAIN)  # no command
    if scene.store in HAND_EDITED:
        names = ["one that writes", AGAIN]
    return names if every else [names[number % len(names)]]


def go_on(scene: Scene, root: Path, kind: str) -> None:
    """Run the next command and check that MEMORY.md matches the store."""
    if kind != AGAIN:
        NEXT_COMMANDS[kind](memory_at(root))
    else:
        with contextlib.suppress(PromptxMemError):  # it may have been done
            answer = scene.act(memory_at(root))
            if isinstance(answer, Result) and _is_behind(answer):
                memory_at(root).recall(Cues())
    assert is_current(root)


def outcome(scene: Scene, root: Path, fault: Fault) -> Result[Any] | PromptxMemError | None:
    """Return the result of an act with a fault, or its error."""
    with pytest.MonkeyPatch.context() as patch:
        FaultyOs(fault).install(patch)
        try:
            with disk_errors():
                answer = scene.act(memory_at(root))
        except PromptxMemError as error:
            return error
    return answer if isinstance(answer, Result) else None


def check_message(scene: Scene, root: Path, answer: Result[Any] | PromptxMemError | None, *, forever: bool) -> None:
    """Check that the message is true. If all later calls fail too, a write cannot be undone or reported."""
    if isinstance(answer, PromptxMemError):
        journal = root / "journal.jsonl"
        is_purged = scene.destroyed is not None and journal.exists() and b'"purged"' in journal.read_bytes()
        assert is_purged or UNFINISHED not in answer.message
        assert forever or UNFINISHED in answer.message or not is_purged
        assert usecase_index.BEHIND not in answer.message
    elif answer is not None and not _is_behind(answer):
        assert is_current(root)


def _is_behind(answer: Result[Any]) -> bool:
    """Return whether a result reports that the index, or a roll-up, is behind."""
    return usecase_index.BEHIND in answer.warnings or (answer.command == "converse" and bool(answer.warnings))


@pytest.mark.one_in(10)
@by_name(WRITING)
def test_next_command_repairs_the_index_after_a_kill(
    scene: Scene, templates: Path, quick: Path, count: Count, all_faults: bool
) -> None:
    known = explore.ends(scene, templates, quick / "whole")
    for number, name in known.calls(every=all_faults, share=SCENES.index(scene), of=5):
        if name not in faulty_os.CHANGES:
            continue
        for kind in kinds(scene, number, every=all_faults):
            root = scene.prepare(templates, quick / f"{number}-{kind}")
            assert explore.killed(scene, root, faulty_os.die_here(number, "after"))
            try:
                go_on(scene, root, kind)
            except BaseException as problem:
                problem.add_note(f"killed after call {number}: {known.sites[number - 1]}; then {kind}, in {root}")
                raise
            count("kill, and the index", scene.name)


@pytest.mark.one_in(12)
@by_name(WRITING)
@pytest.mark.parametrize("forever", [False, True], ids=["once", "forever"])
def test_error_message_is_true_and_the_next_command_repairs_the_index(
    scene: Scene, forever: bool, templates: Path, quick: Path, count: Count, all_faults: bool
) -> None:
    known = explore.ends(scene, templates, quick / "whole")
    for number, _ in known.calls(every=all_faults, share=SCENES.index(scene) + forever, of=9):
        error = ERRORS[number % len(ERRORS)]
        for kind in kinds(scene, number, every=all_faults):
            root = scene.prepare(templates, quick / f"{number}-{kind}")
            answer = outcome(scene, root, faulty_os.fail(number, error, forever=forever))
            try:
                if root.exists():
                    check_message(scene, root, answer, forever=forever)
                    go_on(scene, root, kind)
            except BaseException as problem:
                what = f"{errno.errorcode[error]} at call {number}: {known.sites[number - 1]}"
                problem.add_note(f"{what}; answer: {answer!r}; then {kind}, in {root}")
                raise
            count(f"{errno.errorcode[error]} {'forever' if forever else 'once'}, and the index", scene.name)


SOME = 3
"""Number of states after a power cut that are tried, unless all are."""


@pytest.mark.one_in(10)
@by_name([scene for scene in POWER_SCENES if scene.writes])
def test_next_command_repairs_the_index_after_a_power_cut(
    scene: Scene, templates: Path, quick: Path, count: Count, all_faults: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    top = cuts.prepared(scene, templates, quick / "disk")
    states = [state for part in cuts.during(scene, top) for state in part]
    monkeypatch.setattr(checks, "boot", lambda: "another start")
    step = 1 if all_faults else len(states) // SOME + 1
    for number, (name, files, _) in enumerate(states[SCENES.index(scene) % step :: step], SCENES.index(scene)):
        for kind in kinds(scene, number, every=all_faults):
            here = quick / f"{number}-{kind}"
            here.mkdir()
            power.put_back(files, top, here)
            if (here / ".memory").exists():
                trust.record(layout.at(str(here / ".memory")), trust.PRIVATE)
            try:
                go_on(scene, here / ".memory", kind)
            except BaseException as problem:
                problem.add_note(f"power cut at {name}, state {number}; then {kind}, in {here}")
                raise
            count("power cut, and the index", scene.name)
