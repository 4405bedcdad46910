"""Import formats in Markdown: lists from any program, notes of basic-memory, and single notes with front matter."""

import re

from promptx_mem.core import document, durations
from promptx_mem.core.entry import TYPES
from promptx_mem.core.labels import normalise_tag, unique
from promptx_mem.core.request import split_tokens
from promptx_mem.importers.form import Item, Reading, Source, dated, fields_of, moment, tag, tags, text_of
from promptx_mem.record import Any

_MARK = "---"
_MOST = 65_536


def split_front_matter(text: str) -> tuple[dict[str, Any], str, int]:
    """Return the fields of a text's front matter, the text below it, and the number of lines above that text.

    Without readable front matter, the text below is the whole text.
    """
    lines = text.split("\n")
    whole: tuple[dict[str, Any], str, int] = ({}, text, 0)
    end = next((n for n, line in enumerate(lines[1:], 1) if line.rstrip() in (_MARK, "...")), 0)
    header = "\n".join(lines[1:end])
    if lines[0].removesuffix("\r") != _MARK or not end or len(header) > _MOST:
        return whole
    import yaml

    try:
        fields = yaml.safe_load(header)
    except (yaml.YAMLError, ValueError, RecursionError):
        fields = _plain(header)  # editors write `globs: *.ts`, which is not valid YAML
    if not isinstance(fields, dict | None):
        return whole
    return {str(key): value for key, value in (fields or {}).items()}, "\n".join(lines[end + 1 :]), end + 1


def _plain(header: str) -> dict[str, Any] | None:
    pairs = [line.partition(":") for line in header.split("\n") if line.strip() and not line.startswith((" ", "#"))]
    if not all(mark for _, mark, _ in pairs):
        return None
    return {name.strip(): value.strip().strip("\"'") for name, _, value in pairs}


_HAN = r"\u2e80-\u9fff"
MARKER = re.compile(
    r"( *)(?:(?:[-*+–—]|\d{1,9}[.)])(?: +|$)"
    r"|[•·●○◦‣▪■☐☑☒] *|[(（]\d{1,3}[)）] *|[①-⑳] *|\d{1,3}[．）、] *(?!\d)"
    rf"|[一二三四五六七八九十]{{1,3}}、(?![一二三四五六七八九十])|-(?=[{_HAN}])|\d{{1,3}}[.)](?=[A-Z`“{_HAN}]))"
)
"""Pattern of the indentation and the marker of a list item. Chinese texts often have no space after a marker."""

_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)[ \t#]*$")
_RULE = re.compile(r" {0,3}(?:(?:\* *){3,}|(?:- *){3,}|(?:_ *){3,}|=+ *|-+ *)$")
_BOX = re.compile(rf"(?:\[[ xX✓√✔]?\]|[☐☑☒])(?: +|(?=[{_HAN}]))")
_QUOTE = re.compile(r"(?:> ?)+")
_QUOTED = re.compile(r" {0,3}(?:> ?)+")
_LINK = re.compile(r"\[[^\]\n]*\]\(<?([^)>\s]+\.md)>?\)")
FACTS = re.compile(
    r"(?m) \(((?:\d{4}-\d{2}-\d{2})?), score (10|\d(?:\.\d)?), ([^\s,()]{1,20})(, ended: [^()\n]{0,80})?\)$"
)
"""Pattern of the facts after each memory in promptx-mem's export as Markdown."""

ENDED = "it has ended"
_FENCES = ("```", "~~~")
_PAGE = re.compile(r"\s*<(?:!doctype|html|\?xml|svg|head|body)\b", re.IGNORECASE)
_OTHERS = (
    ".html", ".htm", ".xml", ".svg", ".css", ".scss", ".js", ".ts", ".py", ".sh", ".c", ".h", ".go", ".rs", ".java",
)  # fmt: skip
PROSE = "prose, not a list item"


def with_facts(text: str) -> document.Reading | None:
    """Read a memory from promptx-mem's export as Markdown: text, tags, and facts (day, score, duration).

    Return None if the facts at the end are missing. The Reading has a problem if the memory has ended.
    """
    last = text.rpartition("\n")[2]
    match = FACTS.search(last)
    if match is None or match.end() < len(last) or (duration := durations.canonical(match[3])) is None:
        return None
    words = text[: match.start() - len(last)].split(" ")
    own: list[str] = []
    while len(words) > 1 and words[-1].startswith("#") and words[-1][1:] == normalise_tag(words[-1]):
        own.append(words.pop()[1:])
    words[-1] = re.sub(r"^\\(?=\\*#)", "", words[-1])  # the export adds a backslash
    problems = (ENDED,) if match[4] else ()
    return document.Reading(
        " ".join(words), unique(reversed(own)), float(match[2]), duration, moment(match[1]), problems
    )


class _Reader:
    """Reader of list items. It reads line by line; `body` has the lines of the list item that is being read."""

    def __init__(self, source: Source, text: str, above: int) -> None:
        self.source, self.above = source, above
        self.lines = [line.rstrip("\r").expandtabs(4) for line in text.split("\n")]
        self.headings: list[tuple[int, str, str | None]] = []
        self.out = Reading()
        self.first, self.base, self.body = 0, 0, list[str]()
        self.prose = self.quoted = False

    def run(self) -> Reading:
        fence = comment = ""
        blank = True
        for number, raw in enumerate(self.lines, 1):
            # A quotation does not begin inside an unquoted list item.
            match = None if not self.quoted and (fence or comment or self._is_inside(raw)) else _QUOTED.match(raw)
            mark = match[0] if match else ""
            if bool(mark) != self.quoted:  # a quotation is a separate block
                self._close()
                self.quoted, fence, blank = bool(mark), "", True
            line = raw[len(mark) :]
            bare = line.strip()
            inside = self._is_inside(line) or bool(self.body and not bare)
            if fence:
                fence = "" if bare.startswith(fence) else fence
                if self.body:
                    self.body.append(line)
            elif comment:
                comment = "" if "-->" in line else comment
            elif bare.startswith(_FENCES):
                fence = bare[:3]
                if inside:
                    self.body.append(line)
                else:
                    self._close()
                    self.out.leave(number + self.above, "a code block outside a list", bare)
            elif bare.startswith("<!--") and not inside:
                comment = "" if "-->" in line else "<!--"
            elif inside:
                self.body.append(line)
            else:
                self._top(number, line, lazy=not blank)
            blank = not bare
            self.prose = self.prose and not blank
        self._close()
        return self.out

    def _is_inside(self, line: str) -> bool:
        return bool(self.body) and len(line) - len(line.lstrip()) >= self.base + 2

    def _top(self, number: int, line: str, *, lazy: bool) -> None:
        """Read a line outside of a list item: a heading, a rule, the start of an item, or prose.

        With `lazy`, a line without indentation can also continue the list item above.
        """
        if match := _HEADING.match(line):
            self._close()
            self._head(len(match[1]), match[2])
        elif _RULE.match(line) and (line.strip() or " ")[0] in "-*_=":
            if self.prose and self.out.leftovers and line.strip()[:1] in "=-":  # the line above is a heading
                self._head(1 if line.strip()[0] == "=" else 2, self.out.leftovers.pop().text)
            self._close()
        elif (match := MARKER.match(line)) and len(match[1]) <= self.base + 3:
            self._close()
            if text := line[match.end() :].strip():
                self.first, self.base, self.body = number, len(match[1]), [text]
        elif self.body and lazy and line.strip():
            self.body.append(" " * (self.base + 2) + line.strip())
        elif line.strip():
            if not self.prose:
                self._close()
                self.out.leave(number + self.above, PROSE, line.strip())
            self.prose = True

    def _head(self, level: int, text: str) -> None:
        """Begin a section. If the heading begins with a date, the items of the section get this date."""
        above = [heading for heading in self.headings if heading[0] < level]
        at, _, text = dated(text)
        self.headings = [*above, (level, text, at or (above[-1][2] if above else None))]

    def _close(self) -> None:
        if self.body:
            self._add()
        self.body, self.base, self.prose = [], 0, False

    def _add(self) -> None:
        head, *rest = self.body
        head = _BOX.sub("", _QUOTE.sub("", head, count=1) if head.startswith(">") else head, count=1)
        nested = document.dedent([re.sub(r"^( *)(?:> ?)+", r"\1", line) for line in rest]).rstrip()
        whole = f"{head.rstrip()}\n{nested}" if nested else head.rstrip()
        exported = with_facts(whole)
        entry = exported or document.read_entry(split_tokens(head.rstrip()), split_tokens(nested), None)
        text, own = entry.text, entry.tags
        if entry.problems and not exported:  # `score:TBD` or `duration:5min` belongs to the text
            entry = entry._replace(score=None, duration=None)
            text, own = whole, ()
        elif own and entry.score is None and all(name.isdigit() for name in own):
            text, own = whole, ()  # `see #123` names an issue
        if not text.strip():
            return
        line = self.first + self.above
        match = _LINK.match(text)
        if match and self.source.name.rsplit("/", 1)[-1] == "MEMORY.md":
            self.out.leave(line, f"it only points to {match[1]}", text)
            return
        if exported and exported.problems:
            self.out.leave(line, ENDED, text)
            return
        headed = (name for _, heading, _ in self.headings if not exported and (name := tag(heading)))
        bare = not own and entry.score is None
        at, date, own_text = (entry.at, "", text) if entry.at or exported else dated(text)
        if not own_text:
            date, own_text = "", text
        at = at or (self.headings[-1][2] if self.headings and not exported else None)
        self.out.items.append(
            Item(own_text, line, unique((*headed, *own)), entry.score, entry.duration, at, bare=bare, date=date)
        )


def read(source: Source) -> Reading:
    """Read the list items of a Markdown text, without its front matter."""
    _, body, above = split_front_matter(source.text)
    return read_body(source, body, above)


def read_body(source: Source, body: str, above: int) -> Reading:
    """Read the list items of a text that begins after the first `above` lines of the file."""
    return _Reader(source, body, above).run()


def matches(source: Source) -> bool:
    """Return whether a file has a list item, and is not HTML or source code."""
    if source.name.lower().endswith(_OTHERS) or _PAGE.match(source.text):
        return False
    lines = source.text.split("\n")
    return any(
        (match := MARKER.match(line)) and line[match.end() :].strip() and not _RULE.match(line) for line in lines
    )


_OBSERVATION = re.compile(r"\[(?![ xX]?\])([^\[\]\n]{1,60})\] +(.+)", re.DOTALL)
_RELATION = re.compile(r"(?:(\S[^\[\n]*) )?\[\[([^\]\n]+)\]\](.*)", re.DOTALL)
_LISTED = re.compile(r"(?m)^[ \t]*- (?:\[(?![ xX]?\])[^\[\]\n]{1,60}\] +\S|(?:\S[^\[\n]* )?\[\[)")
_HEADINGS = frozenset({"observations", "relations"})


def matches_basic_memory(source: Source) -> bool:
    """Return whether the front matter has a permalink, or a title with observations or relations in the body.

    A file with `globs` never matches.
    """
    fields, body, _ = split_front_matter(source.text)
    is_titled = "title" in fields and _LISTED.search(body) is not None
    return "globs" not in fields and ("permalink" in fields or is_titled)


def read_basic_memory(source: Source) -> Reading:
    """Read each list item of a note as a memory. Without list items, read the whole note as one memory."""
    fields, body, above = split_front_matter(source.text)
    title = text_of(fields.get("title")) or source.name.rsplit("/", 1)[-1].removesuffix(".md")
    out = read_body(source, body, above)
    at = out.time(0, *map(fields.get, ("created", "date", "created_at", "modified", "updated")))
    common = unique((*tags([title]), *tags(fields.get("tags"))))
    out.items = [_item(item, title, common, at) for item in out.items]
    out.leftovers = [rest for rest in out.leftovers if rest.text != title]
    if not out.items and (prose := body.strip()):
        out.items, out.leftovers = [Item(f"{title}\n\n{prose}", 1, common, at=at)], []
    return out


def _item(item: Item, title: str, common: tuple[str, ...], at: str | None) -> Item:
    headed = [name for name in item.tags if name.lower() not in _HEADINGS]
    observed, related = _OBSERVATION.fullmatch(item.text), _RELATION.fullmatch(item.text)
    text, own = f"{title}: {item.text}", headed
    if observed:
        entry = document.read_entry(split_tokens(observed[2]), "", None)
        said, marks = (observed[2], ()) if entry.problems else (entry.text, entry.tags)
        text, own = f"{title}: {said}", [*tags([observed[1]]), *headed, *marks]
    elif related:
        text = f"{title} {(related[1] or 'relates_to').rstrip()} {related[2]}{related[3].rstrip()}"
        own = [*tags([related[2]]), *headed]
    bare = item.bare and not (observed or related)
    return item._replace(text=text, tags=unique((*common, *own)), at=item.at or at, bare=bare)


_TIMES = ("updated", "updated_at", "modified", "date", "created", "created_at")
_TAKEN = frozenset({"name", "title", "description", "type", "metadata", "tags", *_TIMES})


def matches_one_note(source: Source) -> bool:
    """Return whether the file begins with front matter that has a name, title, description or `globs`."""
    fields = split_front_matter(source.text)[0]
    return any(key in fields for key in ("name", "title", "description", "globs"))


def read_one_note(source: Source) -> Reading:
    """Read the file as one memory: name, description and body as the text, and `type` if it is a memory's type."""
    fields, body, _ = split_front_matter(source.text)
    name = text_of(fields.get("name") or fields.get("title"))
    head = ": ".join(filter(None, (name, text_of(fields.get("description")))))
    text = "\n\n".join(filter(None, (head, body.replace("\r\n", "\n").strip())))
    if not text:
        return Reading()
    names = sorted(key for key in fields if key not in _TAKEN)
    notes = [f"not imported from its front matter: {', '.join(names)}"] if names else ()
    kind = fields.get("type") or fields_of(fields.get("metadata")).get("type")
    kind = kind if isinstance(kind, str) and kind in TYPES else None
    out = Reading(notes=notes)
    out.items.append(Item(text, 1, tags(fields.get("tags")), at=out.time(0, *map(fields.get, _TIMES)), type=kind))
    return out
