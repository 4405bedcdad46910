"""A clean environment with the program as pip installs it: not editable, without development tools, with bytecode."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def environment_of(scratch: Path, name: str, extra: str = "") -> Path:
    """Create the environment and return its Python."""
    folder = scratch / name
    plain = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    python = folder / "bin" / "python"
    for argv in (
        [sys.executable, "-m", "venv", "--clear", str(folder)],
        [str(python), "-m", "pip", "install", "-q", "--upgrade", "pip"],  # scripts of earlier versions load `re`
        [str(python), "-m", "pip", "install", "-q", f"{ROOT}{extra}"],
    ):
        subprocess.run(argv, env=plain, check=True, stdout=subprocess.DEVNULL)
    return python
