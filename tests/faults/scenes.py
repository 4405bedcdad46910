"""Stores of the fault tests: how they are created, and the facts in their files."""

import datetime
from collections import Counter
from pathlib import Path

from tests.api import Cues, Memory, Remember, Request, Result, State, fold_all, layout, lives
from tests.inside import PURGED, archive, audit, conversations, rewrite, sources, violations

START = datetime.datetime(2026, 11, 20, 9, 0, tzinfo=datetime.UTC)
LATER = START + datetime.timedelta(days=3)
OLD = "用户ID: 12345"
OTHER = "早上八点以前喝黑咖啡，不加糖，也不加奶，杯子要先用热水烫过"
NEAR = "早上八点以前喝黑咖啡，不加糖，也不加奶，杯子要先用热水烫过了"
SHORT_LIVED = "会议室今天在三楼"
NEW = "deploy with `make release` on Fridays\n第二行"
NEXT = "下一件事"
TYPED = "这一行是手写的"
HAND_WRITTEN = (TYPED,)
BAD_SESSION = "a session with two violations"


def memory_at(root: Path, now: datetime.datetime = LATER) -> Memory:
    return Memory(layout.at(str(root)), "a test", clock=lambda: now)


def remember(
    memory: Memory, text: str, score: str = "9", update: str | None = None, duration: str = "长期"
) -> Result[Remember]:
    return memory.remember(Request(text=text, tags=("t",), score=score, update=update, duration=duration))


def states(root: Path, *, sound: bool = True, once: bool = True) -> dict[str, State]:
    """Return every memory by text, from the files only; `sound`: without problems, `once`: one line each."""
    everything = sources.read(layout.at(str(root)))
    assert everything.problems == () or not sound
    for ident, count in Counter(line.entry.id for line in everything.lines if not line.archived).items():
        assert count == 1 or not once, f"{ident} is there {count} times"
    folded = fold_all((line.entry for line in everything.lines), everything.events)
    return {state.entry.text: state for state in folded.values()}


def active_texts(root: Path, now: datetime.datetime = LATER, *, sound: bool = True, once: bool = True) -> set[str]:
    return {text for text, state in states(root, sound=sound, once=once).items() if lives(state, now.timestamp())}


def recalled(root: Path, now: datetime.datetime = LATER) -> set[str]:
    """Return the texts that recall without a query shows; this records no use."""
    found = memory_at(root, now).recall(Cues(count=100, touch=False)).data["memories"]
    return {item["text"] for item in found}


def make_template(root: Path) -> None:
    """Create three memories; one has expired by LATER and has an event."""
    memory = memory_at(root, START)
    remember(memory, OLD)
    remember(memory, OTHER)
    remember(memory, SHORT_LIVED, duration="1d")
    remember(memory, SHORT_LIVED, score="9.5", duration="1d")


def compact(memory: Memory) -> object:
    return memory.context.store.write(
        lambda writer: rewrite.compact(writer.layout, writer.take_out, memory.context.now())
    )


def facts(root: Path, *, sound: bool = True, once: bool = True) -> dict[str, object]:
    """Return each memory, message and slice in the files; `sound`: also records that are not synced."""
    if not root.exists():
        return {}
    where = layout.at(str(root))
    found: dict[str, object] = {}
    for text, state in states(root, sound=sound, once=once).items():
        known = (state.score, state.duration, state.tags, state.category, state.verified, state.importance)
        accessed = 0 if text in HAND_WRITTEN else state.accessed
        found[f"memory {text}"] = (*known, accessed) if lives(state, LATER.timestamp()) else "ended"
    for unit in {*conversations.units(where), *conversations.shelved_units(where)}:
        known_unit = conversations.read(where, unit)
        texts = [message.text for message in known_unit.messages.values() if message.text != PURGED]
        assert len(texts) == len(set(texts)), "a message is there twice"
        found |= {f"message {unit} {number}": one.text for number, one in known_unit.messages.items()}
        found |= {f"slice {unit} {part.number}": (part.first, part.last) for part in known_unit.slices.values()}
    if sound:
        found |= _unsynced(where)
    return found


def _unsynced(where: layout.Layout) -> dict[str, object]:
    everything = sources.read(where)
    used = {(event.at[:10], ident) for event in everything.events if event.kind == "recalled" for ident in event.ids}
    blocked = violations.count(audit.read(where), [BAD_SESSION], LATER)
    return {f"used {day} {ident}": True for day, ident in used} | {
        **({"violations": blocked} if blocked else {}),
        **{f"saved {line}": True for line in archive.lost_lines(where, archive.LINES)},
    }
