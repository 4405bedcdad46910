"""What a shell command would write in a store, and the text it would put there."""

import os

from promptx_mem.hooks import place, programs, shell
from promptx_mem.hooks.words import Command, Item, Word

_PATCHES = ("apply_patch", "applypatch", "patch")
_AWKS = ("awk", "gawk", "mawk")
_ELSEWHERE = ("ssh", "docker", "podman", "kubectl", "find")
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
    return _Watch(cwd, root).run(shell.read(command))


class _Watch:
    def __init__(self, cwd: str, root: str | None, depth: int = 0) -> None:
        self.cwd: str | None = cwd
        self.root = root
        self.depth = depth
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
                self._write(redirect.word, redirect.operator, output)
        words, through_xargs = programs.unwrapped(command.words)
        if words and os.path.basename(words[0].text) != "promptx-mem":
            self._program(words, command, output, self._named(before) if through_xargs else None)

    def _program(self, words: list[Word], command: Command, output: Word | None, named: str | None) -> None:
        """Note what a program writes; `named` is what xargs gives it of a store, None without xargs."""
        name, arguments = programs.program(words[0]), words[1:]
        if programs.other_memory(words):
            self._note("", place.MEMORY_AREA, "promptx remember", programs.remembered(words))
        elif name in ("cd", "pushd"):
            self._enter(arguments)
        elif name in programs.SHELLS or name == "eval":
            self._script(name, arguments, command, named or "")
        elif named and programs.writes_its_arguments(name, arguments):
            self._note(place.DIRECTORY, place.MEMORY_AREA, f"xargs {name}", None)
        elif name.rstrip("0123456789.") in programs.CODE and not programs.edits_in_place(name, arguments):
            self._code(name, arguments, command)
        elif name in _PATCHES or (name == "git" and programs.subcommand(arguments) in ("apply", "am")):
            self._patch(name, arguments, command)
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
        for word in [*programs.targets(name, arguments), *self._replaced(name, arguments)]:
            self._write(word, name, added)
        if name == "sed" and self.changes:
            from promptx_mem.hooks import scripts

            self.changes[-1].edit = scripts.substitution(arguments)
        if self._sweeps(name, arguments):
            self._note(place.DIRECTORY, place.MEMORY_AREA, name, None)
        if name in _AWKS:
            self._code(name, [Word("-e"), *arguments], command)

    def _replaced(self, name: str, arguments: list[Word]) -> list[Word]:
        """Return the store itself where a copy would get its place: `cp -r /backup/.memory .`."""
        if name not in programs.COPIERS:
            return []
        target, *sources = [word.text for word in programs.copied(arguments)] or [""]
        paths = [self._absolute(os.path.join(target, os.path.basename(source.rstrip("/")))) for source in sources]
        root = os.path.normpath(self.root) if self.root else None
        return [Word(path) for path in paths if path and os.path.normpath(path) == root]

    def _named(self, before: list[Word]) -> str:
        """The path of a store among words that are piped into xargs; a search that would come upon one counts."""
        paths = [word.text for word in before if self._area(word.text)]
        return paths[0] if paths else self._searched(before)

    def _searched(self, words: list[Word]) -> str:
        """The file of the existing store that `find` by these words would come upon, by its name."""
        if self.root is None or any(word.text in ("-prune", "-not", "!") for word in words):
            return ""
        start = next((word.text for word in words if word.text[:1] not in ("-", "")), ".")
        above = self._absolute(start)
        if above is None or not os.path.normpath(self.root).startswith(os.path.join(os.path.normpath(above), "")):
            return ""
        values = [words[at + 1].text for at, word in enumerate(words[:-1]) if word.text in ("-name", "-iname")]
        return next((name for name in place.FILES for value in values if place.glob(name, value)), "")

    def _sweeps(self, name: str, arguments: list[Word]) -> bool:
        """Whether a command would take the store along with other files: `git clean -fdx`, `find -name … -delete`."""
        if name == "find":
            return programs.acts(arguments) and bool(self._searched(arguments))
        paths = programs.cleaned(arguments) if name == "git" else None
        if paths is None or self.root is None:
            return False
        store = os.path.join(os.path.normpath(self.root), "")
        wide = [self._absolute(path) for path in paths or ["."]]
        return any(path and store.startswith(os.path.join(os.path.normpath(path), "")) for path in wide)

    def _script(self, name: str, arguments: list[Word], command: Command, filled: str = "") -> None:
        """Look into `bash -c '…'`, `eval …` and a here-document that a shell reads; `filled` is what xargs puts in."""
        texts = [r.body.text for r in command.redirects if r.body is not None]
        if name == "eval":
            texts.append(" ".join(word.text for word in arguments))
        else:
            flags = [i for i, w in enumerate(arguments) if w.text.startswith("-") and w.text.endswith("c")]
            texts += [arguments[i + 1].text for i in flags if i + 1 < len(arguments)]
        for text in texts:
            self._inner(_filled(text, filled))

    def _inner(self, text: str) -> None:
        """Look into a command line within this one."""
        if self.depth < 4 and self.cwd is not None:
            inner = _Watch(self.cwd, self.root, self.depth + 1)
            self.changes += inner.run(shell.read(text, depth=self.depth + 1))

    def _code(self, name: str, arguments: list[Word], command: Command) -> None:
        """Look into the code that an interpreter is given, on the command line or on its stdin."""
        from promptx_mem.hooks import code

        texts = [r.body.text for r in command.redirects if r.body is not None]
        texts += [arguments[i + 1].text for i, w in enumerate(arguments[:-1]) if w.text in programs.FLAGS]
        if self.flowing is not None and all(word.text == "-" for word in arguments):
            texts.append(self.flowing.text)
        for text in texts:
            findings, commands = code.find(text, self._area)
            for finding in findings:
                self._note(finding.path, self._area(finding.path), name, finding.text)
            if name in _AWKS and any(self._area(path) for path in code.redirected(text)):
                self._note(place.DIRECTORY, place.MEMORY_AREA, name, None)
            for inner in commands:
                self._inner(inner)

    def _patch(self, name: str, arguments: list[Word], command: Command) -> None:
        from promptx_mem.hooks import patches

        bodies = [r.body.text for r in command.redirects if r.body is not None]
        bodies += [word.text for word in arguments if "\n" in word.text]
        for body in bodies or ([self.flowing.text] if self.flowing is not None else []):
            for change in patches.read(body):
                if kind := self._area(change.path):
                    self._note(change.path, kind, name, change.new or None, change.old)
        for word in programs.targets(name, arguments):
            self._write(word, name, None)

    def _enter(self, arguments: list[Word]) -> None:
        target = next((word for word in arguments if not word.text.startswith("-")), None)
        if target is not None and target.text:  # what cannot be known is taken for a folder of the same project
            entered = self._absolute(target.text)
            if entered is None or len(entered) <= place.MAX_PATH:  # the system enters none that is longer
                self.cwd = entered
        elif not arguments:
            self.cwd = os.environ.get("HOME")

    def _absolute(self, path: str) -> str | None:
        if os.path.isabs(path):
            return path
        return os.path.join(self.cwd, path) if self.cwd is not None else None

    def _area(self, path: str) -> str:
        absolute = self._absolute(path) if path else None
        return place.area(absolute, self.root) if absolute else place.OUTSIDE

    def _write(self, word: Word, tool: str, output: Word | None) -> None:
        if kind := self._area(word.text):
            self._note(word.text, kind, tool, output.text if output is not None and output.sure else None)

    def _note(self, path: str, kind: str, tool: str, text: str | None, old: str = "") -> None:
        self.changes.append(Write(path, kind, tool, text, old))


def _scripted(name: str, arguments: list[Word], body: Word | None) -> Word | None:
    """The text that a line editor's script puts in."""
    if name not in ("sed", "ed", "ex"):
        return None
    from promptx_mem.hooks import scripts

    return scripts.added(name, arguments, body)


def _filled(text: str, value: str) -> str:
    """A script with what xargs puts in its place."""
    if value:
        for mark in ("{}", '"$@"', '"$1"', '"$0"', "$@", "$1", "$0"):
            text = text.replace(mark, value)
    return text


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
        return Word(_unescape(text) if escaped else text, sure=sure)
    if name == "printf" and arguments:
        return Word(_printf([word.text for word in arguments]), sure=sure)
    if name in ("cat", "tee"):
        body = next((r.body for r in command.redirects if r.body is not None), None)
        plain = [word for word in arguments if not word.text.startswith("-")]
        return body if body is not None else (flowing if name == "tee" or not plain else None)
    return None


def _printf(words: list[str]) -> str:
    form, values = _unescape(words[0].removeprefix("--")), words[1:]
    if words[0] == "--" and values:
        form, values = _unescape(values[0]), values[1:]
    out = ""
    while True:
        pieces = form.replace("%d", "%s").replace("%b", "%s").split("%s")
        for number, piece in enumerate(pieces):
            out += piece
            if number < len(pieces) - 1 and values:
                out += values.pop(0)
        if not values or len(pieces) == 1:
            return out.replace("%%", "%")


def _unescape(text: str) -> str:
    return text.replace("\\n", "\n").replace("\\t", "\t")
