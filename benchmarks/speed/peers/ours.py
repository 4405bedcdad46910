"""promptx-mem itself, measured like its peers."""

import datetime
import subprocess
from collections.abc import Sequence
from pathlib import Path

from benchmarks.speed import corpus
from benchmarks.speed.process import Command, environment


class Ours:
    def __init__(self, program: Path, version: str) -> None:
        self.name = f"promptx-mem {version}"
        self._program = str(program)

    def set_up(self, home: Path) -> None:
        """Do nothing: it is installed."""

    def load(self, folder: Path, texts: Sequence[str]) -> None:
        folder.mkdir(parents=True)
        init = self._command(folder, "init")  # as its user creates it: an untrusted store is ranked differently
        subprocess.run(init.argv, cwd=folder, env=dict(init.env), check=True, capture_output=True)
        corpus.fill(folder / ".memory", len(texts), datetime.datetime.now().astimezone())

    def write(self, folder: Path, text: str) -> Command:
        return self._command(folder, "remember", text, "#fact", "score:8")

    def search(self, folder: Path, word: str) -> Command:
        return self._command(folder, "recall", word)

    def kept(self, folder: Path) -> str:
        return (folder / ".memory" / "declarative.md").read_text("utf-8")

    def _command(self, folder: Path, *words: str) -> Command:
        return Command((self._program, *words), folder, environment(folder, PROMPTX_MEM_SESSION="bench"))
