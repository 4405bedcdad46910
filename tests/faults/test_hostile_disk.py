"""Full disks, missing permissions and replaced files: one clear message and the documented exit status."""

import ctypes
import json
import os
import resource
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import caches
from tests.api import PromptxMemError, layout
from tests.faults import program, scenes
from tests.faults.scenes import NEW, OLD, OTHER, active_texts

REMEMBER = ("remember", NEW, "-t", "t", "--score", "9")
AGAIN = ("remember", OLD, "-t", "u", "--score", "9.5")
RECALL = ("recall", "用户ID")
WRITES = [REMEMBER, AGAIN]


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A working directory with a store and its cache."""
    scenes.make_template(tmp_path / ".memory")
    assert program.run(tmp_path, *RECALL).status == 0
    yield tmp_path
    for path in (tmp_path / ".memory", *(tmp_path / ".memory").rglob("*")):
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o700)


def drop_privileges() -> None:
    """Drop the privileges that let root read and write everything; a plain user has none."""
    if os.getuid() == 0:
        header = (ctypes.c_uint32 * 2)(0x20080522, 0)
        assert ctypes.CDLL(None).capset(header, (ctypes.c_uint32 * 6)()) == 0


def contents(place: Path) -> dict[str, bytes]:
    if place.is_symlink() or not place.exists():
        return {}
    paths = [place, *place.rglob("*")] if place.is_dir() else [place]
    return {str(path): path.read_bytes() for path in paths if path.is_file() and not path.is_symlink()}


def replace(kind: str, path: Path, outside: Path) -> None:
    """Replace a file or directory by another kind of file; a link points to the old one."""
    if kind == "link" and path.exists():
        path.rename(outside)
    elif path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
    if kind == "link":
        if not outside.exists():
            outside.write_bytes(b"")
        path.symlink_to(outside)
    elif kind == "loop":
        path.symlink_to(path)
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "directory":
        path.mkdir()
    else:
        path.write_bytes(b"a file\n")


@pytest.mark.parametrize("kind", ["file", "pipe", "loop", "link"])
def test_replaced_store_directory_is_an_error(kind: str, tmp_path: Path) -> None:
    replace(kind, tmp_path / ".memory", tmp_path / "outside")
    for command in (REMEMBER, RECALL):
        run = program.run(tmp_path, *command)
        assert (run.status, run.is_clean()) == (3, True), run
        assert ".memory" in run.err


@pytest.mark.thorough
def test_file_size_limit_leaves_no_partial_line(folder: Path) -> None:
    """Many limits, so that each write fails once."""
    root = folder / ".memory"
    template = folder / "template"
    shutil.copytree(root, template)
    statuses = set()
    for limit in range(0, 1400, 73):
        shutil.rmtree(root)
        shutil.copytree(template, root)

        def lower(limit: int = limit) -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        for command in WRITES:
            run = program.run(folder, *command, before=lower)
            assert run.status in (0, 3), run
            statuses.add(run.status)
            data = (root / "declarative.md").read_bytes(), (root / "journal.jsonl").read_bytes()
            assert all(part.endswith(b"\n") for part in data)
            assert active_texts(root) >= {OLD, OTHER}
            assert (NEW in active_texts(root)) == (command is REMEMBER and run.status == 0) or command is AGAIN
        assert program.run(folder, *REMEMBER).status == 0
        assert NEW in active_texts(root)
    assert statuses == {0, 3}


@pytest.mark.parametrize("cache", ["current", "missing", "stale"])
def test_read_only_store_is_read_and_a_write_reports_the_permission(cache: str, folder: Path) -> None:
    root = folder / ".memory"
    if cache == "missing":
        shutil.rmtree(root / ".cache")
    if cache != "current":
        with (root / "declarative.md").open("a", encoding="utf-8") as file:
            file.write("- 用户ID 手写 #t\n")
    for path in sorted(root.rglob("*"), reverse=True):
        path.chmod(0o500 if path.is_dir() else 0o400)
    root.chmod(0o500)
    before = contents(root)
    for _ in range(2):
        run = program.run(folder, *RECALL, before=drop_privileges)
        assert (run.status, run.is_clean()) == (0, True), run
        assert OLD in run.out
        assert ("手写" in run.out) == (cache != "current")
    run = program.run(folder, *REMEMBER, before=drop_privileges)
    assert (run.status, run.is_clean()) == (3, True), run
    assert "permission" in run.err.lower()
    assert contents(root) == before


def test_unreadable_archive_is_reported_when_an_id_is_not_found(folder: Path) -> None:
    root = folder / ".memory"
    found = json.loads(program.run(folder, *RECALL, "--json").out)["memories"]
    for one in found:
        assert program.run(folder, "forget", one["id"]).status == 0
    assert program.run(folder, "decay", "--compact").status == 0
    for path in (root / "archive").iterdir():
        path.chmod(0)
    for command in ("restore", "boost"):
        shutil.rmtree(root / ".cache", ignore_errors=True)  # the cache would give the file
        run = program.run(folder, command, found[0]["id"], before=drop_privileges)
        assert (run.status, run.is_clean()) == (3, True), run
        assert "archive/ cannot be read" in run.err
    for path in (root / "archive").iterdir():
        path.chmod(0o600)
    assert program.run(folder, "restore", found[0]["id"], before=drop_privileges).status == 0


def test_store_cannot_be_created_in_a_read_only_directory(tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0o500)
    run = program.run(tmp_path, *REMEMBER, "--memory-dir", "closed/a/.memory", before=drop_privileges)
    assert (run.status, run.is_clean()) == (3, True), run
    assert list((tmp_path / "closed").iterdir()) == []


def modes(root: Path) -> dict[str, int]:
    return {str(path.relative_to(root)): stat.S_IMODE(path.lstat().st_mode) for path in (root, *root.rglob("*"))}


@pytest.mark.parametrize("umask", [0o777, 0o000, 0o027])
def test_new_files_are_private_with_any_umask(umask: int, tmp_path: Path) -> None:
    def set_umask() -> None:
        os.umask(umask)
        drop_privileges()

    for command in (REMEMBER, AGAIN, AGAIN, RECALL):
        run = program.run(tmp_path, *command, "--memory-dir", "new/.memory", before=set_umask)
        assert (run.status, run.is_clean()) == (0, True), run
    scenes.compact(scenes.memory_at(tmp_path / "new" / ".memory"))
    for name, mode in modes(tmp_path / "new").items():
        assert mode == (0o700 if (tmp_path / "new" / name).is_dir() else 0o600), name


def test_files_in_a_group_readable_store_are_group_readable(tmp_path: Path) -> None:
    root = tmp_path / ".memory"
    root.mkdir()
    root.chmod(0o750)
    scenes.make_template(root)
    scenes.compact(scenes.memory_at(root))
    scenes.recalled(root)
    found = modes(root)
    assert {"declarative.md", "journal.jsonl", "archive", ".lock", ".intent", ".cache"} <= found.keys()
    for name, mode in found.items():
        assert mode == (0o750 if (root / name).is_dir() else 0o640), name


def test_compaction_keeps_the_mode_of_the_file(folder: Path) -> None:
    (folder / ".memory" / "declarative.md").chmod(0o644)
    scenes.compact(scenes.memory_at(folder / ".memory"))
    assert modes(folder / ".memory")["declarative.md"] == 0o644


CLOSED = {"stdin": "<&-", "stdout": ">&-", "stderr": "2>&-", "all": "<&- >&- 2>&-", "full": ">/dev/full"}


@pytest.mark.parametrize("which", CLOSED)
@pytest.mark.parametrize("command", [REMEMBER, RECALL], ids=["remember", "recall"])
def test_closed_or_full_streams_do_not_damage_the_store(which: str, command: tuple[str, ...], folder: Path) -> None:
    """A store file never gets the number of a closed stream; stderr reports a result that cannot be shown."""
    shell = f'exec "$0" -m promptx_mem "$@" {CLOSED[which]}'
    run = subprocess.run(
        ["sh", "-c", shell, sys.executable, *command], cwd=folder, capture_output=True, text=True, check=False
    )
    shown = which in ("stdin", "stderr")
    assert run.returncode == (0 if shown or command is REMEMBER else 3)
    assert "Traceback" not in run.stderr
    assert len(run.stderr.splitlines()) == (1 if which in ("stdout", "full") else 0), run.stderr
    assert bool(run.stdout) == shown
    assert active_texts(folder / ".memory") == ({OLD, OTHER, NEW} if command is REMEMBER else {OLD, OTHER})


def test_rollback_journal_next_to_the_cache_is_not_applied(folder: Path) -> None:
    cache = caches.file_of(layout.at(str(folder / ".memory")))
    journal = cache.with_name(f"{cache.name}-journal")
    journal.write_bytes(b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + b"\0" * 5000)
    before = journal.read_bytes()
    for command in (RECALL, REMEMBER, RECALL):
        run = program.run(folder, *command)
        assert run.status == 0
        assert command is REMEMBER or OLD in run.out
    assert journal.read_bytes() == before


WRITE_STATUS = {
    "declarative.md": 3, "journal.jsonl": 3, ".intent": 3, ".lock": 3, "config.yaml": 2, "audit.jsonl": 0, "MEMORY.md": 0,
    ".gitignore": 0, ".recalled": 0, ".cache/cache.db": 0, ".cache": 0, "archive": 0, "conversations": 0,
}  # fmt: skip
"""Exit status of a write if another kind of file, but no link, replaces a file. Recall always works."""


@pytest.mark.one_in(6)
@pytest.mark.parametrize("kind", ["directory", "pipe", "loop"])
@pytest.mark.parametrize("place", WRITE_STATUS)
def test_replaced_file_gives_the_documented_exit_status(place: str, kind: str, folder: Path) -> None:
    if kind == "directory" and place in (".cache", "archive", "conversations"):
        kind = "file"
    replace(kind, folder / ".memory" / place, folder / "outside")
    writing = 3 if kind == "loop" and place != ".cache/cache.db" else WRITE_STATUS[place]
    for command, status in ((REMEMBER, writing), (AGAIN, writing), (RECALL, 0)):
        run = program.run(folder, *command)
        assert (run.status, run.is_clean()) == (status, True), run
        assert (place in run.err) == (status != 0 or command is RECALL) or place == ".cache/cache.db"
    assert (OLD in run.out) == (place != "declarative.md")
    if (folder / ".memory" / "declarative.md").is_file() and (folder / ".memory" / "journal.jsonl").is_file():
        assert active_texts(folder / ".memory") == ({OLD, OTHER, NEW} if writing == 0 else {OLD, OTHER})


def test_compaction_does_not_write_through_a_link(folder: Path) -> None:
    outside = folder / "outside"
    outside.mkdir()
    (folder / ".memory" / "archive").symlink_to(outside)
    memory = scenes.memory_at(folder / ".memory")
    with pytest.raises(PromptxMemError, match="archive"):
        scenes.compact(memory)
    assert list(outside.iterdir()) == []
    (folder / ".memory" / "archive").unlink()
    replace("link", folder / ".memory" / "declarative.md", folder / "lines")
    before = contents(folder / "lines")
    with pytest.raises(PromptxMemError):
        scenes.compact(memory)
    assert contents(folder / "lines") == before


def test_store_without_permission_is_an_error(folder: Path) -> None:
    (folder / ".memory").chmod(0)
    for command in (RECALL, REMEMBER):
        run = program.run(folder, *command, before=drop_privileges)
        assert (run.status, run.is_clean()) == (3, True), run
        assert "permission" in run.err.lower()
