"""What a command line consists of: words, redirections, simple commands; and what `printf` makes of words.

Plain classes: dataclasses would take longer to load than the guard may take.
"""


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
