"""Fixtures and options for all tests, which see no settings of the caller's environment."""

import gc
import importlib.util
import os
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, settings

from promptx_mem import session
from tests.scripted import Script
from tests.world import World

# Before any test imports them, so that failed assertions show values.
pytest.register_assert_rewrite("tests.hostile.inside", "tests.hostile.planting")

# Each run uses the same examples, so that only a change can make a test fail. `--hypothesis-profile=search` tries
# new ones, `long` many. The time of an example depends on the load of the machine, so it is not limited.
_untimed = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("steady", _untimed, derandomize=True, max_examples=40)
settings.register_profile("search", _untimed, derandomize=False, print_blob=True)
settings.register_profile("long", _untimed, derandomize=False, print_blob=True, max_examples=200_000)
settings.load_profile("steady")

MEMORY = "/dev/shm"
ROOM = 2 << 30
"""Bytes that must be free there: a run uses a fifth of it."""


def _memory_has_space() -> bool:
    """Return whether the tests' directories fit into memory, which is faster than a disk."""
    if not os.access(MEMORY, os.W_OK):
        return False
    there = os.statvfs(MEMORY)
    return there.f_bavail * there.f_frsize >= ROOM and not there.f_flag & os.ST_NOEXEC


# Tests check system calls, not the disk. With TMPDIR or --basetemp the caller chooses the directory.
if "TMPDIR" not in os.environ and _memory_has_space():
    tempfile.tempdir = MEMORY

_SETTINGS = (
    "PROMPTX_MEM_DIR",
    "PROMPTX_MEM_USER_DIR",
    "PROMPTX_MEM_CONFIG",
    "PROMPTX_MEM_LLM",
    "PROMPTX_MEM_DEBUG",
    "PROMPTX_MEM_LANG",
    "PROMPTX_MEM_OFF",
    *session.VARIABLES,
    *("GEMINI_SESSION_ID", "CLAUDE_CODE_ENTRYPOINT"),
)


# Tests that need an extra are left out if it is not installed.
collect_ignore = [
    folder for folder, module in (("team", "psycopg"), ("mcp", "mcp")) if importlib.util.find_spec(module) is None
]

THOROUGH = ("hostile", "machine", "mcp", "team")
"""Folders whose tests need a server, start one, play long histories, or try hostile input everywhere."""

PERSONS = ("copies", "faults", "machine", "released", "team")
"""Folders whose tests run commands as a person, by default."""

NEEDS = {"browser"}
"""Fixtures that start a browser."""

SHARE = 6
"""Of the cases that `one_in` leaves out of the default run, each sixth is thorough; `--faults=all` runs all of them."""


def pytest_configure(config: pytest.Config) -> None:
    """Run the thorough tests too with --faults=all."""
    if config.getoption("--faults") == "all":
        config.option.markexpr = ""


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not import thorough folders for the default run: `mcp` alone takes two seconds of each worker."""
    is_thorough = collection_path.parent == Path(__file__).parent and collection_path.name in THOROUGH
    return True if is_thorough and config.option.markexpr == "not thorough" else None


def pytest_collection_finish() -> None:
    """Let the garbage collector look less often, and never at what was loaded."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark as thorough: tests that need a server or a browser, and a share of the cases that `one_in(n)` leaves out."""
    here = Path(__file__).parent
    every = config.getoption("--faults") == "all"
    seen: Counter[str] = Counter()
    rest: Counter[str] = Counter()
    dropped = []
    for item in items:
        folder = item.path.relative_to(here).parts[0]
        name = item.nodeid.partition("[")[0]
        sample = item.get_closest_marker("one_in")
        left_out = sample is not None and seen[name] % sample.args[0] != 0
        seen[name] += 1
        if left_out:
            rest[name] += 1
            if not every and rest[name] % SHARE:
                dropped.append(item)
        if left_out or folder in THOROUGH or NEEDS & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.thorough)
    if dropped:
        config.hook.pytest_deselected(items=dropped)
        gone = set(dropped)
        items[:] = [item for item in items if item not in gone]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-transcripts", action="store_true", help="write the current output into tests/cli/*.console"
    )
    parser.addoption(
        "--faults",
        choices=("some", "all"),
        default="some",
        help="how much of tests/faults: a sample of each kind of fault, or every one of them (docs/file-format.md)",
    )


@pytest.fixture(autouse=True, scope="session")
def _own_caches(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep caches that cannot be in their store out of the caller's home."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("caches")))
        yield


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    for name in _SETTINGS:
        monkeypatch.delenv(name, raising=False)
    # A home for this test only, with no store next to it: its notes and settings belong to the user.
    user = tmp_path_factory.getbasetemp() / f"user-{os.urandom(6).hex()}"
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(user))


@pytest.fixture
def agent_stores(monkeypatch: pytest.MonkeyPatch, person: None) -> None:
    """Let an agent's commands store, while a person types the others."""
    not_a_person = SimpleNamespace(**vars(session) | {"is_person": lambda: False})
    monkeypatch.setattr("promptx_mem.usecases.gate.session", not_a_person)


@pytest.fixture
def person(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a person type the commands of this process."""
    monkeypatch.setattr("promptx_mem.session.is_person", lambda: True)


@pytest.fixture(autouse=True)
def _person_in_some_folders(request: pytest.FixtureRequest) -> None:
    """Run as a person, who may purge, verify and trust."""
    if request.path.parent.name in PERSONS:
        request.getfixturevalue("person")


@pytest.fixture(scope="session")
def all_faults(request: pytest.FixtureRequest) -> bool:
    """Return whether to try every fault, not a sample of each kind."""
    return bool(request.config.getoption("--faults") == "all")


@pytest.fixture
def quick() -> Iterator[Path]:
    """A directory for tests that create thousands of stores: removed after the test, in memory if there is space."""
    with tempfile.TemporaryDirectory() as place:
        yield Path(place)


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A store that does not exist yet."""
    return World(tmp_path / ".memory")


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Script:
    """A judge whose answers the test sets."""
    return Script(tmp_path / "judge", monkeypatch)
