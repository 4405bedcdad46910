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
    """A word after expansion. `sure`: it is exactly this; `raw`: nothing of it was quoted."""

    __slots__ = ("raw", "sure", "text")

    def __init__(self, text: str, *, sure: bool = True, raw: bool = True) -> None:
        self.text, self.sure, self.raw = text, sure, raw


class Command:
    """A simple command; `piped`: it reads what the one before it writes; `fed`: what a here-document gives it."""

    __slots__ = ("fed", "piped", "redirects", "words")

    def __init__(self, *, piped: bool) -> None:
        self.words: list[Word] = []
        self.redirects: list[tuple[str, Word]] = []
        self.fed: Word | None = None
        self.piped = piped


Item = Command | str
"""A command, or `(` and `)` where a subshell begins and ends."""


def read(text: str) -> list[Item]:
    """Split a command line into simple commands, in the order they run."""
    return _Reader(text[:MAX_LENGTH], {}).run()


class _Reader:
    """Reads from `at` on; in a substitution up to the character that closes it."""

    def __init__(self, text: str, variables: dict[str, Word], depth: int = 0, at: int = 0, closing: str = "") -> None:
        self.text, self.variables, self.depth, self.at, self.closing = text, variables, depth, at, closing
        self.level = 0
        self.items: list[Item] = []
        self.command = Command(piped=False)
        self.word: Word | None = None
        self.operator = ""
        self.waiting: list[tuple[str, Word, Command]] = []

    def run(self) -> list[Item]:
        while self.at < len(self.text):
            char = self._next()
            if char == self.closing and not self.level:
                break
            if char in " \t\r\n;&|()<>":
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

    def _put(self, text: str, *, sure: bool = True, raw: bool = True) -> None:
        word = self.word or Word("")
        self.word = Word(word.text + text, sure=word.sure and sure, raw=word.raw and raw)

    def _break(self, char: str) -> None:
        following = self.text[self.at : self.at + 1]
        if char in "<>" and following == "(":  # <(…) and >(…) run a command
            self.at += 1
            self._substitution(")")
        elif char in "<>" or char + following == "&>":
            self._redirection()
        elif char in " \t\r":
            self._end_word()
        elif char == "\n":
            self._end_command()
            self._bodies()
        else:
            self.at += following in ("&", "|", ";") and char not in "()"
            self._end_command(piped=char == "|" and following != "|")
            if char in "()":
                self.level += 1 if char == "(" else -1
                self.items.append(char)

    def _redirection(self) -> None:
        if self.word is not None and self.word.raw and self.word.text.isdigit():
            self.word = None  # the number of a descriptor
        self._end_word()
        rest = self.text[self.at - 1 : self.at + 2].lstrip("&")
        self.operator = next((operator for operator in _OPERATORS if rest.startswith(operator)), rest[:1])
        self.at += len(self.operator) - (self.text[self.at - 1] != "&")

    def _character(self, char: str) -> None:
        if char == "\\":
            following = self._next()
            if following != "\n":
                self._put(following, raw=False)
        elif char == "'":
            self._put(self._until("'"), raw=False)
        elif char == '"':
            self._double()
        elif char in "$`":
            self._expansion(char)
        else:
            self._put(char + self._name("./_-"))

    def _double(self) -> None:
        self._put("", raw=False)
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
            self.at += following == "(" and char != "`"
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
        """Put what a variable holds, near enough in `${name%/}`; of `${name:-default}` that where it is unset."""
        name, _, default = expression.partition(":-")
        plain = name.lstrip("!#").partition("%")[0].partition("#")[0].partition("[")[0]
        if plain in self.variables:
            self._put(self.variables[plain].text, sure=plain == name and self.variables[plain].sure)
        elif name == "PWD":
            self._put(".")
        elif name in os.environ:
            self._put(os.environ[name])
        else:
            self._put(default, sure=bool(default) and "$" not in default)

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
            self.command.words += _braced(word)

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
        for operator, end, command in self.waiting:
            lines: list[str] = []
            while self.at < len(self.text):
                line = self._until("\n")
                line = line.lstrip("\t") if operator == "<<-" else line
                if line == end.text:
                    break
                lines.append(line)
            body = "\n".join(lines)
            command.fed = Word(body, sure=not end.raw or ("$" not in body and "`" not in body))
        self.waiting = []


def _braced(word: Word) -> list[Word]:
    """Return the words that `name{,.old}` stands for; one pair of braces is read."""
    before, _, rest = word.text.partition("{")
    inner, closing, behind = rest.partition("}")
    if not (word.raw and closing and "," in inner):
        return [word]
    return [Word(before + part + behind, sure=word.sure) for part in inner.split(",")]


def printed(name: str, words: list[Word]) -> Word:
    """Return what `echo` prints, and `printf` of one text; sure where it is exactly that."""
    texts, escaped = [word.text for word in words], name == "printf"
    while texts and texts[0] in ("-n", "-e", "-ne", "-en", "--"):
        escaped = "e" in texts.pop(0) or escaped
    if escaped and len(texts) == 2 and texts[0] in ("%s", "%s\\n"):
        texts, escaped = texts[1:], False
    text = " ".join(texts)
    text = text.replace("\\n", "\n") if escaped else text
    return Word(text, sure=all(word.sure for word in words) and not (escaped and ("%" in text or "\\" in text)))
