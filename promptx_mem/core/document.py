"""Parser of memory files: our lines, hand-written lines, and every format of PromptX. It never changes a file.

The grammar is in docs/file-format.md. Parsing never fails: other text is skipped, and a text that looks like a damaged
memory becomes a Problem.
"""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from itertools import accumulate

from promptx_mem.core import times
from promptx_mem.core.entry import DEFAULT_SCORE, LONG, NEWER, Entry
from promptx_mem.core.ids import make_id
from promptx_mem.core.labels import normalise_tag, unique
from promptx_mem.core.line import Problem, is_line, line_ranges, parse_line, strip_comment
from promptx_mem.core.syntax import Parsed, parse_argument
from promptx_mem.core.text import pattern
from promptx_mem.record import NamedTuple

_DATE = r"(\d{4})[/-](\d{1,2})[/-](\d{1,2})"
_CLOCK = r"(\d{1,2}):(\d{2})(?::(\d{2}))?"
_DATED = rf"(?s)- {_DATE} {_CLOCK}(?: (.*))?"
_TIME = "时间"
_STAMP = rf"(?<!#)#+{_TIME}[:：]{_DATE}(?: {_CLOCK})?"
_GRADE = r"(?:^| )#+(?:评分|有效期)[:：]\S"
_CATEGORY = r"(?:^| )##[^#\s]"
_RULE = r"-(?: *-)* *"
_TAGS = "--tags"


CONFLICT = "git conflict markers"
CONFLICT_FIX = "remove the markers; the lines between them stay"
CONFLICT_COMMAND = "promptx-mem decay --compact"

# If a merge has several bases, git writes longer markers inside the first markers.
_MARKER = r"(={7,})|(<{7,}|>{7,}|\|{7,})(?: .*)?"


def is_marker(line: str) -> bool:
    """Return whether a line looks like a git conflict marker. Return True also for a `=======` below a heading."""
    return line[:7] in ("<<<<<<<", "|||||||", "=======", ">>>>>>>") and pattern(_MARKER).fullmatch(line) is not None


def conflicts(marks: Iterable[tuple[int, str]]) -> list[tuple[int, ...]]:
    """Return the line numbers of the markers in each complete conflict. A conflict can contain other conflicts.

    `marks` are all lines that look like conflict markers, with their numbers, in order.
    """
    found: list[tuple[int, ...]] = []
    open_: list[tuple[int, str, tuple[int, ...]]] = []  # length and last kind of the markers, and their line numbers
    for number, line in marks:
        kind, size = line[0], len(line) - len(line.lstrip(line[0]))
        before = {"<": "", "|": "<", "=": "<|", ">": "="}[kind]
        fits = (place for place, one in enumerate(open_) if one[0] == size and one[1] in before)
        if kind == "<":
            open_.append((size, kind, (number,)))
        elif (depth := max(fits, default=-1)) >= 0:
            numbers = (*open_[depth][2], number)
            if kind == ">":
                found.append(numbers)
                del open_[depth:]
            else:
                open_[depth] = (size, kind, numbers)
    return sorted(found)


def markers(data: bytes) -> list[tuple[int, int]]:
    """Return the byte ranges of the markers of complete conflicts in a file."""
    ranges = [
        (start, stop, raw.decode("utf-8", "replace").removesuffix("\r")) for raw, start, stop in line_ranges(data)
    ]
    whole = conflicts((number, line) for number, (_, _, line) in enumerate(ranges) if is_marker(line))
    return sorted(ranges[number][:2] for group in whole for number in group)


class Reading(NamedTuple):
    """One entry as it is written in a file. `at` is local time without a zone (`2025-05-21T22:47`).

    `dropped` are words after an inline ` --tags` that are not valid tags.
    """

    text: str
    tags: tuple[str, ...]
    score: float | None
    duration: str | None
    at: str | None
    problems: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()


def with_date(line: str) -> tuple[str, str] | None:
    """Return the time and the rest of a line that begins with a date such as `- 2025/06/05 18:47`, or None."""
    match = pattern(_DATED).fullmatch(line)
    at = _moment(match.groups()[:6]) if match else None
    return (at, match[7] or "") if match and at else None


def is_bullet(line: str) -> bool:
    """Return whether a line is a bullet at column 0 with text, but not a rule (`- - -`) and not `- END`."""
    return line.startswith("- ") and not pattern(_RULE).fullmatch(line.rstrip()) and line.rstrip() != "- END"


def has_tokens(line: str) -> bool:
    """Return whether a line ends in tags, a score or a duration, like the last line of an entry."""
    return has_score_or_duration(line) or bool(parse_argument(line.rstrip()).tags)


def has_score_or_duration(line: str) -> bool:
    """Return whether a line ends in a score or a duration, like the last line of every PromptX entry."""
    parsed = parse_argument(line.rstrip())
    return parsed.score is not None or parsed.duration is not None


def _has_promptx_grade(line: str) -> bool:
    # the first tests avoid a slow regular expression
    return ("评分" in line or "有效期" in line) and pattern(_GRADE).search(line) is not None


def is_tag_line(bare: str) -> bool:
    return bare == _TAGS or bare.startswith(_TAGS + " ")


def read_entry(line: str, nested: str, at: str | None) -> Reading:
    """Read an entry from a line and the indented lines below it. Tags and score are in the first or the last line."""
    if not nested or has_tokens(line):
        first = read_lines([line], at)
        text = f"{first.text}\n{nested}" if nested else first.text
        return first._replace(text=text.strip("\n"))
    return read_lines([line, *nested.split("\n")], at)


def read_lines(lines: Sequence[str], at: str | None) -> Reading:
    """Read an entry from its lines. The last line can end in tags, score, duration and time, or in ` --tags a b`."""
    *head, last = lines
    stamp = None
    if _TIME in last and (match := pattern(_STAMP).search(last)):
        stamp = _moment(match.groups())
        last = (last[: match.start()] + last[match.end() :]).rstrip() if stamp else last
    parsed = parse_argument(last.rstrip())
    text, tags = parsed.text, parsed.tags
    dropped: tuple[str, ...] = ()
    if _has_promptx_grade(last):
        text, inline, dropped = _inline_tags(" " + text if is_tag_line(text) else text)
        tags = unique((*inline, *tags))
    if head:
        text = last[: len(last) - len(last.lstrip())] + text
    text = "\n".join([*(line.rstrip() for line in head), text]).strip("\n")
    return Reading(text, tags, parsed.score, parsed.duration, at or stamp, parsed.problems, dropped)


def read_block(body: Sequence[str], at: str) -> Reading:
    """Read the lines between START and END: the text, then a line with `--tags`."""
    lines = list(body)
    while lines and not lines[-1].strip():
        lines.pop()
    parsed, tag_line, dropped = Parsed(""), tuple[str, ...](), tuple[str, ...]()
    if lines and is_tag_line(lines[-1].strip()):
        parsed = parse_argument(lines.pop().strip())
        _, inline, dropped = _inline_tags(" " + parsed.text)
        tag_line = (*inline, *parsed.tags)
    text = dedent(lines)
    if tag_line or parsed.score is not None:
        text, inline, more = _inline_tags(text)
        tag_line, dropped = (*inline, *tag_line), (*more, *dropped)
    return Reading(text.strip("\n"), unique(tag_line), parsed.score, parsed.duration, at, parsed.problems, dropped)


def dedent(lines: Sequence[str]) -> str:
    """Return lines without the indentation that all of them share."""
    filled = [line for line in lines if line.strip()]
    margin = min((len(line) - len(line.lstrip()) for line in filled), default=0)
    return "\n".join(line[margin:].rstrip() if line.strip() else "" for line in lines)


def _inline_tags(text: str) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """Split ` --tags a, b c` off the end of a text. Return the rest, the tags, and the words that are not tags."""
    before, mark, after = text.rpartition(f" {_TAGS}")
    if not mark or (after and after[0] not in " \t") or "\n" in after:
        return text, (), ()
    words = after.replace(",", " ").replace("，", " ").replace("、", " ").split()
    tags = {word: normalise_tag(word) for word in words}
    if words and not any(tags.values()):
        return text, (), ()
    dropped = tuple(word for word, tag in tags.items() if tag is None)
    return before.rstrip(), tuple(tag for tag in tags.values() if tag), dropped


def _moment(parts: Sequence[str | None]) -> str | None:
    year, month, day, hour, minute, second = (int(part or 0) for part in parts)
    if year < 1970 or not (1 <= month <= 12 and 1 <= day <= 31 and hour < 24 and minute < 60 and second < 60):
        return None
    at = f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}" + (f":{second:02}" if parts[5] else "")
    try:
        times.epoch(at)
    except ValueError:
        return None
    return at


_EDIT = "edit the line in the file, or delete it"
_FENCES = ("```", "~~~")
_MARK = b"\xef\xbb\xbf"


def _fence(fence: str, bare: str) -> str:
    """Return the code fence that is open after a line: its three backticks or tildes, or '' if none is open."""
    if fence:
        return "" if bare.startswith(fence) else fence
    return bare[:3] if bare.startswith(_FENCES) else ""


class Bullet(NamedTuple):
    """A memory in a file. Score, duration and time are None if they are missing.

    `start` and `end` are the byte offsets of all its lines with their newlines; `line` counts from 1. `entry` is set
    only for a line in our format. `dropped` are inline tags that are not valid. If the score or duration is on a later
    line, `was` is the text of the first line and its indented lines, from which earlier versions made the id.
    """

    text: str
    tags: tuple[str, ...]
    score: float | None
    duration: str | None
    at: str | None
    start: int
    end: int
    line: int
    entry: Entry | None = None
    dropped: tuple[str, ...] = ()
    was: str = ""

    def as_entry(self) -> Entry:
        """Return the memory with the defaults of a hand-written line: score 8, 长期, `at` unchanged."""
        if self.entry is not None:
            return self.entry
        score = DEFAULT_SCORE if self.score is None else self.score
        was = make_id(self.was) if self.was else None
        return Entry(self.text, self.tags, score, self.duration or LONG, make_id(self.text), self.at, was=was)


class Document(NamedTuple):
    """The contents of a file: its memories in order, and its problems.

    `markers` are the byte ranges of git's conflict markers; the file is read as if they were deleted.
    """

    bullets: tuple[Bullet, ...]
    problems: tuple[Problem, ...]
    markers: tuple[tuple[int, int], ...] = ()


def read(data: bytes, file: str = "declarative.md") -> Document:
    """Read a memory file from bytes. Split them only at LF, and decode each line as UTF-8, replacing invalid bytes."""
    reader = _Reader(data, file)
    document = reader.run()
    if not (whole := conflicts(reader.marks)):
        return document
    numbers = sorted(number for group in whole for number in group)
    document = _Reader(data, file, frozenset(numbers)).run()
    problems = [*(Problem(file, group[0] + 1, CONFLICT, CONFLICT_FIX) for group in whole), *document.problems]
    ranges = tuple((reader.starts[number], reader.ends[number]) for number in numbers)
    return document._replace(problems=tuple(sorted(problems, key=lambda problem: problem.line)), markers=ranges)


class _Reader:
    """A cursor over the lines of a file. Each `_take…` method reads one construct."""

    def __init__(self, data: bytes, file: str, without: AbstractSet[int] = frozenset()) -> None:
        raw = data.split(b"\n")
        self.ends = list(accumulate(len(line) + 1 for line in raw))
        self.ends[-1] = len(data)
        self.starts = [0, *self.ends[:-1]]
        if data.startswith(_MARK):  # the byte order mark belongs to the file
            raw[0], self.starts[0] = raw[0].removeprefix(_MARK), len(_MARK)
        self.lines = [line.decode("utf-8", "replace").removesuffix("\r") for line in raw]
        self.numbers: Sequence[int] = range(len(raw))
        if without:
            self.numbers = [number for number in self.numbers if number not in without]
            self.lines = [self.lines[number] for number in self.numbers]
            self.starts, self.ends = ([of[number] for number in self.numbers] for of in (self.starts, self.ends))
        self.file = file
        self.marks: list[tuple[int, str]] = []
        self.bullets: list[Bullet] = []
        self.problems: list[Problem] = []
        self.at = 0

    def run(self) -> Document:
        fence = ""
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if line.startswith("- ") and self._take_ours(line):
                fence = ""
            elif "\0" in line and not fence:
                self._problem("a damaged line (NUL bytes)", "restore it from a backup, or delete it")
                self.at += 1
            elif line.startswith("- ") and not fence:
                self._take_bullet(line)
            else:
                if not fence:
                    self._check_prose(line)
                fence = _fence(fence, line.lstrip())
                self.at += 1
        return Document(tuple(self.bullets), tuple(self.problems))

    def _check_prose(self, line: str) -> None:
        """Report a score or duration without a memory. Record a conflict marker for `conflicts`."""
        if is_marker(line):
            self.marks.append((self.numbers[self.at], line))
        elif _has_promptx_grade(line) and has_score_or_duration(line):
            self._problem(
                "a score or duration that belongs to no memory",
                "put `- ` and a date before the first line of its text",
            )

    def _take_ours(self, line: str) -> bool:
        read_back = parse_line(line)
        if read_back is None:
            return False
        for problem in read_back.problems:
            self._problem(problem, "upgrade promptx-mem" if problem.startswith(NEWER) else _EDIT)
        first, entry = self.at, read_back.entry
        self.at += 1
        if nested := self._nested():
            entry = entry._replace(text=f"{entry.text}\n{nested}")
        start, end, number = self.starts[first], self.ends[self.at - 1], self.numbers[first] + 1
        text, tags, score, duration, _, at = entry[:6]
        self.bullets.append(Bullet(text, tags, score, duration, at, start, end, number, entry))
        return True

    def _take_bullet(self, line: str) -> None:
        if (bare := strip_comment(line)) != line:
            self._problem(
                "the comment of this line is damaged", "fix the `<!-- … -->` at the end of the line, or delete it"
            )
            self._take_plain(bare)
        elif dated := with_date(line):
            at, rest = dated
            if rest.strip() == "START":
                self._take_block(at)
            elif not has_score_or_duration(rest) and self._take_open_entry(at, rest):
                pass
            else:
                self._take_plain("- " + rest, at)
        elif is_bullet(line):
            self._take_plain(line)
        else:
            self.at += 1

    def _take_plain(self, line: str, at: str | None = None) -> None:
        first = self.at
        self.at += 1
        nested = self._nested()
        self._add_entry(first, read_entry(line[2:], nested, at))

    def _take_block(self, at: str) -> None:
        """Read `- {time} START` … `- END`. Without `- END`, report it; skip to a line in our format or with a date."""
        first = self.at
        end = self._block_end()
        if end is None:
            self._problem("START without END", "add `- END` after the last line of this memory")
            self.at += 1
            while self.at < len(self.lines) and not self._is_boundary(self.lines[self.at]):
                self.at += 1
            return
        body = self.lines[first + 1 : end]
        self.at = end + 1
        self._add_entry(first, read_block(body, at))

    def _block_end(self) -> int | None:
        """Return the index of the line `- END` that ends the block beginning here, or None.

        If the block contains lines in our format, only an `- END` after a `--tags` line ends it.
        """
        has_ours = is_tagged = False
        fence = ""
        for index in range(self.at + 1, len(self.lines)):
            line = self.lines[index]
            bare = line.strip()
            if bare == "- END" and (is_tagged or not has_ours):
                return index
            is_tagged = is_tag_line(bare) or (is_tagged and not bare)
            has_ours = has_ours or parse_line(line) is not None
            dated = with_date(line) if line.startswith("- ") else None
            fence = _fence(fence, bare)
            if dated and dated[1].strip() == "START" and not fence:
                return None
        return None

    def _take_open_entry(self, at: str, rest: str) -> bool:
        """Read a dated first line and the lines after it, up to the first line with a score or duration.

        Return False if there is no such line, or if another entry begins before it.
        """
        first = self.at
        fence = ""
        for index in range(first + 1, len(self.lines)):
            line = self.lines[index]
            is_graded = has_score_or_duration(line)
            # an entry without a date: a bullet with score or duration, without `--tags` or `##category`
            is_own = is_bullet(line) and is_graded and f" {_TAGS} " not in line and not pattern(_CATEGORY).search(line)
            if not fence and (self._is_boundary(line) or is_own):
                break
            was, fence = fence, _fence(fence, line.strip())
            if not (was or fence) and is_graded:
                self.at = first + 1
                alone = read_entry(rest, self._nested(), at).text
                self.at = index + 1
                self._add_entry(first, read_lines([rest, *self.lines[first + 1 : index + 1]], at), alone)
                return True
        return False

    def _is_boundary(self, line: str) -> bool:
        return line.startswith("- ") and (with_date(line) is not None or is_line(line))

    def _nested(self) -> str:
        """Read the following indented lines, which belong to the text above, with the blank lines between them."""
        first = self.at
        end = first
        for index in range(first, len(self.lines)):
            line = self.lines[index]
            if line[:1] == "-":
                break
            if line[:1] in " \t" and line.strip():
                end = index + 1
            elif line.strip():
                break
        if end == first:
            return ""
        self.at = end
        return dedent(self.lines[first:end])

    def _add_entry(self, first: int, read_back: Reading, was: str = "") -> None:
        for problem in read_back.problems:
            self._problem(problem, _EDIT, first)
        if read_back.text:
            text, tags, score, duration, at, _, dropped = read_back
            start, end, number = self.starts[first], self.ends[self.at - 1], self.numbers[first] + 1
            self.bullets.append(Bullet(text, tags, score, duration, at, start, end, number, None, dropped, was))

    def _problem(self, message: str, fix: str, at: int | None = None) -> None:
        self.problems.append(Problem(self.file, self.numbers[self.at if at is None else at] + 1, message, fix))
