"""What the storms need."""

import contextlib
from collections.abc import Callable

import pytest

from promptx_mem.store import audit

pytest.register_assert_rewrite("tests.faults.aftermath", "tests.faults.weather")


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
