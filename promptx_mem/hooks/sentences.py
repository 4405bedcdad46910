"""The sentences of a person's message. In their masks, quotations, code and lines of logs are hidden."""

from promptx_mem.core.text import pattern
from promptx_mem.hooks import first_look
from promptx_mem.hooks.decisions import HIDDEN
from promptx_mem.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import re

_MASKED = (
    r"(?s)```.*?(?:```|\Z)|`[^`\n]*`|https?://[^\s，。；]+"
    r"|(?:^|(?<=\n))[ \t]*(?:>|Traceback \(|\[?20\d\d-\d\d-\d\d[T ]\d\d:)[^\n]*"
    r"|“[^”\n]*”|「[^」\n]*」|『[^』\n]*』|《[^》\n]*》|\"[^\"\n]*\"|(?<![\w])'[^'\n]*'(?!\w)"
)
_END = r"[\n。！？!?]+|(?<!\.)\.+(?=\s|$)"
_ABBREVIATED = r"(?:\b(?:e\.g|i\.e|etc|vs|mr|mrs|ms|dr|prof|ltd|inc|no|st|approx|\w))$"


def possible(alternatives: dict[str, str], text: str) -> str:
    """Return a pattern of the alternatives with a mark that occurs in the text; empty if there are none."""
    return "|".join(form for marks, form in alternatives.items() if any(mark in text for mark in marks.split("|")))


def search(alternatives: dict[str, str], text: str) -> "re.Match[str] | None":
    form = possible(alternatives, text)
    return pattern(form).search(text) if form else None


class Sentence(NamedTuple):
    """A part of a message, from the offset `start`; the next part begins after the offset `end`.

    `mask` has the length of `text`, with quotations and code hidden.
    """

    text: str
    mask: str
    start: int
    end: int


def sentences(message: str) -> list[Sentence]:
    """Split a message at line ends and at the marks that end a sentence."""
    quotes = any(mark in message for mark in ("http", "Traceback", "20", *"`>“「『《\"'"))
    mask = first_look.simplified(pattern(_MASKED).sub(lambda match: _hidden(match[0]), message) if quotes else message)
    out, at = [], 0
    for match in pattern(_END).finditer(mask):
        if match[0][0] == "." and pattern(_ABBREVIATED).search(mask[max(at, match.start() - 8) : match.start()]):
            continue
        out.append(_cut(message, mask, at, match.end()))
        at = match.end()
    out.append(_cut(message, mask, at, len(message)))
    return [sentence for sentence in out if sentence.text]


def _cut(message: str, mask: str, start: int, stop: int) -> Sentence:
    whole = message[start:stop]
    begin = start + len(whole) - len(whole.lstrip())
    end = start + len(whole.rstrip())
    return Sentence(message[begin:end], mask[begin:end], begin, stop)


def _hidden(span: str) -> str:
    """Return a mask with the length, the line ends and the outer quotation marks of `span`."""
    if span[0] == span[-1] == '"' or span[0] in "'“「『《":
        return span[0] + HIDDEN * (len(span) - 2) + span[-1] if len(span) > 1 else span
    return "".join(char if char == "\n" else HIDDEN for char in span)
