"""What a command line consists of: words, redirections, simple commands.

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
