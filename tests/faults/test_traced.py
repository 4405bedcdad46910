"""Fault tests with strace: the system calls of the real program, and their failures."""

import datetime
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.faults import acts, faulty_os, scenes, traced
from tests.faults.acts import SCENES, Scene
from tests.faults.conftest import Count
from tests.faults.faulty_os import FaultyOs
from tests.faults.scenes import NEW, NEXT, OLD, OTHER, active_texts, memory_at, remember

pytestmark = pytest.mark.thorough

SOME_SCENES = ("first", "decay", "purge episode")
SOME = 32
NAMES = {
    "pwrite64": "write", "linkat": "link", "openat": "open", "replace": "rename", "renameat": "rename",
    "renameat2": "rename", "unlinkat": "unlink", "mkdirat": "mkdir", "fchmodat": "chmod", "utimensat": "utime",
}  # fmt: skip
"""One name for the system calls that an `os` call becomes on different machines."""


def act_and_count(name: str, root: Path) -> None:
    """Perform an act in a separate process and print the calls that the faulty `os` made to the store."""
    import os

    made: Counter[str] = Counter()

    def fault(_n: int, call: str, real: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        on = args[0] if isinstance(args[0], str) else os.readlink(f"/proc/self/fd/{args[0]}")
        if (folder := kwargs.get("dir_fd", kwargs.get("src_dir_fd"))) is not None:
            on = os.path.join(os.readlink(f"/proc/self/fd/{folder}"), on)
        answer = real(*args, **kwargs)
        if str(root) in on and "/.cache" not in on and (call != "open" or args[1] & os.O_CREAT):
            made[NAMES.get(call, call)] += 1
        return answer

    scene = next(scene for scene in SCENES if scene.name == name)
    with pytest.MonkeyPatch.context() as patch:
        FaultyOs(fault).install(patch)
        patch.setattr("promptx_mem.session.is_person", lambda: True)
        scene.act(memory_at(root))
    changing = faulty_os.CHANGES | {"fsync", "fdatasync"}
    print(",".join(f"{call}={number}" for call, number in sorted(made.items()) if call in changing))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "scene" in metafunc.fixturenames:
        every = metafunc.config.getoption("--faults") == "all"
        chosen = [scene for scene in SCENES if every or scene.name in SOME_SCENES]
        metafunc.parametrize("scene", chosen, ids=lambda scene: scene.name)


def test_every_store_call_goes_through_the_faulty_os(scene: Scene, templates: Path, quick: Path, count: Count) -> None:
    """SQLite's calls in the cache do not, but the cache is derived."""
    if not traced.works():
        return
    root = scene.prepare(templates, quick / "it")
    code = f"from tests.faults import test_traced as t; t.act_and_count({scene.name!r}, t.Path({str(root)!r}))"
    here = str(Path(__file__).parents[2])
    command = ["sh", "-c", '"$0" -B -c "$1" >counted', sys.executable, code]
    status, trace = traced.run(command, quick, "-e", "trace=file,desc", env={"PYTHONPATH": here})
    assert status == 0
    seen = Counter(NAMES.get(one.name, one.name) for one in traced.changes(trace, root) if "/.cache" not in one.what)
    counted = (quick / "counted").read_text().strip().split(",")
    assert {call: int(number) for call, _, number in (one.partition("=") for one in counted if one)} == seen
    count("scenes compared with strace", scene.name)


@pytest.mark.parametrize("how", ["signal=SIGKILL", "error=ENOSPC", "error=EIO", "error=ENOSPC, and from there on"])
def test_real_program_loses_no_acknowledged_memory_in_kills_and_errors(
    how: str, templates: Path, quick: Path, count: Count, all_faults: bool
) -> None:
    """At every call that changes the store, including those of SQLite."""
    if not traced.works():
        return
    scene = next(scene for scene in SCENES if scene.store is acts.base)
    command = traced.program("remember", NEW, "-t", "t", "--score", "9")
    whole = scene.prepare(templates, quick / "whole")
    status, trace = traced.run(command, whole.parent, "-e", "trace=file,desc")
    asked = traced.changes(trace, whole)
    assert status == 0
    assert len(asked) > 20
    hit = 0
    for number, one in enumerate(asked):
        if not all_faults and number % SOME != len(how) % SOME:
            continue
        root = scene.prepare(templates, quick / str(number))
        when = f"when={one.number}" + ("+" if how.endswith("on") else "")
        inject = f"inject={one.name}:{how.partition(',')[0]}:{when}"
        status, trace = traced.run(command, root.parent, "-e", f"trace={one.name}", "-e", inject)
        hit += "INJECTED" in trace or "SIGKILL" in trace
        try:
            check(root, acknowledged=status == 0)
        except BaseException as error:
            error.add_note(f"{inject}: {one.what}; exit {status}")
            raise
        count(f"strace: {how}", one.name)
    assert hit


def check(root: Path, *, acknowledged: bool) -> None:
    """Check the store with the real clock, since the program runs unchanged."""
    now = datetime.datetime.now(datetime.UTC)
    found = active_texts(root, now)
    assert {OLD, OTHER} <= found <= {OLD, OTHER, NEW, scenes.SHORT_LIVED}
    assert not acknowledged or NEW in found
    assert scenes.recalled(root, now) == found
    remember(memory_at(root, now), NEXT)
    assert active_texts(root, now) == found | {NEXT}
    assert not memory_at(root, now).audit_verify().data["problems"]
