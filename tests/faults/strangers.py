"""Others who change files between two of our calls: a writer, a person, an editor, git clean, the guard."""

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.api import BusyError, PromptxMemError
from tests.faults import scenes
from tests.faults.acts import Scene
from tests.faults.explore import Ends
from tests.faults.faulty_os import Call, FaultyOs
from tests.faults.scenes import BAD_SESSION, LATER, NEW, NEXT, facts, memory_at, recalled, remember
from tests.inside import acknowledged, as_line, lock

THEIRS = "这是别人写的"


@dataclass(frozen=True)
class Stranger:
    """Another process or person that changes a store during an act and returns the texts acknowledged to it."""

    name: str
    act: Callable[[Path], set[str]]


def another_writer(text: str) -> Callable[[Path], set[str]]:
    def write(root: Path) -> set[str]:
        """Remember without waiting for the lock, since its holder continues only afterwards."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(lock, "_check_time", _refuse)
            with contextlib.suppress(BusyError):
                remember(memory_at(root), text)
                return {text}
        return set()

    return write


def _refuse(_deadline: float) -> None:
    raise BusyError("held")


def person(end: str) -> Callable[[Path], set[str]]:
    def append(root: Path) -> set[str]:
        """Append a line; the editor puts it on a new line."""
        with (root / "declarative.md").open("r+b") as file:
            data = file.read()
            file.write((b"" if data.endswith(b"\n") or not data else b"\n") + f"- {THEIRS} #t{end}".encode())
        return {THEIRS}

    return append


def editor(root: Path) -> set[str]:
    """Read the file, write a new file with one more line, rename it over ours."""
    data = (root / "declarative.md").read_bytes()
    (root / "theirs").write_bytes(data.removesuffix(b"\n") + f"\n- {THEIRS} #t\n".encode())
    (root / "theirs").replace(root / "declarative.md")
    return {THEIRS}


def clean(root: Path) -> set[str]:
    """Remove the lock file as `git clean` does, then write."""
    (root / ".lock").unlink(missing_ok=True)
    return another_writer(THEIRS)(root)


def clean_and_same(root: Path) -> set[str]:
    (root / ".lock").unlink(missing_ok=True)
    return another_writer(NEW)(root)


def denied(root: Path) -> set[str]:
    """Record a violation without the lock, as the guard does."""
    record = {"at": LATER.isoformat(timespec="seconds"), "s": BAD_SESSION, "cmd": "guard", "verdict": "denied", "x": 1}
    assert acknowledged.append_unlocked(str(root / "audit.jsonl"), as_line(record), 0o600)
    return set()


SAME = Stranger("git clean and another writer of the same text", clean_and_same)
STRANGERS = (
    Stranger("another writer", another_writer(THEIRS)),
    Stranger("another writer of the same text", another_writer(NEW)),
    Stranger("a person", person("\n")),
    Stranger("a person, without newline", person("")),
    Stranger("an editor", editor),
    Stranger("git clean and another writer", clean),
    SAME,
    Stranger("the guard", denied),
)


@dataclass
class Met:
    """The result of a meeting: whether our act was acknowledged, and the texts acknowledged to the stranger."""

    acknowledged: bool = True
    theirs: frozenset[str] = frozenset()


def meet(scene: Scene, root: Path, stranger: Stranger, at: int) -> Met:
    """Perform an act; just before one of its calls the stranger acts with the real `os`."""
    met = Met()
    status = 0
    here = False

    def fault(number: int, _name: str, real: Call, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        nonlocal here
        if number == at and not here and (root / "declarative.md").exists():
            here = True
            patch.undo()
            held = set(lock._held_here)
            lock._held_here.clear()
            with contextlib.suppress(FileNotFoundError):
                met.theirs = frozenset(stranger.act(root))
            lock._held_here.update(held)
            shim.install(patch)
        return real(*args, **kwargs)

    shim = FaultyOs(fault)
    with pytest.MonkeyPatch.context() as patch:
        shim.install(patch)
        try:
            scene.act(memory_at(root))
        except PromptxMemError as error:
            met.acknowledged = False
            status = error.exit_status
    assert status in (0, 1, 4, 5)
    return met


def check_met(scene: Scene, root: Path, stranger: Stranger, met: Met, known: Ends, at: int) -> None:
    """Check that no acknowledged memory is lost or stored twice."""
    # Between our last check of the lock file and our write there is no protection; the fold counts both lines as one.
    once = stranger is not SAME or known.sites[at - 1][:3] != ("write", "files.write_all", "append._write")
    found = facts(root, once=once)
    expected = known.after if met.acknowledged else known.before
    lost = {
        key for key, value in expected.items()
        if not key.startswith(scene.later)
        and (key not in found or (found[key] == "ended" and value != "ended" and known.after.get(key) != "ended"))
    }  # fmt: skip
    assert not lost
    # Between our last check of the file and its renaming there is none either: our file replaces the editor's.
    if stranger.act is not editor or known.sites[at - 1][:3] != ("replace", "disk.replace", "rewrite.without"):
        assert {f"memory {text}" for text in met.theirs} <= found.keys()
        assert (root / "declarative.md").read_text("utf-8").count(f"- {THEIRS} #t") == (THEIRS in met.theirs)
    if stranger.act is denied and "violations" in known.before:
        assert found["violations"] == 3
    active_texts = {
        key.removeprefix("memory ") for key, value in found.items() if key.startswith("memory ") and value != "ended"
    }
    assert recalled(root) == active_texts
    remember(memory_at(root), NEXT)
    assert scenes.active_texts(root, once=once) == active_texts | {NEXT}
    found_problems = {problem["check"] for problem in memory_at(root).audit_verify().data["problems"] or []}
    assert not found_problems & {"vanished", "ids"}
