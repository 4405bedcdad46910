"""No regular expression takes more than linear time, whatever the line."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.thorough

ROOT = Path(__file__).parents[2]


def test_every_expression_reads_a_long_row_in_bounded_time(all_faults: bool) -> None:
    """A cap on the processor's time for each row, far above what a linear one takes."""
    row = ("1000000", "1", "1200") if all_faults else ("20000", "2", "120")
    command = [sys.executable, "-m", "tests.hostile.slow_patterns", *row]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    last = done.stdout.rstrip("\n").rpartition("\n")[2]
    assert (done.returncode, done.stderr) == (0, ""), last
    assert int(last.removeprefix("done ")) > 60
