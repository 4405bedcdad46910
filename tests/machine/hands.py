"""Manual edits of the files of a store, saved as editors do, in place or by a rename."""

import os
import random
from pathlib import Path

BOM = "\ufeff"


class File:
    """The lines of one file, with LF or CRLF, with or without a last newline or a BOM."""

    def __init__(self, path: Path) -> None:
        self.path = path
        raw = path.read_bytes().decode()
        self.bom = raw.startswith(BOM)
        self.crlf = "\r\n" in raw
        self.ended = raw.endswith("\n") or not raw
        self.lines = [line.removesuffix("\r") for line in raw.removeprefix(BOM).removesuffix("\n").split("\n")]

    def save(self, time: float, *, rename: bool, keep_time: bool = False) -> None:
        """Save the file at a time. With `rename` and `keep_time` only its inode changes."""
        end = "\r\n" if self.crlf else "\n"
        data = (BOM if self.bom else "") + end.join(self.lines) + (end if self.ended and self.lines else "")
        before = self.path.stat()
        place = self.path.with_name("editor~") if rename else self.path
        place.write_bytes(data.encode())
        stamp = before.st_mtime_ns if rename and keep_time else max(int(time * 1e9), before.st_mtime_ns + 1)
        os.utime(place, ns=(stamp, stamp))
        place.replace(self.path)


def ident(line: str) -> str:
    return line.partition('{"id":"')[2][:12]


ENDINGS = {
    "": (8, "长期"),
    " #a": (8, "长期"),
    " #b score:6 duration:中期": (6, "中期"),
    " #评分:9 #有效期:短期": (9, "短期"),
    " #c score:10 duration:36h": (10, "36h"),
}
"""Endings of a hand-written line, with their score and duration."""

HARMLESS = ("bom", "crlf", "double", "no newline", "reorder", "touch")


def change_nothing(file: File, kind: str, chance: random.Random) -> None:
    """Change a file in a way that changes no memory."""
    match kind:
        case "reorder":
            file.lines = chance.sample(file.lines, len(file.lines))
        case "double":
            file.lines.insert(chance.randrange(len(file.lines) + 1), chance.choice(file.lines))
        case "crlf":
            file.crlf = not file.crlf
        case "bom":
            file.bom = not file.bom
        case "no newline":
            file.ended = False
