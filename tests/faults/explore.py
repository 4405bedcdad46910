"""Perform an act with a fault and check that the store is as before or after the act."""

import contextlib
import gzip
import re
import shutil
import sqlite3
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.api import NotFoundError, PromptxMemError
from tests.faults import faulty_os
from tests.faults.acts import Scene
from tests.faults.faulty_os import Fault, FaultyOs, KilledError
from tests.faults.scenes import NEXT, compact, facts, memory_at, recalled, remember
from tests.inside import disk_errors

UNSYNCED = ("used ", "violations", "saved ")
Facts = dict[str, object]


@dataclass
class Ends:
    """The facts in the files before and after an act, and the calls of the act."""

    before: Facts
    after: Facts
    log: list[str]
    sites: list[tuple[str, ...]]

    def calls(self, *, every: bool, share: int = 1, of: int = 1) -> Iterator[tuple[int, str]]:
        """Yield number and name of every call, or of the first call from each place of the program.

        Only a share of the places: all scenes together have all places.
        """
        seen: set[tuple[str, ...]] = set()
        for number, (name, site) in enumerate(zip(self.log, self.sites, strict=True), 1):
            place = site[:3]
            if every or (place not in seen and zlib.crc32(repr(place).encode()) % of == share % of):
                seen.add(place)
                yield number, name

    def without_unsynced(self) -> tuple[Facts, Facts]:
        before, after = (
            {key: value for key, value in one.items() if not key.startswith(UNSYNCED)}
            for one in (self.before, self.after)
        )
        return before, after


def ends(scene: Scene, templates: Path, place: Path, *, cached: bool = True) -> Ends:
    """Perform an act without faults; without a cache it makes other calls."""
    root = scene.prepare(templates, place)
    if not cached:
        shutil.rmtree(root / ".cache", ignore_errors=True)
    before = facts(root)
    shim = FaultyOs(faulty_os.no_fault)
    with pytest.MonkeyPatch.context() as patch:
        shim.install(patch)
        scene.act(memory_at(root))
    found = Ends(before, facts(root), shim.log, shim.sites)
    check(scene, root, found, acknowledged=True)
    return found


def killed(scene: Scene, root: Path, fault: Fault) -> bool:
    """Perform an act in this process with a deadly fault; return whether it died."""
    opened: list[sqlite3.Connection] = []
    connect = sqlite3.connect

    def noted(*args: Any, **kwargs: Any) -> sqlite3.Connection:
        opened.append(connect(*args, **kwargs))
        return opened[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sqlite3, "connect", noted)
        FaultyOs(fault).install(patch)
        try:
            scene.act(memory_at(root))
        except KilledError:
            for db in opened:  # a dead process holds no lock
                db.close()
            return True
    return False


def failing(scene: Scene, root: Path, fault: Fault) -> bool:
    """Return whether an act with a fault was acknowledged; an error that is not ours is a bug."""
    status = 0
    with pytest.MonkeyPatch.context() as patch:
        FaultyOs(fault).install(patch)
        try:
            with disk_errors():
                scene.act(memory_at(root))
        except PromptxMemError as error:
            status = error.exit_status
    assert status in (0, 3, 5) or (status == 2 and scene.name == "import")  # its file could not be read
    return status == 0


def check_no_partial_line(scene: Scene, root: Path, *, acknowledged: bool) -> None:
    """Check that a failed act leaves no partial line, unless there was one before."""
    if not acknowledged and scene.name not in ("adopt", "settle"):
        written = [root / "declarative.md", root / "journal.jsonl", *root.glob("conversations/*")]
        data = [path.read_bytes() for path in written if path.exists()]
        assert all(part.endswith(b"\n") for part in data if part)


def check(
    scene: Scene, root: Path, known: Ends, *, acknowledged: bool, thorough: bool = True, sound: bool = True
) -> None:
    """Check that the store is as before or after the act and works; `sound`: no unsynced data was lost."""
    before, after = (known.before, known.after) if sound else known.without_unsynced()
    found = facts(root, sound=sound)
    _compare(scene, found, before, after, acknowledged=acknowledged)
    assert recalled(root) == _active_texts(found)
    if scene.destroyed:  # the recall has finished an interrupted purge
        found = facts(root, sound=sound)
        _compare(scene, found, before, after, acknowledged=acknowledged)
        assert not (root / ".purge").exists()
    if acknowledged and scene.destroyed:
        assert scene.destroyed.encode() not in _everything(root)
    remember(memory_at(root), NEXT)
    now = facts(root, sound=sound)
    assert {key: now.get(key) for key in found} == found
    assert now.keys() - found.keys() <= {f"memory {NEXT}"} | after.keys()
    data = (root / "declarative.md").read_bytes()
    assert data.count(b"\n- " + NEXT.encode()) == 1
    assert data.endswith(b"-->\n")
    wrong = {problem["check"] for problem in memory_at(root).audit_verify().data["problems"] or []}
    assert wrong <= scene.problems if sound else not wrong & {"vanished", "ids"} - scene.problems
    assert not [path.name for path in root.iterdir() if re.fullmatch(r"\.(decl|jour).*\.old", path.name)]
    if thorough:
        _go_on(scene, root, found, before, after, sound=sound)


def _compare(scene: Scene, found: Facts, before: Facts, after: Facts, *, acknowledged: bool) -> None:
    if acknowledged and scene.writes:
        at_once = {key: value for key, value in after.items() if not key.startswith(scene.later)}
        assert {key: value for key, value in found.items() if not key.startswith(scene.later)} == at_once
    elif scene.whole and scene.writes and not scene.destroyed:
        assert found in (before, after)
    else:
        for key in found.keys() | before.keys() | after.keys():
            allowed = [before.get(key), after.get(key), *(["ended"] if scene.destroyed else [])]
            assert found.get(key) in allowed, key


def _go_on(scene: Scene, root: Path, found: Facts, before: Facts, after: Facts, *, sound: bool) -> None:
    """Repeat an act without effect; then check that compaction removes no active memory."""
    if found == before:
        scene.act(memory_at(root))
        found = after
        now = facts(root, sound=sound)
        assert {key: now.get(key) for key in after} == after
    if scene.destroyed:
        with contextlib.suppress(NotFoundError):  # once more: it may have been interrupted
            scene.act(memory_at(root))
        recalled(root)
        assert scene.destroyed.encode() not in _everything(root)
    for _ in range(2):
        compact(memory_at(root))
    now = facts(root, sound=sound)
    lasting = after if scene.destroyed else found
    assert {key: now.get(key) for key in lasting} == lasting
    assert recalled(root) == _active_texts(lasting) | {NEXT}


def _active_texts(found: Facts) -> set[str]:
    return {
        key.removeprefix("memory ") for key, value in found.items() if key.startswith("memory ") and value != "ended"
    }


def _everything(root: Path) -> bytes:
    files = [path for path in root.rglob("*") if path.is_file()]
    return b"".join(gzip.decompress(p.read_bytes()) if p.suffix == ".gz" else p.read_bytes() for p in files)
