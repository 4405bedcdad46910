"""Store files that cannot be opened: every command ends with a documented status.

Root may open every file. A shim under `os` therefore refuses a path with EACCES, also through its folder's descriptor.
"""

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from tests.api import layout
from tests.faults.faulty_os import Call, FaultyOs
from tests.hostile import inside, planting
from tests.hostile.planting import COMMANDS, Command

REFUSED = ("open", "listdir", "scandir", "unlink", "mkdir", "replace", "rename", "truncate", "chmod")
RECALL = Command(("recall",))
NEEDED = ("declarative.md", "journal.jsonl")
"""Files without which recall cannot answer correctly."""


class Refusing:
    """Refuses each call of `os` that opens or changes a path, or a path below it."""

    def __init__(self, place: Path) -> None:
        self._place = place

    def fault(self, _number: int, name: str, real: Call, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if name in REFUSED and args and isinstance(args[0], str | int):
            path = self._path(args[0], kwargs.get("dir_fd", kwargs.get("src_dir_fd")))
            if path is not None and (path == self._place or self._place in path.parents):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return real(*args, **kwargs)

    def _path(self, name: str | int, folder: int | None) -> Path | None:
        if isinstance(name, int):
            return None  # it is open already
        if folder is None:
            return Path(os.path.abspath(name))
        return Path(os.readlink(f"/proc/self/fd/{folder}"), name)


def tried(command: Command, project: Path, ident: str) -> inside.Ran:
    """Run a command and check its status and output (inside.check)."""
    return planting.run(command, ident, project.parent / "theirs.md")


@pytest.mark.one_in(4)
@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="the shim asks /proc which folder a descriptor is")
@pytest.mark.parametrize("place", [*layout.FILES, *layout.FOLDERS])
def test_commands_handle_a_store_file_that_cannot_be_opened(place: str, project: Path) -> None:
    root = project / ".memory"
    ident = planting.store(root)[0]
    tried(RECALL, project, ident)
    before = (root / "declarative.md").read_bytes()
    with pytest.MonkeyPatch.context() as patch:
        FaultyOs(Refusing(root / place).fault).install(patch)
        for command in COMMANDS:
            ran = tried(command, project, ident)
            if command.words[0] in ("hook", "guard"):
                assert ran.status == 0, ran
            elif ran.status == 3:
                assert "→" in ran.err or '"hint": "' in ran.out, ran
        shown = tried(RECALL, project, ident)
    if place not in NEEDED:
        assert shown.status == 0, shown
        assert "deploys run on Fridays" in shown.out
    assert (root / "declarative.md").read_bytes().startswith(before[:20])
    assert "deploys run on Fridays" in tried(RECALL, project, ident).out


@pytest.mark.usefixtures("person")
@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="the shim asks /proc which folder a descriptor is")
def test_commands_report_an_audit_log_that_cannot_be_opened(project: Path) -> None:
    root = project / ".memory"
    planting.store(root)
    ident = tried(RECALL, project, "").out.split()[0]
    before = (root / "audit.jsonl").read_bytes()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("promptx_mem.cli.terminal.typed_name", lambda *_, **__: True)
        FaultyOs(Refusing(root / "audit.jsonl").fault).install(patch)
        for words in (("audit",), ("audit", "--undo"), ("audit", "--allow", "s"), ("forget", "--last")):
            ran = tried(Command(words), project, ident)
            assert (ran.status, "audit.jsonl could not be read" in ran.err, "→" in ran.err) == (3, True, True), ran
        for storing in (("remember", "another fact", "#t", "score:9"), ("boost", "{id}")):
            ran = tried(Command(storing), project, ident)
            assert (ran.status, ran.err.count("the audit record was not written: audit.jsonl")) == (0, 1), ran
        checked = tried(Command(("audit", "--verify")), project, ident)
        assert (checked.status, "audit.jsonl  it cannot be read: Permission denied" in checked.out) == (1, True), (
            checked
        )
        purged = tried(Command(("forget", "{id}", "--purge")), project, ident)
        assert (purged.status, "audit.jsonl" in purged.err) == (3, True), purged
    assert (root / "audit.jsonl").read_bytes() == before
