"""The interface of every peer, and the installation of their programs."""

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from benchmarks.speed.process import Command

NODE = "22.23.3"


class Unavailable(Exception):  # noqa: N818 - a result, not a fault: the peer's row stays blank and says why
    """The peer is not available on this machine."""


class Peer(Protocol):
    """Another memory program. Its store is in `folder`."""

    name: str

    def set_up(self, home: Path) -> None:
        """Install the program below `home`, unless it is there. Raises Unavailable."""

    def load(self, folder: Path, texts: Sequence[str]) -> None:
        """Create a store of these memories in the fastest way, or by writing its files."""

    def write(self, folder: Path, text: str) -> Command:
        """Store one memory so that the next search finds it."""

    def search(self, folder: Path, word: str) -> Command:
        """Find the memories with a word."""

    def kept(self, folder: Path) -> str:
        """Return the whole content of the store as text."""


def npm(home: Path, package: str) -> Path:
    """Install a package of the npm registry and return its folder."""
    program = shutil.which("npm")
    if program is None:
        raise Unavailable("there is no npm")
    name = package.rpartition("@")[0]
    if not (home / "node_modules" / name / "package.json").exists():
        home.mkdir(parents=True, exist_ok=True)
        (home / "package.json").write_text('{"private": true}', "utf-8")
        # No script of a package is run; --legacy-peer-deps keeps npm from fetching a Node that PromptX names.
        run([program, "install", "--ignore-scripts", "--legacy-peer-deps", "--no-audit", "--no-fund", package], home)
    return home / "node_modules" / name


def node(home: Path) -> str:
    """Return the Node of all Node peers: the prebuilt one of the npm registry."""
    machine = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    package = f"node-{sys.platform}-{machine}" if sys.platform == "linux" else f"node-bin-{sys.platform}-{machine}"
    return str(npm(home / "node", f"{package}@{NODE}") / "bin" / "node")


def pip(home: Path, *packages: str, python: str = sys.executable) -> Path:
    """Install packages of PyPI into a separate environment and return its bin folder."""
    if not (home / "installed").exists():
        run([python, "-m", "venv", "--clear", str(home)], Path.cwd())
        run([str(home / "bin" / "python"), "-m", "pip", "install", "-q", *packages], home)
        (home / "installed").write_text("\n".join(packages), "utf-8")
    return home / "bin"


def run(argv: list[str], cwd: Path, env: dict[str, str] | None = None) -> str:
    """Run a command that sets up a peer. If it fails, its output is the reason for a blank row."""
    # The installer compiles bytecode, as for any user.
    plain = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    done = subprocess.run(argv, cwd=cwd, env=env or plain, capture_output=True, text=True, check=False, input="")
    if done.returncode:
        last = (done.stderr or done.stdout).strip().splitlines()[-1:] or ["no message"]
        raise Unavailable(f"{Path(argv[0]).name} {' '.join(argv[1:3])}: {last[0][:120]}")
    return done.stdout
