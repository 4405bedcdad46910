"""The time that regular expressions need for long lines."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.thorough

ROOT = Path(__file__).parents[2]


def test_every_regular_expression_takes_linear_time(all_faults: bool) -> None:
    """The limit on CPU time per row is far above that of a linear expression."""
    row = ("1000000", "1", "1200") if all_faults else ("20000", "10", "120")
    command = [sys.executable, "-m", "tests.hostile.slow_patterns", *row]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    last = done.stdout.rstrip("\n").rpartition("\n")[2]
    assert (done.returncode, done.stderr) == (0, ""), last
    assert int(last.removeprefix("done ")) > 60
