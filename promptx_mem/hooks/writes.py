"""What a shell command would write in a store, and the text it would put there."""

import os

from promptx_mem.hooks import place, programs, shell
from promptx_mem.hooks.words import Command, Item, Word, printf, unescape

_AWKS = ("awk", "gawk", "mawk")
_ELSEWHERE = ("ssh", "find", *programs.RUNNERS)
"""What these run writes on another machine, or is read elsewhere."""
_OUTPUT = (">", ">>", ">|", ">&", "<>")


class Write:
    """One write: where to, which part of a store, by what, and the text where it can be told."""

    __slots__ = ("area", "edit", "old", "path", "text", "tool")

    def __init__(self, path: str, area: str, tool: str, text: str | None, old: str = "") -> None:
        self.path = path
        self.area = area
        self.tool = tool
        self.text = text
        self.old = old
        self.edit: tuple[str, str | None, str] | None = None


def find(command: str, cwd: str, root: str | None) -> list[Write]:
    """Return the writes of a command line that change a store, in order."""
    return Watch(cwd, root).run(shell.read(command))


class Watch:
    def __init__(self, cwd: str, root: str | None, depth: int = 0) -> None:
        self.cwd: str | None = cwd
        self.root = root
        self.depth = depth
        self.links: dict[str, str] = {}
        self.flowing: Word | None = None
        self.changes: list[Write] = []

    def run(self, items: list[Item]) -> list[Write]:
        folders: list[str | None] = []
        flowing: Word | None = None
        before: list[Word] = []
        for item in items:
            if isinstance(item, str):
                if item == "(":
                    folders.append(self.cwd)
                elif folders:
                    self.cwd = folders.pop()
                continue
            if not item.piped:
                flowing, before = None, []
            output = _says(item, flowing)
            self.flowing = flowing
            self._command(item, output, before)
            before += item.words[1:]
            flowing = output
        return self.changes

    def _command(self, command: Command, output: Word | None, before: list[Word]) -> None:
        """Note what one command writes; `before` are the arguments of those that are piped into it."""
        for redirect in command.redirects:
            target = redirect.word.text
            if redirect.operator in _OUTPUT and not (redirect.operator == ">&" and target.strip("0123456789-") == ""):
                self.write(redirect.word, redirect.operator, output)
        words, through_xargs = programs.unwrapped(command.words)
        if words and os.path.basename(words[0].text) != "promptx-mem":
            for word in words if through_xargs else []:  # what stands for it is not known
                word.text = word.text.replace(programs.placeholder(command.words), "{}")
            wrappers = command.words[: len(command.words) - len(words)]
            folder, self.cwd = self.cwd, self._folder(programs.folder(wrappers))
            self._program(words, command, output, self._named(before) if through_xargs else None)
            if not programs.enters(words):
                self.cwd = folder

    def _folder(self, name: Word | None) -> str | None:
        """The folder in which a command runs that is named before it, as env -C does."""
        return self.absolute(name.text) if name is not None else self.cwd

    def _program(self, words: list[Word], command: Command, output: Word | None, named: str | None) -> None:
        """Note what a program writes; `named` is what xargs gives it of a store, None without xargs."""
        name, arguments = programs.program(words[0]), words[1:]
        if programs.other_memory(words):
            self.note("", place.MEMORY_AREA, "promptx remember", programs.remembered(words))
        elif programs.enters(words):
            self._enter(arguments)
        elif name == "ln" and len(names := programs.copied(arguments)) > 1 and self.area(names[1].text):
            self._files(name, arguments, command, output)
            self._link(names[0].text, names[1].text)
        elif name in programs.READERS:
            self._script(name, arguments, command, named)
        elif name in programs.RUNNERS:
            self._hold(name, arguments, command)
            self._files(name, arguments, command, output)
        elif named and programs.writes_its_arguments(name, arguments):
            self.note(place.DIRECTORY, place.MEMORY_AREA, f"xargs {name}", None)
        elif programs.is_code(name, arguments) or name in programs.PATCHES:
            self._hold(name, arguments, command)
        elif name not in _ELSEWHERE and (inner := programs.inside(arguments)):
            self._program(inner, command, output, named)
        else:
            self._files(name, arguments, command, output)

    def _files(self, name: str, arguments: list[Word], command: Command, output: Word | None) -> None:
        """Note the files among the arguments of a program that it writes."""
        body = next((r.body for r in command.redirects if r.body is not None), None)
        if name in ("tee", "sponge", "dd"):
            added = body if body is not None else output or self.flowing
        else:
            added = _scripted(name, arguments, body if body is not None else self.flowing)
        for word in [*_targets(name, arguments), *self._replaced(name, arguments)]:
            self.write(word, name, added)
        if name == "sed" or name in programs.EDITORS:
            from promptx_mem.hooks import scripts

            for path in scripts.written(name, arguments, body):
                self.write(Word(path), name, None)
        if name == "sed" and self.changes:
            from promptx_mem.hooks import scripts

            self.changes[-1].edit = scripts.substitution(arguments)
        if self._sweeps(name, arguments):
            self.note(place.DIRECTORY, place.MEMORY_AREA, name, None)
        if name in _AWKS:
            self._hold(name, [Word("-e"), *arguments], command)
        if name in programs.DATABASES or name == "git":
            self._hold(name, arguments, command)

    def _hold(self, name: str, arguments: list[Word], command: Command) -> None:
        from promptx_mem.hooks import within

        within.look(self, name, arguments, command)

    def _replaced(self, name: str, arguments: list[Word]) -> list[Word]:
        """Return the store itself where a copy would get its place: `cp -r /backup/.memory .`."""
        if name not in programs.COPIERS:
            return []
        target, *sources = [word.text for word in programs.copied(arguments)] or [""]
        paths = [self.absolute(os.path.join(target, os.path.basename(source.rstrip("/")))) for source in sources]
        root = os.path.normpath(self.root) if self.root else None
        return [Word(path) for path in paths if path and os.path.normpath(path) == root]

    def _named(self, before: list[Word]) -> str:
        """The path of a store among words that are piped into xargs; a search that would come upon one counts."""
        paths = [word.text for word in before if self.area(word.text)]
        return paths[0] if paths else self._searched(before)

    def _searched(self, words: list[Word]) -> str:
        """The file of the existing store that `find` by these words would come upon, by its name."""
        if self.root is None or any(word.text in ("-prune", "-not", "!") for word in words):
            return ""
        start = next((word.text for word in words if word.text[:1] not in ("-", "")), ".")
        above = self.absolute(start)
        if above is None or not os.path.normpath(self.root).startswith(os.path.join(os.path.normpath(above), "")):
            return ""
        values = [words[at + 1].text for at, word in enumerate(words[:-1]) if word.text in ("-name", "-iname")]
        return next((name for name in place.FILES for value in values if place.glob(name, value)), "")

    def _sweeps(self, name: str, arguments: list[Word]) -> bool:
        """Whether a command would take the store along with other files: `git clean -fdx`, `find -name … -delete`."""
        if name == "find":
            from promptx_mem.hooks import outputs

            return outputs.acts(arguments) and bool(self._searched(arguments))
        if name != "git" or self.root is None:
            return False
        from promptx_mem.hooks import git

        paths = git.cleaned(arguments)
        if paths is None:
            return False
        store = os.path.join(os.path.normpath(self.root), "")
        wide = [self.absolute(path) for path in paths or ["."]]
        return any(path and store.startswith(os.path.join(os.path.normpath(path), "")) for path in wide)

    def _script(self, name: str, arguments: list[Word], command: Command, filled: str | None) -> None:
        """Look into `bash -c '…'`, `eval …` and what a shell reads; `filled` is what xargs puts in, None without it."""
        texts = [r.body.text for r in command.redirects if r.body is not None]
        if name == "eval":
            texts.append(" ".join(word.text for word in arguments))
        else:
            flags = [
                i for i, w in enumerate(arguments) if (w.text[:1] == "-" and w.text[-1:] == "c") or w.text == "-Command"
            ]
            texts += [arguments[i + 1].text for i in flags if i + 1 < len(arguments)]
            if self.flowing is not None and filled is None and all(word.text in ("-", "-s") for word in arguments):
                texts.append(self.flowing.text)
        for text in texts:
            self.look_into(text if filled is None else _filled(text, filled))

    def look_into(self, text: str) -> None:
        """Look into a command line within this one."""
        if self.depth < 4 and self.cwd is not None:
            self._inside(self.cwd, self.links, shell.read(text, depth=self.depth + 1))

    def run_within(self, words: list[Word], outer: Command, folder: str, links: dict[str, str]) -> None:
        """Look into a command that runs where files have other names: `links` leads from those to ours."""
        if words and self.depth < 4 and self.cwd is not None:
            command = Command(piped=False)
            command.words, command.redirects = words, [r for r in outer.redirects if r.body is not None]
            self._inside(os.path.join(self.cwd, folder), {**self.links, **links}, [command])

    def _inside(self, folder: str, links: dict[str, str], items: list[Item]) -> None:
        watch = Watch(folder, self.root, self.depth + 1)
        watch.links, watch.flowing = links, self.flowing
        self.changes += watch.run(items)

    def _enter(self, arguments: list[Word]) -> None:
        target = next((word for word in arguments if not word.text.startswith("-")), None)
        if target is not None and target.text:  # what cannot be known is taken for a folder of the same project
            entered = self.absolute(target.text)
            if entered is None or len(entered) <= place.MAX_PATH:  # the system enters none that is longer
                self.cwd = entered
        elif not arguments:
            self.cwd = os.environ.get("HOME")

    def _link(self, name: str, source: str) -> None:
        """Follow a link that this command line makes from here on."""
        link, path = self.absolute(name), self.absolute(source)
        if link and path:
            self.links = {**self.links, os.path.normpath(link): os.path.normpath(path)}

    def absolute(self, path: str) -> str | None:
        """A path from the root on, followed back through the links of this command line."""
        if not os.path.isabs(path):
            if self.cwd is None:
                return None
            path = os.path.join(self.cwd, path)
        for link, source in self.links.items():
            if path == link or path.startswith(link + os.sep):
                return source + path[len(link) :]
        return path

    def area(self, path: str) -> str:
        absolute = self.absolute(path) if path else None
        return place.area(absolute, self.root) if absolute else place.OUTSIDE

    def write(self, word: Word, tool: str, output: Word | None) -> None:
        if kind := self.area(word.text):
            self.note(word.text, kind, tool, output.text if output is not None and output.sure else None)

    def note(self, path: str, kind: str, tool: str, text: str | None, old: str = "") -> None:
        self.changes.append(Write(path, kind, tool, text, old))


def _targets(name: str, arguments: list[Word]) -> list[Word]:
    """The arguments that a program would write, by the table that knows it."""
    if name == "git":
        from promptx_mem.hooks import git

        return git.targets(arguments)
    if name in programs.RARE:
        from promptx_mem.hooks import outputs

        return outputs.targets(name, arguments)
    return programs.targets(name, arguments)


def _scripted(name: str, arguments: list[Word], body: Word | None) -> Word | None:
    """The text that a line editor's script puts in."""
    if name not in ("sed", "ed", "ex"):
        return None
    from promptx_mem.hooks import scripts

    return scripts.added(name, arguments, body)


def _filled(text: str, value: str) -> str:
    """A script with what xargs puts in its place; what cannot be known is left for an unset variable."""
    for mark in ("{}", '"$@"', '"$1"', '"$0"', "$@", "$1", "$0") if value else ():
        text = text.replace(mark, value)
    return text.replace("{}", "${}")


def _says(command: Command, flowing: Word | None) -> Word | None:
    """Return what a command prints, where that can be told: echo, printf, cat and tee."""
    words, _ = programs.unwrapped(command.words)
    name = os.path.basename(words[0].text) if words else "cat"
    arguments = words[1:]
    sure = all(word.sure for word in arguments)
    if name == "echo":
        escaped = False
        while arguments and arguments[0].text in ("-n", "-e", "-ne", "-en", "-E"):
            escaped = escaped or "e" in arguments.pop(0).text
        text = " ".join(word.text for word in arguments)
        return Word(unescape(text) if escaped else text, sure=sure)
    if name == "printf" and arguments:
        return Word(printf([word.text for word in arguments]), sure=sure)
    if name in ("cat", "tee"):
        body = next((r.body for r in command.redirects if r.body is not None), None)
        plain = [word for word in arguments if not word.text.startswith("-")]
        return body if body is not None else (flowing if name == "tee" or not plain else None)
    return None
