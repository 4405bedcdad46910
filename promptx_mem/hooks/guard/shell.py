"""Read a shell command far enough to see what it writes: words, redirections, here-documents, substitutions.

What it cannot know (an unset variable, the output of a command) makes a word unsure; nothing is ever run. Written
by hand, since the guard loads no parser; what we print ourselves is quoted in core/shell.
"""

import os

TYPE_CHECKING = False  # typing would cost more than all the rest
if TYPE_CHECKING:
    from collections.abc import Callable

MAX_LENGTH = 100_000
"""Characters of a command that are read: what a store takes is shorter, and the agent is waiting."""

_MAX_DEPTH = 8
_OPERATORS = (">>", ">|", ">&", "<<<", "<<-", "<<", "<>", "<&")
_BLANK = " \t\r"


class Word:
    """A word after expansion. `sure`: it is exactly this; `raw`: nothing of it was quoted."""

    __slots__ = ("raw", "sure", "text")

    def __init__(self, text: str, *, sure: bool = True, raw: bool = True) -> None:
        self.text = text
        self.sure = sure
        self.raw = raw


class Redirect:
    """`operator` and its word; `body` is what a here-document or here-string feeds."""

    __slots__ = ("body", "operator", "word")

    def __init__(self, operator: str, word: Word) -> None:
        self.operator = operator
        self.word = word
        self.body: Word | None = None


class Command:
    """A simple command; `piped`: it reads what the one before it writes."""

    __slots__ = ("piped", "redirects", "words")

    def __init__(self, *, piped: bool) -> None:
        self.words: list[Word] = []
        self.redirects: list[Redirect] = []
        self.piped = piped


Item = Command | str
"""A command, or `(` and `)` where a subshell begins and ends."""


def read(text: str, variables: dict[str, Word] | None = None, depth: int = 0) -> list[Item]:
    """Split a command line into simple commands, in the order they run."""
    return _Reader(text, {} if variables is None else variables, depth).run()


class _Reader:
    """Reads from `at` on; inside a substitution up to the parenthesis that closes it."""

    def __init__(self, text: str, variables: dict[str, Word], depth: int, at: int = 0, *, inside: bool = False) -> None:
        self.text = text[:MAX_LENGTH]
        self.at = at
        self.level = 1 if inside else 0
        self.inside = inside
        self.variables = variables
        self.depth = depth
        self.items: list[Item] = []
        self.command = Command(piped=False)
        self.operator = ""
        self.waiting: list[Redirect] = []
        self._clear()

    def run(self) -> list[Item]:
        while self.at < len(self.text) and not (self.inside and not self.level):
            self._step(self.text[self.at])
        self._end_command()
        return self.items

    def _clear(self) -> None:
        self.parts: list[str] = []
        self.open = False
        self.sure = self.raw = True

    def _step(self, char: str) -> None:
        self.at += 1
        if char in _BLANK:
            self._end_word()
        elif char == "\n":
            self._end_command()
            self._bodies()
        elif char == "#" and not self.open:
            end = self.text.find("\n", self.at)
            self.at = len(self.text) if end < 0 else end
        elif char in ";&|()":
            self._control(char)
        elif char in "<>":
            self._redirection(char)
        else:
            self._character(char)

    def _control(self, char: str) -> None:
        following = self.text[self.at : self.at + 1]
        if char == "&" and following == ">":
            self._end_word()
            self.at += 2 if self.text[self.at + 1 : self.at + 2] == ">" else 1
            self.operator = ">"
            return
        if char in "&|;" and following and following in "&|;":
            self.at += 1
        self._end_command(piped=char == "|" and following != "|")
        if char in "()":
            self.level += 1 if char == "(" else -1
            if self.level or not self.inside:
                self.items.append(char)

    def _redirection(self, char: str) -> None:
        rest = self.text[self.at - 1 : self.at + 2]
        if rest[1:2] == "(":  # <(…) and >(…) run a command
            self.at += 1
            self._substitution()
            self._put("/dev/fd/63", sure=False)
            return
        if self.open and self.raw and "".join(self.parts).isdigit():
            self._clear()  # the number of a descriptor
        self._end_word()
        self.operator = next((operator for operator in _OPERATORS if rest.startswith(operator)), char)
        self.at += len(self.operator) - 1

    def _character(self, char: str) -> None:
        if char == "\\":
            following = self.text[self.at : self.at + 1]
            self.at += 1
            if following != "\n":
                self._put(following, raw=False)
        elif char == "'":
            end = self.text.find("'", self.at)
            end = len(self.text) if end < 0 else end
            self._put(self.text[self.at : end], raw=False)
            self.at = end + 1
        elif char == '"':
            self._double()
        elif char == "$" and self.text[self.at : self.at + 1] == "'":
            self.at += 1
            self._ansi()
        elif char in "$`":
            self._expansion(char)
        elif char == "~" and self._begins_value():
            self._put(_home() if self.text[self.at : self.at + 1] in ("/", "", " ", "\n", ";", "&", ")") else "~")
        else:
            end = self.at
            while end < len(self.text) and (self.text[end].isalnum() or self.text[end] in "./_-"):
                end += 1
            self._put(char + self.text[self.at : end])
            self.at = end

    def _begins_value(self) -> bool:
        return not self.open or (self.raw and self.parts[-1].endswith("="))

    def _put(self, text: str, *, sure: bool = True, raw: bool = True) -> None:
        self.open = True
        self.parts.append(text)
        self.sure = self.sure and sure
        self.raw = self.raw and raw

    def _double(self) -> None:
        self._put("", raw=False)
        while self.at < len(self.text):
            char = self.text[self.at]
            self.at += 1
            if char == '"':
                return
            if char == "\\":
                following = self.text[self.at : self.at + 1]
                self.at += 1
                self.parts.append({"\n": ""}.get(following, following) if following in '$`"\\\n' else char + following)
            elif char in "$`":
                self._expansion(char)
            else:
                self.parts.append(char)

    def _ansi(self) -> None:
        """Read $'…'; codes of characters are left out, and make the word unsure."""
        self._put("", raw=False)
        plain = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"'}
        while self.at < len(self.text) and self.text[self.at] != "'":
            char = self.text[self.at]
            if char == "\\":
                self.at += 1
                char = plain.get(self.text[self.at : self.at + 1], "")
                self.sure = self.sure and bool(char)
            self.parts.append(char)
            self.at += 1
        self.at += 1

    def _expansion(self, char: str) -> None:
        rest = self.text[self.at : self.at + 2]
        if char == "`":
            end = self.text.find("`", self.at)
            end = len(self.text) if end < 0 else end
            if self.depth < _MAX_DEPTH:
                self.items += ["(", *read(self.text[self.at : end], dict(self.variables), self.depth + 1), ")"]
            self.at = end + 1
            self._put("", sure=False)
        elif rest == "((":
            end = self.text.find("))", self.at)
            self.at = len(self.text) if end < 0 else end + 2
            self._put("", sure=False)
        elif rest[:1] == "(":
            self.at += 1
            self._substitution()
            self._put("", sure=False)
        elif rest[:1] == "{":
            end = self.text.find("}", self.at)
            end = len(self.text) if end < 0 else end
            self._variable(self.text[self.at + 1 : end])
            self.at = end + 1
        else:
            end = self.at
            while end < len(self.text) and (self.text[end].isalnum() or self.text[end] == "_"):
                end += 1
            if end == self.at:
                self._put(char, sure=rest[:1] in ("", " ", '"', "\n"))
            else:
                self._variable(self.text[self.at : end])
                self.at = end

    def _variable(self, expression: str) -> None:
        """Put what a variable holds, near enough in `${name%/}`; of `${name:-default}` that where it is unset."""
        name, _, default = expression.partition(":-")
        known = name if name.isidentifier() else name.lstrip("!#").partition("%")[0].partition("#")[0].partition("[")[0]
        if known != name and known in self.variables:
            self._put(self.variables[known].text, sure=False)
        elif name == "PWD":
            self._put(".")
        elif name in self.variables:
            self._put(self.variables[name].text, sure=self.variables[name].sure)
        elif name in os.environ:
            self._put(os.environ[name])
        else:
            self._put(default, sure=bool(default) and "$" not in default)

    def _substitution(self) -> None:
        """Read `$(…)`, whose here-documents and quotes may hold any parenthesis."""
        if self.depth >= _MAX_DEPTH:
            self.at = len(self.text)
            return
        inner = _Reader(self.text, dict(self.variables), self.depth + 1, self.at, inside=True)
        self.items += ["(", *inner.run(), ")"]
        self.at = inner.at

    def _end_word(self) -> None:
        if not self.open:
            return
        word = Word("".join(self.parts), sure=self.sure, raw=self.raw)
        self._clear()
        if word.raw and not self.operator and "," in word.text.partition("{")[2]:
            self.command.words += _braced(word)
        elif self.operator:
            redirect = Redirect(self.operator, word)
            self.operator = ""
            if redirect.operator in ("<<", "<<-"):
                self.waiting.append(redirect)
            elif redirect.operator == "<<<":
                redirect.body = word
            self.command.redirects.append(redirect)
        else:
            self.command.words.append(word)

    def _end_command(self, *, piped: bool = False) -> None:
        self._end_word()
        self.operator = ""
        if self.command.words or self.command.redirects:
            self._assign(self.command.words)
            self.items.append(self.command)
        self.command = Command(piped=piped)

    def _assign(self, words: list[Word]) -> None:
        """Note `name=value`, `export name=value` and the words of a `for` loop."""
        if len(words) > 3 and words[0].text == "for" and words[2].text == "in":
            # One word must stand for all: the one that matters is the one in a store.
            one = next((w for w in words[3:] if "mem" in w.text.lower()), words[-1])
            self.variables[words[1].text] = Word(one.text, sure=one.sure and len(words) == 4)
            return
        for word in words[1:] if words and words[0].text in ("export", "local", "declare", "readonly") else words:
            name, equals, value = word.text.partition("=")
            if not equals or not name.isidentifier():
                return
            self.variables[name] = Word(value, sure=word.sure)

    def _bodies(self) -> None:
        for redirect in self.waiting:
            lines = []
            end = redirect.word.text
            while self.at < len(self.text):
                stop = self.text.find("\n", self.at)
                stop = len(self.text) if stop < 0 else stop
                line = self.text[self.at : stop]
                self.at = stop + 1
                if redirect.operator == "<<-":
                    line = line.lstrip("\t")
                if line == end:
                    break
                lines.append(line)
            body = "\n".join(lines)
            literal = not redirect.word.raw or ("$" not in body and "`" not in body)
            redirect.body = Word(body, sure=literal, raw=redirect.word.raw)
        self.waiting = []


def _braced(word: Word) -> list[Word]:
    """The words that `name{,.old}` stands for; one pair of braces is read."""
    before, _, rest = word.text.partition("{")
    inner, closing, behind = rest.partition("}")
    parts = inner.split(",") if closing else []
    return [Word(before + part + behind, sure=word.sure) for part in parts] if len(parts) > 1 else [word]


def _home() -> str:
    return os.environ.get("HOME") or "~"


def printf(words: list[str]) -> str:
    """What `printf` prints of its arguments."""
    form, values = unescape(words[0].removeprefix("--")), words[1:]
    if words[0] == "--" and values:
        form, values = unescape(values[0]), values[1:]
    out = ""
    while True:
        pieces = form.replace("%d", "%s").replace("%b", "%s").split("%s")
        for number, piece in enumerate(pieces):
            out += piece
            if number < len(pieces) - 1 and values:
                out += values.pop(0)
        if not values or len(pieces) == 1:
            return out.replace("%%", "%")


def unescape(text: str) -> str:
    """A text as `echo -e` and `printf` read it."""
    return text.replace("\\n", "\n").replace("\\t", "\t")


def patched(text: str, area: "Callable[[str], str]") -> str:
    """Return the first file of a store that a patch changes."""
    for line in text.split("\n"):
        for mark in ("+++ ", "--- ", "*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: "):
            if line.startswith(mark):
                path = line[len(mark) :].partition("\t")[0].strip()
                path = path[2:] if len(mark) == 4 and path[:2] in ("a/", "b/") else path
                if path and area(path):
                    return path
    return ""
