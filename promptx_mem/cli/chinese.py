"""Chinese translations of frequent messages and of headings, for a Chinese locale or PROMPTX_MEM_LANG=zh.

They are in `chinese.txt`. JSON, files and rare messages stay in English.
"""

import re
from functools import cache

from promptx_mem.data import word_lists

_MARGIN = re.compile(r"[^\w🧠<-]*")


@cache
def translations(name: str) -> dict[str, str]:
    """Return the translations in a list of `chinese.txt`. In a message, `{}` matches any part of the line."""
    return dict(line.split("\t") for line in word_lists("cli/chinese.txt")[name].splitlines())


def translated(text: str) -> str:
    """Translate each line that is in the list of messages. Keep its margin, and keep all other lines unchanged."""
    return "\n".join(map(_line, text.split("\n")))


def _line(line: str) -> str:
    match = _MARGIN.match(line)
    margin = match[0] if match else ""
    rest = line.removeprefix(margin)
    for english, chinese in translations("messages").items():
        pattern = "(.*)".join(map(re.escape, english.split("{}")))
        if found := re.fullmatch(pattern, rest):
            return margin + chinese.format(*found.groups())
    return line


def headed(text: str) -> str:
    """Return a help text with its headings in Chinese."""
    return re.sub(r"(?m)^[A-Z][a-z ]+:", lambda match: translations("headings").get(match[0], match[0]), text)
