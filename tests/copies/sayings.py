"""All that a copy of a store says, so that two copies can be compared."""

import datetime
import shutil
from collections.abc import Sequence
from typing import Any

from tests.api import Cues, Entry, Event, layout
from tests.copies.clones import Clone
from tests.inside import sources

Facts = tuple[set[Entry], set[Event]]


def facts(clone: Clone, *, sound: bool = True) -> Facts:
    """The set of lines and events of a copy, wherever they lie; a line by hand without its time."""
    everything = sources.read(layout.at(str(clone.store)))
    assert everything.problems == () or not sound
    lines = {line.entry if line.has_time else line.entry._replace(at=None) for line in everything.lines}
    return lines, set(everything.events)


def sayings(clone: Clone, cues: Sequence[Cues], now: datetime.datetime) -> dict[str, Any]:
    """What every reading command says at a moment, as JSON would have it; the store's place left out."""
    before, clone.time = clone.time, now - clone.ahead
    try:
        said: dict[str, Any] = {repr_of(one): clone.memory.recall(one).data for one in cues}
        known = clone.memory.recall(Cues(archived=True, count=1000, touch=False)).data["memories"]
        for found in known:
            one = Cues(text=found["id"], touch=False)
            said[f"history {found['id']}"] = clone.memory.recall(one).data
        said["reviews"] = clone.memory.reviews().data
        said["topics"] = clone.memory.tags().data
        (clone.store / "MEMORY.md").unlink(missing_ok=True)
        clone.memory.index()
        said["index"] = (clone.store / "MEMORY.md").read_bytes()
        said["problems"] = clone.memory.audit_verify().data["problems"]
    finally:
        clone.time = before
    for what in said.values():
        if isinstance(what, dict):
            what.pop("store", None)
    return said


def repr_of(cues: Cues) -> str:
    return repr({name: value for name, value in cues._asdict().items() if value != getattr(Cues(), name)})


def afresh(clone: Clone) -> None:
    """Take away what is derived."""
    shutil.rmtree(clone.store / ".cache", ignore_errors=True)
