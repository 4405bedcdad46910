"""-o of export and view: it never writes into a store, and leaves a whole file or the previous one."""

import errno
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.api import Memory, Request, StoreError, layout
from tests.cli.program import PROGRAM, Ran, environment, run
from tests.faults import faulty_os
from tests.faults.faulty_os import FaultyOs
from tests.inside import outside

COMMANDS = (("export",), ("export", "--format", "json"), ("view",))


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a store, another project next to it, and a user store."""
    home = Path(environment(tmp_path / "project")["HOME"])
    for folder in (tmp_path / "project", tmp_path / "other"):
        folder.mkdir()
        assert run("remember", f"a fact of {folder.name}", "#t", "score:8", cwd=folder, env=homes(home)).status == 0
        assert run("decay", cwd=folder, env=homes(home)).status == 0
    assert run("init", "--user", cwd=tmp_path / "project", env=homes(home)).status == 0
    for store in (tmp_path / "project" / ".memory", tmp_path / "other" / ".memory", home / ".memory"):
        for name in ("archive", "conversations"):
            (store / name).mkdir(exist_ok=True)
            (store / name / "kept").write_text("kept")
    return tmp_path / "project"


def homes(home: Path) -> dict[str, str]:
    return {"HOME": str(home), "XDG_STATE_HOME": str(home / "state"), "XDG_CONFIG_HOME": str(home / "config")}


def run_in(project: Path, *arguments: str) -> Ran:
    return run(*arguments, cwd=project, env=homes(Path(environment(project)["HOME"])))


def link(path: Path, target: Path | str) -> str:
    path.symlink_to(target)
    return path.name


def make_folder(path: Path) -> bool:
    path.mkdir()
    return True


PATHS_INTO_STORES: dict[str, Callable[[Path], str]] = {
"the file": lambda _: ".memory/declarative.md",
"dots": lambda p: "./x/.././.memory/../.memory/declarative.md" if make_folder(p / "x") else "",
"the page": lambda _: ".memory/.view.html",
"archive": lambda _: ".memory/archive/new.md.gz",
"another case": lambda p: ".Memory/declarative.md" if make_folder(p / ".Memory") else "",
"a link to the folder": lambda p: link(p / "link", ".memory") + "/declarative.md",
"a link to the file": lambda p: link(p / "link.md", p / ".memory" / "declarative.md"),
"a link to a new file": lambda p: link(p / "new", ".memory/new"),
"another project's": lambda _: "../other/.memory/declarative.md",
"the user's": lambda p: f"{environment(p)['HOME']}/.memory/declarative.md",
"an open descriptor": lambda _: "/dev/fd/9",
"a store of another name": lambda p: "../backup/declarative.md"
    if (p.parent / "other" / ".memory").rename(p.parent / "backup")
    else "",
}  # fmt: skip


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", PATHS_INTO_STORES)
def test_output_file_inside_a_store_is_refused(name: str, project: Path) -> None:
    path = PATHS_INTO_STORES[name](project)
    before = files_of(project.parent)
    env = environment(project) | homes(Path(environment(project)["HOME"]))
    for command in COMMANDS:
        opened = ["sh", "-c", 'exec "$@" 9>> .memory/declarative.md', "sh", *PROGRAM, *command, "-o", path]
        done = subprocess.run(opened, cwd=project, env=env, capture_output=True, check=False)
        assert done.returncode == 2, done
        assert b"is inside the store" in done.stderr + done.stdout
    after = {name: data for name, data in files_of(project.parent).items() if ".cache" not in name}
    assert after == {name: data for name, data in before.items() if ".cache" not in name}


def test_new_output_file_is_private_and_an_existing_one_keeps_its_mode(project: Path) -> None:
    (project / "old").write_text("old")
    (project / "old").chmod(0o664)
    (project / "far").mkdir()
    (project / "link").symlink_to("far/target")
    for name in ("new", "old", "link", "名" * 80 + ".jsonl"):
        assert run_in(project, "export", "-o", name).status == 0
        assert (project / name).read_bytes() == run_in(project, "export").out.encode()
    assert [(project / name).stat().st_mode & 0o777 for name in ("new", "old", "far/target")] == [0o600, 0o664, 0o600]
    assert (project / "link").is_symlink()
    assert not list(project.rglob("*.tmp"))


def test_failed_write_keeps_the_previous_file(tmp_path: Path) -> None:
    """Each system call of a write fails once or writes a part. The file has the old or the new bytes."""
    root = tmp_path / ".memory"
    Memory(layout.at(str(root)), "test").remember(Request(text="a fact", tags=("t",), score="8"))
    target, stores = tmp_path / "backup", [layout.at(str(root))]

    def write(fault: faulty_os.Fault) -> tuple[FaultyOs, str]:
        target.write_text("old")
        shim, said = FaultyOs(fault), ""
        with pytest.MonkeyPatch.context() as patch:
            shim.install(patch)
            try:
                outside.write(str(target), "new\n" * 100, stores)
            except StoreError as error:
                said = error.message
        return shim, said

    calls, _ = write(faulty_os.no_fault)
    numbers = [number for number, name in enumerate(calls.log, 1) if name in ("open", "write", "fdatasync", "replace")]
    failed = 0
    for number in numbers:
        for fault in (faulty_os.fail(number, errno.ENOSPC, forever=False), faulty_os.short(number, errno.ENOSPC)):
            _, said = write(fault)
            failed += bool(said)
            assert said in ("", f"{target} could not be written: No space left on device")
            assert target.read_text() == "new\n" * 100 or (said and target.read_text() == "old")
            assert sorted(path.name for path in tmp_path.iterdir()) == [".memory", "backup"]
    assert failed >= 4
