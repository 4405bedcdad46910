"""A Memory in its own folder, with a clock that the test sets."""

import datetime
import gzip
import os
from pathlib import Path
from typing import Any

from tests.api import Cues, Memory, Options, Remember, Request, layout

START = datetime.datetime(2026, 3, 1, 12, 0, tzinfo=datetime.UTC)


def every_byte(root: Path) -> bytes:
    """Return the bytes of all files of a store, with unpacked copies of gzipped ones."""
    out = []
    for folder, _, names in os.walk(root):
        for name in names:
            data = (Path(folder) / name).read_bytes()
            out += [data, gzip.decompress(data) if name.endswith(".gz") else b""]
    return b"\n".join(out)


def shelve(root: Path) -> None:
    """Move the raw messages of all conversations to archive/conversations/, as earlier versions did."""
    shelf = root / "archive" / "conversations"
    shelf.mkdir(parents=True, exist_ok=True)
    for path in (root / "conversations").glob("u_*.jsonl"):
        (shelf / f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()


class World:
    """One store with one clock. Commands return the data of their Result."""

    def __init__(self, root: Path, session: str = "test") -> None:
        self.root = root
        self.time = START
        self.session = session

    @property
    def memory(self) -> Memory:
        """Return the store as a new process opens it."""
        return Memory(layout.at(str(self.root)), self.session, clock=lambda: self.time)

    def later(self, days: float = 0, hours: float = 0, seconds: float = 0) -> "World":
        self.time += datetime.timedelta(days=days, hours=hours, seconds=seconds)
        return self

    def remember(self, text: str, *tags: str, score: str | None = "8", **more: Any) -> Remember:
        more.setdefault("tags", tags or ("t",))
        request = Request(text, score=score, **more)
        return self.memory.remember(request).data

    def import_texts(self, *texts: str) -> None:
        """Store texts in one call, which is faster than to remember each."""
        theirs = self.root.parent / "theirs.md"
        theirs.write_text("".join(f"- {text} #t #评分:9\n" for text in texts), "utf-8")
        assert self.memory.import_files(Options((str(theirs),))).data["taken"] == len(texts)
        theirs.unlink()

    def file(self, name: str) -> Path:
        return self.root / name

    def read(self, name: str) -> str:
        path = self.file(name)
        return path.read_text("utf-8") if path.exists() else ""

    def recall(self, text: str = "", **more: Any) -> list[str]:
        """Return the texts that recall finds, without recording the use."""
        cues = Cues(text=text, count=50, touch=False, **more)
        return [memory["text"] for memory in self.memory.recall(cues).data["memories"]]

    def importance(self, text: str) -> float:
        """Return the importance that recall shows for the memory with this text."""
        found = self.memory.recall(Cues(text=text, count=50, touch=False)).data["memories"]
        return next(float(memory["importance"]) for memory in found if memory["text"] == text)

    def read_bytes(self, name: str) -> bytes:
        return self.file(name).read_bytes()
