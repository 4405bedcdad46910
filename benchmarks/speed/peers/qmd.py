"""qmd: search in a folder of Markdown files, here without its models. Each memory is a file."""

import contextlib
import shlex
import sqlite3
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path

from benchmarks.speed.peers.peer import node, npm, run
from benchmarks.speed.process import Command, environment

VERSION = "2.8.3"


class Qmd:
    name = f"qmd {VERSION}"

    def set_up(self, home: Path) -> None:
        # Its bin only starts this file in a second Node.
        self._argv = (node(home), str(npm(home / "qmd", f"@tobilu/qmd@{VERSION}") / "dist" / "cli" / "qmd.js"))

    def load(self, folder: Path, texts: Sequence[str]) -> None:
        (folder / "notes").mkdir(parents=True)
        # The home is another folder, since a home cannot have the index of a project.
        for number, text in enumerate(texts):
            (folder / "notes" / f"{number}.md").write_text(text + "\n", "utf-8")
        for words in (("init",), ("collection", "add", "notes", "--name", "notes")):
            run([*self._argv, *words], folder, environment(folder.parent))

    def write(self, folder: Path, text: str) -> Command:
        """Write the file and index it, so that the next search finds it."""
        name = f"notes/{blake2b(text.encode(), digest_size=8).hexdigest()}.md"
        script = f"printf '%s\\n' {shlex.quote(text)} > {name} && exec {shlex.join(self._argv)} update"
        return Command(("/bin/sh", "-c", script), folder, environment(folder.parent))

    def search(self, folder: Path, word: str) -> Command:
        return Command((*self._argv, "search", word), folder, environment(folder.parent))

    def kept(self, folder: Path) -> str:
        """Return the index that `search` reads. Other files are not found."""
        with contextlib.closing(sqlite3.connect(folder / ".qmd" / "index.sqlite")) as index:
            return "\n".join(str(body) for (body,) in index.execute("SELECT body FROM documents_fts"))
