"""A person's hands on the files of a store: every edit as an editor saves it, in place or by a rename."""

import os
import random
from pathlib import Path

BOM = "\ufeff"


class File:
    """One file as a person sees it: lines, however they end, with or without a last newline or a BOM."""

    def __init__(self, path: Path) -> None:
        self.path = path
        raw = path.read_bytes().decode()
        self.bom = raw.startswith(BOM)
        self.crlf = "\r\n" in raw
        self.ended = raw.endswith("\n") or not raw
        self.lines = [line.removesuffix("\r") for line in raw.removeprefix(BOM).removesuffix("\n").split("\n")]

    def save(self, time: float, *, rename: bool, keep_time: bool = False) -> None:
        """Save it at a moment. With `rename` and `keep_time` only the inode tells that it is another file."""
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


FORMS = {
    "": (8, "长期"),
    " #a": (8, "长期"),
    " #b score:6 duration:中期": (6, "中期"),
    " #评分:9 #有效期:短期": (9, "短期"),
    " #c score:10 duration:36h": (10, "36h"),
}
"""What a person may write behind a text, and what it says of score and duration."""

HARMLESS = ("bom", "crlf", "double", "no newline", "reorder", "touch")


def change_nothing(file: File, what: str, chance: random.Random) -> None:
    """Change a file in a way that changes no memory."""
    match what:
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
