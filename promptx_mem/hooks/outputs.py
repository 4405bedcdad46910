"""What programs write that agents run less often: archives, databases, copies from elsewhere, `find`.

Loaded for those alone.
"""

import os

from promptx_mem.hooks.programs import EDITORS, REMOVERS, option, plain
from promptx_mem.hooks.words import Word

TYPE_CHECKING = False  # typing would cost more than all the rest
if TYPE_CHECKING:
    from collections.abc import Callable

_CHANGES = (
    "insert", "update", "delete", "drop", "alter", "create", "replace", "vacuum", "reindex", ".restore", ".import",
    ".read",
)  # fmt: skip
_DOTS = (".output", ".once", ".backup", ".save", ".clone")
_COPIES = ("cp", "mv", "sync", "copy", "copyto", "move", "moveto", "rsync", "clone", "push")
_VALUED = ("-cmd", "-init", "-separator", "-newline", "-nullvalue", "-maxsize", "-mmap", "-vfs", "-A")


def targets(name: str, arguments: list[Word]) -> list[Word]:
    """The files that a program of the table below would write."""
    return _TABLE.get(name, _copy)(arguments)


def _unzip(arguments: list[Word]) -> list[Word]:
    return option(arguments, "-d") or plain(arguments, ("-P", "-x"))[1:]


def _zip(arguments: list[Word]) -> list[Word]:
    names = plain(arguments, ("-x", "-i", "-P"))
    moves = any(word.text in ("-m", "--move") for word in arguments)
    return names if moves else names[:1]


def _seven(arguments: list[Word]) -> list[Word]:
    unpacks = arguments[:1] and arguments[0].text in ("x", "e")
    return [Word(word.text[2:]) for word in arguments if unpacks and word.text.startswith("-o")]


def _unrar(arguments: list[Word]) -> list[Word]:
    return [word for word in plain(arguments, ())[2:] if word.text.endswith("/")]


def _cpio(arguments: list[Word]) -> list[Word]:
    return option(arguments, "-D")


def _split(arguments: list[Word]) -> list[Word]:
    return plain(arguments, ("-l", "-b", "-n", "-a", "-C"))[1:]


def _csplit(arguments: list[Word]) -> list[Word]:
    return option(arguments, "-f")


def _gzip(arguments: list[Word]) -> list[Word]:
    words = [word.text for word in arguments]
    letters = "".join(word[1:] for word in words if word[:1] == "-" and word[1:2] != "-")
    reads = set(letters) & set("clt") or {"--stdout", "--list", "--test"} & set(words)
    return [] if reads else plain(arguments, ())


def _copy(arguments: list[Word]) -> list[Word]:
    """What is copied from a container or a server."""
    names = plain(arguments, ())
    copies = any(word.text in _COPIES for word in names[:2])
    return [word for word in names[-1:] if copies and ":" not in word.text]


def _tar(arguments: list[Word]) -> list[Word]:
    """What an archive is unpacked into, the members of it that are named, or the archive that is made."""
    words = [word.text for word in arguments]
    bundled = bool(words) and words[0][:1] != "-"  # `tar xzf FILE`
    short = words[:1] if bundled else [word for word in words[:3] if word[:1] == "-" and word[:2] != "--"]
    letters = {letter for word in short for letter in word.lstrip("-")}
    names = plain(arguments[1:] if bundled else arguments, ("-C", "--directory", "-X", "-T", "--exclude-from"))
    archive = option(arguments, "--file") or (names[:1] if "f" in letters else [])
    if "x" in letters or {"--extract", "--get"} & set(words):
        into = [*option(arguments, "-C"), *option(arguments, "--directory")]
        return into or [word for word in names if word not in archive]
    makes = letters & set("cru") or {"--create", "--append", "--update"} & set(words)
    return [*archive, *(names if "--remove-files" in words else [])] if makes else []


def _find(arguments: list[Word]) -> list[Word]:
    words = [word.text for word in arguments]
    runs = [words[i + 1] for i, w in enumerate(words[:-1]) if w in ("-exec", "-execdir", "-ok", "-okdir")]
    scripts = ("sh", "bash", "zsh", "python", "python3", "cp", "dd")
    if "-delete" not in words and not any(os.path.basename(r) in (*REMOVERS, *EDITORS, "sed", *scripts) for r in runs):
        return []
    if "sed" in runs and not any(word.startswith(("-i", "--in-place")) or word[:3] in ("-Ei", "-ni") for word in words):
        return []
    if any(run in scripts for run in runs) and not any(
        ">" in w or "rm " in w or "-i" in w or "tee" in w for w in words
    ):
        return []
    if any(word in ("-prune", "-not", "!") for word in words):  # what is named is left out
        first = next(i for i, word in enumerate([*words, "-"]) if word and word[:1] in "-(!")
        return arguments[:first]
    return [word for word in arguments if not word.text.startswith("-")]


def acts(arguments: list[Word]) -> bool:
    """Whether `find` would change the files that it comes upon."""
    return bool(_find(arguments))


def database(arguments: list[Word], script: str | None) -> list[str]:
    """The database that SQL given to `sqlite3` would change, and files that it is told to write.

    `script` is what its stdin holds, None where that cannot be known.
    """
    names = plain(arguments, _VALUED)
    words = [word.text for word in arguments]
    if not names or {"-readonly", "--readonly"} & set(words):
        return []
    told = [word.text for word in [*names[1:], *option(arguments, "-cmd")]]
    told += [] if script is None else [script]
    changed = any(map(_changes, told)) or (script is None and not told)
    lines = [line.split() for text in told for line in text.split("\n")]
    outputs = [line[-1].strip("'\"") for line in lines if len(line) > 1 and line[0].startswith(_DOTS)]
    return [*([names[0].text] if changed else []), *outputs]


def _changes(text: str) -> bool:
    for statement in text.lower().replace("\n.", ";.").split(";"):
        words = statement.split() or [""]
        if words[0].startswith(_CHANGES) or (words[0] == "with" and not set(_CHANGES).isdisjoint(words)):
            return True
    return False


_TABLE: "dict[str, Callable[[list[Word]], list[Word]]]" = {
    "find": _find, "tar": _tar, "bsdtar": _tar, "unzip": _unzip, "zip": _zip, "7z": _seven, "7za": _seven,
    "7zz": _seven, "unrar": _unrar, "cpio": _cpio, "split": _split, "csplit": _csplit, "gzip": _gzip, "gunzip": _gzip,
    "bzip2": _gzip, "bunzip2": _gzip, "xz": _gzip, "unxz": _gzip,
}  # fmt: skip
