"""What a shell command would write in a store, and the text it would put there."""

import os

from promptx_mem.hooks import place, programs, shell
from promptx_mem.hooks.words import Command, Item, Word

_SHELLS = ("bash", "sh", "zsh", "dash", "ksh")
_CODE = ("python", "python3", "node", "ruby", "perl", "deno", "bun")
_OUTPUT = (">", ">>", ">|", ">&", "<>")
_CALLS = (
    "write_text(", "write_bytes(", "writeFile", "appendFile", "createWriteStream", "File.write(", "truncate(",
    "os.remove(", "unlink", "rmtree(", "rmSync(", "rename(", "os.replace(",
)  # fmt: skip
_MODES = ("w", "a", "x", "wb", "ab", "xb", "w+", "a+", "r+", "r+b", "rb+", "wt", "at")


class Write:
    """One write: where to, which part of a store, by what, and the text where it can be told."""

    __slots__ = ("area", "path", "text", "tool")

    def __init__(self, path: str, area: str, tool: str, text: str | None) -> None:
        self.path = path
        self.area = area
        self.tool = tool
        self.text = text


def find(command: str, cwd: str, root: str | None) -> list[Write]:
    """Return the writes of a command line that change a store, in order."""
    return _Watch(cwd, root).run(shell.read(command))


class _Watch:
    def __init__(self, cwd: str, root: str | None, depth: int = 0) -> None:
        self.cwd: str | None = cwd
        self.root = root
        self.depth = depth
        self.found: list[Write] = []

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
            said = _says(item, flowing)
            self._command(item, said, before)
            before += item.words[1:]
            flowing = said
        return self.found

    def _command(self, command: Command, said: Word | None, before: list[Word]) -> None:
        """Note what one command writes; `before` are the arguments of those that are piped into it."""
        for redirect in command.redirects:
            target = redirect.word.text
            if redirect.operator in _OUTPUT and not (redirect.operator == ">&" and target.strip("0123456789-") == ""):
                self._write(redirect.word, redirect.operator, said)
        words, through_xargs = programs.unwrapped(command.words)
        if not words:
            return
        name, arguments = os.path.basename(words[0].text), words[1:]
        if name == "promptx-mem":
            return
        if name in ("cd", "pushd"):
            self._enter(arguments)
        elif through_xargs and _writes_its_arguments(name, arguments) and any(self._area(word.text) for word in before):
            self._note(place.DIRECTORY, place.MEMORY_AREA, f"xargs {name}", None)
        elif name in _SHELLS or name == "eval":
            self._script(name, arguments, command)
        elif name.rstrip("0123456789.") in _CODE and not programs.edits_in_place(name, arguments):
            self._code(name, arguments, command)
        else:
            body = next((r.body for r in command.redirects if r.body is not None), said)
            copies = self._replaced(arguments) if name in programs.COPIERS else []
            for word in [*programs.targets(name, arguments), *copies]:
                self._write(word, name, body if name in ("tee", "sponge", "dd") else None)

    def _replaced(self, arguments: list[Word]) -> list[Word]:
        """Return the store itself where a copy would get its place: `cp -r /backup/.memory .`."""
        target, *sources = [word.text for word in programs.copied(arguments)] or [""]
        paths = [self._absolute(os.path.join(target, os.path.basename(one.rstrip("/")))) for one in sources]
        mine = os.path.normpath(self.root) if self.root else None
        return [Word(path) for path in paths if path and os.path.normpath(path) == mine]

    def _script(self, name: str, arguments: list[Word], command: Command) -> None:
        """Look into `bash -c '…'`, `eval …` and a here-document that a shell reads."""
        texts = [r.body.text for r in command.redirects if r.body is not None]
        if name == "eval":
            texts.append(" ".join(word.text for word in arguments))
        else:
            flags = [i for i, w in enumerate(arguments) if w.text.startswith("-") and w.text.endswith("c")]
            texts += [arguments[i + 1].text for i in flags if i + 1 < len(arguments)]
        if self.depth < 4 and self.cwd is not None:
            for text in texts:
                inner = _Watch(self.cwd, self.root, self.depth + 1)
                self.found += inner.run(shell.read(text, depth=self.depth + 1))

    def _code(self, name: str, arguments: list[Word], command: Command) -> None:
        """Look for a call that writes on a line that names a file of a store; mentioning one is no write."""
        texts = [r.body.text for r in command.redirects if r.body is not None]
        texts += [arguments[i + 1].text for i, w in enumerate(arguments[:-1]) if w.text in ("-c", "-e", "--eval", "-p")]
        for text in texts:
            for line in text.replace(";", "\n").split("\n"):
                for path in _strings(line):
                    if (kind := self._area(path)) and _writes(line, path):
                        self._note(path, kind, name, None)

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

    def _write(self, word: Word, tool: str, said: Word | None) -> None:
        if kind := self._area(word.text):
            self._note(word.text, kind, tool, said.text if said is not None and said.sure else None)

    def _note(self, path: str, kind: str, tool: str, text: str | None) -> None:
        self.found.append(Write(path, kind, tool, text))


def _writes_its_arguments(name: str, arguments: list[Word]) -> bool:
    return name in (*programs.REMOVERS, *programs.EDITORS) or programs.edits_in_place(name, arguments)


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


def _strings(line: str) -> list[str]:
    """Return the quoted strings of a line of code."""
    found = []
    for quote in "'\"`":
        found += line.split(quote)[1::2]
    return found


def _writes(line: str, path: str) -> bool:
    """Whether a line of code has a call that writes, or opens the path for that."""
    opened = line.partition(path)[2] if "open(" in line else ""
    return any(call in line for call in _CALLS) or any(f"{q}{mode}{q}" in opened for q in "'\"" for mode in _MODES)
