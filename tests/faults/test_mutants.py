"""Each sync and each protection is removed from the program in turn; the fault tests must detect it."""

import errno
import inspect
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from promptx_mem.errors import PromptxMemError
from promptx_mem.store import append, conversations, disk, rewrite
from promptx_mem.usecases import purge
from tests.faults import cuts, explore, faulty_os, strangers
from tests.faults.acts import SCENES, Scene
from tests.faults.conftest import Count
from tests.faults.explore import Ends
from tests.faults.strangers import STRANGERS

BY_NAME = {scene.name: scene for scene in SCENES}
STRANGER = {stranger.name: stranger for stranger in STRANGERS}

SYNCS = {
    # caller of the sync: the scene that needs it, and the call at which a cut after a kill and a retry is tried first
    "fdatasync disk.sync append._sync": "ordinary",
    "fdatasync disk.sync intent.write": "ordinary, cut at write",
    "fdatasync disk.sync append.finish_interrupted": "settle, cut at write",
    "fdatasync disk.sync disk.append conversations.add_raw": "converse",
    "fdatasync disk.sync disk.replace archive.write": "compact",
    "fdatasync disk.sync disk.replace rewrite.without": "compact",
    "fdatasync disk.sync disk.replace conversations.write_shelved": "purge shelved",
    "fsync disk._sync_names disk.sync_directory append.append_settled": "first event",
    "fsync disk._sync_names disk.sync_directory intent.write": "clone, cut at write",
    "fsync disk._sync_names disk.sync_directory conversations.add_raw": "converse first",
    "fsync disk._sync_names disk.sync_directory disk.make_directory writer.create": "first",
    "fsync disk._sync_names disk.sync_directory writer.create": "first, cut at the end",
    "fsync disk._sync_names disk.sync_directory disk.make_directory": "first",
    "fsync disk._sync_names disk.sync_directory archive.write": "compact a line, cut at replace",
    "fsync disk._sync_names disk.replace archive.write": "compact",
    "fsync disk._sync_names disk.sync_directory disk.replace rewrite.without": "purge",
    "fsync disk._sync_names disk.sync_directory rewrite.recover": "full",
}


Protection = tuple[object, str, str, str, str, str, str]
"""Owner and function, the code and its replacement, the scene, the fault that detects the removal, and the function
at whose calls it is tried first."""

ARCHIVE_LAST = """\
        if ranges:
            gained += without(where, path, data, ranges, lambda: True)
            ranges = []
        if archived:"""

UNREAD = """\
import contextlib
    packed = None
    with contextlib.suppress(OSError):
        packed = files.read("""

PROTECTIONS: dict[str, Protection] = {
    "the lock": (
        append, "_try_lock", "EAGAIN):\n            return False", "EAGAIN):\n            return True",
        "ordinary", "another writer of the same text", "append.read_settled",
    ),
    "the check of the lock file": (
        append.Lock, "still_ours", "self._held == self._named()", "True",
        "ordinary", "git clean and another writer of the same text", "append.read_settled",
    ),
    "the newline guard": (append, "append_settled", "disk.guard(fd, size)", 'b""', "adopt", "nothing", "layout.at"),
    "the second check of the line's beginning": (
        append, "_starts_line", "start == 0 or", "True or", "ordinary", "a person, without newline", "disk.guard",
    ),
    "the check of the inode": (append, "append_settled", "and files.is_still(path, fd)", "", "ordinary", "an editor", "append.append_settled"),
    "the roll-back": (append, "_write", "disk.take_back(fd, size, full)", "False", "ordinary", "half a write", "append._write"),
    "settling a torn tail": (
        append, "finish_interrupted", "pending = intent.read(layout)", "pending = None", "settle", "nothing", "layout.at",
    ),
    "a reader's check of the intent": (
        append, "read_settled", "pending = intent.read(layout)", "pass", "ordinary", "a kill", "append._write",
    ),
    "the archive before the rewriting": (
        rewrite, "compact", "        if archived:", ARCHIVE_LAST, "compact", "a kill", "rewrite.without",
    ),
    "the check before a rewritten file is renamed": (
        rewrite, "without", "durable=True, check=check", "durable=True", "compact", "an editor", "rewrite.without",
    ),
    "carrying over typed lines": (
        rewrite, "_carry_over", "append.append_settled(layout, path, tail)", "pass", "compact", "a person", "append.read_settled",
    ),
    "carrying over the guard's records": (
        rewrite, "replace_growing", "late = ", 'late = b"" and ', "rotate", "the guard", "rewrite.replace_growing",
    ),
    "the end of a conversation's torn line": (
        disk, "append", "guard(fd, size)", "guard(fd, size)[:0]", "converse", "a kill", "disk.append",
    ),
    "an error where the shelf cannot be read": (
        conversations, "read_shelved", "packed = files.read(", UNREAD, "converse shelved", "an error", "files.opened_folder",
    ),
    "removing the line last in a purge": (
        purge, "_purge", '    data["files"] = ', '    clean_texts(writer, {ident}, texts)\n    data["files"] = ', "purge episode", "a kill", "rewrite.without",
    ),
}  # fmt: skip


LONG = (
    "fsync disk._sync_names disk.sync_directory disk.replace rewrite.without",
    "fsync disk._sync_names disk.sync_directory rewrite.recover",
    "removing the line last in a purge",
)
"""Mutants that take about a minute to detect: only with --faults=all."""


@pytest.fixture
def removed(request: pytest.FixtureRequest, all_faults: bool) -> str:
    """The name of the removed sync or protection."""
    name = str(request.param)
    if name in LONG and not all_faults:
        pytest.skip("it takes a minute: --faults=all")
    return name


@contextmanager
def detected(what: str) -> Iterator[None]:
    """Expect any failure of the program or of a check."""
    try:
        yield
    except (AssertionError, PromptxMemError, OSError):
        return
    pytest.fail(f"no test detects that it is missing: {what}")


def hunt_cuts(scene: Scene, templates: Path, place: Path, known: Ends, fault: faulty_os.Fault, cut: str) -> None:
    """Try each power cut within an act, and each after a kill and a retry; the fastest to detect come first."""

    def killed_at(*names: str) -> None:
        for number, name in known.calls(every=True):
            if name in names:
                top = cuts.prepared(scene, templates, place / f"disk{number}")
                now, states = cuts.after_a_kill(scene, top, known, number, fault, within=True)
                states.sort(key=lambda state: state[0] != cut)
                for _ in cuts.try_all(cuts.in_parts(scene), now, states, top, place / "states"):
                    pass

    if cut:
        killed_at("mkdir")
    top = cuts.prepared(scene, templates, place / "disk")
    within, afterwards = cuts.during(scene, top, fault)
    for _ in cuts.try_all(scene, known, afterwards, top, place / "states"):
        pass
    killed_at("mkdir", "replace")
    for _ in cuts.try_all(scene, known, within, top, place / "states"):
        pass
    killed_at("open")


@pytest.mark.thorough
@pytest.mark.parametrize("removed", SYNCS, indirect=True)
def test_every_sync_is_needed(removed: str, templates: Path, quick: Path, count: Count) -> None:
    name, _, cut = SYNCS[removed].partition(", cut at ")
    scene = BY_NAME[name]
    known = cuts.ends(scene, templates, quick / "whole")
    with detected(removed):
        hunt_cuts(scene, templates, quick, known, faulty_os.without_sync(tuple(removed.split())), cut)
    count("mutants detected: a sync", scene.name)


@pytest.mark.thorough
@pytest.mark.parametrize("removed", PROTECTIONS, indirect=True)
def test_every_protection_is_needed(removed: str, templates: Path, quick: Path, count: Count) -> None:
    owner, name, old, new, scene_name, how, where = PROTECTIONS[removed]
    scene = BY_NAME[scene_name]
    known = explore.ends(scene, templates, quick / "whole")
    with pytest.MonkeyPatch.context() as patch:
        rewrite_function(patch, owner, name, old, new)
        with detected(removed):
            hunt(how, where, scene, templates, quick, known)
    count("mutants detected: a protection", scene.name)


def rewrite_function(patch: pytest.MonkeyPatch, owner: Any, name: str, old: str, new: str) -> None:
    """Replace some code of a function."""
    function = getattr(owner, name)
    source = textwrap.dedent(inspect.getsource(function))
    assert old in source, f"{name} has changed: {old!r} is not in it any more"
    made: dict[str, Any] = {}
    exec(compile(source.replace(old, new, 1), name, "exec"), function.__globals__, made)
    patch.setattr(owner, name, made[name])


def hunt(how: str, where: str, scene: Scene, templates: Path, place: Path, known: Ends) -> None:
    """Try one kind of fault at each call, until a check fails."""
    for number, name in sorted(known.calls(every=True), key=lambda call: where not in known.sites[call[0] - 1]):
        root = scene.prepare(templates, place / f"{number}")
        if how in STRANGER:
            met = strangers.meet(scene, root, STRANGER[how], number)
            strangers.check_met(scene, root, STRANGER[how], met, known, number)
        elif how == "a kill":
            _try_kill(scene, root, known, number, name)
        elif how == "an error":
            _try(scene, root, known, faulty_os.fail(number, errno.EIO, forever=False))
        elif how == "nothing":
            _try(scene, root, known, faulty_os.no_fault)
        elif name == "write":
            _try(scene, root, known, faulty_os.short(number, errno.ENOSPC))


def _try(scene: Scene, root: Path, known: Ends, fault: faulty_os.Fault) -> None:
    acknowledged = explore.failing(scene, root, fault)
    explore.check_no_partial_line(scene, root, acknowledged=acknowledged)
    explore.check(scene, root, known, acknowledged=acknowledged)


def _try_kill(scene: Scene, root: Path, known: Ends, number: int, name: str) -> None:
    if name in faulty_os.CHANGES:
        explore.killed(scene, root, faulty_os.die_here(number, "half" if name == "write" else "after"))
        explore.check(scene, root, known, acknowledged=False)
