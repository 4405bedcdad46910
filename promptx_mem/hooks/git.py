"""Which files of the work tree git takes out or overwrites. Loaded where a command runs it."""

import os

from promptx_mem.hooks.programs import option, plain
from promptx_mem.hooks.words import Word


def targets(arguments: list[Word]) -> list[Word]:
    """The files of the work tree that git would take out or overwrite."""
    folder = _folder(arguments)
    return [Word(os.path.join(folder, word.text), sure=word.sure) for word in _paths(arguments)]


def _folder(arguments: list[Word]) -> str:
    """Where git is told to run: `git -C FOLDER …`."""
    pairs = zip(arguments, arguments[1:], strict=False)  # noqa: RUF007 - the guard loads no itertools
    return next((folder.text for option, folder in pairs if option.text == "-C"), "")


def _paths(arguments: list[Word]) -> list[Word]:
    name, rest = subcommand(arguments)
    words = [word.text for word in rest]
    if name == "stash" and "--" in words:
        return rest[words.index("--") + 1 :]
    if name == "clone":
        return plain(rest, ("-b", "--branch", "--depth", "-o", "-c", "--reference"))[1:]
    if name in ("rm", "mv"):
        return [] if "--cached" in words else plain(rest, ())
    if name == "restore":
        staged = "--staged" in words or "-S" in words
        return [] if staged and not {"--worktree", "-W"} & set(words) else plain(rest, ("-s", "--source"))
    if name == "checkout":
        return rest[words.index("--") + 1 :] if "--" in words else plain(rest, ("-b", "-B"))
    return []


def subcommand(arguments: list[Word]) -> tuple[str, list[Word]]:
    """What git is to do, and the words behind it."""
    at = 0
    while at < len(arguments) and arguments[at].text.startswith("-"):
        at += 2 if arguments[at].text in ("-C", "-c", "--git-dir", "--work-tree") else 1
    return (arguments[at].text if at < len(arguments) else ""), arguments[at + 1 :]


def cleaned(arguments: list[Word]) -> list[str] | None:
    """The paths that git would clear of ignored files too, as a private store is; None where it does not."""
    name, rest = subcommand(arguments)
    words = [word.text for word in rest]
    if name == "stash" and {"-a", "--all"} & set(words):
        return words[words.index("--") + 1 :] if "--" in words else []
    letters = "".join(word[1:] for word in words if word[:1] == "-" and word[:2] != "--")
    left_out = any("mem" in word.text for word in [*option(rest, "-e"), *option(rest, "--exclude")])
    dry = left_out or "n" in letters or "--dry-run" in words
    forced = "f" in letters or "--force" in words
    if name != "clean" or dry or not forced or not set("xX") & set(letters):
        return None
    folder = _folder(arguments)
    paths = [os.path.join(folder, word.text) for word in plain(rest, ("-e", "--exclude"))]
    return paths or ([folder] if folder else [])
