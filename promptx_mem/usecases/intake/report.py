"""What import answers: what became of each file and of each memory in it."""

from collections import Counter
from typing import NotRequired, TypedDict

from promptx_mem.core.text import shorten

SHOWN = 1_000
"""Memories of one verdict that are listed; all are counted."""


class Copied(TypedDict):
    """What became of one memory of a file; `verdict` is taken, known, refused or left."""

    file: str
    line: int
    text: str
    verdict: str
    why: str
    id: str | None


class FileCount(TypedDict):
    """What became of one file; `why` counts the reasons, `error` says why it could not be read."""

    file: str
    form: str | None
    taken: int
    known: int
    refused: int
    left: int
    why: dict[str, int]
    notes: list[str]
    error: str | None


class Import(TypedDict):
    """What import answers. `items` lists at most 1,000 of each verdict; `lifted` came in before, and is own now."""

    store: str
    made_store: NotRequired[str | None]
    taken: int
    known: int
    refused: int
    left: int
    lifted: int
    conversations: int
    dry_run: bool
    mine: bool
    files: list[FileCount]
    items: list[Copied]


class Report:
    """The counts while they grow."""

    def __init__(self) -> None:
        self.items: list[Copied] = []
        self.files: dict[str, FileCount] = {}
        self.counts: Counter[str] = Counter()
        self.lifted = 0
        self.talks = 0

    def file(self, name: str, form: str | None, error: str = "") -> None:
        self.files[name] = {
            "file": name, "form": form, "taken": 0, "known": 0, "refused": 0, "left": 0, "why": {}, "notes": [],
            "error": error or None,
        }  # fmt: skip

    def note(
        self, file: str, line: int, text: str, verdict: str, why: str = "", ident: str | None = None, count: int = 1
    ) -> None:
        """Count what became of `count` memories of a file; `text` is empty where it must not be shown."""
        row = self.files[file]
        row[verdict] += count  # type: ignore[literal-required] # the verdicts are its keys
        self.counts[verdict] += count
        if why:
            row["why"][why] = row["why"].get(why, 0) + count
        if self.counts[verdict] <= SHOWN:
            self.items.append(
                {"file": file, "line": line, "text": shorten(text, 60), "verdict": verdict, "why": why, "id": ident}
            )

    def status(self) -> int:
        """0 where something was taken or known, and nothing refused, left over or unread; else 1."""
        counts = self.counts
        good = counts["taken"] + counts["known"] + self.talks > 0
        bad = counts["refused"] + counts["left"] + sum(row["error"] is not None for row in self.files.values())
        return 0 if good and not bad else 1
