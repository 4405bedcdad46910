"""Fixtures of the fault tests: store templates, storms, and the number of tried faults."""

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
    """The folder of the store templates."""
    return tmp_path_factory.mktemp("templates")


@pytest.fixture
def count(record_property: Callable[[str, object], None]) -> Iterator[Count]:
    """Count tried faults by kind and scene."""
    tried: Counter[str] = Counter()

    def one(kind: str, scene: str) -> None:
        tried[f"{kind}\t{scene}"] += 1

    yield one
    record_property("tried", dict(tried))


@pytest.fixture
def report(capsys: pytest.CaptureFixture[str], all_faults: bool) -> Callable[[str], None]:
    """Print the figures of a long storm."""

    def show(text: str) -> None:
        with capsys.disabled() if all_faults else contextlib.nullcontext():
            print(f"\n{text}")

    return show


@pytest.fixture
def _unlimited(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove the daily limit of scorings, and rotate the audit log every few records."""
    monkeypatch.setattr(audit, "MAX_SCORINGS", 10**9)
    monkeypatch.setattr(audit, "MAX_BYTES", 20_000)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print how often each kind of fault was tried, with --faults=all."""
    if terminalreporter.config.getoption("--faults") != "all":
        return
    total: Counter[str] = Counter()
    scenes: dict[str, set[str]] = {}
    # Properties recorded at the end of a fixture are in the teardown's report, which has no category.
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
