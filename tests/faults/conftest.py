"""The stores that acts begin with, what the storms need, and the count of all that was tried."""

import contextlib
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.inside import audit

Count = Callable[[str, str], None]
pytest.register_assert_rewrite(
    *(f"tests.faults.{name}" for name in ("aftermath", "explore", "scenes", "strangers", "weather"))
)


@pytest.fixture(scope="session")
def templates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the stores that acts begin with are kept once they are made."""
    return tmp_path_factory.mktemp("templates")


@pytest.fixture
def count(record_property: Callable[[str, object], None]) -> Iterator[Count]:
    """Count one thing that was tried: a kind of fault, and the scene."""
    tried: Counter[str] = Counter()

    def one(kind: str, scene: str) -> None:
        tried[f"{kind}\t{scene}"] += 1

    yield one
    record_property("tried", dict(tried))


@pytest.fixture
def report(capsys: pytest.CaptureFixture[str], all_faults: bool) -> Callable[[str], None]:
    """Print the figures of a long storm."""

    def say(text: str) -> None:
        with capsys.disabled() if all_faults else contextlib.nullcontext():
            print(f"\n{text}")

    return say


@pytest.fixture
def _unlimited(monkeypatch: pytest.MonkeyPatch) -> None:
    """No limit of scorings a day, and an audit log that is rotated every few records."""
    monkeypatch.setattr(audit, "MAX_SCORINGS", 10**9)
    monkeypatch.setattr(audit, "MAX_BYTES", 20_000)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how often each kind of fault was tried, when all of them were asked for."""
    if terminalreporter.config.getoption("--faults") != "all":
        return
    total: Counter[str] = Counter()
    scenes: dict[str, set[str]] = {}
    # What a fixture records at its end is told by the report of the teardown, which has no category.
    for report in terminalreporter.stats.get("", []):
        if report.when != "teardown":
            continue
        for key, number in dict(report.user_properties).get("tried", {}).items():
            kind, scene = key.split("\t")
            total[kind] += number
            scenes.setdefault(kind, set()).add(scene)
    terminalreporter.section("faults tried")
    for kind, number in sorted(total.items()):
        terminalreporter.write_line(f"{kind:44} {number:7} in {len(scenes[kind]):3} scenes")
    terminalreporter.write_line(f"{'all':44} {sum(total.values()):7}")
