"""Acts on a store during which faults happen; each act has its own kind of store."""

import datetime
import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.api import Cues, Memory, Message, Options, Plan, Request, layout, make_id
from tests.faults import faulty_os, scenes
from tests.faults.faulty_os import FaultyOs, KilledError
from tests.faults.scenes import NEAR, NEW, OLD, OTHER, SHORT_LIVED, START, memory_at, remember
from tests.inside import episodes, recalled, store, trust
from tests.world import shelve

MUCH = 9_000
LONG_AGO = START - datetime.timedelta(days=20)


def turns(first: int, last: int) -> list[Message]:
    return [Message("user", f"what was said as number {number}") for number in range(first, last + 1)]


def died_at(root: Path, act: Callable[[Memory], object], *wanted: str, when: str = "after") -> None:
    """Perform an act and die at its first call from a site."""
    shim = FaultyOs(faulty_os.no_fault)
    copies = root.parent / "whole", root.parent / "dead"  # two copies, since a copy's stale cache causes more calls
    for copy in copies:
        shutil.copytree(root, copy)
    with pytest.MonkeyPatch.context() as patch:
        shim.install(patch)
        act(memory_at(copies[0]))
    number = next(n for n, site in enumerate(shim.sites, 1) if site[: len(wanted)] == wanted)
    with pytest.MonkeyPatch.context() as patch:
        FaultyOs(faulty_os.die_here(number, when)).install(patch)
        with pytest.raises(KilledError):
            act(memory_at(copies[1]))
    shutil.rmtree(copies[0])
    shutil.rmtree(root)
    copies[1].rename(root)


# Functions that create a store of one kind.


def base(root: Path) -> None:
    scenes.make_template(root)


def one_memory(root: Path) -> None:
    """One memory without events."""
    remember(memory_at(root, START), OLD)


def expired(root: Path) -> None:
    """An expired memory without an event."""
    remember(memory_at(root, START), OLD)
    remember(memory_at(root, START), SHORT_LIVED, duration="1d")


def used(root: Path) -> None:
    """Recalls of a past day, and an idle conversation."""
    base(root)
    memory = memory_at(root)
    noon = datetime.datetime.fromisoformat("2026-11-21T12:00:00+00:00")
    recalled.note(memory.context.layout, noon, [make_id(OLD), make_id(OTHER)], "e83e82")
    memory_at(root, START).converse(turns(1, 3))


def clone(root: Path) -> None:
    """A git clone of a shared store."""
    base(root)
    for path in root.iterdir():
        if path.name not in (".gitignore", ".gitattributes", "declarative.md", "journal.jsonl"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def long_conversation(root: Path) -> None:
    base(root)
    memory_at(root).converse(turns(1, 30))


def ended_conversation(root: Path) -> None:
    """A conversation whose only memory has ended."""
    base(root)
    memory_at(root, LONG_AGO).converse(turns(1, 5))
    memory_at(root, LONG_AGO + datetime.timedelta(days=1)).decay(Plan())


def summarised(root: Path) -> None:
    """A conversation with an active memory."""
    base(root)
    memory_at(root, START).converse(turns(1, 3))
    memory_at(root).decay(Plan())


def shelved(root: Path) -> None:
    ended_conversation(root)
    shelve(root)


def summarised_and_shelved(root: Path) -> None:
    summarised(root)
    shelve(root)


def archived(root: Path) -> None:
    base(root)
    scenes.compact(memory_at(root))


def with_review(root: Path) -> None:
    """A memory with a pending review."""
    base(root)
    for hours in (3, 6, 9):
        memory = memory_at(root, START + datetime.timedelta(hours=hours))
        remember(memory, OLD, "10")


def full_audit_log(root: Path) -> None:
    """A full audit log with two violations of today."""
    base(root)
    old = json.dumps({"at": "2026-11-19T09:00:00+00:00", "s": "x", "cmd": "remember", "why": "w" * 900}) + "\n"
    bad = json.dumps({"at": scenes.LATER.isoformat(), "s": scenes.BAD_SESSION, "x": 1}, separators=(",", ":")) + "\n"
    (root / "audit.jsonl").write_text(old * (1_000_000 // len(old) + 1) + bad * 2)


def hand_written(root: Path) -> None:
    base(root)
    with (root / "declarative.md").open("a", encoding="utf-8") as file:
        file.write(f"- {scenes.TYPED} #t")


def torn_line(root: Path) -> None:
    """A line of which a killed writer wrote only a part."""
    base(root)
    died_at(root, lambda memory: remember(memory, NEW), "write", "files.write_all", "append._write", when="half")
    assert not (root / "declarative.md").read_bytes().endswith(b"\n")


def half_rewritten(root: Path) -> None:
    """A compaction killed after the replacement of a file; a person had appended to the old file."""
    base(root)
    died_at(root, scenes.compact, "replace", "disk.replace", "rewrite.without")
    old = next(root.glob(".*.old"))
    with old.open("a", encoding="utf-8") as file:
        file.write("a remark of a person\n")


def stale(root: Path) -> None:
    """An editor saved an old buffer: one line is missing, and only the cache contains it."""
    base(root)
    scenes.recalled(root)
    lines = (root / "declarative.md").read_text("utf-8").splitlines(keepends=True)
    (root / "declarative.md").write_text("".join(line for line in lines if OTHER not in line), "utf-8")


def full_store(root: Path) -> None:
    """A store full of expired memories."""
    base(root)
    for number in (1, 2):
        remember(memory_at(root, START), f"{number} " * (MUCH // 2), duration="1d")


def importable(root: Path) -> None:
    base(root)
    lines = (f"- 2026/11/20 09:00 {text} #t #评分:8 #有效期:长期\n" for text in (NEW.replace("\n", " "), NEAR))
    (root.parent / "theirs.md").write_text("".join(lines), "utf-8")


# Acts.


def remember_in_full_store(memory: Memory) -> object:
    """Remember in a full store, which is compacted first."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "MAX_BYTES", 2 * MUCH)
        return remember(memory, NEW)


def split(memory: Memory) -> object:
    return memory.remember(Request(text="- 第一半\n- 第二部分", tags=("t",), score="9", split=True))


def purge_episode(memory: Memory) -> object:
    """Purge the only episode and its messages."""
    data = episodes.read(memory.context.layout)
    ident = next((entry.id for entry, _, _ in episodes.parse(data)), "m_0000000000")
    return memory.forget(ident, purge=True)


def import_file(memory: Memory) -> object:
    return memory.import_files(Options((str(Path(memory.context.layout.root).parent / "theirs.md"),)))


@dataclass(frozen=True)
class Scene:
    """One act on a store of one kind.

    `whole`: all changes are stored or none; otherwise this applies to each memory and message. `problems`: checks
    that `audit --verify` may report afterwards. `destroyed`: a text that no file may contain. `later`: prefixes of
    facts that may appear after the acknowledgement. `writes`: an acknowledged act is on the disk; a record that a
    memory was shown may get lost.
    """

    name: str
    store: Callable[[Path], None] | None
    act: Callable[[Memory], object]
    whole: bool = True
    problems: frozenset[str] = frozenset()
    destroyed: str | None = None
    later: tuple[str, ...] = ()
    writes: bool = True

    def prepare(self, templates: Path, place: Path) -> Path:
        """Create the store in a new folder and return its root."""
        if self.store is None:
            place.mkdir()
        else:
            kept = templates / self.store.__name__
            if not kept.exists():
                kept.mkdir(parents=True)
                self.store(kept / ".memory")
            shutil.copytree(kept, place)
            trust.record(layout.at(str(place / ".memory")), trust.PRIVATE)
        return place / ".memory"


def _id(text: str, act: Callable[[Memory, str], object]) -> Callable[[Memory], object]:
    return lambda memory: act(memory, make_id(text))


ROLLED_UP = ("slice ", "memory [")
PURGED = frozenset({"purged"})
SCENES = (
    Scene("first", None, lambda memory: remember(memory, NEW)),
    Scene("ordinary", base, lambda memory: remember(memory, NEW)),
    Scene("clone", clone, lambda memory: remember(memory, NEW)),
    Scene("duplicate", base, lambda memory: remember(memory, OLD, score="9.5")),
    Scene("update", base, _id(OLD, lambda memory, old: remember(memory, NEW, update=old))),
    # The older memory's event may be missing; then a warning reports this.
    Scene("near", base, lambda memory: remember(memory, NEAR), whole=False, later=(f"memory {OTHER}",)),
    Scene("split", base, split, whole=False),
    Scene("adopt", hand_written, lambda memory: remember(memory, NEW), whole=False),
    Scene("full", full_store, remember_in_full_store),
    Scene("rotate", full_audit_log, lambda memory: remember(memory, NEW)),
    Scene("settle", torn_line, lambda memory: remember(memory, NEW)),
    Scene("recover", half_rewritten, lambda memory: remember(memory, NEW), problems=frozenset({"index"})),
    Scene("compact", base, scenes.compact),
    Scene("compact a line", expired, scenes.compact),
    Scene(
        "purge shelved", summarised_and_shelved, purge_episode, whole=False, destroyed="what was said", problems=PURGED
    ),
    Scene("decay", used, lambda memory: memory.decay(Plan(compact=True)), whole=False, later=ROLLED_UP),
    Scene("index", used, Memory.index),
    Scene("converse", used, lambda memory: memory.converse(turns(4, 4)), whole=False, later=ROLLED_UP),
    Scene("converse first", base, lambda memory: memory.converse(turns(1, 2)), whole=False),
    Scene("converse shelved", shelved, lambda memory: memory.converse(turns(6, 7)), whole=False),
    Scene("roll up", long_conversation, lambda memory: memory.converse(turns(31, 32)), whole=False, later=ROLLED_UP),
    Scene("review", with_review, _id(OLD, lambda memory, old: memory.review(old, "promote"))),
    Scene("boost", base, _id(OLD, Memory.boost)),
    Scene("first event", one_memory, _id(OLD, Memory.boost)),
    Scene("forget", base, _id(OLD, Memory.forget)),
    Scene("restore", archived, _id(SHORT_LIVED, Memory.restore)),
    Scene(
        "purge",
        archived,
        _id(SHORT_LIVED, lambda m, old: m.forget(old, purge=True)),
        destroyed=SHORT_LIVED,
        problems=PURGED,
    ),
    Scene("purge episode", summarised, purge_episode, whole=False, destroyed="what was said", problems=PURGED),
    Scene("import", importable, import_file, whole=False),
    Scene("recall", base, lambda memory: memory.recall(Cues(count=100)), writes=False),
    Scene(
        "stale save",
        stale,
        lambda memory: memory.recall(Cues(count=100)),
        problems=frozenset({"vanished"}),
        writes=False,
    ),
)
