"""The lower bound: `printf >>` and `grep -F` on a text file, without checks, sync or ranking."""

import shlex
from collections.abc import Sequence
from pathlib import Path

from benchmarks.speed.process import Command, environment


class Floor:
    name = "printf >> and grep -F"

    def set_up(self, home: Path) -> None:
        """Do nothing: every machine has them."""

    def load(self, folder: Path, texts: Sequence[str]) -> None:
        folder.mkdir(parents=True)
        (folder / "facts.txt").write_text("".join(text + "\n" for text in texts), "utf-8")

    def write(self, folder: Path, text: str) -> Command:
        return _shell(folder, f"printf '%s\\n' {shlex.quote(text)} >> facts.txt")

    def search(self, folder: Path, word: str) -> Command:
        return _shell(folder, f"exec grep -F -i -e {shlex.quote(word)} facts.txt")

    def kept(self, folder: Path) -> str:
        return (folder / "facts.txt").read_text("utf-8")


def _shell(folder: Path, script: str) -> Command:
    return Command(("/bin/sh", "-c", script), folder, environment(folder))
