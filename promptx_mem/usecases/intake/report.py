"""What import answers: what became of each file and of each memory in it."""

from collections import Counter
from collections.abc import Collection
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
        self.talks = 0
        self.failures = 0
        """Recognised memories that were not stored, and files that could not be read."""

    def file(self, name: str, form: str | None, error: str = "", *, is_failure: bool = True) -> None:
        self.failures += bool(error) and is_failure
        self.files[name] = {
            "file": name, "form": form, "taken": 0, "known": 0, "refused": 0, "left": 0, "why": {}, "notes": [],
            "error": error or None,
        }  # fmt: skip

    def note(
        self,
        file: str,
        line: int,
        text: str,
        verdict: str,
        why: str = "",
        ident: str | None = None,
        count: int = 1,
        *,
        is_failure: bool = False,
    ) -> None:
        """Count what became of `count` memories of a file; `text` is empty where it must not be shown.

        `is_failure`: what is left over was recognised as a memory.
        """
        self.failures += count if is_failure or verdict == "refused" else 0
        row = self.files[file]
        row[verdict] += count  # type: ignore[literal-required] # the verdicts are its keys
        self.counts[verdict] += count
        if why:
            row["why"][why] = row["why"].get(why, 0) + count
        if self.counts[verdict] <= SHOWN:
            self.items.append(
                {"file": file, "line": line, "text": shorten(text, 60), "verdict": verdict, "why": why, "id": ident}
            )

    def take_back(self, file: str, why: str, idents: Collection[str]) -> None:
        """Count memories that were to be taken as left over, since they could not be stored."""
        row = self.files[file]
        row["taken"] -= len(idents)
        row["left"] += len(idents)
        row["why"][why] = row["why"].get(why, 0) + len(idents)
        self.counts["taken"] -= len(idents)
        self.counts["left"] += len(idents)
        self.failures += len(idents)
        for item in self.items:
            if item["file"] == file and item["verdict"] == "taken" and item["id"] in idents:
                item["verdict"], item["why"] = "left", why

    def status(self) -> int:
        """Return 0 if every memory that was recognised was stored or was there already, and there was one; else 1."""
        some = self.counts["taken"] + self.counts["known"] + self.talks > 0
        return 0 if some and not self.failures else 1
