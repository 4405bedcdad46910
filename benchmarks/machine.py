"""The machine that a benchmark ran on, as its results name it."""

import contextlib
import os
import platform
import re
from pathlib import Path
from typing import Any


def describe() -> dict[str, Any]:
    """Return system, processor, number of cores and version of Python."""
    cpu = platform.processor() or platform.machine()
    with contextlib.suppress(OSError):
        named = re.search(r"^model name\s*: (.+)$", Path("/proc/cpuinfo").read_text("utf-8"), re.MULTILINE)
        cpu = named[1] if named else cpu
    return {
        "system": f"{platform.system()} {platform.release()}",
        "cpu": cpu,
        "cores": os.cpu_count(),
        "python": platform.python_version(),
    }
