"""The rows of our own program: stores of every size, and each command on a store that no other command changes."""

import contextlib
import datetime
import shutil
from pathlib import Path
from typing import Any

from benchmarks.speed import corpus
from benchmarks.speed.process import Command, Launcher, environment
from benchmarks.speed.rows import Row, of_user, rows
from benchmarks.speed.sampling import Failed, Job

REBUILDS = 5


def stores(python: Path, scratch: Path, sizes: list[int], now: datetime.datetime, launcher: Launcher) -> None:
    """Create a store of each size below `scratch`, with `init` and the program's own formats."""
    for size in sizes:
        folder = scratch / str(size)
        folder.mkdir(parents=True)
        _do(launcher, _command(python, folder, "init"))
        if size:
            corpus.fill(folder / ".memory", size, now)
        for words in (("index",), ("decay",)):
            _do(launcher, _command(python, folder, *words))


def jobs(python: Path, scratch: Path, size: int, now: datetime.datetime, launcher: Launcher) -> list[Job]:
    """Return a job for each row that suits a store of this size. Reading commands share one store."""
    shared = _in_use(scratch / str(size), scratch / "read" / str(size), python, launcher)
    made = []
    for number, row in enumerate(rows(corpus.day(size, now) if size else "")):
        if row.needs and not size:
            continue
        folder = shared
        if row.writes or row.two:
            folder = _in_use(scratch / str(size), scratch / "write" / f"{size}-{number}", python, launcher)
        if row.two:
            _in_use(scratch / str(size), of_user(folder), python, launcher)
            _own(of_user(folder), folder, python, launcher)
        made.append(_job(row, python, folder, size, launcher))
    return made


def _job(row: Row, python: Path, folder: Path, size: int, launcher: Launcher) -> Job:
    # A store that begins empty must be empty in every run; a large one hardly changes by a line a run.
    empty = _copied(folder, folder.with_name(folder.name + "-empty")) if row.writes and not size else None

    def command(run: int) -> Command:
        if empty:
            shutil.rmtree(folder)
            _own(_copied(empty, folder), folder, python, launcher)
        return row.command(python, folder, run)

    return Job((row.name, size), command, row.expects)


def rebuilds(python: Path, scratch: Path, size: int, launcher: Launcher) -> dict[str, Any]:
    """Return seconds and peak memory of the first recall after the cache was deleted."""
    folder = _copied(scratch / str(size), scratch / "rebuild")
    _own(folder, folder, python, launcher)
    total = bytes_of(folder)
    runs = []
    for _ in range(REBUILDS):
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(folder / ".memory" / ".cache")
        runs.append(launcher.run(_command(python, folder, "recall", corpus.USUAL[0])))
    shutil.rmtree(folder)
    seconds = sorted(round(ran.ms / 1000, 3) for ran in runs)
    peak = round(max(ran.mb for ran in runs), 1)
    return {"memories": size, "bytes": total, "s": seconds[len(seconds) // 2], "all": seconds, "mb": peak}


def bytes_of(folder: Path) -> int:
    """Return the size that the limit of 10 MB applies to: everything except the cache and the archive."""
    out = ("archive", ".cache")
    files = (path for path in (folder / ".memory").rglob("*") if path.is_file())
    return sum(path.stat().st_size for path in files if not set(out) & set(path.parts))


def _in_use(source: Path, target: Path, python: Path, launcher: Launcher) -> Path:
    """Return a copy with its own cache, since the cache depends on the identity of the files."""
    _copied(source, target)
    _own(target, target, python, launcher)
    _do(launcher, _command(python, target, "recall"))
    return target


def _copied(source: Path, target: Path) -> Path:
    return Path(shutil.copytree(source, target))


_OWN = "from promptx_mem.store import layout, trust; assert trust.record(layout.at({!r}), trust.PRIVATE)"


def _own(folder: Path, user: Path, python: Path, launcher: Launcher) -> None:
    """Trust a copied store like the original: an untrusted one is ranked and injected differently."""
    code = _OWN.format(str(folder / ".memory"))
    _do(launcher, Command((str(python), "-c", code), user, environment(user)))


def _command(python: Path, folder: Path, *words: str) -> Command:
    env = environment(folder, PROMPTX_MEM_SESSION="bench")
    return Command((str(python.with_name("promptx-mem")), *words), folder, env)


def _do(launcher: Launcher, command: Command) -> None:
    ran = launcher.run(command, keep=True)
    if ran.status:
        raise Failed(f"{' '.join(command.argv)}: status {ran.status}: {ran.out[-500:]}")
