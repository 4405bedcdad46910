"""What a command holds that is no shell: code for an interpreter, a patch, SQL; and what it runs elsewhere or later.

Loaded where there is such a command.
"""

import os

from promptx_mem.hooks import git, place, programs
from promptx_mem.hooks.words import Command, Word

TYPE_CHECKING = False  # typing would cost more than all the rest
if TYPE_CHECKING:
    from typing import Protocol

    class Watch(Protocol):
        """What looks at the command that all this is within."""

        flowing: Word | None

        def absolute(self, path: str) -> str | None: ...
        def area(self, path: str) -> str: ...
        def note(self, path: str, kind: str, tool: str, text: str | None, old: str = "") -> None: ...
        def write(self, word: Word, tool: str, output: Word | None) -> None: ...
        def look_into(self, text: str) -> None: ...
        def run_within(self, words: list[Word], outer: Command, folder: str, links: dict[str, str]) -> None: ...


AWKS = ("awk", "gawk", "mawk")


def look(watch: "Watch", name: str, arguments: list[Word], command: Command) -> None:
    """Note what the inside of one command would write in a store."""
    if name in programs.RUNNERS:
        _runner(watch, name, arguments, command)
    elif name in programs.DATABASES:
        _database(watch, name, arguments, command)
    elif name in programs.PATCHES or (name == "git" and git.subcommand(arguments)[0] in ("apply", "am")):
        _patch(watch, name, arguments, command)
    elif name != "git":
        _code(watch, name, arguments, command)


def _runner(watch: "Watch", name: str, arguments: list[Word], command: Command) -> None:
    """Look into what a program runs in a container, on this machine by another way, or later."""
    from promptx_mem.hooks import runners

    for inner in runners.inner(name, arguments, "\n".join(_fed(watch, command))):
        if inner.script:
            watch.look_into(inner.script)
        else:
            links = {target: path for target, source in inner.links.items() if (path := watch.absolute(source))}
            watch.run_within(inner.words, command, inner.start, links)


def _fed(watch: "Watch", command: Command) -> list[str]:
    """What is known of a command's stdin."""
    bodies = [r.body.text for r in command.redirects if r.body is not None]
    return bodies or ([watch.flowing.text] if watch.flowing is not None else [])


def _database(watch: "Watch", name: str, arguments: list[Word], command: Command) -> None:
    """Note a database of the store that SQL would change; the cache counts, since recall answers from it."""
    from promptx_mem.hooks import outputs

    unknown = any(r.operator == "<" for r in command.redirects)
    for path in outputs.database(arguments, None if unknown else "\n".join(_fed(watch, command))):
        if _holds_cache(watch, path):
            watch.note(path, place.MEMORY_AREA, name, None)


def _holds_cache(watch: "Watch", path: str) -> str:
    """The part of a store that a path belongs to, the cache among them."""
    whole = watch.absolute(path)
    return watch.area(whole.replace(f"{place.CACHE}{os.sep}", "")) if whole else place.OUTSIDE


def _patch(watch: "Watch", name: str, arguments: list[Word], command: Command) -> None:
    from promptx_mem.hooks import patches

    bodies = [r.body.text for r in command.redirects if r.body is not None]
    bodies += [word.text for word in arguments if "\n" in word.text]
    for body in bodies or ([watch.flowing.text] if watch.flowing is not None else []):
        for change in patches.read(body):
            if kind := watch.area(change.path):
                watch.note(change.path, kind, name, change.new or None, change.old)
    for word in programs.targets(name, arguments):
        watch.write(word, name, None)


def _code(watch: "Watch", name: str, arguments: list[Word], command: Command) -> None:
    """Look into the code that an interpreter is given, on the command line or on its stdin."""
    from promptx_mem.hooks import code

    texts = [r.body.text for r in command.redirects if r.body is not None]
    texts += [arguments[i + 1].text for i, w in enumerate(arguments[:-1]) if w.text in programs.FLAGS]
    texts += [word.text[2:] for word in arguments[:3] if word.text[:2] in ("-c", "-e", "-r") and "(" in word.text]
    if watch.flowing is not None and all(word.text == "-" for word in arguments):
        texts.append(watch.flowing.text)
    for text in texts:
        area = (lambda path: _holds_cache(watch, path)) if "sqlite" in text.lower() else watch.area
        findings, commands = code.find(text, area)
        for finding in findings:
            watch.note(finding.path, area(finding.path), name, finding.text)
        if name in AWKS and any(watch.area(path) for path in code.redirected(text)):
            watch.note(place.DIRECTORY, place.MEMORY_AREA, name, None)
        for inner in commands:
            watch.look_into(inner)
