"""basic-memory: a folder of Markdown notes with an index, here without its models. It needs Python 3.12 or newer."""

import json
import shutil
import subprocess
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path

from benchmarks.speed.peers.peer import Unavailable, pip, run
from benchmarks.speed.process import Command, environment

VERSION = "0.24.1"
_PYTHONS = ("python3.14", "python3.13", "python3.12")


class BasicMemory:
    name = f"basic-memory {VERSION}"

    def set_up(self, home: Path) -> None:
        self._program = str(pip(home / "basic-memory", f"basic-memory=={VERSION}", python=_python()) / "basic-memory")

    def load(self, folder: Path, texts: Sequence[str]) -> None:
        shutil.rmtree(self._home(folder), ignore_errors=True)  # it contains the notes and the index
        notes = self._home(folder) / "basic-memory" / "notes"
        for path in (folder, notes):
            path.mkdir(parents=True)
        for number, text in enumerate(texts):
            (notes / f"{number}.md").write_text(f"---\ntitle: note {number}\ntype: note\n---\n\n{text}\n", "utf-8")
        command = self._command(folder, "reindex", "--search")
        run(list(command.argv), folder, dict(command.env))

    def write(self, folder: Path, text: str) -> Command:
        title = blake2b(text.encode(), digest_size=8).hexdigest()
        return self._command(
            folder, "tool", "write-note", "--title", title, "--folder", "notes", "--content", text, "--local"
        )

    def search(self, folder: Path, word: str) -> Command:
        return self._command(folder, "tool", "search-notes", word, "--local")

    def kept(self, folder: Path) -> str:
        notes = self._home(folder) / "basic-memory" / "notes"
        return "\n".join(path.read_text("utf-8") for path in notes.glob("*.md"))

    def _command(self, folder: Path, *words: str) -> Command:
        env = environment(folder, BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED=json.dumps(False))
        return Command((self._program, *words), folder, env)

    @staticmethod
    def _home(folder: Path) -> Path:
        return Path(environment(folder)["HOME"])


def _python() -> str:
    """Return the path of a Python that the program accepts."""
    for path in filter(None, map(shutil.which, _PYTHONS)):
        done = subprocess.run([path, "-c", ""], check=False, capture_output=True)
        if done.returncode == 0:
            return path
    raise Unavailable("there is no Python 3.12 or newer")
