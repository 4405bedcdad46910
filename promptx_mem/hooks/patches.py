"""Patches: which files one changes, and the lines that it takes out and puts in."""

_BEGINS = ("*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: ", "+++ ", "--- ")


class Change:
    """What a patch does to one file."""

    __slots__ = ("gone", "new", "old", "path")

    def __init__(self, path: str) -> None:
        self.path = path
        self.old = self.new = ""
        self.gone = False


def read(text: str) -> list[Change]:
    """The changes of a patch in the form of apply_patch or of diff; empty where it is none."""
    changes: list[Change] = []
    for line in text.split("\n"):
        mark = next((mark for mark in _BEGINS if line.startswith(mark)), "")
        if mark:
            path = line[len(mark) :].partition("\t")[0].strip()
            path = path[2:] if mark in ("+++ ", "--- ") and path[:2] in ("a/", "b/") else path
            if path != "/dev/null" and not (changes and changes[-1].path == path):
                changes.append(Change(path))
            if changes:
                changes[-1].gone = changes[-1].gone or mark.startswith("*** Delete")
        elif changes and line[:1] == "+":
            changes[-1].new += line[1:] + "\n"
        elif changes and line[:1] == "-":
            changes[-1].old += line[1:] + "\n"
    return changes
