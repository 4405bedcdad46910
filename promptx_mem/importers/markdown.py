"""Markdown: a memory a top-level list item of any marker, with what is nested in it; its headings are tags."""

import re

from promptx_mem.core import promptx
from promptx_mem.core.tags import unique
from promptx_mem.importers import front_matter
from promptx_mem.importers.form import Form, Item, Reading, Rest, Source, tag

_MARKER = re.compile(r"( *)([-*+]|\d{1,9}[.)])(?:( +)(.*)|$)")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)[ \t#]*$")
_RULE = re.compile(r" {0,3}(?:(?:\* *){3,}|(?:- *){3,}|(?:_ *){3,}|=+ *|-+ *)$")
_BOX = re.compile(r"\[[ xX]\] +")
_QUOTE = re.compile(r"(?:> ?)+")
_QUOTED = re.compile(r" {0,3}(?:> ?)+")
_LINK = re.compile(r"\[[^\]\n]*\]\(<?([^)>\s]+\.md)>?\)")
_FENCES = ("```", "~~~")
_PAGE = re.compile(r"\s*<(?:!doctype|html|\?xml|svg|head|body)\b", re.IGNORECASE)
_OTHERS = (
    ".html",
    ".htm",
    ".xml",
    ".svg",
    ".css",
    ".scss",
    ".js",
    ".ts",
    ".py",
    ".sh",
    ".c",
    ".h",
    ".go",
    ".rs",
    ".java",
)
PROSE = "prose that is no list item"


class _Reader:
    """A walk over the lines; one item at a time is open."""

    def __init__(self, source: Source, text: str, above: int) -> None:
        self.source, self.above = source, above
        self.lines = [line.rstrip("\r").expandtabs(4) for line in text.split("\n")]
        self.headings: list[tuple[int, str]] = []
        self.items: list[Item] = []
        self.leftovers: list[Rest] = []
        self.repeats: list[Rest] = []
        self.first, self.base, self.body = 0, 0, list[str]()
        self.prose = self.quoted = False

    def run(self) -> Reading:
        fence = comment = ""
        blank = True
        for number, raw in enumerate(self.lines, 1):
            mark = "" if (fence or comment) and not self.quoted else self._quotation(raw)
            if bool(mark) != self.quoted:  # it is a block of its own, with items of its own
                self._close()
                self.quoted, fence, blank = bool(mark), "", True
            line = raw[len(mark) :]
            bare = line.strip()
            inside = bool(self.body) and (not bare or self._is_nested(line))
            if fence:
                fence = "" if bare.startswith(fence) else fence
                self._keep(line)
            elif comment:
                comment = "" if "-->" in line else comment
            elif bare.startswith(_FENCES):
                fence = bare[:3]
                self._open_fence(number, line, inside=inside)
            elif bare.startswith("<!--") and not inside:
                comment = "" if "-->" in line else "<!--"
            elif inside:
                self.body.append(line)
            else:
                self._top(number, line, lazy=not blank)
            blank = not bare
            self.prose = self.prose and not blank
        self._close()
        return Reading(tuple(self.items), tuple(self.leftovers), tuple(self.repeats))

    def _quotation(self, line: str) -> str:
        """The marks of a quotation at the beginning of a line; those inside an item belong to that."""
        match = _QUOTED.match(line)
        inside = bool(self.body) and not self.quoted and self._is_nested(line)
        return match[0] if match and not inside else ""

    def _is_nested(self, line: str) -> bool:
        indent = len(line) - len(line.lstrip())
        return indent >= self.base + 2

    def _keep(self, line: str) -> None:
        if self.body:
            self.body.append(line)

    def _open_fence(self, number: int, line: str, *, inside: bool) -> None:
        if inside:
            self.body.append(line)
            return
        self._close()
        self.leftovers.append(Rest(number + self.above, "a code block outside a list", line.strip()))

    def _top(self, number: int, line: str, *, lazy: bool) -> None:
        """Read a line that no open item holds: a heading, an item's first line, its lazy continuation, or prose."""
        if match := _HEADING.match(line):
            self._close()
            level = len(match[1])
            self.headings = [heading for heading in self.headings if heading[0] < level]
            self.headings.append((level, match[2]))
        elif _RULE.match(line) and (line.strip() or " ")[0] in "-*_=":
            if self.prose and self.leftovers and line.strip()[:1] in "=-":
                self._underline(1 if line.strip()[0] == "=" else 2)
            self._close()
        elif (match := _MARKER.match(line)) and len(match[1]) <= self.base + 3:
            self._close()
            if (match[4] or "").strip():
                self.first, self.base, self.body = number, len(match[1]), [match[4]]
        elif self.body and lazy and line.strip():
            self.body.append(" " * (self.base + 2) + line.strip())
        elif line.strip():
            if not self.prose:
                self._close()
                self.leftovers.append(Rest(number + self.above, PROSE, line.strip()))
            self.prose = True

    def _underline(self, level: int) -> None:
        """The line above was no prose: it is a heading, underlined."""
        self.headings = [heading for heading in self.headings if heading[0] < level]
        self.headings.append((level, self.leftovers.pop().text))

    def _close(self) -> None:
        if self.body:
            self._add()
        self.body, self.base, self.prose = [], 0, False

    def _add(self) -> None:
        head, *rest = self.body
        head = _BOX.sub("", _QUOTE.sub("", head, count=1) if head.startswith(">") else head, count=1)
        nested = promptx.dedent([re.sub(r"^( *)(?:> ?)+", r"\1", line) for line in rest]).rstrip()
        entry = promptx.read_entry(head.rstrip(), nested, None)
        text, own = entry.text, entry.tags
        if own and entry.score is None and all(name.isdigit() for name in own):
            text, own = (f"{head.rstrip()}\n{nested}".rstrip()), ()  # `see #123` names an issue
        if not text.strip():
            return
        line = self.first + self.above
        match = _LINK.match(text)
        if match and self.source.name.rsplit("/", 1)[-1] == "MEMORY.md" and match[1] in self.source.names:
            self.repeats.append(Rest(line, f"{match[1]}, which is read too, holds it", text))
            return
        headed = (name for _, heading in self.headings if (name := tag(heading)))
        bare = not own and entry.score is None
        self.items.append(Item(text, line, unique((*headed, *own)), entry.score, entry.duration, entry.at, bare=bare))


def read(source: Source) -> Reading:
    """Read the list items of a Markdown text; front matter, where there is some, is passed over."""
    parts = front_matter.split(source.text)
    return read_body(source, parts.body, parts.above) if parts else read_body(source, source.text, 0)


def read_body(source: Source, body: str, above: int) -> Reading:
    """Read the list items of the text below `above` lines."""
    return _Reader(source, body, above).run()


def matches(source: Source) -> bool:
    """Whether some line is a list item, of a file that is no page or program: their lines look like items, too."""
    if source.name.lower().endswith(_OTHERS) or _PAGE.match(source.text):
        return False
    return any(
        match and (match[4] or "").strip() and not _RULE.match(line)
        for line in source.text.split("\n")
        if (match := _MARKER.match(line))
    )


FORM = Form("markdown", "CLAUDE.md, AGENTS.md, GEMINI.md, any Markdown list", matches, read)
