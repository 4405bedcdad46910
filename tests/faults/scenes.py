"""What is done to a store while faults happen, and what must be true of it afterwards."""

import datetime
import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from promptx_mem.core.events import fold_all
from promptx_mem.core.state import State, lives
from promptx_mem.memory import Memory
from promptx_mem.result import Result
from promptx_mem.store import layout, sources
from promptx_mem.usecases.recall import Cues
from promptx_mem.usecases.request import Request

START = datetime.datetime(2026, 11, 20, 9, 0, tzinfo=datetime.UTC)
LATER = START + datetime.timedelta(days=3)
OLD = "用户ID: 12345"
OTHER = "早上八点以前喝黑咖啡，不加糖，也不加奶，杯子要先用热水烫过"
NEAR = "早上八点以前喝黑咖啡，不加糖，也不加奶，杯子要先用热水烫过。"
SHORT_LIVED = "会议室今天在三楼"
NEW = "deploy with `make release` on Fridays\n第二行"
NEXT = "下一件事"


def memory_at(root: Path, now: datetime.datetime = LATER) -> Memory:
    return Memory(layout.at(str(root)), "a test", clock=lambda: now)


def remember(memory: Memory, text: str, score: str = "9", update: str | None = None, duration: str = "长期") -> Result:
    return memory.remember(Request(text=text, tags=("t",), score=score, update=update, duration=duration))


def states(root: Path, *, sound: bool = True) -> dict[str, State]:
    """Every memory by its text, from the files alone; `sound`: without a problem among them."""
    everything = sources.read(layout.at(str(root)))
    assert everything.problems == () or not sound
    for ident, count in Counter(line.entry.id for line in everything.lines if not line.archived).items():
        assert count == 1, f"{ident} is there {count} times"
    folded = fold_all((line.entry for line in everything.lines), everything.events)
    return {state.entry.text: state for state in folded.values()}


def living(root: Path, now: datetime.datetime = LATER, *, sound: bool = True) -> set[str]:
    return {text for text, state in states(root, sound=sound).items() if lives(state, now.timestamp())}


def recalled(root: Path, now: datetime.datetime = LATER) -> set[str]:
    """What recall without a cue shows, through the cache."""
    found = memory_at(root, now).recall(Cues(count=100)).data["memories"]
    return {item["text"] for item in found}


@dataclass(frozen=True)
class Scene:
    """A store as it is before, one thing done to it, and what lives before and after that."""

    name: str
    before: tuple[str, ...]
    act: Callable[[Memory], object]
    after: tuple[str, ...]

    def prepare(self, template: Path, root: Path) -> None:
        if self.before:
            shutil.copytree(template, root)


def make_template(root: Path) -> None:
    """Three memories; one of them has ended by LATER, and has an event."""
    memory = memory_at(root, START)
    remember(memory, OLD)
    remember(memory, OTHER)
    remember(memory, SHORT_LIVED, duration="1d")
    remember(memory, SHORT_LIVED, score="9.5", duration="1d")


def compact(memory: Memory) -> object:
    return memory.store.write(memory.compact)


_KEPT = (OLD, OTHER)
SCENES = (
    Scene("first", (), lambda memory: remember(memory, NEW), (NEW,)),
    Scene("ordinary", _KEPT, lambda memory: remember(memory, NEW), (*_KEPT, NEW)),
    Scene("duplicate", _KEPT, lambda memory: remember(memory, OLD, score="9.5"), _KEPT),
    Scene("update", _KEPT, lambda m: remember(m, NEW, update=states(Path(m.layout.root))[OLD].entry.id), (OTHER, NEW)),
    Scene("near", _KEPT, lambda memory: remember(memory, NEAR), (*_KEPT, NEAR)),
    Scene("compact", _KEPT, compact, _KEPT),
)


def check(scene: Scene, root: Path, *, acknowledged: bool, thorough: bool = True, sound: bool = True) -> None:
    """The store is as before the act or as after it; recall, the next remember and (`thorough`) compaction work."""
    found = living(root, sound=sound) if root.exists() else set()
    allowed = [set(scene.after)] if acknowledged else [set(scene.before), set(scene.after)]
    assert found in allowed
    if scene.name == "duplicate":
        assert states(root, sound=sound)[OLD].score in ([9.5] if acknowledged else [9.0, 9.5])
    assert recalled(root) == found
    remember(memory_at(root), NEXT)
    data = (root / "declarative.md").read_bytes()
    assert data.count(b"\n- " + NEXT.encode()) == 1
    assert data.endswith(b"-->\n")
    if not thorough:
        return
    compact(memory_at(root))
    compact(memory_at(root))
    assert living(root) == recalled(root) == {*found, NEXT}
    if scene.before:
        assert SHORT_LIVED in states(root)
        assert SHORT_LIVED.encode() not in (root / "declarative.md").read_bytes()
    assert not [path.name for path in root.iterdir() if path.name.endswith(".old")]
