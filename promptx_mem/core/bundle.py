"""Export formats: bundles (the files of a store in one file), Markdown, PromptX, and the bytes of single memories."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from promptx_mem.core import document
from promptx_mem.core.document import Bullet
from promptx_mem.core.json_text import load_object
from promptx_mem.core.line import format_line, is_line, with_offset
from promptx_mem.core.state import State, lives
from promptx_mem.core.text import escape_json, format_score, plural, printable_text
from promptx_mem.core.times import parse_at
from promptx_mem.record import Any, NamedTuple

VERSION = 2
KEY = "promptx-mem"
DECLARATIVE, JOURNAL = "declarative.md", "journal.jsonl"
ARCHIVED_LINES = re.compile(r"archive/[0-9A-Za-z-]{1,40}\.md")
ARCHIVED_EVENTS = re.compile(r"archive/[0-9A-Za-z-]{1,40}\.jsonl")
CONVERSATION = re.compile(r"(?:archive/)?conversations/[A-Za-z0-9][A-Za-z0-9_-]{0,63}\.jsonl")

_KINDS = (DECLARATIVE, JOURNAL, "archive", "conversations")

Files = Mapping[str, bytes]
"""Map from a file's name to its content, for the files of a store. The content of archived files is uncompressed."""


class Bundle(NamedTuple):
    """The files in a bundle. `wrong` are the line numbers of the invalid lines.

    `is_whole` is true if the content agrees with the counts and the checksum in the last line.
    """

    files: dict[str, bytes]
    wrong: list[int]
    is_whole: bool


def write(files: Files) -> Iterator[str]:
    """Yield the lines of a bundle: a header, each physical line of each file, then the counts and a checksum."""
    checksum, counts = hashlib.sha256(), Counter[str]()

    def line(record: Mapping[str, Any]) -> str:
        encoded = escape_json(json.dumps(record, ensure_ascii=False, separators=(",", ":"))) + "\n"
        checksum.update(encoded.encode())
        return encoded

    yield line({KEY: "bundle", "v": VERSION})
    for name, data in files.items():
        for raw in filter(None, re.split(rb"(?<=\n)", data)):
            counts[_kind(name)] += 1
            yield line(_record(name, raw))
    yield line({KEY: "end", "counts": {kind: counts[kind] for kind in _KINDS}, "sha256": checksum.hexdigest()})


def _kind(name: str) -> str:
    if CONVERSATION.fullmatch(name):
        return "conversations"
    return name.partition("/")[0]


def _record(name: str, raw: bytes) -> dict[str, Any]:
    try:
        return {"f": name, "t": raw.decode("utf-8")}
    except UnicodeDecodeError:
        return {"f": name, "x": raw.hex()}


def version(text: str) -> object:
    """Return the version in the header of a bundle: 0 if the header has no version, None if there is no header."""
    header = load_object(text[:200].partition("\n")[0]) or {}
    return header.get("v") or 0 if header.get(KEY) == "bundle" else None


def read(text: str) -> Bundle:
    """Read the files in a bundle, and compare the bundle with the counts and the checksum in its last line."""
    text = text.replace("\r\n", "\n")  # bundles are written without CR, but a transfer could have added some
    lines = text.rstrip("\n").split("\n")
    last = load_object(lines[-1]) or {}
    parts: dict[str, list[bytes]] = {}
    counts: Counter[str] = Counter()
    wrong: list[int] = []
    for number, line in enumerate(lines[1:-1], 2):
        if not line.strip():
            continue
        record = load_object(line) or {}
        name, raw = record.get("f"), _bytes(record)
        if isinstance(name, str) and raw is not None and _is_known(name):
            counts[_kind(name)] += 1
            parts.setdefault(name, []).append(raw)
        else:
            wrong.append(number)
    files = {name: b"".join(raw) for name, raw in parts.items()}
    before = "".join(f"{line}\n" for line in lines[:-1])
    checksum = hashlib.sha256(before.encode("utf-8", "surrogatepass")).hexdigest()
    matches = last.get("sha256") == checksum and last.get("counts") == {kind: counts[kind] for kind in _KINDS}
    return Bundle(files, wrong, matches and last.get(KEY) == "end")


def _bytes(record: Mapping[str, Any]) -> bytes | None:
    text, encoded = record.get("t"), record.get("x")
    if isinstance(text, str):
        return text.encode("utf-8", "replace")
    try:
        return bytes.fromhex(encoded) if isinstance(encoded, str) else None
    except ValueError:
        return None


def _is_known(name: str) -> bool:
    patterns = (ARCHIVED_LINES, ARCHIVED_EVENTS, CONVERSATION)
    return name in (DECLARATIVE, JOURNAL) or any(pattern.fullmatch(name) for pattern in patterns)


def join_memories(chunks: Iterable[bytes]) -> bytes:
    """Join memories into one file, in order. If a memory would absorb the lines after it, put it at the end."""
    whole: list[bytes] = [chunk if chunk.endswith(b"\n") else chunk + b"\n" for chunk in chunks]
    ordered: list[bytes] = sorted(whole, key=_is_open)
    return b"".join(ordered)


def appended(before: bytes, chunks: Iterable[bytes], at: str) -> tuple[bytes, bool]:
    """Return the bytes to append to a file in order to add memories, and whether the memories keep their bytes.

    `before` is the content of the file. If an old or new memory would be read differently in the longer file, the new
    memories are converted to our line format. A converted memory without a time gets the time `at`.
    """
    data = join_memories(chunks)
    if all(_is_ours(raw) for raw in data.split(b"\n")):
        return data, True
    guard = b"" if not before or before.endswith(b"\n") else b"\n"
    alone = document.read(data).bullets
    together = (*document.read(before).bullets, *alone)
    if list(map(Bullet.as_entry, together)) == list(map(Bullet.as_entry, document.read(before + guard + data).bullets)):
        return data, True
    return as_lines(data, at), False


def as_lines(data: bytes, at: str) -> bytes:
    """Convert memories in any format to lines in our format. A memory without a time gets the time `at`."""
    entries = [
        entry if entry.at else entry._replace(at=at) for entry in map(Bullet.as_entry, document.read(data).bullets)
    ]
    return "".join(format_line(with_offset(entry)) + "\n" for entry in entries).encode()


def absorbing(data: bytes, ranges: Sequence[tuple[int, int]], rest: bytes) -> list[tuple[Bullet, Bullet]]:
    """Return pairs of a kept memory and the removed memory after it, if the kept one would absorb the following lines.

    `ranges` are the byte ranges to remove from `data`. `rest` has the bytes that remain after the removal.
    """
    bullets = document.read(data).bullets
    if all(bullet.entry is not None for bullet in bullets):
        return []
    starts = {start for start, _ in ranges}
    entries = [bullet.as_entry() for bullet in bullets if bullet.start not in starts]
    if [bullet.as_entry() for bullet in document.read(rest).bullets] == entries:
        return []
    return [
        (bullet, successor)
        for bullet, successor in pairwise(bullets)
        if bullet.start not in starts and successor.start in starts and _is_open(data[bullet.start : bullet.end])
    ]


def _is_ours(raw: bytes) -> bool:
    return not raw or is_line(raw.decode("utf-8", "replace").removesuffix("\r"))


def _is_open(chunk: bytes) -> bool:
    """Return whether a memory absorbs the lines after it: it begins with a date and has no score or duration."""
    if _is_ours(chunk.rstrip(b"\n")):
        return False
    bullets = document.read(chunk).bullets
    return len(bullets) == 1 and bullets[0].at is not None and bullets[0].score is None and bullets[0].duration is None


Text = tuple[str, list[str]]
"""The text, and warnings about changed or lost data."""

_MARK = re.compile(
    r"(?m)(^[^\S\n]*| (?=\\*--tags(?:[ \t][^\n]*)?\Z))"
    r"(\\*)(?=- END[^\S\n]*$|--tags(?:\s|$)|- \d{4}/\d{1,2}/\d{1,2} \d{1,2}:\d{2} START[^\S\n]*$)"
)
_OTHERS = (
    "ids, events, categories, types, aliases, dimensions, reasons, relations, citations, sources, sessions and "
    "confirmations by the user"
)
"""Fields that neither Markdown nor PromptX's format can contain."""

_NO_TOPIC = "(no topic)"
_HEADER = "# 陈述性记忆\n\n## 高价值记忆（评分 ≥ 7）\n\n"


def markdown(states: Sequence[State], now: float, named: Callable[[str], str]) -> Text:
    """Return memories as Markdown lists, one per topic. `named` translates durations."""
    topics: dict[str, list[State]] = {}
    for state in states:
        topics.setdefault(state.entry.topic or _NO_TOPIC, []).append(state)
    out = ["# Memory\n"]
    for topic in sorted(topics, key=lambda name: (name == _NO_TOPIC, name)):
        out.append(f"\n## {topic}\n\n")
        out += [_bullet(state, now, named) for state in topics[topic]]
    return _written("".join(out), _OTHERS if states else "")


def _bullet(state: State, now: float, named: Callable[[str], str]) -> str:
    text, space, last = state.entry.text.rpartition(" ")
    guard = "\\" * last.lstrip("\\").startswith("#")  # a last word with # would be read as a tag
    first, *rest = f"{text}{space}{guard}{last}".split("\n")
    tags = "".join(f" #{tag}" for tag in state.tags)
    facts = f"{(state.entry.at or '')[:10]}, score {format_score(state.score)}, {named(state.duration)}"
    ended = "" if lives(state, now) else f", ended: {state.end}"
    below = "".join(f"\n  {line}" if line else "\n" for line in rest)
    return f"- {first}{below}{tags} ({facts}{ended})\n"


def promptx(states: Sequence[State], now: float) -> Text:
    """Return memories in PromptX's START/END blocks. Such marks and `--tags` in a text get a backslash."""
    changed = 0
    out = [_HEADER]
    for state in states:
        text = state.entry.text.replace("\r", "\n")
        harmless = _MARK.sub(r"\1\\\2", text)
        changed += harmless != text
        tags = " ".join(f"#{tag}" for tag in state.tags)
        grade = f"#评分:{format_score(state.score)} #有效期:{state.duration}"
        line = " ".join(filter(None, ("--tags", tags, grade)))
        out.append(f"- {_stamp(state)} START\n{harmless}\n{line}\n- END\n\n")
    ended = sum(not lives(state, now) for state in states)
    written, warnings = _written("".join(out), f"topics, {_OTHERS}" if states else "")
    if ended:
        warnings.append(f"PromptX will show {plural(ended, 'ended memory', 'ended memories')} as active")
    if changed:
        where = plural(changed, "memory", "memories")
        warnings.append(
            f"added a backslash before lines that PromptX would read as the start or end of an entry, in {where}"
        )
    return written, warnings


def without_backslashes(text: str) -> str:
    """Return a text without the backslashes that the format `promptx` adds."""
    return _MARK.sub(lambda match: match[1] + match[2][1:], text)


def _stamp(state: State) -> str:
    """Return a memory's local time in PromptX's format, to the minute."""
    at = parse_at(state.entry.at or "1970-01-01T00:00:00")
    return (at.astimezone() if at.tzinfo else at).strftime("%Y/%m/%d %H:%M")


def _written(text: str, lost: str) -> Text:
    """Replace unprintable characters. Return the text, and a warning about each kind of loss."""
    shown = printable_text(text)
    warnings = [f"this format cannot contain {lost}; a bundle can"] if lost else []
    return shown, [*warnings, *(["unprintable characters were replaced by U+FFFD"] if shown != text else [])]
