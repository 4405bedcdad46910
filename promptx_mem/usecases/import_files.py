"""import: copy the memories of files that PromptX or people wrote; the files are only read (SPEC 1.2)."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypedDict

from promptx_mem.core import document, scoring
from promptx_mem.core.document import Found
from promptx_mem.core.entry import Entry
from promptx_mem.core.events import fold, lives
from promptx_mem.core.ids import make_id
from promptx_mem.core.line import format_line
from promptx_mem.core.shell import quote
from promptx_mem.core.syntax import format_score, unique
from promptx_mem.core.text import clean, shorten, with_glyphs
from promptx_mem.core.times import micros, parse_at
from promptx_mem.errors import StoreError, UsageError
from promptx_mem.result import Result
from promptx_mem.search import current
from promptx_mem.store import files, sources
from promptx_mem.store.store import MAX_BYTES, Writer
from promptx_mem.usecases import credential_check, index, limits
from promptx_mem.usecases.gate import MAX_LENGTH
from promptx_mem.usecases.lookup import Lookup

if TYPE_CHECKING:
    from promptx_mem.memory import Memory

MAX_FILE = 5 * MAX_BYTES
_CREDENTIAL = "it holds a credential"


_PROMPTX = os.path.join(".promptx", "memory", "declarative.md")


class Copied(TypedDict):
    """What became of one memory of a file; `verdict` is taken, known or left."""

    file: str
    line: int
    text: str
    verdict: str
    why: str
    id: str | None


class Import(TypedDict):
    """What import answers."""

    store: str
    taken: int
    known: int
    left: int
    dry_run: bool
    items: list[Copied]


@dataclass(slots=True)
class _Import:
    """What is to be taken, and what is left and why."""

    taken: dict[str, Entry] = field(default_factory=dict)
    items: list[Copied] = field(default_factory=list)

    def note(self, file: str, line: int, text: str, verdict: str, why: str = "", ident: str | None = None) -> None:
        self.items.append(
            {"file": file, "line": line, "text": shorten(text, 60), "verdict": verdict, "why": why, "id": ident}
        )

    def count(self, verdict: str) -> int:
        return sum(item["verdict"] == verdict for item in self.items)


def import_files(memory: "Memory", paths: list[str], *, dry_run: bool, allow_secret: bool) -> Result[Import]:
    """Take what the gate lets through; say of everything else why it was left. `dry_run` writes nothing."""
    memory.demand_config()
    read = [(path, *_read(path)) for path in paths]
    plan = _Import()
    if dry_run:
        with current.open_current(memory.layout) as cache:
            _plan(memory, Lookup(memory.layout, cache), read, plan, allow_secret)
    else:
        memory.store.write(lambda writer: _take(memory, writer, read, plan, allow_secret))
    data: Import = {
        "store": memory.layout.shown(),
        "taken": len(plan.taken),
        "known": plan.count("known"),
        "left": plan.count("left"),
        "dry_run": dry_run,
        "items": plan.items,
    }
    return Result("import", data, limits.size_warnings(memory) if not dry_run else ())


def _read(path: str) -> tuple[bytes, str]:
    """A file's bytes and modification time. Raises UsageError where it is none that can be read."""
    try:
        data = files.load(path, 0, MAX_FILE + 1, follow=True)
        modified = sources.when(os.stat(path).st_mtime)
    except FileNotFoundError:
        raise UsageError(f"there is no file {path}", code="no_file", hint=_instead("")) from None
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read: {getattr(error, 'strerror', error)}", code="no_file") from None
    except StoreError:
        raise UsageError(f"{path} is not a file", code="no_file", hint=_instead(path)) from None
    if len(data) > MAX_FILE:
        raise UsageError(
            f"{path} has more than {MAX_FILE // 10**6} MB",
            hint=f"cut it up first: split --line-bytes=5m {quote(path)} part-",
        )
    return data, modified


def _instead(folder: str) -> str:
    """A file that may have been meant: in the folder that was named, or where PromptX keeps its memories."""
    for path in (os.path.join(folder, "declarative.md") if folder else "", _PROMPTX):
        if path and os.path.isfile(path):
            return f"for example: promptx-mem import {quote(path)}"
    return f"PromptX keeps its memories in {_PROMPTX}"


def _take(
    memory: "Memory", writer: Writer, read: list[tuple[str, bytes, str]], plan: _Import, allow_secret: bool
) -> None:
    with current.open_current(writer.layout) as cache:
        lookup = Lookup(writer.layout, cache)
        _plan(memory, lookup, read, plan, allow_secret)
        lines = [format_line(entry) for entry in _placed(plan.taken.values())]
        if not lines:
            return
        limits.check_size(memory, writer, sum(len(line.encode()) + 1 for line in lines))
        if adoptions := memory.adoptions(lookup):
            writer.add_events(adoptions)
        writer.add_lines(lines)
        now = memory.now()
        record = {"at": now.isoformat(timespec="seconds"), "s": memory.session, "cmd": "import", "verdict": "stored"}
        writer.note([{**record, "count": len(lines)}], now)
        if current.add_appended(cache, writer):
            index.refresh(memory, cache, now)


def _plan(
    memory: "Memory", lookup: Lookup, read: list[tuple[str, bytes, str]], plan: _Import, allow_secret: bool
) -> None:
    for path, data, modified in read:
        name = os.path.basename(path)
        found = document.read(data, name)
        for problem in found.problems:
            plan.note(name, problem.line, "", "left", f"{problem.what}: {problem.mend}")
        for memory_found in found.found:
            entry = _entry(memory, memory_found, modified)
            same = lookup.by_text(entry.text)
            if same is not None or entry.id in plan.taken:
                ident = same.entry.id if same is not None else entry.id
                why = "" if same is None or lives(same, memory.now().timestamp()) else f"it has ended ({same.end})"
                plan.note(name, memory_found.line, entry.text, "known", why, ident)
            elif why := _objection(memory, entry, allow_secret):
                shown = "" if why.startswith(_CREDENTIAL) else entry.text
                plan.note(name, memory_found.line, shown, "left", why)
            else:
                entry = _free_id(memory, lookup, plan, entry)
                plan.taken[entry.id] = entry
                plan.note(name, memory_found.line, entry.text, "taken", ident=entry.id)


def _entry(memory: "Memory", found: Found, modified: str) -> Entry:
    """The memory as it would be stored: its own time (local where it names no zone), this session."""
    entry = found.as_entry()
    text = clean(entry.text)
    tags = unique(memory.config.aliases.get(tag, tag) for tag in map(with_glyphs, entry.tags))
    at = entry.at or modified
    if parse_at(at).tzinfo is None:
        at = parse_at(at).astimezone().isoformat(timespec="seconds")
    if not tags and memory.config.default_tag:
        tags = (memory.config.default_tag,)
    return entry._replace(text=text, tags=tags, at=at, id=make_id(text), salt=0, supersedes=None, k=None)


def _placed(entries: Iterable[Entry]) -> Iterator[Entry]:
    """Let memories of one second keep the order of their file."""
    seen: Counter[str] = Counter()
    for entry in entries:
        at = str(entry.at)
        yield entry._replace(k=micros(at) + seen[at]) if seen[at] else entry
        seen[at] += 1


def _objection(memory: "Memory", entry: Entry, allow_secret: bool) -> str:
    """Why the gate leaves a memory out; empty where it takes it."""
    if not entry.text:
        return "it is empty"
    if len(entry.text) > MAX_LENGTH:
        return f"{len(entry.text)} characters are more than {MAX_LENGTH}"
    if not scoring.verdict(entry.score, policy=memory.config.policy).stored:
        return f"score {format_score(entry.score)} is too low"
    if not allow_secret and (holdings := credential_check.holdings(_parts(entry))):
        kinds = sorted({kind for holding in holdings for kind in holding.kinds})
        places = "" if holdings[0].place == "the text" else f", {holdings[0].place}"
        return f"{_CREDENTIAL} ({', '.join(kinds)}{places}); --allow-secret takes it"
    state = fold([entry], [])
    if not lives(state, memory.now().timestamp()):
        return f"it has ended by now: {entry.duration}, noted {str(entry.at)[:10]}"
    return ""


def _parts(entry: Entry) -> list[tuple[str, str | None]]:
    parts: list[tuple[str, str | None]] = [("the text", entry.text), *(("a tag", tag) for tag in entry.tags)]
    parts += [("its topic", entry.topic), *(("a related topic", path) for path in entry.related)]
    return [*parts, ("its reason", entry.reason), ("its session", entry.session)]


def _free_id(memory: "Memory", lookup: Lookup, plan: _Import, entry: Entry) -> Entry:
    salt = 0
    while (ident := make_id(entry.text, salt)) in plan.taken or lookup.state(ident) is not None:
        salt += 1
    # What was purged and is taken again has to come after its purge.
    k = lookup.next_k(memory.now().timestamp(), [entry]) if lookup.happened(ident) else None
    return entry._replace(id=ident, salt=salt, k=k)
