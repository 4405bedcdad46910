"""Read a shell command far enough to see what it writes: words, redirections, here-documents, substitutions.

What it cannot know (an unset variable, the output of a command) makes a word unsure; nothing is ever run. Written
by hand, since the guard loads no parser; what we print ourselves is quoted in core/shell.
"""

import os

MAX_LENGTH = 100_000
"""Characters of a command that are read: what a store takes is shorter, and the agent is waiting."""

_MAX_DEPTH = 8
_OPERATORS = (">>", ">|", ">&", "<<<", "<<-", "<<", "<>", "<&")


class Word:
    """A word after expansion. `sure`: it is exactly this."""

    __slots__ = ("sure", "text")

    def __init__(self, text: str, *, sure: bool = True) -> None:
        self.text, self.sure = text, sure


class Command:
    """A simple command; `fed` is what a here-document gives it."""

    __slots__ = ("fed", "redirects", "words")

    def __init__(self) -> None:
        self.words: list[Word] = []
        self.redirects: list[tuple[str, Word]] = []
        self.fed: Word | None = None


Item = Command | str
"""A command, or `(` and `)` where a subshell begins and ends."""


def read(text: str) -> list[Item]:
    """Split a command line into simple commands, in the order they run."""
    return _Reader(text[:MAX_LENGTH], {}).run()


def assigned(text: str) -> str:
    """Return the name of the variable that a word sets; empty if it sets none."""
    name, equals, _ = text.partition("=")
    return name if equals and name.isidentifier() else ""


class _Reader:
    """Reads from `at` on; in a substitution up to the character that closes it."""

    def __init__(self, text: str, variables: dict[str, Word], depth: int = 0, at: int = 0, closing: str = "") -> None:
        self.text, self.variables, self.depth, self.at, self.closing = text, variables, depth, at, closing
        self.level = 0
        self.items: list[Item] = []
        self.command = Command()
        self.word: Word | None = None
        self.operator = ""
        self.waiting: list[tuple[str, Word, Command]] = []

    def run(self) -> list[Item]:
        while self.at < len(self.text):
            char = self._next()
            if char == self.closing and not self.level:
                break
            if char in " \t\r":
                self._end_word()
            elif char in "\n;&|()<>":
                self._break(char)
            elif char == "#" and self.word is None:
                self._until("\n")
                self.at -= 1
            else:
                self._character(char)
        self._end_command()
        return self.items

    def _next(self) -> str:
        self.at += 1
        return self.text[self.at - 1 : self.at]

    def _until(self, mark: str) -> str:
        """Return the text up to a mark, and go behind it."""
        start, end = self.at, self.text.find(mark, self.at)
        end = len(self.text) if end < 0 else end
        self.at = end + len(mark)
        return self.text[start:end]

    def _name(self, more: str) -> str:
        start = self.at
        while self.at < len(self.text) and (self.text[self.at].isalnum() or self.text[self.at] in more):
            self.at += 1
        return self.text[start : self.at]

    def _put(self, text: str, *, sure: bool = True) -> None:
        word = self.word or Word("")
        self.word = Word(word.text + text, sure=word.sure and sure)

    def _break(self, char: str) -> None:
        following = self.text[self.at : self.at + 1]
        if char in "<>" and following == "(":  # <(…) and >(…) run a command
            self.at += 1
            self._substitution(")")
        elif char in "<>" or char + following == "&>":
            self._redirection()
        elif char == "\n":
            self._end_command()
            self._bodies()
        else:
            self._end_command()
            if char in "()":
                self.level += 1 if char == "(" else -1
                self.items.append(char)

    def _redirection(self) -> None:
        if self.word is not None and self.word.text.isdigit() and self.text[self.at - 2].isdigit():
            self.word = None  # the number of a descriptor
        self._end_word()
        rest = self.text[self.at - 1 : self.at + 2].lstrip("&")
        self.operator = next((operator for operator in _OPERATORS if rest.startswith(operator)), rest[:1])
        self.at += len(self.operator) - (self.text[self.at - 1] != "&")

    def _character(self, char: str) -> None:
        if char == "\\":
            following = self._next()
            if following != "\n":
                self._put(following)
        elif char == "'":
            self._put(self._until("'"))
        elif char == '"':
            self._double()
        elif char in "$`":
            self._expansion(char)
        else:
            self._put(char + self._name("./_-"))

    def _double(self) -> None:
        self._put("")
        while self.at < len(self.text) and (char := self._next()) != '"':
            if char == "\\":
                char = self._next()
                self._put(char.strip("\n") if char in '$`"\\\n' else "\\" + char)
            elif char in "$`":
                self._expansion(char)
            else:
                self._put(char + self._name("./_- "))

    def _expansion(self, char: str) -> None:
        following = self.text[self.at : self.at + 1]
        if char == "`" or following == "(":
            self.at += char != "`"
            self._substitution("`" if char == "`" else ")")
        elif following == "{":
            self.at += 1
            self._variable(self._until("}"))
        elif following == "'":  # $'…'
            return
        elif name := self._name("_"):
            self._variable(name)
        else:
            self._put(char, sure=following in ("", " ", '"', "\n"))

    def _variable(self, expression: str) -> None:
        """Put what a variable holds; near enough, but not surely that, in `${name%/}`."""
        name = expression.partition("%")[0].partition(":")[0]
        value = self.variables.get(name) or Word("." if name == "PWD" else os.environ.get(name, ""))
        self._put(value.text, sure=value.sure and bool(value.text) and name == expression)

    def _substitution(self, closing: str) -> None:
        """Read `$(…)`, whose here-documents and quotes may hold any parenthesis."""
        self._put("", sure=False)
        inner = _Reader(self.text, dict(self.variables), self.depth + 1, self.at, closing)
        if self.depth < _MAX_DEPTH:
            self.items += ["(", *inner.run(), ")"]
        self.at = inner.at if self.depth < _MAX_DEPTH else len(self.text)

    def _end_word(self) -> None:
        word, operator = self.word, self.operator
        if word is None:
            return
        self.word, self.operator = None, ""
        if operator in ("<<", "<<-"):
            self.waiting.append((operator, word, self.command))
        elif operator == "<<<":
            self.command.fed = word
        elif operator:
            self.command.redirects.append((operator, word))
        else:
            self.command.words.append(word)

    def _end_command(self) -> None:
        self._end_word()
        self.operator = ""
        words = self.command.words
        if words or self.command.redirects:
            self.items.append(self.command)
        for word in words[1:] if words and words[0].text in ("export", "declare", "local") else words:
            if not (name := assigned(word.text)):
                break
            self.variables[name] = Word(word.text.partition("=")[2], sure=word.sure)
        self.command = Command()

    def _bodies(self) -> None:
        for operator, end, command in self.waiting:
            lines: list[str] = []
            while self.at < len(self.text):
                line = self._until("\n")
                line = line.lstrip("\t") if operator == "<<-" else line
                if line == end.text:
                    break
                lines.append(line)
            body = "\n".join(lines)
            command.fed = Word(body, sure="$" not in body and "`" not in body and "\\" not in body)
        self.waiting = []
