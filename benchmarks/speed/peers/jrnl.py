"""jrnl: a journal at the command line, one plain text file."""

from collections.abc import Sequence
from pathlib import Path

from benchmarks.speed.peers.peer import pip
from benchmarks.speed.process import Command, environment

VERSION = "4.6"
_CONFIG = """\
colors: {{body: none, date: none, tags: none, title: none}}
default_hour: 9
default_minute: 0
editor: ''
encrypt: false
highlight: false
indent_character: '|'
journals: {{default: {{journal: {journal}}}}}
linewrap: 79
tagsymbols: '#@'
template: false
timeformat: '%F %H:%M'
version: v{version}
"""


class Jrnl:
    name = f"jrnl {VERSION}"

    def set_up(self, home: Path) -> None:
        self._program = str(pip(home / "jrnl", f"jrnl=={VERSION}") / "jrnl")

    def load(self, folder: Path, texts: Sequence[str]) -> None:
        folder.mkdir(parents=True)
        config = _CONFIG.format(journal=folder / "journal.txt", version=VERSION)
        (folder / "config.yaml").write_text(config, "utf-8")
        (folder / "journal.txt").write_text("".join(f"[2026-06-05 18:47] {text}\n\n" for text in texts), "utf-8")

    def write(self, folder: Path, text: str) -> Command:
        return self._command(folder, text)

    def search(self, folder: Path, word: str) -> Command:
        return self._command(folder, "-contains", word)

    def kept(self, folder: Path) -> str:
        return (folder / "journal.txt").read_text("utf-8")

    def _command(self, folder: Path, *words: str) -> Command:
        argv = (self._program, "--config-file", str(folder / "config.yaml"), *words)
        return Command(argv, folder, environment(folder))
