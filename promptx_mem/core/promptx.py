"""The forms of `.memory/declarative.md` that PromptX and people wrote (docs/file-format.md, "Other formats")."""

from collections.abc import Sequence
from typing import NamedTuple

from promptx_mem.core import times
from promptx_mem.core.syntax import Parsed, parse_argument
from promptx_mem.core.tags import normalise_tag, unique
from promptx_mem.core.text import pattern

_DATE = r"(\d{4})[/-](\d{1,2})[/-](\d{1,2})"
_CLOCK = r"(\d{1,2}):(\d{2})(?::(\d{2}))?"
_DATED = rf"(?s)- {_DATE} {_CLOCK}(?: (.*))?"
_TIME = "时间"
_STAMP = rf"(?<!#)#+{_TIME}[:：]{_DATE}(?: {_CLOCK})?"
_GRADE = r"(?:^| )#+(?:评分|有效期)[:：]\S"
_CATEGORY = r"(?:^| )##[^#\s]"
_RULE = r"-(?: *-)* *"
_TAGS = "--tags"


class Reading(NamedTuple):
    """One entry as written; `at` is local time without zone (`2025-05-21T22:47`).

    `dropped` are words of an inline ` --tags` that cannot be tags.
    """

    text: str
    tags: tuple[str, ...]
    score: float | None
    duration: str | None
    at: str | None
    problems: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()


def dated(line: str) -> tuple[str, str] | None:
    """The time and the rest of a line that begins with `- 2025/06/05 18:47`; None where there is no real time."""
    match = pattern(_DATED).fullmatch(line)
    at = _moment(match.groups()[:6]) if match else None
    return (at, match[7] or "") if match and at else None


def is_bullet(line: str) -> bool:
    """Whether a line is a bullet with text at column 0: no rule (`- - -`), no orphan `- END`, not empty."""
    return line.startswith("- ") and not pattern(_RULE).fullmatch(line.rstrip()) and line.rstrip() != "- END"


def has_tokens(line: str) -> bool:
    """Whether a line ends in PromptX's or our tokens, so that the entry is complete."""
    parsed = parse_argument(line.rstrip())
    return parsed.score is not None or parsed.duration is not None or bool(parsed.tags)


def has_grade(line: str) -> bool:
    """Whether a line ends in a score or a duration, as the last line of every entry by PromptX does."""
    parsed = parse_argument(line.rstrip())
    return parsed.score is not None or parsed.duration is not None


def is_own_entry(line: str) -> bool:
    """Whether an undated bullet at column 0 is graded, and is no last line of PromptX's: that has a category."""
    return is_bullet(line) and has_grade(line) and f" {_TAGS} " not in line and not pattern(_CATEGORY).search(line)


def is_graded_tail(line: str) -> bool:
    """Whether a line ends as the last line of an entry by PromptX does."""
    return _may_have_grade(line) and bool(pattern(_GRADE).search(line)) and has_grade(line)


def _may_have_grade(line: str) -> bool:
    """Look for a word of a grade: in a text of megabytes the expression takes a second."""
    return "评分" in line or "有效期" in line


def is_tag_line(bare: str) -> bool:
    return bare == _TAGS or bare.startswith(_TAGS + " ")


def read_entry(line: str, nested: str, at: str | None) -> Reading:
    """An entry of one line, with the nested lines that belong to it. The tokens stand at the end of either."""
    if not nested or has_tokens(line):
        first = read_lines([line], at)
        text = f"{first.text}\n{nested}" if nested else first.text
        return first._replace(text=text.strip("\n"))
    return read_lines([line, *nested.split("\n")], at)


def read_lines(lines: Sequence[str], at: str | None) -> Reading:
    """An entry whose last line carries the tokens, and before them perhaps ` --tags a b`."""
    *head, last = lines
    stamp = None
    if _TIME in last and (match := pattern(_STAMP).search(last)):
        stamp = _moment(match.groups())
        last = (last[: match.start()] + last[match.end() :]).rstrip() if stamp else last
    parsed = parse_argument(last.rstrip())
    text, tags = parsed.text, parsed.tags
    dropped: tuple[str, ...] = ()
    if _may_have_grade(last) and pattern(_GRADE).search(last):
        text, inline, dropped = _inline_tags(" " + text if is_tag_line(text) else text)
        tags = unique((*inline, *tags))
    if head:
        text = last[: len(last) - len(last.lstrip())] + text
    text = "\n".join([*(line.rstrip() for line in head), text]).strip("\n")
    return Reading(text, tags, parsed.score, parsed.duration, at or stamp, parsed.problems, dropped)


def read_block(body: Sequence[str], at: str) -> Reading:
    """The lines between START and END: text, then the `--tags` line."""
    lines = list(body)
    while lines and not lines[-1].strip():
        lines.pop()
    parsed = Parsed("")
    tag_line: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
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
    """Lines without the indentation that all of them share."""
    filled = [line for line in lines if line.strip()]
    margin = min((len(line) - len(line.lstrip()) for line in filled), default=0)
    return "\n".join(line[margin:].rstrip() if line.strip() else "" for line in lines)


def _inline_tags(text: str) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """Split ` --tags a, b c` off the end of a text: the rest, the tags, and the words that cannot be tags."""
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
